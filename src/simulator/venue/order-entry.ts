// Acceptance of orders: what the venue refuses after the acknowledgement, and how an accepted order starts.
// The checks that the REST face answers with 400 are in command-reading.ts; trading itself is matching.ts.

import { assert } from '../../base/assert.ts';
import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { isFrozen } from '../products/mmp.ts';
import { OPEN_ORDERS_MAX } from '../world/world.ts';
import type { Floor, MarketState } from './floor.ts';
import { isTriggered, offered, trade, trigger, wouldTake } from './matching.ts';
import { isOpen, type Order, Reason, remaining, ZERO } from './order.ts';
import { end, removeFrom } from './order-end.ts';
import { lockOf } from './settlement.ts';
import type { AmendOrder, CancelOrder, CreateOrder } from './venue-event.ts';

/** Accept or refuse a new order. A refusal is an error notice and then the order REJECTED (exchange reference §3.3). */
export function createOrder(floor: Floor, command: CreateOrder, now: EpochMs): void {
  const market = floor.markets.get(command.symbol);
  assert(market !== undefined, 'the face checked the symbol');
  const order = newOrder(market, command, now);
  const refusal = command.refuseWith ?? refusalOf(floor, market, command, order);
  if (refusal !== null) {
    refuse(floor, order, refusal, now);
    return;
  }
  const lock = lockNeeded(floor, market, order);
  if (!floor.ledger.affords(order.tradingAccountId, lock.asset, lock.check, order.allowBorrow)) {
    refuse(floor, order, Reason.insufficientBalance, now);
    return;
  }
  order.lockAsset = lock.asset;
  order.lockPerUnit = lock.perUnit;
  floor.ledger.lock(order.tradingAccountId, lock.asset, lock.perUnit.multiply(order.quantity));
  floor.register(order);
  floor.report(order, 'OPEN', Reason.accepted, now);
  start(floor, market, order, now);
}

function newOrder(market: MarketState, command: CreateOrder, now: EpochMs): Order {
  const active = market.auction?.createEnabled() === true ? market.auction.auctionId : null;
  return {
    orderId: command.orderId,
    clientOrderId: command.clientOrderId,
    requestId: command.requestId,
    tradingAccountId: command.tradingAccountId,
    market: market.spec,
    type: command.type,
    side: command.side,
    price: command.price,
    stopPrice: command.stopPrice,
    quantity: command.quantity,
    quantityFilled: new Decimal(0n, market.spec.quantityPrecision),
    quoteAmount: ZERO,
    timeInForce: command.timeInForce,
    allowBorrow: command.allowBorrow,
    auctionId: command.timeInForce === 'GTX' ? (command.auctionId ?? active) : null,
    isMMP: command.isMMP ?? false,
    status: 'OPEN',
    reason: Reason.accepted,
    triggered: false,
    lockPerUnit: ZERO,
    lockAsset: market.spec.quoteSymbol,
    createdAt: now,
    updatedAt: now,
  };
}

function refuse(floor: Floor, order: Order, reason: Reason, now: EpochMs): void {
  floor.notice({
    tradingAccountId: order.tradingAccountId,
    orderId: order.orderId,
    clientOrderId: order.clientOrderId,
    requestId: order.requestId,
    symbol: order.market.symbol,
    reason,
  });
  // A refused order can be looked up by its id; a duplicate reference keeps pointing to the order that had it first.
  if (reason === Reason.duplicateHandle) floor.registerUnnamed(order);
  else floor.register(order);
  floor.report(order, 'REJECTED', reason, now);
}

function refusalOf(floor: Floor, market: MarketState, command: CreateOrder, order: Order): Reason | null {
  if (market.expired !== null) return Reason.marketExpired;
  if (!market.flags.marketEnabled || !market.flags.createOrderEnabled) return Reason.ordersDisabled;
  // Books that were remembered by an earlier version have no such flags.
  if (market.spec.marketType === 'SPOT') {
    if (order.allowBorrow && market.flags.marginTradingEnabled === false) return Reason.marginDisabled;
    if (!order.allowBorrow && market.flags.spotTradingEnabled === false) return Reason.spotDisabled;
  }
  if (order.clientOrderId !== null && floor.byHandle(order.tradingAccountId, order.clientOrderId) !== null) {
    return Reason.duplicateHandle;
  }
  const crowded = openOrdersRefusal(floor, order);
  if (crowded !== null) return crowded;
  if (order.isMMP && isFrozen(floor, order.tradingAccountId, market.spec.baseSymbol, order.createdAt)) {
    return Reason.mmpFrozen;
  }
  if (order.timeInForce === 'GTX') return auctionRefusal(market, command, order);
  if (command.auctionId !== null) return Reason.auctionIdNotAllowed;
  if (order.price !== null && isOutOfRange(floor, market, order.price)) return Reason.priceOutOfRange;
  if (order.type === 'POST_ONLY' && wouldTake(market, order)) return Reason.neitherMakeNorTake;
  return null;
}

/** An order that needs margin: it may borrow, or its market is not spot (**assumed**). */
function isMarginOrder({ allowBorrow, market }: Order): boolean {
  return allowBorrow || market.marketType !== 'SPOT';
}

