// The public feeds: one connection per followed stream of the exchange, opened with the first subject and closed a
// while after the last. Late, repeated and reordered frames are dropped. The gateway turns market data into FIX.

import {
  decodeBook,
  decodeIndexPrice,
  decodeMarketTrades,
  decodeTick,
  type MarketBook,
  type MarketDataEvent,
  type MarketTick,
  type MarketTopic,
  toObject,
  toText,
} from '../../exchange/mod.ts';
import { RareLog } from '../log-throttle.ts';
import type { ResolvedOptions } from '../options.ts';
import { framesOf, LastFrames, type MarketFrameListener } from './last-frames.ts';
import { Stream } from './stream.ts';
import type { StreamFrame, Subscription } from './subscription.ts';

/** Subjects followed at once, over all topics; subjects for limits (rule O12) are followed beyond it too. */
const SUBJECTS_MAX = 5_000;
/** So many states of a book that follow each other, all numbered below the last one, say that it was numbered anew, or wrongly. */
const BEHIND_MAX = 10;
/** Ids of public trades remembered per market: the snapshot has 100. */
const TRADES_REMEMBERED_MAX = 500;

const PATH_OF: Readonly<Record<MarketTopic, string>> = {
  l1Orderbook: '/trading-api/v1/market-data/orderbook',
  l2Orderbook: '/trading-api/v1/market-data/orderbook',
  anonymousTrades: '/trading-api/v1/market-data/trades',
  tick: '/trading-api/v1/market-data/tick',
  indexPrice: '/trading-api/v1/index-data',
};
const TOPICS = Object.keys(PATH_OF) as readonly MarketTopic[];

/** One followed subject. */
interface Followed {
  readonly topic: MarketTopic;
  readonly subject: string;
  /** How many times it was subscribed. */
  count: number;
}

/** How the states of one book are numbered. */
interface Numbers {
  readonly last: bigint;
  /** Of the latest that was left out, and how many were in a row. */
  readonly behind: bigint;
  readonly behindCount: number;
}

/** Ids of the trades of one market that were said, newest last. */
interface Said {
  readonly ids: Set<string>;
  /** Whether the feed was away since. */
  wasAway: boolean;
}

export class MarketStreams {
  readonly #options: ResolvedOptions;
  readonly #onEvent: (event: MarketDataEvent) => void;
  readonly #followed = new Map<string, Followed>();
  /** How many of them each path has. */
  readonly #countOf = new Map<string, number>();
  readonly #streams = new Map<string, Stream>();
  /** Time to close streams without followers. */
  readonly #closing = new Map<string, NodeJS.Timeout>();
  /** Paths of those that are live. */
  readonly #livePaths = new Set<string>();
  /** Of each book of a connection. */
  readonly #sequences = new Map<string, Numbers>();
  readonly #trades = new Map<string, Said>();
  /** The last tick of each followed market, while the connection is live: a second follower gets no snapshot of the exchange. */
  readonly #ticks = new Map<string, MarketTick>();
  readonly #rareLog: RareLog;
  readonly #frames = new LastFrames();
  /** Hears frames as the exchange sent them; null for none. */
  listener: MarketFrameListener | null = null;

  constructor(options: ResolvedOptions, onEvent: (event: MarketDataEvent) => void) {
    this.#options = options;
    this.#onEvent = onEvent;
    this.#rareLog = new RareLog(options);
  }

