// Answers to a D that its sender repeats: the order's last report comes again in the exchange's own FIX (rule D14). Leaves every
// other dialect and the refusal of duplicates to new-order.ts.

import type { Order, OrderState } from '../book/order.ts';
import { remember, timelineOf } from '../book/order-timeline.ts';
import { execID, executionReport, type ReportFacts, type ReportType } from '../reports/execution-report.ts';
import { seenBy } from '../reports/visibility.ts';
import { answerID } from '../rules/build-order.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { Sender } from '../vocabulary/sender.ts';

/** An OMS that sends a D again and again must not push out the events of its order. */
export function rememberOnce(turn: Turn, order: Order, what: string): void {
  if (timelineOf(order).at(-1)?.[1] === what) return;
  remember(order, turn.now, what);
  turn.touch(order);
}

/**
 * The exchange's own FIX has no status: the last report comes again (rule D14). One that a process before this one sent is made
 * anew of how the order stands. An order without an answer has no report yet: its first one is on its way.
 */
export function repeatLastReport(turn: Turn, session: SessionState, known: Order, asker: Sender): void {
  rememberOnce(turn, known, 'D repeated by its sender');
  const lastReport = turn.state.lastReports.get(known);
  if (lastReport === undefined && known.state === 'A') return;
  const facts = lastReport ?? presentReport(turn, known);
  const seen = seenBy(session, known, asker);
  const draft = executionReport(session, turn.state.board, seen, { ...facts, isRepeated: true });
  turn.send(session.config.sessionId, draft);
}

const LAST_REPORT: Readonly<Record<OrderState, ReportType>> = {
  A: '0',
  '0': '0',
  '1': 'D',
  '2': 'D',
  '4': '4',
  '8': '8',
  C: 'C',
};

function presentReport(turn: Turn, known: Order): ReportFacts {
  const type = LAST_REPORT[known.state];
  // One that was refused here has no id of the exchange.
  const id = known.state === '8' ? answerID(turn) : execID(known, type === 'D' ? `D-${known.cumQty}` : type);
  const told = timelineOf(known).findLast(([, what]) => what.startsWith('150='));
  return { type, execID: id, transactTime: told?.[0] ?? known.receivedAt, text: known.lastText };
}
