// One listener by itself, on a socket that is an object and by a clock that a test sets: what it may subscribe to, how it is
// bounded, and that it ends once. Listeners of a running bridge are streams.test.ts.

import { EventEmitter } from 'node:events';
import { expect, test, vi } from 'vitest';
import type { WebSocket } from 'ws';
import { Caller } from '../../../src/bridge/access.ts';
import type { BridgeExchange } from '../../../src/bridge/port.ts';
import { ENTRIES_MAX, Feeds } from '../../../src/bridge/streams/feeds.ts';
import { StreamListener } from '../../../src/bridge/streams/stream-listener.ts';
import { topicsOf } from '../../../src/bridge/streams/topics.ts';
import { redactValue } from '../../../src/ops/secrets/redaction.ts';

const BYTES_MAX = 1_000;

class FakeSocket extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  readonly sent: Record<string, unknown>[] = [];
  readonly closes: string[] = [];
  /** Its listener does not read. */
  isStanding = false;
  isCutOff = false;
  send(text: string): void {
    if (this.isStanding) this.bufferedAmount += text.length;
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }
  close(code: number, reason: string): void {
    this.closes.push(`${code} ${reason}`);
    this.emit('close');
  }
  terminate(): void {
    this.isCutOff = true;
    this.emit('close');
  }
}

function listening(accounts = ['1', '2']) {
  const clock = { now: 1_000_000 };
  const exchange = { markets: () => [] } as unknown as BridgeExchange;
  const token = { reference: 'env:T', read: () => 'x' };
  const caller = new Caller(
    { name: 'desk', token, credential: 'primary', tradingAccountIds: accounts, functions: ['stream'] },
    exchange,
    1,
  );
  const socket = new FakeSocket();
  const feeds = new Feeds();
  const logged: unknown[] = [];
  const listener = new StreamListener({
    socket: socket as unknown as WebSocket,
    caller,
    feed: 'private',
    feeds,
    tradingAccountId: null,
    symbol: null,
    bytesMax: BYTES_MAX,
    elapsedMs: () => clock.now,
    onDropped: () => {},
    log: (_text, fields) => logged.push(redactValue(fields)),
  });
  let id = 0;
  /** Ask for something; the answers to it, without snapshots. */
  const ask = (method: string, params: Record<string, string> = {}): unknown[] => {
    const from = socket.sent.length;
    socket.emit('message', JSON.stringify({ id: String(++id), method, params }), false);
    return socket.sent.slice(from).filter(({ type }) => type !== 'snapshot');
  };
  /** Let the exchange say something of an account's order; whether it was passed on. */
  const isHeard = (tradingAccountId: string): boolean => {
    const from = socket.sent.length;
    feeds.take('primary', 'private', {
      type: 'update',
      dataType: 'V1TAOrder',
      tradingAccountId,
      data: { orderId: '1' },
    });
    return socket.sent.length > from;
  };
  return { clock, caller, socket, feeds, listener, logged, ask, isHeard };
}

test('a topic is given up for all accounts, for one of them, or by the subscription that asked for it', () => {
  const { ask, isHeard } = listening();
  ask('subscribe', { topic: 'orders' });
  expect([isHeard('1'), isHeard('2'), isHeard('3')]).toEqual([true, true, false]);
  expect(ask('unsubscribe', { topic: 'orders', tradingAccountId: '1' })).toMatchObject([{ result: {} }]);
  expect([isHeard('1'), isHeard('2')]).toEqual([false, true]);
  ask('subscribe', { topic: 'orders', tradingAccountId: '1' });
  expect(ask('unsubscribe', { topic: 'orders' })).toMatchObject([{ result: {} }]);
  expect([isHeard('1'), isHeard('2')]).toEqual([false, false]);
  ask('subscribe', { topic: 'orders', tradingAccountId: '2' });
  expect(ask('unsubscribe', { topic: 'trades' })).toMatchObject([{ error: { errorCode: '29013' } }]);
  expect(ask('unsubscribe', { subscriptionId: '99' })).toMatchObject([{ error: { errorCode: '29013' } }]);
  expect(isHeard('2')).toBe(true);
  expect(ask('unsubscribe', { subscriptionId: '5' })).toMatchObject([{ result: {} }]);
  expect(isHeard('2')).toBe(false);
});

test('a snapshot that has not every open order says so with its acknowledgement, and where the others are', () => {
  const { feeds, socket, ask } = listening(['1']);
  const data = Array.from({ length: ENTRIES_MAX + 1 }, (_, i) => ({ orderId: String(i), status: 'OPEN' }));
  feeds.take('primary', 'private', { type: 'snapshot', dataType: 'V1TAOrder', tradingAccountId: '1', data });
  const [answer] = ask('subscribe', { topic: 'orders+trades', tradingAccountId: '1' });
  expect(JSON.stringify(answer)).toContain(
    'Successfully subscribed; of orders of 1 the snapshot has only the latest 10000: the REST calls have all',
  );
  expect((socket.sent.find(({ type }) => type === 'snapshot')!.data as unknown[]).length).toBe(ENTRIES_MAX);
});

