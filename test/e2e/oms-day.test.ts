// A short mixed day of an OMS on jspurefix, one on QuickFIX C++ and a middle office, all but the OMSs killed on the way; 5,000 orders are
// `npm run nightly -- oms-day`.

import { expect, test } from 'vitest';
import { dayTable, omsDay } from '../support/oms/oms-day.ts';
import { quickfix } from '../support/oms/quickfix.ts';
import { describeWith } from '../support/requirement.ts';

const ORDERS = Number(process.env.CROSSGATE_ORDERS ?? 120);

describeWith(await quickfix(), 'a day of two OMSs', () => {
  test(`after ${ORDERS} orders and kills of gateway and exchange all positions match the exchange`, async () => {
    const seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${seed}: CROSSGATE_SEED=${seed} repeats it`);
    const result = await omsDay({ orders: ORDERS, seed, gatewayKills: 1, exchangeKills: 1, copyKills: 1 });
    console.log(dayTable(result).join('\n'));
    expect(result.problems).toEqual([]);
    expect([result.gatewayKills, result.exchangeKills, result.copyKills]).toEqual([1, 1, 1]);
    expect(result.outcomes['partial fill']).toBeGreaterThan(ORDERS / 10);
    for (const outcome of ['New', 'filled', 'cancelled on request', 'replaced', 'rejected by the exchange'] as const) {
      expect(result.outcomes[outcome], outcome).toBeGreaterThan(0);
    }
  }, 300_000);
});
