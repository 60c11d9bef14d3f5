// The rules of trading-api.md about resources, endpoints, events, limits and versions, under the document's own headings. Keys,
// logins and signing are trading-api.test.ts, whole answers test/contract.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  arrange,
  brokered,
  IDB_OTC,
  OPTION,
  OTC,
  OTHER,
  PERP,
  postJson,
  SECOND,
  type Situation,
} from '../../contract/situation.ts';
import { ACCOUNT, type Caller, type Json } from '../exchange-caller.ts';

const V1 = '/trading-api/v1';
const V2 = '/trading-api/v2';
const OWN = `tradingAccountId=${ACCOUNT}`;

let s: Situation;
beforeAll(async () => {
  s = await arrange();
});
afterAll(() => s.simulator.close());

const status = async (path: string, caller: Caller = s.demo): Promise<number> => (await caller.get(path)).status;
const listed = async (path: string): Promise<Json[]> => (await s.demo.get(path)).json as unknown as Json[];
const query = (values: Readonly<Record<string, string>>): string => new URLSearchParams(values).toString();
const has = (json: Json | undefined, ...fields: string[]): void => {
  expect(fields.filter((field) => json?.[field] === undefined)).toEqual([]);
};

describe('Other resources known by name', () => {
  test('a trading account has its margin fields', async () => {
    const [account] = await listed(`${V1}/accounts/trading-accounts`);
    has(
      account,
      'totalLiabilitiesUSD',
      'liquidityAddonUSD',
      'marketRiskUSD',
      'marginProfile',
      'isConcentrationRiskEnabled',
    );
    has(
      account,
      'totalBorrowedUSD',
      'totalCollateralUSD',
      'initialMarginUSD',
      'warningMarginUSD',
      'liquidationMarginUSD',
    );
    has(
      account,
      'fullLiquidationMarginUSD',
      'defaultedMarginUSD',
      'endCustomerId',
      'isLending',
      'isBorrowing',
      'isDefaulted',
    );
  });

  test('a debtor is borrowing, and the asset shows the amount', async () => {
    const accounts = await listed(`${V1}/accounts/trading-accounts`);
    const second = accounts.find(({ tradingAccountId }) => tradingAccountId === SECOND);
    expect([second!.isBorrowing, Number(second!.totalBorrowedUSD) > 0]).toEqual(['true', true]);
    const { json } = await s.demo.get(`${V1}/assets/BTC`);
    expect(Number(json.loanBorrowedQuantity)).toBeGreaterThan(1);
  });

  test('an asset has collateral bands, a nested underlying asset and loan quantities', async () => {
    const [asset] = await listed('/trading-api/assets');
    has(
      asset,
      'name',
      'collateralBands',
      'underlyingAsset',
      'totalOfferedLoanQuantity',
      'loanBorrowedQuantity',
      'maxBorrow',
    );
  });

  test('a market has strike, expiry, open interest, concentration and liquidity fields', async () => {
    const { json } = await s.demo.get(`${V1}/markets/${OPTION}`);
    has(
      json,
      'strikePrice',
      'expiryDatetime',
      'openInterestUSD',
      'concentrationRiskThresholdUSD',
      'concentrationRiskPercentage',
    );
    has(
      json,
      'roundingCorrectionFactor',
      'makerMinLiquidityAddition',
      'liquidityInvestEnabled',
      'liquidityWithdrawEnabled',
    );
    for (const field of ['maxPriceLimit', 'minPriceLimit', 'maxCostLimit', 'minCostLimit', 'makerFee', 'takerFee']) {
      expect(json[field]).toBeUndefined();
    }
  });

  test('the tick of an option has implied volatilities and greeks; that of a spot market has none', async () => {
    const { json } = await s.demo.get(`${V1}/markets/${OPTION}/tick`);
    has(json, 'bidIVPercentage', 'askIVPercentage', 'greeks');
    expect((await s.demo.get(`${V1}/markets/BTCUSDC/tick`)).json.greeks).toBeUndefined();
  });

  test('orders and trades have quoteAmount, handle, tradingAccountId, isLiquidation, rebates', async () => {
    const fields = ['quoteAmount', 'handle', 'tradingAccountId', 'isLiquidation'];
    has((await listed(`${V2}/orders?${OWN}`))[0], ...fields);
    has((await listed(`${V1}/trades?${OWN}`))[0], ...fields, 'tradeRebateAmount', 'tradeRebateAssetSymbol');
    const answer = await s.other.get(`${V1}/trades?tradingAccountId=${OTHER}&symbol=BTCUSDC&_pageSize=100`);
    const rebate = (answer.json as unknown as Json[]).find(({ tradeRebateAmount }) => tradeRebateAmount !== null);
    // 0.5 × 60,000 × 0.0001
    expect([rebate?.tradeRebateAmount, rebate?.tradeRebateAssetSymbol]).toEqual(['3.0000', 'USDC']);
  });

  test('an OTC trade has ids, broker and times; brokeredBy filters; APPROVAL_PENDING exists', async () => {
    await s.broker.send(brokered(), { path: IDB_OTC, dialect: 'v3' });
    const path = `${OTC}?tradingAccountId=${OTHER}`;
    const byBroker = (await s.other.get(`${path}&brokeredBy=IDB_A&status=APPROVAL_PENDING`)).json as unknown as Json[];
    expect(byBroker.length).toBeGreaterThan(0);
    has(byBroker[0], 'otcTradeId', 'tradingAccountId', 'tradingAccountNickname', 'brokeredBy', 'createdAtDatetime');
    has(byBroker[0], 'createdAtTimestamp', 'expireDatetime', 'expireTimestamp');
    expect((await s.other.get(`${path}&brokeredBy=IDB_B`)).json).toEqual([]);
    expect(await status(`${path}&status=NONSENSE`, s.other)).toBe(400);
    const [trade] = await listed(`${V1}/trades?${OWN}&otcTradeId=${s.ids.otcTradeId}`);
    expect([trade!.otcTradeId, trade!.clientOtcTradeId]).toEqual([s.ids.otcTradeId, '7001']);
    expect(trade!.otcMatchId).toMatch(/^\d+$/);
    const { json } = await s.demo.get(`${OTC}/${s.ids.otcTradeId}?${OWN}`);
    expect([json.otcTradeId, json.otcMatchId]).toEqual([s.ids.otcTradeId, trade!.otcMatchId]);
  });

  test('the simulation takes priceVolOffsetParams and timeInForce, and refuses a time in force that is none', async () => {
    const ask = (timeInForce: string) =>
      postJson(s.demo, `${V1}/simulate-portfolio-margin`, {
        tradingAccountId: ACCOUNT,
        orders: [{ symbol: PERP, quantity: '1', timeInForce }],
        priceVolOffsetParams: {
          globalCryptoPriceMultiplier: 0.5,
          cryptoPriceMultipliers: { BTC: 0.9 },
          volOffset: 0.1,
        },
      });
    expect((await ask('GTX')).status).toBe(200);
    expect((await ask('DAY')).status).toBe(400);
  });
});

