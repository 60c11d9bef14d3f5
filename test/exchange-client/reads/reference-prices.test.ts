// Reference prices that were asked for (rule O12): what a tick without a trade says, what the exchange refuses, and how many.

import { expect, onTestFinished, test, vi } from 'vitest';
import { decodeLastPrice, decodeTick, type MarketDataEvent } from '../../../src/exchange/mod.ts';
import { resolveOptions } from '../../../src/exchange-client/options.ts';
import { ReferencePrices } from '../../../src/exchange-client/reads/reference-prices.ts';
import { MarketStreams } from '../../../src/exchange-client/streams/market-streams.ts';
import { market } from '../../gateway/desk.ts';

/** The prices over streams and reads that answer nothing by themselves. */
function desk() {
  const clock = { now: 0 };
  const subscribed: string[] = [];
  const read: string[] = [];
  const said: string[] = [];
  const answers = { price: null as string | null };
  const stream = { live: false };
  const options = resolveOptions({
    name: 'test',
    baseUrl: 'http://127.0.0.1:1',
    elapsedMs: () => clock.now,
  } as unknown as Parameters<typeof resolveOptions>[0]);
  const sources = {
    streams: {
      subscribe: (_: string, symbol: string) => subscribed.push(symbol) > 0,
      unsubscribe: () => {},
      isLive: () => stream.live,
    },
    reads: {
      lastPrice: (symbol: string) => {
        read.push(symbol);
        return Promise.resolve(answers.price);
      },
    },
  } as unknown as ConstructorParameters<typeof ReferencePrices>[1];
  const prices = new ReferencePrices(options, sources, (event) => {
    if (event.kind === 'referencePrice') said.push(`${event.symbol} ${event.price}`);
  });
  const tick = (fields: Record<string, unknown>): void =>
    prices.take({ kind: 'tick', tick: decodeTick({ symbol: 'OPT-1', ...fields })! });
  const feed = (live: boolean): void => {
    stream.live = live;
    prices.take({ kind: 'marketFeed', topics: ['tick'], live });
  };
  return { prices, options, sources, clock, subscribed, read, said, answers, stream, tick, feed };
}
const options = (count: number) =>
  Array.from({ length: count }, (_, i) => market(`OPT-${i + 1}`, { marketType: 'OPTION' }));

test('O12 uses the mark price before the first trade, for an absent or zero last price', () => {
  for (const last of [null, undefined, '0', '0.0000']) {
    const { prices, said, tick } = desk();
    prices.ask('OPT-1');
    tick({ last, close: last, markPrice: '101.5' });
    tick({ last: '99', markPrice: '101.5' });
    tick({ last, markPrice: '0.0' });
    expect(said).toEqual(['OPT-1 101.5', 'OPT-1 99']);
    expect(decodeLastPrice({ last, close: last, markPrice: '101.5' })?.price).toBe('101.5');
    expect(decodeLastPrice({ last: '99', markPrice: '101.5' })?.price).toBe('99');
    expect(decodeLastPrice({ last, close: last })).toBeNull();
  }
});

test('O12 a price that was read is not confirmed while there is no feed, be it that it was closed here', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { prices, options: resolved, said, answers, stream, feed } = desk();
  prices.open([]);
  onTestFinished(() => prices.close());
  feed(true);
  // The tick has no followers any more: the connection was closed on purpose, which is no loss.
  stream.live = false;
  answers.price = '7';
  prices.ask('OPT-1');
  await vi.advanceTimersByTimeAsync(5 * resolved.timeouts.priceRefreshMs);
  expect(said).toEqual(['OPT-1 7']);
  feed(true);
  await vi.advanceTimersByTimeAsync(resolved.timeouts.priceRefreshMs);
  expect(said).toEqual(['OPT-1 7', 'OPT-1 7']);
});

