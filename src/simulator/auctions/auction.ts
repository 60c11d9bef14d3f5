// A symbol's auction at work: moving through its phases, imbalance updates in lockdown, and the cross itself.
// The clearing price is call-auction.ts, the phases are auction-phase.ts, acceptance of GTX orders is order-entry.ts.

import { assert } from '../../base/assert.ts';
import { type Decimal, minDecimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OrderSide } from '../../exchange/mod.ts';
import type { Floor, MarketState } from '../venue/floor.ts';
import { reportFill } from '../venue/matching.ts';
import { accepts, isOpen, type Order, Reason, remaining, ZERO } from '../venue/order.ts';
import { auctionBand } from '../venue/order-entry.ts';
import { lockOf, settle } from '../venue/settlement.ts';
import type { NoiiView } from '../venue/venue-view.ts';
import { type Band, type Clearing, clear, clearingAt } from './call-auction.ts';

/** Next time at which a market's auction does something by itself, or null. */
export function auctionDeadline(market: MarketState): EpochMs | null {
  const { auction } = market;
  if (auction === null) return null;
  const end = auction.phaseEndsAt();
  if (auction.noiiAt === null) return end;
  return end === null ? auction.noiiAt : Math.min(end, auction.noiiAt);
}

/** Do the work due at `now`: at most one phase step or one imbalance update; call until none is due. */
export function auctionStep(floor: Floor, market: MarketState, now: EpochMs): void {
  const { auction } = market;
  if (auction === null) return;
  const end = auction.phaseEndsAt();
  if (end !== null && end <= now) {
    advanceAuction(floor, market, now);
    return;
  }
  if (auction.noiiAt !== null && auction.noiiAt <= now) {
    publishNoii(floor, market, now);
    auction.noiiAt = now + auction.schedule.noiiMs;
  }
}

/** Go to the next phase. */
export function advanceAuction(floor: Floor, market: MarketState, now: EpochMs): void {
  const { auction } = market;
  assert(auction !== null, 'the market has auctions');
  switch (auction.phase) {
    case 'COOLING':
      floor.emit({ kind: 'phase', auction: auction.start(now) });
      return;
    case 'ACCUMULATION':
      floor.emit({ kind: 'phase', auction: auction.lockDown(now) });
      return;
    case 'LOCKDOWN':
      cross(floor, market, now);
      floor.emit({ kind: 'phase', auction: auction.cross(now) });
      market.lastNoii = null;
      return;
    case 'CROSS':
      auction.plan(now);
      return;
  }
}

export function postponeAuction(floor: Floor, market: MarketState, byMs: number, message: string, now: EpochMs): void {
  const { auction } = market;
  assert(auction !== null, 'the market has auctions');
  if (!auction.createEnabled()) return;
  floor.emit({ kind: 'phase', auction: auction.postpone(byMs, message, now) });
}

function publishNoii(floor: Floor, market: MarketState, now: EpochMs): void {
  const clearing = clear(
    eligible(floor, market),
    floor.referencePrice(market),
    market.tickSize,
    auctionBand(floor, market),
  );
  const noii = noiiOf(floor, market, clearing, 'UPDATE', now);
  market.lastNoii = noii;
  floor.emit({ kind: 'noii', noii });
}

function noiiOf(
  floor: Floor,
  market: MarketState,
  clearing: Clearing | null,
  eventType: NoiiView['eventType'],
  now: EpochMs,
): NoiiView {
  const referencePrice = floor.referencePrice(market);
  // Without a clearing price the imbalance is the surplus at the reference.
  const at = clearing ?? clearingAt(referencePrice, eligible(floor, market));
  return {
    auctionId: market.auction!.auctionId,
    symbol: market.spec.symbol,
    eventType,
    price: clearing === null ? null : clearing.price.withScale(market.spec.pricePrecision),
    referencePrice,
    imbalanceDirection: at.imbalanceDirection,
    imbalanceQuantity: at.imbalanceQuantity,
    pairedQuantity: clearing?.pairedQuantity ?? ZERO,
    timestamp: now,
  };
}

/** Orders inside the collar: a limit outside it is excluded (6022; this reading of the collar is **assumed**). */
function eligible(floor: Floor, market: MarketState): Order[] {
  const band = auctionBand(floor, market);
  return market.auctionOrders.filter((order) => !isExcluded(order, band));
}

