// OrderCancelRequest(F), and every other cancel of one order: how it is checked, recorded and sent (rules U3, T4, D8, D9).
// Leaves the end itself to order-life.ts and refused cancels to order-reports.ts.

import type { CancelOrderCommand } from '../exchange/mod.ts';
import { type MessageView, Tag } from '../wire/mod.ts';
import { cancelReject } from './answer.ts';
import { execID } from './execution-report.ts';
import { lockdownRefusal } from './gtx.ts';
import { type ChangeRequest, isTerminal, type Order, type RequestKind, remember } from './order.ts';
import { pendingAlready, report, sessionOf } from './order-reports.ts';
import { duplicateClOrdID, other, type Refusal, tooLate, unknownAccount, unknownOrder } from './refusal.ts';
import type { SessionState, Turn } from './state.ts';
import { statusReport } from './status-request.ts';

/** Requests open on one order at the same time; an F beyond them is refused. */
const OPEN_REQUESTS_MAX = 8;
/** ClOrdIDs that one chain may use up. */
const CHAIN_MAX = 1_000;

/** Handle an F. */
export function handleCancelRequest(turn: Turn, session: SessionState, view: MessageView, possDup: boolean): void {
  const request = readRequest(view);
  const found = findOrder(turn, session, view, request);
  if (isRepeated(turn, session, view, possDup, request.clOrdID)) return;
  const refusal = found.refusal ?? checkCancel(turn, session, found.order, request);
  if (refusal !== null || found.order === null) {
    const order = found.order;
    refuseRequest(turn, session, order, 'F', request, refusal ?? unknownOrder('Unknown order'));
    return;
  }
  const { order } = found;
  requestCancel(turn, order, 'cancel', request.clOrdID, request.senderSubID, null);
  reportPendingCancel(turn, order, request);
}

function reportPendingCancel(turn: Turn, order: Order, request: RequestFields): void {
  report(turn, order, {
    type: '6',
    execID: execID(order, `6-${order.requestCount}`),
    transactTime: turn.now,
    clOrdID: request.clOrdID,
    origClOrdID: order.clOrdID,
    senderSubID: request.senderSubID,
    text: null,
  });
}

/** Fields that F and G share. */
export interface RequestFields {
  readonly clOrdID: string;
  readonly origClOrdID: string;
  readonly orderID: string | null;
  readonly account: string | null;
  readonly symbol: string | null;
  readonly side: string | null;
  readonly senderSubID: string | null;
  readonly onBehalfOfCompID: string | null;
}

export function readRequest(view: MessageView): RequestFields {
  return {
    clOrdID: view.string(Tag.ClOrdID) ?? '',
    origClOrdID: view.string(Tag.OrigClOrdID) ?? 'NONE',
    orderID: view.string(Tag.OrderID),
    account: view.string(Tag.Account),
    symbol: view.string(Tag.Symbol),
    side: view.string(Tag.Side),
    senderSubID: view.string(Tag.SenderSubID),
    onBehalfOfCompID: view.string(Tag.OnBehalfOfCompID),
  };
}

/** The session's own order by OrigClOrdID, by OrderID, or by both where they agree (rule O7). */
export function findOrder(
  turn: Turn,
  session: SessionState,
  view: MessageView,
  request: RequestFields,
): { readonly order: Order | null; readonly refusal: Refusal | null } {
  const { registry } = turn.state;
  const { sessionId } = session.config;
  const byClOrdID = registry.findByClOrdID(sessionId, request.origClOrdID);
  let byOrderID: Order | null = null;
  if (request.orderID !== null && request.orderID !== 'NONE') {
    byOrderID = registry.findByExchangeOrderId(request.orderID);
    if (byOrderID?.sessionId !== sessionId) byOrderID = null;
  }
  const order = byClOrdID ?? byOrderID;
  const names = `OrigClOrdID(41)=${request.origClOrdID}${request.orderID === null ? '' : ` OrderID(37)=${request.orderID}`}`;
  if (order === null) {
    return { order: null, refusal: unknownOrder(`Unknown order: ${names} is no order of this session`) };
  }
  if (byClOrdID !== null && byOrderID !== null && byClOrdID !== byOrderID) {
    return { order: null, refusal: unknownOrder(`${names} name two different orders`) };
  }
  if (request.account !== null && request.account !== order.echo.account) {
    const text = `Account(1)=${request.account} is not the order's account ${order.echo.account}`;
    return { order, refusal: unknownAccount(text) };
  }
  if (request.symbol !== null && view.has(Tag.Symbol) && request.symbol !== order.terms.symbol) {
    return { order, refusal: other(`Symbol(55)=${request.symbol} is not the order's symbol ${order.terms.symbol}`) };
  }
  if (request.side !== null && request.side !== order.terms.side) {
    return { order, refusal: other(`Side(54)=${request.side} is not the order's side ${order.terms.side}`) };
  }
  return { order, refusal: null };
}

