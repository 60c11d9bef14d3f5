// The price at which an auction clears: maximum matched quantity, then minimum imbalance, then nearest to the reference.
// A pure calculation; auction.ts owns phases and orders.

import { Decimal, minDecimal } from '../../base/decimal.ts';
import type { OrderSide } from '../../exchange/mod.ts';
import { accepts, type Order, remaining, ZERO } from '../venue/order.ts';

/** Outcome of an auction at one price. */
export interface Clearing {
  readonly price: Decimal;
  readonly pairedQuantity: Decimal;
  readonly imbalanceQuantity: Decimal;
  readonly imbalanceDirection: OrderSide | 'NONE';
}

/** Prices between which an auction may clear (auctionPriceCollar); null where there is no collar. */
export interface Band {
  readonly low: Decimal;
  readonly high: Decimal;
}

/** Paired quantity, and the rest, at `price`. */
export function clearingAt(price: Decimal, orders: readonly Order[]): Clearing {
  let demand = ZERO;
  let supply = ZERO;
  for (const order of orders) {
    if (!accepts(order, price)) continue;
    if (order.side === 'BUY') demand = demand.add(remaining(order));
    else supply = supply.add(remaining(order));
  }
  const difference = demand.subtract(supply);
  return {
    price,
    pairedQuantity: minDecimal(demand, supply),
    imbalanceQuantity: difference.abs(),
    imbalanceDirection: difference.isZero() ? 'NONE' : difference.isPositive() ? 'BUY' : 'SELL',
  };
}

/**
 * Find the clearing price of `orders` (limit orders, and market orders as those without a price). Prices are multiples of
 * `tick`, inside `band` if there is one. Equal candidates: the lower price (**assumed**). Null if nothing can pair.
 */
export function clear(orders: readonly Order[], reference: Decimal, tick: Decimal, band: Band | null): Clearing | null {
  let best: Clearing | null = null;
  for (const price of candidates(orders, reference, tick, band)) {
    const found = clearingAt(price, orders);
    if (!found.pairedQuantity.isPositive()) continue;
    if (best === null || better(found, best, reference)) best = found;
  }
  return best;
}

/**
 * Demand and supply change only at limit prices. So the optimum is a limit, one tick beside it, or an end of the band.
 * Inside a stretch without change it is the price nearest to the reference: the reference itself.
 */
function candidates(orders: readonly Order[], reference: Decimal, tick: Decimal, band: Band | null): Decimal[] {
  const found = new Map<string, Decimal>();
  const offer = (price: Decimal): void => {
    if (!price.isPositive()) return;
    if (band !== null && (price.compare(band.low) < 0 || price.compare(band.high) > 0)) return;
    found.set(price.trimmed().toString(), price);
  };
  const lower = floorToTick(reference, tick);
  offer(lower);
  offer(lower.add(tick));
  if (band !== null) {
    offer(floorToTick(band.high, tick));
    const low = floorToTick(band.low, tick);
    offer(low);
    offer(low.add(tick));
  }
  for (const { price } of orders) {
    if (price === null) continue;
    offer(price);
    offer(price.add(tick));
    offer(price.subtract(tick));
  }
  return [...found.values()].sort((a, b) => a.compare(b));
}

function better(a: Clearing, b: Clearing, reference: Decimal): boolean {
  const paired = a.pairedQuantity.compare(b.pairedQuantity);
  if (paired !== 0) return paired > 0;
  const imbalance = a.imbalanceQuantity.compare(b.imbalanceQuantity);
  if (imbalance !== 0) return imbalance < 0;
  const distance = a.price.subtract(reference).abs().compare(b.price.subtract(reference).abs());
  return distance < 0;
}

/** The greatest multiple of `tick` that is not above `price`. */
export function floorToTick(price: Decimal, tick: Decimal): Decimal {
  const scale = Math.max(price.scale, tick.scale);
  const p = price.withScale(scale).coefficient;
  const t = tick.withScale(scale).coefficient;
  return new Decimal(p - (((p % t) + t) % t), scale);
}
