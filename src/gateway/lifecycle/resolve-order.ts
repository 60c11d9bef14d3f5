// Ends an order by hand that the exchange no longer knows, after the loss of its data (restored from a backup, or a
// test venue that was reset). The operator's word replaces the exchange's; the caller audits it.

import { isTerminal, moveTo, type Order } from '../book/order.ts';
import { remember } from '../book/order-timeline.ts';
import { closeOrder, reportRejected, reportType } from '../reports/order-reports.ts';
import type { GatewayState, Turn } from '../state/state.ts';
import { other } from '../vocabulary/refusal.ts';

/** Why an order cannot be ended by hand, in words; null if it can. */
export function resolveProblem(state: GatewayState, sessionId: string, clOrdID: string): string | null {
  const order = state.registry.findByClOrdID(sessionId, clOrdID);
  if (order === null) return `Session ${sessionId} has no order with ClOrdID(11) ${clOrdID}.`;
  if (isTerminal(order.state)) return 'The order has ended already.';
  if (order.run.notFoundAt === null) {
    return 'The exchange has not said that it does not know this order: cancel it, or wait for the look-up.';
  }
  return null;
}

/** End it: 150=4 with 378 after New, 150=8 before. Should it turn up after all, it is cancelled (rule U2). */
export function resolveOrder(turn: Turn, sessionId: string, clOrdID: string, who: string, why: string): void {
  if (resolveProblem(turn.state, sessionId, clOrdID) !== null) return;
  const order: Order = turn.state.registry.findByClOrdID(sessionId, clOrdID)!;
  const text = `Ended by operations: the exchange does not know the order (${why})`;
  remember(order, turn.now, `ended by ${who}: ${why}`);
  order.absent = true;
  // An order that was never found cannot be awaited.
  order.exchangeFilled = order.cumQty;
  if (order.state === 'A') {
    reportRejected(turn, order, other(text));
    return;
  }
  moveTo(order, '4');
  order.lastText = text;
  reportType(turn, order, '4', text, { restatementReason: 'unsolicited' });
  closeOrder(turn, order);
}
