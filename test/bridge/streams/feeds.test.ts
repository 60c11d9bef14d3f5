// The state kept of the exchange's streams for snapshots: current, bounded, of the right login only.

import { describe, expect, test } from 'vitest';
import { parseKeepingDigits } from '../../../src/bridge/reads/exact-json.ts';
import { ENTRIES_MAX, type FeedFrame, type FeedListener, Feeds } from '../../../src/bridge/streams/feeds.ts';

const order = (orderId: number, status: string, type: FeedFrame['type'] = 'update'): FeedFrame => ({
  type,
  dataType: 'V1TAOrder',
  tradingAccountId: '1',
  data: { orderId: String(orderId), status },
});
const ids = (feeds: Feeds, credential = 'primary'): unknown[] =>
  (feeds.snapshot(credential, 'private', 'orders', '1')!.data as { orderId: string }[]).map(({ orderId }) => orderId);

/** Frames for a listener from now on. */
function toldOf(feeds: Feeds): readonly string[] {
  const told: string[] = [];
  feeds.listen({
    credential: 'primary',
    feed: 'private',
    frame: (_topic, _subject, text) => told.push(text()),
    refused: () => {},
    lost: () => {},
  });
  return told;
}

describe('the memory of the feeds', () => {
  test('an update replaces the state of its order, a snapshot everything', () => {
    const feeds = new Feeds();
    feeds.take('primary', 'private', order(1, 'OPEN'));
    feeds.take('primary', 'private', order(2, 'OPEN'));
    feeds.take('primary', 'private', order(1, 'CLOSED'));
    expect(feeds.snapshot('primary', 'private', 'orders', '1')?.data).toEqual([
      { orderId: '2', status: 'OPEN' },
      { orderId: '1', status: 'CLOSED' },
    ]);
    feeds.take('primary', 'private', { ...order(0, ''), type: 'snapshot', data: [{ orderId: '7', status: 'OPEN' }] });
    expect(ids(feeds)).toEqual(['7']);
  });

  test('keeps a shorter snapshot as short, with no more ended entries than usual', () => {
    const feeds = new Feeds();
    const open = (count: number) => Array.from({ length: count }, (_, i) => ({ orderId: `s${i}`, status: 'OPEN' }));
    feeds.take('primary', 'private', { ...order(0, ''), type: 'snapshot', data: open(5_000) });
    feeds.take('primary', 'private', { ...order(0, ''), type: 'snapshot', data: open(3) });
    for (let i = 0; i < 1_000; i++) feeds.take('primary', 'private', order(i, 'CLOSED'));
    expect(ids(feeds).length).toBeLessThan(3 + 20 + 200);
  });

  test('O2 a snapshot has both sides of a self-match, once each, and none without an order', () => {
    const feeds = new Feeds();
    const side = (orderId: string) => ({ tradeId: '9', orderId });
    const trade = (data: unknown): FeedFrame => ({
      type: 'update',
      dataType: 'V1TATrade',
      tradingAccountId: '1',
      data,
    });
    for (const data of [side('1'), side('2'), side('1'), { orderId: '1' }, { tradeId: '9' }]) {
      feeds.take('primary', 'private', trade(data));
    }
    expect(feeds.snapshot('primary', 'private', 'trades', '1')?.data).toEqual([side('2'), side('1'), { tradeId: '9' }]);
  });

  test.each(['constructor', 'toString', '__proto__'])('passes over frames of the type %s', (dataType) => {
    const feeds = new Feeds();
    feeds.take('primary', 'private', { ...order(1, 'OPEN'), dataType });
    feeds.take('primary', 'private', { ...order(1, 'OPEN'), dataType, type: 'snapshot' });
    expect(ids(feeds)).toEqual([]);
  });

  test('writes a snapshot once until something changes, of the private streams', () => {
    const feeds = new Feeds();
    let written = 0;
    const entry = (orderId: string): FeedFrame => {
      const toJSON = (): unknown => {
        written++;
        return { orderId };
      };
      return { ...order(0, 'OPEN'), data: { orderId, status: 'OPEN', toJSON } };
    };
    const shown = (): unknown[] => JSON.parse(feeds.snapshotText('primary', 'private', 'orders', '1')!).data;
    expect(shown()).toEqual([]);
    feeds.take('primary', 'private', entry('1'));
    for (let i = 0; i < 10; i++) expect(shown()).toEqual([{ orderId: '1' }]);
    expect(written).toBe(1);
    feeds.take('primary', 'private', entry('2'));
    for (let i = 0; i < 10; i++) expect(shown()).toEqual([{ orderId: '1' }, { orderId: '2' }]);
    expect(written).toBe(1 + 2);
    feeds.take('primary', 'private', { ...order(0, ''), type: 'snapshot', data: [] });
    expect(shown()).toEqual([]);
  });

  test('B4 shows no rate limit token of an account, neither as it comes nor in a snapshot', () => {
    const feeds = new Feeds();
    const told: string[] = [];
    const frame = (_topic: string, _subject: string | null, text: () => string) => told.push(text());
    feeds.listen({ credential: 'primary', feed: 'private', frame, refused: () => {}, lost: () => {} });
    const account = { tradingAccountId: '1', rateLimitToken: '97d98951b1', totalBorrowedUSD: '0' };
    const of = { dataType: 'V1TATradingAccount', tradingAccountId: '1' } as const;
    feeds.take('primary', 'private', { type: 'snapshot', ...of, data: [account] });
    feeds.take('primary', 'private', { type: 'update', ...of, data: account });
    told.push(feeds.snapshotText('primary', 'private', 'tradingAccounts', '1')!);
    const shown = { tradingAccountId: '1', totalBorrowedUSD: '0' };
    expect(told.map((text) => [JSON.parse(text).data].flat())).toEqual([[shown], [shown], [shown]]);
  });

  test('has no snapshot of heartbeats, or of an unknown topic', () => {
    const feeds = new Feeds();
    feeds.take('primary', 'private', { ...order(1, 'OPEN'), dataType: 'V1TAHeartbeat', tradingAccountId: null });
    for (const topic of ['heartbeat', 'noii', 'none']) {
      expect(feeds.snapshotText('primary', 'private', topic, null), topic).toBeNull();
    }
  });

  test('passes over an entry that is nested so deeply that it can be read and not written', () => {
    const feeds = new Feeds();
    const told = toldOf(feeds);
    const nested = (levels: number): FeedFrame => {
      const more: unknown = JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);
      return { ...order(levels, 'OPEN'), data: { orderId: String(levels), status: 'OPEN', more } };
    };
    feeds.take('primary', 'private', nested(50_000));
    feeds.take('primary', 'private', nested(50));
    expect(told).toHaveLength(1);
    expect(ids(feeds)).toEqual(['50']);
  });

  test('reports a deeply nested entry of a long snapshot only to a listener', () => {
    const more: unknown = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`);
    const open = Array.from({ length: ENTRIES_MAX }, (_, i) => ({ orderId: String(i), status: 'OPEN' }));
    const long: FeedFrame = { ...order(0, ''), type: 'snapshot', data: [{ orderId: 'deep', more }, ...open] };
    const feeds = new Feeds();
    feeds.take('primary', 'private', long);
    expect(ids(feeds)).toHaveLength(ENTRIES_MAX);
    feeds.take('primary', 'private', { ...long, data: [] });
    const told = toldOf(feeds);
    feeds.take('primary', 'private', long);
    expect([ids(feeds), told]).toEqual([[], []]);
  });

  test('keeps every open order and only the latest ended ones', () => {
    const feeds = new Feeds();
    for (let id = 1; id <= 300; id++) feeds.take('primary', 'private', order(id, 'OPEN'));
    for (let id = 1_001; id <= 9_000; id++) feeds.take('primary', 'private', order(id, 'CLOSED'));
    const kept = ids(feeds);
    expect(kept.slice(0, 300)).toEqual(Array.from({ length: 300 }, (_, i) => String(i + 1)));
    expect(kept.length).toBeLessThanOrEqual(300 + 20 + 200);
    expect(kept.at(-1)).toBe('9000');
  });

  test('of the orders that ended a snapshot has the latest, 20 at least, at any time', () => {
    const feeds = new Feeds();
    for (let id = 1; id <= 500; id++) {
      feeds.take('primary', 'private', order(id, 'CLOSED'));
      const latest = Array.from({ length: Math.min(20, id) }, (_, i) => String(id - Math.min(20, id) + 1 + i));
      expect(ids(feeds).slice(-20)).toEqual(latest);
    }
  });

  test('keeps the latest of orders that open one by one, and says that some are missing', () => {
    const feeds = new Feeds();
    const isCut = (): boolean => feeds.isCut('primary', 'private', 'orders', '1');
    for (let id = 1; id <= ENTRIES_MAX; id++) feeds.take('primary', 'private', order(id, 'OPEN'));
    expect([isCut(), ids(feeds).length]).toEqual([false, ENTRIES_MAX]);
    for (let id = ENTRIES_MAX + 1; id <= ENTRIES_MAX + 1_000; id++) feeds.take('primary', 'private', order(id, 'OPEN'));
    expect(isCut()).toBe(true);
    const kept = ids(feeds);
    expect(kept.length).toBeLessThanOrEqual(ENTRIES_MAX + 200);
    expect([kept.includes('1'), kept.at(-1)]).toEqual([false, String(ENTRIES_MAX + 1_000)]);
  });

  test('keeps every balance and position, however many there are, and of trades only the latest', () => {
    const feeds = new Feeds();
    const say = (dataType: string, data: unknown): void =>
      feeds.take('primary', 'private', { type: 'update', dataType, tradingAccountId: '1', data });
    for (let i = 0; i < 600; i++) {
      say('V1TADerivativesPosition', { symbol: `M-${i}` });
      say('V1TAAssetAccount', { assetSymbol: `A-${i}` });
      say('V1TATrade', { tradeId: String(i), orderId: '1' });
    }
    const count = (topic: string): number =>
      (feeds.snapshot('primary', 'private', topic, '1')!.data as unknown[]).length;
    expect([count('derivativesPositionsV2'), count('assetAccounts')]).toEqual([600, 600]);
    expect(count('trades')).toBeLessThanOrEqual(20 + 200);
  });

  test('a snapshot is of its topic and account, names it, and is whole despite earlier updates', () => {
    const feeds = new Feeds();
    feeds.take('primary', 'private', order(1, 'OPEN'));
    feeds.take('primary', 'private', { ...order(2, 'OPEN'), tradingAccountId: '2' });
    feeds.take('primary', 'private', {
      ...order(3, 'OPEN'),
      dataType: 'V1TATrade',
      data: { tradeId: '3', orderId: '1' },
    });
    feeds.take('primary', 'private', { ...order(4, 'OPEN'), type: 'error' });
    expect(feeds.snapshot('primary', 'private', 'orders', '1')).toEqual({
      type: 'snapshot',
      dataType: 'V1TAOrder',
      tradingAccountId: '1',
      data: [{ orderId: '1', status: 'OPEN' }],
    });
    expect(feeds.isCut('primary', 'private', 'orders', '1')).toBe(false);
    // Auctions are of a market, and of no account.
    const noii = { symbol: 'BTCUSDC', imbalance: '1' };
    feeds.take('primary', 'auction', { type: 'update', dataType: 'V1TANoii', tradingAccountId: null, data: noii });
    const shown = { type: 'snapshot', dataType: 'V1TANoii', tradingAccountId: null, data: [noii] };
    expect(feeds.snapshot('primary', 'auction', 'noii', 'BTCUSDC')).toEqual(shown);
    expect(feeds.snapshot('primary', 'auction', 'noii', 'ETHUSDC')?.data).toEqual([]);
    expect(feeds.snapshot('primary', 'auction', 'phase', 'BTCUSDC')?.data).toEqual([]);
  });

  test('forgets the state of a lost stream, and not that of other logins', () => {
    const feeds = new Feeds();
    feeds.setLive('primary', 'private', true);
    feeds.take('primary', 'private', order(1, 'OPEN'));
    feeds.take('second', 'private', order(2, 'OPEN'));
    feeds.setLive('primary', 'private', false);
    expect(feeds.isLive('primary', 'private')).toBe(false);
    expect(ids(feeds)).toEqual([]);
    expect(ids(feeds, 'second')).toEqual(['2']);
  });

  test('shows the imbalance of an auction until the next one of its market, and not beside that', () => {
    const feeds = new Feeds();
    const say = (dataType: string, symbol: string, auctionId: string): void => {
      const data = { symbol, auctionId };
      feeds.take('primary', 'auction', { type: 'update', dataType, tradingAccountId: null, data });
    };
    const shown = (symbol: string): unknown => feeds.snapshot('primary', 'auction', 'noii', symbol)?.data;
    for (const symbol of ['BTCUSDC', 'ETHUSDC']) say('V1TANoii', symbol, '1');
    say('V1TAAuctionPhase', 'BTCUSDC', '1');
    expect(shown('BTCUSDC')).toEqual([{ symbol: 'BTCUSDC', auctionId: '1' }]);
    say('V1TAAuctionPhase', 'BTCUSDC', '2');
    expect([shown('BTCUSDC'), shown('ETHUSDC')]).toEqual([[], [{ symbol: 'ETHUSDC', auctionId: '1' }]]);
    say('V1TANoii', 'BTCUSDC', '2');
    say('V1TAAuctionPhase', 'BTCUSDC', '2');
    expect(shown('BTCUSDC')).toEqual([{ symbol: 'BTCUSDC', auctionId: '2' }]);
  });

  test('remembers refused topics per owner until one has data or a new connection begins', () => {
    const feeds = new Feeds();
    const refused = (...accounts: readonly string[]): boolean[] =>
      accounts.map((account) => feeds.isRefused('primary', 'private', 'orders', account));
    for (const account of ['1', '2']) feeds.refuse('primary', 'orders', account);
    feeds.refuse('second', 'orders', '1');
    expect(refused('1', '2', '3')).toEqual([true, true, false]);
    feeds.take('primary', 'private', { ...order(1, 'OPEN'), tradingAccountId: '1' });
    expect(refused('1', '2')).toEqual([false, true]);
    feeds.forget('primary', 'private');
    expect(refused('2')).toEqual([false]);
    expect(feeds.isRefused('second', 'private', 'orders', '1')).toBe(true);
  });

  test('forgets with a new connection the state of a never live one, of its login and feed alone', () => {
    const feeds = new Feeds();
    for (const credential of ['primary', 'second']) feeds.take(credential, 'private', order(1, 'OPEN'));
    feeds.take('primary', 'auction', {
      type: 'update',
      dataType: 'V1TANoii',
      tradingAccountId: null,
      data: { symbol: 'BTCUSDC' },
    });
    feeds.forget('primary', 'private');
    expect([ids(feeds), ids(feeds, 'second')]).toEqual([[], ['1']]);
    expect(feeds.snapshot('primary', 'auction', 'noii', 'BTCUSDC')?.data).toHaveLength(1);
  });

  test('one live auction stream serves all logins; an order stream serves its own', () => {
    const feeds = new Feeds();
    feeds.setLive('primary', 'auction', true);
    feeds.setLive('primary', 'private', true);
    expect(feeds.isLive('second', 'auction')).toBe(true);
    expect(feeds.isLive('second', 'private')).toBe(false);
    feeds.setLive('primary', 'auction', false);
    expect(feeds.isLive('second', 'auction')).toBe(false);
    expect(feeds.isLive('primary', 'private')).toBe(true);
  });

  test('notifies a listener of its own login only, and of every auction', () => {
    const heard: string[] = [];
    const listener = (feed: FeedListener['feed']): FeedListener => ({
      credential: 'second',
      feed,
      frame: (topic, subject) => heard.push(`${topic} ${subject}`),
      refused: () => {},
      lost: () => heard.push(`${feed} lost`),
    });
    const feeds = new Feeds();
    feeds.listen(listener('private'));
    feeds.listen(listener('auction'));
    feeds.take('primary', 'private', order(1, 'OPEN'));
    feeds.take('second', 'private', order(2, 'OPEN'));
    const phase = { symbol: 'BTCUSDC', phase: 'LOCKDOWN' };
    feeds.take('primary', 'auction', {
      type: 'update',
      dataType: 'V1TAAuctionPhase',
      tradingAccountId: null,
      data: phase,
    });
    feeds.setLive('primary', 'private', false);
    feeds.setLive('primary', 'auction', false);
    expect(heard).toEqual(['orders 1', 'phase BTCUSDC', 'auction lost']);
  });

  test('notifies a listener that left no more, and drops it', () => {
    const feeds = new Feeds();
    const told: string[] = [];
    const listener: FeedListener = {
      credential: 'primary',
      feed: 'private',
      frame: (topic) => told.push(topic),
      refused: () => {},
      lost: () => told.push('lost'),
    };
    feeds.listen(listener);
    feeds.take('primary', 'private', order(1, 'OPEN'));
    feeds.leave(listener);
    feeds.take('primary', 'private', order(2, 'OPEN'));
    feeds.setLive('primary', 'private', false);
    expect(told).toEqual(['orders']);
  });

  test('passes a refusal of a command to order listeners, and keeps none of it', () => {
    const heard: string[] = [];
    const feeds = new Feeds();
    feeds.listen({
      credential: 'primary',
      feed: 'private',
      frame: (topic, _subject, text) => heard.push(`${topic} ${text()}`),
      refused: () => {},
      lost: () => {},
    });
    const data = { errorCode: 3005 };
    feeds.take('primary', 'private', { type: 'error', dataType: 'V1TAErrorResponse', tradingAccountId: '1', data });
    feeds.take('primary', 'private', { type: 'update', dataType: 'V1TAUnheardOf', tradingAccountId: '1', data });
    expect(heard).toEqual([
      'orders {"type":"error","dataType":"V1TAErrorResponse","tradingAccountId":"1","data":{"errorCode":3005}}',
    ]);
    expect(ids(feeds)).toEqual([]);
  });

  test("hides the gateway's login in a refusal from listeners", () => {
    const login = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxMjMifQ.c2lnbmF0dXJl';
    const heard: string[] = [];
    const feeds = new Feeds();
    const frame = (_topic: string, _subject: string | null, text: () => string) => heard.push(text());
    feeds.listen({ credential: 'primary', feed: 'private', frame, refused: () => {}, lost: () => {} });
    const data = { orderId: '5', errorCode: 8012, message: `The JWT ${login} has ended` };
    feeds.take('primary', 'private', { type: 'error', dataType: 'V1TAErrorResponse', tradingAccountId: '1', data });
    expect(JSON.parse(heard[0]!).data).toEqual({ ...data, message: 'The JWT [redacted] has ended' });
  });

  test('says that a snapshot lacks open orders beyond the kept ones, until the next is complete', () => {
    const feeds = new Feeds();
    const isCut = (): boolean => feeds.isCut('primary', 'private', 'orders', '1');
    const all = (count: number): FeedFrame => ({
      ...order(0, '', 'snapshot'),
      data: Array.from({ length: count }, (_, i) => ({ orderId: String(i), status: 'OPEN' })),
    });
    expect(isCut()).toBe(false);
    feeds.take('primary', 'private', all(ENTRIES_MAX));
    expect(isCut()).toBe(false);
    feeds.take('primary', 'private', all(ENTRIES_MAX + 500));
    expect([isCut(), ids(feeds).length]).toEqual([true, ENTRIES_MAX]);
    feeds.take('primary', 'private', all(3));
    expect(isCut()).toBe(false);
  });
});

test('O3 a number of the exchange keeps its digits on its way through', () => {
  const text = '[{"a":0.10,"b":123456789012345678901,"c":1e-9,"d":"0.10"}]';
  expect(JSON.stringify(parseKeepingDigits(text))).toBe(text);
  expect(parseKeepingDigits('{"a":')).toBeUndefined();
});
