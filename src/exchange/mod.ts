// Door of the exchange room: the exchange's vocabulary, pure.

export type {
  AmendOrderCommand,
  CancelAllByMarketCommand,
  CancelAllCommand,
  CancelOrderCommand,
  CommandDialect,
  CreateOrderCommand,
  DelayedCancelAllCommand,
  EcdsaPrehash,
  ExchangeCommand,
  OrderCommand,
  OrderSide,
  OrderTimeInForce,
  OrderType,
  RawCommand,
  UnsetDelayedCancelAllCommand,
} from './command.ts';
export type {
  AuctionPhase,
  AuctionPhaseName,
  CommandOutcome,
  ExchangeErrorNotice,
  ExchangeEvent,
  ExchangeOrder,
  ExchangeOrderStatus,
  ExchangeTrade,
  LookupOutcome,
} from './event.ts';
export type { Market } from './market.ts';
export type { ExchangePort, OrderLookup } from './port.ts';
