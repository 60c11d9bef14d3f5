// Reads of the simulated exchange over real HTTP: orders, trades, accounts, markets, auctions, pages, filters, rate limits.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { ACCOUNT, Caller, type Json, startTestSimulator, v2Cancel, v2Order } from '../exchange-caller.ts';

let simulator: Simulator;
let caller: Caller;
let filled: string;
let cancelled: string;
let open: string;
const mine = `tradingAccountId=${ACCOUNT}`;

beforeAll(async () => {
  simulator = await startTestSimulator();
  caller = await Caller.loggedIn(simulator);
  filled = await caller.create({ handle: '101', quantity: '1', price: '60000' });
  simulator.control.trade('BTCUSDC', 'SELL', '60000', '0.4');
  simulator.control.trade('BTCUSDC', 'SELL', '60000', '0.6');
  cancelled = await caller.create({ handle: '102', price: '59000' });
  await caller.send(v2Cancel({ orderId: cancelled }));
  open = await caller.create({ handle: '103', side: 'SELL', price: '61000' });
});
afterAll(() => simulator.close());

const list = async (path: string): Promise<Json[]> => (await caller.get(path)).json as unknown as Json[];
const ids = async (query: string): Promise<unknown[]> =>
  (await list(`/trading-api/v2/orders?${mine}&${query}`)).map(({ orderId }) => orderId);

describe('orders', () => {
  test('the list is a bare array, newest first, and filters', async () => {
    expect(await ids('')).toEqual([open, cancelled, filled]);
    expect(await ids('status=CANCELLED')).toEqual([cancelled]);
    expect(await ids('side=SELL')).toEqual([open]);
    expect(await ids('clientOrderId=101')).toEqual([filled]);
    expect(await ids('symbol=ETHUSDC')).toEqual([]);
    expect(await ids('isAuctionOrder=true')).toEqual([]);
    expect(await ids('type=LMT')).toEqual([open, cancelled, filled]);
    expect(await ids('type=MKT')).toEqual([]);
  });

  test('a filter that does not exist is 23001', async () => {
    const answer = await caller.get(`/trading-api/v2/orders?${mine}&colour=blue`);
    expect([answer.status, answer.json.errorCode]).toEqual([400, 23001]);
  });

  test('a user cancel is CANCELLED with the reason code as a string', async () => {
    const { json } = await caller.get(`/trading-api/v2/orders/${cancelled}?${mine}`);
    expect(json).toMatchObject({
      status: 'CANCELLED',
      statusReasonCode: '6005',
      statusReason: 'User cancelled',
      handle: '102',
    });
  });

  test("reads an order by id and client order id; 404 without account, unknown id, another's", async () => {
    const byReference = await caller.get(`/trading-api/v2/orders/client-order-id/101?${mine}`);
    expect(byReference.json).toMatchObject({
      orderId: filled,
      averageFillPrice: '60000.0000',
      quoteAmount: '60000.0000',
    });
    for (const path of [
      `${filled}`,
      `1?${mine}`,
      `${filled}?tradingAccountId=111000000000002`,
      `client-order-id/999?${mine}`,
    ]) {
      expect((await caller.get(`/trading-api/v2/orders/${path}`)).status).toBe(404);
    }
    const other = await Caller.loggedIn(simulator, 'other-hmac');
    expect((await other.get(`/trading-api/v2/orders/${filled}?${mine}`)).status).toBe(403);
  });

  test('a trailing slash and the cookie instead of Authorization are tolerated', async () => {
    const headers = { cookie: `JWT_COOKIE=${caller.token}` };
    expect((await caller.fetch(`/trading-api/v2/orders/?${mine}`, { headers })).status).toBe(200);
  });

  test('history needs a date range of at most seven days', async () => {
    const at = (offset: number): string => encodeURIComponent(new Date(Date.now() + offset).toISOString());
    const range = (from: number): string =>
      `createdAtDatetime%5Bgte%5D=${at(from)}&createdAtDatetime%5Blte%5D=${at(60_000)}`;
    expect((await caller.get(`/trading-api/v2/history/orders?${mine}`)).status).toBe(400);
    expect((await caller.get(`/trading-api/v2/history/orders?${mine}&${range(-8 * 86_400_000)}`)).status).toBe(400);
    expect(await list(`/trading-api/v2/history/orders?${mine}&${range(-60_000)}`)).toHaveLength(3);
  });
});

