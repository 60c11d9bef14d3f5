// Door of the gateway room: FIX messages to exchange commands and exchange events to FIX messages, pure.

export type { TimelineEntry } from './book/order-timeline.ts';
export { traceIdOf } from './book/trace-id.ts';
export { Gateway } from './gateway.ts';
export type { StrayReferences } from './lifecycle/foreign-references.ts';
export { type KillSwitchView, LIFT_ASKED_MS } from './lifecycle/kill-switch.ts';
export type { FoundOrders, OrderFilter } from './lifecycle/order-search.ts';
export type { OrderCounts, OrderSnapshot } from './lifecycle/order-view.ts';
export { type RefusalRow, refusalRows } from './reports/refusal-numbers.ts';
export { FIELD_GROUPS } from './rules/order-fields.ts';
export type { UnreadableRecord } from './state/unreadable-record.ts';
export type {
  AccountDataSettings,
  AccountEntitlement,
  CancelOnDisconnect,
  GatewayConfig,
  GatewaySessionConfig,
  MarketDataSettings,
  RiskLimits,
  TradingAccount,
} from './vocabulary/config.ts';
export type { GatewayEffect } from './vocabulary/effect.ts';
export { type EndedOrders, UNREADABLE } from './vocabulary/ended-orders.ts';
export type { Adoption, GatewayInput, KillSwitchScope, SessionEnd } from './vocabulary/input.ts';
export type { OperatorNews, PlannedStop } from './vocabulary/news.ts';