describe('Other states', () => {
  test('CANCELLED is an order status and a filter of the list', async () => {
    const cancelled = await listed(`${V2}/orders?${OWN}&status=CANCELLED&_pageSize=100`);
    expect(cancelled.length).toBeGreaterThan(0);
    expect(new Set(cancelled.map((order) => order.status))).toEqual(new Set(['CANCELLED']));
  });
});

describe('Endpoints known by name', () => {
  test('POST /command?commandType=V1DelayedCancelAllOrders, and V1CancelAllOrdersByMarket', async () => {
    const path = `${V2}/command`;
    const delayed = { commandType: 'V1DelayedCancelAllOrders', delayBySeconds: '60', tradingAccountId: SECOND };
    const query = '?commandType=V1DelayedCancelAllOrders';
    expect((await s.demo.send(delayed, { path, query, dialect: 'v3' })).status).toBe(200);
    const byMarket = { commandType: 'V1CancelAllOrdersByMarket', symbol: 'BTCUSDC', tradingAccountId: SECOND };
    expect((await s.demo.send(byMarket, { path, query, dialect: 'v3' })).status).toBe(400);
    expect((await s.demo.send(byMarket, { path, dialect: 'v3' })).status).toBe(200);
  });

  test('the order book has ten levels unless depth says otherwise', async () => {
    for (let i = 1; i <= 12; i++) await s.demo.create({ price: `${50_000 + i * 10}.0`, quantity: '0.001' });
    const path = `${V1}/markets/BTCUSDC/orderbook/hybrid`;
    const bids = async (query: string): Promise<number> =>
      ((await s.demo.get(path + query)).json.bids as Json[]).length;
    expect([await bids(''), await bids('?depth=3'), await bids('?depth=12')]).toEqual([10, 3, 12]);
  });

  test('trades by id, candles in pages, index prices by asset', async () => {
    expect(await status(`${V1}/trades/${s.ids.tradeId}?${OWN}`)).toBe(200);
    expect(await status(`${V1}/index-prices/BTC`)).toBe(200);
    expect(
      await status(`${V1}/markets/BTCUSDC/candle?timeBucket=1m&${query(s.range())}&_pageSize=5&_metaData=true`),
    ).toBe(200);
  });
});

