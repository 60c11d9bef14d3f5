// Door of the gateway room: FIX messages to exchange commands and exchange events to FIX messages, pure.

export type {
  AccountEntitlement,
  CancelOnDisconnect,
  GatewayConfig,
  GatewaySessionConfig,
  MarketDataSettings,
  RiskLimits,
  TradingAccount,
} from './config.ts';
export type { GatewayEffect } from './effect.ts';
export { type EndedOrders, UNREADABLE } from './ended-orders.ts';
export { Gateway } from './gateway.ts';
export type { Adoption, GatewayInput, KillSwitchScope, SessionEnd } from './input.ts';
export { type KillSwitchView, LIFT_ASKED_MS } from './kill-switch.ts';
export type { FoundOrders, OrderFilter } from './order-search.ts';
export type { TimelineEntry } from './order-timeline.ts';
export type { OrderCounts, OrderSnapshot } from './order-view.ts';
export type { StrayReferences } from './stray-references.ts';
export type { UnreadableRecord } from './unreadable-record.ts';
