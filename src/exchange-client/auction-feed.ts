// The auction stream: phases as events for the orders, imbalances as market data, and all frames for whoever re-serves them.

import {
  decodeNoii,
  decodePhase,
  type ExchangeEvent,
  type Market,
  type MarketDataEvent,
  toObject,
  toText,
} from '../exchange/mod.ts';
import type { ResolvedOptions } from './options.ts';
import { Stream } from './stream.ts';
import type { StreamFrame, Subscription } from './stream-connection.ts';

export interface AuctionFeedParts {
  readonly options: ResolvedOptions;
  readonly onEvent: (event: ExchangeEvent) => void;
  readonly onMarketData: (event: MarketDataEvent) => void;
  readonly onFrame: (frame: StreamFrame) => void;
}

export class AuctionFeed {
  readonly #parts: AuctionFeedParts;
  readonly #symbols = new Set<string>();
  #stream: Stream | null = null;

  constructor(parts: AuctionFeedParts) {
    this.#parts = parts;
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
    // The exchange refuses a market that it does not list, and with it the connection after this one.
    for (const symbol of this.#symbols) {
      if (wanted.has(symbol)) continue;
      this.#symbols.delete(symbol);
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
    this.#stream?.close();
  }

  #newStream(): Stream {
    const { options, onEvent, onMarketData } = this.#parts;
    return new Stream(options, {
      name: 'auction stream',
      path: '/trading-api/v1/market-data/auction',
      token: () => Promise.resolve(null),
      subscriptions: () => [...this.#symbols].flatMap(subscriptionsOf),
      // Imbalances exist in lockdown only (exchange reference §7.3): the phases alone say that the feed works.
      snapshotOf: ({ topic }) => (topic === 'phase' ? 'V1TAAuctionPhase' : null),
      // Phases can be hours apart: only missing pongs say that the connection is gone.
      silenceMs: Number.POSITIVE_INFINITY,
      onFrame: (frame) => take(this.#parts, this.#symbols, frame),
      onLive: (live) => {
        onEvent({ kind: 'feed', feed: 'auction', live });
        onMarketData({ kind: 'marketFeed', topics: ['noii'], live });
      },
      onUnauthorized: () => {},
      onRefused: () => false,
      onSilence: () => {},
    });
  }
}

const subscriptionsOf = (symbol: string): Subscription[] => [
  { topic: 'phase', symbol },
  { topic: 'noii', symbol },
];

function take(parts: AuctionFeedParts, followed: ReadonlySet<string>, frame: StreamFrame): void {
  const { options, onEvent, onMarketData, onFrame } = parts;
  const { dataType, data, type } = frame;
  onFrame(frame);
  if (type === 'error') return;
  for (const item of Array.isArray(data) ? data : [data]) {
    if (dataType === 'V1TAAuctionPhase') {
      const phase = decodePhase(item);
      // A frame that was on its way when its market was given up would be its last word for good.
      if (phase !== null && followed.has(phase.symbol)) onEvent({ kind: 'phase', phase });
      else if (phase === null) notUnderstood(options, dataType, item);
    } else if (dataType === 'V1TANoii') {
      const noii = decodeNoii(item);
      if (noii !== null) onMarketData({ kind: 'noii', noii });
      else notUnderstood(options, dataType, item);
    }
  }
}

function notUnderstood(options: ResolvedOptions, dataType: string, item: unknown): void {
  const symbol = toText(toObject(item)?.symbol);
  options.log('error', 'an entry of a stream is not understood and was left out', { dataType, symbol });
}