/** The account has as many open orders of this kind as it may. Accounts of the house may have any number. */
function openOrdersRefusal(floor: Floor, order: Order): Reason | null {
  const account = floor.ledger.account(order.tradingAccountId);
  if (account === null || account.unlimited) return null;
  const margin = isMarginOrder(order);
  // Books that were remembered by an earlier version have no such limits.
  const most = (margin ? account.openMarginOrdersMax : account.openSpotOrdersMax) ?? OPEN_ORDERS_MAX;
  // Counting by kind is slow: only an account that is near its limit pays for it.
  if (floor.openOrderCount(order.tradingAccountId) < most) return null;
  const open = floor.openOrders(order.tradingAccountId).filter((other) => isMarginOrder(other) === margin);
  if (open.length < most) return null;
  return margin ? Reason.tooManyMarginOrders : Reason.tooManySpotOrders;
}

function auctionRefusal(market: MarketState, command: CreateOrder, order: Order): Reason | null {
  if (order.type !== 'LIMIT' && order.type !== 'MARKET') return Reason.auctionOrderType;
  const { auction } = market;
  if (auction === null || auction.phase === 'CROSS') return Reason.noActiveAuction;
  if (!auction.createEnabled()) return Reason.auctionCreateDisabled;
  if (command.auctionId !== null && command.auctionId !== auction.auctionId) return Reason.invalidAuction;
  return null;
}

/** Outside the buffer around the last price, which options do not have (exchange catalogue, Market.priceBuffer). */
function isOutOfRange(floor: Floor, market: MarketState, price: Decimal): boolean {
  if (market.spec.marketType === 'OPTION') return false;
  const around = floor.referencePrice(market);
  const width = around.multiply(Decimal.of(market.spec.priceBuffer));
  return price.subtract(around).abs().compare(width) > 0;
}

/** The lock per unit of the order, and the amount that must be available for it. */
function lockNeeded(floor: Floor, market: MarketState, order: Order) {
  const { spec } = market;
  if (order.timeInForce === 'GTX' && order.price === null) {
    // A market-on-close buy can pay at most the upper end of the collar.
    const most = auctionBand(floor, market)?.high ?? floor.referencePrice(market);
    const { asset, perUnit } = lockOf(spec, order.side, most);
    return { asset, perUnit, check: perUnit.multiply(order.quantity) };
  }
  if (order.price === null) {
    const { cost, quantity } = offered(floor, market, order);
    const { asset, perUnit } = lockOf(spec, order.side, Decimal.of('1'));
    const check = spec.marketType === 'SPOT' && order.side === 'SELL' ? quantity : cost.multiply(perUnit);
    return { asset, perUnit: ZERO, check };
  }
  const { asset, perUnit } = lockOf(spec, order.side, order.price);
  return { asset, perUnit, check: perUnit.multiply(order.quantity) };
}

/** Prices between which the auction may clear; null without a collar. */
export function auctionBand(floor: Floor, market: MarketState): { low: Decimal; high: Decimal } | null {
  if (market.spec.auctionPriceCollar === null) return null;
  const index = floor.indexPrice(market);
  const width = index.multiply(Decimal.of(market.spec.auctionPriceCollar));
  return { low: index.subtract(width), high: index.add(width) };
}

function start(floor: Floor, market: MarketState, order: Order, now: EpochMs): void {
  if (order.timeInForce === 'GTX') {
    market.auctionOrders.push(order);
    floor.report(order, 'OPEN', Reason.open, now);
    return;
  }
  if (order.type === 'STOP_LIMIT') {
    if (isTriggered(market, order)) {
      trigger(floor, market, order, now);
      return;
    }
    market.stops.push(order);
    floor.report(order, 'OPEN', Reason.open, now);
    return;
  }
  if (order.timeInForce === 'FOK' && offered(floor, market, order).quantity.compare(order.quantity) < 0) {
    floor.report(order, 'CLOSED', Reason.expired, now);
    return;
  }
  trade(floor, market, order, now);
}

/** Find the order that a cancel or amend names. */
function named(floor: Floor, command: CancelOrder | AmendOrder): Order | null {
  const order =
    command.orderId !== null
      ? (floor.orders.get(command.orderId) ?? null)
      : command.clientOrderId !== null
        ? floor.byHandle(command.tradingAccountId, command.clientOrderId)
        : null;
  if (order === null || order.tradingAccountId !== command.tradingAccountId) return null;
  return order.market.symbol === command.symbol ? order : null;
}

/** Cancel one order, or say why not by an error notice. */
export function cancelOrder(floor: Floor, command: CancelOrder, now: EpochMs): void {
  const order = named(floor, command);
  const refusal = order === null ? Reason.orderNotFound : cancelRefusal(floor, order);
  if (refusal === null && order !== null) {
    end(floor, order, 'CANCELLED', Reason.userCancelled, now);
    return;
  }
  floor.notice({
    tradingAccountId: command.tradingAccountId,
    orderId: command.orderId ?? order?.orderId ?? null,
    clientOrderId: command.clientOrderId ?? order?.clientOrderId ?? null,
    requestId: command.requestId,
    symbol: command.symbol,
    reason: refusal ?? Reason.orderNotFound,
  });
}

