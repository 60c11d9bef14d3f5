// The auction stream: phases as events for orders, imbalances as market data, and all frames for the bridge.

import {
  decodeNoii,
  decodePhase,
  type ExchangeEvent,
  type Market,
  type MarketDataEvent,
  toObject,
  toText,
} from '../../exchange/mod.ts';
import { RareLog } from '../log-throttle.ts';
import type { ResolvedOptions } from '../options.ts';
import { Stream } from './stream.ts';
import type { StreamFrame, Subscription } from './subscription.ts';

export interface AuctionFeedParts {
  readonly options: ResolvedOptions;
  readonly onEvent: (event: ExchangeEvent) => void;
  readonly onMarketData: (event: MarketDataEvent) => void;
  readonly onFrame: (frame: StreamFrame) => void;
  /** The state of earlier frames is repeated, or over. */
  readonly onConnect?: () => void;
}

export class AuctionFeed {
  readonly #parts: AuctionFeedParts;
  readonly #symbols = new Set<string>();
  /** Topics that the exchange refuses now, by market; asked for again with every connection and now and then. */
  readonly #refused = new Map<string, Set<string>>();
  readonly #rareLog: RareLog;
  #stream: Stream | null = null;
  #askAgain: NodeJS.Timeout | null = null;

  constructor(parts: AuctionFeedParts) {
    this.#parts = parts;
    this.#rareLog = new RareLog(parts.options);
  }

  /** Follow the auctions of those configured markets that have any, and of no others; opened with the first. */
  follow(markets: readonly Market[]): void {
    const { auctionSymbols } = this.#parts.options;
    const wanted = new Set(
      markets
        .filter(
          ({ auctionEnabled, symbol }) =>
            auctionEnabled && (auctionSymbols === 'all' || auctionSymbols.includes(symbol)),
        )
        .map(({ symbol }) => symbol),
    );
    // The exchange refuses a market that it does not list.
    for (const symbol of this.#symbols) {
      if (wanted.has(symbol)) continue;
      this.#symbols.delete(symbol);
      this.#refused.delete(symbol);
      for (const subscription of subscriptionsOf(symbol)) this.#stream?.unsubscribe(subscription);
    }
    for (const symbol of wanted) {
      if (this.#symbols.has(symbol)) continue;
      this.#symbols.add(symbol);
      for (const subscription of subscriptionsOf(symbol)) this.#stream?.subscribe(subscription);
    }
    if (this.#stream !== null || this.#symbols.size === 0) return;
    this.#stream = this.#newStream();
    this.#stream.open();
  }

  close(): void {
    if (this.#askAgain !== null) clearTimeout(this.#askAgain);
    this.#stream?.close();
  }

  /** One market's refusal costs that market only: its phase is unknown then, and the exchange decides (rule T3). */
  #refuse({ topic, symbol = '' }: Subscription, reason: string): void {
    const { options, onEvent } = this.#parts;
    const topics = this.#refused.get(symbol) ?? new Set();
    const isNew = !topics.has(topic);
    this.#refused.set(symbol, topics.add(topic));
    if (isNew) {
      const lost = topic === 'phase' ? 'the phase of its auction is not known here' : 'its imbalance is not known here';
      const text = `the exchange refused the topic ${topic} of ${symbol}: ${reason}; ${lost}, all others are followed`;
      options.onAlarm('auction-topic-refused', text, { topic, symbol });
      if (topic === 'phase') onEvent({ kind: 'phaseUnknown', symbol });
    }
    this.#askAgain ??= setTimeout(() => this.#ask(), options.timeouts.askAgainMs).unref();
  }

  #ask(): void {
    this.#askAgain = null;
    for (const [symbol, topics] of this.#refused) {
      for (const topic of topics) this.#stream?.subscribe({ topic, symbol });
    }
  }

  /** A topic that says something is refused no more. */
  #heard(topic: string, symbol: string): void {
    const topics = this.#refused.get(symbol);
    if (topics?.delete(topic) !== true) return;
    this.#parts.options.log('info', 'the exchange takes an auction topic again that it refused', { topic, symbol });
    if (topics.size === 0) this.#refused.delete(symbol);
  }

  #newStream(): Stream {
    const { options, onEvent, onMarketData, onConnect } = this.#parts;
    return new Stream(options, {
      name: 'auction stream',
      path: '/trading-api/v1/market-data/auction',
      token: () => Promise.resolve(null),
      subscriptions: () => [...this.#symbols].flatMap(subscriptionsOf),
      // Imbalances exist in lockdown only (exchange reference §7.3): the phases alone say that the feed works.
      snapshotOf: ({ topic }) => (topic === 'phase' ? 'V1TAAuctionPhase' : null),
      // Phases can be hours apart: only missing pongs say that the connection is gone.
      silenceMs: Number.POSITIVE_INFINITY,
      onFrame: (frame) => this.#take(frame),
      onConnect: () => onConnect?.(),
      onLive: (live) => {
        onEvent({ kind: 'feed', feed: 'auction', live });
        onMarketData({ kind: 'marketFeed', topics: ['noii'], live });
      },
      onUnauthorized: () => {},
      onRefused: (subscription, reason) => {
        this.#refuse(subscription, reason);
        return true;
      },
      onSilence: () => {},
    });
  }

  #take(frame: StreamFrame): void {
    const { onEvent, onMarketData, onFrame } = this.#parts;
    const { dataType, data, type } = frame;
    onFrame(frame);
    if (type === 'error') return;
    for (const item of Array.isArray(data) ? data : [data]) {
      if (dataType === 'V1TAAuctionPhase') {
        const phase = decodePhase(item);
        if (phase === null) {
          this.#notUnderstood(dataType, item);
          // The phase before may be over: from now on the exchange decides (rule T3).
          const symbol = toText(toObject(item)?.symbol);
          if (symbol !== null && this.#symbols.has(symbol)) onEvent({ kind: 'phaseUnknown', symbol });
        }
        // A frame that was on its way when its market was given up would be its last word for good.
        else if (this.#symbols.has(phase.symbol)) {
          this.#heard('phase', phase.symbol);
          onEvent({ kind: 'phase', phase });
        }
      } else if (dataType === 'V1TANoii') {
        const noii = decodeNoii(item);
        if (noii === null) this.#notUnderstood(dataType, item);
        else {
          this.#heard('noii', noii.symbol);
          onMarketData({ kind: 'noii', noii });
        }
      }
    }
  }

  #notUnderstood(dataType: string, item: unknown): void {
    const symbol = toText(toObject(item)?.symbol);
    const text = 'an entry of a stream is not understood and was left out';
    this.#rareLog.say(dataType, 'error', text, { dataType, symbol });
  }
}

const subscriptionsOf = (symbol: string): Subscription[] => [
  { topic: 'phase', symbol },
  { topic: 'noii', symbol },
];
