// Public feeds through the client: books, trades, ticks and index prices, each once, through cuts, repeats and refusals.

import { afterEach, expect, test } from 'vitest';
import {
  decodeBook,
  decodeMarketTrades,
  decodeNoii,
  type ExchangeEvent,
  type MarketDataEvent,
} from '../../../src/exchange/mod.ts';
import type { ExchangeClient } from '../../../src/exchange-client/mod.ts';
import { isFeed, isOrder, limitBuy, openVenue, type Venue } from '../venue.ts';

let venue: Venue | null = null;
afterEach(async () => {
  await venue?.close();
  venue = null;
});

type Of<K extends MarketDataEvent['kind']> = Extract<MarketDataEvent, { kind: K }>;

/** Market data of a client, and a way to wait for it. */
function listen(client: ExchangeClient) {
  const events: MarketDataEvent[] = [];
  const looks = new Set<() => void>();
  client.onMarketData = (event) => {
    events.push(event);
    for (const look of looks) look();
  };
  const until = <K extends MarketDataEvent['kind']>(
    kind: K,
    matches: (event: Of<K>) => boolean = () => true,
    from = 0,
  ): Promise<Of<K>> =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = events
          .slice(from)
          .find((event): event is Of<K> => event.kind === kind && matches(event as Of<K>));
        if (found === undefined) return;
        looks.delete(look);
        resolve(found);
      };
      looks.add(look);
      look();
    });
  return { events, until };
}

test('a book is followed: the present state first, then every change, both depths on one connection', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect({ referenceSymbols: [] });
  const market = listen(client);
  await client.start();
  await until(isFeed('private', true));
  expect(client.subscribe('l2Orderbook', 'BTCUSDC')).toBe(true);
  expect(client.subscribe('l1Orderbook', 'BTCUSDC')).toBe(true);
  const { topics } = await market.until('marketFeed', (event) => event.live && event.topics.includes('l2Orderbook'));
  // Frames of other connections are not reported.
  expect(topics).toEqual(['l1Orderbook', 'l2Orderbook']);
  await market.until('book', ({ depth }) => depth === 'l2');
  await client.submit('c1', limitBuy('1', '49000.0', '0.02'));
  const { book } = await market.until('book', (e) => e.depth === 'l2' && e.book.bids.length === 1);
  expect(book.bids).toEqual([{ price: '49000.0000', quantity: '0.02000000' }]);
  const top = await market.until('book', (e) => e.depth === 'l1' && e.book.bids.length === 1);
  expect(top.book).toMatchObject({ symbol: 'BTCUSDC', bids: [{ price: '49000.0000' }], asks: [] });
  const numbers = market.events.flatMap((e) => (e.kind === 'book' && e.depth === 'l2' ? [e.book.sequence] : []));
  expect([...numbers].sort((a, b) => (a < b ? -1 : 1))).toEqual(numbers);
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('trades are said once each, oldest first, through a cut, a repeated and a late frame', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect({ referenceSymbols: [] });
  const market = listen(client);
  await client.start();
  await until(isFeed('private', true));
  client.subscribe('anonymousTrades', 'BTCUSDC');
  await market.until('marketFeed', ({ live }) => live);
  await client.submit('c1', limitBuy('1', '50000.0', '0.1'));
  await until(isOrder('1', 'OPEN'));
  const { control } = venue.simulator;
  const trade = (): string => control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
  const said = (): string[] =>
    market.events.flatMap((e) => (e.kind === 'marketTrades' ? e.trades.map(({ tradeId }) => tradeId) : []));
  control.armStream({ what: 'duplicate', dataType: 'V1TAAnonymousTradeUpdate' });
  trade();
  await market.until('marketTrades');
  const from = market.events.length;
  control.cutStreams();
  await market.until('marketFeed', ({ live }) => !live, from);
  trade();
  await market.until('marketTrades', () => true, from);
  control.armStream({ what: 'reorder', dataType: 'V1TAAnonymousTradeUpdate' });
  trade();
  trade();
  await market.until('marketTrades', () => said().length === 4);
  expect(new Set(said()).size).toBe(4);
  const gaps = market.events.filter((e) => e.kind === 'marketTrades' && e.gapBefore);
  expect(gaps).toEqual([]);
});

test('a feed that was away for longer than its snapshot reaches says so', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect({ referenceSymbols: [] });
  const market = listen(client);
  await client.start();
  await until(isFeed('private', true));
  client.subscribe('anonymousTrades', 'BTCUSDC');
  await market.until('marketFeed', ({ live }) => live);
  await client.submit('c1', limitBuy('1', '50000.0', '0.5'));
  await until(isOrder('1', 'OPEN'));
  const { control } = venue.simulator;
  control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
  await market.until('marketTrades');
  const from = market.events.length;
  control.cutStreams();
  for (let i = 0; i < 101; i++) control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
  const { gapBefore, trades, source } = await market.until('marketTrades', () => true, from);
  expect([gapBefore, trades.length, source]).toEqual([true, 100, 'snapshot']);
});

