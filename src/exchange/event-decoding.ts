// Lenient reading of orders, trades, auction phases and error notices, from REST answers and stream frames alike.
// Unknown fields are ignored, numbers and texts are both accepted, and so are old and new names of a field (exchange
// reference §3, §4). A frame without a field that money depends on is null: the caller logs it and asks by REST.

import { strangersWords } from '../base/redacted-text.ts';
import type { OrderSide } from './command.ts';
import type {
  AuctionPhase,
  AuctionPhaseName,
  ExchangeErrorNotice,
  ExchangeOrder,
  ExchangeOrderStatus,
  ExchangeTrade,
} from './event.ts';
import { toAmount, toBoolean, toEpochMs, toId, toObject, toText } from './json.ts';

const STATUSES: ReadonlySet<string> = new Set<ExchangeOrderStatus>(['OPEN', 'CLOSED', 'CANCELLED', 'REJECTED']);

/**
 * Read an order (`V1TAOrder`, REST `Order`). `tradingAccountId` is that of the frame or request, used where the order
 * does not name its own. Null without ids, symbol, side, quantity or a known status.
 */
export function decodeOrder(json: unknown, tradingAccountId: string | null): ExchangeOrder | null {
  const o = toObject(json);
  if (o === null) return null;
  const account = toId(o.tradingAccountId) ?? tradingAccountId;
  const orderId = toId(o.orderId);
  const symbol = toText(o.symbol);
  const side = toSide(o.side);
  const quantity = toAmount(o.quantity);
  const quantityFilled = absent(o.quantityFilled) ? '0' : toAmount(o.quantityFilled);
  const status = toText(o.status);
  if (account === null || orderId === null || symbol === null || side === null) return null;
  if (quantity === null || quantityFilled === null || status === null || !STATUSES.has(status)) return null;
  return {
    tradingAccountId: account,
    orderId,
    clientOrderId: toId(o.clientOrderId) ?? toId(o.handle),
    symbol,
    type: toText(o.type) ?? '',
    side,
    price: toAmount(o.price),
    stopPrice: toAmount(o.stopPrice),
    quantity,
    quantityFilled,
    averageFillPrice: toAmount(o.averageFillPrice),
    timeInForce: toText(o.timeInForce) ?? '',
    status: status as ExchangeOrderStatus,
    statusReasonCode: toText(o.statusReasonCode),
    statusReason: toWords(o.statusReason),
    isLiquidation: toBoolean(o.isLiquidation) ?? false,
    borrowedQuantity:
      toAmount(o.borrowedQuantity) ?? toAmount(o[side === 'BUY' ? 'borrowedQuoteQuantity' : 'borrowedBaseQuantity']),
    createdAt: toEpochMs(o.createdAtTimestamp) ?? toEpochMs(o.createdAtDatetime) ?? 0,
    publishedAt: toEpochMs(o.publishedAtTimestamp),
  };
}

/** Read a trade (`V1TATrade`, REST `Trade`). Null without ids, symbol, side, price or quantity. */
export function decodeTrade(json: unknown, tradingAccountId: string | null): ExchangeTrade | null {
  const t = toObject(json);
  if (t === null) return null;
  const account = toId(t.tradingAccountId) ?? tradingAccountId;
  const tradeId = toId(t.tradeId);
  const otcTradeId = toId(t.otcTradeId);
  const otcMatchId = toId(t.otcMatchId);
  // No order precedes a negotiated trade: the exchange may name none.
  const orderId = toId(t.orderId) ?? otcTradeId;
  const symbol = toText(t.symbol);
  const side = toSide(t.side);
  const price = toAmount(t.price);
  const quantity = toAmount(t.quantity);
  if (account === null || tradeId === null || orderId === null || symbol === null) return null;
  if (side === null || price === null || quantity === null) return null;
  return {
    tradingAccountId: account,
    tradeId,
    orderId,
    clientOrderId: toId(t.clientOrderId) ?? toId(t.handle),
    symbol,
    side,
    price,
    quantity,
    quoteAmount: toAmount(t.quoteAmount),
    baseFee: toAmount(t.baseFee),
    quoteFee: toAmount(t.quoteFee),
    isTaker: toBoolean(t.isTaker),
    tradeRebateAmount: toAmount(t.tradeRebateAmount),
    tradeRebateAssetSymbol: toText(t.tradeRebateAssetSymbol),
    auctionId: toId(t.auctionId),
    otcTradeId,
    ...(otcMatchId === null ? {} : { otcMatchId }),
    createdAt: toEpochMs(t.createdAtTimestamp) ?? toEpochMs(t.createdAtDatetime) ?? 0,
    publishedAt: toEpochMs(t.publishedAtTimestamp),
  };
}

