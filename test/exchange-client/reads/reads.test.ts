// Reads of orders and trades from an exchange with scripted paths: the lists requested, the use of failed answers, and
// repeated requests.

import type { Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import {
  type RawAnswer,
  type RawHttpServer,
  rawAnswer,
  startRawHttpServer,
} from '../../support/exchange/raw-http-server.ts';
import { readAnswer, scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT, observe } from '../venue.ts';

let server: RawHttpServer | null = null;
const clients: ReturnType<typeof observe>['client'][] = [];
afterEach(async () => {
  // One that is left would go on asking, in the time of tests behind it.
  for (const client of clients.splice(0)) await client.close();
  await server?.close();
  server = null;
});

type Answers = Readonly<Record<string, RawAnswer>>;

/** A client of an exchange that answers paths that contain a key of `answers` so, the first that fits. */
async function reading(answers: Answers, more: Partial<Parameters<typeof observe>[0]> = {}) {
  server = await startRawHttpServer((request) => {
    const target = request.split(' ')[1]!;
    const key = Object.keys(answers).find((path) => target.includes(path));
    return key === undefined ? readAnswer(request) : answers[key]!;
  });
  const { client, alarms } = observe({ ...scriptedOptions(server.url, [ACCOUNT]), ...more });
  clients.push(client);
  await client.start();
  const { requests } = server;
  const targets = (): string[] => requests.map((request) => request.split(' ')[1]!);
  const asked = (): string[] => targets().map((target) => target.split('?')[0]!);
  return { client, alarms, asked, targets };
}

const json = (value: unknown): string => rawAnswer(200, JSON.stringify(value));
const NOT_FOUND = rawAnswer(404, '{"message":"no such order","errorCode":3002}');

const ORDER = {
  orderId: '501',
  clientOrderId: '7',
  symbol: 'BTCUSDC',
  side: 'BUY',
  quantity: '0.03',
  quantityFilled: '0.03',
  status: 'CLOSED',
};
const OTHER = { ...ORDER, orderId: '502', clientOrderId: '8' };
const trade = (tradeId: string, quantity: string, more = {}) => {
  const createdAtTimestamp = String(1_780_000_000_000 + Number(tradeId));
  return { tradeId, orderId: '501', symbol: 'BTCUSDC', side: 'BUY', price: '5', quantity, createdAtTimestamp, ...more };
};
const LOOKUP = { tradingAccountId: ACCOUNT, orderId: null, clientOrderId: '7', commandId: null };

test('U2 reads trades beyond the latest from the history, each once, oldest first, of that order', async () => {
  const { client } = await reading({
    '/client-order-id/7': json(ORDER),
    '/v1/trades': json([trade('12', '0.01'), trade('13', '9', { orderId: '502' })]),
    '/v1/history/trades': json([trade('12', '0.01'), trade('11', '0.02'), trade('10', '9', { orderId: '502' })]),
  });
  const found = await client.lookup(LOOKUP);
  if (found.kind !== 'found') throw new Error(found.kind);
  expect(found.trades.map(({ tradeId }) => tradeId)).toEqual(['11', '12']);
  await client.close();
});

test('O1 O11 reads old fills of a resting order back to its entry, and no further', async () => {
  const now = Date.now();
  const dayBefore = (days: number): string => new Date(now - days * 86_400_000).toISOString().slice(0, 10);
  const lookedUp = async (quantityFilled: string) => {
    const createdAtTimestamp = String(now - 30 * 86_400_000);
    const { client } = await reading({
      '/client-order-id/7': json({ ...ORDER, status: 'OPEN', quantity: '1', quantityFilled, createdAtTimestamp }),
      '/v1/trades': json([trade('12', '0.01')]),
      [`lte%5D=${dayBefore(21)}`]: json([trade('11', '0.02')]),
      '/v1/history/trades': json([]),
    });
    const found = await client.lookup(LOOKUP);
    await client.close();
    const asked = server!.requests.filter((request) => request.includes('/v1/history/trades'));
    await server!.close();
    if (found.kind !== 'found') throw new Error(found.kind);
    return [found.trades.map(({ tradeId }) => tradeId), new Set(asked).size] as const;
  };
  expect(await lookedUp('0.03')).toEqual([['11', '12'], 4]);
  // Of missing answers, the available part.
  expect(await lookedUp('0.04')).toEqual([['11', '12'], 5]);
});

test('the history is not asked for trades that are all among the latest', async () => {
  const { client, asked } = await reading({
    '/client-order-id/7': json(ORDER),
    '/v1/trades': json([trade('12', '0.010'), trade('11', '0.02')]),
  });
  const found = await client.lookup(LOOKUP);
  expect(found).toMatchObject({ kind: 'found', trades: [{ tradeId: '11' }, { tradeId: '12' }] });
  expect(asked().filter((path) => path.includes('/history/'))).toEqual([]);
  await client.close();
});

test.each([
  ['the latest trades', { '/v1/trades': rawAnswer(500, '') }],
  ['its history of trades', { '/v1/trades': json([]), '/v1/history/trades': rawAnswer(500, '') }],
  ['a list of trades that is none', { '/v1/trades': rawAnswer(200, '{"trades":[]}') }],
])('U2 does not report an order as found without its fills: %s', async (_what, answers: Answers) => {
  const { client } = await reading({ '/client-order-id/7': json(ORDER), ...answers });
  expect(await client.lookup(LOOKUP)).toMatchObject({ kind: 'failed' });
  await client.close();
});

test('U2 reports a found order as it is, open or not, without a command', async () => {
  const open = { ...ORDER, quantityFilled: '0', status: 'OPEN' };
  const { client } = await reading({ '/client-order-id/7': json(open), '/v1/trades': json([]) });
  expect(await client.lookup(LOOKUP)).toMatchObject({ kind: 'found', order: { status: 'OPEN' }, final: false });
  const sent = (): number => server!.requests.filter((request) => request.startsWith('POST')).length;
  expect(sent()).toBe(0);
  // Of a request of its own an open order says nothing yet: that is fenced off first.
  await client.submit('c', { kind: 'cancelAll', tradingAccountId: ACCOUNT });
  expect(sent()).toBe(1);
  await client.lookup({ ...LOOKUP, commandId: 'c' });
  expect(sent()).toBe(1);
  expect(await client.lookup({ ...LOOKUP, commandId: 'c', ofRequest: true })).toMatchObject({ final: false });
  expect(sent()).toBe(2);
  await client.close();
});

test('U2 an order that has ended answers for every request of it: nothing has to be fenced off', async () => {
  const { client } = await reading({ '/client-order-id/7': json(ORDER), '/v1/trades': json([trade('11', '0.03')]) });
  const found = await client.lookup({ ...LOOKUP, commandId: 'c', ofRequest: true });
  expect(found).toMatchObject({ kind: 'found', order: { status: 'CLOSED' }, final: false });
  expect(server!.requests.filter((request) => request.startsWith('POST'))).toEqual([]);
  await client.close();
});

test('U2 an order that the exchange no longer lists is looked for in its history, by the very reference', async () => {
  const others = [{ ...ORDER, orderId: '502', clientOrderId: '77', quantityFilled: '0' }, ORDER];
  const { client } = await reading({
    '/client-order-id/7': NOT_FOUND,
    '/v2/history/orders': json(others),
    '/v1/trades': json([trade('11', '0.03')]),
  });
  expect(await client.lookup(LOOKUP)).toMatchObject({ kind: 'found', order: { orderId: '501' } });
  expect(await client.lookup({ ...LOOKUP, orderId: '502' })).toMatchObject({
    kind: 'found',
    order: { orderId: '502' },
  });
  expect(await client.lookup({ ...LOOKUP, orderId: '503' })).toMatchObject({ kind: 'absent' });
  await client.close();
});

test('U2 finds an order that rested for weeks in the history of its entry', async () => {
  const now = Date.now();
  const { client } = await reading({ '/client-order-id/7': NOT_FOUND, '/v2/history/orders': json([]) });
  const ranges = async (daysAgo: number): Promise<(readonly [gte: number, lte: number])[]> => {
    const from = server!.requests.length;
    const enteredAt = now - daysAgo * 86_400_000;
    expect(await client.lookup({ ...LOOKUP, enteredAt })).toMatchObject({ kind: 'absent' });
    const asked = server!.requests.slice(from).filter((request) => request.includes('/v2/history/orders'));
    return [...new Set(asked)].map((request) => {
      const times = [...request.matchAll(/createdAtDatetime%5B[gl]te%5D=([^&\s]+)/g)].map(([, at]) =>
        Math.round((Date.parse(decodeURIComponent(at!)) - now) / 86_400_000),
      );
      return [times[0]!, times[1]!] as const;
    });
  };
  expect(new Set((await ranges(2)).map(String))).toEqual(new Set(['-7,0']));
  expect(new Set((await ranges(30)).map(String))).toEqual(new Set(['-7,0', '-31,-24']));
  // Further back the exchange has none.
  expect(new Set((await ranges(100)).map(String))).toEqual(new Set(['-7,0']));
  await client.close();
  await server!.close();
  const lastDay = new Date(now - 24 * 86_400_000).toISOString().slice(0, 10);
  const old = await reading({
    '/client-order-id/7': NOT_FOUND,
    [`lte%5D=${lastDay}`]: json([{ ...ORDER, quantityFilled: '0', status: 'CANCELLED' }]),
    '/v2/history/orders': json([]),
    '/v1/trades': json([]),
  });
  const found = await old.client.lookup({ ...LOOKUP, enteredAt: now - 30 * 86_400_000 });
  expect(found).toMatchObject({ kind: 'found', order: { orderId: '501', status: 'CANCELLED' } });
  await old.client.close();
});

test.each([
  [
    'a page of something in between',
    { '/client-order-id/7': rawAnswer(404, '<html>no</html>', 'text/html'), '/v2/history/orders': json([]) },
  ],
  ['an error', { '/client-order-id/7': rawAnswer(500, '{"message":"x"}'), '/v2/history/orders': json([]) }],
  [
    'an order that cannot be understood',
    { '/client-order-id/7': json({ ...ORDER, status: 'ASLEEP' }), '/v2/history/orders': json([]) },
  ],
  ['a history that is not to be had', { '/client-order-id/7': NOT_FOUND, '/v2/history/orders': rawAnswer(500, '') }],
  [
    'a history with an entry that cannot be understood',
    { '/client-order-id/7': NOT_FOUND, '/v2/history/orders': json([{ ...ORDER, status: 'ASLEEP' }]) },
  ],
  [
    'a history that is longer than is read of it',
    {
      '/client-order-id/7': NOT_FOUND,
      '/v2/history/orders': json({ data: [OTHER], links: { next: '/trading-api/v2/history/orders?page=2' } }),
    },
  ],
  [
    'a history whose next page is elsewhere',
    {
      '/client-order-id/7': NOT_FOUND,
      '/v2/history/orders': json({ data: [OTHER], links: { next: 'https://elsewhere.example/' } }),
    },
  ],
])('U2 %s says nothing of whether an order exists', async (_what, answers: Answers) => {
  const { client } = await reading(answers);
  expect(await client.lookup(LOOKUP)).toEqual({ kind: 'failed', message: 'the exchange could not be asked' });
  await client.close();
});

test('U2 without a live private stream an unknown order is absent, but not for good', async () => {
  const { client } = await reading({
    '/client-order-id/7': rawAnswer(404, ''),
    '/v2/history/orders': json({ data: [], links: { next: null } }),
  });
  expect(await client.lookup(LOOKUP)).toEqual({ kind: 'absent', final: false });
  await client.close();
});

test('J3 compares an account before looking up its orders singly, and admits no Logon before', async () => {
  const rates = { ordersPerSecond: 20, otherPerSecond: 20 };
  const one = { '/client-order-id/': json({ ...ORDER, quantityFilled: '0' }) };
  const orders = {
    '/v2/orders?': json({ data: [], links: { next: '/trading-api/v2/orders/later' } }),
    '/v2/orders/later': json([]),
  };
  const { client, asked } = await reading({ ...one, ...orders, '/v1/trades': json([]) }, { rates });
  for (let i = 0; i < 300; i++) void client.lookup({ ...LOOKUP, clientOrderId: `${i}` });
  expect(await client.recent(ACCOUNT)).toEqual({ orders: [], trades: [] });
  expect(asked().filter((path) => path.includes('/client-order-id/')).length).toBeLessThan(50);
  await client.close();
});

test('repeats a read with a refused login once with the next one', async () => {
  const { client, asked } = await reading({ '/accounts/asset': rawAnswer(401, '{"message":"no"}') });
  const count = (part: string): number => asked().filter((path) => path.includes(part)).length;
  const logins = count('/login');
  expect(await client.get('/trading-api/v1/accounts/asset')).toMatchObject({ kind: 'answer', status: 401 });
  expect(count('/accounts/asset')).toBe(2);
  expect(count('/login')).toBe(logins + 1);
  await client.close();
});

test.each([
  ['rate-limited', rawAnswer(429, '{"errorCode":96000,"message":"Rate limit exceeded"}')],
  ['address-blocked', rawAnswer(403, '<html>blocked</html>', 'text/html')],
])(
  'a question that is refused for the rate raises %s: behind it nothing leaves, orders neither',
  async (alarm, answer) => {
    const { client, alarms } = await reading({ '/client-order-id/7': answer });
    expect(await client.lookup(LOOKUP)).toMatchObject({ kind: 'failed' });
    expect(alarms).toEqual([alarm]);
    await client.close();
  },
);

test.each([
  ['no JSON', rawAnswer(200, '[{"orderId":"5'), 'HTTP 200 with an answer that is not understood'],
  ['no list', json({ orders: [] }), 'the answer is no list'],
  ['longer than is read', rawAnswer(200, ' '.repeat(2 ** 24 + 1)), 'answer longer than 16777216 bytes'],
  [
    'compressed',
    rawAnswer(200, 'xx', 'application/json', 'content-encoding: gzip\r\n'),
    'HTTP 200 with an answer coded as gzip, which was not asked for',
  ],
])('an account that cannot be compared with the exchange: the log says why: %s', async (_what, answer, reason) => {
  const logged: string[] = [];
  const log = (_level: string, text: string) => void (text.startsWith('a read failed') && logged.push(text));
  const { client } = await reading({ '/v2/orders': answer }, { log });
  expect(await client.recent(ACCOUNT)).toBeNull();
  expect(logged).toEqual([`a read failed: ${reason}`]);
  await client.close();
});

test.each([
  ['a page', rawAnswer(200, '<html></html>', 'text/html'), 'HTTP 200 with an HTML page'],
  [
    'an answer that is cut',
    (socket: Socket) => void socket.end('HTTP/1.1 200 X\r\n'),
    'UND_ERR_SOCKET: other side closed',
  ],
  [
    'a status that is new',
    json({ ...ORDER, type: 'LMT', status: 'HELD' }),
    'HTTP 200 with an answer that is not understood',
  ],
  ['an error', rawAnswer(500, '{"message":"down"}'), 'HTTP 500: down'],
])(
  'U2 an order that cannot be looked up: the log says which and why, once a minute: %s',
  async (_what, answer, reason) => {
    const logged: unknown[] = [];
    const log = (_level: string, text: string, fields: object) =>
      void (text.startsWith('an order') && logged.push([text, fields]));
    let elapsedMs = 0;
    const { client } = await reading({ '/client-order-id/7': answer }, { log, elapsedMs: () => elapsedMs });
    const of = { tradingAccountId: ACCOUNT, orderId: null, clientOrderId: '7' };
    for (let n = 0; n < 3; n++) expect(await client.lookup(LOOKUP)).toMatchObject({ kind: 'failed' });
    const text = `an order could not be asked for: ${reason}`;
    expect(logged).toEqual([[text, of]]);
    elapsedMs = 60_000;
    await client.lookup(LOOKUP);
    expect(logged.slice(1)).toEqual([[text, { ...of, unsaidBefore: 2 }]]);
    await client.close();
  },
);

test.each([
  ['/v1/nonce', '{"lowerBound":9,"upperBound":1}', 'a read failed: the answer is no range of nonces'],
  ['/v1/markets', '{"markets":[]}', 'a read failed: the answer is no list'],
])('logs that the service at %s is something else, and does not start with it', async (path, body, text) => {
  const logged: string[] = [];
  const log = (_level: string, said: string, { target }: { target?: unknown }) =>
    void (said.startsWith('a read failed') && logged.push(`${said} ${target}`));
  await expect(reading({ [path]: rawAnswer(200, body) }, { log })).rejects.toThrow('could not be read');
  expect(logged).toEqual([`${text} /trading-api${path}`]);
});

test('a market that is not understood is named on the log, once while it stays so', async () => {
  const market = { marketType: 'SPOT', tickSize: '1', pricePrecision: 1, quantityPrecision: 1, maxQuantityLimit: '9' };
  const named = (symbol: string, more = {}) => ({ ...market, symbol, minQuantityLimit: '1', ...more });
  const logged: string[] = [];
  const log = (_level: string, text: string, fields: object) =>
    void (text.startsWith('unreadable markets') && logged.push(`${text} ${JSON.stringify(fields)}`));
  const markets = json([
    named('GOOD'),
    named('BAD', { minQuantityLimit: null }),
    { ...named('NEW'), marketType: 'BET' },
  ]);
  const { client } = await reading({ '/v1/markets': markets }, { log });
  await client.start();
  expect(client.markets().map(({ symbol }) => symbol)).toEqual(['GOOD']);
  expect(logged).toEqual(['unreadable markets are left out and cannot be traded {"symbols":"BAD NEW"}']);
  await client.close();
});

test("continues a list by its link's cursor with the original parameters", async () => {
  const page = (order: object, next?: string): string =>
    json({ data: [order], ...(next === undefined ? {} : { links: { next } }) });
  const ofPage = (cursor: string): string =>
    `tradingAccountId=${ACCOUNT}&_pageSize=100&_metaData=true&_nextPage=${cursor}`;
  const { client, targets } = await reading({
    '/v1/trades': json([]),
    // Other requests have no links, or concern another account.
    [ofPage('Mjk3%3D')]: page(
      { ...ORDER, orderId: '502' },
      'https://venue.example/trading-api/v1/orders?_nextPage=Mg+/',
    ),
    [ofPage('Mg+/')]: page({ ...ORDER, orderId: '503' }),
    // As in the exchange's own example: no account, no _metaData.
    '/v2/orders': page(ORDER, '/trading-api/v1/orders?_pageSize=5&_nextPage=Mjk3%3D'),
  });
  const { orders } = (await client.recent(ACCOUNT))!;
  expect(orders.map(({ orderId }) => orderId)).toEqual(['501', '502', '503']);
  expect(targets().filter((target) => target.startsWith('/trading-api/v2/orders?'))).toHaveLength(3);
  await client.close();
});

test.each([
  [2, 2],
  [3, 0],
])('J3 a list page failing %i times repeats no earlier page, and returns %i orders', async (failures, count) => {
  let tries = 0;
  const second = (socket: Socket): void => {
    if (++tries <= failures) socket.destroy();
    else socket.end(json({ data: [OTHER] }));
  };
  const { client, targets } = await reading({
    '/v1/trades': json([]),
    '_nextPage=2': second,
    '/v2/orders': json({ data: [ORDER], links: { next: '/trading-api/v2/orders?_nextPage=2' } }),
  });
  expect((await client.recent(ACCOUNT))?.orders.length ?? 0).toBe(count);
  const asked = targets().filter((target) => target.startsWith('/trading-api/v2/orders?'));
  expect(asked.map((target) => target.includes('_nextPage'))).toEqual([false, true, true, true]);
  await client.close();
});

test.each([
  [2, 1],
  [3, 0],
])('J3 trades failing %i times repeat no read of the orders, and %i are there', async (failures, count) => {
  let tries = 0;
  const trades = (socket: Socket): void => {
    if (++tries <= failures) socket.destroy();
    else socket.end(json([]));
  };
  const { client, targets } = await reading({ '/v1/trades': trades, '/v2/orders': json([ORDER]) });
  expect((await client.recent(ACCOUNT))?.orders.length ?? 0).toBe(count);
  const asked = targets().map((target) => target.split('?')[0]!.split('/').at(-1));
  expect(asked.filter((what) => what === 'orders' || what === 'trades')).toEqual([
    'orders',
    ...Array(3).fill('trades'),
  ]);
  await client.close();
});

test('the next page of a list is followed only to a path of the exchange', async () => {
  const page = (next: string): string => json({ data: [ORDER], links: { next } });
  const { client, asked } = await reading({
    '/v1/trades': json([]),
    'page=2': page('https://elsewhere.example/trading-api/v2/orders'),
    '/v2/orders': page('/trading-api/v2/orders?page=2'),
  });
  expect((await client.recent(ACCOUNT))?.orders).toHaveLength(2);
  expect(asked().filter((path) => path.endsWith('/v2/orders'))).toHaveLength(2);
  await client.close();
});

test('U2 an answer that is about another order than was asked for is none: its fills are those of another', async () => {
  const warnings: string[] = [];
  const log = (_: string, text: string): void => void warnings.push(text);
  // As where something on the way gives one answer twice: each question after it gets that of the one before.
  for (const other of [OTHER, { ...ORDER, clientOrderId: '8' }]) {
    const { client } = await reading({ '/client-order-id/7': json(other), '/v1/trades': json([]) }, { log });
    expect((await client.lookup(LOOKUP)).kind).toBe('failed');
    await server?.close();
  }
  const byId = await reading({ '/v2/orders/501': json(OTHER), '/v1/trades': json([]) }, { log });
  expect((await byId.client.lookup({ ...LOOKUP, orderId: '501' })).kind).toBe('failed');
  expect(warnings.filter((text) => text.includes('about another order'))).toHaveLength(3);
});

test('an answer that names the reference otherwise, or none, is about the order', async () => {
  for (const clientOrderId of ['007', 7, null]) {
    const { client } = await reading({
      '/client-order-id/7': json({ ...ORDER, clientOrderId }),
      '/trades': json([trade('1', '0.03')]),
    });
    expect((await client.lookup(LOOKUP)).kind).toBe('found');
    await server?.close();
  }
});

test('O12 a tick of another market is no reference price of this one', async () => {
  const told: string[] = [];
  const prices = async (tick: object): Promise<unknown[]> => {
    const log = (_: string, text: string): void => void told.push(text);
    server = await startRawHttpServer((request) =>
      request.includes('/tick ') ? json({ last: '100.0', ...tick }) : readAnswer(request),
    );
    const options = { ...scriptedOptions(server.url, [ACCOUNT]), referenceSymbols: ['BTCUSDC'], log };
    const { client, events } = observe(options);
    const isPrice = (event: (typeof events)[number]): boolean => event.kind === 'referencePrice';
    await client.start();
    while (!events.some(isPrice) && !told.includes('a read failed: the answer is no tick of its market'))
      await new Promise((resolve) => setImmediate(resolve));
    await client.close();
    await server.close();
    return events.filter(isPrice);
  };
  const price = { kind: 'referencePrice', symbol: 'BTCUSDC', price: '100.0' };
  expect(await prices({ symbol: 'BTCUSDC' })).toEqual([price]);
  expect(await prices({})).toEqual([price]);
  expect(await prices({ symbol: 'ETHUSDC' })).toEqual([]);
});
