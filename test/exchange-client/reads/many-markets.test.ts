// Thousands of markets in one answer, read repeatedly: other work proceeds between a few of them, and the result equals
// a reading at once.

import { afterEach, expect, test } from 'vitest';
import { isSameMarket, type Market } from '../../../src/exchange/mod.ts';
import type { ExchangeLogin } from '../../../src/exchange-client/login/login.ts';
import { resolveOptions } from '../../../src/exchange-client/options.ts';
import { RateBudget } from '../../../src/exchange-client/rates/rate-budget.ts';
import { HttpOrigin, type HttpResult } from '../../../src/exchange-client/reads/http.ts';
import { Reads } from '../../../src/exchange-client/reads/reads.ts';
import { rawAnswer, startRawHttpServer } from '../../support/exchange/raw-http-server.ts';
import { scriptedOptions } from '../../support/exchange/scripted-exchange.ts';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

const OPTION = {
  marketType: 'OPTION',
  baseSymbol: 'BTC',
  quoteSymbol: 'USDC',
  tickSize: '0.1',
  contractMultiplier: 1,
  pricePrecision: 4,
  quantityPrecision: 8,
  minQuantityLimit: '0.00001000',
  maxQuantityLimit: '1000.00000000',
  orderTypes: ['LMT', 'POST_ONLY'],
  marketEnabled: true,
  createOrderEnabled: true,
  cancelOrderEnabled: true,
  feeTiers: [{ feeTierId: '1' }, { feeTierId: '2' }],
};
const options = (count: number): { symbol: string }[] =>
  Array.from({ length: count }, (_, i) => ({ symbol: `BTC-USDC-20291228-${i}-C`, ...OPTION }));

/** Reads that are answered by `send`, and all that they log. */
function reading(send: () => Promise<HttpResult>) {
  const logged: string[] = [];
  const resolved = resolveOptions({
    ...scriptedOptions('http://127.0.0.1:1', ['1']),
    onNonceCeiling: () => {},
    onAlarm: () => {},
    log: (level, text, fields) => logged.push(`${level} ${text} ${JSON.stringify(fields)}`),
  });
  const budget = new RateBudget(resolved.rates, resolved, resolved.addressBudget);
  closing.push(() => budget.close());
  return { reads: new Reads(resolved, {} as ExchangeLogin, { send } as unknown as HttpOrigin, budget), logged };
}

const answer = (body: string): Promise<HttpResult> =>
  Promise.resolve({ kind: 'answer', status: 200, headers: {}, body });

test('everybody has a turn between a few of thousands of markets', async () => {
  const { reads } = reading(() => answer(JSON.stringify(options(3_000))));
  let turns = 0;
  let isRead = false;
  const turn = (): void => {
    turns++;
    if (!isRead) setImmediate(turn);
  };
  setImmediate(turn);
  const markets = await reads.markets();
  isRead = true;
  expect(markets!.map(({ symbol }) => symbol)).toEqual(options(3_000).map(({ symbol }) => symbol));
  expect(turns).toBeGreaterThanOrEqual(3_000 / 40);
});

test('reads markets from any list form, names unreadable ones, and drops a broken list', async () => {
  const some = [...options(50), { symbol: 'ODD' }, null, ...options(1)];
  const bodies = [JSON.stringify(some), JSON.stringify(some, null, 2), JSON.stringify({ data: some, links: {} })];
  for (const body of bodies) {
    const { reads, logged } = reading(() => answer(body));
    expect((await reads.markets())!.map(({ symbol }) => symbol)).toEqual(
      [...options(50), ...options(1)].map(({ symbol }) => symbol),
    );
    expect(logged).toEqual(['warn unreadable markets are left out and cannot be traded {"symbols":"ODD (no symbol)"}']);
  }
  const whole = JSON.stringify(options(50));
  const target = '{"target":"/trading-api/v1/markets"}';
  for (const body of [whole.slice(0, -1), whole.slice(0, -9), `${whole}]`, whole.replace('-45-C"', '-45-C')]) {
    const { reads, logged } = reading(() => answer(body));
    expect(await reads.markets()).toBeNull();
    expect(logged).toEqual([`warn a read failed: HTTP 200 with an answer that is not understood ${target}`]);
  }
  const { reads, logged } = reading(() => answer('{"no":"list"}'));
  expect(await reads.markets()).toBeNull();
  expect(logged).toEqual([`warn a read failed: the answer is no list ${target}`]);
});

test('an unchanged market is the same object, and any other text is a change', async () => {
  let body = JSON.stringify(options(45));
  const { reads } = reading(() => answer(body));
  const before = (await reads.markets())!;
  const again = (await reads.markets(before))!;
  expect(again.every((market, i) => market === before[i])).toBe(true);
  const changed = options(45);
  changed[30] = { ...changed[30]!, tickSize: '0.2' } as (typeof changed)[number];
  body = JSON.stringify(changed);
  const after = (await reads.markets(before))!;
  expect(after.flatMap((market, i) => (market === before[i] ? [] : [i]))).toEqual([30]);
  const one = before[0]!;
  const { contractMultiplier: _, ...without } = one;
  const others: Partial<Market>[] = Object.entries(one).map(([key, value]) => ({ [key]: `${String(value)}1` }));
  for (const other of [...others, { orderTypes: ['LMT'] }, { orderTypes: ['POST_ONLY', 'LMT'] }])
    expect(isSameMarket(one, { ...one, ...other })).toBe(false);
  expect([isSameMarket(one, without), isSameMarket(without, one)]).toEqual([false, false]);
  expect(isSameMarket(one, { ...one, orderTypes: [...one.orderTypes] })).toBe(true);
});

test('a character that arrives in two pieces is one', async () => {
  const bytes = Buffer.from(rawAnswer(200, '{"message":"ü€😀"}'));
  const server = await startRawHttpServer(() => (socket) => {
    socket.setNoDelay(true);
    let at = 0;
    const next = (): void => {
      if (at === bytes.length) return;
      socket.write(bytes.subarray(at, ++at), () => setImmediate(next));
    };
    next();
  });
  closing.push(() => server.close());
  const http = new HttpOrigin(server.url, { connections: 1, connectMs: 1_000, requestMs: 10_000 });
  closing.push(() => http.close());
  const result = await http.send({ method: 'GET', target: '/', headers: {}, body: null });
  expect(result).toMatchObject({ kind: 'answer', body: '{"message":"ü€😀"}' });
});
