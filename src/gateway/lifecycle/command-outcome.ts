// Answers to commands and look-ups, with their repetitions (rules U1 to U4). An outcome is accepted, refused or
// unknown; unknown is never reported as rejected, and nothing is ever sent twice.

import type { CommandOutcome, ExchangeErrorNotice, ExchangeOrder, LookupOutcome } from '../../exchange/mod.ts';
import { type ChangeRequest, isOwnCancel, isTerminal, type Order, openCreateLeg } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { cancelIfWanted, rejectRequest, reportRejected } from '../reports/order-reports.ts';
import { endWithoutLeg, undoNewLeg } from '../requests/cancel-and-new.ts';
import { outcomeOfMany } from '../requests/cancel-many.ts';
import { cancelForSafety } from '../requests/order-cancel.ts';
import { answerQueries } from '../requests/status-request.ts';
import { handleSwitchOutcome } from '../rules/dead-mans-switch.ts';
import { commandId, type Turn } from '../state/state.ts';
import {
  exchangeRefusal,
  httpRefusal,
  other,
  type Refusal,
  rateExceeded,
  unknownOrder,
} from '../vocabulary/refusal.ts';
import { acceptReplaceFound, applyFrame, bindExchangeOrderId, restateLarger } from './apply-exchange-event.ts';
import { confirmEndedWorks, isAbout, isFound } from './contradictions.ts';
import { endedByOther, endWithdrawn, goOnAfterCancel } from './order-end.ts';
import { askAgain, lookUpWithin } from './order-lookup.ts';
import { takeTrade, tellWaitingFound } from './overfill.ts';
import {
  answerRefused,
  askWhetherEnded,
  cancelAgain,
  mayPassAsNamed,
  mayPassLater,
  refuse,
  waitsForEnd,
  waitsToBeTooLate,
} from './refused-request.ts';

/** Take the outcome of a command that this process sent. */
export function handleOutcome(turn: Turn, id: string, outcome: CommandOutcome): void {
  if (handleSwitchOutcome(turn, id, outcome)) return;
  if (outcomeOfMany(turn, id, outcome, handleOutcome)) return;
  const order = turn.state.registry.takeCommand(id);
  if (order === null) {
    turn.note('warn', 'outcome of a command that is not known', { commandId: id });
    return;
  }
  const isSettled = outcome.kind !== 'unknown';
  if (isSettled) runOf(order).commandIds = order.run.commandIds.filter((own) => own !== id);
  if (id === commandId(order, 0)) {
    handleCreateOutcome(turn, order, outcome);
    return;
  }
  const leg = openCreateLeg(order);
  if (leg !== null && id === commandId(order, leg.swap?.createNumber ?? 0)) {
    handleLegOutcome(turn, order, leg, outcome);
    return;
  }
  const request = order.requests.find((open) => id === commandId(order, open.number));
  // The cancel of a replacement that went on (rule O6): later events show its outcome.
  if (request === undefined || request === leg) return;
  turn.touch(order);
  switch (outcome.kind) {
    case 'accepted':
      request.stage = 'acknowledged';
      request.requestId = outcome.requestId;
      request.acknowledgedAt = turn.steady;
      lookUpWithin(turn, order, turn.state.config.terminalWaitMs);
      break;
    case 'refused':
      if (endedByOther(turn, order, request)) break;
      if (waitsForEnd(turn, order, request, outcome.errorCode)) break;
      if (waitsToBeTooLate(turn, order, request, outcome.errorCode, refusedByExchange(outcome))) break;
      askWhetherEnded(turn, order, outcome.errorCode);
      if (!mayPassLater(turn, order, outcome) || !cancelAgain(turn, order, request)) {
        refuse(turn, order, request, refusedByExchange(outcome));
      }
      break;
    case 'unknown':
      request.stage = 'unknown';
      cancelIfWanted(turn, order);
      noteUnknown(turn, order, `${request.kind} request`, outcome.message);
      break;
  }
  const { notices } = order.run;
  if (notices.length > 0) runOf(order).notices = [];
  for (const notice of notices) handleErrorNotice(turn, notice);
  if (request.swap !== null) goOnAfterCancel(turn, order);
}

