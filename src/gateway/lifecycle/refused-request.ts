// Requests that the exchange refused: which wait for their order's end, which are repeated, which are answered, and how
// (rules C1, D8, O12). Leaves which request a refusal is about to command-outcome.ts.

import type { CommandOutcome } from '../../exchange/mod.ts';
import { type ChangeRequest, isGtx, isOwnCancel, isTerminal, type Order, openCreateLeg } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { dropRequest, rejectRequest } from '../reports/order-reports.ts';
import { lockdownRefusal } from '../rules/gtx.ts';
import type { Turn } from '../state/state.ts';
import type { Refusal } from '../vocabulary/refusal.ts';
import { lookUpWithin } from './order-lookup.ts';

const CLOSED_ALREADY = '3032';
/** Of a cancel: the phase of the auction takes none. */
const PHASE_FORBIDS = '3085';
/** Refusals of a login, an address or a rate: the order was not looked at, and the same request may pass a little later. */
const REFUSED_UNSEEN: ReadonlySet<number> = new Set([401, 403, 429]);

/** Order not found, its id not valid, closed already: it contradicts our state, so that we have missed its end. */
const ENDED_CODES: ReadonlySet<string> = new Set(['3002', '2017', CLOSED_ALREADY]);

/** Whether a cancel may be sent again, as one that was not looked at, or until it is known how the order ended. */
export function mayPassLater(turn: Turn, order: Order, outcome: Extract<CommandOutcome, { kind: 'refused' }>): boolean {
  const { httpStatus, errorCode } = outcome;
  return httpStatus === null || REFUSED_UNSEEN.has(httpStatus) || mayPassAsNamed(turn, order, errorCode);
}

/** The same of a refusal behind an acknowledgement, which has a code alone. */
export function mayPassAsNamed(turn: Turn, order: Order, errorCode: string | null): boolean {
  if (saysEnded(order, errorCode)) return true;
  if (errorCode !== PHASE_FORBIDS || !isGtx(order)) return false;
  // One that is kept among the open ones goes out with the phase that allows it; one that had ended is none of them.
  if (isTerminal(order.state)) return true;
  // The phase that is known here allows it: it has changed there, or had not yet (rules C1, T3).
  const { board } = turn.state;
  return board.livePhase(order.terms.exchangeSymbol) !== null && lockdownRefusal(board, order, 'cancel') === null;
}

/** Whether a refusal says that the order has ended. Of one that was not seen there yet, or is known to be lost, not found says nothing. */
export function saysEnded(order: Order, errorCode: string | null): boolean {
  if (errorCode === CLOSED_ALREADY) return true;
  const isSeen = order.state !== 'A' && !isTerminal(order.state) && openCreateLeg(order) === null;
  return isSeen && order.run.notFoundAt === null && errorCode !== null && ENDED_CODES.has(errorCode);
}

/**
 * A request was refused because the order has ended there: the frame that said so is lost, or still on its way. One that is
 * not New yet is asked for anyway, and of one that was not found people know.
 */
export function askWhetherEnded(turn: Turn, order: Order, errorCode: string | null): void {
  if (errorCode === null || !ENDED_CODES.has(errorCode) || order.state === 'A' || isTerminal(order.state)) return;
  if (order.run.notFoundAt !== null) return;
  runOf(order).mustAsk = true;
  lookUpWithin(turn, order, 0);
}

/**
 * True if a cancel refused because the order has ended stays open until the reported end answers it. This holds for the
 * cancel of a q, with an r that counted the order. It also holds during a replacement with an earlier cancel of its own
 * (rule O6), because this requester wants no new order. If the order is not found, no end may come: an F then has its
 * answer at once.
 */
