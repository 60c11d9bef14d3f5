// Venue objects as the JSON of REST answers and stream frames (exchange catalogue, Appendices B and C).
// Amounts are decimal strings at the precision of market or asset; times come as ISO text and as milliseconds in a string.

import type { Decimal } from '../../base/decimal.ts';
import { type EpochMs, formatIso } from '../../base/time.ts';
import type { OrderType } from '../../exchange/mod.ts';
import { committed } from '../products/amm.ts';
import type { Floor, MarketState } from '../venue/floor.ts';
import { averageFillPrice, type OrderView, reasonName, reasonText } from '../venue/order.ts';
import type { NoticeView } from '../venue/venue-event.ts';
import type { AuctionView, NoiiView, PublicTrade, TradeView } from '../venue/venue-view.ts';
import { assetPrecision, type MarketSpec } from '../world/world.ts';

export type Json = Record<string, unknown>;

/** Write an amount with at least `decimals` places; digits beyond them stay, as fills of the exchange show. */
export function amount(value: Decimal, decimals: number): string {
  return value.trimmed().scale >= decimals
    ? value.trimmed().toString()
    : value.trimmed().withScale(decimals).toString();
}

/** Order types as every answer has them. */
export const ORDER_TYPE_WORDS: Readonly<Record<OrderType, string>> = {
  LIMIT: 'LMT',
  MARKET: 'MKT',
  STOP_LIMIT: 'STOP_LIMIT',
  POST_ONLY: 'POST_ONLY',
};

/** A time in the two forms that every object has it in. */
export function moment(name: 'createdAt' | 'updatedAt', at: EpochMs): Json {
  return { [`${name}Datetime`]: formatIso(at), [`${name}Timestamp`]: String(at) };
}

/** Quote precision of a market: that of its quote asset. */
export function quotePrecision(floor: Floor, market: MarketSpec): number {
  return assetPrecision(floor.world.assets, market.quoteSymbol);
}

/** An order in the words that REST and stream share; the form of `statusReasonCode` is added by the callers. */
function orderFields(floor: Floor, order: OrderView): Json {
  const { market } = order;
  const account = floor.ledger.account(order.tradingAccountId);
  const average = averageFillPrice(order);
  const rate = order.auctionId !== null ? account?.auctionFee : account?.takerFee;
  return {
    handle: order.clientOrderId,
    clientOrderId: order.clientOrderId,
    orderId: order.orderId,
    symbol: market.symbol,
    price:
      order.price === null
        ? '0'.concat('.', '0'.repeat(market.pricePrecision))
        : amount(order.price, market.pricePrecision),
    averageFillPrice: average === null ? null : amount(average, market.pricePrecision),
    stopPrice: order.stopPrice === null ? null : amount(order.stopPrice, market.pricePrecision),
    allowBorrow: order.allowBorrow,
    quantity: amount(order.quantity, market.quantityPrecision),
    quantityFilled: amount(order.quantityFilled, market.quantityPrecision),
    quoteAmount: amount(order.quoteAmount, quotePrecision(floor, market)),
    baseFee: order.side === 'BUY' ? (rate ?? '0.00000000') : '0.00000000',
    quoteFee: order.side === 'SELL' ? (rate ?? '0.00000000') : '0.00000000',
    borrowedBaseQuantity: null,
    borrowedQuoteQuantity: null,
    isLiquidation: false,
    side: order.side,
    type: ORDER_TYPE_WORDS[order.type],
    timeInForce: order.timeInForce,
    status: order.status,
    statusReason: reasonText(order.reason),
    ...moment('createdAt', order.createdAt),
  };
}

/** Order as REST answers it: `statusReasonCode` is text, the account is named, removed fields are absent. */
export function restOrder(floor: Floor, order: OrderView): Json {
  const { tradingAccountId, reason } = order;
  return { tradingAccountId, ...orderFields(floor, order), statusReasonCode: String(reason) };
}

/** Order as the `orders` topic carries it: `statusReasonCode` is a number (exchange reference §3.1). */
export function streamOrder(floor: Floor, order: OrderView, publishedAt: EpochMs): Json {
  return {
    ...orderFields(floor, order),
    margin: order.allowBorrow,
    borrowedQuantity: null,
    statusReasonCode: order.reason,
    publishedAtTimestamp: String(publishedAt),
  };
}

/** Fees and rebate of a fill. */
export function tradeAmounts(floor: Floor, trade: TradeView): Json {
  const market = floor.markets.get(trade.symbol)!.spec;
  const rebateAsset = trade.tradeRebateAssetSymbol;
  return {
    baseFee: amount(trade.baseFee, assetPrecision(floor.world.assets, market.baseSymbol)),
    quoteFee: amount(trade.quoteFee, quotePrecision(floor, market)),
    tradeRebateAmount:
      trade.tradeRebateAmount === null || rebateAsset === null
        ? null
        : amount(trade.tradeRebateAmount, assetPrecision(floor.world.assets, rebateAsset)),
    tradeRebateAssetSymbol: rebateAsset,
  };
}

function tradeFields(floor: Floor, trade: TradeView): Json {
  const market = floor.markets.get(trade.symbol)!.spec;
  return {
    tradeId: trade.tradeId,
    orderId: trade.orderId,
    handle: trade.clientOrderId,
    symbol: trade.symbol,
    price: amount(trade.price, market.pricePrecision),
    quantity: amount(trade.quantity, market.quantityPrecision),
    quoteAmount: amount(trade.quoteAmount, quotePrecision(floor, market)),
    ...tradeAmounts(floor, trade),
    side: trade.side,
    isTaker: trade.isTaker,
    otcMatchId: trade.otcMatchId,
    otcTradeId: trade.otcTradeId,
    clientOtcTradeId: trade.clientOtcTradeId,
    ...moment('createdAt', trade.createdAt),
    ...(trade.auctionId === null ? {} : { auctionId: trade.auctionId }),
  };
}

