// Due work of an order: its pending acknowledgement, the wait for its trades, an alarm, a repeated cancel, a look-up.
// Other files set the times.

import type { EpochMs } from '../../base/time.ts';
import { isBeingCancelled, isTerminal, type Order } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { reportPendingNew } from '../reports/order-reports.ts';
import { requestCancel } from '../requests/order-cancel.ts';
import type { Turn } from '../state/state.ts';
import { endWaitOver } from './order-end.ts';
import { lookUp } from './order-lookup.ts';
import { tellAllWaiting } from './overfill.ts';

/** Do whatever of an order is due now. */
export function orderDue(turn: Turn, order: Order): void {
  const run = runOf(order);
  const isDue = (at: EpochMs | null): boolean => at !== null && at <= turn.steady;
  if (isDue(run.pendingNewAt)) reportPendingNew(turn, order);
  if (isDue(run.waitingUntil)) tellAllWaiting(turn, order);
  if (isDue(run.endAt)) endWaitOver(turn, order);
  if (isDue(run.alarmAt)) {
    run.alarmAt = null;
    const what = order.state === 'A' ? 'new' : 'cancel or replace';
    turn.alarm('order-pending', `The order is pending (${what}) for longer than the limit`, order);
  }
  if (isDue(run.cancelAgainAt)) {
    run.cancelAgainAt = null;
    const { cancelWanted } = order;
    const isOpen = !isTerminal(order.state) || order.absent;
    if (cancelWanted !== null && isOpen && !isBeingCancelled(order)) {
      requestCancel(turn, order, { kind: cancelWanted, sender: order.echo });
    }
  }
  if (isDue(run.lookupAt)) lookUp(turn, order);
}