describe('trades', () => {
  test('fills of the account, by order, by id, by client order id', async () => {
    const trades = await list(`/trading-api/v1/trades?${mine}&orderId=${filled}`);
    expect(trades.map(({ quantity }) => quantity)).toEqual(['0.60000000', '0.40000000']);
    expect(trades[0]).toMatchObject({
      clientOrderId: '101',
      isTaker: false,
      quoteAmount: '36000.0000',
      otcTradeId: null,
    });
    const { json } = await caller.get(`/trading-api/v1/trades/${trades[0]!.tradeId}?${mine}`);
    expect(json).toEqual(trades[0]);
    expect(await list(`/trading-api/v1/trades/client-order-id/101?${mine}`)).toHaveLength(2);
    expect(await list(`/trading-api/v1/trades?${mine}&side=BUY`)).toHaveLength(2);
    expect(await list(`/trading-api/v1/trades?${mine}&side=SELL`)).toEqual([]);
  });

  test('the public list shows no names', async () => {
    const [last] = (await (await fetch(`${simulator.url}/trading-api/v1/markets/BTCUSDC/trades`)).json()) as Json[];
    expect(last).toMatchObject({ symbol: 'BTCUSDC', price: '60000.0000', side: 'SELL', isTaker: true });
    expect(last).not.toHaveProperty('orderId');
  });
});

describe('pages', () => {
  test('page sizes are 5, 25, 50, 100; links are paths that lead through the list and back', async () => {
    const paged = await startTestSimulator();
    const client = await Caller.loggedIn(paged);
    const created: string[] = [];
    for (let i = 0; i < 12; i++) created.unshift(await client.create({ price: '59000', quantity: '0.1' }));
    expect((await client.get(`/trading-api/v2/orders?${mine}&_pageSize=7`)).status).toBe(400);
    const seen: unknown[] = [];
    let path: string | undefined = `/trading-api/v2/orders?${mine}&_pageSize=5&_metaData=true`;
    let pages = 0;
    let back: string | undefined;
    while (path !== undefined && pages < 10) {
      const { data, links } = (await client.get(path)).json as { data: Json[]; links: Record<string, string> };
      seen.push(...data.map(({ orderId }) => orderId));
      path = links.next;
      back = links.previous;
      pages++;
    }
    expect([pages, seen]).toEqual([3, created]);
    const previous = (await client.get(back!)).json as { data: Json[] };
    expect(previous.data.map(({ orderId }) => orderId)).toEqual(created.slice(5, 10));
    await paged.close();
  });
});

describe('accounts', () => {
  test('trading accounts of the user: the primary one first, with fees per group', async () => {
    const accounts = await list('/trading-api/v1/accounts/trading-accounts');
    expect(accounts.map(({ tradingAccountId }) => tradingAccountId)).toEqual([ACCOUNT, '111000000000002']);
    expect(accounts[0]).toMatchObject({
      tradingAccountName: 'Primary Account',
      isPrimaryAccount: 'true',
      tradeFeeRate: [{ feeGroupId: 1, takerFee: '0.00020000', auctionFee: '0.00010000' }, { feeGroupId: 2 }],
      rateLimitToken: expect.stringMatching(/^[0-9a-f]{50}$/),
    });
    expect((await caller.get('/trading-api/v1/accounts/trading-accounts/111000000000003')).status).toBe(403);
  });

  test('assets: available and locked amounts', async () => {
    const btc = await caller.get(`/trading-api/v1/accounts/asset/BTC?${mine}`);
    expect(btc.json).toMatchObject({
      assetSymbol: 'BTC',
      availableQuantity: '100.00000000',
      lockedQuantity: '1.00000000',
    });
    expect(await list(`/trading-api/v1/accounts/asset?${mine}`)).toHaveLength(4);
  });
});