function handleCreateOutcome(turn: Turn, order: Order, outcome: CommandOutcome): void {
  if (outcome.kind === 'accepted' && outcome.orderId !== null) {
    if (!bindExchangeOrderId(turn, order, outcome.orderId)) {
      // The id of another order names none: this one is asked for by its own reference.
      if (order.exchangeOrderId === null) createUnknown(turn, order, 'acknowledged under the id of another order');
      return;
    }
    if (order.state !== 'A') return;
    order.stage = 'acknowledged';
    turn.touch(order);
    // The acknowledgement is no execution: New waits for the exchange's own word (exchange reference §1.4).
    lookUpWithin(turn, order, turn.state.config.terminalWaitMs);
    applyEarlyTrades(turn, order);
    return;
  }
  if (outcome.kind === 'refused') {
    if (order.state === 'A' && order.exchangeOrderId === null) {
      if (outcome.withdrawn !== true || !endWithdrawn(turn, order)) {
        reportRejected(turn, order, refusedByExchange(outcome));
      }
    } else {
      turn.alarm('refusal-contradicted', `Refused (${outcome.message}), but the exchange works the order`, order);
    }
    return;
  }
  createUnknown(turn, order, outcome.kind === 'unknown' ? outcome.message : 'acknowledged without an order id');
}

function createUnknown(turn: Turn, order: Order, message: string): void {
  if (order.state !== 'A') return;
  order.stage = 'unknown';
  turn.touch(order);
  noteUnknown(turn, order, 'new order', message);
}

/** The outcome of the new order that replaces a cancelled one (rule O6). */
function handleLegOutcome(turn: Turn, order: Order, request: ChangeRequest, outcome: CommandOutcome): void {
  turn.touch(order);
  if (outcome.kind === 'accepted' && outcome.orderId !== null) {
    if (!bindExchangeOrderId(turn, order, outcome.orderId)) {
      if (order.exchangeOrderId !== null) return;
      request.stage = 'unknown';
      noteUnknown(turn, order, 'replacement', 'acknowledged under the id of another order');
      return;
    }
    request.stage = 'acknowledged';
    request.acknowledgedAt = turn.steady;
    lookUpWithin(turn, order, turn.state.config.terminalWaitMs);
    applyEarlyTrades(turn, order);
    return;
  }
  if (outcome.kind === 'refused' && order.exchangeOrderId === null) {
    const { text } = refusedByExchange(outcome);
    endWithoutLeg(turn, order, request, `The order was cancelled, but its replacement was refused: ${text}`);
    return;
  }
  request.stage = 'unknown';
  const message = outcome.kind === 'accepted' ? 'acknowledged without an order id' : outcome.message;
  noteUnknown(turn, order, 'replacement', message);
}

function noteUnknown(turn: Turn, order: Order, what: string, message: string): void {
  turn.alarm('outcome-open', `The outcome of the ${what} is unknown: ${message}; it is looked up`, order);
  runOf(order).lookups = 0;
  lookUpWithin(turn, order, turn.state.config.lookup.firstMs);
}

/** Advice for the refused party, where the exchange's words lack it because they concern us. */
const WHAT_TO_DO: ReadonlyMap<number, string> = new Map([
  [
    401,
    '; it was not carried out, and the gateway logs in to the exchange anew: send it again under a new ClOrdID(11)',
  ],
  [429, '; the rate limit of the exchange is reached, wait a second'],
]);
/** The same by code. */
const WHAT_TO_DO_BY_CODE: ReadonlyMap<string, string> = new Map([
  [
    '2035',
    '; it was not carried out, unless something on the way delivered it twice, which reports show then; the nonce is of the gateway, not yours: send it again under a new ClOrdID(11)',
  ],
]);

/** The same for a command that never left this process. */
const UNSENT_AGAIN = '; it was not carried out, send it again under a new ClOrdID(11)';

function whatToDo({ httpStatus, errorCode, withdrawn }: Extract<CommandOutcome, { kind: 'refused' }>): string {
  // The party that cancelled the order does not want it sent.
  if (httpStatus === null) return withdrawn === true ? '' : UNSENT_AGAIN;
  return WHAT_TO_DO_BY_CODE.get(errorCode ?? '') ?? WHAT_TO_DO.get(httpStatus) ?? '';
}

function refusedByExchange(outcome: Extract<CommandOutcome, { kind: 'refused' }>): Refusal {
  const status =
    outcome.httpStatus === null ? 'Not sent to the exchange' : `Refused by the exchange (HTTP ${outcome.httpStatus})`;
  const text = `${status}: ${outcome.message}${whatToDo(outcome)}`;
  const refusal = outcome.overRate === true ? rateExceeded(text) : httpRefusal(outcome.errorCode, text);
  return outcome.httpStatus === null ? ({ ...refusal, isUnsent: true } as const) : refusal;
}

/** Fills that came before any word that ties them to the order. */
export function applyEarlyTrades(turn: Turn, order: Order): void {
  if (order.exchangeOrderId === null) return;
  for (const trade of turn.state.registry.takeEarlyTrades(order.exchangeOrderId)) {
    if (isAbout(turn, order, trade)) takeTrade(turn, order, trade);
  }
}