test('a symbol that the exchange does not know is refused alone; the others go on', async () => {
  venue = await openVenue();
  const { client } = venue.connect({ referenceSymbols: [] });
  const market = listen(client);
  await client.start();
  client.subscribe('l2Orderbook', 'NONSUCH');
  client.subscribe('l2Orderbook', 'BTCUSDC');
  expect(await market.until('marketRefused')).toMatchObject({ topic: 'l2Orderbook', subject: 'NONSUCH' });
  await market.until('book', ({ book }) => book.symbol === 'BTCUSDC');
  expect(market.events.some((e) => e.kind === 'marketFeed' && !e.live)).toBe(false);
});

test.each(['l2Orderbook', 'tick', 'anonymousTrades'] as const)(
  'repeated requests for the present state of a %s share one connection',
  async (topic) => {
    venue = await openVenue();
    const { client, until } = venue.connect({ referenceSymbols: [] });
    const market = listen(client);
    await client.start();
    await until(isFeed('private', true));
    const { control } = venue.simulator;
    await client.submit('c1', limitBuy('1', '50000.0', '0.5'));
    const kind = ({ l2Orderbook: 'book', tick: 'tick', anonymousTrades: 'marketTrades' } as const)[topic];
    if (topic === 'anonymousTrades') control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
    for (let question = 0; question < 3; question++) {
      const from = market.events.length;
      client.subscribe(topic, 'BTCUSDC');
      await market.until(kind, () => true, from);
      client.unsubscribe(topic, 'BTCUSDC');
    }
    const opened = market.events.filter(
      (event) => event.kind === 'marketFeed' && event.live && event.topics.includes(topic),
    );
    expect(opened).toHaveLength(1);
  },
);

test.each(['l2Orderbook', 'tick'] as const)(
  'closes a connection with a %s as its only subject once that is refused',
  async (topic) => {
    venue = await openVenue();
    const { control } = venue.simulator;
    const { client, until } = venue.connect({ referenceSymbols: [] });
    const market = listen(client);
    await client.start();
    await until(isFeed('private', true));
    await until(isFeed('auction', true));
    const before = control.streamCount;
    client.subscribe(topic, 'NONSUCH');
    await market.until('marketRefused');
    await expect.poll(() => control.streamCount).toBe(before);
    // Another subject opens one again.
    client.subscribe(topic, 'BTCUSDC');
    await market.until('marketFeed', ({ live, topics }) => live && topics.includes(topic));
    expect(control.streamCount).toBe(before + 1);
  },
);

test('follows index prices and ticks; an unsubscribed one is silent', async () => {
  venue = await openVenue();
  const { control } = venue.simulator;
  const { client, until } = venue.connect({ referenceSymbols: ['BTCUSDC'] });
  const market = listen(client);
  await client.start();
  await until(isFeed('private', true));
  client.subscribe('indexPrice', 'BTC');
  expect((await market.until('indexPrice')).indexPrice).toMatchObject({ assetSymbol: 'BTC' });
  client.subscribe('tick', 'BTCUSDC');
  await client.submit('c1', limitBuy('1', '50000.0', '0.1'));
  await until(isOrder('1', 'OPEN'));
  control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
  expect((await market.until('tick', ({ tick }) => Number(tick.last) === 50_000)).tick.symbol).toBe('BTCUSDC');
  client.unsubscribe('tick', 'BTCUSDC');
  const from = market.events.length;
  control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
  // The reference price still follows the tick; market data does not.
  await until((e): e is Extract<typeof e, { kind: 'referencePrice' }> => e.kind === 'referencePrice');
  client.subscribe('l1Orderbook', 'BTCUSDC');
  await market.until('book', () => true, from);
  expect(market.events.slice(from).filter(({ kind }) => kind === 'tick')).toEqual([]);
});

test('a dropped subject is silent while others go on, and speaks again when followed', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect({ referenceSymbols: [], timeouts: { marketIdleMs: 20 } });
  const market = listen(client);
  await client.start();
  await until(isFeed('private', true));
  client.subscribe('l2Orderbook', 'BTCUSDC');
  client.subscribe('l1Orderbook', 'BTCUSDC');
  await market.until('book', ({ depth }) => depth === 'l2');
  client.unsubscribe('l2Orderbook', 'BTCUSDC');
  const given = market.events.length;
  await client.submit('c1', limitBuy('1', '49000.0', '0.02'));
  await market.until('book', (e) => e.depth === 'l1' && e.book.bids.length === 1, given);
  const later = market.events.slice(given);
  expect(later.filter((e) => e.kind === 'book' && e.depth === 'l2')).toEqual([]);
  client.subscribe('l2Orderbook', 'BTCUSDC');
  await market.until('book', (e) => e.depth === 'l2' && e.book.bids.length === 1, given);
  const { control } = venue.simulator;
  const { streamCount } = control;
  for (const topic of ['l1Orderbook', 'l2Orderbook'] as const) client.unsubscribe(topic, 'BTCUSDC');
  // The last one takes its connection with it, a while later, which the next one opens anew.
  await expect.poll(() => control.streamCount).toBe(streamCount - 1);
  const from = market.events.length;
  client.subscribe('l1Orderbook', 'BTCUSDC');
  await market.until('marketFeed', ({ live, topics }) => live && topics.includes('l1Orderbook'), from);
  await market.until('book', ({ depth }) => depth === 'l1', from);
});

