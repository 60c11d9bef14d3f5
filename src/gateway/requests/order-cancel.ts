// OrderCancelRequest(F), and every other cancel of one order: how it is checked, recorded and sent (rules U3, T4, D8, D9).
// Leaves the end itself to order-end.ts and refused cancels to order-reports.ts.

import type { CancelOrderCommand } from '../../exchange/mod.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import {
  addRequest,
  type ChangeRequest,
  hasManyRequests,
  hasOrderID,
  isTerminal,
  type Order,
  orderIdOf,
  type RequestKind,
} from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { remember } from '../book/order-timeline.ts';
import { tellAsker } from '../reports/account-cancel.ts';
import { cancelReject } from '../reports/answer.ts';
import { execID } from '../reports/execution-report.ts';
import { pendingAlready, report, sessionOf } from '../reports/order-reports.ts';
import { disagreement, findInReach, isOwn, nameFor, seenBy } from '../reports/visibility.ts';
import { lockdownRefusal } from '../rules/gtx.ts';
import { symbolNamed } from '../rules/read-order-terms.ts';
import { isUsed, requestIDProblem, useRequestID } from '../rules/request-ids.ts';
import type { SessionState } from '../state/session-state.ts';
import { orderFields, type Turn } from '../state/state.ts';
import { namesIn, withName } from '../vocabulary/one-or-many.ts';
import { duplicateClOrdID, isRefusal, other, type Refusal, tooLate, unknownOrder } from '../vocabulary/refusal.ts';
import { isOtherFirm, type Sender, senderOf, senderOr } from '../vocabulary/sender.ts';
import { type InboundMessage, isRepetition } from './inbound-message.ts';
import { statusReport } from './status-request.ts';

/** ClOrdIDs that one chain remembers. Beyond them it takes no G; an F is carried out, its ClOrdID remembered by itself. */
const CHAIN_MAX = 1_000;

/** Handle an F, as it reads. */
export function handleCancelRequest(inbound: InboundMessage, request: RequestFields): void {
  const { turn, session } = inbound;
  const found = findOrder(turn, session, request);
  if (answersRepetition(inbound, request.clOrdID, found.order)) return;
  const admitted = admitCancel(turn, session, found, request);
  if (isRefusal(admitted)) {
    refuseRequest(turn, session, { order: found.order, responseTo: 'F', request, refusal: admitted });
    return;
  }
  if (isOfOthers(session, admitted, request)) {
    cancelForAsker(turn, session, admitted, request);
    return;
  }
  const sender = senderOr(request, admitted.echo);
  requestCancel(turn, admitted, { kind: 'cancel', clOrdID: request.clOrdID, sender });
  reportPendingCancel(turn, admitted, request.clOrdID, sender);
}

/** Whether an F is carried out, and neither refused nor answered as one that came again; nothing is sent. */
export function isCancelTaken(inbound: InboundMessage, request: RequestFields): boolean {
  const { turn, session } = inbound;
  const found = findOrder(turn, session, request);
  if (repeatedOf(inbound, request.clOrdID, found.order) !== null) return false;
  return !isRefusal(admitCancel(turn, session, found, request));
}

/** Whether another session entered the order, or another firm behind this one. */
function isOfOthers(session: SessionState, order: Order, by: Sender): boolean {
  return !isOwn(session, order) || isOtherFirm(by, order.echo);
}

/**
 * Cancel an order of another session, or of another firm behind this one, for the requester (rules O7, O9): each gets
 * answers under its own ClOrdIDs.
 */
function cancelForAsker(turn: Turn, session: SessionState, order: Order, request: RequestFields): void {
  const { sessionId } = session.config;
  const { clOrdID, origClOrdID, onBehalfOfCompID, onBehalfOfSubID } = request;
  useRequestID(turn, sessionId, clOrdID);
  const change = requestCancel(turn, order, { kind: 'accountCancel', clOrdID, sender: request });
  const named = origClOrdID === UNNAMED ? null : origClOrdID;
  change.asker = { sessionId, origClOrdID: named, onBehalfOfCompID, onBehalfOfSubID };
  tellAsker(turn, order, change, '6');
}