export function waitsForEnd(turn: Turn, order: Order, request: ChangeRequest, errorCode: string | null): boolean {
  if (errorCode === null || !ENDED_CODES.has(errorCode) || request.kind === 'replace') return false;
  const swap = order.requests.find((open) => open.swap?.leg === 'cancel')?.swap ?? null;
  if (swap !== null && errorCode !== CLOSED_ALREADY) swap.isCalledOff = true;
  const isOfMany = request.massActionReportID !== null && saysEnded(order, errorCode);
  if (!isOfMany && (swap === null || errorCode !== CLOSED_ALREADY)) return false;
  request.stage = 'acknowledged';
  request.acknowledgedAt = turn.steady;
  request.isRefused = true;
  turn.touch(order);
  lookUpWithin(turn, order, turn.state.config.lookup.firstMs);
  return true;
}

/**
 * Whether an F that was refused because the order is closed already waits for how it was closed: its 9 says how (rule D8). The
 * exchange is asked at once; where the order works all the same, or cannot be asked for, the refusal itself is the answer.
 */
export function waitsToBeTooLate(
  turn: Turn,
  order: Order,
  request: ChangeRequest,
  errorCode: string | null,
  refusal: Refusal,
): boolean {
  const isF = request.kind === 'cancel' || (request.kind === 'accountCancel' && request.massActionReportID === null);
  if (!isF || errorCode !== CLOSED_ALREADY || isTerminal(order.state)) return false;
  request.stage = 'acknowledged';
  request.acknowledgedAt = turn.steady;
  request.isRefused = true;
  request.refusedAs = refusal;
  runOf(order).mustAsk = true;
  turn.touch(order);
  lookUpWithin(turn, order, 0);
  return true;
}

/**
 * The order works, as a query after the refusal showed, or could not be queried: requests that waited for its end are
 * answered.
 */
export function answerRefused(turn: Turn, order: Order, isAsked: boolean): void {
  for (const request of [...order.requests]) {
    if (request.refusedAs === undefined || isTerminal(order.state)) continue;
    if (isAsked && order.run.lookedUpAt < (request.acknowledgedAt ?? 0)) continue;
    refuse(turn, order, request, request.refusedAs);
  }
}

/**
 * A cancel without a FIX request has no requester to retry it. If it certainly failed while the order works, it is sent
 * again with back-off, bounded. True if it will be.
 */
export function cancelAgain(turn: Turn, order: Order, request: ChangeRequest): boolean {
  const { kind } = request;
  if (!isOwnCancel(kind)) return false;
  if (isTerminal(order.state) && !order.absent) return false;
  const run = runOf(order);
  const { firstMs, largestMs, alarmAfter } = turn.state.config.lookup;
  // Another of these is sent again already.
  if (order.cancelWanted === kind && run.cancelAgainAt !== null) {
    dropRequest(turn, order, request);
    return true;
  }
  if (run.cancelAttempts >= alarmAfter) return false;
  dropRequest(turn, order, request);
  run.cancelAgainAt = turn.steady + Math.min(largestMs, firstMs * 2 ** run.cancelAttempts);
  order.cancelWanted = kind;
  run.cancelAttempts++;
  return true;
}

/**
 * A request that the exchange refused. An order with an unknown create may be missing there now and work later: our own
 * cancel then stays wanted and goes out as soon as the order is seen (reportNew in order-reports.ts).
 */
export function refuse(turn: Turn, order: Order, request: ChangeRequest, refusal: Refusal): void {
  const isUnseen = order.state === 'A' || openCreateLeg(order) !== null;
  const { kind } = request;
  rejectRequest(turn, order, request, isUnseen ? ofUnseenOrder(refusal, isOwnCancel(kind)) : refusal);
  // An auction order may be cancelled in another phase (auctionPhase in gateway.ts).
  const isLater = isUnseen || (isGtx(order) && !isTerminal(order.state));
  if (isLater && isOwnCancel(kind)) order.cancelWanted = kind;
}

/**
 * Not found, for an order that the exchange has not mentioned yet: an OMS that reads 102=1 would forget an order that
 * may come to work.
 */
function ofUnseenOrder(refusal: Refusal, isOurs: boolean): Refusal {
  if (refusal.cxlRejReason !== '1') return refusal;
  const again = isOurs ? 'it is cancelled' : 'cancel it';
  const text = `${refusal.text}: the order may still come to work; ${again} again once it does`;
  return { ...refusal, cxlRejReason: '99', venueCxlRejReason: '99', text };
}
