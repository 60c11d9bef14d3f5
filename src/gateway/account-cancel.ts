// What a session is told whose F or q cancels an order of another session on its accounts (rule O7), or a firm whose F cancels
// one of another firm behind the same session (rule O9): 150=6 and 150=4 under its own ClOrdIDs, or a 9. Whoever entered the
// order gets its unsolicited report from order-end.ts.

import { cancelReject } from './answer.ts';
import { execID, executionReport } from './execution-report.ts';
import { type ChangeRequest, isTerminal, type Order, type OtherAsker } from './order.ts';
import { remember } from './order-timeline.ts';
import { seenBy } from './reach.ts';
import type { Refusal } from './refusal.ts';
import type { Sender } from './sender.ts';
import type { Turn } from './state.ts';

/** Tell the session that asked: its request is on its way (`6`), or the order is cancelled (`4`). */
export function tellAsker(turn: Turn, order: Order, request: ChangeRequest, type: '6' | '4'): void {
  const { asker, clOrdID, massActionReportID, number } = request;
  const session = asker === null ? undefined : turn.state.sessions.get(asker.sessionId);
  if (asker === null || session === undefined || clOrdID === null) return;
  const who = otherOf(order, asker);
  const text =
    massActionReportID === null
      ? `The order was entered by another ${who}`
      : `Cancelled by OrderMassCancelRequest(q) ClOrdID(11)=${clOrdID}; the order was entered by another ${who}`;
  const report = executionReport(session, turn.state.board, seenBy(session, order, askedBy(request, asker)), {
    type,
    execID: execID(order, `${type}-${number}`),
    transactTime: turn.now,
    clOrdID,
    origClOrdID: asker.origClOrdID,
    sender: askedBy(request, asker),
    ordStatus: type,
    massActionReportID,
    text,
  });
  turn.send(asker.sessionId, report);
}

/** What whoever asks and whoever entered the order are to each other. */
export const otherOf = (order: Order, asker: OtherAsker | null): string =>
  asker?.sessionId === order.sessionId ? 'firm behind this session' : 'session';

function askedBy({ senderSubID }: ChangeRequest, { onBehalfOfCompID, onBehalfOfSubID = null }: OtherAsker): Sender {
  return { senderSubID, onBehalfOfCompID, onBehalfOfSubID };
}

/** Refuse the request with a 9: also to a q, whose r had counted the order. What stays open is told to people too. */
export function refuseAsker(turn: Turn, order: Order, request: ChangeRequest, refusal: Refusal): void {
  const { asker, clOrdID } = request;
  const session = asker === null ? undefined : turn.state.sessions.get(asker.sessionId);
  if (asker === null || session === undefined || clOrdID === null) return;
  if (request.massActionReportID !== null && !isTerminal(order.state)) {
    const text = `The order could not be cancelled for ${asker.sessionId} and stays open: ${refusal.text}`;
    turn.alarm('cancel-incomplete', text, order);
  }
  remember(order, turn.now, `9 434=1 to ${asker.sessionId} ${refusal.text}`);
  turn.touch(order);
  const seen = seenBy(session, order, askedBy(request, asker));
  const facts = {
    responseTo: 'F',
    clOrdID,
    origClOrdID: asker.origClOrdID ?? 'NONE',
    account: seen.echo.account,
    ...askedBy(request, asker),
    transactTime: turn.now,
    refusedHere: false,
  } as const;
  turn.send(asker.sessionId, cancelReject(session, seen, facts, refusal));
}
