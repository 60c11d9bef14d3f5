// The bridge's calls beside the exchange's catalogue: every read is offered with all it may be asked, but for those named here.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ENDPOINTS as OFFERED } from '../../src/bridge/reads/endpoints.ts';
import { ENDPOINTS as CATALOGUE, type EndpointName } from '../../src/exchange/mod.ts';
import { ACCOUNT, type Desk, READER_TOKEN, startDesk } from './desk.ts';

/** Not offered, and why. */
const LEFT_OUT: Readonly<Partial<Record<EndpointName, string>>> = {
  nonce: 'the bridge signs',
  nonceOfDocument: 'the bridge signs',
  brokerAccounts: 'for brokers, whose commands are not offered either',
  brokerOtcTrades: 'for brokers, whose commands are not offered either',
};

const reads = Object.entries(CATALOGUE)
  .filter(([name, { method }]) => method === 'GET' && !(name in LEFT_OUT))
  .map(([name, endpoint]) => ({ name, ...endpoint }));

test.each(reads)('$path is offered with everything that it may be asked', ({ path, must, may }) => {
  const offered = OFFERED.find((call) => call.path === path.replace(/:(\w+)/g, '{$1}') && call.method === 'GET');
  expect(offered, 'it is not offered').toBeDefined();
  expect(Object.keys(offered!.query)).toEqual(expect.arrayContaining([...must, ...may]));
});

test('B1 custody is read only, by a function of its own', () => {
  const custody = OFFERED.filter(({ path }) => path.includes('/wallets'));
  expect(custody.length).toBeGreaterThan(5);
  expect(new Set(custody.map(({ method, needs }) => `${method} ${needs}`))).toEqual(new Set(['GET custody']));
});

describe('against a running exchange', () => {
  let desk: Desk;
  beforeAll(async () => {
    desk = await startDesk();
    const order = { symbol: 'BTC-USDC-PERP', type: 'LIMIT', side: 'BUY', price: '70000.0', stopPrice: null } as const;
    const more = { quantity: '0.01', timeInForce: 'IOC', allowBorrow: false, isMMP: null } as const;
    const entered = {
      kind: 'createOrder',
      ...order,
      ...more,
      clientOrderId: '4711',
      tradingAccountId: ACCOUNT,
    } as const;
    expect(await desk.client.submit('order', entered)).toMatchObject({ kind: 'accepted' });
  });
  afterAll(() => desk.close());

  const ofAccount = `tradingAccountId=${ACCOUNT}`;
  const hour = (field: string): string =>
    new URLSearchParams({
      [`${field}Datetime[gte]`]: new Date(Date.now() - 3_600_000).toISOString(),
      [`${field}Datetime[lte]`]: new Date(Date.now() + 60_000).toISOString(),
    }).toString();

  test.each([
    `/trading-api/v2/orders/client-order-id/4711?${ofAccount}`,
    `/trading-api/v1/trades/client-order-id/4711?${ofAccount}`,
    `/trading-api/v2/history/orders?${ofAccount}&${hour('createdAt')}`,
    `/trading-api/v1/history/trades?${ofAccount}&${hour('createdAt')}&_metaData=true`,
    `/trading-api/v1/history/derivatives-settlement?${ofAccount}&${hour('settlement')}`,
    `/trading-api/v1/history/transfer?${ofAccount}&${hour('createdAt')}`,
    `/trading-api/v1/derivatives-positions?${ofAccount}&marketType=PERPETUAL&sort=marketType`,
    '/trading-api/v1/vol-grids',
    '/trading-api/v1/markets/',
    `/trading-api/v2/orders/?${ofAccount}`,
    '/trading-api/v1/assets/BTC/vol-grid',
    '/trading-api/v1/index-prices',
    '/trading-api/v1/history/markets?status=ALL&marketType=OPTION',
    '/trading-api/v1/history/markets?status=ACTIVE&status=EXPIRED&marketType=OPTION,SPOT',
    `/trading-api/v2/orders?${ofAccount}&createdAtTimestamp%5Bgt%5D=${Date.now() - 3_600_000}`,
    `/trading-api/v1/history/trades?${ofAccount}&${hour('createdAt').replaceAll('e%5D', '%5D')}`,
    '/trading-api/v1/history/markets/BTC-USDC-20291228-60000-C',
    `/trading-api/v1/history/markets/BTC-USDC-PERP/funding-rate?${hour('updatedAt')}`,
    `/trading-api/v1/history/option-trades?${hour('createdAt')}&optionType=CALL`,
    '/trading-api/v1/option-ladder?baseSymbol=BTC&type=CALL',
    '/trading-api/v1/option-ladder/BTC-USDC-20291228-60000-C',
    '/trading-api/v2/otc-trades/delegated-accounts',
  ])('GET %s answers as the exchange does', async (path) => {
    const answer = await desk.get(path);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.text).toMatch(/^[[{]/);
  });

  test('an order and its trades are found by the reference that they were sent with', async () => {
    const order = await desk.get(`/trading-api/v2/orders/client-order-id/4711?${ofAccount}`);
    expect(order.json).toMatchObject({ clientOrderId: '4711', status: 'CLOSED' });
    const trades = await desk.get(`/trading-api/v1/trades/client-order-id/4711?${ofAccount}`);
    expect(trades.text).toContain(String(order.json.orderId));
  });

  test('the history of markets is cut to each of the types that are named, however they are', async () => {
    const types = async (query: string): Promise<string[]> => {
      const { text } = await desk.get(`/trading-api/v1/history/markets?${query}`);
      return (JSON.parse(text) as { symbol: string }[]).map(({ symbol }) => symbol);
    };
    const [spot, option] = [await types('marketType=SPOT'), await types('marketType=OPTION')];
    expect((await types('marketType=SPOT&marketType=OPTION')).sort()).toEqual([...spot, ...option].sort());
    expect((await types('marketType=SPOT,OPTION')).sort()).toEqual([...spot, ...option].sort());
  });

  test('the price of a market that has not expired is the exchange’s refusal, in its own words', async () => {
    const answer = await desk.get('/trading-api/v1/expiry-prices/BTC-USDC-20291228-60000-C');
    expect(answer.status).toBe(404);
  });

  test.each(['transfer', 'derivatives-settlement'])(
    'the history of %s names its account, and only one of the token',
    async (of) => {
      const field = of === 'transfer' ? 'createdAt' : 'settlement';
      const all = await desk.get(`/trading-api/v1/history/${of}?${hour(field)}`);
      expect(all.json.code, all.text).toBe('malformed');
      const foreign = await desk.get(`/trading-api/v1/history/${of}?${ofAccount}&${hour(field)}`, READER_TOKEN);
      expect(foreign.json.code, foreign.text).toBe('account-forbidden');
    },
  );
});
