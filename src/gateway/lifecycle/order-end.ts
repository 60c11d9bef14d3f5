// Ends an order by the exchange's report of its end: once its fills are in, with the report of the reason (rules O1,
// O6, D3, D5, T5). exchange-reason.ts interprets status and code; apply-exchange-event.ts moves working orders.

import { forcedCode } from '../book/exchange-reason.ts';
import {
  type ChangeRequest,
  hasAllTrades,
  isBeingCancelled,
  isFilledUp,
  isTerminal,
  moveTo,
  type Order,
  type OrderEnd,
  type OwnCancel,
  openCreateLeg,
  openRequest,
} from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { otherOf } from '../reports/account-cancel.ts';
import { copyFilled } from '../reports/drop-copy.ts';
import { forcedOutAnswersNone } from '../reports/execution-report.ts';
import { closeOrder, dropRequest, reportNew, reportRejected, reportType, sessionOf } from '../reports/order-reports.ts';
import { endWithoutLeg, startNewLeg, swapAfter } from '../requests/cancel-and-new.ts';
import type { Turn } from '../state/state.ts';
import { exchangeRefusal } from '../vocabulary/refusal.ts';
import { isOtherFirm, writerOf } from '../vocabulary/sender.ts';
import { lookUpWithin } from './order-lookup.ts';

/** The exchange said how the order ended: report it once its fills are in, or have been waited for. */
export function applyEnd(turn: Turn, order: Order, end: OrderEnd): void {
  if (order.end === null) {
    order.end = end;
    turn.touch(order);
  }
  if (hasAllTrades(order)) {
    reportEnd(turn, order, order.end);
    return;
  }
  const { terminalWaitMs, lookup } = turn.state.config;
  runOf(order).endAt ??= turn.steady + terminalWaitMs;
  lookUpWithin(turn, order, Math.min(lookup.firstMs, Math.ceil(terminalWaitMs / 2)));
}

/** The wait for missing trades is over (rule O1). An execution is reported by fills only, so that one waits on. */
export function endWaitOver(turn: Turn, order: Order): void {
  runOf(order).endAt = null;
  const { end } = order;
  if (end === null || isTerminal(order.state)) return;
  if (hasAllTrades(order)) {
    // The answer to a cancel was awaited, and its process is gone.
    reportEnd(turn, order, end);
    return;
  }
  const missing = order.exchangeFilled.subtract(order.cumQty);
  turn.alarm(
    'trades-missing',
    `The exchange stated ${order.exchangeFilled} as filled, the trades received sum to ${order.cumQty} (${missing} missing)`,
    order,
  );
  if (end.execType !== 'F') reportEnd(turn, order, end);
  lookUpWithin(turn, order, turn.state.config.lookup.firstMs);
}

/**
 * A cancel came while the order waited for its turn: it is cancelled and was never New. False if there was no cancel.
 */
export function endWithdrawn(turn: Turn, order: Order): boolean {
  if (!isBeingCancelled(order)) return false;
  const text = 'Cancelled while it waited for its turn; it was never sent to the exchange';
  reportCancelled(turn, order, { execType: '4', reasonCode: null, text, unsolicited: false });
  closeOrder(turn, order);
  return true;
}

/** The cancel of a replacement was answered (rule O6): process the end that was reported before. */
export function goOnAfterCancel(turn: Turn, order: Order): void {
  if (order.end !== null && hasAllTrades(order) && !isTerminal(order.state)) reportEnd(turn, order, order.end);
}

/**
 * The cancel of a replacement was refused after the order's end: another party ended it, and no new order follows (rule
 * O6). False if no end is known.
 */
export function endedByOther(turn: Turn, order: Order, { swap }: ChangeRequest): boolean {
  if (swap === null || swap.leg !== 'cancel' || order.end === null) return false;
  swap.isCalledOff = true;
  turn.touch(order);
  goOnAfterCancel(turn, order);
  return true;
}

