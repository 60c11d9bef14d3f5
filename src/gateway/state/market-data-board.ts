// The latest of the exchange's public feeds: books, last trades, ticks, index prices, imbalances, the feeds that are
// down, and the number of subscriptions per subject. market-data.ts decides who receives it and when.

import type {
  IndexPrice,
  MarketBook,
  MarketDataEvent,
  MarketTick,
  MarketTopic,
  MarketTrade,
  Noii,
} from '../../exchange/mod.ts';

/** A public feed, or that of the auctions, which comes without being asked for. */
export type FeedTopic = MarketTopic | 'noii';

/** `silent`: followed, and nothing came yet. `down`: its data is stale. */
export type FeedState = 'heard' | 'silent' | 'down';

/** One subject of a topic: a symbol, or an asset for `indexPrice`. */
export const subjectKey = (topic: FeedTopic, subject: string): string => `${topic} ${subject}`;

export class MarketDataBoard {
  readonly #books = new Map<string, MarketBook>();
  readonly #lastTrades = new Map<string, MarketTrade>();
  /** Symbols with a word of their trades, even that there was none. */
  readonly #heardTrades = new Set<string>();
  readonly #ticks = new Map<string, MarketTick>();
  readonly #indexPrices = new Map<string, IndexPrice>();
  readonly #noiis = new Map<string, Noii>();
  readonly #down = new Set<FeedTopic>();
  /** By topic and subject. */
  readonly #followers = new Map<string, number>();
  /** Changes so far of all symbols, and of single ones since. */
  #changes = 0;
  readonly #revisions = new Map<string, number>();
  #changesOfAll = 0;

  /** Another number after each change of what is known of a symbol; none comes again. */
  revision(symbol: string): number {
    return this.#revisions.get(symbol) ?? this.#changesOfAll;
  }

