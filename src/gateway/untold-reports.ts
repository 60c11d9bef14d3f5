// What a session is to be told that is not configured at the moment: its file was removed, or lies aside, and the gateway was
// started without it. Each report and each 9 of its orders is on record as it would have been sent; when the session is back,
// it is told all of them, in their order, before anything that comes later (rules O2, S11).

import { type CancelRejectFacts, cancelReject } from './answer.ts';
import { ELSEWHERE } from './copy-selection.ts';
import { executionReport, type ReportFacts } from './execution-report.ts';
import { endListOf } from './new-order-list.ts';
import type { Order } from './order.ts';
import { decodeRecord, encodeOrder, encodeRecord, type UntoldRecord, type UntoldReportRecord } from './order-record.ts';
import { PIECE_ORDERS } from './pieces.ts';
import { seenBy } from './reach.ts';
import type { Refusal } from './refusal.ts';
import type { SessionState } from './session-state.ts';
import type { GatewayState, Turn } from './state.ts';

/** What would have been sent of an order. */
export type Untold =
  | { readonly kind: 'report'; readonly facts: ReportFacts }
  | { readonly kind: 'cancelReject'; readonly facts: CancelRejectFacts; readonly refusal: Refusal };

/** Whether something is to be told to a session before what comes now. */
export function isOwed({ untold }: GatewayState, sessionId: string): boolean {
  return untold.size > 0 && untold.has(sessionId);
}

/** Keep something of an order for its session. What nobody here entered is told to nobody (rule O11). */
export function keepUntold(turn: Turn, order: Order, what: Untold): void {
  const { sessionId } = order;
  if (sessionId === ELSEWHERE) return;
  const { first, next } = turn.state.untold.get(sessionId) ?? { first: 0, next: 0 };
  // Neither is part of a report, and they grow.
  const then = encodeOrder({ ...order, timeline: '', tradeIds: null });
  const key = reportKey(sessionId, next);
  const report: UntoldReportRecord = { kind: 'untoldReport', key, sessionId, order: then, what };
  turn.state.registry.keepRecord(report);
  turn.record(sessionId, key, encodeRecord(report), [key]);
  count(turn, sessionId, first, next + 1);
}

const reportKey = (sessionId: string, number: number): string => `untold|${sessionId}|${number}`;

function count(turn: Turn, sessionId: string, first: number, next: number): void {
  const key = `untold|${sessionId}`;
  const record: UntoldRecord = { kind: 'untold', key, sessionId, first, next };
  if (first < next) turn.state.untold.set(sessionId, record);
  else turn.state.untold.delete(sessionId);
  turn.record(sessionId, key, encodeRecord(record), first < next ? undefined : []);
}

/** Sessions that are back are told what they missed; nothing is done for the others. */
export function tellReturned(turn: Turn): void {
  const { untold, telling, sessions } = turn.state;
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
      turn.alarm('record-unreadable', `What ${sessionId} is to be told cannot be read`, null, { session: sessionId });
  }
  count(turn, sessionId, end, next);
  if (end < next) {
    pieces.add(sessionId, turn.now, (later) => tellPiece(later, later.state.sessions.get(sessionId) ?? session));
    return;
  }
  telling.delete(sessionId);
  turn.note('info', `told what it missed while it was not configured: ${next} reports`, { session: sessionId });
  for (const { listID } of registry.openLists(sessionId)) endListOf(turn, session, listID);
}

function tell(turn: Turn, session: SessionState, { key, order: then, what }: UntoldReportRecord): void {
  const { board, registry } = turn.state;
  registry.forgetRecord(key);
  const read = decodeRecord(then, registry.parts);
  if (read?.kind !== 'order') return;
  const draft =
    what.kind === 'report'
      ? executionReport(session, board, read.order, what.facts)
      : cancelReject(session, seenBy(session, read.order, what.facts), what.facts, what.refusal);
  turn.send(session.config.sessionId, draft);
}
