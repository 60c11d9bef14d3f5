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

/** Follow the auctions of all configured markets that have any; null where there are none. */
export function auctionFeed(parts: AuctionFeedParts, markets: readonly Market[]): Stream | null {
  const { options, onEvent, onMarketData } = parts;
  const { auctionSymbols } = options;
  const subscriptions = markets
    .filter(
      ({ auctionEnabled, symbol }) => auctionEnabled && (auctionSymbols === 'all' || auctionSymbols.includes(symbol)),
    )
    .flatMap(({ symbol }): Subscription[] => [
      { topic: 'phase', symbol },
      { topic: 'noii', symbol },
    ]);
  if (subscriptions.length === 0) return null;
  return new Stream(options, {
    name: 'auction stream',
    path: '/trading-api/v1/market-data/auction',
    token: () => Promise.resolve(null),
    subscriptions: () => subscriptions,
    snapshotsOf: () => 1,
    // Phases can be hours apart: only missing pongs say that the connection is gone.
    silenceMs: Number.POSITIVE_INFINITY,
    onFrame: (frame) => take(parts, frame),
    onLive: (live) => {
      onEvent({ kind: 'feed', feed: 'auction', live });
      onMarketData({ kind: 'marketFeed', topics: ['noii'], live });
    },
    onUnauthorized: () => {},
    onRefused: () => false,
    onSilence: () => {},
  });
}

function take(parts: AuctionFeedParts, frame: StreamFrame): void {
  const { options, onEvent, onMarketData, onFrame } = parts;
  const { dataType, data, type } = frame;
  onFrame(frame);
  if (type === 'error') return;
  for (const item of Array.isArray(data) ? data : [data]) {
    if (dataType === 'V1TAAuctionPhase') {
      const phase = decodePhase(item);
      if (phase !== null) onEvent({ kind: 'phase', phase });
      else notUnderstood(options, dataType, item);
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