describe('custody, positions and transfers', () => {
  test('a JWT of an HMAC key is for trading only: custody answers 403 with a JSON body', async () => {
    const path = '/trading-api/v1/wallets/limits/BTC';
    const refused = await caller.get(path);
    expect([refused.status, refused.json.errorCodeName]).toEqual([403, 'BAD_AUTHENTICATION_TYPE']);
    const ecdsa = await Caller.loggedIn(simulator, 'demo-ecdsa');
    expect((await ecdsa.get(path)).json).toEqual({
      symbol: 'BTC',
      available: '100.00000000',
      twentyFourHour: '1000000.00000000',
    });
  });

  test('derivative positions, by REST and as frames', async () => {
    const perpetual = await startTestSimulator();
    const client = await Caller.loggedIn(perpetual);
    const stream = await client.stream();
    await stream.subscribe({ topic: 'derivativesPositionsV2' });
    await client.create({ symbol: 'BTC-USDC-PERP', price: '60000', quantity: '2' });
    perpetual.control.trade('BTC-USDC-PERP', 'SELL', '60000', '1.5');
    const position = { symbol: 'BTC-USDC-PERP', side: 'BUY', quantity: '1.50000000', entryNotional: '90000.0000' };
    const frame = await stream.find(
      ({ dataType, type }) => dataType === 'V1TADerivativesPosition' && type === 'update',
    );
    expect(frame.data).toMatchObject(position);
    expect((await client.get('/trading-api/v1/derivatives-positions')).json).toMatchObject([position]);
    stream.close();
    await perpetual.close();
  });

  test('a transfer’s requestId appears CLOSED in the history of transfers', async () => {
    const accounts = { fromTradingAccountId: ACCOUNT, toTradingAccountId: '111000000000002' };
    const command = { commandType: 'V2TransferAsset', assetSymbol: 'ETH', quantity: '1', ...accounts };
    const { requestId } = (await caller.send(command)).json;
    const at = (offset: number): string => encodeURIComponent(new Date(Date.now() + offset).toISOString());
    const range = `createdAtDatetime[gte]=${at(-60_000)}&createdAtDatetime[lte]=${at(60_000)}`;
    const found = await list(`/trading-api/v1/history/transfer?${range}&requestId=${requestId}`);
    expect(found).toMatchObject([{ requestId, status: 'CLOSED', quantity: '1.00000000', assetSymbol: 'ETH' }]);
  });
});