/** Report how the order ended, by the known reason. */
export function reportEnd(turn: Turn, order: Order, end: OrderEnd): void {
  const leg = openCreateLeg(order);
  if (leg !== null) {
    endWithoutLeg(turn, order, leg, `The order was cancelled, but its replacement was refused: ${end.text}`);
    return;
  }
  const swap = hasAllTrades(order) ? swapAfter(order, end) : null;
  if (swap !== null && swap.stage === 'submitted') {
    // Our cancel's answer identifies the canceller: a refusal means another party.
    runOf(order).endAt = null;
    return;
  }
  if (swap !== null) {
    startNewLeg(turn, order, swap);
    return;
  }
  if (end.execType === '8' && order.state === 'A') {
    // The notice usually repeats the frame.
    const { lastText } = order;
    const notice = lastText === null || end.text.includes(lastText) ? '' : `: ${lastText}`;
    reportRejected(turn, order, exchangeRefusal(end.reasonCode, `Rejected by the exchange: ${end.text}${notice}`));
    return;
  }
  reportNew(turn, order, turn.now);
  if (end.execType === 'F' && isFilledUp(order)) {
    // Its last fill was reported while the exchange might have increased it.
    moveTo(order, '2');
    copyFilled(turn, order);
  } else if (end.execType === 'C' || end.execType === 'F') {
    moveTo(order, 'C');
    reportType(turn, order, 'C', `The unfilled rest ended: ${end.text}`);
  } else {
    reportCancelled(turn, order, end);
  }
  closeOrder(turn, order);
}

/**
 * 150=4, as the answer to the requester, or unsolicited with 378 (rules D3, D5, T5). A cancel that the exchange forced,
 * shown as 39=C, answers no F: that gets its 9.
 */
function reportCancelled(turn: Turn, order: Order, end: OrderEnd): void {
  const session = sessionOf(turn, order);
  const request = openRequest(order, 'cancel');
  const mass = openRequest(order, 'massCancel');
  const other = openRequest(order, 'accountCancel');
  const swap = order.requests.find((open) => open.swap?.leg === 'cancel' && open.swap.isCalledOff !== true);
  // A cancel of ours that is to be sent again asked for it as well.
  const isAskedBy = (kind: OwnCancel): boolean => openRequest(order, kind) !== null || order.cancelWanted === kind;
  moveTo(order, '4');
  order.ordRejReason = forcedCode(end);
  const restatementReason = 'unsolicited';
  if (request !== null && request.clOrdID !== null && !forcedOutAnswersNone(session, order)) {
    dropRequest(turn, order, request);
    order.origClOrdID = order.clOrdID;
    order.clOrdID = request.clOrdID;
    reportType(turn, order, '4', end.text, {
      sender: writerOf(request, order),
      massActionReportID: mass?.massActionReportID ?? null,
      ...(end.unsolicited ? { restatementReason } : {}),
    });
  } else if (mass !== null && !end.unsolicited) {
    const text = `Cancelled by OrderMassCancelRequest(q) ClOrdID(11)=${mass.clOrdID}`;
    const isOther = isOtherFirm(writerOf(mass, order), order.echo);
    const { massActionReportID } = mass;
    reportType(turn, order, '4', text, { massActionReportID, ...(isOther ? { restatementReason } : {}) });
  } else if (isAskedBy('otherDisconnect') && !end.unsolicited) {
    const text = 'Cancelled because another session that trades this account ended (cancel on disconnect)';
    reportType(turn, order, '4', text, { restatementReason });
  } else if (isAskedBy('disconnect') && !end.unsolicited) {
    const atLogout = session?.lastEnd === 'logout' || session?.lastEnd === 'shutdown';
    reportType(turn, order, '4', 'Cancelled because the FIX session ended (cancel on disconnect)', {
      restatementReason: atLogout ? 'logout' : 'disconnect',
    });
  } else if (other !== null && !end.unsolicited) {
    const text = `Cancelled by another ${otherOf(order, other.asker)} that trades this account`;
    reportType(turn, order, '4', text, { restatementReason });
  } else if (openRequest(order, 'bridgeCancel') !== null && !end.unsolicited) {
    reportType(turn, order, '4', 'Cancelled over the bridge by a caller that trades this account', {
      restatementReason,
    });
  } else if (isAskedBy('kill') && !end.unsolicited) {
    reportType(turn, order, '4', 'Cancelled by the kill switch of operations', { restatementReason });
  } else if (swap !== undefined && !end.unsolicited && !hasAllTrades(order)) {
    const text = `Cancelled for its replacement ClOrdID(11)=${swap.clOrdID}, which is not sent: not all fills of the order are known`;
    reportType(turn, order, '4', text, { restatementReason });
  } else {
    reportType(turn, order, '4', `Cancelled without a request of this session: ${end.text}`, { restatementReason });
  }
}