describe('Events', () => {
  test("/private-data has the document's six topics, and frames name the account", async () => {
    const stream = await s.demo.stream();
    for (const topic of ['orders', 'trades', 'tradingAccounts', 'assetAccounts', 'ammInstructions', 'heartbeat']) {
      expect((await stream.subscribe({ topic, tradingAccountId: ACCOUNT })).error).toBeUndefined();
    }
    const frame = await stream.find(({ dataType }) => dataType === 'V1TAOrder');
    expect(frame.tradingAccountId).toBe(ACCOUNT);
    stream.close();
  });

  test('the topics events, positions and marginAccounts are refused as deprecated', async () => {
    const stream = await s.demo.stream();
    for (const topic of ['events', 'positions', 'marginAccounts']) {
      expect((await stream.subscribe({ topic })).error).toMatchObject({ errorCode: '29013' });
    }
    stream.close();
  });

  test('index-data sends index prices, the auction feed noii and phase', async () => {
    const index = await s.demo.stream('index-data', {});
    await index.subscribe({ topic: 'indexPrice', assetSymbol: 'BTC' });
    expect((await index.find(({ dataType }) => dataType === 'V1TAIndexPrice')).data).toMatchObject({
      assetSymbol: 'BTC',
    });
    const auction = await s.demo.stream('market-data/auction', {});
    for (const topic of ['noii', 'phase']) await auction.subscribe({ topic, symbol: 'BTCUSDC' });
    await auction.find(({ dataType }) => dataType === 'V1TANoii');
    await auction.find(({ dataType }) => dataType === 'V1TAAuctionPhase');
    index.close();
    auction.close();
  });

  test.each(['private', 'market-data', 'market-data/hybrid-orderbook'])('the older stream %s is gone', async (path) => {
    await expect(s.demo.stream(path)).rejects.toThrow(/404/);
  });

  test('a stream needs a login that has not ended', async () => {
    await expect(s.demo.stream('private-data', { cookie: 'JWT_COOKIE=ended' })).rejects.toThrow(/401/);
  });
});

describe('Limits', () => {
  test('history endpoints require a date range', async () => {
    const histories = [`${V2}/history/orders?${OWN}`, `${V1}/history/trades?${OWN}`, `${V1}/history/transfer?${OWN}`];
    const more = [`${V1}/history/borrow-interest?assetSymbol=BTC`, `${V1}/history/derivatives-settlement?${OWN}`];
    const open = ['trades', 'auctions'].map((name) => `${V1}/history/markets/BTCUSDC/${name}?`);
    for (const path of [...histories, ...more, ...open]) {
      expect([path, await status(path)]).toEqual([path, 400]);
      const range = path.includes('settlement') ? query(s.range('settlement')) : query(s.range());
      expect([path, await status(`${path}&${range}`)]).toEqual([path, 200]);
    }
  });
});

describe('Versioning', () => {
  const REMOVED = [
    ['POST', `${V1}/users/login`],
    ['GET', `${V1}/orders`],
    ['POST', `${V1}/orders`],
    ['GET', `${V1}/amm-instructions`],
    ['POST', `${V1}/command`],
    ['GET', `${V1}/accounts/spot`],
    ['GET', `${V1}/accounts/spot/BTC`],
    ['GET', `${V1}/accounts/margin`],
    ['GET', `${V1}/positions`],
    ['GET', `${V1}/history/perpetual-settlement`],
  ] as const;

  test.each(REMOVED)('%s %s is removed', async (method, path) => {
    const answer = await s.demo.fetch(path, { method, headers: { authorization: `Bearer ${s.demo.token}` } });
    expect(answer.status).toBe(404);
  });

  test('the fields margin, borrowedQuantity and liquidityId are gone from REST orders', async () => {
    const [order] = await listed(`${V2}/orders?${OWN}`);
    for (const field of ['margin', 'borrowedQuantity', 'liquidityId']) expect(order![field]).toBeUndefined();
  });
});
