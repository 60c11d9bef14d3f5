// Unreadable stream data, such as a new status or phase: operators learn of it, and nothing is decided by earlier
// state.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ExchangeEvent, Market } from '../../../src/exchange/mod.ts';
import type { ExchangeLogin } from '../../../src/exchange-client/login/login.ts';
import { resolveOptions } from '../../../src/exchange-client/options.ts';
import { AuctionFeed } from '../../../src/exchange-client/streams/auction-feed.ts';
import { PrivateFeed } from '../../../src/exchange-client/streams/private-feed.ts';
import { scriptedOptions } from '../../support/exchange/scripted-exchange.ts';
import { ACCOUNT } from '../venue.ts';

let server: WebSocketServer;
let feed: { close(): void } | null = null;
const events: ExchangeEvent[] = [];
const alarms: string[] = [];
const logged: unknown[] = [];
let look: () => void = () => {};
let elapsedMs = 0;

beforeEach(async () => {
  events.length = 0;
  alarms.length = 0;
  logged.length = 0;
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    socket.on('message', (text) => {
      const { id, params } = JSON.parse(String(text)) as { id: string; params: Record<string, string> };
      socket.send(JSON.stringify({ id, result: { responseCode: '200', message: 'OK' } }));
      const dataType = { orders: 'V1TAOrder', trades: 'V1TATrade', phase: 'V1TAAuctionPhase' }[params.topic ?? ''];
      const data = dataType === 'V1TAAuctionPhase' ? [PHASE] : [];
      if (dataType !== undefined) socket.send(JSON.stringify({ type: 'snapshot', dataType, data }));
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
});

afterEach(async () => {
  feed?.close();
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

const PHASE = { auctionId: '1', symbol: 'BTCUSDC', phase: 'LOCKDOWN', eventType: 'AUCTION_LOCKDOWN' };

/** Parts of feeds, and a wait for an event. */
function parts() {
  const { port } = server.address() as { port: number };
  const options = resolveOptions({
    ...scriptedOptions(`http://127.0.0.1:${port}`, [ACCOUNT]),
    auctionSymbols: 'all',
    onNonceCeiling: () => {},
    log: (_level, text, fields) => void (text.includes('not understood') && logged.push({ text, ...fields })),
    elapsedMs: () => elapsedMs,
    onAlarm: (alarm, text) => alarms.push(`${alarm}: ${text}`),
  });
  const onEvent = (event: ExchangeEvent): void => {
    events.push(event);
    look();
  };
  const until = async (isSo: (event: ExchangeEvent) => boolean): Promise<void> => {
    while (!events.some(isSo)) {
      await new Promise<void>((resolve) => {
        look = resolve;
      });
    }
  };
  return { options, onEvent, onFrame: () => {}, until };
}

const say = (dataType: string, data: unknown): void => {
  for (const socket of server.clients as Set<WebSocket>) {
    socket.send(JSON.stringify({ type: 'update', dataType, tradingAccountId: ACCOUNT, data }));
  }
};

test('alarms once a minute per kind for an unreadable order or trade', async () => {
  const { until, ...own } = parts();
  const login = { current: { token: 't', authorizer: 'a' } } as unknown as ExchangeLogin;
  const privateFeed = new PrivateFeed({ ...own, login });
  feed = privateFeed;
  privateFeed.open();
  await until(({ kind }) => kind === 'feed');
  const order = { orderId: '4711', symbol: 'BTCUSDC', side: 'BUY', quantity: '1', quantityFilled: '0' };
  const isHeard = (id: string) => (event: ExchangeEvent) => event.kind === 'order' && event.order.orderId === id;
  for (const status of ['SUSPENDED', 'OPEN', 'SUSPENDED']) say('V1TAOrder', { ...order, status });
  say('V1TATrade', { tradeId: '9', orderId: '4711', symbol: 'BTCUSDC', side: 'BUY', price: 'free', quantity: '1' });
  say('V1TAOrder', { ...order, orderId: '4712', status: 'OPEN' });
  await until(isHeard('4712'));
  elapsedMs += 60_000;
  say('V1TAOrder', { ...order, status: 'SUSPENDED' });
  say('V1TAOrder', { ...order, orderId: '4713', status: 'OPEN' });
  await until(isHeard('4713'));
  const told = (what: string): string =>
    `entry-not-understood: what the exchange says of order 4711 (${what}) is not understood and was left out: the order stays here as it was`;
  expect(alarms).toEqual([told('V1TAOrder'), told('V1TATrade'), told('V1TAOrder')]);
});

test('T3 a phase that is not known leaves the orders of its auction to the exchange', async () => {
  const { until, ...own } = parts();
  const auctions = new AuctionFeed({ ...own, onMarketData: () => {} });
  feed = auctions;
  auctions.follow([{ symbol: 'BTCUSDC', auctionEnabled: true } as Market]);
  await until(({ kind }) => kind === 'phase');
  say('V1TAAuctionPhase', { ...PHASE, phase: 'EXTENSION' });
  await until(({ kind }) => kind === 'phaseUnknown');
  expect(events.at(-1)).toEqual({ kind: 'phaseUnknown', symbol: 'BTCUSDC' });
});

test('logs unreadable data once a minute, with its count', async () => {
  const { until, ...own } = parts();
  const auctions = new AuctionFeed({ ...own, onMarketData: () => {} });
  feed = auctions;
  auctions.follow([{ symbol: 'BTCUSDC', auctionEnabled: true } as Market]);
  await until(({ kind }) => kind === 'phase');
  for (let i = 0; i < 500; i++) say('V1TANoii', { symbol: 'BTCUSDC', imbalanceSide: 'SIDEWAYS' });
  say('V1TAAuctionPhase', { ...PHASE, auctionId: '2' });
  await until((event) => event.kind === 'phase' && event.phase.auctionId === '2');
  elapsedMs += 60_000;
  say('V1TANoii', { symbol: 'BTCUSDC' });
  say('V1TAAuctionPhase', { ...PHASE, auctionId: '3' });
  await until((event) => event.kind === 'phase' && event.phase.auctionId === '3');
  const text = 'an entry of a stream is not understood and was left out';
  const fields = { dataType: 'V1TANoii', symbol: 'BTCUSDC' };
  expect(logged).toEqual([
    { text, ...fields },
    { text, ...fields, unsaidBefore: 499 },
  ]);
});
