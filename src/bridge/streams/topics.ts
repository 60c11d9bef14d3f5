// The topics of every stream, by feed, as the exchange names them (exchange reference §4.1). How private ones and those of
// auctions are kept is feeds.ts.

import type { MarketTopic } from '../../exchange/mod.ts';

export type PublicFeedName = 'orderbook' | 'trades' | 'tick' | 'index';
export type FeedName = 'private' | 'auction' | PublicFeedName;

const TOPICS = {
  private: [
    'orders',
    'trades',
    'assetAccounts',
    'tradingAccounts',
    'derivativesPositionsV2',
    'ammInstructions',
    'mmpTrigger',
    'mmpRequest',
    'heartbeat',
  ],
  auction: ['phase', 'noii'],
  orderbook: ['l1Orderbook', 'l2Orderbook'],
  trades: ['anonymousTrades'],
  tick: ['tick'],
  index: ['indexPrice'],
} as const satisfies Readonly<Record<FeedName, readonly string[]>>;

/** Topics of public market data. */
export const MARKET_TOPICS: readonly MarketTopic[] = [
  ...TOPICS.orderbook,
  ...TOPICS.trades,
  ...TOPICS.tick,
  ...TOPICS.index,
];

/** Topics that a listener may subscribe to. */
export function topicsOf(feed: FeedName): readonly string[] {
  return TOPICS[feed];
}

/** Whether a feed is a public one of market data. */
export function isPublicFeed(feed: FeedName): feed is PublicFeedName {
  return feed !== 'private' && feed !== 'auction';
}
