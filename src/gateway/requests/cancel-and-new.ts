// Replaces an order by a cancel and a new order (rule O6). The new leg goes out only when the old one is certainly gone
// and all its fills are in. It takes the remaining quantity, or stays out and the chain ends with the reason.
// order-replace.ts has the request; apply-exchange-event.ts accepts the leg.

import { createCommand } from '../book/create-command.ts';
import { type ChangeRequest, moveTo, type Order, type OrderEnd, openCreateLeg, openRequest } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import type { OrderTerms } from '../book/order-terms.ts';
import { remember } from '../book/order-timeline.ts';
import { closeOrder, dropRequest, rejectRequest, reportType, sessionOf } from '../reports/order-reports.ts';
import { entitlementRefusal } from '../reports/visibility.ts';
import { killRefusal } from '../rules/kill-switch-check.ts';
import { restRefusal } from '../rules/read-order-terms.ts';
import { limitRefusal } from '../rules/risk-limits.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { namedAs } from '../vocabulary/market-board.ts';
import { withName } from '../vocabulary/one-or-many.ts';
import { exchangeClosed, other, type Refusal, staleOrder, tooLate } from '../vocabulary/refusal.ts';
import { type Sender, writerOf } from '../vocabulary/sender.ts';
import { closedRefusal, referenceFor } from './new-order.ts';
import { cancelForSafety } from './order-cancel.ts';

type LegPrices = Pick<OrderTerms, 'price' | 'stopPx'>;

/** The replacement that may go on now that the old leg ended, or null: then the end is an end. */
export function swapAfter(order: Order, end: OrderEnd): ChangeRequest | null {
  const request = order.requests.find((open) => open.swap?.leg === 'cancel');
  if (request === undefined || end.execType !== '4' || end.unsolicited) return null;
  // Any other request to end the order means the whole chain, including a cancel that is to be repeated.
  const isAlone = order.requests.length === 1 && order.cancelWanted === null;
  return isAlone && request.swap?.isCalledOff !== true ? request : null;
}

/** The chain's terms once the new leg works. */
export function termsAfter(order: Order, request: ChangeRequest): OrderTerms {
  const { terms } = order;
  return {
    ...terms,
    price: request.price ?? terms.price,
    stopPx: request.swap?.stopPx ?? terms.stopPx,
    orderQty: request.orderQty ?? terms.orderQty,
    ordType: request.ordType ?? terms.ordType,
    // 40=2 without 18=6 takes the post-only wish back.
    execInst: request.ordType === '2' ? null : terms.execInst,
  };
}

/** The prices of the order that takes the place of the present one. */
export function legPrices({ triggered }: Order, { price, stopPx }: LegPrices): LegPrices {
  // A stop that triggered works as a limit order; its next leg begins as one.
  return { price, stopPx: triggered ? null : stopPx };
}

/** The old leg is gone with all its fills: send the new one, or end the chain. */
export function startNewLeg(turn: Turn, order: Order, request: ChangeRequest): void {
  const terms = termsAfter(order, request);
  if (terms.orderQty.compare(order.cumQty) <= 0) {
    const sums = `CumQty(14)=${order.cumQty.trimmed()} of OrderQty(38)=${terms.orderQty.trimmed()}`;
    rejectRequest(
      turn,
      order,
      request,
      tooLate(`Too late to replace: fills came while the order was cancelled, ${sums}`),
    );
    const what = `its replacement ClOrdID(11)=${request.clOrdID}, for which the fills left nothing`;
    endCancelled(turn, order, order.echo, `The order was cancelled for ${what}`);
    return;
  }
  const refusal = legRefusal(turn, order, request, terms);
  const session = sessionOf(turn, order);
  const reference = refusal !== null || session === null ? null : legReference(turn, session, order, request);
  if (reference === null) {
    const text = refusal?.text ?? 'no exchange reference is left, or the session is gone';
    endWithoutLeg(turn, order, request, `The order was cancelled, but its replacement was not sent: ${text}`);
    return;
  }
  if (order.exchangeOrderId !== null) order.earlierLegs = [...order.earlierLegs, order.exchangeOrderId];
  order.chainOrderId ??= order.exchangeOrderId;
  order.exchangeOrderId = null;
  order.filledBefore = order.cumQty;
  order.legQty = terms.orderQty.subtract(order.cumQty);
  order.legAt = turn.now;
  order.end = null;
  runOf(order).endAt = null;
  order.reference = reference;
  order.requestCount++;
  request.swap!.leg = 'create';
  request.swap!.createNumber = order.requestCount;
  if (request.requestId !== null) request.swap!.cancelRequestId = request.requestId;
  request.stage = 'submitted';
  request.requestId = null;
  request.acknowledgedAt = null;
  request.reference = reference;
  remember(order, turn.now, `the old order is cancelled; its replacement is sent as reference ${reference}`);
  turn.touch(order);
  turn.submit(order, order.requestCount, createCommand(order, terms, reference));
}

