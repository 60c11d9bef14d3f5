// An order as the venue holds it, and the fixed picture of it that events and answers carry.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import {
  type ExchangeOrderStatus,
  type OrderSide,
  type OrderTimeInForce,
  type OrderType,
  STATUS_REASONS,
  statusReasonName,
  statusReasonText,
} from '../../exchange/mod.ts';
import type { MarketSpec } from '../world/world.ts';

/** Lifecycle and rejection codes that the venue itself uses (exchange catalogue, Appendix D), with its own texts. */
export const Reason = {
  badRequest: 2001,
  invalidQuantity: 2004,
  invalidMarket: 2009,
  invalidPrice: 2012,
  invalidOrderType: 2013,
  tooManyMarginOrders: 2015,
  invalidTimeInForce: 2018,
  tooManySpotOrders: 2021,
  invalidAuction: 2115,
  orderNotFound: 3002,
  insufficientBalance: 3005,
  unsolicitedCancel: 3020,
  forcedCancel: 3021,
  duplicateHandle: 3023,
  priceOutOfRange: 3031,
  mmpFrozen: 3073,
  marketExpired: 3067,
  orderEnded: 3032,
  neitherMakeNorTake: 3064,
  noActiveAuction: 3082,
  auctionCreateDisabled: 3083,
  auctionAmendDisabled: 3084,
  auctionCancelDisabled: 3085,
  auctionIdMissing: 3086,
  auctionIdNotAllowed: 3087,
  auctionOrderType: 3090,
  open: 6001,
  executed: 6002,
  expired: 6004,
  userCancelled: 6005,
  selfCrossPrevention: 6007,
  selfCrossPreventionAmend: 6011,
  stopTriggered: 6012,
  partiallyFilled: 6013,
  accepted: 6014,
  tickSize: 6018,
  mmpCancelled: 6019,
  auctionUnfilled: 6021,
  auctionCollar: 6022,
  auctionMargin: 6023,
  auctionBulkCancel: 6024,
  cancelsDisabled: 6043,
  ordersDisabled: 6044,
  marginDisabled: 6045,
  spotDisabled: 6046,
  amendsDisabled: 6042,
} as const;

type OwnReason = (typeof Reason)[keyof typeof Reason];
/** A reason code: one that the venue gives by itself, or by a fault any other of the registry (`reasonOf`). */
export type Reason = OwnReason | ForeignReason;
type ForeignReason = number & { readonly foreign: unique symbol };

const REASON_TEXT: Readonly<Record<OwnReason, readonly [name: string, text: string]>> = {
  [Reason.badRequest]: ['BAD_REQUEST', 'Bad incoming request'],
  [Reason.invalidQuantity]: ['INVALID_QUANTITY', 'Invalid quantity'],
  [Reason.invalidMarket]: ['INVALID_MARKET', 'Invalid market'],
  [Reason.invalidPrice]: ['INVALID_PRICE', 'Invalid price'],
  [Reason.invalidOrderType]: ['INVALID_ORDER_TYPE', 'Invalid order type'],
  [Reason.tooManyMarginOrders]: [
    'TOO_MANY_OPEN_MARGIN_ORDERS',
    'Exceeded maximum amount of allowed open margin orders',
  ],
  [Reason.tooManySpotOrders]: ['TOO_MANY_OPEN_SPOT_ORDERS', 'Exceeded maximum amount of allowed open spot orders'],
  [Reason.invalidTimeInForce]: ['INVALID_TIME_IN_FORCE', 'Unknown time in force option'],
  [Reason.invalidAuction]: ['INVALID_AUCTION', 'Invalid auction'],
  [Reason.orderNotFound]: ['ORDER_NOT_FOUND', 'Order is not found'],
  [Reason.insufficientBalance]: ['INSUFFICIENT_BALANCE', 'Insufficient balance'],
  [Reason.unsolicitedCancel]: ['UNSOLICITED_CANCEL', 'Unsolicited cancel'],
  [Reason.forcedCancel]: ['FORCED_CANCEL', 'Forced cancel'],
  [Reason.duplicateHandle]: ['DUPLICATED_ORDER_HANDLE', 'Duplicated order handle'],
  [Reason.priceOutOfRange]: ['PRICE_OUT_OF_RANGE', 'Price is out of range'],
  [Reason.mmpFrozen]: ['MMP_FROZEN', 'New MMP orders are refused while MMP is frozen'],
  [Reason.marketExpired]: ['MARKET_EXPIRED', 'Market is expiring or expired'],
  [Reason.orderEnded]: ['ORDER_CLOSED_OR_REJECTED', 'Order is either closed or rejected'],
  [Reason.neitherMakeNorTake]: ['FAILED_TO_MAKE_OR_TAKE', 'Incoming order failed to make or take'],
  [Reason.noActiveAuction]: ['NO_ACTIVE_AUCTION', 'No active auction for this market'],
  [Reason.auctionCreateDisabled]: ['AUCTION_CREATE_DISABLED', 'Auction order creation is disabled in this phase'],
  [Reason.auctionAmendDisabled]: ['AUCTION_AMEND_DISABLED', 'Auction order amendment is disabled in this phase'],
  [Reason.auctionCancelDisabled]: ['AUCTION_CANCEL_DISABLED', 'Auction order cancellation is disabled in this phase'],
  [Reason.auctionIdMissing]: ['AUCTION_ID_MISSING', 'GTX order is missing auction ID'],
  [Reason.auctionIdNotAllowed]: ['AUCTION_ID_NOT_ALLOWED', 'Auction ID is not allowed on non-GTX orders'],
  [Reason.auctionOrderType]: ['AUCTION_ORDER_TYPE', 'Auction orders are MARKET or LIMIT only'],
  [Reason.open]: ['OPEN', 'Open'],
  [Reason.executed]: ['EXECUTED', 'Executed'],
  [Reason.expired]: ['EXPIRED', 'Expired'],
  [Reason.userCancelled]: ['USER_CANCELLED', 'User cancelled'],
  [Reason.selfCrossPrevention]: ['SELF_CROSS_PREVENTION', 'Self cross prevention'],
  [Reason.selfCrossPreventionAmend]: ['SELF_CROSS_PREVENTION_AMEND', 'Self cross prevention amend'],
  [Reason.stopTriggered]: ['STOP_LIMIT_AMEND', 'Stop limit amend'],
  [Reason.partiallyFilled]: ['PARTIALLY_FILLED', 'Partially filled'],
  [Reason.accepted]: ['ORDER_ACCEPTED', 'Order accepted'],
  [Reason.tickSize]: ['PRICE_MUST_BE_OF_TICK_SIZE', 'Price must be of tick size'],
  [Reason.mmpCancelled]: ['MMP_CANCELLED', 'MMP cancelled'],
  [Reason.auctionUnfilled]: ['AUCTION_ORDER_UNFILLED', 'Auction order unfilled at cross'],
  [Reason.auctionCollar]: ['AUCTION_PRICE_COLLAR', 'Auction order excluded by price collar'],
  [Reason.auctionMargin]: ['AUCTION_INSUFFICIENT_MARGIN', 'Auction order cancelled due to insufficient margin'],
  [Reason.auctionBulkCancel]: ['AUCTION_BULK_CANCEL', 'Auction order cancelled due to bulk cancel'],
  [Reason.cancelsDisabled]: ['CANCELS_DISABLED', 'Cancels are disabled for this market'],
  [Reason.ordersDisabled]: ['ORDERS_DISABLED', 'Orders are disabled for this market'],
  [Reason.marginDisabled]: ['MARGIN_ORDERS_DISABLED', 'Margin orders are disabled for this market'],
  [Reason.spotDisabled]: ['SPOT_ORDERS_DISABLED', 'Spot orders are disabled for this market'],
  [Reason.amendsDisabled]: ['AMENDS_DISABLED', 'Amends are disabled for this market'],
};

