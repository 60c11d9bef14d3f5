// ccxt's class for this exchange, unchanged, pointed at the bridge with the bridge token as bearer: its reads, streams and
// cancels, and the classes of its errors.

import ccxt from 'ccxt';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { limitBuy } from '../../exchange-client/venue.ts';
import { ACCOUNT, type Desk, FOREIGN_ACCOUNT, READER_TOKEN, ROBOT_TOKEN, startDesk } from '../desk.ts';

const SYMBOL = 'BTC/USDC';
let desk: Desk;
let clients: InstanceType<typeof ccxt.pro.bullish>[] = [];

beforeAll(async () => {
  // Public clients leave a date range out (exchange reference §10).
  desk = await startDesk({ simulator: { follows: 'clients' } });
});
afterAll(() => desk.close());
afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()));
  clients = [];
});

/** A client as docs/bridge/clients.md sets it up. */
function client(token = ROBOT_TOKEN, tradingAccountId = ACCOUNT) {
  const headers = { Authorization: `Bearer ${token}` };
  const made = new ccxt.pro.bullish({
    apiKey: 'none',
    secret: 'none',
    token,
    headers,
    options: { tokenExpires: Number.MAX_SAFE_INTEGER, tradingAccountId, ws: { options: { headers } } },
  });
  const rest = `${desk.bridge.url}/trading-api`;
  const ws = desk.bridge.url.replace('http', 'ws');
  made.urls.api = { public: rest, private: rest, ws: { public: ws, private: `${ws}/trading-api/v1/private-data` } };
  clients.push(made);
  return made;
}

let references = 70_000;
async function order(): Promise<string> {
  const outcome = await desk.client.submit(`c-${++references}`, limitBuy(String(references)));
  if (outcome.kind !== 'accepted') throw new Error(outcome.message);
  return outcome.orderId!;
}

describe('reads of ccxt', () => {
  test('markets, book, trades, ticker, candles, time and currencies', async () => {
    const one = client();
    expect(Object.keys(await one.loadMarkets())).toContain(SYMBOL);
    expect((await one.fetchOrderBook(SYMBOL)).bids.length).toBeGreaterThan(0);
    expect(await one.fetchTicker(SYMBOL)).toMatchObject({ symbol: SYMBOL });
    expect(Array.isArray(await one.fetchTrades(SYMBOL))).toBe(true);
    expect(Array.isArray(await one.fetchOHLCV(SYMBOL, '1m', Date.now() - 600_000))).toBe(true);
    expect(await one.fetchTime()).toBeGreaterThan(0);
    expect(Object.keys((await one.fetchCurrencies()) ?? {})).toContain('BTC');
  });

  test('balance, accounts, orders, own trades and positions', async () => {
    const one = client();
    const id = await order();
    expect(await one.fetchBalance()).toHaveProperty('BTC');
    expect((await one.fetchAccounts()).map((account) => account.id)).toContain(ACCOUNT);
    expect((await one.fetchOpenOrders(SYMBOL)).map((open) => open.id)).toContain(id);
    expect(await one.fetchOrder(id, SYMBOL)).toMatchObject({ id, status: 'open', side: 'buy' });
    expect(Array.isArray(await one.fetchMyTrades(SYMBOL))).toBe(true);
    expect(Array.isArray(await one.fetchPositions())).toBe(true);
  });
});

describe('cancels of ccxt', () => {
  test('one order, and all of a market, although the client signs them for the exchange', async () => {
    const one = client();
    const [first, second] = [await order(), await order()];
    await one.cancelOrder(first, SYMBOL);
    await expect.poll(async () => (await one.fetchOrder(first, SYMBOL)).status).toBe('canceled');
    await one.cancelAllOrders(SYMBOL);
    await expect.poll(async () => (await one.fetchOrder(second, SYMBOL)).status).toBe('canceled');
  });
});

describe('streams of ccxt', () => {
  test('book, ticker, public trades', async () => {
    const one = client();
    await one.loadHttpProxyAgent();
    expect((await one.watchOrderBook(SYMBOL)).bids.length).toBeGreaterThan(0);
    expect(await one.watchTicker(SYMBOL)).toMatchObject({ symbol: SYMBOL });
    expect(Array.isArray(await one.watchTrades(SYMBOL))).toBe(true);
  });

  test('own orders and balance', async () => {
    const one = client();
    await one.loadHttpProxyAgent();
    const heard = one.watchOrders(SYMBOL);
    const id = await order();
    const orders = [...(await heard)];
    while (!orders.some((each) => each.id === id)) orders.push(...(await one.watchOrders(SYMBOL)));
    expect(await one.watchBalance()).toHaveProperty('BTC');
  });
});

describe('errors of ccxt have the class', () => {
  test.each([
    [
      'AuthenticationError for a wrong token',
      () => client('no-token-of-the-bridge-0009').fetchBalance(),
      'AuthenticationError',
    ],
    [
      'AuthenticationError for a foreign account',
      () => client(ROBOT_TOKEN, FOREIGN_ACCOUNT).fetchBalance(),
      'AuthenticationError',
    ],
    [
      'AuthenticationError for a function that the token lacks',
      () => client(READER_TOKEN).fetchOpenOrders(SYMBOL),
      'AuthenticationError',
    ],
    [
      'AuthenticationError for an order, which goes over FIX',
      () => client().createOrder(SYMBOL, 'limit', 'buy', 1, 50_000),
      'AuthenticationError',
    ],
    ['NotSupported for a transfer', () => client().transfer('BTC', 1, ACCOUNT, '111000000000002'), 'NotSupported'],
    ['BadSymbol for a market that ccxt does not know', () => client().fetchTicker('NO/PE'), 'BadSymbol'],
    [
      'BadRequest for a query that the bridge does not take',
      () => client().fetchOrders(SYMBOL, undefined, undefined, { colour: 'red' }),
      'BadRequest',
    ],
  ] as const)('%s', async (_, act, name) => {
    await expect(act()).rejects.toMatchObject({ name });
  });

  test('OrderNotFound for an order that the exchange does not find', async () => {
    desk.simulator.control.armAnswer({ what: 'error', httpStatus: 400, errorCode: 3002, errorCodeName: 'NOT_FOUND' });
    await expect(client().cancelOrder('1', SYMBOL)).rejects.toMatchObject({ name: 'OrderNotFound' });
  });
});