/** The trigger of the phase, for REST `Auction` objects, which omit it. */
const EVENT_OF_PHASE: Readonly<Record<AuctionPhaseName, AuctionPhase['eventType']>> = {
  COOLING: 'AUCTION_CROSS_COMPLETED',
  ACCUMULATION: 'AUCTION_STARTED',
  LOCKDOWN: 'AUCTION_LOCKDOWN',
  CROSS: 'AUCTION_CROSS_COMPLETED',
};
const EVENT_TYPES: ReadonlySet<string> = new Set([...Object.values(EVENT_OF_PHASE), 'AUCTION_CROSS_POSTPONED']);

/**
 * Read an auction phase (`V1TAAuctionPhase`, REST `Auction`). A flag that is missing is read as disabled. Null without
 * id, symbol or a known phase.
 */
export function decodePhase(json: unknown): AuctionPhase | null {
  const p = toObject(json);
  if (p === null) return null;
  const auctionId = toId(p.auctionId);
  const symbol = toText(p.symbol);
  const phase = toText(p.phase);
  if (auctionId === null || symbol === null || phase === null || !Object.hasOwn(EVENT_OF_PHASE, phase)) return null;
  const name = phase as AuctionPhaseName;
  const eventType = toText(p.eventType);
  return {
    auctionId,
    symbol,
    eventType:
      eventType !== null && EVENT_TYPES.has(eventType)
        ? (eventType as AuctionPhase['eventType'])
        : EVENT_OF_PHASE[name],
    phase: name,
    startTime: toEpochMs(p.startTime) ?? 0,
    lockdownTime: toEpochMs(p.lockdownTime) ?? 0,
    scheduledCrossTime: toEpochMs(p.scheduledCrossTime) ?? 0,
    createAuctionOrderEnabled: toBoolean(p.createAuctionOrderEnabled) ?? false,
    amendAuctionOrderEnabled: toBoolean(p.amendAuctionOrderEnabled) ?? false,
    cancelAuctionOrderEnabled: toBoolean(p.cancelAuctionOrderEnabled) ?? false,
    message: toText(p.message),
  };
}

/** Read the `data` of a `V1TAErrorResponse`. Null if it is no object. */
export function decodeErrorNotice(json: unknown, tradingAccountId: string | null): ExchangeErrorNotice | null {
  const e = toObject(json);
  if (e === null) return null;
  const said = toText(e.message);
  return {
    tradingAccountId: toId(e.tradingAccountId) ?? tradingAccountId,
    orderId: toId(e.orderId),
    clientOrderId: toId(e.clientOrderId) ?? toId(e.handle),
    requestId: toId(e.requestId),
    errorCode: toText(e.errorCode),
    errorCodeName: toText(e.errorCodeName),
    message: toWords(said === null ? null : strangersWords(said)) ?? toWords(e.errorCodeName) ?? 'no message',
  };
}

/** Characters kept of a text for people: it returns in Text(58), and in the record of each order concerned. */
const WORDS_MAX = 500;

function toWords(value: unknown): string | null {
  return toText(value)?.slice(0, WORDS_MAX) ?? null;
}

function toSide(value: unknown): OrderSide | null {
  return value === 'BUY' || value === 'SELL' ? value : null;
}

function absent(value: unknown): boolean {
  return value === null || value === undefined;
}