function cancelRefusal(floor: Floor, order: Order): Reason | null {
  if (!isOpen(order)) return Reason.orderEnded;
  const market = floor.markets.get(order.market.symbol)!;
  if (!market.flags.cancelOrderEnabled) return Reason.cancelsDisabled;
  if (order.timeInForce === 'GTX' && market.auction?.changeEnabled() !== true) return Reason.auctionCancelDisabled;
  return null;
}

/** Cancel every order of an account (of one market if given) that may be cancelled now; the others stay. */
export function cancelAll(floor: Floor, tradingAccountId: string, symbol: string | null, now: EpochMs): void {
  const open = floor.openOrders(tradingAccountId);
  cancelThese(floor, symbol === null ? open : open.filter(({ market }) => market.symbol === symbol), now);
}

/** The delayed cancel-all takes limit orders (trading-api.md, Endpoints known by name): a market-on-close order stays. */
export function cancelLimitOrders(floor: Floor, tradingAccountId: string, now: EpochMs): void {
  const limited = floor.openOrders(tradingAccountId).filter(({ price }) => price !== null);
  cancelThese(floor, limited, now);
}

function cancelThese(floor: Floor, orders: readonly Order[], now: EpochMs): void {
  for (const order of orders) {
    if (cancelRefusal(floor, order) === null) end(floor, order, 'CANCELLED', Reason.userCancelled, now);
  }
}

/** Amend price, quantity, type or reference of an unfilled order; refusals leave it as it was. */
export function amendOrder(floor: Floor, command: AmendOrder, now: EpochMs): void {
  const order = named(floor, command);
  const refusal = order === null ? Reason.orderNotFound : amendRefusal(floor, order, command);
  if (refusal !== null || order === null) {
    floor.notice({
      tradingAccountId: command.tradingAccountId,
      orderId: command.orderId,
      clientOrderId: order?.clientOrderId ?? null,
      requestId: command.requestId,
      symbol: command.symbol,
      reason: refusal ?? Reason.orderNotFound,
    });
    return;
  }
  applyAmend(floor, order, command, now);
}

function amendRefusal(floor: Floor, order: Order, command: AmendOrder): Reason | null {
  const market = floor.markets.get(order.market.symbol)!;
  if (!isOpen(order)) return Reason.orderEnded;
  if (!market.flags.amendOrderEnabled) return Reason.amendsDisabled;
  const { clientOrderId } = command;
  if (clientOrderId !== null && clientOrderId !== order.clientOrderId) {
    if (floor.byHandle(order.tradingAccountId, clientOrderId) !== null) return Reason.duplicateHandle;
  }
  if (order.timeInForce === 'GTX') {
    if (market.auction?.changeEnabled() !== true) return Reason.auctionAmendDisabled;
    // Limit-on-close: the price alone; market-on-close: nothing (exchange reference §1.4).
    if (order.price === null || command.quantity !== null || command.type !== null) return Reason.badRequest;
  } else if (order.timeInForce !== 'GTC' || (order.type !== 'LIMIT' && order.type !== 'POST_ONLY')) {
    return Reason.badRequest;
  }
  if (!order.quantityFilled.isZero()) return Reason.badRequest;
  const price = command.price ?? order.price!;
  if (order.timeInForce !== 'GTX' && isOutOfRange(floor, market, price)) return Reason.priceOutOfRange;
  const type = command.type ?? order.type;
  if (type === 'POST_ONLY' && wouldTake(market, { ...order, price })) return Reason.neitherMakeNorTake;
  const lock = lockOf(order.market, order.side, price);
  const more = lock.perUnit
    .multiply(command.quantity ?? order.quantity)
    .subtract(order.lockPerUnit.multiply(remaining(order)));
  const affords = floor.ledger.affords(order.tradingAccountId, lock.asset, more, order.allowBorrow);
  return affords ? null : Reason.insufficientBalance;
}

function applyAmend(floor: Floor, order: Order, command: AmendOrder, now: EpochMs): void {
  const market = floor.markets.get(order.market.symbol)!;
  const inAuction = order.timeInForce === 'GTX';
  if (!inAuction) market.book.remove(order);
  const account = order.tradingAccountId;
  floor.ledger.lock(account, order.lockAsset, order.lockPerUnit.multiply(remaining(order)).negate());
  if (command.clientOrderId !== null) floor.rename(order, command.clientOrderId);
  order.type = command.type ?? order.type;
  order.price = command.price ?? order.price;
  order.quantity = command.quantity ?? order.quantity;
  order.lockPerUnit = lockOf(order.market, order.side, order.price!).perUnit;
  floor.ledger.lock(account, order.lockAsset, order.lockPerUnit.multiply(order.quantity));
  floor.bookChanged(market);
  if (inAuction) {
    removeFrom(market.auctionOrders, order);
    market.auctionOrders.push(order);
    floor.report(order, 'OPEN', Reason.open, now);
  } else trade(floor, market, order, now, Reason.selfCrossPreventionAmend);
}
