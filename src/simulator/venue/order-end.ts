// The end of an open order for any cause: user, expiry, protection, AMM. Callers give the cause; floor.ts releases the
// locks.

import type { EpochMs } from '../../base/time.ts';
import type { Floor } from './floor.ts';
import type { Order, Reason } from './order.ts';

/** Take an open order out of wherever it waits, and end it. */
export function end(floor: Floor, order: Order, status: 'CANCELLED' | 'CLOSED', reason: Reason, now: EpochMs): void {
  const market = floor.markets.get(order.market.symbol)!;
  if (market.book.has(order.orderId)) {
    market.book.remove(order);
    floor.bookChanged(market);
  }
  removeFrom(market.stops, order);
  removeFrom(market.auctionOrders, order);
  floor.report(order, status, reason, now);
}

/** Take an order out of a list, if it is there. */
export function removeFrom(list: Order[], order: Order): void {
  const index = list.indexOf(order);
  if (index !== -1) list.splice(index, 1);
}
