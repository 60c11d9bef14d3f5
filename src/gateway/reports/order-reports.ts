// Sends the reports of an order and keeps its record in step: each function says one thing to the OMS, once.
// When it is said is apply-exchange-event.ts's decision.

import type { EpochMs } from '../../base/time.ts';
import {
  type ChangeRequest,
  isBeingCancelled,
  isFilledUp,
  isOwnCancel,
  isTerminal,
  mayGrow,
  moveTo,
  type Order,
  orderIdOf,
  removeRequest,
} from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { remember } from '../book/order-timeline.ts';
import { lockdownRefusal } from '../rules/gtx.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { alreadyPending, type Refusal, tooLate } from '../vocabulary/refusal.ts';
import { writerOf } from '../vocabulary/sender.ts';
import { notCancelled, refuseAsker, tellAsker } from './account-cancel.ts';
import { cancelReject } from './answer.ts';
import { copyFilled, copyReport } from './drop-copy.ts';
import {
  execID,
  executionReport,
  forcedOutAnswersNone,
  ordRejReasonFor,
  type ReportFacts,
  type ReportType,
} from './execution-report.ts';
import { isOwed, keepUntold } from './undelivered-reports.ts';
import { seenBy } from './visibility.ts';

/** The session of an order, or null if it is no longer configured: then reports wait until it is again. */
export function sessionOf(turn: Turn, order: Order): SessionState | null {
  return turn.state.sessions.get(order.sessionId) ?? null;
}

/** Answer a message with a report, and copy it; the order's record stays as it is. */
export function answerReport(turn: Turn, session: SessionState, order: Order, facts: ReportFacts): void {
  turn.send(session.config.sessionId, executionReport(session, turn.state.board, order, facts));
  copyReport(turn, order, facts);
}

/** Send a report of an order and note it. */
export function report(turn: Turn, order: Order, facts: ReportFacts): void {
  const session = sessionOf(turn, order);
  if (session?.isVenue === true) turn.state.lastReports.set(order, facts);
  remember(order, turn.now, `150=${facts.type}${facts.text == null ? '' : ` ${facts.text}`}`);
  turn.touch(order);
  if (session === null || isOwed(turn.state, order.sessionId)) keepUntold(turn, order, { kind: 'report', facts });
  else turn.send(order.sessionId, executionReport(session, turn.state.board, order, facts));
  copyReport(turn, order, facts);
}

/** A report of the order itself, its ExecID derived from its type (rule O2). */
export function reportType(
  turn: Turn,
  order: Order,
  type: ReportType,
  text: string | null,
  more: Partial<ReportFacts> = {},
): void {
  report(turn, order, { type, execID: execID(order, type), transactTime: turn.now, text, ...more });
}

/** PendingNew, once (rule D6). */
export function reportPendingNew(turn: Turn, order: Order): void {
  runOf(order).pendingNewAt = null;
  turn.rearm(order);
  // The exchange's own FIX has no PendingNew (rule D6).
  if (order.state !== 'A' || order.pendingNewReported || sessionOf(turn, order)?.isVenue === true) return;
  order.pendingNewReported = true;
  reportType(turn, order, 'A', 'The exchange has not answered yet');
}

/** New, before anything else of an order that the exchange works (rule D6). */
export function reportNew(turn: Turn, order: Order, at: EpochMs): void {
  if (order.state !== 'A') return;
  moveTo(order, '0');
  order.stage = 'live';
  runOf(order).pendingNewAt = null;
  runOf(order).alarmAt = null;
  // A cancel that came too early for the exchange (rule C1).
  if (order.cancelWanted !== null) runOf(order).cancelAgainAt = turn.steady;
  reportType(turn, order, '0', null, { transactTime: at });
}

/** Reject an order that was never New (rules D5, U1). */
export function reportRejected(turn: Turn, order: Order, refusal: Refusal): void {
  const session = sessionOf(turn, order);
  moveTo(order, '8');
  order.ordRejReason = session === null ? refusal.ordRejReason : ordRejReasonFor(session, refusal);
  order.lastText = refusal.text;
  reportType(turn, order, '8', refusal.text, { rejectedFor: refusal });
  closeOrder(turn, order);
}

/** The stop price was reached (rule D5). */
export function reportTriggered(turn: Turn, order: Order): void {
  if (order.triggered) return;
  order.triggered = true;
  const stopPx = order.terms.stopPx?.trimmed() ?? 'none';
  reportType(turn, order, 'T', `Stop triggered: StopPx(99)=${stopPx} was reached; works as a limit order`);
}