test("a changed token ends its caller's listeners with the reason, and no others", () => {
  const [one, other] = [listening(), listening()];
  for (const { listener, socket } of [one, other]) {
    if (listener.isOf(one.caller)) listener.tokenEnded();
    socket.emit('message', '{"method":"keepalivePing","id":"9"}', false);
  }
  expect([one.socket.closes, one.socket.sent]).toEqual([
    ['1008 the token was changed; connect again with the new one'],
    [],
  ]);
  expect([other.socket.closes, other.socket.sent.length]).toEqual([[], 1]);
  // The feeds drop listeners that left: these come and go for months.
  const heard = [one, other].map(({ listener, isHeard }) => {
    const frame = vi.spyOn(listener, 'frame');
    isHeard('1');
    return frame.mock.calls.length;
  });
  expect(heard).toEqual([0, 1]);
});

test('refuses a listener a topic that the exchange refuses: silence would mean no data', () => {
  const { feeds, ask, isHeard } = listening();
  feeds.refuse('primary', 'mmpTrigger', '2');
  const refusal = "The exchange refuses 'mmpTrigger' of 2 to this gateway; leave it out";
  for (const params of [{ topic: 'orders+mmpTrigger' }, { topic: 'mmpTrigger', tradingAccountId: '2' }] as const) {
    expect(ask('subscribe', params)).toMatchObject([{ error: { errorCode: '29013', errorCodeName: refusal } }]);
  }
  expect(isHeard('1')).toBe(false);
  expect(ask('subscribe', { topic: 'orders+mmpTrigger', tradingAccountId: '1' })).toMatchObject([{ result: {} }]);
});

test('reports a topic refused later, as with a new login, as an error of its subscription', () => {
  const { feeds, socket, ask } = listening();
  ask('subscribe', { topic: 'orders+mmpTrigger' });
  const from = socket.sent.length;
  feeds.refuse('other', 'mmpTrigger', '1');
  feeds.refuse('primary', 'mmpTrigger', '3');
  expect(socket.sent.slice(from)).toEqual([]);
  feeds.refuse('primary', 'mmpTrigger', '2');
  feeds.refuse('primary', 'mmpTrigger', '2');
  const refusal = "The exchange refuses 'mmpTrigger' of 2 to this gateway; leave it out";
  expect(socket.sent.slice(from)).toMatchObject([{ id: '1', error: { errorCode: '29013', errorCodeName: refusal } }]);
  expect(ask('unsubscribe', { topic: 'mmpTrigger', tradingAccountId: '2' })).toMatchObject([{ error: {} }]);
  expect(ask('unsubscribe', { topic: 'mmpTrigger', tradingAccountId: '1' })).toMatchObject([{ result: {} }]);
});

test('topics of the other feed are none of this one', () => {
  const { ask } = listening();
  for (const topic of ['phase', 'noii', 'orders+phase', '']) {
    const message = `'${topic === 'orders+phase' ? 'phase' : topic}' is not a valid topic`;
    expect(ask('subscribe', { topic })).toMatchObject([{ error: { errorCode: '29013', message } }]);
  }
  expect(topicsOf('auction')).toEqual(['phase', 'noii']);
});

test('a listener that says nothing for more than 90 seconds is dropped, one that pings is not', () => {
  const { clock, socket, listener, ask } = listening();
  clock.now += 90_000;
  listener.lookForSilence();
  expect(ask('keepalivePing')).toMatchObject([{ result: { message: 'Keep alive pong' } }]);
  clock.now += 90_000;
  listener.lookForSilence();
  expect(socket.closes).toEqual([]);
  clock.now += 1;
  listener.lookForSilence();
  expect(socket.closes).toEqual(['1008 no keepalivePing for 90 seconds']);
});

test('a listener may send a hundred messages in a second, and no more', () => {
  const { clock, socket, ask } = listening();
  for (const step of [1_000, 0]) {
    for (let i = 0; i < 100; i++) ask('keepalivePing');
    expect(socket.closes).toEqual([]);
    clock.now += step;
  }
  ask('keepalivePing');
  expect(socket.closes).toEqual(['1008 more than 100 messages in a second']);
});

test.each(['ping', 'pong'])('a hundred frames of the protocol in a second too, and no more: %s', (frame) => {
  const { socket } = listening();
  for (let i = 0; i < 100; i++) socket.emit(frame, Buffer.alloc(0));
  expect(socket.closes).toEqual([]);
  socket.emit(frame, Buffer.alloc(0));
  expect(socket.closes).toEqual(['1008 more than 100 messages in a second']);
});

