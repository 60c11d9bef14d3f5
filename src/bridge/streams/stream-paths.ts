// The table of streams: the exchange's own paths, and who may listen. Routes and both descriptions are made from it.

import type { BridgeFunction } from '../port.ts';
import { type FeedName, topicsOf } from './topics.ts';

export interface StreamPath {
  /** As in OpenAPI: `{symbol}` for the market of a stream that needs no subscription. */
  readonly path: string;
  readonly feed: FeedName;
  readonly needs: BridgeFunction;
  readonly summary: string;
}

const MARKET_DATA = '/trading-api/v1/market-data';

function stream(path: string, feed: FeedName, needs: BridgeFunction, of: string): StreamPath {
  return { path, feed, needs, summary: `${of}: ${topicsOf(feed).join(', ')}` };
}

/** The streams served, also described in the OpenAPI and the AsyncAPI document. */
export const STREAMS: readonly StreamPath[] = [
  stream('/trading-api/v1/private-data', 'private', 'stream', 'Private stream of the accounts'),
  stream(`${MARKET_DATA}/auction`, 'auction', 'auctions', 'Auctions of a market'),
  stream(`${MARKET_DATA}/orderbook`, 'orderbook', 'market-data', 'Order book of a market'),
  stream(`${MARKET_DATA}/trades`, 'trades', 'market-data', 'Public trades of a market'),
  stream(`${MARKET_DATA}/tick`, 'tick', 'market-data', 'Price and volume of a market'),
  stream(`${MARKET_DATA}/tick/{symbol}`, 'tick', 'market-data', 'The same without a subscription'),
  stream('/trading-api/v1/index-data', 'index', 'market-data', 'Index price of an asset'),
];
