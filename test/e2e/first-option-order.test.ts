// The first order on an option through the running gateway. It waits for the price of its market and is entered, with
// later orders in sequence, and the day replays identical from its journal.

import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { replayPure } from '../../src/cli/log/replay-pure.ts';
import { Tag } from '../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix, report } from '../support/network/fix-connection.ts';
import { ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../support/processes/exchange-house.ts';
import type { GatewayProcess } from '../support/processes/gateway-process.ts';

const OPTION = 'BTC-USDC-20291228-60000-C';
let house: ExchangeHouse;
let gateway: GatewayProcess;
let fix: FixConnection;

beforeAll(async () => {
  house = await exchangeHouse({ 'ACME_OMS.yaml': { 'limits.priceBandPercent': '9999' } });
  gateway = await house.start();
  fix = await openFix(gateway.fixPort, ACME);
  await logOn(fix, { password: PASSWORD });
});
afterAll(async () => {
  fix?.destroy();
  await house?.close();
});

test('O12 the first order on an option is entered, and the order behind it after it', async () => {
  fix.send(limitOrder('option-1', '0.01', '100').replace('55=BTCUSDC', `55=${OPTION}`));
  fix.send(limitOrder('spot-1', '0.01', '50000'));
  const spot = await fix.expect('New of the second', report('spot-1', '0', '0'));
  const option = await fix.expect('New of the option', report('option-1', '0', '0'));
  expect([option, spot].map((view) => view.string(Tag.OrdStatus))).toEqual(['0', '0']);
  const ids = [option, spot].map((view) => BigInt(view.string(Tag.OrderID)!));
  expect(ids[0]! < ids[1]!).toBe(true);
});

test('the day, run again from its journal alone, is identical', async () => {
  fix.end();
  expect(await gateway.interrupt()).toBe(0);
  const said = vi.spyOn(console, 'log').mockImplementation(() => {});
  await replayPure(house.home.state, fileURLToPath(new URL('../../dictionaries', import.meta.url)));
  expect(said.mock.calls.join('\n')).toMatch(/^identical: /);
  said.mockRestore();
});
