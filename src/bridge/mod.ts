// Door of the bridge room: REST and streams for functions outside FIX.

export { bridgeTokenFault } from './access.ts';
export { type Bridge, startBridge } from './bridge.ts';
export {
  BRIDGE_FUNCTIONS,
  type BridgeCaller,
  type BridgeExchange,
  type BridgeFunction,
  type BridgeLimits,
  type BridgeNames,
  type BridgeObserver,
} from './port.ts';
export { type FeedFrame, type FeedName, Feeds } from './streams/feeds.ts';
export { STREAMS } from './streams/stream-paths.ts';