test('O12 requests a refused price now and then, not with every order', () => {
  const { prices, options: resolved, clock, subscribed, read } = desk();
  const refused: MarketDataEvent = { kind: 'marketRefused', topic: 'tick', subject: 'OPT-1', reason: 'no' };
  for (let order = 0; order < 100; order++) {
    prices.ask('OPT-1');
    if (order === 0) prices.take(refused);
  }
  expect([subscribed, read]).toEqual([['OPT-1'], ['OPT-1']]);
  clock.now += resolved.timeouts.askAgainMs;
  prices.ask('OPT-1');
  expect([subscribed, read]).toEqual([
    ['OPT-1', 'OPT-1'],
    ['OPT-1', 'OPT-1'],
  ]);
});

test('O12 options that were asked for take no room from the markets that are followed anyway', () => {
  const { prices, subscribed } = desk();
  const listed = [...options(150), market('BTCUSDC')];
  prices.open(listed);
  for (const { symbol } of options(150)) prices.ask(symbol);
  prices.follow([...listed, market('ETHUSDC')]);
  expect(subscribed).toHaveLength(152);
  expect(subscribed).toContain('ETHUSDC');
  prices.close();
});

test("O12 counterparties' subscriptions at the limit take no room from limit prices", () => {
  const { options: resolved, read, sources } = desk();
  const streams = new MarketStreams(resolved, () => {});
  onTestFinished(() => streams.close());
  let followed = 0;
  while (streams.subscribe('l2Orderbook', `S-${followed}`)) followed++;
  expect(followed).toBe(5_000);
  const prices = new ReferencePrices(resolved, { ...sources, streams }, () => {});
  prices.ask('OPT-1');
  expect(read).toEqual(['OPT-1']);
  // It is one more that is followed.
  expect(streams.subscribe('tick', 'OPT-1')).toBe(true);
  expect(streams.subscribe('tick', 'OPT-2')).toBe(false);
});

test("giving up thousands of subjects at a session's end costs linear time", () => {
  const { options: resolved } = desk();
  const msOf = (subjects: number): number => {
    const streams = new MarketStreams(resolved, () => {});
    for (let i = 0; i < subjects; i++) streams.subscribe('l2Orderbook', `S-${i}`);
    const begun = performance.now();
    for (let i = 0; i < subjects; i++) streams.unsubscribe('l2Orderbook', `S-${i}`);
    streams.close();
    return performance.now() - begun;
  };
  const leastMsOf = (subjects: number): number => Math.min(...Array.from({ length: 7 }, () => msOf(subjects)));
  // Where each of them looks at all others it is 64 times as long.
  expect(leastMsOf(4_000)).toBeLessThan(5 + 30 * leastMsOf(500));
});

test('O12 confirms a price while its feed is live, and not one from before an outage', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { prices, options: resolved, said, tick, feed } = desk();
  const { priceRefreshMs } = resolved.timeouts;
  prices.open([market('OPT-1')]);
  feed(true);
  tick({ last: '100' });
  await vi.advanceTimersByTimeAsync(priceRefreshMs);
  expect(said).toEqual(['OPT-1 100', 'OPT-1 100']);
  feed(false);
  await vi.advanceTimersByTimeAsync(3 * priceRefreshMs);
  feed(true);
  await vi.advanceTimersByTimeAsync(3 * priceRefreshMs);
  expect(said).toHaveLength(2);
  tick({ last: '80' });
  await vi.advanceTimersByTimeAsync(priceRefreshMs);
  expect(said.slice(2)).toEqual(['OPT-1 80', 'OPT-1 80']);
  prices.close();
});

test('O12 reads the price of an order once in a while if unknown since the feed came back', async () => {
  const { prices, options: resolved, clock, read, said, answers, tick, feed } = desk();
  prices.open([market('OPT-1')]);
  feed(true);
  tick({ last: '100' });
  for (let order = 0; order < 10; order++) prices.ask('OPT-1');
  expect(read).toHaveLength(1);
  feed(false);
  feed(true);
  for (let order = 0; order < 10; order++) prices.ask('OPT-1');
  expect(read).toHaveLength(2);
  clock.now += resolved.timeouts.askAgainMs;
  answers.price = '80';
  prices.ask('OPT-1');
  await Promise.resolve();
  prices.ask('OPT-1');
  expect(read).toHaveLength(3);
  expect(said).toEqual(['OPT-1 100', 'OPT-1 80']);
  prices.close();
});
