// Portfolio margin simulation of the simulated exchange, single and in bulk.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { ACCOUNT, type Answer, Caller, type Json, startTestSimulator } from '../exchange-caller.ts';

let simulator: Simulator;
let caller: Caller;
beforeAll(async () => {
  simulator = await startTestSimulator();
  caller = await Caller.loggedIn(simulator);
});
afterAll(() => simulator.close());

const post = (path: string, body: unknown): Promise<Answer> =>
  caller.fetch(`/trading-api/v1/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.token}` },
    body: JSON.stringify(body),
  });
const single = (fields: Json, query = ''): Promise<Answer> =>
  post(`simulate-portfolio-margin${query}`, { tradingAccountId: ACCOUNT, ...fields });

test('collateral with its haircut, risk of a 15 % move, and the five margins', async () => {
  const { status, json } = await single({
    positions: [
      { symbol: 'BTC', quantity: '1' },
      { symbol: 'USDC', quantity: '-1000' },
    ],
  });
  expect(status).toBe(200);
  expect(json).toEqual({
    collateralUSD: '54000.0000',
    borrowedUSD: '1000.0000',
    marketRiskUSD: '9000.0000',
    liquidityAddonUSD: '0.0000',
    initialMarginUSD: '18000.0000',
    warningMarginUSD: '13500.0000',
    liquidationMarginUSD: '9000.0000',
    fullLiquidationMarginUSD: '6750.0000',
    defaultedMarginUSD: '4500.0000',
  });
});

test('a short derivative position loses when prices rise, and has an add-on', async () => {
  const { json } = await single({ positions: [{ symbol: 'BTC-USDC-PERP', quantity: '-2' }] });
  expect(json).toMatchObject({
    marketRiskUSD: '18000.0000',
    liquidityAddonUSD: '1200.0000',
    initialMarginUSD: '37200.0000',
  });
});

test('orders count when they make it worse; timeInForce is accepted', async () => {
  const positions = [{ symbol: 'BTC', quantity: '1' }];
  const risk = async (quantity: string): Promise<unknown> =>
    (await single({ positions, orders: [{ symbol: 'BTCUSDC', quantity, limitPrice: '60000', timeInForce: 'GTX' }] }))
      .json.marketRiskUSD;
  expect(await risk('1')).toBe('18000.0000');
  expect(await risk('-1')).toBe('9000.0000');
  expect((await single({ orders: [{ symbol: 'BTCUSDC', quantity: '1', timeInForce: 'DAY' }] })).status).toBe(400);
});

test('reference prices and multipliers replace and move present prices', async () => {
  const positions = [{ symbol: 'BTC', quantity: '1' }];
  const risk = async (fields: Json): Promise<unknown> => (await single({ positions, ...fields })).json.marketRiskUSD;
  expect(await risk({ referencePrices: [{ symbol: 'BTC', price: '10000' }] })).toBe('1500.0000');
  expect(await risk({ priceVolOffsetParams: { globalCryptoPriceMultiplier: 1.1, volOffset: -0.05 } })).toBe(
    '9900.0000',
  );
  const own = { globalCryptoPriceMultiplier: 1.1, cryptoPriceMultipliers: { BTC: 2 } };
  expect(await risk({ priceVolOffsetParams: own })).toBe('18000.0000');
});

test("includeExisting adds the account's positions", async () => {
  expect((await single({}, '?includeExisting=true')).json.collateralUSD).toBe('18100000.0000');
});

test('in bulk: one answer per portfolio, in order', async () => {
  const { json } = await post('bulk-simulate-portfolio-margin', [
    { tradingAccountId: ACCOUNT, positions: [{ symbol: 'BTC', quantity: '1' }] },
    { tradingAccountId: ACCOUNT, positions: [{ symbol: 'ETH', quantity: '1' }] },
  ]);
  expect(json).toMatchObject([{ marketRiskUSD: '9000.0000' }, { marketRiskUSD: '450.0000' }]);
});

test('nonsense is 400, another’s account 403, no login 401', async () => {
  expect((await single({ positions: [{ symbol: 'NOPE', quantity: '1' }] })).json.errorCode).toBe(28004);
  expect((await single({ positions: [{ symbol: 'BTC', quantity: 1 }] })).status).toBe(400);
  expect((await single({ positions: 'all' })).status).toBe(400);
  expect((await single({ tradingAccountId: '111000000000003' })).status).toBe(403);
  expect((await post('bulk-simulate-portfolio-margin', [])).status).toBe(400);
  expect((await caller.fetch('/trading-api/v1/simulate-portfolio-margin', { method: 'POST', body: '{}' })).status).toBe(
    401,
  );
});
