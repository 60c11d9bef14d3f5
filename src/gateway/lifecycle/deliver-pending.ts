// A session that is configured again receives all missed reports in order, before later ones (rules O2, S11).
// undelivered-reports.ts keeps them.

import type { Order } from '../book/order.ts';
import { decodeRecord } from '../book/order-record.ts';
import type { Untold, UntoldReportRecord } from '../book/record-kinds.ts';
import { cancelReject } from '../reports/answer.ts';
import { missedLiquidation } from '../reports/drop-copy.ts';
import { executionReport } from '../reports/execution-report.ts';
import { countUntold, reportKey } from '../reports/undelivered-reports.ts';
import { seenBy } from '../reports/visibility.ts';
import { endListOf } from '../requests/new-order-list.ts';
import { rejectRecovered } from '../requests/throttled-message.ts';
import { PIECE_ORDERS } from '../state/chunked-work.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';

/** Sessions that are back receive missed reports once the markets are known: fees and AvgPx(6) need them. */
export function tellReturned(turn: Turn): void {
  const { untold, telling, sessions, board } = turn.state;
  if (!board.isLoaded) return;
  for (const sessionId of untold.keys()) {
    const session = sessions.get(sessionId);
    if (session?.takesOrders !== true || telling.has(sessionId)) continue;
    telling.add(sessionId);
    tellPiece(turn, session);
  }
}

function tellPiece(turn: Turn, session: SessionState): void {
  const { sessionId } = session.config;
  const { untold, telling, pieces, registry } = turn.state;
  const { first, next } = untold.get(sessionId)!;
  const end = Math.min(next, first + PIECE_ORDERS);
  for (let number = first; number < end; number++) {
    const record = registry.record(reportKey(sessionId, number));
    if (record?.kind === 'untoldReport' && record.sessionId === sessionId) tell(turn, session, record);
    else
      turn.alarm('record-unreadable', `Undelivered reports of ${sessionId} cannot be read`, null, {
        session: sessionId,
      });
  }
  countUntold(turn, sessionId, end, next);
  if (end < next) {
    pieces.add(sessionId, turn.steady, (later) => tellPiece(later, later.state.sessions.get(sessionId) ?? session));
    return;
  }
  telling.delete(sessionId);
  turn.note('info', `received the reports that it missed while it was not configured: ${next} reports`, {
    session: sessionId,
  });
  for (const { listID } of registry.openLists(sessionId)) endListOf(turn, session, listID);
  rejectRecovered(turn);
}

function tell(turn: Turn, session: SessionState, { key, order: then, what }: UntoldReportRecord): void {
  const { board, registry } = turn.state;
  registry.forgetRecord(key);
  const read = decodeRecord(then, registry.parts);
  if (read?.kind !== 'order') return;
  const seen = asSeenBy(session, read.order, what);
  if (seen === null) return;
  const draft =
    what.kind === 'report'
      ? executionReport(session, board, seen, what.facts)
      : cancelReject(session, seen, what.facts, what.refusal);
  turn.send(session.config.sessionId, draft);
}

/**
 * A session that may see an order of another session, or of another firm behind it, gets its own view of it (rules O7,
 * O9).
 */
function asSeenBy(session: SessionState, order: Order, what: Untold): Order | null {
  if (order.sessionId === ELSEWHERE) return missedLiquidation(session, order);
  const to = what.kind === 'report' ? what.facts.sender : what.facts;
  return to === undefined ? order : seenBy(session, order, to);
}