export function restTrade(floor: Floor, trade: TradeView): Json {
  const { tradingAccountId, clientOrderId } = trade;
  return { tradingAccountId, ...tradeFields(floor, trade), clientOrderId, isLiquidation: false };
}

export function streamTrade(floor: Floor, trade: TradeView, publishedAt: EpochMs): Json {
  return { ...tradeFields(floor, trade), publishedAtTimestamp: String(publishedAt) };
}

/** A trade without names: `trades` of a market, and the anonymousTrades topic. */
export function publicTrade(market: MarketSpec, trade: PublicTrade): Json {
  return {
    tradeId: trade.tradeId,
    symbol: trade.symbol,
    price: amount(trade.price, market.pricePrecision),
    quantity: amount(trade.quantity, market.quantityPrecision),
    side: trade.side,
    isTaker: trade.isTaker,
    ...moment('createdAt', trade.createdAt),
    ...(trade.auctionId === null ? {} : { auctionId: trade.auctionId }),
  };
}

export function assetAccount(floor: Floor, tradingAccountId: string, asset: string, now: EpochMs): Json {
  const spec = floor.world.assets.find(({ symbol }) => symbol === asset);
  const precision = spec?.precision ?? 8;
  const { total, locked } = floor.ledger.balance(tradingAccountId, asset);
  const available = total.subtract(locked);
  const borrowed = total.isNegative() ? total.negate() : null;
  const zero = amount(total.subtract(total), precision);
  return {
    tradingAccountId,
    assetId: spec?.assetId ?? '0',
    assetSymbol: asset,
    availableQuantity: available.isNegative() ? zero : amount(available, precision),
    borrowedQuantity: borrowed === null ? zero : amount(borrowed, precision),
    lockedQuantity: amount(locked.add(committed(floor, tradingAccountId, asset)), precision),
    loanedQuantity: zero,
    ...moment('updatedAt', now),
  };
}

/** `V1TAErrorResponse`: refused after the acknowledgement (exchange reference §3.3). */
export function errorNotice(notice: NoticeView): Json {
  return {
    handle: notice.clientOrderId,
    clientOrderId: notice.clientOrderId,
    requestId: notice.requestId,
    orderId: notice.orderId,
    symbol: notice.symbol,
    message: reasonText(notice.reason),
    errorCode: notice.reason,
    errorCodeName: reasonName(notice.reason),
  };
}

/** Auction as REST answers it; the stream adds eventType, timestamp and message. */
export function auction(view: AuctionView): Json {
  return {
    auctionId: view.auctionId,
    symbol: view.symbol,
    phase: view.phase,
    startTime: formatIso(view.startTime),
    lockdownTime: formatIso(view.lockdownTime),
    scheduledCrossTime: formatIso(view.scheduledCrossTime),
    createAuctionOrderEnabled: view.createAuctionOrderEnabled,
    amendAuctionOrderEnabled: view.amendAuctionOrderEnabled,
    cancelAuctionOrderEnabled: view.cancelAuctionOrderEnabled,
    createdAt: formatIso(view.createdAt),
    updatedAt: formatIso(view.updatedAt),
  };
}

export function auctionPhase(view: AuctionView): Json {
  const { eventType, message, updatedAt } = view;
  // The message is optional: the exchange leaves it out.
  const said = message === null ? {} : { message };
  return { ...auction(view), eventType, timestamp: formatIso(updatedAt), ...said };
}

function noiiFields(market: MarketSpec, noii: NoiiView): Json {
  return {
    auctionId: noii.auctionId,
    symbol: noii.symbol,
    referencePrice: amount(noii.referencePrice, market.pricePrecision),
    imbalanceDirection: noii.imbalanceDirection,
    imbalanceQuantity: amount(noii.imbalanceQuantity, market.quantityPrecision),
    pairedQuantity: amount(noii.pairedQuantity, market.quantityPrecision),
  };
}

const priceOrNull = (market: MarketSpec, price: Decimal | null): string | null =>
  price === null ? null : amount(price, market.pricePrecision);

export function restNoii(market: MarketSpec, noii: NoiiView): Json {
  return {
    ...noiiFields(market, noii),
    timestamp: formatIso(noii.timestamp),
    farPrice: priceOrNull(market, noii.price),
  };
}

export function streamNoii(market: MarketSpec, noii: NoiiView): Json {
  const price = priceOrNull(market, noii.price);
  return {
    ...noiiFields(market, noii),
    eventType: noii.eventType,
    timestamp: formatIso(noii.timestamp),
    ...(noii.eventType === 'CROSS' ? { clearingPrice: price } : { farPrice: price }),
  };
}

export function auctionResult(market: MarketSpec, noii: NoiiView): Json {
  return {
    ...noiiFields(market, noii),
    crossTime: formatIso(noii.timestamp),
    clearingPrice: priceOrNull(market, noii.price),
    createdAtDatetime: formatIso(noii.timestamp),
  };
}

/** Best levels of the book as `orderbook/hybrid` answers them. */
export function hybridBook(state: MarketState, depth: number, now: EpochMs): Json {
  const side = (name: 'BUY' | 'SELL'): Json[] =>
    state.book.levels(name, depth).map(({ price, quantity }) => ({
      price: amount(price, state.spec.pricePrecision),
      priceLevelQuantity: amount(quantity, state.spec.quantityPrecision),
      type: name === 'BUY' ? 'bid' : 'ask',
    }));
  return {
    bids: side('BUY'),
    asks: side('SELL'),
    datetime: formatIso(now),
    timestamp: String(now),
    sequenceNumber: state.book.sequence,
  };
}
