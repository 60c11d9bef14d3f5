// A desk's work over REST: reads, AMM instructions, margin simulations, each against the simulated exchange.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller } from '../simulator/exchange-caller.ts';
import {
  ACCOUNT,
  type Desk,
  FOREIGN_ACCOUNT,
  FULL_TOKEN,
  liquidity,
  READER_TOKEN,
  SECOND_ACCOUNT,
  startDesk,
} from './desk.ts';

const ofAccount = `tradingAccountId=${ACCOUNT}`;
const LAST_HOUR = new URLSearchParams({
  'createdAtDatetime[gte]': new Date(Date.now() - 3_600_000).toISOString(),
  'createdAtDatetime[lte]': new Date().toISOString(),
}).toString();

describe.each(['v2', 'v3'] as const)('over an exchange that speaks %s', (dialect) => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk({ dialect });
  });
  afterAll(() => desk.close());

  test.each([
    '/trading-api/v1/time',
    '/trading-api/v1/markets',
    '/trading-api/v1/markets/BTCUSDC',
    '/trading-api/v1/markets/BTCUSDC/orderbook/hybrid?depth=5',
    '/trading-api/v1/markets/BTCUSDC/trades',
    '/trading-api/v1/markets/BTCUSDC/tick',
    '/trading-api/v1/markets/BTCUSDC/candle?timeBucket=1m&RANGE',
    '/trading-api/v1/assets',
    '/trading-api/assets',
    '/trading-api/assets/BTC',
    '/trading-api/v1/index-prices/BTC',
    '/trading-api/v1/markets/BTCUSDC/auctions',
    '/trading-api/v1/markets/BTCUSDC/auctions/noii',
    `/trading-api/v1/accounts/trading-accounts/${ACCOUNT}`,
    `/trading-api/v1/accounts/asset?${ofAccount}`,
    `/trading-api/v1/accounts/asset/BTC?${ofAccount}`,
    `/trading-api/v1/history/borrow-interest?${ofAccount}&assetSymbol=BTC&RANGE`,
    `/trading-api/v1/derivatives-positions?${ofAccount}`,
    `/trading-api/v2/orders?${ofAccount}`,
    `/trading-api/v2/orders?${ofAccount}&isAuctionOrder=true`,
    `/trading-api/v1/trades?${ofAccount}`,
    `/trading-api/v2/amm-instructions?${ofAccount}&_pageSize=5&_metaData=true`,
  ])('GET %s answers as the exchange does', async (path) => {
    const answer = await desk.get(path.replace('RANGE', LAST_HOUR));
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers.get('content-type')).toContain('application/json');
    expect(answer.text.length).toBeGreaterThan(1);
  });

  test('an order book keeps the digits of the exchange', async () => {
    const own = await desk.client.get('/trading-api/v1/markets/BTCUSDC/orderbook/hybrid?depth=1');
    const { json } = await desk.get('/trading-api/v1/markets/BTCUSDC/orderbook/hybrid?depth=1');
    expect(own.kind === 'answer' ? JSON.parse(own.body).bids : null).toEqual(json.bids);
  });

  test('results of earlier auctions and their imbalance are the exchange’s', async () => {
    desk.simulator.control.toPhase('BTCUSDC', 'LOCKDOWN');
    const noii = await desk.get('/trading-api/v1/markets/BTCUSDC/auctions/noii');
    expect(noii.status).toBe(200);
    desk.simulator.control.toPhase('BTCUSDC', 'ACCUMULATION');
    const range = `createdAtDatetime[gte]=${new Date(Date.now() - 3_600_000).toISOString()}&createdAtDatetime[lte]=${new Date(Date.now() + 60_000).toISOString()}`;
    const results = await desk.get(`/trading-api/v1/history/markets/BTCUSDC/auctions?${range}`);
    expect(results.status, results.text).toBe(200);
    expect(JSON.parse(results.text)).toHaveLength(1);
  });

  test('the trading accounts of a token are those of the token, not those of the login', async () => {
    const all = await desk.get('/trading-api/v1/accounts/trading-accounts', FULL_TOKEN);
    const one = await desk.get('/trading-api/v1/accounts/trading-accounts', READER_TOKEN);
    const ids = (text: string): unknown[] =>
      JSON.parse(text).map((account: { tradingAccountId: string }) => account.tradingAccountId);
    expect(ids(all.text)).toEqual([ACCOUNT, SECOND_ACCOUNT]);
    expect(ids(one.text)).toEqual([SECOND_ACCOUNT]);
  });

  test("shows another party's entry under a key as it has to be matched", async () => {
    const other = await Caller.loggedIn(desk.simulator, 'other-ecdsa');
    const leg = { symbol: 'BTC-USDC-PERP', price: '60000.0000', quantity: '0.10000000' };
    const sharedMatchKey = 'agreedByPhone0001';
    const trade = {
      commandType: 'V1CreateOtcTrade',
      sharedMatchKey,
      tradingAccountId: FOREIGN_ACCOUNT,
      isTaker: false,
      trades: [{ ...leg, side: 'SELL' }],
    };
    const entered = await other.send(trade, { dialect: 'v3', path: '/trading-api/v2/otc-trades' });
    expect(entered.status, entered.text).toBe(200);
    const path = `/trading-api/v2/otc-trades/unconfirmed-trade?${ofAccount}&sharedMatchKey=${sharedMatchKey}`;
    const { json, text } = await desk.get(path);
    expect(json, text).toMatchObject({ sharedMatchKey, isTaker: true, trades: [{ ...leg, side: 'BUY' }] });
  });

  test('an AMM instruction is created, listed, read and terminated, and every write is audited', async () => {
    const before = desk.audited.length;
    const created = await desk.post('/trading-api/v2/amm-instructions', liquidity());
    expect(created.status, created.text).toBe(200);
    const { instructionId } = created.json;
    const listed = await desk.get(`/trading-api/v2/amm-instructions?${ofAccount}&status=OPEN`);
    expect(listed.text).toContain(String(instructionId));
    const terminate = {
      commandType: 'V3TerminateAMMInstruction',
      instructionId,
      symbol: 'BTCUSDC',
      tradingAccountId: ACCOUNT,
    };
    const terminated = await desk.post('/trading-api/v2/command?commandType=V3TerminateAMMInstruction', terminate);
    expect(terminated.status, terminated.text).toBe(200);
    const read = await desk.get(`/trading-api/v2/amm-instructions/${instructionId}?${ofAccount}`);
    expect(read.json.status).toBe('CLOSED');
    const audited = desk.audited.slice(before);
    expect(audited.map(({ who, action }) => `${who} ${action}`)).toEqual([
      'desk bridge: V3CreateAMMInstruction',
      'desk bridge: outcome accepted',
      'desk bridge: V3TerminateAMMInstruction',
      'desk bridge: outcome accepted',
    ]);
    expect(audited[0]!.detail).toContain('"baseQuantity":"1.0"');
  });

  test('an AMM instruction of one asset alone is created; one of none is refused', async () => {
    for (const fields of [{ baseQuantity: '0' }, { quoteQuantity: '0' }]) {
      const created = await desk.post('/trading-api/v2/amm-instructions', liquidity(fields));
      expect(created.status, created.text).toBe(200);
      const id = created.json.instructionId;
      const read = await desk.get(`/trading-api/v2/amm-instructions/${id}?tradingAccountId=${ACCOUNT}`);
      expect(read.json).toMatchObject({ instructionId: id, status: 'OPEN' });
    }
    const none = liquidity({ baseQuantity: '0', quoteQuantity: '0' });
    const refused = await desk.post('/trading-api/v2/amm-instructions', none);
    expect(refused.status).toBe(400);
    expect(refused.json.message).toContain('must not both be 0');
  });

  test('X2 the older spelling of the AMM commands works too, also inside {command}', async () => {
    const created = await desk.post('/trading-api/v2/amm-instructions', {
      command: liquidity({ commandType: 'V2AddLiquidity' }),
    });
    expect(created.status, created.text).toBe(200);
    const removed = await desk.post('/trading-api/v2/command', {
      commandType: 'V2RemoveLiquidity',
      // An exchange that speaks v3 says instructionId alone.
      liquidityId: created.json.liquidityId ?? created.json.instructionId,
      symbol: 'BTCUSDC',
      tradingAccountId: ACCOUNT,
    });
    expect(removed.status, removed.text).toBe(200);
  });

  test('portfolio margin is simulated, one portfolio and several', async () => {
    const portfolio = {
      tradingAccountId: ACCOUNT,
      positions: [{ symbol: 'BTC', quantity: '1.5' }],
      orders: [{ symbol: 'BTC-USDC-PERP', quantity: '-1', limitPrice: '60000.0', timeInForce: 'GTC' }],
      priceVolOffsetParams: { globalCryptoPriceMultiplier: 0.9 },
    };
    const one = await desk.post('/trading-api/v1/simulate-portfolio-margin', portfolio);
    expect(one.status, one.text).toBe(200);
    expect(one.json.initialMarginUSD).toMatch(/^\d+\.\d{4}$/);
    const many = await desk.post('/trading-api/v1/bulk-simulate-portfolio-margin?includeExisting=true', [
      portfolio,
      portfolio,
    ]);
    expect(many.status, many.text).toBe(200);
    expect(JSON.parse(many.text)).toHaveLength(2);
  });
});
