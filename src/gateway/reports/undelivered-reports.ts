// Reports for a session that is not configured at the moment: its file was removed or lies aside, and the gateway
// started without it. Each report and each 9 of its orders is recorded as it would have been sent, and so are answers
// about others' orders and fills of liquidations. deliver-pending.ts delivers them.

import type { Order } from '../book/order.ts';
import { encodeOrder, encodeRecord } from '../book/order-record.ts';
import type { Untold, UntoldRecord, UntoldReportRecord } from '../book/record-kinds.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { GatewayState, Turn } from '../state/state.ts';

/** True if a session must receive earlier reports before the present one. */
export function isOwed({ untold }: GatewayState, sessionId: string): boolean {
  return untold.size > 0 && untold.has(sessionId);
}

/**
 * Keep a report of an order for its session, or for another session that requested its cancel. External orders have no
 * receiver (rule O11).
 */
export function keepUntold(turn: Turn, order: Order, what: Untold, sessionId = order.sessionId): void {
  if (sessionId === ELSEWHERE) return;
  const { first, next } = turn.state.untold.get(sessionId) ?? { first: 0, next: 0 };
  // Neither is part of a report, and they grow.
  const then = encodeOrder({ ...order, timeline: '', tradeIds: null, tradesRecorded: 0 });
  const key = reportKey(sessionId, next);
  const report: UntoldReportRecord = { kind: 'untoldReport', key, sessionId, order: then, what };
  turn.state.registry.keepRecord(report);
  turn.record(sessionId, key, encodeRecord(report), [key]);
  countUntold(turn, sessionId, first, next + 1);
}

/** Where one of them is on record. */
export const reportKey = (sessionId: string, number: number): string => `untold|${sessionId}|${number}`;

/** Record the part still to be delivered: from `first` on, before `next`. */
export function countUntold(turn: Turn, sessionId: string, first: number, next: number): void {
  const key = `untold|${sessionId}`;
  const record: UntoldRecord = { kind: 'untold', key, sessionId, first, next };
  if (first < next) turn.state.untold.set(sessionId, record);
  else turn.state.untold.delete(sessionId);
  turn.record(sessionId, key, encodeRecord(record), first < next ? undefined : []);
}
