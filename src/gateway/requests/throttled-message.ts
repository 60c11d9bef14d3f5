// Messages beyond a session's rate (rule S7): refused with the wait in Text(58), each type by its own answer, or held until
// their turn and taken then with all limits checked anew. Which messages those are is the session's decision.

import type { AuctionPhase } from '../../exchange/mod.ts';
import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { moveTo, type Order } from '../book/order.ts';
import { remember } from '../book/order-timeline.ts';
import type { HeldRecord } from '../book/record-kinds.ts';
import { executionReport, type ReportFacts } from '../reports/execution-report.ts';
import { answerReport } from '../reports/order-reports.ts';
import { isOwed } from '../reports/undelivered-reports.ts';
import { rejectBusiness } from '../reports/unsupported-message.ts';
import { disagreement, seenBy } from '../reports/visibility.ts';
import { answerID, enterUnsent, refusedOrder, unsentOrder } from '../rules/build-order.ts';
import { isForAuction } from '../rules/gtx.ts';
import { isUsed, useRequestID } from '../rules/request-ids.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { clOrdIDOf, fromText, type HeldMessage } from '../state/throttle-queue.ts';
import { withName } from '../vocabulary/one-or-many.ts';
import {
  duplicateClOrdID,
  exchangeClosed,
  isRefusal,
  other,
  type Refusal,
  rateExceeded,
  unknownOrder,
} from '../vocabulary/refusal.ts';
import { isOtherFirm, senderOr } from '../vocabulary/sender.ts';
import type { InboundMessage } from './inbound-message.ts';
import { refuseAnother, refuseNewOrder } from './new-order.ts';
import {
  checkClOrdID,
  findOrder,
  handleCancelRequest,
  isCancelTaken,
  type RequestFields,
  readRequest,
  refuseRequest,
} from './order-cancel.ts';
import { findHeldOrder, type HeldOrder, heldOrders, heldReplacements } from './queued-orders.ts';
import { forget, heldMessage, keepWaiting, recordHeld } from './waiting-messages.ts';

/** Refuse a message with its turn in `waitMs`. It leaves no trace and may be sent again unchanged. */
export function refuseThrottled(inbound: InboundMessage, waitMs: number): void {
  const text = `Too many messages: send MsgType(35)=${inbound.view.msgType} again in ${waitMs} ms`;
  refuseUnhandled(inbound, rateExceeded(text));
}

/** Answer a message that was not carried out, by its type: 8, 9 or j. `named`: how a G names its order. */
export function refuseUnhandled(
  inbound: InboundMessage,
  refusal: Refusal,
  named: RequestFields = orderNamed(inbound.turn, inbound.session, readRequest(inbound.view)),
): void {
  const { turn, session, view } = inbound;
  switch (view.msgType) {
    case MsgType.NewOrderSingle: {
      const known = orderOf(turn, session, clOrdIDOf(view));
      if (known !== null) {
        refuseAnother(inbound, known, refusal);
        return;
      }
      const order = refusedOrder(turn, session, view, clOrdIDOf(view));
      answerReport(turn, session, order, {
        type: '8',
        execID: answerID(turn),
        transactTime: turn.now,
        rejectedFor: refusal,
        text: refusal.text,
      });
      return;
    }
    case MsgType.OrderCancelReplaceRequest: {
      const order = findOrder(turn, session, named).order ?? orderOf(turn, session, named.origClOrdID);
      refuseRequest(turn, session, { order, responseTo: 'G', request: readRequest(view), refusal, remembered: false });
      return;
    }
    default:
      // BusinessRejectReason(380)=8, throttle limit exceeded, came with FIX.5.0SP2.
      rejectBusiness(turn, session, view, session.version.hasLateFields ? '8' : '0', refusal.text);
  }
}

