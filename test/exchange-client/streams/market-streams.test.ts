// Frames left out of the public feeds: late, repeated, and without followers; against a scripted server. Feeds of a
// whole client are market-data.test.ts.

import { afterEach, beforeEach, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import type { MarketDataEvent } from '../../../src/exchange/mod.ts';
import { resolveOptions } from '../../../src/exchange-client/options.ts';
import { MarketStreams } from '../../../src/exchange-client/streams/market-streams.ts';
import { scriptedOptions } from '../../support/exchange/scripted-exchange.ts';

let server: WebSocketServer;
let streams: MarketStreams;
/** Frames in short. */
let told: string[];
let looks: (() => void)[];

beforeEach(async () => {
  [told, looks] = [[], []];
  server = new WebSocketServer({ host: '127.0.0.1', port: 0 });
  server.on('connection', (socket) => {
    socket.on('message', (text) => {
      const { id } = JSON.parse(String(text)) as { id: string };
      socket.send(JSON.stringify({ id, result: { responseCode: '200', message: 'OK' } }));
    });
  });
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const options = resolveOptions({
    ...scriptedOptions(`http://127.0.0.1:${port}`, []),
    timeouts: { reconnectMs: 2, reconnectMaxMs: 4 },
    onNonceCeiling: () => {},
    log: () => {},
    onAlarm: () => {},
  });
  streams = new MarketStreams(options, (event) => {
    told.push(inShort(event));
    for (const look of looks.splice(0)) look();
  });
});

afterEach(async () => {
  streams.close();
  for (const socket of server.clients) socket.terminate();
  await new Promise((resolve) => server.close(resolve));
});

function inShort(event: MarketDataEvent): string {
  switch (event.kind) {
    case 'book':
      return `${event.depth} ${event.book.symbol} ${event.book.sequence}`;
    case 'marketTrades':
      return `${event.gapBefore ? 'gap, ' : ''}${event.symbol} ${event.trades.map(({ tradeId }) => tradeId)}`;
    case 'tick':
      return `tick ${event.tick.symbol}`;
    case 'indexPrice':
      return `index ${event.indexPrice.assetSymbol}`;
    case 'marketFeed':
      return event.live ? 'live' : 'gone';
    default:
      return event.kind;
  }
}

async function until(text: string): Promise<void> {
  while (!told.includes(text)) await new Promise<void>((resolve) => looks.push(resolve));
}

const say = (dataType: string, data: unknown, type = 'update'): void => {
  for (const socket of server.clients) socket.send(JSON.stringify({ type, dataType, data }));
};
const book = (symbol: string, sequenceNumber: string): void => say('V1TALevel2', { symbol, sequenceNumber });
const trades = (symbol: string, ...ids: string[]): void => {
  const list = ids.map((tradeId) => ({ tradeId, price: '5', quantity: '1', createdAtTimestamp: 1_780_000_000_000 }));
  say('V1TAAnonymousTradeUpdate', { symbol, trades: list });
};

/** Have every connection cut, and wait until it is there again. */
async function cut(): Promise<void> {
  for (const socket of server.clients) socket.terminate();
  await until('gone');
  told.length = 0;
  await until('live');
}

test('a book that is late or said again is left out; behind a cut the exchange may number anew', async () => {
  streams.subscribe('l2Orderbook', 'BTCUSDC');
  await until('live');
  for (const number of ['9007199254740993', '9007199254740992', '9007199254740993', '9007199254740994'])
    book('BTCUSDC', number);
  await until('l2 BTCUSDC 9007199254740994');
  expect(told).toEqual(['live', 'l2 BTCUSDC 9007199254740993', 'l2 BTCUSDC 9007199254740994']);
  await cut();
  book('BTCUSDC', '7');
  await until('l2 BTCUSDC 7');
});

test('a number far too high stops no book for good: ten later states in a row say that it goes on below it', async () => {
  streams.subscribe('l2Orderbook', 'BTCUSDC');
  await until('live');
  book('BTCUSDC', '99999999999999999999');
  // Late ones come out of order, or again.
  for (const number of ['5', '4', '5', '5', '6', '7', '8', '9', '10', '11', '12', '13', '14', '15', '14', '16'])
    book('BTCUSDC', number);
  await until('l2 BTCUSDC 16');
  expect(told).toEqual(['live', 'l2 BTCUSDC 99999999999999999999', 'l2 BTCUSDC 14', 'l2 BTCUSDC 15', 'l2 BTCUSDC 16']);
});

test.each([
  ['books', 'l2Orderbook', book, 'l2 END 1'],
  ['trades', 'anonymousTrades', trades, 'END 1'],
  ['ticks', 'tick', (symbol: string) => say('V1TATickerResponse', { symbol, last: '5' }), 'tick END'],
  [
    'index prices',
    'indexPrice',
    (assetSymbol: string) => say('V1TAIndexPrice', { assetSymbol, price: '5' }),
    'index END',
  ],
] as const)('leaves %s without followers out, and an error frame concerns none', async (_what, topic, of, last) => {
  streams.subscribe(topic, 'END');
  await until('live');
  of('BTCUSDC', '1');
  say('V1TALevel2', { symbol: 'END', sequenceNumber: '0' }, 'error');
  of('END', '1');
  await until(last);
  expect(told).toEqual(['live', last]);
});

test('trades before any others are missed by no one; those behind a longer cut are', async () => {
  streams.subscribe('anonymousTrades', 'BTCUSDC');
  await until('live');
  trades('BTCUSDC');
  await cut();
  trades('BTCUSDC', '1');
  await until('BTCUSDC 1');
  await cut();
  trades('BTCUSDC', '2');
  await until('gap, BTCUSDC 2');
});

test('remembers five hundred trades per market; later repeats count as new', async () => {
  streams.subscribe('anonymousTrades', 'BTCUSDC');
  await until('live');
  for (let id = 1; id <= 500; id++) trades('BTCUSDC', `${id}`);
  trades('BTCUSDC', '1', '501');
  await until('BTCUSDC 501');
  trades('BTCUSDC', '1', '2', '502');
  await until('BTCUSDC 1,502');
});

test('follows five thousand subjects over all feeds, and beyond that those with own limits', () => {
  for (let i = 0; i < 5_000; i++) expect(streams.subscribe('tick', `S${i}`)).toBe(true);
  expect(streams.subscribe('tick', 'one more')).toBe(false);
  expect(streams.subscribe('tick', 'S0')).toBe(true);
  expect(streams.subscribe('tick', 'one more', true)).toBe(true);
});