/**
 * The exchange refuses the cancel of the old leg behind its end, though it had acknowledged it: somebody else cancelled the
 * order, and meant no other in its place. The new leg is cancelled. False if the refusal is of another command.
 */
export function undoNewLeg(turn: Turn, order: Order, requestId: string | null): boolean {
  const leg = openCreateLeg(order);
  if (leg === null || requestId === null || leg.swap?.cancelRequestId !== requestId) return false;
  if (openRequest(order, 'safety') !== null) return true;
  cancelForSafety(turn, order, 'it replaces an order that another party cancelled');
  return true;
}

/** The reference that the G secured; in records from before it did, the next one. */
function legReference(turn: Turn, session: SessionState, order: Order, request: ChangeRequest): string | null {
  if (request.reference !== null) return request.reference;
  const reference = referenceFor(turn, session, order, request.clOrdID ?? '');
  if (reference === null) return null;
  order.references = withName(order.references, reference);
  turn.state.registry.addReference(order, reference);
  return reference;
}

/** Rules O4 and O12 hold for the new leg as for any order: it waited for the cancel. */
function legRefusal(turn: Turn, order: Order, request: ChangeRequest, terms: OrderTerms): Refusal | null {
  const session = sessionOf(turn, order);
  if (session === null) return exchangeClosed('the session is not configured any more');
  if (request.stage === 'unknown') return other('the outcome of the cancel was unknown');
  const age = turn.now - request.askedAt;
  const { staleOrderMs } = session.config;
  if (age > staleOrderMs) return staleOrder(`the request is ${age} ms old; the limit is ${staleOrderMs} ms`);
  const closed =
    closedRefusal(turn, session) ??
    killRefusal(turn.state, order.sessionId, order.tradingAccountId) ??
    entitlementRefusal(session, order);
  if (closed !== null) return closed;
  // It would go out as a limit order, below or above the price that it was to wait for.
  if (request.swap?.stopPx != null && order.triggered) {
    return other(`the stop was triggered meanwhile; StopPx(99)=${request.swap.stopPx.trimmed()} came too late`);
  }
  const rest = terms.orderQty.subtract(order.cumQty);
  const rules = turn.state.board.rules(terms.exchangeSymbol);
  const wrong = rules === null ? null : restRefusal(namedAs(rules, terms.symbol), legPrices(order, terms), rest);
  if (wrong !== null) return wrong;
  const { symbol, exchangeSymbol, side, price } = terms;
  const exposure = {
    symbol,
    exchangeSymbol,
    side,
    price,
    stopPx: order.triggered ? null : terms.stopPx,
    orderQty: rest,
  };
  return limitRefusal(turn, session, order.tradingAccountId, exposure);
}

/** The new leg does not work: the chain is cancelled, which answers the request (rule O6: 150=4 with the reason). */
export function endWithoutLeg(turn: Turn, order: Order, request: ChangeRequest, text: string): void {
  dropRequest(turn, order, request);
  order.origClOrdID = order.clOrdID;
  order.clOrdID = request.clOrdID ?? order.clOrdID;
  endCancelled(turn, order, writerOf(request, order), text);
}

/** 150=4 with 378: no request asked for a cancel alone. */
function endCancelled(turn: Turn, order: Order, sender: Sender, text: string): void {
  moveTo(order, '4');
  order.lastText = text;
  reportType(turn, order, '4', text, { sender, restatementReason: 'unsolicited' });
  closeOrder(turn, order);
}