describe('markets', () => {
  test('the list filters by marketType; one market; an unknown one is 400 21000', async () => {
    expect((await list('/trading-api/v1/markets?marketType=SPOT')).map(({ symbol }) => symbol)).toEqual([
      'BTCUSDC',
      'ETHUSDC',
    ]);
    const { json } = await caller.get('/trading-api/v1/markets/BTC-USDC-PERP');
    expect(json).toMatchObject({ marketType: 'PERPETUAL', settlementAssetSymbol: 'USDC', contractMultiplier: 1 });
    const unknown = await caller.get('/trading-api/v1/markets/NOPE');
    expect([unknown.status, unknown.json.errorCodeName]).toEqual([400, 'INVALID_MARKET_SYMBOL']);
  });

  test('removed fields are not there', async () => {
    const { json } = await caller.get('/trading-api/v1/markets/BTCUSDC');
    for (const field of ['maxPriceLimit', 'minPriceLimit', 'maxCostLimit', 'minCostLimit', 'makerFee', 'takerFee']) {
      expect(json).not.toHaveProperty(field);
    }
  });

  test('tick size is a multiple of the price precision in every market', async () => {
    for (const { tickSize, pricePrecision } of await list('/trading-api/v1/markets')) {
      expect(Number(tickSize) * 10 ** Number(pricePrecision)).toSatisfy(Number.isInteger);
    }
  });

  test('the order book has ten levels by default, as many as depth asks for', async () => {
    const quoted = await startTestSimulator({ liquidity: 'still' });
    const book = async (query: string): Promise<Json[]> => {
      const answer = await fetch(`${quoted.url}/trading-api/v1/markets/BTCUSDC/orderbook/hybrid${query}`);
      return ((await answer.json()) as { bids: Json[] }).bids;
    };
    expect(await book('')).toHaveLength(10);
    const two = await book('?depth=2');
    expect(two).toEqual([
      { price: '59990.0000', priceLevelQuantity: '0.50000000', type: 'bid' },
      { price: '59980.0000', priceLevelQuantity: '0.50000000', type: 'bid' },
    ]);
    await quoted.close();
  });

  test('candles need a range and a known bucket; minutes join into longer ones; they come in pages', async () => {
    let now = Date.UTC(2026, 8, 23, 12);
    const market = await startTestSimulator({ now: () => now });
    const client = await Caller.loggedIn(market, 'demo-hmac', () => now);
    for (const price of ['60000', '60100', '59900']) {
      await client.create({ price, quantity: '1' });
      market.control.trade('BTCUSDC', 'SELL', price, '1');
      now += 60_000;
    }
    const range = 'createdAtDatetime[gte]=2026-09-23T12:00:00.000Z&createdAtDatetime[lte]=2026-09-23T13:00:00.000Z';
    const path = '/trading-api/v1/markets/BTCUSDC/candle';
    const read = async (query: string): Promise<Json[]> =>
      (await client.get(`${path}?${query}`)).json as unknown as Json[];
    expect((await read(`${range}&timeBucket=1m`)).map(({ close }) => close)).toEqual([
      '59900.0000',
      '60100.0000',
      '60000.0000',
    ]);
    expect(await read(`${range}&timeBucket=5m`)).toMatchObject([
      { open: '60000.0000', high: '60100.0000', low: '59900.0000', close: '59900.0000', volume: '3.00000000' },
    ]);
    expect((await client.get(`${path}?${range}&timeBucket=100m`)).status).toBe(400);
    expect((await client.get(`${path}?timeBucket=1m`)).status).toBe(400);
    await market.close();
  });

  test('tick, index prices, assets', async () => {
    const tick = await caller.get('/trading-api/v1/markets/BTCUSDC/tick');
    expect(tick.json).toMatchObject({
      last: '60000.0000',
      bestAsk: '61000.0000',
      bestBid: null,
      baseVolume: '1.00000000',
    });
    expect((await caller.get('/trading-api/v1/markets/NOPE/tick')).json.errorCode).toBe(28004);
    expect((await caller.get('/trading-api/v1/index-prices/BTC')).json.price).toBe('60000.0000');
    expect((await caller.get('/trading-api/v1/index-prices/NOPE')).json.errorCode).toBe(30001);
    expect((await caller.get('/trading-api/assets/BTC')).json).toMatchObject({ name: 'Bitcoin', precision: '8' });
  });
});

describe('auctions', () => {
  test('the auction of a symbol, imbalance in lockdown only, results', async () => {
    const auctions = await startTestSimulator();
    const client = await Caller.loggedIn(auctions);
    const path = '/trading-api/v1/markets/BTCUSDC/auctions';
    const dataOf = async (at: string): Promise<Json[]> => (await client.get(at)).json.data as Json[];
    expect((await dataOf(path))[0]).toMatchObject({ phase: 'COOLING', createAuctionOrderEnabled: false });
    auctions.control.toPhase('BTCUSDC', 'ACCUMULATION');
    await client.create({ timeInForce: 'GTX', price: '60000', quantity: '1' });
    expect(await dataOf(`${path}/noii`)).toEqual([]);
    auctions.control.toPhase('BTCUSDC', 'LOCKDOWN');
    auctions.control.advance();
    expect((await dataOf(`${path}/noii`))[0]).toMatchObject({
      imbalanceDirection: 'BUY',
      imbalanceQuantity: '1.00000000',
    });
    auctions.control.toPhase('BTCUSDC', 'CROSS');
    const at = (offset: number): string => encodeURIComponent(new Date(Date.now() + offset).toISOString());
    const history = `/trading-api/v1/history/markets/BTCUSDC/auctions?createdAtDatetime[gte]=${at(-60_000)}&createdAtDatetime[lte]=${at(60_000)}`;
    const results = (await client.get(history)).json as unknown as Json[];
    expect(results).toMatchObject([{ symbol: 'BTCUSDC', clearingPrice: null, pairedQuantity: '0.00000000' }]);
    expect(await dataOf('/trading-api/v1/markets/ETHUSDC/auctions')).toEqual([]);
    await auctions.close();
  });
});