/** A request that names a G which waits here names the order that this one is for. */
function orderNamed(turn: Turn, session: SessionState, request: RequestFields): RequestFields {
  const first = heldReplacements(turn.state, session, request.origClOrdID).at(-1);
  if (first === undefined) return request;
  const { origClOrdID, orderID } = readRequest(first.view);
  return { ...request, origClOrdID, orderID: request.orderID ?? orderID };
}

/** The order that has this ClOrdID(11), one that waits here included. */
function orderOf(turn: Turn, session: SessionState, clOrdID: string): Order | null {
  const known = turn.state.registry.findByClOrdID(session.config.sessionId, clOrdID);
  if (known !== null) return known;
  const held = findHeldOrder(turn.state, session, clOrdID);
  return held === null ? null : unsentOrder(turn, session, held.view);
}

/** Keep a message until its turn; behind a Logout(5) no turn comes. */
export function holdThrottled({ turn, session, view, possDup }: InboundMessage, waitMs: number): void {
  keepWaiting(turn, session.config.sessionId, view, { possDup, releaseAt: turn.steady + waitMs });
  dropHeldOfLeft(turn, session);
}

/** Behind a Logout(5) nothing waits any more (rule C1). */
export function dropHeldOfLeft(turn: Turn, { config, leftBy }: SessionState): void {
  if (leftBy === null) return;
  dropHeld(turn, config.sessionId, leftBy === 'us' ? 'the session is being logged out' : 'the session ended');
}

/** Drop and reject waiting messages of a session (rule C1), or of all of them. */
export function dropHeld(turn: Turn, sessionId: string | null, why: string): void {
  const { held } = turn.state;
  for (const id of sessionId === null ? held.sessionIds() : [sessionId]) rejectHeld(turn, id, [...held.of(id)], why);
}

/** These of a session waited in vain: an order among them is remembered as refused, so that it never runs (rule U4). */
function rejectHeld(turn: Turn, sessionId: string, messages: readonly HeldMessage[], why: string): void {
  const session = turn.state.sessions.get(sessionId);
  const refusal = exchangeClosed(`It waited for its turn and was not sent: ${why}`);
  // Which order a G means that names another one, while that one waits too.
  const named = messages.map(({ view }) =>
    session === undefined ? null : orderNamed(turn, session, readRequest(view)),
  );
  messages.forEach((message, i) => {
    const { view, possDup } = message;
    turn.state.held.remove(message);
    forget(turn, message);
    if (session === undefined) return;
    const inbound = { turn, session, view, possDup, waited: true };
    if (view.msgType === MsgType.NewOrderSingle) refuseNewOrder(inbound, clOrdIDOf(view), refusal);
    else refuseUnhandled(inbound, refusal, named[i]!);
  });
}

/**
 * Messages that waited when the last process ended. A session that is not configured learns of them later, after its
 * missed reports.
 */
export function rejectRecovered(turn: Turn): void {
  const { recoveredHeld, sessions, held } = turn.state;
  const isThere = ({ sessionId }: HeldRecord): boolean => sessions.has(sessionId) && !isOwed(turn.state, sessionId);
  const all = recoveredHeld.splice(0);
  recoveredHeld.push(...all.filter((record) => !isThere(record)));
  for (const [sessionId, records] of Map.groupBy(all.filter(isThere), (record) => record.sessionId)) {
    const messages: HeldMessage[] = [];
    for (const { key, frame, dataPairs = [], depths = null } of records) {
      const view = frame === null ? null : fromText(frame, dataPairs, depths);
      if (view === null) recordHeld(turn, { kind: 'held', key, sessionId, frame: null });
      else messages.push(heldMessage(sessionId, view, key, turn.steady));
    }
    for (const message of messages) held.add(message);
    rejectHeld(turn, sessionId, messages, 'the gateway was started anew');
  }
}

