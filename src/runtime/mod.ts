// Door of the runtime room: a whole gateway, which joins FIX sessions, gateway machine, exchange and bridge.

export { BRIDGE_FUNCTIONS, type BridgeFunction, bridgeTokenFault } from '../bridge/mod.ts';
export type { AuctionPhase } from '../exchange/mod.ts';
export type {
  FoundOrders,
  KillSwitchScope,
  KillSwitchView,
  MarketDataSettings,
  OrderCounts,
  OrderFilter,
  OrderSnapshot,
} from '../gateway/mod.ts';
export { traceIdOf } from '../gateway/mod.ts';
export type { Administration, ExchangeLoginView, Health } from './administration/administration.ts';
export type { SessionChanges } from './administration/session-changes.ts';
export type { DecodedMessage, SessionView } from './administration/session-view.ts';
export { DictionaryLacks } from './dictionary-needs.ts';
export { exchangeTls, readCredential } from './exchange/exchange-key.ts';
export type { AdoptedOrder, AdoptionRequest, AdoptionResult } from './exchange/order-adoption.ts';
export type {
  AdminTlsConfig,
  AlarmReceiver,
  AlarmsConfig,
  BridgeConfig,
  CredentialConfig,
  EngineConfig,
  EngineSessionConfig,
  ExchangeConfig,
  PostgresConfig,
} from './gateway-config.ts';
export type { Engine, EngineOptions } from './gateway-engine.ts';
export type { EngineObserver } from './gateway-observer.ts';
export { Interruptions } from './interruptions.ts';
export { signerFault, startEngine } from './lazy-gateway.ts';
export { makeStateDirectory } from './lease.ts';
export type { OrderTimes } from './order-times.ts';
