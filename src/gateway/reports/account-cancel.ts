// Reports to a session with an F or q that cancels another session's order on its accounts (rule O7). The same holds
// for a firm with an F that cancels another firm's order behind the session (rule O9). They are 150=6 and 150=4 under
// its own ClOrdIDs, or a 9. The order's owner gets its unsolicited report from order-end.ts.

import { type ChangeRequest, isTerminal, type Order, type OtherAsker, openCreateLeg } from '../book/order.ts';
import { remember } from '../book/order-timeline.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { Refusal } from '../vocabulary/refusal.ts';
import type { Sender } from '../vocabulary/sender.ts';
import { cancelReject } from './answer.ts';
import { execID, executionReport } from './execution-report.ts';
import { isOwed, keepUntold } from './undelivered-reports.ts';
import { seenBy } from './visibility.ts';

/** Tell the session that asked: its request is on its way (`6`), or the order is cancelled (`4`). */
export function tellAsker(turn: Turn, order: Order, request: ChangeRequest, type: '6' | '4'): void {
  const { asker, clOrdID, massActionReportID, number } = request;
  if (asker === null || clOrdID === null) return;
  const who = otherOf(order, asker);
  const text =
    massActionReportID === null
      ? `The order was entered by another ${who}`
      : `Cancelled by OrderMassCancelRequest(q) ClOrdID(11)=${clOrdID}; the order was entered by another ${who}`;
  const sender = askedBy(request, asker);
  const facts = {
    type,
    execID: execID(order, `${type}-${number}`),
    transactTime: turn.now,
    clOrdID,
    origClOrdID: asker.origClOrdID,
    sender,
    ordStatus: type,
    massActionReportID,
    text,
  } as const;
  const session = presentAsker(turn, asker);
  if (session === null) keepUntold(turn, order, { kind: 'report', facts }, asker.sessionId);
  else turn.send(asker.sessionId, executionReport(session, turn.state.board, seenBy(session, order, sender), facts));
}

/** The requester; null if that session is not configured now, or has earlier reports waiting. */
function presentAsker({ state }: Turn, { sessionId }: OtherAsker): SessionState | null {
  return isOwed(state, sessionId) ? null : (state.sessions.get(sessionId) ?? null);
}

/** Relation of requester and owner. */
export const otherOf = (order: Order, asker: OtherAsker | null): string =>
  asker?.sessionId === order.sessionId ? 'firm behind this session' : 'session';

function askedBy({ senderSubID }: ChangeRequest, { onBehalfOfCompID, onBehalfOfSubID = null }: OtherAsker): Sender {
  return { senderSubID, onBehalfOfCompID, onBehalfOfSubID };
}

/**
 * State of an order with a refused cancel, in words. For an order that the exchange has not shown, or does not find,
 * even working is uncertain.
 */
export function notCancelled(order: Order): string {
  const isShown = order.state !== 'A' && openCreateLeg(order) === null && order.run.notFoundAt === null;
  return isShown
    ? 'could not be cancelled and stays open'
    : 'could not be cancelled, and whether it works is not known';
}

/**
 * Refuse the request with a 9; also after a q, with an r that counted the order. Operators learn which orders stay
 * open.
 */
export function refuseAsker(turn: Turn, order: Order, request: ChangeRequest, refusal: Refusal): void {
  const { asker, clOrdID } = request;
  if (asker === null || clOrdID === null) return;
  if (request.massActionReportID !== null && !isTerminal(order.state)) {
    const text = `A cancel for ${asker.sessionId} was refused, the order ${notCancelled(order)}: ${refusal.text}`;
    turn.alarm('cancel-incomplete', text, order);
  }
  remember(order, turn.now, `9 434=1 to ${asker.sessionId} ${refusal.text}`);
  turn.touch(order);
  const sender = askedBy(request, asker);
  const facts = {
    responseTo: 'F',
    clOrdID,
    origClOrdID: asker.origClOrdID ?? 'NONE',
    account: null,
    ...sender,
    transactTime: turn.now,
    refusedHere: false,
  } as const;
  const session = presentAsker(turn, asker);
  if (session === null) keepUntold(turn, order, { kind: 'cancelReject', facts, refusal }, asker.sessionId);
  else turn.send(asker.sessionId, cancelReject(session, seenBy(session, order, sender), facts, refusal));
}
