// Door of the runtime room: a whole gateway, which joins FIX sessions, gateway machine, exchange and bridge.

export {
  BRIDGE_FUNCTIONS,
  type BridgeClient,
  type BridgeFunction,
  bridgeTokenFault,
  bridgeTokenIn,
  clientNamedIn,
  FRONT_HEADERS,
  headersNaming,
} from '../bridge/mod.ts';
export type { AuctionPhase } from '../exchange/mod.ts';
export type {
  AccountDataSettings,
  FoundOrders,
  KillSwitchScope,
  KillSwitchView,
  MarketDataSettings,
  OrderCounts,
  OrderFilter,
  OrderSnapshot,
} from '../gateway/mod.ts';
export { traceIdOf } from '../gateway/mod.ts';
export { accountsOfTemplates, checkReach } from './admission/template-sessions.ts';
export { ALARM_ACTION, ALARM_BY } from './alarm-records.ts';
export { DictionaryLacks } from './dictionary-needs.ts';
export { exchangeTls, readCredential } from './exchange/exchange-key.ts';
export {
  type AdminTlsConfig,
  type AlarmReceiver,
  type AlarmsConfig,
  type BridgeConfig,
  type ClusterConfig,
  type CredentialConfig,
  type EngineConfig,
  type EngineSessionConfig,
  type ExchangeConfig,
  type PostgresConfig,
  sessionName,
} from './gateway-config.ts';
export type { Engine, EngineOptions } from './gateway-engine.ts';
export type { EngineObserver } from './gateway-observer.ts';
export { makeUpFor } from './interrupted-session.ts';
export { Interruptions } from './interruptions.ts';
export { loadGateway, signerFault, startEngine } from './lazy-gateway.ts';
export { makeStateDirectory } from './lease.ts';
export type { OrderTimes } from './order-times.ts';
export type { RunningEngine } from './running-engine.ts';
