// Continuous trading: an incoming order against the book by price and time, stops that its trades trigger.
// Acceptance and refusal of orders is order-entry.ts; balances are settlement.ts.

import { type Decimal, minDecimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Floor, MarketState } from './floor.ts';
import { accepts, isOpen, type Order, opposite, Reason, remaining, ZERO } from './order.ts';
import { settle } from './settlement.ts';

/** Whether `order` would trade at once if it came to the book now. */
export function wouldTake(market: MarketState, order: Pick<Order, 'side' | 'price'>): boolean {
  const best = market.book.bestPrice(opposite(order.side));
  return best !== null && accepts(order, best);
}

/** Quantity that the book offers to `order` at prices it accepts, up to its own; what it would cost. */
export function offered(floor: Floor, market: MarketState, order: Order): { quantity: Decimal; cost: Decimal } {
  let quantity = ZERO;
  let cost = ZERO;
  const customer = floor.ledger.account(order.tradingAccountId)?.endCustomerId;
  for (const resting of market.book.orders(opposite(order.side))) {
    if (!accepts(order, resting.price!)) break;
    if (floor.ledger.account(resting.tradingAccountId)?.endCustomerId === customer) break;
    const taken = minDecimal(remaining(resting), remaining(order).subtract(quantity));
    quantity = quantity.add(taken);
    cost = cost.add(taken.multiply(resting.price!));
    if (quantity.compare(remaining(order)) >= 0) break;
  }
  return { quantity, cost };
}

/**
 * Let an accepted order trade, then rest or end: IOC, FOK and market remainders expire (6004), GTC limit orders rest.
 * Self-trade prevention ends what is left of the incoming order (6007, after an amendment 6011; which side yields is
 * **assumed**).
 */
export function trade(
  floor: Floor,
  market: MarketState,
  order: Order,
  now: EpochMs,
  ofItself: Reason = Reason.selfCrossPrevention,
): void {
  const before = floor.trades.length;
  const crossedItself = take(floor, market, order, now);
  if (isOpen(order)) {
    if (crossedItself) floor.report(order, 'CANCELLED', ofItself, now);
    else if (order.type === 'MARKET' || order.timeInForce === 'IOC' || order.timeInForce === 'FOK') {
      floor.report(order, 'CLOSED', Reason.expired, now);
    } else rest(floor, market, order, now);
  }
  if (floor.trades.length !== before) triggerStops(floor, market, now);
}

function rest(floor: Floor, market: MarketState, order: Order, now: EpochMs): void {
  market.book.add(order);
  floor.bookChanged(market);
  // A partly filled order has already said so.
  if (order.quantityFilled.isZero()) floor.report(order, 'OPEN', Reason.open, now);
}

/** Take from the book what the order accepts. Returns whether it stopped at an order of its own customer. */
function take(floor: Floor, market: MarketState, order: Order, now: EpochMs): boolean {
  const customer = floor.ledger.account(order.tradingAccountId)?.endCustomerId;
  while (remaining(order).isPositive()) {
    const resting = market.book.first(opposite(order.side));
    if (resting === null || !accepts(order, resting.price!)) return false;
    if (floor.ledger.account(resting.tradingAccountId)?.endCustomerId === customer) return true;
    fill(floor, market, order, resting, now);
  }
  return false;
}

function fill(floor: Floor, market: MarketState, taker: Order, maker: Order, now: EpochMs): void {
  const quantity = minDecimal(remaining(taker), remaining(maker));
  const price = maker.price!;
  const tradeId = floor.identifiers.next(now);
  if (remaining(maker).equals(quantity)) market.book.remove(maker);
  else market.book.reduce(maker, quantity);
  const [buy, sell] = taker.side === 'BUY' ? [taker, maker] : [maker, taker];
  settle(floor, market, buy, sell, { tradeId, price, quantity, auctionId: null, takerSide: taker.side, at: now });
  floor.bookChanged(market);
  market.lastPrice = price;
  market.lastTradeAt = now;
  floor.recordPublicTrade(market, {
    tradeId,
    symbol: market.spec.symbol,
    price,
    quantity,
    side: taker.side,
    isTaker: true,
    auctionId: null,
    createdAt: now,
  });
  for (const order of [maker, taker]) reportFill(floor, order, now);
}

/** Say how far an order is after a fill. */
export function reportFill(floor: Floor, order: Order, now: EpochMs): void {
  if (remaining(order).isZero()) floor.report(order, 'CLOSED', Reason.executed, now);
  else floor.report(order, 'OPEN', Reason.partiallyFilled, now);
}

/** Whether the last trade is at or beyond the stop price. */
export function isTriggered(market: MarketState, order: Order): boolean {
  if (market.lastPrice === null || order.stopPrice === null) return false;
  const difference = market.lastPrice.compare(order.stopPrice);
  return order.side === 'BUY' ? difference >= 0 : difference <= 0;
}

/** Bring triggered stop orders to the book as limit orders, one after another, in order of arrival. */
function triggerStops(floor: Floor, market: MarketState, now: EpochMs): void {
  // Every round takes one order off the list, so this ends; a trade of a triggered order looks at the list again.
  for (;;) {
    const index = market.stops.findIndex((order) => isTriggered(market, order));
    if (index === -1) return;
    const [order] = market.stops.splice(index, 1);
    trigger(floor, market, order!, now);
  }
}

/** Turn one stop order into a limit order (6012) and let it trade. */
export function trigger(floor: Floor, market: MarketState, order: Order, now: EpochMs): void {
  order.triggered = true;
  floor.report(order, 'OPEN', Reason.stopTriggered, now);
  const crossedItself = take(floor, market, order, now);
  if (!isOpen(order)) return;
  if (crossedItself) floor.report(order, 'CANCELLED', Reason.selfCrossPrevention, now);
  else rest(floor, market, order, now);
}