/** Take the answer to a look-up. */
export function handleLookedUp(turn: Turn, lookupId: string, outcome: LookupOutcome): void {
  const order = turn.state.registry.takeLookup(lookupId);
  if (order === null) {
    turn.note('warn', 'answer to a look-up that is not known', { lookupId });
    return;
  }
  const run = runOf(order);
  run.lookupId = null;
  if (outcome.kind !== 'failed') run.mustAsk = false;
  if (outcome.kind === 'found') {
    if (isFound(turn, order, outcome) && bindExchangeOrderId(turn, order, outcome.order.orderId)) {
      restateLarger(turn, order, outcome.order);
      for (const trade of outcome.trades) {
        if (trade.orderId === outcome.order.orderId && isAbout(turn, order, trade)) takeTrade(turn, order, trade);
      }
      applyFrame(turn, order, outcome.order, cancelForSafety);
      tellWaitingFound(turn, order, outcome.order);
      if (outcome.order.status === 'OPEN') {
        answerRefused(turn, order, true);
        settleUnanswered(turn, order, outcome.final === true);
        settleAcknowledged(turn, order, outcome.order);
        confirmEndedWorks(turn, order, cancelForSafety);
      }
    } else answerRefused(turn, order, false);
  } else if (outcome.kind === 'absent') {
    handleAbsent(turn, order, outcome.final);
  } else answerRefused(turn, order, false);
  answerQueries(turn, order, outcome.kind !== 'failed');
  askAgain(turn, order);
}

/**
 * The order works, so unanswered requests have not been executed so far. Our own cancel is sent again: twice is
 * harmless. A FIX request is never run again (rule U4), and is answered once it can no longer be executed (`final`).
 */
function settleUnanswered(turn: Turn, order: Order, final: boolean): void {
  const upTo = order.run.lookedUpRequest;
  if (upTo === null || (isTerminal(order.state) && !order.absent)) return;
  for (const request of order.requests.filter(({ stage, number }) => stage === 'unknown' && number <= upTo)) {
    if (isOwnCancel(request.kind)) {
      if (cancelAgain(turn, order, request)) continue;
    } else if (!final) continue;
    const text = 'The request got no answer and was not carried out: the order still works at the exchange';
    rejectRequest(turn, order, request, other(text));
  }
}

/**
 * How long after its acknowledgement a request may still take effect: a look-up begun later that finds the order working
 * says that it took none, and that its refusal was lost with a stream.
 */
const TAKES_EFFECT_WITHIN_MS = 10_000;

/** Requests that were acknowledged long before the look-up which found the order open. */
function settleAcknowledged(turn: Turn, order: Order, frame: ExchangeOrder): void {
  const isOld = ({ stage, acknowledgedAt }: ChangeRequest): boolean =>
    stage === 'acknowledged' && order.run.lookedUpAt - (acknowledgedAt ?? 0) >= TAKES_EFFECT_WITHIN_MS;
  for (const request of order.requests.filter(isOld)) {
    if (isTerminal(order.state) && !order.absent) return;
    if (request.kind === 'replace' && request.swap === null && acceptReplaceFound(turn, order, request, frame))
      continue;
    if (cancelAgain(turn, order, request)) continue;
    const seconds = TAKES_EFFECT_WITHIN_MS / 1_000;
    const text = `The exchange answered the request but did not carry it out within ${seconds} s: the order still works`;
    rejectRequest(turn, order, request, other(text));
  }
}

/** Not there. Certain only when it is final and the live stream would have shown the order too (rule U2). */
function handleAbsent(turn: Turn, order: Order, final: boolean): void {
  if (isTerminal(order.state) || order.run.isHeardSince) return;
  const wasNotFound = order.run.notFoundAt !== null;
  runOf(order).notFoundAt = turn.steady;
  if (order.exchangeOrderId !== null) {
    for (const request of order.requests.filter(({ isRefused }) => isRefused === true)) {
      const text = 'The exchange refused the request as of an order that has ended, and does not find the order';
      rejectRequest(turn, order, request, unknownOrder(text));
    }
    // Said once, until the exchange speaks of it again.
    if (wasNotFound) return;
    turn.alarm(
      'order-not-found',
      'The exchange does not find an order that it acknowledged; the order stays unchanged',
      order,
    );
    return;
  }
  const leg = openCreateLeg(order);
  const isUnknown = leg === null ? order.stage === 'unknown' : leg.stage === 'unknown';
  if (!final || !isUnknown || !turn.state.board.isLive(order.credential)) return;
  order.absent = true;
  if (leg !== null) {
    const text = 'The order was cancelled; its replacement got no answer and the exchange does not know it';
    endWithoutLeg(turn, order, leg, text);
    return;
  }
  const text = 'The command got no answer and the exchange does not know the order: it never arrived';
  reportRejected(turn, order, other(text));
}