function isExcluded(order: Order, band: Band | null): boolean {
  if (band === null || order.price === null) return false;
  return order.price.compare(band.low) < 0 || order.price.compare(band.high) > 0;
}

/** Cross the auction: pair orders at one price by priority, then end everything that is left. */
function cross(floor: Floor, market: MarketState, now: EpochMs): void {
  const band = auctionBand(floor, market);
  const orders = market.auctionOrders.splice(0);
  for (const order of orders) {
    if (isExcluded(order, band)) floor.report(order, 'CANCELLED', Reason.auctionCollar, now);
  }
  const { taking, clearing } = clearAffordable(floor, market, orders.filter(isOpen), band, now);
  market.auctionOrders.push(...taking);
  const result = noiiOf(floor, market, clearing, 'CROSS', now);
  market.auctionOrders.splice(0);
  if (clearing !== null) pair(floor, market, taking, clearing, now);
  for (const order of taking) {
    if (isOpen(order)) floor.report(order, 'CLOSED', Reason.auctionUnfilled, now);
  }
  floor.recordAuctionResult(market, result);
  floor.emit({ kind: 'noii', noii: result });
}

/**
 * Clear affordable orders: a market-on-close order locked an estimate. One that cannot pay the clearing price is
 * cancelled (6023), which may move the price for the others.
 */
function clearAffordable(
  floor: Floor,
  market: MarketState,
  orders: readonly Order[],
  band: Band | null,
  now: EpochMs,
): { taking: Order[]; clearing: Clearing | null } {
  let taking = [...orders];
  // Every round but the last removes an order.
  for (;;) {
    const clearing = clear(taking, floor.referencePrice(market), market.tickSize, band);
    if (clearing === null) return { taking, clearing };
    const short = taking.filter((order) => !raiseLock(floor, market, order, clearing.price));
    if (short.length === 0) return { taking, clearing };
    for (const order of short) floor.report(order, 'CANCELLED', Reason.auctionMargin, now);
    taking = taking.filter(isOpen);
  }
}

/** Lock the requirement of an order without a price at `price`; false if the account lacks it. */
function raiseLock(floor: Floor, market: MarketState, order: Order, price: Decimal): boolean {
  if (order.price !== null) return true;
  const { asset, perUnit } = lockOf(market.spec, order.side, price);
  if (perUnit.compare(order.lockPerUnit) <= 0) return true;
  const more = perUnit.subtract(order.lockPerUnit).multiply(remaining(order));
  if (!floor.ledger.affords(order.tradingAccountId, asset, more, order.allowBorrow)) return false;
  floor.ledger.lock(order.tradingAccountId, asset, more);
  order.lockPerUnit = perUnit;
  return true;
}

/** Orders that trade at the clearing price: market orders first, then better prices, then earlier arrival. */
function queue(orders: readonly Order[], side: OrderSide, clearing: Clearing): Order[] {
  const sign = side === 'BUY' ? -1 : 1;
  // The list is in order of arrival and sort is stable.
  return orders
    .filter((order) => order.side === side && accepts(order, clearing.price))
    .sort((a, b) => {
      if (a.price === null || b.price === null) return (a.price === null ? 0 : 1) - (b.price === null ? 0 : 1);
      return a.price.compare(b.price) * sign;
    });
}

function pair(floor: Floor, market: MarketState, orders: readonly Order[], clearing: Clearing, now: EpochMs): void {
  const price = clearing.price.withScale(market.spec.pricePrecision);
  const { auctionId } = market.auction!;
  const buys = queue(orders, 'BUY', clearing);
  const sells = queue(orders, 'SELL', clearing);
  let left = clearing.pairedQuantity;
  let b = 0;
  let s = 0;
  while (left.isPositive()) {
    const buy = buys[b]!;
    const sell = sells[s]!;
    const quantity = minDecimal(left, minDecimal(remaining(buy), remaining(sell)));
    const tradeId = floor.identifiers.next(now);
    settle(floor, market, buy, sell, { tradeId, price, quantity, auctionId, takerSide: null, at: now });
    floor.recordPublicTrade(market, {
      tradeId,
      symbol: market.spec.symbol,
      price,
      quantity,
      side: 'BUY',
      isTaker: false,
      auctionId,
      createdAt: now,
    });
    for (const order of [buy, sell]) reportFill(floor, order, now);
    left = left.subtract(quantity);
    if (remaining(buy).isZero()) b++;
    if (remaining(sell).isZero()) s++;
  }
}
