// A stream alone, against a scripted server of streams: hand-overs, their repeats, and closings after them. Streams of
// a whole client are streams.test.ts and handover.test.ts.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { type ClientTimeouts, resolveOptions } from '../../../src/exchange-client/options.ts';
import { Stream, type StreamOptions } from '../../../src/exchange-client/streams/stream.ts';
import type { Subscription } from '../../../src/exchange-client/streams/subscription.ts';
import { scriptedOptions } from '../../support/exchange/scripted-exchange.ts';

interface Request {
  readonly id: string;
  readonly method: string;
  readonly params: Readonly<Record<string, string>>;
}

let server: WebSocketServer;
let sockets: WebSocket[] = [];
/** Statuses that the next upgrades are refused with. */
let refused: (number | readonly [status: number, headers: Record<string, string>])[] = [];
let upgrades = 0;
/** Treatment of a request; default: it is acknowledged. */
let onRequest: (socket: WebSocket, request: Request) => void;
let stream: Stream | null = null;

const acknowledge = (socket: WebSocket, { id }: Request): void =>
  socket.send(JSON.stringify({ id, result: { responseCode: '200', message: 'OK' } }));
const say = (socket: WebSocket, data: unknown): void =>
  socket.send(JSON.stringify({ type: 'update', dataType: 'V1TAOrder', data }));

beforeEach(async () => {
  [sockets, refused, upgrades, onRequest] = [[], [], 0, acknowledge];
  type Answer = (ok: boolean, status?: number, message?: string, headers?: Record<string, string>) => void;
  const verifyClient = (_info: unknown, answer: Answer): void => {
    upgrades++;
    const refusal = refused.shift();
    const [status, headers] = typeof refusal === 'object' ? refusal : [refusal, {}];
    answer(status === undefined, status, undefined, headers);
  };
  server = new WebSocketServer({ host: '127.0.0.1', port: 0, verifyClient });
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (text) => onRequest(socket, JSON.parse(String(text)) as Request));
  });
  await new Promise((resolve) => server.once('listening', resolve));
});

