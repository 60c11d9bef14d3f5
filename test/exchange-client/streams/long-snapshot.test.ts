// The snapshot of very many open orders: processed in turns of the event loop with other work in between, each order
// once, before later frames.

import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ExchangeEvent } from '../../../src/exchange/mod.ts';
import type { ExchangeLogin } from '../../../src/exchange-client/login/login.ts';
import { resolveOptions } from '../../../src/exchange-client/options.ts';
import { PrivateFeed } from '../../../src/exchange-client/streams/private-feed.ts';
import type { StreamFrame } from '../../../src/exchange-client/streams/subscription.ts';
import { scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT } from '../venue.ts';

const ORDERS = 3_000;

let server: WebSocketServer;
let sockets: WebSocket[] = [];
let feed: PrivateFeed;
/** Frames after the acknowledgement of the orders. */
let said: (socket: WebSocket) => void;

beforeEach(async () => {
  sockets = [];
  said = (socket) => socket.send(frame('snapshot', snapshot(ORDERS)));
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('message', (text) => {
      const { id, method, params } = JSON.parse(String(text)) as Record<string, string> & { params: { topic: string } };
      socket.send(JSON.stringify({ id, result: { message: method === 'keepalivePing' ? 'Keep alive pong' : 'OK' } }));
      if (params.topic === 'trades') socket.send(frame('snapshot', [], 'V1TATrade'));
      if (params.topic === 'orders') said(socket);
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
});

afterEach(async () => {
  feed.close();
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

function order(orderId: number, publishedAt = 1, quantityFilled = '0', status = 'OPEN'): object {
  const what = { symbol: 'BTCUSDC', side: 'BUY', quantity: '5', price: '100.0', type: 'LIMIT' };
  return { ...what, orderId: String(orderId), quantityFilled, status, publishedAtTimestamp: String(publishedAt) };
}

const snapshot = (count: number, publishedAt = 1): object[] =>
  Array.from({ length: count }, (_, i) => order(i, publishedAt));

const frame = (type: string, data: unknown, dataType = 'V1TAOrder'): string =>
  JSON.stringify({ type, tradingAccountId: ACCOUNT, dataType, data });

/** A feed of an account, and all its events in order. */
function opened(onEvent: (event: ExchangeEvent) => void = () => {}) {
  const { port } = server.address() as { port: number };
  const told: string[] = [];
  const frames: StreamFrame[] = [];
  const alarms: string[] = [];
  let look: () => void = () => {};
  const options = resolveOptions({
    ...scriptedOptions(`http://127.0.0.1:${port}`, [ACCOUNT]),
    timeouts: { reconnectMs: 2, reconnectMaxMs: 4 },
    onNonceCeiling: () => {},
    log: () => {},
    onAlarm: (alarm) => {
      alarms.push(alarm);
      look();
    },
  });
  const login = { current: { token: 't', authorizer: 'a' } } as unknown as ExchangeLogin;
  feed = new PrivateFeed({
    options,
    login,
    onEvent: (event) => {
      if (event.kind === 'order') told.push(`${event.order.orderId} ${event.order.quantityFilled}`);
      if (event.kind === 'feed') told.push(`live ${event.live}`);
      onEvent(event);
      look();
    },
    onFrame: (one) => frames.push(one),
  });
  feed.open();
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) {
      await new Promise<void>((resolve) => {
        look = resolve;
      });
    }
  };
  return { told, frames, alarms, until };
}

const inOrder = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `${from + i} 0`);

test('interleaves a long snapshot with other work, keeps the order, and is live at its end', async () => {
  said = (socket) => {
    socket.send(frame('snapshot', snapshot(ORDERS)));
    socket.send(frame('update', order(ORDERS - 1, 2, '1')));
  };
  let inThisTurn = 0;
  let most = 0;
  const turn = (): void => {
    inThisTurn = 0;
    if (!told.includes('live true')) setImmediate(turn);
  };
  const { told, frames, until } = opened(({ kind }) => {
    if (kind === 'order') most = Math.max(most, ++inThisTurn);
  });
  turn();
  await until(() => told.length === ORDERS + 2);
  expect(told.slice(0, ORDERS)).toEqual(inOrder(0, ORDERS));
  expect(told.slice(ORDERS).sort()).toEqual([`${ORDERS - 1} 1`, 'live true']);
  expect(most).toBeLessThanOrEqual(40);
  // A bridge listener gets it whole.
  const [whole, ...others] = frames.filter(({ dataType }) => dataType === 'V1TAOrder');
  expect(whole).toMatchObject({ type: 'snapshot', tradingAccountId: ACCOUNT });
  expect(whole!.data).toHaveLength(ORDERS);
  expect(others).toHaveLength(1);
});

test('a connection lost within a snapshot reports no more, and leaves nothing open', async () => {
  said = (socket) => {
    // The first one's orders in the second have ended.
    socket.send(frame('snapshot', sockets.length === 1 ? snapshot(ORDERS) : snapshot(ORDERS, 2).slice(10)));
  };
  const { told, until } = opened(({ kind }) => {
    if (kind === 'order' && told.length === 100) sockets[0]!.terminate();
  });
  await until(() => told.includes('live true'));
  const again = told.lastIndexOf('10 0');
  expect(again).toBeGreaterThan(100);
  expect(again).toBeLessThan(ORDERS);
  expect(told.slice(0, again)).toEqual(inOrder(0, again));
  expect(told.slice(again)).toEqual([...inOrder(10, ORDERS), 'live true']);
  expect(feed.memory.openBeside([], ACCOUNT).map(({ orderId }) => Number(orderId))).toEqual(
    Array.from({ length: ORDERS - 10 }, (_, i) => i + 10),
  );
});

test('reports a whole snapshot after a loss, with unchanged open orders', async () => {
  said = (socket) => socket.send(frame('snapshot', snapshot(3)));
  const { told, until } = opened();
  await until(() => told.length === 4);
  sockets[0]!.terminate();
  await until(() => told.filter((text) => text === 'live true').length === 2);
  expect(told.slice(4)).toEqual(['live false', ...inOrder(0, 3), 'live true']);
  expect(feed.memory.openBeside([], ACCOUNT)).toHaveLength(3);
});

test('a hand-over with a long snapshot reports each state once, and proves no absence before', async () => {
  const { told, frames, until } = opened();
  await until(() => told.length === ORDERS + 1);
  const from = told.length;
  said = (socket) => {
    socket.send(frame('snapshot', [...snapshot(ORDERS), order(ORDERS, 2)]));
    socket.send(frame('update', order(ORDERS + 1, 3)));
  };
  await feed.handOver();
  expect(sockets).toHaveLength(2);
  expect([feed.isLive, told.slice(from)]).toEqual([false, []]);
  await until(() => told.length === from + 2);
  expect(told.slice(from)).toEqual([`${ORDERS} 0`, `${ORDERS + 1} 0`]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(feed.isLive).toBe(true);
  const orders = frames.filter(({ dataType }) => dataType === 'V1TAOrder');
  expect(orders.at(-2)).toMatchObject({ type: 'update', data: [{ orderId: String(ORDERS) }] });
});

test('a long snapshot is no silence, and no subscription that is not answered, however long it takes', async () => {
  // By a clock that goes on between its turns and at no other time: slower than any wait of the connection.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  let turns = 0;
  const turn = (): void => {
    if (told.includes('live true')) return;
    turns++;
    vi.advanceTimersByTime(10_000);
    setImmediate(turn);
  };
  const { told, alarms, until } = opened(() => {
    if (told.length === 1) setImmediate(turn);
  });
  await until(() => told.includes('live true') || alarms.length > 0);
  expect([sockets.length, alarms]).toEqual([1, []]);
  expect(told).toEqual([...inOrder(0, ORDERS), 'live true']);
  expect(turns).toBeGreaterThan(20);
});