function reportPendingCancel(turn: Turn, order: Order, clOrdID: string, sender: Sender): void {
  report(turn, order, {
    type: '6',
    execID: execID(order, `6-${order.requestCount}`),
    transactTime: turn.now,
    clOrdID,
    origClOrdID: order.clOrdID,
    sender,
    text: null,
  });
}

/** Where OrigClOrdID(41) is left out, as it may be from 5.0 SP1 on: OrderID(37) names the order. */
const UNNAMED = 'NONE';

/** Fields that F and G share. */
export interface RequestFields extends Sender {
  readonly clOrdID: string;
  readonly origClOrdID: string;
  readonly orderID: string | null;
  readonly account: string | null;
  readonly symbol: string | null;
  readonly side: string | null;
}

export function readRequest(view: MessageView): RequestFields {
  return {
    clOrdID: view.string(Tag.ClOrdID) ?? '',
    origClOrdID: view.string(Tag.OrigClOrdID) ?? UNNAMED,
    orderID: view.string(Tag.OrderID),
    account: view.string(Tag.Account),
    symbol: symbolNamed(view),
    side: view.string(Tag.Side),
    ...senderOf(view),
  };
}

/** The order that an F or G names. */
export interface Found {
  readonly order: Order | null;
  /** Null where one was found and nothing contradicts. */
  readonly refusal: Refusal | null;
}

/** The session's own order by OrigClOrdID, or one that it reaches by OrderID, or by both where they agree (rule O7). */
export function findOrder(turn: Turn, session: SessionState, request: RequestFields): Found {
  const { registry } = turn.state;
  const { sessionId } = session.config;
  const orderID = request.orderID === UNNAMED ? null : request.orderID;
  // An order may be called NONE: it is not meant.
  const isNamed = request.origClOrdID !== UNNAMED;
  const byClOrdID = isNamed ? registry.findByClOrdID(sessionId, request.origClOrdID) : null;
  const byOrderID = orderID === null ? null : findInReach(turn.state, session, orderID);
  const order = byClOrdID ?? byOrderID;
  if (!isNamed && orderID === null) {
    return { order: null, refusal: unknownOrder('OrigClOrdID(41) or OrderID(37) must name the order') };
  }
  const names = `OrigClOrdID(41)=${request.origClOrdID}${request.orderID === null ? '' : ` OrderID(37)=${request.orderID}`}`;
  if (order === null) {
    return { order: null, refusal: unknownOrder(`Unknown order: ${names} is no order of this session`) };
  }
  if (byClOrdID !== null && byOrderID !== null && byClOrdID !== byOrderID) {
    return { order: null, refusal: unknownOrder(`${names} name two different orders`) };
  }
  if (orderID !== null && orderIdOf(order) !== null && !hasOrderID(order, orderID)) {
    const text = `OrderID(37)=${orderID} is not that of ${nameFor(session, order)}, which is ${orderIdOf(order)}`;
    return { order: null, refusal: unknownOrder(text) };
  }
  return { order, refusal: disagreement(session, order, request) };
}

/** A request that comes again with 43=Y or 97=Y runs no second time: the present status answers it (rules U4, D14). */
export function answersRepetition(inbound: InboundMessage, clOrdID: string, named: Order | null): boolean {
  const known = repeatedOf(inbound, clOrdID, named);
  if (known === null) return false;
  const { turn, session, view } = inbound;
  const text = 'Already received; present status';
  turn.send(session.config.sessionId, statusReport(turn, session, known, senderOf(view), { text }));
  return true;
}