/** Handle an F, whatever it names: an order, one that waits here, or a replacement that waits here. */
export function handleCancel(inbound: InboundMessage): void {
  const { turn, session } = inbound;
  const said = readRequest(inbound.view);
  const waiting = heldReplacements(turn.state, session, said.origClOrdID);
  const request = orderNamed(turn, session, said);
  // Refused, or repeated, it cancels nothing: waiting messages go out in turn.
  if (waiting.length > 0 && isCarriedOut(inbound, request)) {
    for (const message of waiting) withdrawReplacement(inbound, message, request);
  }
  if (!cancelHeld(inbound, request)) handleCancelRequest(inbound, request);
}

/** Whether the order that an F names is cancelled by it, be it one that waits here. */
function isCarriedOut(inbound: InboundMessage, request: RequestFields): boolean {
  const { turn, session } = inbound;
  const held = findHeldOrder(turn.state, session, request.origClOrdID);
  if (held === null) return isCancelTaken(inbound, request);
  return !isRefusal(admitHeldCancel(turn, session, held, request));
}

/** It never goes out. `request`: the F, which names the order itself. */
function withdrawReplacement(inbound: InboundMessage, message: HeldMessage, request: RequestFields): void {
  const { turn } = inbound;
  turn.state.held.remove(message);
  forget(turn, message);
  const text = `It waited for its turn and was not sent: the order is cancelled by ClOrdID(11)=${request.clOrdID}`;
  refuseUnhandled({ ...inbound, view: message.view }, other(text), request);
}

/** An F for an order that waits here: it never went out, so it is cancelled at once. False if none waits. */
function cancelHeld({ turn, session, view }: InboundMessage, request: RequestFields): boolean {
  const { state } = turn;
  const { sessionId } = session.config;
  const order = findHeldOrder(state, session, request.origClOrdID);
  if (order === null) return false;
  const { clOrdID } = request;
  const isKnown = isUsed(state, sessionId, clOrdID);
  // One that comes again is answered like any other.
  if (isKnown && (view.boolean(Tag.PossResend) === true || view.boolean(Tag.PossDupFlag) === true)) return false;
  const admitted = admitHeldCancel(turn, session, order, request);
  const unsent = isRefusal(admitted) ? unsentOrder(turn, session, order.view) : admitted;
  if (isRefusal(admitted)) {
    refuseRequest(turn, session, { order: unsent, responseTo: 'F', request, refusal: admitted, remembered: false });
    return true;
  }
  const text = 'Cancelled while it waited; it was never sent';
  if (isOtherFirm(request, unsent.echo)) {
    tellOtherFirm(turn, session, unsent, request, text);
    withdraw(turn, session, order, { restatementReason: 'unsolicited', text: `${text}; another firm asked for it` });
    return true;
  }
  withdraw(turn, session, order, { clOrdID, sender: senderOr(request, unsent.echo), text });
  return true;
}

/**
 * Answer an F of another firm behind the session than the order's: each is informed under its own ClOrdID (rule O9).
 */
function tellOtherFirm(turn: Turn, session: SessionState, unsent: Order, request: RequestFields, text: string): void {
  const { sessionId } = session.config;
  useRequestID(turn, sessionId, request.clOrdID);
  const report = executionReport(session, turn.state.board, seenBy(session, { ...unsent, state: '4' }, request), {
    type: '4',
    execID: answerID(turn),
    transactTime: turn.now,
    clOrdID: request.clOrdID,
    origClOrdID: unsent.clOrdID,
    sender: request,
    text,
  });
  turn.send(sessionId, report);
}

/** The waiting order that an F may cancel. */
function admitHeldCancel(turn: Turn, session: SessionState, held: HeldOrder, request: RequestFields): Order | Refusal {
  const { clOrdID, orderID } = request;
  const problem = checkClOrdID(turn, session, clOrdID);
  if (problem !== null) return problem;
  if (findHeldOrder(turn.state, session, clOrdID) !== null) {
    return duplicateClOrdID(`ClOrdID(11)=${clOrdID} was used before on this session`);
  }
  if (orderID !== null && orderID !== 'NONE') {
    return unknownOrder(`OrderID(37)=${orderID} is not that of ClOrdID(11)=${held.clOrdID}, which has none yet`);
  }
  const unsent = unsentOrder(turn, session, held.view);
  return disagreement(session, unsent, request) ?? unsent;
}