  /** Something changed: of one symbol, or of any of them. */
  #revise(symbol: string | null): void {
    this.#changes++;
    if (symbol !== null) {
      this.#revisions.set(symbol, this.#changes);
      return;
    }
    this.#revisions.clear();
    this.#changesOfAll = this.#changes;
  }

  /** Count a follower of a subject; true if it is the first, and the feed is to be asked for. */
  follow(topic: MarketTopic, subject: string): boolean {
    const key = subjectKey(topic, subject);
    const count = this.#followers.get(key) ?? 0;
    // We closed a feed without followers: its absence means nothing.
    if (count === 0 && !this.#isFollowed(topic) && this.#down.delete(topic)) this.#revise(null);
    this.#followers.set(key, count + 1);
    return count === 0;
  }

  /** Remove a follower; true if it was the last. The subject's data is dropped then. */
  unfollow(topic: MarketTopic, subject: string): boolean {
    const key = subjectKey(topic, subject);
    const count = this.#followers.get(key) ?? 0;
    if (count > 1) {
      this.#followers.set(key, count - 1);
      return false;
    }
    this.#forget(topic, subject);
    return this.#followers.delete(key);
  }

  /** The exchange does not serve this subject and follows it no more. */
  drop(topic: MarketTopic, subject: string): void {
    this.#followers.delete(subjectKey(topic, subject));
    this.#forget(topic, subject);
  }

  isFollowed(topic: FeedTopic, subject: string): boolean {
    return this.#followers.has(subjectKey(topic, subject));
  }

  /** Store the data; data without a follower is ignored. */
  take(event: MarketDataEvent): void {
    this.#revise(symbolOf(event));
    switch (event.kind) {
      case 'book': {
        const topic = event.depth === 'l1' ? 'l1Orderbook' : 'l2Orderbook';
        const { symbol } = event.book;
        if (this.isFollowed(topic, symbol)) this.#books.set(subjectKey(topic, symbol), event.book);
        return;
      }
      case 'marketTrades': {
        if (!this.isFollowed('anonymousTrades', event.symbol)) return;
        this.#heardTrades.add(event.symbol);
        const last = event.trades.at(-1);
        if (last !== undefined) this.#lastTrades.set(event.symbol, last);
        return;
      }
      case 'tick':
        if (this.isFollowed('tick', event.tick.symbol)) this.#ticks.set(event.tick.symbol, event.tick);
        return;
      case 'indexPrice': {
        const { assetSymbol } = event.indexPrice;
        if (this.isFollowed('indexPrice', assetSymbol)) this.#indexPrices.set(assetSymbol, event.indexPrice);
        return;
      }
      case 'noii':
        this.#noiis.set(event.noii.symbol, event.noii);
        return;
      case 'marketFeed':
        for (const topic of event.topics) this.#setFeed(topic, event.live);
        return;
      case 'marketRefused':
        this.drop(event.topic, event.subject);
    }
  }

  isDown(topic: FeedTopic): boolean {
    return this.#down.has(topic);
  }

  state(topic: FeedTopic, subject: string): FeedState {
    if (this.#down.has(topic)) return 'down';
    switch (topic) {
      case 'l1Orderbook':
      case 'l2Orderbook':
        return this.#books.has(subjectKey(topic, subject)) ? 'heard' : 'silent';
      case 'tick':
        return this.#ticks.has(subject) ? 'heard' : 'silent';
      case 'indexPrice':
        return this.#indexPrices.has(subject) ? 'heard' : 'silent';
      case 'anonymousTrades':
        return this.#heardTrades.has(subject) ? 'heard' : 'silent';
      // Without an auction it has nothing to say.
      case 'noii':
        return 'heard';
    }
  }

  book(topic: 'l1Orderbook' | 'l2Orderbook', symbol: string): MarketBook | null {
    return this.#books.get(subjectKey(topic, symbol)) ?? null;
  }

  lastTrade(symbol: string): MarketTrade | null {
    return this.#lastTrades.get(symbol) ?? null;
  }

  tick(symbol: string): MarketTick | null {
    return this.#ticks.get(symbol) ?? null;
  }

  indexPrice(assetSymbol: string): IndexPrice | null {
    return this.#indexPrices.get(assetSymbol) ?? null;
  }

  noii(symbol: string): Noii | null {
    return this.#noiis.get(symbol) ?? null;
  }

  /** Another auction of the symbol began; true if there was an imbalance of the one before. */
  newAuction(symbol: string, auctionId: string): boolean {
    const noii = this.#noiis.get(symbol);
    if (noii === undefined || noii.auctionId === auctionId) return false;
    this.#revise(symbol);
    return this.#noiis.delete(symbol);
  }

  #isFollowed(topic: MarketTopic): boolean {
    for (const key of this.#followers.keys()) if (key.startsWith(`${topic} `)) return true;
    return false;
  }

  #setFeed(topic: FeedTopic, live: boolean): void {
    if (live) {
      this.#down.delete(topic);
      return;
    }
    this.#down.add(topic);
    if (topic === 'l1Orderbook' || topic === 'l2Orderbook') {
      for (const key of this.#books.keys()) if (key.startsWith(`${topic} `)) this.#books.delete(key);
    } else if (topic === 'tick') this.#ticks.clear();
    else if (topic === 'indexPrice') this.#indexPrices.clear();
    else if (topic === 'noii') this.#noiis.clear();
    // The last trade stays the last one; its followers receive later ones when the feed is back.
  }

  #forget(topic: MarketTopic, subject: string): void {
    this.#revise(topic === 'indexPrice' ? null : subject);
    this.#books.delete(subjectKey(topic, subject));
    if (topic === 'tick') this.#ticks.delete(subject);
    else if (topic === 'indexPrice') this.#indexPrices.delete(subject);
    else if (topic === 'anonymousTrades') {
      this.#lastTrades.delete(subject);
      this.#heardTrades.delete(subject);
    }
  }
}

/** The symbol that an event is about; null for one about several, such as the price of an asset. */
function symbolOf(event: MarketDataEvent): string | null {
  switch (event.kind) {
    case 'book':
      return event.book.symbol;
    case 'marketTrades':
      return event.symbol;
    case 'tick':
      return event.tick.symbol;
    case 'noii':
      return event.noii.symbol;
    default:
      return null;
  }
}