afterEach(async () => {
  stream?.close();
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

/** Open a stream and wait until it is live. */
async function opened(more: Partial<StreamOptions> = {}, timeouts: Partial<ClientTimeouts> = {}) {
  const { port } = server.address() as { port: number };
  const heard: string[] = [];
  const lives: boolean[] = [];
  const waits: number[] = [];
  const alarms: string[] = [];
  const lines: string[] = [];
  let looks: (() => void)[] = [];
  const look = (): void => {
    const waiting = looks;
    looks = [];
    for (const one of waiting) one();
  };
  const client = resolveOptions({
    ...scriptedOptions(`http://127.0.0.1:${port}`, []),
    timeouts: { reconnectMs: 2, reconnectMaxMs: 16, ...timeouts },
    onNonceCeiling: () => {},
    log: (_level, text, { waitMs, topic = '' }) => {
      lines.push(`${text} ${topic}`);
      if (typeof waitMs === 'number') waits.push(waitMs);
      look();
    },
    onAlarm: (alarm, text) => alarms.push(`${alarm} ${text}`),
  });
  const followed: Subscription[] = [{ topic: 'orders' }];
  stream = new Stream(client, {
    name: 'test stream',
    path: '/trading-api/v1/private-data',
    token: () => Promise.resolve('t'),
    subscriptions: () => followed,
    snapshotOf: () => null,
    silenceMs: Number.POSITIVE_INFINITY,
    onFrame: ({ data }, isRepeat) => {
      heard.push(`${data}${isRepeat ? ' perhaps again' : ''}`);
      look();
    },
    onLive: (live) => {
      lives.push(live);
      heard.push(`live ${live}`);
      look();
    },
    onUnauthorized: () => {},
    onRefused: () => false,
    onSilence: () => {},
    ...more,
  });
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise<void>((resolve) => looks.push(resolve));
  };
  stream.open();
  await until(() => lives.length > 0);
  return { stream, heard, lives, waits, alarms, lines, followed, until };
}

const closed = (socket: WebSocket): Promise<unknown> =>
  socket.readyState === socket.CLOSED ? Promise.resolve() : new Promise((resolve) => socket.once('close', resolve));

test('a hand-over switches one connection, with the stream live throughout', async () => {
  const { stream, heard, until } = await opened();
  await stream.handOver();
  expect(upgrades).toBe(2);
  await closed(sockets[0]!);
  say(sockets[1]!, 'next');
  await until(() => heard.includes('next'));
  expect(heard).toEqual(['live true', 'next']);
});

test('a hand-over that the exchange does not take is tried again, a few times, and so is the next one', async () => {
  const { stream, heard, lives, until } = await opened();
  refused = [503, 429];
  await stream.handOver();
  expect(upgrades).toBe(1 + 3);
  refused = [503, 503, 503, 503, 503];
  await stream.handOver();
  expect(upgrades).toBe(1 + 3 + 5);
  // Then the old connection stays.
  say(sockets[1]!, 'as before');
  await until(() => heard.includes('as before'));
  await stream.handOver();
  expect(upgrades).toBe(1 + 3 + 5 + 1);
  expect(lives).toEqual([true]);
});

test("reports the successor's early frames after the old connection's last, as possible repeats", async () => {
  const { stream, heard, until } = await opened();
  onRequest = (socket, request) => {
    const [old, next] = sockets;
    if (socket === next && request.method === 'subscribe') {
      say(next, 'early');
      acknowledge(socket, request);
      // In the same breath as what makes it live: the old one has more to say until it answers the ping.
      say(next, 'early too');
    } else {
      say(old!, 'last words');
      acknowledge(socket, request);
    }
  };
  await stream.handOver();
  say(sockets[1]!, 'later');
  await until(() => heard.includes('later'));
  expect(heard).toEqual(['live true', 'last words', 'early perhaps again', 'early too perhaps again', 'later']);
});

test('a successor replaces a connection lost meanwhile, repeats all, and is then live', async () => {
  const { stream, heard, until } = await opened();
  onRequest = (socket, request) => {
    if (socket !== sockets[1]) return;
    say(socket, 'early');
    // The successor has said so much before the loss is seen.
    socket.ping();
    socket.once('pong', () => sockets[0]!.terminate());
    void until(() => heard.includes('live false')).then(() => {
      heard.push('acknowledged');
      acknowledge(socket, request);
    });
  };
  await stream.handOver();
  await until(() => heard.length >= 5);
  expect(heard).toEqual(['live true', 'live false', 'early', 'acknowledged', 'live true']);
  expect(upgrades).toBe(2);
});

test('reports a fresh beginning after a connection that was never live, by reconnect or successor', async () => {
  const told: string[] = [];
  const onFrame: StreamOptions['onFrame'] = ({ data }) => void told.push(String(data));
  onRequest = (socket, request) => {
    const at = sockets.indexOf(socket);
    say(socket, `of connection ${at}`);
    if (at === 0) socket.close();
    else if (at !== 2) acknowledge(socket, request);
  };
  const { stream, lives, until } = await opened({ onFrame, onConnect: () => told.push('begins') });
  expect(told).toEqual(['begins', 'of connection 0', 'begins', 'of connection 1']);
  told.length = 0;
  sockets[1]!.terminate();
  await expect.poll(() => told).toEqual(['begins', 'of connection 2']);
  onRequest = (socket, request) => {
    say(socket, 'of its successor');
    socket.ping();
    socket.once('pong', () => {
      sockets[2]!.terminate();
      acknowledge(socket, request);
    });
  };
  await stream.handOver();
  await until(() => lives.length === 3);
  expect(told).toEqual(['begins', 'of connection 2', 'begins', 'of its successor']);
  // One that takes over from a live one goes on with what was said.
  onRequest = acknowledge;
  await stream.handOver();
  expect(told).toHaveLength(4);
});

test('a connection lost while its successor waits is followed by one alone', async () => {
  let give: (token: string) => void = () => {};
  let isAsked = false;
  const { stream, heard, lives, until } = await opened(
    { token: () => (isAsked ? new Promise((resolve) => (give = resolve)) : Promise.resolve('t')) },
    { reconnectMs: 20, reconnectMaxMs: 20 },
  );
  isAsked = true;
  const handedOver = stream.handOver();
  isAsked = false;
  sockets[0]!.terminate();
  await until(() => lives.includes(false));
  give('next');
  await handedOver;
  await until(() => lives.length === 3);
  // Longer than any wait before a connection.
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(server.clients.size).toBe(1);
  say(sockets.at(-1)!, 'once');
  await until(() => heard.includes('once'));
});

test('subscriptions changed during a hand-over hold on the new connection', async () => {
  const { stream, followed } = await opened();
  const asked: string[] = [];
  onRequest = (socket, request) => {
    asked.push(`${sockets.indexOf(socket)} ${request.method} ${request.params.topic ?? ''}`);
    if (request.method === 'subscribe' && request.params.topic === 'orders') {
      followed.push({ topic: 'trades' });
      stream.subscribe({ topic: 'trades' });
      stream.unsubscribe({ topic: 'orders' });
    }
    acknowledge(socket, request);
  };
  await stream.handOver();
  expect(asked.filter((text) => text.startsWith('1'))).toEqual([
    '1 subscribe orders',
    '1 subscribe trades',
    '1 unsubscribe orders',
  ]);
  expect(asked).toContain('0 subscribe trades');
  expect(asked).toContain('0 unsubscribe orders');
});

test('a stream that is closed during a hand-over leaves no connection open, and says nothing more', async () => {
  const { stream, heard } = await opened();
  onRequest = () => stream.close();
  await stream.handOver();
  await Promise.all(sockets.map(closed));
  expect(sockets).toHaveLength(2);
  expect(heard).toEqual(['live true']);
});

test('J2 a stream that is held has no connection until that is over, whatever was under way when it began', async () => {
  const { stream, lives, heard, until } = await opened({}, { reconnectMs: 2 });
  stream.hold(true);
  await closed(sockets[0]!);
  expect(lives).toEqual([true, false]);
  await stream.handOver();
  // Back and forth while a connection is being made: one comes of it.
  for (const isHeld of [false, true, false, true, false]) stream.hold(isHeld);
  await until(() => lives.length === 3);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect([lives, upgrades, server.clients.size]).toEqual([[true, false, true], 2, 1]);
  say(sockets.at(-1)!, 'on again');
  await until(() => heard.includes('on again'));
  // Of one that is reconnecting too.
  refused = [503, 503];
  sockets.at(-1)!.terminate();
  await until(() => lives.length === 4);
  stream.hold(true);
  const before = upgrades;
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(upgrades - before).toBeLessThanOrEqual(1);
  refused = [];
  stream.hold(false);
  await until(() => lives.length === 5);
  expect(lives.at(-1)).toBe(true);
});

test('a stream that is cut as soon as it is live waits longer and longer before the next connection', async () => {
  onRequest = (socket, request) => {
    acknowledge(socket, request);
    socket.close();
  };
  const { waits, until } = await opened({}, { reconnectMs: 4, reconnectMaxMs: 1_000 });
  await until(() => waits.length === 8);
  // Half of each wait is by chance; the last may be twice 4 ms seven times over.
  expect(waits[7]).toBeGreaterThanOrEqual(4 * 2 ** 6);
});

test('a stream that begins with a snapshot is live with it, despite earlier frames of its topic', async () => {
  onRequest = (socket, request) => {
    acknowledge(socket, request);
    say(socket, 'update');
    socket.send(JSON.stringify({ type: 'snapshot', dataType: 'V1TAOrder', data: 'snapshot' }));
  };
  const { heard } = await opened({ snapshotOf: () => 'V1TAOrder' });
  expect(heard).toEqual(['update', 'snapshot', 'live true']);
});

test('takes a snapshot of fifty thousand open orders in one frame', async () => {
  const order = { orderId: '392883006043848705', symbol: 'BTCUSDC', padding: 'x'.repeat(900) };
  onRequest = (socket, request) => {
    acknowledge(socket, request);
    socket.send(JSON.stringify({ type: 'snapshot', dataType: 'V1TAOrder', data: Array(50_000).fill(order) }));
  };
  let orders = 0;
  const onFrame: StreamOptions['onFrame'] = ({ data }) => {
    orders = (data as unknown[]).length;
  };
  const { lives } = await opened({ snapshotOf: () => 'V1TAOrder', onFrame });
  expect([orders, lives]).toEqual([50_000, [true]]);
});

test("a repeated acknowledgement is not another subscription's: the stream is live with its own", async () => {
  onRequest = (socket, request) => {
    const isFirst = request.params.topic === 'orders';
    if (!isFirst) say(socket, 'before the last');
    for (let i = 0; i < (isFirst ? 3 : 1); i++) acknowledge(socket, request);
  };
  const { heard } = await opened({ subscriptions: () => [{ topic: 'orders' }, { topic: 'trades' }] });
  expect(heard).toEqual(['before the last', 'live true']);
});

test("a repeated snapshot of one account is not another's: the stream is live with its own", async () => {
  const accounts = ['1', '2', '3'];
  const snapshotOf = (tradingAccountId: string, data: string): string =>
    JSON.stringify({ type: 'snapshot', dataType: 'V1TAOrder', tradingAccountId, data });
  onRequest = (socket, request) => {
    acknowledge(socket, request);
    if (request.params.tradingAccountId !== '3') return;
    for (const [account, data] of [
      ['1', 'one'],
      ['1', 'one again'],
      ['1', 'and again'],
      ['3', 'three'],
      ['2', 'two'],
    ] as const)
      socket.send(snapshotOf(account, data));
  };
  const { heard } = await opened({
    subscriptions: () => accounts.map((tradingAccountId) => ({ topic: 'orders', tradingAccountId })),
    snapshotOf: () => 'V1TAOrder',
  });
  expect(heard).toEqual(['one', 'one again', 'and again', 'three', 'two', 'live true']);
});

test("doubles a stream's waits up to the longest, half random, and resets them after a live time", async () => {
  const { lives, waits, until } = await opened();
  refused = [503, 503, 503, 503];
  sockets[0]!.terminate();
  await until(() => lives.length === 3);
  // Twenty times the first of them.
  await new Promise((resolve) => setTimeout(resolve, 50));
  sockets[1]!.terminate();
  await until(() => lives.length === 5);
  const longest = [2, 4, 8, 16, 16, 2];
  expect(waits).toHaveLength(longest.length);
  for (const [i, ms] of longest.entries()) {
    expect(waits[i]).toBeGreaterThanOrEqual(ms / 2);
    expect(waits[i]).toBeLessThanOrEqual(ms);
  }
});

test('takes only 401 at the upgrade, or that code on the stream, as a refused token', async () => {
  const unauthorized: string[] = [];
  const { heard, until } = await opened({ onUnauthorized: (token) => unauthorized.push(token) });
  refused = [503, 403, 429];
  sockets[0]!.terminate();
  await until(() => heard.length === 3);
  expect(unauthorized).toEqual([]);
  refused = [401];
  sockets[1]!.terminate();
  await until(() => heard.length === 5);
  expect(unauthorized).toEqual(['t']);
  const refusal = { type: 'error', dataType: 'V1TAErrorResponse', data: { errorCode: 401 } };
  sockets[2]!.send(JSON.stringify(refusal));
  await until(() => heard.length === 7);
  expect(unauthorized).toEqual(['t', 't']);
  // Any other error is for those who listen.
  sockets[3]!.send(JSON.stringify({ ...refusal, data: { errorCode: 3005 } }));
  await until(() => heard.length === 8);
  expect(unauthorized).toEqual(['t', 't']);
});

test('an exchange that answers 403 to every upgrade is one alarm a minute, however often a stream tries', async () => {
  const { alarms, lives, until } = await opened();
  refused = [403, 403, 403, 403];
  sockets[0]!.terminate();
  await until(() => lives.length === 3);
  expect(alarms).toEqual(['address-blocked test stream: the exchange answered 403']);
});

test('waits as long as the exchange asks for a stream, at most a minute', async () => {
  const { waits, until } = await opened();
  refused = [
    [503, { 'retry-after': '30' }],
    [429, { 'retry-after': '3600' }],
  ];
  sockets[0]!.terminate();
  await until(() => waits.length === 3);
  expect(waits[1]).toBeLessThan(100);
  expect(waits[2]).toBe(60_000);
});

test('reports an unanswered subscription, and keeps the others on its connection', async () => {
  onRequest = (socket, request) => {
    if (request.params.topic !== 'trades') acknowledge(socket, request);
  };
  const { stream, lines, lives, until } = await opened({}, { loginMs: 60 });
  stream.subscribe({ topic: 'heartbeat' });
  stream.subscribe({ topic: 'trades' });
  await until(() => lines.length > 0);
  expect(lines).toEqual(['test stream: the exchange has not answered a subscription trades']);
  expect([lives, upgrades]).toEqual([[true], 1]);
});

test('reopens a stream with unanswered subscriptions of its own', async () => {
  onRequest = (socket, request) => {
    if (sockets.length > 1 || request.method === 'keepalivePing') acknowledge(socket, request);
  };
  const { lines } = await opened({}, { loginMs: 60 });
  expect(upgrades).toBe(2);
  expect(lines).toEqual(['test stream: the subscriptions were not answered in time; reconnecting ']);
});

test('drops a stream with nothing but pongs for too long, and reopens it', async () => {
  const silences: string[] = [];
  onRequest = (socket, request) => {
    const message = request.method === 'keepalivePing' ? 'Keep alive pong' : 'OK';
    socket.send(JSON.stringify({ id: request.id, result: { responseCode: '200', message } }));
  };
  const onSilence = (reason: string): void => void silences.push(reason);
  const { heard, until } = await opened({ silenceMs: 40, onSilence }, { keepaliveMs: 5, pongMs: 60_000 });
  await until(() => heard.length >= 3);
  expect(heard.slice(0, 3)).toEqual(['live true', 'live false', 'live true']);
  expect(silences[0]).toBe('nothing was said for 40 ms');
});

test('drops a stream with unanswered pings, and reopens it', async () => {
  const silences: string[] = [];
  onRequest = (socket, request) => {
    if (request.method !== 'keepalivePing') acknowledge(socket, request);
  };
  const onSilence = (reason: string): void => void silences.push(reason);
  const { heard, until } = await opened({ onSilence }, { keepaliveMs: 5, pongMs: 20 });
  await until(() => heard.length >= 3);
  expect(heard.slice(0, 3)).toEqual(['live true', 'live false', 'live true']);
  expect(silences[0]).toBe('no sign of life within 20 ms of a ping');
});

test('a pong that came while the process stood still is heard before the stream is taken for dead', async () => {
  const silences: string[] = [];
  let pings = 0;
  let look: () => void = () => {};
  onRequest = (socket, request) => {
    acknowledge(socket, request);
    if (request.method !== 'keepalivePing') return;
    if (++pings === 1) for (const until = performance.now() + 250; performance.now() < until; );
    look();
  };
  const onSilence = (reason: string): void => void silences.push(reason);
  const { lives } = await opened({ onSilence }, { keepaliveMs: 5, pongMs: 200 });
  while (pings < 4) {
    await new Promise<void>((resolve) => {
      look = resolve;
    });
  }
  expect([silences, lives, upgrades]).toEqual([[], [true], 1]);
});