/** Answer a request that was refused, here or by the exchange: 9 for F and G, words to people for the rest. */
export function rejectRequest(turn: Turn, order: Order, request: ChangeRequest, refusal: Refusal): void {
  dropRequest(turn, order, request);
  // The exchange did not make it larger, so that its fills made it up.
  const isFilled = request.kind === 'replace' && order.state === '1' && isFilledUp(order) && !mayGrow(order);
  if (isFilled) moveTo(order, '2');
  cancelIfWanted(turn, order);
  if (request.kind === 'cancel' || request.kind === 'replace') {
    sendCancelReject(turn, order, request, refusal);
    if (isFilled) {
      copyFilled(turn, order);
      closeOrder(turn, order);
    }
    return;
  }
  if (request.kind === 'accountCancel') {
    refuseAsker(turn, order, request, refusal);
    return;
  }
  const { kind } = request;
  const hasEnded = isTerminal(order.state);
  // An order cancelled because it works after its end (rule U2) has no other owner.
  if (hasEnded && !(order.absent && isOwnCancel(kind))) return;
  const isOfEnd = kind === 'disconnect' || kind === 'otherDisconnect';
  const alarm = isOfEnd ? 'cancel-on-disconnect-incomplete' : 'cancel-incomplete';
  const what = hasEnded
    ? 'was reported as ended, could not be cancelled and works at the exchange'
    : notCancelled(order);
  turn.alarm(alarm, `The order ${what}: ${refusal.text}`, order);
  if (hasEnded) return;
  // r had counted it among those that are cancelled (FIX 4.4 vol. 4, Order Mass Cancel Report: an 8 or a 9 for each order).
  if (kind === 'massCancel') sendCancelReject(turn, order, request, refusal);
}

/** Our own cancel that waited for the outcome of the OMS's goes out, if that failed (rules C1, O12). */
export function cancelIfWanted(turn: Turn, order: Order): void {
  if (order.cancelWanted === null || isTerminal(order.state) || order.state === 'A') return;
  if (isBeingCancelled(order) || lockdownRefusal(turn.state.board, order, 'cancel') !== null) return;
  runOf(order).cancelAgainAt = turn.steady;
  turn.rearm(order);
}

function sendCancelReject(turn: Turn, order: Order, request: ChangeRequest, refusal: Refusal): void {
  const session = sessionOf(turn, order);
  const responseTo = request.kind === 'replace' ? 'G' : 'F';
  remember(order, turn.now, `9 434=${responseTo === 'F' ? 1 : 2} ${refusal.text}`);
  turn.touch(order);
  if (request.clOrdID === null) return;
  const writer = writerOf(request, order);
  const facts = {
    responseTo,
    clOrdID: request.clOrdID,
    // The last accepted of the chain, an F that overtook the request included, whatever 41 that had (FIX 4.4 vol. 4).
    origClOrdID: order.clOrdID,
    account: order.echo.account,
    ...writer,
    transactTime: turn.now,
    // 150=6 went out for an F: any refusal repeats the order's status (exchange reference §7.2).
    refusedHere: refusal.isUnsent === true && responseTo === 'G',
  } as const;
  if (session === null || isOwed(turn.state, order.sessionId)) {
    keepUntold(turn, order, { kind: 'cancelReject', facts, refusal });
  } else turn.send(order.sessionId, cancelReject(session, seenBy(session, order, writer), facts, refusal));
}

/** Take a request off the order. */
export function dropRequest(turn: Turn, order: Order, request: ChangeRequest): void {
  removeRequest(order, request);
  if (order.requests.length === 0 && order.state !== 'A') runOf(order).alarmAt = null;
  turn.touch(order);
}

const ENDED_AS: Readonly<Record<string, string>> = { '2': 'filled', '4': 'cancelled', '8': 'rejected', C: 'expired' };

/** A look-up's data has our time only: earlier frames may carry a later one, by the exchange's clock. */
const CLOCKS_DIFFER_MS = 5_000;

/** An order ended: answer its open requests, oldest first, and take it out of the open ones. */
export function closeOrder(turn: Turn, order: Order): void {
  for (const request of [...order.requests]) {
    if (isOwnCancel(request.kind)) {
      dropRequest(turn, order, request);
      continue;
    }
    const isOther = request.kind === 'accountCancel';
    const asker = turn.state.sessions.get(request.asker?.sessionId ?? '') ?? null;
    if (isOther && order.state === '4' && !forcedOutAnswersNone(asker, order)) {
      dropRequest(turn, order, request);
      tellAsker(turn, order, request, '4');
      continue;
    }
    const name = isOther ? `OrderID(37)=${orderIdOf(order) ?? 'NONE'}` : `ClOrdID(11)=${order.clOrdID}`;
    const ended = ENDED_AS[order.state] ?? order.state;
    rejectRequest(turn, order, request, tooLate(`Too late: order ${name} is ${ended}`));
  }
  // A later word that it works contradicts its end; an earlier one does not.
  if (order.end !== null) {
    const saidAt = order.end.publishedAt ?? turn.now + CLOCKS_DIFFER_MS;
    order.publishedAt = Math.max(order.publishedAt, saidAt);
  }
  order.end = null;
  runOf(order).endAt = null;
  runOf(order).alarmAt = null;
  runOf(order).pendingNewAt = null;
  runOf(order).cancelAgainAt = null;
  runOf(order).replaced = null;
  order.cancelWanted = null;
  if (order.exchangeFilled.compare(order.cumQty) <= 0) runOf(order).lookupAt = null;
  turn.state.registry.close(order);
  turn.end(order);
  turn.touch(order);
}

/** `name`: as the session that asks knows the order. */
export const pendingAlready = (name: string): Refusal =>
  alreadyPending(`Order ${name} has a cancel or replace request pending; wait for its answer`);