function textsOf(reason: Reason): readonly [name: string, text: string] | undefined {
  const texts: Readonly<Record<number, readonly [string, string]>> = REASON_TEXT;
  return texts[reason];
}

/** Areas of the registry with codes that an order can carry. */
const ORDER_AREAS = [STATUS_REASONS.order, STATUS_REASONS.mmp, STATUS_REASONS.rate] as const;

/** A reason code of orders, if the registry has it (exchange catalogue, Appendix D); else null. */
export function reasonOf(code: unknown): Reason | null {
  const isKnown = Number.isInteger(code) && ORDER_AREAS.some((area) => String(code) in area);
  return isKnown ? (code as Reason) : null;
}

/** Name of a reason code as `errorCodeName` writes it. */
export function reasonName(reason: Reason): string {
  return textsOf(reason)?.[0] ?? statusReasonName(String(reason)) ?? 'UNKNOWN_ERROR';
}

/** Text of a reason code as `statusReason` writes it. */
export function reasonText(reason: Reason): string {
  return textsOf(reason)?.[1] ?? statusReasonText(String(reason)) ?? 'Unknown error';
}

/** An order on the venue. Prices are at the market's pricePrecision, quantities at its quantityPrecision. */
export interface Order {
  readonly orderId: string;
  clientOrderId: string | null;
  readonly requestId: string;
  readonly tradingAccountId: string;
  readonly market: MarketSpec;
  type: OrderType;
  readonly side: OrderSide;
  price: Decimal | null;
  readonly stopPrice: Decimal | null;
  quantity: Decimal;
  quantityFilled: Decimal;
  /** Sum of price × quantity of all fills, exact. */
  quoteAmount: Decimal;
  readonly timeInForce: OrderTimeInForce;
  readonly allowBorrow: boolean;
  readonly auctionId: string | null;
  readonly isMMP: boolean;
  status: ExchangeOrderStatus;
  reason: Reason;
  /** A stop order that was triggered behaves as a limit order. */
  triggered: boolean;
  /** Asset and amount that each open unit of quantity keeps locked. */
  lockPerUnit: Decimal;
  lockAsset: string;
  readonly createdAt: EpochMs;
  updatedAt: EpochMs;
}

/** A picture of an order at one moment; never changes. */
export type OrderView = Readonly<Order>;

/** The open quantity of an order, at the market's quantityPrecision. */
export function remaining(order: OrderView): Decimal {
  return order.quantity.subtract(order.quantityFilled);
}

export function isOpen(order: OrderView): boolean {
  return order.status === 'OPEN';
}

/** Average price of the fills with three more decimals than a price, half-even; null without fills. */
export function averageFillPrice(order: OrderView): Decimal | null {
  if (order.quantityFilled.isZero()) return null;
  return order.quoteAmount.divide(order.quantityFilled, order.market.pricePrecision);
}

/** Whether an order may trade at `price`. */
export function accepts(order: Pick<OrderView, 'side' | 'price'>, price: Decimal): boolean {
  if (order.price === null) return true;
  const difference = order.price.compare(price);
  return order.side === 'BUY' ? difference >= 0 : difference <= 0;
}

export const ZERO = Decimal.ZERO;

export function opposite(side: OrderSide): OrderSide {
  return side === 'BUY' ? 'SELL' : 'BUY';
}
