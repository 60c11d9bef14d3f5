// What a session is to be told that is not configured at the moment: its file was removed, or lies aside, and the gateway was
// started without it. Each report and each 9 of its orders is on record as it would have been sent, each answer to what it
// asked of orders of others, and each fill of a liquidation that it would have been told of. Leaves telling them to deliver-pending.ts.

import type { Order } from '../book/order.ts';
import { encodeOrder, encodeRecord } from '../book/order-record.ts';
import type { Untold, UntoldRecord, UntoldReportRecord } from '../book/record-kinds.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { GatewayState, Turn } from '../state/state.ts';

/** Whether something is to be told to a session before what comes now. */
export function isOwed({ untold }: GatewayState, sessionId: string): boolean {
  return untold.size > 0 && untold.has(sessionId);
}

/**
 * Keep something of an order for its session, or for another one that asked for its cancel. What nobody here entered is told to
 * nobody (rule O11).
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

/** Record which of them are still to be told: those from `first` on, before `next`. */
export function countUntold(turn: Turn, sessionId: string, first: number, next: number): void {
  const key = `untold|${sessionId}`;
  const record: UntoldRecord = { kind: 'untold', key, sessionId, first, next };
  if (first < next) turn.state.untold.set(sessionId, record);
  else turn.state.untold.delete(sessionId);
  turn.record(sessionId, key, encodeRecord(record), first < next ? undefined : []);
}
