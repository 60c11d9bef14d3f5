// What falls due for an order: its pending acknowledgement, the wait for its trades, an alarm, a cancel sent again, a
// look-up. Which of them are set, and until when, is decided where they are.

import type { EpochMs } from '../base/time.ts';
import { isBeingCancelled, isTerminal, type Order } from './order.ts';
import { requestCancel } from './order-cancel.ts';
import { endWaitOver } from './order-end.ts';
import { lookUp } from './order-lookup.ts';
import { reportPendingNew } from './order-reports.ts';
import { runOf } from './order-run.ts';
import { remember } from './order-timeline.ts';
import type { Turn } from './state.ts';

/** Orders of one session that are told of one by one when they are pending for too long at the same moment. */
const PENDING_TOLD_MAX = 5;

/** Do whatever of an order is due now. True if it is pending for too long, which {@link tellPending} tells. */
export function orderDue(turn: Turn, order: Order): boolean {
  const run = runOf(order);
  const isDue = (at: EpochMs | null): boolean => at !== null && at <= turn.now;
  if (isDue(run.pendingNewAt)) reportPendingNew(turn, order);
  if (isDue(run.endAt)) endWaitOver(turn, order);
  const isPendingTooLong = isDue(run.alarmAt);
  if (isPendingTooLong) run.alarmAt = null;
  if (isDue(run.cancelAgainAt)) {
    run.cancelAgainAt = null;
    const { cancelWanted } = order;
    const isOpen = !isTerminal(order.state) || order.absent;
    if (cancelWanted !== null && isOpen && !isBeingCancelled(order)) {
      requestCancel(turn, order, cancelWanted, null, null, null);
    }
  }
  if (isDue(run.lookupAt)) lookUp(turn, order);
  return isPendingTooLong;
}

/** Raise the alarm for orders that are pending for too long: after a mass cancel of hundreds, not hundreds of alarms. */
export function tellPending(turn: Turn, orders: readonly Order[]): void {
  for (const [session, own] of Map.groupBy(orders, ({ sessionId }) => sessionId)) {
    for (const [i, order] of own.entries()) {
      const what = order.state === 'A' ? 'new' : 'cancel or replace';
      const text = `The order is pending (${what}) for longer than the limit`;
      if (i < PENDING_TOLD_MAX) turn.alarm('order-pending', text, order);
      else {
        remember(order, turn.now, `alarm order-pending: ${text}`);
        turn.touch(order);
      }
    }
    const more = own.length - PENDING_TOLD_MAX;
    if (more > 0)
      turn.alarm('order-pending', `${more} more orders are pending for longer than the limit`, null, { session });
  }
}
