// The table of streams: the exchange's own paths, and who may listen. Routes and the OpenAPI document are both made from it.

import type { BridgeFunction } from '../port.ts';
import { type FeedName, TOPICS } from './feeds.ts';

export interface StreamPath {
  readonly path: string;
  readonly feed: FeedName;
  readonly needs: BridgeFunction;
  readonly summary: string;
}

/** The streams served, also described in the OpenAPI document. */
export const STREAMS: readonly StreamPath[] = [
  {
    path: '/trading-api/v1/private-data',
    feed: 'private',
    needs: 'stream',
    summary: `Private stream of the accounts: ${TOPICS.private.join(', ')}`,
  },
  {
    path: '/trading-api/v1/market-data/auction',
    feed: 'auction',
    needs: 'auctions',
    summary: `Auctions of a market: ${TOPICS.auction.join(', ')}`,
  },
];