test('a tick of two sessions goes on until both have dropped it', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect({ referenceSymbols: [] });
  const market = listen(client);
  await client.start();
  await until(isFeed('private', true));
  client.subscribe('tick', 'BTCUSDC');
  client.subscribe('tick', 'BTCUSDC');
  await market.until('tick');
  client.unsubscribe('tick', 'BTCUSDC');
  await client.submit('c1', limitBuy('1', '50000.0', '0.1'));
  await until(isOrder('1', 'OPEN'));
  venue.simulator.control.trade('BTCUSDC', 'SELL', '50000.0', '0.001');
  await market.until('tick', ({ tick }) => Number(tick.last) === 50_000);
});

test('gives a new follower of a quiet market the last tick at once', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect({ referenceSymbols: ['BTCUSDC'] });
  const market = listen(client);
  await client.start();
  await until(isFeed('private', true));
  await market.until('marketFeed', ({ live, topics }) => live && topics.includes('tick'));
  await client.submit('c1', limitBuy('1', '50100.0', '0.1'));
  await until(isOrder('1', 'OPEN'));
  venue.simulator.control.trade('BTCUSDC', 'SELL', '50100.0', '0.001');
  type Price = Extract<ExchangeEvent, { kind: 'referencePrice' }>;
  await until((e): e is Price => e.kind === 'referencePrice' && Number(e.price) === 50_100);
  for (const _ of ['first', 'again']) {
    const from = market.events.length;
    client.subscribe('tick', 'BTCUSDC');
    const [said] = market.events.slice(from);
    expect(said).toMatchObject({ kind: 'tick', tick: { symbol: 'BTCUSDC' } });
    client.unsubscribe('tick', 'BTCUSDC');
  }
});

test('the snapshot of a market that was never traded says so, and the next trades have no gap before them', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect();
  const market = listen(client);
  await client.start();
  await until(isFeed('private', true));
  client.subscribe('anonymousTrades', 'BTCUSDC');
  expect(await market.until('marketTrades')).toMatchObject({ symbol: 'BTCUSDC', trades: [], gapBefore: false });
});

test('imbalances of auctions come as market data', async () => {
  venue = await openVenue();
  const { client, until } = venue.connect();
  const market = listen(client);
  await client.start();
  await until(isFeed('auction', true));
  await market.until('marketFeed', ({ topics, live }) => live && topics.includes('noii'));
  venue.simulator.control.toPhase('BTCUSDC', 'LOCKDOWN');
  expect((await market.until('noii')).noii).toMatchObject({ symbol: 'BTCUSDC', eventType: 'UPDATE' });
});

test('books are read in the shapes of the documents, and nothing is made of a broken one', () => {
  const l2 = {
    symbol: 'X',
    sequenceNumberRange: [7, '9'],
    bids: ['2', '1', '1', '3'],
    asks: [],
    timestamp: '5',
    more: 1,
  };
  expect(decodeBook(l2)).toEqual({
    symbol: 'X',
    sequence: 9n,
    bids: [
      { price: '2', quantity: '1' },
      { price: '1', quantity: '3' },
    ],
    asks: [],
    updatedAt: 5,
  });
  expect(decodeBook({ symbol: 'X', sequenceNumber: '8', bid: [['2', '1']], ask: null })?.bids).toHaveLength(1);
  expect(decodeBook({ ...l2, bids: ['2'] })).toBeNull();
  expect(decodeBook({ ...l2, bids: ['2', 'many'] })).toBeNull();
  expect(decodeBook({ ...l2, sequenceNumberRange: undefined })).toBeNull();
  const trade = { tradeId: '1', price: '2', quantity: '3' };
  expect(decodeMarketTrades({ trades: [trade] })).toBeNull();
  expect(decodeMarketTrades({ symbol: 'X', trades: [trade] })?.trades).toMatchObject([{ ...trade, symbol: 'X' }]);
  for (const broken of [{ price: 'much' }, { price: null }, { quantity: undefined }, { tradeId: null }]) {
    const trades = decodeMarketTrades({ symbol: 'X', trades: [trade, { ...trade, ...broken }] });
    expect(trades?.trades ?? [], JSON.stringify(broken)).not.toContainEqual(expect.objectContaining(broken));
  }
  const noii = { auctionId: '1', symbol: 'X', eventType: 'UPDATE', imbalanceDirection: 'BUY' };
  expect(decodeNoii(noii)).toMatchObject({ symbol: 'X', imbalanceDirection: 'BUY' });
  for (const broken of [{ imbalanceDirection: 'UP' }, { eventType: 'HINT' }, { symbol: null }, { auctionId: '' }]) {
    expect(decodeNoii({ ...noii, ...broken }), JSON.stringify(broken)).toBeNull();
  }
});