/** The exchange refused something after it had acknowledged it (exchange reference §3.3). */
export function handleErrorNotice(turn: Turn, notice: ExchangeErrorNotice): void {
  const { registry } = turn.state;
  let order = notice.orderId === null ? null : registry.findByExchangeOrderId(notice.orderId);
  if (order === null && notice.tradingAccountId !== null && notice.clientOrderId !== null) {
    order = registry.findByReference(notice.tradingAccountId, notice.clientOrderId);
    // Others may use the same reference (rule O11): by its id it is about one of theirs.
    if (notice.orderId !== null && order !== null && order.exchangeOrderId !== null) return;
  }
  if (order === null || isTerminal(order.state)) return;
  const code = notice.errorCode;
  if (undoNewLeg(turn, order, notice.requestId)) return;
  if (mayBeNamedLater(order, notice)) {
    runOf(order).notices = [...order.run.notices, notice].slice(-NOTICES_MAX);
    return;
  }
  const request = refusedRequest(turn, order, notice);
  if (request !== null && request.swap?.leg !== 'create') {
    if (endedByOther(turn, order, request)) return;
    if (waitsForEnd(turn, order, request, code)) return;
    const refusal = exchangeRefusal(code, `Refused by the exchange: ${notice.message}`);
    if (waitsToBeTooLate(turn, order, request, code, refusal)) return;
    askWhetherEnded(turn, order, code);
    if (mayPassAsNamed(turn, order, code) && cancelAgain(turn, order, request)) return;
    refuse(turn, order, request, refusal);
    return;
  }
  if (order.state !== 'A' && openCreateLeg(order) === null) return;
  // One that comes twice finds its request answered.
  if (code !== null && (CANCEL_CODES.has(code) || AMEND_CODES.has(code))) return;
  // The order frame with REJECTED follows and decides; this is its text.
  order.lastText = notice.message;
  turn.touch(order);
}

/** Notices of one order that wait for answers to its commands; the oldest goes. */
const NOTICES_MAX = 8;

/**
 * True if a notice names an unknown command while a request of the order waits for the answer with its command id. The
 * notice concerns that request, or another user's command (rule O11), which refuses nothing here.
 */
function mayBeNamedLater(order: Order, { requestId, clientOrderId }: ExchangeErrorNotice): boolean {
  if (requestId === null) return false;
  const { requests } = order;
  if (requests.some((open) => open.requestId === requestId)) return false;
  if (requests.some(({ reference }) => reference !== null && reference === clientOrderId)) return false;
  return requests.some(
    ({ stage, number }) => stage === 'submitted' && order.run.commandIds.includes(commandId(order, number)),
  );
}

/** Codes by which a notice concerns a cancel or an amendment, not the order as such. */
const CANCEL_CODES: ReadonlySet<string> = new Set(['3002', '3032', '3085', '6043']);
const AMEND_CODES: ReadonlySet<string> = new Set(['3084', '6042']);

/** The request that a notice refuses: by the id of its command, else by the only possible meaning of the code. */
function refusedRequest(turn: Turn, order: Order, notice: ExchangeErrorNotice): ChangeRequest | null {
  const { errorCode: code } = notice;
  const named = order.requests.find((open) => open.requestId !== null && open.requestId === notice.requestId);
  if (named !== undefined) return named;
  // A request that was acknowledged under another id is not the one that is meant.
  const candidates = order.requests.filter((open) => open.requestId === null || notice.requestId === null);
  const replace = candidates.find((open) => open.kind === 'replace') ?? null;
  if (replace !== null && notice.clientOrderId !== null && notice.clientOrderId === replace.reference) return replace;
  // The command's owner is unknown if others trade on the account too (rule O11): the gateway looks the order up.
  const isOnlyOurs = turn.state.config.exclusiveAccounts?.includes(order.tradingAccountId) === true;
  if (notice.requestId !== null && !(isOnlyOurs && candidates.length === 1)) return null;
  if (replace !== null && code !== null && AMEND_CODES.has(code)) return replace;
  const cancel = candidates.find((open) => open.kind !== 'replace') ?? null;
  if (cancel !== null && code !== null && CANCEL_CODES.has(code)) return cancel;
  return order.state === 'A' ? null : (replace ?? cancel);
}