test('a listener that floods on behind its close is cut off', () => {
  const { socket } = listening();
  for (let i = 0; i < 1_100; i++) socket.emit('message', '', false);
  expect(socket).toMatchObject({ closes: ['1008 more than 100 messages in a second'], isCutOff: false });
  socket.emit('message', '', false);
  expect(socket.isCutOff).toBe(true);
});

test('a listener has at most 200 subscriptions; the one that is too many is refused and the others stay', () => {
  const accounts = Array.from({ length: 67 }, (_, i) => String(i + 1));
  const { socket, ask, isHeard } = listening(accounts);
  expect(ask('subscribe', { topic: 'orders+trades+heartbeat' })).toMatchObject([{ result: {} }]);
  expect(ask('subscribe', { topic: 'assetAccounts' })).toMatchObject([
    { error: { errorCodeName: 'At most 200 subscriptions' } },
  ]);
  // 135 so far; again those that are there count no more.
  expect(ask('subscribe', { topic: 'orders' })).toMatchObject([{ result: {} }]);
  for (const account of accounts.slice(0, 65)) ask('subscribe', { topic: 'assetAccounts', tradingAccountId: account });
  expect(socket.sent.filter(({ error }) => error !== undefined)).toHaveLength(1);
  expect(ask('subscribe', { topic: 'assetAccounts', tradingAccountId: '66' })).toMatchObject([{ error: {} }]);
  expect(isHeard('67')).toBe(true);
});

test('a listener is dropped when more waits for it than it may, and not at the limit itself', () => {
  const { socket, ask, isHeard } = listening();
  ask('subscribe', { topic: 'orders' });
  socket.bufferedAmount = BYTES_MAX;
  expect(isHeard('1')).toBe(true);
  expect(socket.closes).toEqual([]);
  socket.bufferedAmount = BYTES_MAX + 1;
  isHeard('1');
  expect(socket.closes).toEqual([`1008 too slow: more than ${BYTES_MAX} bytes were waiting to be read`]);
});

test('snapshots beyond the ordinary limit are no slowness until read, each once', () => {
  const { socket, feeds, ask, isHeard } = listening();
  const orders = Array.from({ length: 100 }, (_, i) => ({ orderId: String(i), status: 'OPEN' }));
  for (const tradingAccountId of ['1', '2']) {
    feeds.take('primary', 'private', { type: 'snapshot', dataType: 'V1TAOrder', tradingAccountId, data: orders });
  }
  const subscribed = (): number => {
    ask('subscribe', { topic: 'orders' });
    return socket.sent.filter(({ type }) => type === 'snapshot').length;
  };
  socket.isStanding = true;
  expect([subscribed(), socket.bufferedAmount > 2 * BYTES_MAX, socket.closes]).toEqual([2, true, []]);
  expect(isHeard('1')).toBe(true);
  socket.bufferedAmount = 0;
  while (isHeard('2')) expect(socket.bufferedAmount).toBeLessThan(2 * BYTES_MAX);
  expect(socket.closes).toHaveLength(1);
});

test('drops a listener that requests snapshots repeatedly and reads none', () => {
  const { socket, feeds, ask } = listening(['1']);
  const orders = Array.from({ length: 100 }, (_, i) => ({ orderId: String(i), status: 'OPEN' }));
  feeds.take('primary', 'private', { type: 'snapshot', dataType: 'V1TAOrder', tradingAccountId: '1', data: orders });
  socket.isStanding = true;
  for (let i = 0; i < 3; i++) {
    ask('subscribe', { topic: 'orders' });
    ask('unsubscribe', { topic: 'orders' });
  }
  expect(socket.closes).toEqual([`1008 too slow: more than ${BYTES_MAX} bytes were waiting to be read`]);
});

test('a topic that stands twice in one request is one subscription, with one snapshot', () => {
  const { socket, ask } = listening();
  ask('subscribe', { topic: 'orders+trades+orders', tradingAccountId: '1' });
  const snapshots = socket.sent.filter(({ type }) => type === 'snapshot');
  expect(snapshots.map(({ dataType }) => dataType)).toEqual(['V1TAOrder', 'V1TATrade']);
});

test('a listener ends once with one reason, frees its place and hears no more', () => {
  const { caller, socket, feeds, listener, logged, ask, isHeard } = listening();
  expect(caller.streams).toBe(1);
  ask('subscribe', { topic: 'orders' });
  listener.lost();
  listener.goAway();
  feeds.setLive('primary', 'private', false);
  socket.emit('close');
  expect(socket.closes).toHaveLength(1);
  // In a field with a name that the log does not take for a secret's.
  expect(logged).toEqual([{ caller: 'desk', feed: 'private' }]);
  expect(caller.streams).toBe(0);
  expect(isHeard('1')).toBe(false);
  expect(ask('keepalivePing')).toEqual([]);
});