/** The orders that wait here and that a q covers. */
export function heldCoveredBy(turn: Turn, session: SessionState, covers: (view: MessageView) => boolean): HeldOrder[] {
  return [...heldOrders(turn.state, session)].filter(({ view }) => covers(view));
}

/** Cancel the scope of a q. */
export function massCancelHeld(
  turn: Turn,
  session: SessionState,
  orders: readonly HeldOrder[],
  massActionReportID: string,
): void {
  const text = 'Cancelled by OrderMassCancelRequest(q) while it waited; never sent';
  for (const order of orders) withdraw(turn, session, order, { massActionReportID, text });
}

/** End the orders that wait for an account, of one market or of all: a broad cancel over the bridge does not reach them at the exchange (rule B5). */
export function endHeldOfAccount(turn: Turn, tradingAccountId: string, symbol: string | null): void {
  const text = 'Cancelled over the bridge by a caller that trades this account; it was never sent';
  for (const session of turn.state.sessions.values()) {
    const ofAccount = heldCoveredBy(turn, session, (view) => {
      const { tradingAccountId: ownId, terms } = unsentOrder(turn, session, view);
      return ownId === tradingAccountId && (symbol === null || symbol === terms.exchangeSymbol);
    });
    for (const order of ofAccount) withdraw(turn, session, order, { restatementReason: 'unsolicited', text });
  }
}

/** An order that waits for a replaced auction is not carried into the next one (rule T3). */
export function endHeldForAuction(turn: Turn, before: AuctionPhase): void {
  const text = `Cancelled while it waited: auction ${before.auctionId} is over, and it is for no other; it was never sent`;
  for (const session of turn.state.sessions.values()) {
    const ofAuction = heldCoveredBy(turn, session, (view) => {
      const { exchangeSymbol } = unsentOrder(turn, session, view).terms;
      return exchangeSymbol === before.symbol && isForAuction(session, view.string(Tag.TimeInForce));
    });
    for (const order of ofAuction) withdraw(turn, session, order, { restatementReason: 'unsolicited', text });
  }
}

/** Why a waiting order ends: the content of its last report. `clOrdID` is that of the F, if there is one. */
type EndUnsent = Pick<ReportFacts, 'restatementReason' | 'massActionReportID' | 'sender' | 'clOrdID'> & {
  readonly text: string;
};

/** End an order that waits. A list waits on with the others of it. */
function withdraw(turn: Turn, session: SessionState, { view, message }: HeldOrder, end: EndUnsent): void {
  if (message.view.msgType === MsgType.NewOrderSingle) {
    turn.state.held.remove(message);
    forget(turn, message);
  }
  endUnsent(turn, session, view, end);
}

function endUnsent(turn: Turn, session: SessionState, view: MessageView, end: EndUnsent): void {
  const { clOrdID, text, ...facts } = end;
  const order: Order = enterUnsent(turn, session, view);
  if (clOrdID !== undefined) {
    order.origClOrdID = order.clOrdID;
    order.clOrdID = clOrdID;
    order.clOrdIDs = withName(order.clOrdIDs, clOrdID);
    turn.state.registry.addClOrdID(order, clOrdID);
  }
  moveTo(order, '4');
  order.lastText = text;
  remember(order, turn.now, text);
  turn.touch(order);
  turn.end(order);
  answerReport(turn, session, order, {
    type: '4',
    // Nothing of the exchange distinguishes it from the others that end with it.
    execID: answerID(turn),
    transactTime: turn.now,
    text,
    ...facts,
  });
}
