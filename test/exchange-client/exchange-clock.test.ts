// A gateway whose clock is off by more than the exchange tolerates (exchange reference §2.3): the alarm, and cancels that get
// through all the same.

import { afterEach, expect, test, vi } from 'vitest';
import type { CommandOutcome } from '../../src/exchange/mod.ts';
import { exchangeCheck } from '../../src/exchange-client/mod.ts';
import { ACCOUNT, limitBuy, type Observed, openVenue, type Venue } from './venue.ts';

const HOUR_MS = 3_600_000;

let venue: Venue;
afterEach(() => venue.close());

/** A client whose clock is off by `offMs.value`, beside the time that nobody sets. */
async function off(valueMs: number, key = 'demo-hmac') {
  venue = await openVenue();
  const offMs = { value: valueMs };
  const observed = venue.connect({
    now: () => Date.now() + offMs.value,
    elapsedMs: () => performance.now(),
    credential: venue.credential(key),
    // The first command of a process waits for what the exchange loads for it.
    timeouts: { requestMs: 10_000 },
  });
  await observed.client.start();
  return { offMs, ...observed };
}

function cancel(client: Observed['client'], commandId: string, clientOrderId: string): Promise<CommandOutcome> {
  return client.submit(commandId, {
    kind: 'cancelOrder',
    orderId: null,
    clientOrderId,
    symbol: 'BTCUSDC',
    tradingAccountId: ACCOUNT,
  });
}

test.each([
  ['ahead, HMAC', HOUR_MS, 'demo-hmac'],
  ['behind, ECDSA', -HOUR_MS, 'demo-ecdsa'],
  ['days ahead, HMAC', 72 * HOUR_MS, 'demo-hmac'],
])(
  'C3 a clock that is off from the start (%s) is alarmed once, and orders and their cancels get through',
  async (_, ms, key) => {
    const { client, alarms } = await off(ms, key);
    expect((await client.submit('c1', limitBuy('1'))).kind).toBe('accepted');
    expect((await cancel(client, 'c2', '1')).kind).toBe('accepted');
    await vi.waitFor(() => expect(alarms).toEqual(['clock-offset']));
  },
);

test('C3 a clock that is set, and set right again, delays cancels by one question to the exchange and loses none', async () => {
  const { client, alarms, offMs } = await off(0);
  for (const [i, ms] of [HOUR_MS, 0, -HOUR_MS, 0].entries()) {
    const reference = String(i + 1);
    expect((await client.submit(`new-${i}`, limitBuy(reference))).kind).toBe('accepted');
    offMs.value = ms;
    expect((await cancel(client, `cancel-${i}`, reference)).kind).toBe('accepted');
  }
  expect(alarms).toEqual(['clock-offset', 'clock-offset']);
});

test('X6 the check signs with the time of the exchange, as the gateway does', async () => {
  venue = await openVenue();
  const report = await exchangeCheck({
    baseUrl: venue.simulator.url,
    credential: venue.credential('demo-hmac'),
    tradingAccountId: ACCOUNT,
    now: () => Date.now() + HOUR_MS,
    retryAfterMs: 0,
  });
  expect(report.steps.filter(({ ok }) => !ok)).toEqual([]);
});