  /** Follow a subject, counted; false at the limit. `isBounded`: the caller has its own limits. */
  subscribe(topic: MarketTopic, subject: string, isBounded = false): boolean {
    const key = keyOf(topic, subject);
    const known = this.#followed.get(key);
    if (known !== undefined) {
      known.count++;
      return true;
    }
    if (!isBounded && this.#followed.size >= SUBJECTS_MAX) return false;
    this.#followed.set(key, { topic, subject, count: 1 });
    const path = PATH_OF[topic];
    this.#countOf.set(path, (this.#countOf.get(path) ?? 0) + 1);
    clearTimeout(this.#closing.get(path));
    this.#closing.delete(path);
    const stream = this.#streams.get(path);
    if (stream !== undefined) stream.subscribe(subscriptionOf(topic, subject));
    else this.#open(path);
    return true;
  }

  unsubscribe(topic: MarketTopic, subject: string): void {
    const key = keyOf(topic, subject);
    const known = this.#followed.get(key);
    if (known === undefined || --known.count > 0) return;
    this.#forget(topic, subject);
    const path = PATH_OF[topic];
    this.#streams.get(path)?.unsubscribe(subscriptionOf(topic, subject));
    if (this.#isFollowed(path) || this.#closing.has(path)) return;
    this.#closing.set(path, setTimeout(() => this.#closeIdle(path), this.#options.timeouts.marketIdleMs).unref());
  }

  /** The present state of a followed subject, as a snapshot of the exchange; null if none was said. */
  lastFrame(topic: MarketTopic, subject: string): StreamFrame | null {
    return this.#frames.of(topic, subject);
  }

  /** The last tick of a market; null if the live feed has said none. */
  lastTick(symbol: string): MarketTick | null {
    return this.#ticks.get(symbol) ?? null;
  }

  #isFollowed(path: string): boolean {
    return (this.#countOf.get(path) ?? 0) > 0;
  }

  /** Close a connection unless it still has something to say. */
  #closeIdle(path: string): void {
    if (this.#isFollowed(path)) return;
    clearTimeout(this.#closing.get(path));
    this.#closing.delete(path);
    this.#streams.get(path)?.close();
    this.#streams.delete(path);
    this.#livePaths.delete(path);
  }

  /** True if a topic's state is current; false without followers. */
  isLive(topic: MarketTopic): boolean {
    return this.#livePaths.has(PATH_OF[topic]) && this.#isFollowed(PATH_OF[topic]);
  }

  close(): void {
    for (const timer of this.#closing.values()) clearTimeout(timer);
    for (const stream of this.#streams.values()) stream.close();
    this.#streams.clear();
    this.#followed.clear();
    this.#countOf.clear();
  }

  #open(path: string): void {
    const hasHeartbeat = path === PATH_OF.l2Orderbook;
    const stream = new Stream(this.#options, {
      name: `${path.replace(/^.*v1\//, '')} stream`,
      path,
      token: () => Promise.resolve(null),
      subscriptions: () => {
        const subjects = this.#of(path).map(({ topic, subject }) => subscriptionOf(topic, subject));
        return hasHeartbeat ? [...subjects, { topic: 'heartbeat' }] : subjects;
      },
      // A snapshot of one subject must not keep the others waiting; each frame speaks for itself.
      snapshotOf: () => null,
      silenceMs: hasHeartbeat ? this.#options.timeouts.heartbeatMs : Number.POSITIVE_INFINITY,
      onFrame: (frame) => this.#frame(frame),
      onLive: (live) => this.#live(path, live),
      onUnauthorized: () => {},
      onRefused: (subscription, reason) => this.#refused(subscription, reason),
      onSilence: (reason) => this.#options.log('warn', `${path}: ${reason}`, {}),
    });
    this.#streams.set(path, stream);
    stream.open();
  }

  #of(path: string): Followed[] {
    return [...this.#followed.values()].filter(({ topic }) => PATH_OF[topic] === path);
  }

  #forget(topic: MarketTopic, subject: string): void {
    const path = PATH_OF[topic];
    if (this.#followed.delete(keyOf(topic, subject))) this.#countOf.set(path, this.#countOf.get(path)! - 1);
    this.#sequences.delete(keyOf(topic, subject));
    this.#frames.forget(topic, subject);
    if (topic === 'anonymousTrades') this.#trades.delete(subject);
    else if (topic === 'tick') this.#ticks.delete(subject);
  }

  #live(path: string, live: boolean): void {
    const topics = TOPICS.filter((topic) => PATH_OF[topic] === path);
    if (live) this.#livePaths.add(path);
    else {
      this.#livePaths.delete(path);
      // A connection of its own may number anew, after a restart of the exchange for one.
      for (const key of this.#sequences.keys())
        if (topics.some((topic) => key.startsWith(`${topic} `))) this.#sequences.delete(key);
      if (path === PATH_OF.tick) this.#ticks.clear();
      for (const topic of topics) this.#frames.forgetTopic(topic);
      this.listener?.lost(topics);
      if (path === PATH_OF.anonymousTrades) for (const said of this.#trades.values()) said.wasAway = true;
    }
    this.#onEvent({ kind: 'marketFeed', topics, live });
  }

  #refused({ topic, symbol, assetSymbol }: Subscription, reason: string): boolean {
    const subject = symbol ?? assetSymbol;
    const found = TOPICS.find((one) => one === topic);
    // The heartbeat is ours: without it the connection is still of use.
    if (found === undefined || subject === undefined) return topic === 'heartbeat';
    this.#forget(found, subject);
    this.#closeIdle(PATH_OF[found]);
    this.listener?.refused(found, subject);
    this.#onEvent({ kind: 'marketRefused', topic: found, subject, reason });
    return true;
  }

  #frame(frame: StreamFrame): void {
    const { type, dataType, data } = frame;
    if (type === 'error') return;
    this.#pass(frame);
    const source = type === 'snapshot' ? 'snapshot' : 'update';
    for (const item of Array.isArray(data) ? data : [data]) {
      if (dataType === 'V1TALevel1') this.#book('l1Orderbook', item);
      else if (dataType === 'V1TALevel2') this.#book('l2Orderbook', item);
      else if (dataType === 'V1TAAnonymousTradeUpdate') this.#marketTrades(item, source);
      else if (dataType === 'V1TATickerResponse') this.#tick(item);
      else if (dataType === 'V1TAIndexPrice') this.#indexPrice(item);
    }
  }

  /** Nothing is kept, or passed on, while no one listens to frames. */
  #pass(frame: StreamFrame): void {
    if (this.listener === null) return;
    for (const one of framesOf(frame)) {
      if (!this.#followed.has(keyOf(one.topic, one.subject))) continue;
      this.#frames.take(one);
      this.listener.frame(one.topic, one.subject, one.frame);
    }
  }

  /** Whole books only: the one with the highest number counts, whatever came late or twice. */
  #book(topic: 'l1Orderbook' | 'l2Orderbook', item: unknown): void {
    const book = decodeBook(item);
    if (book === null) {
      this.#notUnderstood(topic, item);
      return;
    }
    if (!this.#followed.has(keyOf(topic, book.symbol)) || !this.#isNext(topic, book)) return;
    this.#onEvent({ kind: 'book', depth: topic === 'l1Orderbook' ? 'l1' : 'l2', book });
  }

  /** Whether a state of a book is later than the last. One number that is far too high must not stop the book for good. */
  #isNext(topic: MarketTopic, { symbol, sequence }: MarketBook): boolean {
    const key = keyOf(topic, symbol);
    const known = this.#sequences.get(key);
    if (known !== undefined && sequence <= known.last) {
      const behindCount = sequence > known.behind ? known.behindCount + 1 : 1;
      if (behindCount < BEHIND_MAX) {
        this.#sequences.set(key, { last: known.last, behind: sequence, behindCount });
        return false;
      }
      const text =
        'a book is numbered anew, or one of its states was numbered far too high: it goes on from the lower number';
      this.#rareLog.say(`${topic} numbers`, 'warn', text, {
        topic,
        symbol,
        before: `${known.last}`,
        now: `${sequence}`,
      });
    }
    this.#sequences.set(key, { last: sequence, behind: -1n, behindCount: 0 });
    return true;
  }

