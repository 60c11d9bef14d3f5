// Cancels that no FIX request asked for: of a session that ended, or behind a kill switch. One command per order;
// cancels that an auction's phase forbids stay wanted and go out as soon as a phase allows them (rules C1, O12).

import { hasManyOwnCancels, isBeingCancelled, isOwnCancel, type Order, type OwnCancel } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { cancelMany } from '../requests/cancel-many.ts';
import { lockdownRefusal } from '../rules/gtx.ts';
import type { Turn } from '../state/state.ts';

/** Result for some open orders. */
export interface CancelledOrders {
  /** ClOrdIDs of the orders with cancels sent now. */
  readonly cancelled: readonly string[];
  /** ClOrdIDs of those that an auction's phase keeps from being cancelled. */
  readonly staying: readonly string[];
  /** How many were being cancelled already. */
  readonly underWay: number;
}

/** Cancel these open orders unless a cancel is on its way already. `endedId`: of a `disconnect`, the session that ended. */
export function cancelOrders(
  turn: Turn,
  orders: Iterable<Order>,
  kind: 'disconnect' | 'kill',
  endedId: string | null = null,
): CancelledOrders {
  const { board, sessions } = turn.state;
  const kindOf = ({ sessionId }: Order): OwnCancel =>
    endedId === null || sessionId === endedId ? kind : 'otherDisconnect';
  const staying: string[] = [];
  const cancelled: Order[] = [];
  let underWay = 0;
  for (const order of orders) {
    if (isBeingCancelled(order) || hasManyOwnCancels(order)) {
      underWay++;
      // The exchange may still refuse the OMS's request, and no request is left then.
      if (!order.requests.some((request) => isOwnCancel(request.kind))) want(turn, order, kindOf(order));
      continue;
    }
    if (sessions.has(order.sessionId) && lockdownRefusal(board, order, 'cancel') !== null) {
      staying.push(order.clOrdID);
      want(turn, order, kindOf(order));
      continue;
    }
    // Each occasion has its own retries.
    runOf(order).cancelAttempts = 0;
    cancelled.push(order);
  }
  cancelMany(turn, cancelled, { kindOf, clOrdID: null, massActionReportID: null });
  return { cancelled: cancelled.map(({ clOrdID }) => clOrdID), staying, underWay };
}

function want(turn: Turn, order: Order, kind: OwnCancel): void {
  order.cancelWanted = kind;
  turn.touch(order);
}
