// Truths once everything came to rest: OMS and exchange agree on every order, and the middle office received all
// reports of the OMSs, and all external orders. Leaves what holds at every step to those who see it.

import { Decimal } from '../../src/base/decimal.ts';
import type { CopyDesk } from './copy-desk.ts';
import type { Exchange } from './exchange.ts';
import type { OrderDesk } from './order-desk.ts';
import type { SeenOrder } from './order-view.ts';

/** Compare what an OMS believes with the exchange; returns how many orders took the place of another (rule O6). @throws Error */
export function compareOrders(oms: OrderDesk, exchange: Exchange): number {
  let swaps = 0;
  for (const seen of oms.view.orders.values()) swaps += compareOrder(oms, seen, exchange);
  return swaps;
}

function compareOrder(oms: OrderDesk, seen: SeenOrder, exchange: Exchange): number {
  const where = `${seen.firstClOrdID} of ${oms.sessionId}`;
  if (seen.status === '') throw new Error(`nothing was ever reported of ${where}`);
  if (!seen.cumQty.equals(seen.fills)) throw new Error(`${where}: CumQty(14) ${seen.cumQty}, fills ${seen.fills}`);
  const legs = [seen.price, ...seen.laterPrices].flatMap((price) => exchange.createdAt(price) ?? []);
  const order = legs.at(-1);
  if (order === undefined) {
    if (seen.status !== '8') throw new Error(`${where} is reported as ${seen.status}, the exchange has no such order`);
    return 0;
  }
  if (legs.some(({ isAuction }) => isAuction !== oms.isForAuction(seen.firstClOrdID))) {
    throw new Error(`${where}: an order for the auction is none at the exchange, or the other way round`);
  }
  const working = legs.filter(({ status }) => status === 'OPEN').length;
  if (working > 1) throw new Error(`${where}: ${working} orders of one chain work at once (rule O6)`);
  const filled = legs.reduce((sum, leg) => sum.add(leg.filled), Decimal.ZERO);
  if (!filled.equals(seen.cumQty)) {
    throw new Error(`${where}: filled ${filled} at the exchange, ${seen.cumQty} reported`);
  }
  // A cancel that fills outran leaves nothing to cancel.
  const isFilled = order.filled.equals(order.quantity);
  const ended = isFilled ? '2' : '';
  const closed = order.code === '6002' ? '2' : `C${ended}`;
  const expected = { OPEN: '0156E', CLOSED: closed, CANCELLED: `4${ended}`, REJECTED: '84' };
  if (!expected[order.status].includes(seen.status)) {
    throw new Error(`${where} is ${order.status} ${order.code} at the exchange and reported as ${seen.status}`);
  }
  return legs.length - 1;
}

/** Compare the middle office's reports with each OMS's, and with the exchange (rules S9, O11). @throws Error */
export function compareCopies(copy: CopyDesk, omses: readonly OrderDesk[], exchange: Exchange): void {
  const missing = (execID: string, whose: string): never => {
    throw new Error(`the drop copy lacks ExecID(17)=${execID} of ${whose}`);
  };
  const reported = new Set<string>();
  for (const oms of omses) {
    for (const [execID, said] of oms.view.reports) {
      reported.add(execID);
      const copied = copy.reports.get(execID) ?? missing(execID, oms.sessionId);
      if (copied !== said) throw new Error(`ExecID(17)=${execID}: ${said} to ${oms.sessionId}, ${copied} in its copy`);
    }
  }
  const elsewhere = new Set(exchange.orders.filter(({ isElsewhere }) => isElsewhere).map(({ orderId }) => orderId));
  for (const execID of copy.reports.keys()) {
    const isElsewhere = elsewhere.has(execID.slice(0, execID.indexOf('-')));
    if (reported.has(execID) || isElsewhere || copy.statuses.has(execID)) continue;
    throw new Error(`ExecID(17)=${execID} is a copy of nothing`);
  }
  for (const orderID of copy.statuses.values()) {
    if (exchange.orders.some(({ orderId, status }) => orderId === orderID && status === 'OPEN')) {
      throw new Error(`order ${orderID} works at the exchange and was told to the drop copy as filled`);
    }
  }
  for (const order of exchange.orders) {
    if (!order.isElsewhere) continue;
    const told = copy.fills.get(order.orderId) ?? Decimal.ZERO;
    if (!told.equals(order.filled)) {
      throw new Error(`order ${order.orderId} of elsewhere: filled ${order.filled}, ${told} in the drop copy`);
    }
  }
}