  #marketTrades(item: unknown, source: 'snapshot' | 'update'): void {
    const decoded = decodeMarketTrades(item);
    if (decoded === null) {
      this.#notUnderstood('anonymousTrades', item);
      return;
    }
    const { symbol } = decoded;
    if (!this.#followed.has(keyOf('anonymousTrades', symbol))) return;
    let said = this.#trades.get(symbol);
    if (said === undefined) {
      said = { ids: new Set(), wasAway: false };
      this.#trades.set(symbol, said);
    }
    const { ids } = said;
    const knownBefore = ids.size;
    const trades = decoded.trades.filter(({ tradeId }) => !ids.has(tradeId) && ids.add(tradeId));
    // Nothing in common with the state before the feed went away: it was away for longer than its memory.
    const gapBefore =
      said.wasAway && knownBefore > 0 && decoded.trades.length > 0 && trades.length === decoded.trades.length;
    said.wasAway = false;
    for (const id of ids) {
      if (ids.size <= TRADES_REMEMBERED_MAX) break;
      ids.delete(id);
    }
    // An empty snapshot says that there was no trade: an answer need not wait for one.
    if (trades.length > 0 || source === 'snapshot') {
      this.#onEvent({ kind: 'marketTrades', symbol, trades, source, gapBefore });
    }
  }

  #tick(item: unknown): void {
    const tick = decodeTick(item);
    if (tick === null) this.#notUnderstood('tick', item);
    else if (this.#followed.has(keyOf('tick', tick.symbol))) {
      this.#ticks.set(tick.symbol, tick);
      this.#onEvent({ kind: 'tick', tick });
    }
  }

  #indexPrice(item: unknown): void {
    const indexPrice = decodeIndexPrice(item);
    if (indexPrice === null) this.#notUnderstood('indexPrice', item);
    else if (this.#followed.has(keyOf('indexPrice', indexPrice.assetSymbol)))
      this.#onEvent({ kind: 'indexPrice', indexPrice });
  }

  #notUnderstood(topic: MarketTopic, item: unknown): void {
    const symbol = toText(toObject(item)?.symbol);
    this.#rareLog.say(topic, 'warn', 'an entry of a market data stream is not understood and was left out', {
      topic,
      symbol,
    });
  }
}

function keyOf(topic: MarketTopic, subject: string): string {
  return `${topic} ${subject}`;
}

function subscriptionOf(topic: MarketTopic, subject: string): Subscription {
  return topic === 'indexPrice' ? { topic, assetSymbol: subject } : { topic, symbol: subject };
}