/** The order of a request that came before, by its ClOrdID(11); null for one that did not. */
function repeatedOf(inbound: InboundMessage, clOrdID: string, named: Order | null): Order | null {
  if (!isRepetition(inbound)) return null;
  const { turn, session } = inbound;
  const { registry } = turn.state;
  const { sessionId } = session.config;
  const known = registry.findByClOrdID(sessionId, clOrdID);
  return known === null && registry.isMassCancel(sessionId, clOrdID) ? named : known;
}

/** The order that an F may cancel now. */
function admitCancel(turn: Turn, session: SessionState, found: Found, request: RequestFields): Order | Refusal {
  const { order, refusal } = found;
  if (order === null || refusal !== null) return refusal ?? unknownOrder('Unknown order');
  const duplicate = checkClOrdID(turn, session, request.clOrdID);
  if (duplicate !== null) return duplicate;
  if (isTerminal(order.state)) {
    return tooLate(`Too late to cancel: order ${nameFor(session, order)} has OrdStatus(39)=${order.state}`);
  }
  const isByOther = isOfOthers(session, order, request);
  const isOfThisAsker = ({ kind, asker }: ChangeRequest): boolean => {
    if (!isByOther) return kind === 'cancel';
    if (asker?.sessionId !== session.config.sessionId) return false;
    return !isOwn(session, order) || asker.onBehalfOfCompID === request.onBehalfOfCompID;
  };
  // A cancel with an unknown outcome delays no other (rule U3).
  const isPending = order.requests.some((open) => isOfThisAsker(open) && open.stage !== 'unknown');
  if (isPending || hasManyRequests(order)) return pendingAlready(nameFor(session, order));
  return lockdownRefusal(turn.state.board, order, 'cancel') ?? order;
}

/** The duplicate check of F and G; it outlives every sequence reset (rule O5). */
export function checkClOrdID(turn: Turn, session: SessionState, clOrdID: string): Refusal | null {
  const problem = requestIDProblem('ClOrdID(11)', clOrdID);
  if (problem !== null) return other(problem);
  if (!isUsed(turn.state, session.config.sessionId, clOrdID)) return null;
  return duplicateClOrdID(`ClOrdID(11)=${clOrdID} was used before on this session`);
}

/** The refusal of a G on a chain that remembers no more ClOrdIDs, or null. */
export function longChainRefusal(order: Order): Refusal | null {
  if (namesIn(order.clOrdIDs).length < CHAIN_MAX) return null;
  return other(`The chain of this order has used ${CHAIN_MAX} ClOrdIDs: cancel it and send a new order`);
}

/** An F or G that is turned down here. */
interface RefusedRequest {
  /** The order that it names; null if there is none. */
  readonly order: Order | null;
  readonly responseTo: 'F' | 'G';
  readonly request: RequestFields;
  readonly refusal: Refusal;
  /** False if it was not looked at and may come again; default true. */
  readonly remembered?: boolean;
}

/** Send a 9, and remember the request's ClOrdID where it names an order. */
export function refuseRequest(
  turn: Turn,
  session: SessionState,
  { order, responseTo, request, refusal, remembered = true }: RefusedRequest,
): void {
  if (order !== null && remembered && requestIDProblem('ClOrdID(11)', request.clOrdID) === null) {
    if (isOwn(session, order)) useClOrdID(turn, order, request.clOrdID);
    else if (!isUsed(turn.state, session.config.sessionId, request.clOrdID))
      useRequestID(turn, session.config.sessionId, request.clOrdID);
    remember(order, turn.now, `${responseTo} ClOrdID(11)=${request.clOrdID} refused: ${refusal.text}`);
    turn.touch(order);
  }
  const facts = {
    ...senderOr(request, order !== null && isOwn(session, order) ? order.echo : request),
    responseTo,
    clOrdID: request.clOrdID,
    // The last accepted of the chain, also where the request names one that is pending (FIX 4.4 vol. 4, D.2.c).
    origClOrdID: order !== null && isOwn(session, order) ? order.clOrdID : request.origClOrdID,
    account: request.account,
    transactTime: turn.now,
    refusedHere: refusal.cxlRejReason !== '0' && !refusal.isPhase,
  } as const;
  const seen = order === null ? null : seenBy(session, order, request);
  turn.send(session.config.sessionId, cancelReject(session, seen, facts, refusal));
}

