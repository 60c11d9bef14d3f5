// Door of the bridge room: REST and streams for functions outside FIX.

export { bridgeTokenFault, bridgeTokenIn } from './access.ts';
export { type Bridge, loadBridge, startBridge } from './bridge.ts';
export { type BridgeClient, clientNamedIn, FRONT_HEADERS, headersNaming } from './passed-client.ts';
export {
  BRIDGE_FUNCTIONS,
  type BridgeCaller,
  type BridgeExchange,
  type BridgeFunction,
  type BridgeLimits,
  type BridgeNames,
  type BridgeObserver,
  type OrderRefusal,
} from './port.ts';
export { type FeedFrame, Feeds } from './streams/feeds.ts';
export { PublicFeeds } from './streams/public-feeds.ts';
export { STREAMS } from './streams/stream-paths.ts';
export type { FeedName } from './streams/topics.ts';