describe('rate limits', () => {
  test('headers tell of the limit; one request too many is 429 96000; a token raises it', async () => {
    let now = Date.now();
    const limited = await startTestSimulator({ limits: { ordersPerSecond: 2 }, now: () => now });
    const client = await Caller.loggedIn(limited, 'demo-hmac', () => now);
    const first = await client.send(v2Order({ price: '59000' }));
    expect(first.headers.get('x-ratelimit-limit')).toBe('2');
    expect(first.headers.get('x-ratelimit-remaining')).toBe('1');
    expect(Number(first.headers.get('x-ratelimit-reset'))).toBe(now + 1_000);
    await client.send(v2Order({ price: '59000' }));
    const third = await client.send(v2Order({ price: '59000' }));
    expect([third.status, third.json.errorCode]).toEqual([429, 96000]);
    now += 1_000;
    expect((await client.send(v2Order({ price: '59000' }))).status).toBe(200);
    const accounts = (await client.get('/trading-api/v1/accounts/trading-accounts')).json as unknown as Json[];
    const token = { 'bx-ratelimit-token': String(accounts[0]!.rateLimitToken) };
    expect((await client.send(v2Order({ price: '59000' }), { headers: token })).headers.get('x-ratelimit-limit')).toBe(
      '20',
    );
    await limited.close();
  });

  test('too many requests of an address block it for a while', async () => {
    let now = Date.now();
    const strict = await startTestSimulator({ limits: { addressPer10s: 3, blockMs: 60_000 }, now: () => now });
    const status = async (): Promise<number> => (await fetch(`${strict.url}/trading-api/v1/time`)).status;
    expect([await status(), await status(), await status(), await status()]).toEqual([200, 200, 200, 429]);
    now += 59_000;
    expect(await status()).toBe(429);
    now += 1_000;
    expect(await status()).toBe(200);
    await strict.close();
  });
});

describe('liquidity', () => {
  test('a still ladder is quoted again after it was traded', async () => {
    const quoted = await startTestSimulator({ liquidity: 'still' });
    const client = await Caller.loggedIn(quoted);
    const orderId = await client.create({ type: 'MKT', price: null, quantity: '0.7', timeInForce: 'IOC' });
    expect(quoted.control.order(orderId)).toMatchObject({ status: 'CLOSED', reason: 6002 });
    const { json } = await client.get('/trading-api/v1/markets/BTCUSDC/orderbook/hybrid?depth=1');
    expect(json.asks).toMatchObject([{ price: '60010.0000', priceLevelQuantity: '0.50000000' }]);
    await quoted.close();
  });

  test('in an auction it offers one level on each side: a larger order is partly filled, its rest unfilled', async () => {
    const quoted = await startTestSimulator({ liquidity: 'still' });
    const client = await Caller.loggedIn(quoted);
    quoted.control.toPhase('BTCUSDC', 'ACCUMULATION');
    const orderId = await client.create({ timeInForce: 'GTX', price: '60500', quantity: '0.8' });
    quoted.control.toPhase('BTCUSDC', 'CROSS');
    expect(quoted.control.order(orderId)).toMatchObject({ status: 'CLOSED', reason: 6021 });
    expect(quoted.control.order(orderId)?.quantityFilled.toString()).toBe('0.50000000');
    await quoted.close();
  });

  test('the walk is the same for the same seed, moves the index price, and fills crossed orders', async () => {
    const prices = async (seed: number): Promise<string[]> => {
      const walking = await startTestSimulator({ liquidity: 'moving', liquidityStepMs: 1_000_000, seed });
      const found: string[] = [];
      for (let i = 0; i < 5; i++) {
        walking.control.stepLiquidity();
        const { json } = await new Caller(walking, 'demo-hmac').fetch('/trading-api/v1/index-prices/BTC');
        found.push(String(json.price));
      }
      await walking.close();
      return found;
    };
    const first = await prices(7);
    expect(await prices(7)).toEqual(first);
    expect(await prices(8)).not.toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(1);
  });
});