/** A request that comes again with 43=Y or 97=Y runs no second time: the present status answers it (rules U4, D14). */
export function isRepeated(
  turn: Turn,
  session: SessionState,
  view: MessageView,
  possDup: boolean,
  clOrdID: string,
): boolean {
  if (!possDup && view.boolean(Tag.PossResend) !== true) return false;
  const known = turn.state.registry.findByClOrdID(session.config.sessionId, clOrdID);
  if (known === null) return false;
  turn.send(session.config.sessionId, statusReport(turn, session, known, { text: 'Already received; present status' }));
  return true;
}

function checkCancel(turn: Turn, session: SessionState, order: Order | null, request: RequestFields): Refusal | null {
  if (order === null) return null;
  const duplicate = checkClOrdID(turn, session, order, request.clOrdID);
  if (duplicate !== null) return duplicate;
  if (isTerminal(order.state)) {
    return tooLate(`Too late to cancel: order ClOrdID(11)=${order.clOrdID} has OrdStatus(39)=${order.state}`);
  }
  // A cancel whose outcome is unknown holds up no other (rule U3).
  if (order.requests.some((open) => open.kind === 'cancel' && open.stage !== 'unknown')) return pendingAlready(order);
  if (order.requests.length >= OPEN_REQUESTS_MAX) return pendingAlready(order);
  return lockdownRefusal(turn.state.board, session, order, 'cancel');
}

/** The duplicate check of F and G; it outlives every sequence reset (rule O5). */
export function checkClOrdID(turn: Turn, session: SessionState, order: Order, clOrdID: string): Refusal | null {
  const { registry } = turn.state;
  const { sessionId } = session.config;
  if (registry.findByClOrdID(sessionId, clOrdID) !== null || registry.isMassCancel(sessionId, clOrdID)) {
    return duplicateClOrdID(`ClOrdID(11)=${clOrdID} was used before on this session`);
  }
  if (order.clOrdIDs.length >= CHAIN_MAX) return other(`The chain of this order has used ${CHAIN_MAX} ClOrdIDs`);
  return null;
}

/**
 * Send a 9 for an F or G that was turned down here, and remember its ClOrdID where it names an order, unless it was not
 * looked at and may come again.
 */
export function refuseRequest(
  turn: Turn,
  session: SessionState,
  order: Order | null,
  responseTo: 'F' | 'G',
  request: RequestFields,
  refusal: Refusal,
  { remembered }: { readonly remembered: boolean } = { remembered: true },
): void {
  if (order !== null && remembered) {
    useClOrdID(turn, order, request.clOrdID);
    remember(order, turn.now, `${responseTo} ClOrdID(11)=${request.clOrdID} refused: ${refusal.text}`);
    turn.touch(order);
  }
  const facts = {
    responseTo,
    clOrdID: request.clOrdID,
    origClOrdID: request.origClOrdID,
    account: request.account,
    senderSubID: request.senderSubID,
    onBehalfOfCompID: request.onBehalfOfCompID,
    transactTime: turn.now,
    refusedHere: refusal.cxlRejReason !== '0' && !refusal.isPhase,
  } as const;
  turn.send(session.config.sessionId, cancelReject(session, order, facts, refusal));
}

function useClOrdID(turn: Turn, order: Order, clOrdID: string): void {
  if (clOrdID === '' || order.clOrdIDs.length >= CHAIN_MAX) return;
  if (turn.state.registry.findByClOrdID(order.sessionId, clOrdID) !== null) return;
  order.clOrdIDs.push(clOrdID);
  turn.state.registry.addClOrdID(order, clOrdID);
}

/** Record a cancel on the order and send it, unless it goes together with others (`submits` false): by the exchange's id, or by our reference while that is unknown (U3). */
export function requestCancel(
  turn: Turn,
  order: Order,
  kind: Exclude<RequestKind, 'replace'>,
  clOrdID: string | null,
  senderSubID: string | null,
  massActionReportID: string | null,
  submits = true,
): ChangeRequest {
  if (clOrdID !== null && kind === 'cancel') useClOrdID(turn, order, clOrdID);
  order.requestCount++;
  const request: ChangeRequest = {
    kind,
    number: order.requestCount,
    clOrdID,
    senderSubID,
    massActionReportID,
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
  order.requests.push(request);
  if (kind === order.cancelWanted) order.cancelWanted = null;
  order.run.alarmAt ??= turn.now + turn.state.config.pendingAlarmMs;
  remember(order, turn.now, `cancel sent (${kind}${clOrdID === null ? '' : ` ClOrdID(11)=${clOrdID}`})`);
  turn.touch(order);
  if (submits) turn.submit(order, request.number, cancelCommand(order));
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
  if (sessionOf(turn, order) === null) turn.note('warn', 'cancel of an order whose session is not configured', {});
  remember(order, turn.now, `cancelled for safety: ${why}`);
  order.run.cancelAttempts = 0;
  requestCancel(turn, order, 'safety', null, null, null);
}