function useClOrdID(turn: Turn, order: Order, clOrdID: string): void {
  if (clOrdID === '' || isUsed(turn.state, order.sessionId, clOrdID)) return;
  if (namesIn(order.clOrdIDs).length >= CHAIN_MAX) {
    useRequestID(turn, order.sessionId, clOrdID);
    return;
  }
  order.clOrdIDs = withName(order.clOrdIDs, clOrdID);
  turn.state.registry.addClOrdID(order, clOrdID);
}

/** Reason and requester of a cancel. */
interface WantedCancel {
  readonly kind: Exclude<RequestKind, 'replace'>;
  /** Of the F or q; default null: there was none. */
  readonly clOrdID?: string | null;
  readonly sender: Sender;
  /** Of the r that answers a q; default null. */
  readonly massActionReportID?: string | null;
}

/** Record a cancel on the order and send it: by the exchange's id, or by our reference while that is unknown (U3). */
export function requestCancel(turn: Turn, order: Order, wanted: WantedCancel): ChangeRequest {
  const request = openCancel(turn, order, wanted);
  sendCancel(turn, order, request, true);
  return request;
}

/** Record a cancel that was opened, and send it unless it goes together with others (`submits` false). */
export function sendCancel(turn: Turn, order: Order, request: ChangeRequest, submits: boolean): void {
  runOf(order).alarmAt ??= request.askedAt + turn.state.config.pendingAlarmMs;
  const { kind, clOrdID } = request;
  remember(order, turn.now, `cancel sent (${kind}${clOrdID === null ? '' : ` ClOrdID(11)=${clOrdID}`})`);
  turn.touch(order);
  if (submits) turn.submit(order, request.number, cancelCommand(order));
}

/** Note on the order that it is being cancelled: it holds from now on, and is recorded and sent by `sendCancel`. */
export function openCancel(turn: Turn, order: Order, wanted: WantedCancel): ChangeRequest {
  const { kind, clOrdID = null, massActionReportID = null } = wanted;
  const { senderSubID, onBehalfOfCompID, onBehalfOfSubID } = wanted.sender;
  if (clOrdID !== null && kind === 'cancel') useClOrdID(turn, order, clOrdID);
  order.requestCount++;
  const request: ChangeRequest = {
    kind,
    number: order.requestCount,
    clOrdID,
    senderSubID,
    onBehalfOfCompID,
    onBehalfOfSubID,
    massActionReportID,
    asker: null,
    stage: 'submitted',
    requestId: null,
    acknowledgedAt: null,
    askedAt: turn.now,
    price: null,
    orderQty: null,
    ordType: null,
    reference: null,
    swap: null,
  };
  addRequest(order, request);
  if (kind === order.cancelWanted) order.cancelWanted = null;
  return request;
}

export function cancelCommand(order: Order): CancelOrderCommand {
  return {
    kind: 'cancelOrder',
    orderId: order.exchangeOrderId,
    clientOrderId: order.exchangeOrderId === null ? order.reference : null,
    symbol: order.terms.exchangeSymbol,
    tradingAccountId: order.tradingAccountId,
  };
}

/** Cancel an order that must not work any longer (rules U2, T3). */
export function cancelForSafety(turn: Turn, order: Order, why: string): void {
  if (sessionOf(turn, order) === null)
    turn.note('warn', 'cancel of an order whose session is not configured', orderFields(order));
  remember(order, turn.now, `cancelled for safety: ${why}`);
  runOf(order).cancelAttempts = 0;
  requestCancel(turn, order, { kind: 'safety', sender: order.echo });
}
