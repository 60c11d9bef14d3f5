// OrderStatusRequest(H) and OrderMassStatusRequest(AF), answered at once from the gateway's own book, or by setting once the
// exchange has been asked about the orders (rules D14, D15).

import { MessageDraft, type MessageView, MsgType, Tag } from '../wire/mod.ts';
import { refusedOrder } from './build-order.ts';
import { executionReport, type ReportFacts } from './execution-report.ts';
import { EXEC_TRANS_TYPE } from './fix-version.ts';
import { isTerminal, type Order } from './order.ts';
import { runOf } from './order-run.ts';
import { accountOf, findInReach, openInReach, seenBy, symbolOf } from './reach.ts';
import type { SessionState, Turn } from './state.ts';

/** Reports that one AF may cause; the rest is named in Text of the last one. */
const MASS_STATUS_MAX = 10_000;

/** Orders that one request has looked up at the exchange; a request for more is answered from the book. */
const VERIFIED_MAX = 100;
/** Requests that may wait at the same time; those beyond are answered from the book. */
const QUERIES_MAX = 1_000;

/** A request that waits for the exchange's word on its orders. */
export interface StatusQuery {
  readonly sessionId: string;
  readonly orders: readonly Order[];
  /** Orders whose look-up has not come back. */
  readonly waiting: Set<Order>;
  /** Orders that the exchange could not be asked about. */
  readonly unverified: Set<Order>;
  readonly ordStatusReqID: string | null;
  /** Null for an H. */
  readonly massStatusReqID: string | null;
}

/** 150=I of an order: ExecID(17) is 0, as FIX 4.4 says of a status. */
export function statusReport(
  turn: Turn,
  session: SessionState,
  order: Order,
  more: Partial<ReportFacts> = {},
): MessageDraft {
  return executionReport(session, turn.state.board, seenBy(session, order), {
    type: 'I',
    execID: '0',
    transactTime: turn.now,
    text: order.lastText,
    ...(order.ordRejReason === null ? {} : { ordRejReason: order.ordRejReason }),
    ...more,
  });
}

/** Handle an H: by ClOrdID of any link of the chain, or by OrderID, which finds orders of other sessions by setting (rule O7). */
export function handleStatusRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const { registry } = turn.state;
  const { sessionId } = session.config;
  const clOrdID = view.string(Tag.ClOrdID) ?? 'NONE';
  const orderID = view.string(Tag.OrderID);
  let order = registry.findByClOrdID(sessionId, clOrdID);
  if (order === null && orderID !== null) order = findInReach(turn.state, session, orderID);
  const ordStatusReqID = view.string(Tag.OrdStatusReqID);
  if (order !== null) {
    ask(turn, session, [order], ordStatusReqID, null);
    return;
  }
  const held = turn.state.held.find(sessionId, MsgType.NewOrderSingle, clOrdID);
  if (held !== null) {
    const waiting = { ...refusedOrder(turn, session, held.view, clOrdID), state: 'A' as const };
    const text = 'It waits for its turn and was not sent yet';
    turn.send(sessionId, statusReport(turn, session, waiting, { ordStatusReqID, text }));
    return;
  }
  const draft = unknownOrderStatus(session, view, orderID ?? 'NONE', clOrdID);
  if (session.version.hasMassMessages) draft.addIf(Tag.OrdStatusReqID, ordStatusReqID);
  turn.send(sessionId, draft.add(Tag.Text, `Unknown order: ClOrdID(11)=${clOrdID} is no order of this session`));
}

/** 39=8 with 103=5: a status of nothing. */
function unknownOrderStatus(
  session: SessionState,
  view: MessageView,
  orderID: string,
  clOrdID: string | null,
): MessageDraft {
  const draft = new MessageDraft(MsgType.ExecutionReport);
  const subID = view.string(Tag.SenderSubID);
  if (subID !== null) draft.header(Tag.TargetSubID, subID);
  draft.add(Tag.OrderID, orderID).addIf(Tag.ClOrdID, clOrdID).add(Tag.ExecID, '0');
  if (session.version.hasExecTransType) draft.add(EXEC_TRANS_TYPE, '3');
  return draft
    .add(Tag.ExecType, session.version.hasTradeExecType ? 'I' : '8')
    .add(Tag.OrdStatus, '8')
    .add(Tag.OrdRejReason, '5')
    .add(Tag.Symbol, view.string(Tag.Symbol) ?? '[N/A]')
    .add(Tag.Side, view.string(Tag.Side) ?? '7')
    .add(Tag.LeavesQty, '0')
    .add(Tag.CumQty, '0')
    .add(Tag.AvgPx, '0');
}

/** Handle an AF: 585=1 by symbol, 585=7 all; one report per open order that the session reaches (rule O7). */
export function handleMassStatusRequest(turn: Turn, session: SessionState, view: MessageView): string | null {
  const massStatusReqID = view.string(Tag.MassStatusReqID) ?? '';
  const type = view.string(Tag.MassStatusReqType);
  if (type !== '1' && type !== '7') {
    return `MassStatusReqType(585)=${type} is not carried here: use 1 (one symbol) or 7 (all orders)`;
  }
  const account = view.string(Tag.Account);
  const symbol = view.string(Tag.Symbol);
  if (type === '1' && symbol === null) return 'MassStatusReqType(585)=1 requires Symbol(55)';
  const orders: Order[] = [];
  for (const order of openInReach(turn.state, session)) {
    if (account !== null && account !== accountOf(session, order)) continue;
    if (symbol !== null && symbol !== symbolOf(session, order)) continue;
    if (orders.length < MASS_STATUS_MAX) orders.push(order);
  }
  if (orders.length === 0) {
    const draft = unknownOrderStatus(session, view, 'NONE', null);
    draft.add(Tag.MassStatusReqID, massStatusReqID).add(Tag.TotNumReports, '0').add(Tag.LastRptRequested, 'Y');
    turn.send(session.config.sessionId, draft.add(Tag.Text, 'No open order matches'));
    return null;
  }
  ask(turn, session, orders, null, massStatusReqID);
  return null;
}

/** Answer from the book, or have the exchange asked about the open orders first. */
function ask(
  turn: Turn,
  session: SessionState,
  orders: readonly Order[],
  ordStatusReqID: string | null,
  massStatusReqID: string | null,
): void {
  const { statusQueries } = turn.state;
  const { sessionId, statusFromExchange = false } = session.config;
  const open = orders.filter((order) => !isTerminal(order.state));
  const asks = statusFromExchange && open.length <= VERIFIED_MAX && statusQueries.size < QUERIES_MAX;
  const waiting = new Set(asks ? open : []);
  const unverified = new Set(statusFromExchange && !asks ? open : []);
  const query = { sessionId, orders, waiting, unverified, ordStatusReqID, massStatusReqID };
  if (waiting.size === 0) {
    answer(turn, session, query);
    return;
  }
  statusQueries.add(query);
  for (const order of waiting) {
    const run = runOf(order);
    run.mustAsk = true;
    if (run.lookupId === null) run.lookupAt = turn.now;
    turn.rearm(order);
  }
}

/** The exchange's word on an order came in, or it could not be asked (`verified` false): what waited for it is answered. */
export function answerQueries(turn: Turn, order: Order, verified: boolean): void {
  for (const query of turn.state.statusQueries) {
    if (!query.waiting.delete(order)) continue;
    if (!verified) query.unverified.add(order);
    if (query.waiting.size > 0) continue;
    turn.state.statusQueries.delete(query);
    const session = turn.state.sessions.get(query.sessionId);
    if (session !== undefined) answer(turn, session, query);
  }
}

function answer(turn: Turn, session: SessionState, query: StatusQuery): void {
  const { sessionId, orders, unverified, ordStatusReqID, massStatusReqID } = query;
  orders.forEach((order, i) => {
    const text = "From the gateway's book: the exchange could not be asked";
    const massStatus =
      massStatusReqID === null ? null : { massStatusReqID, total: orders.length, last: i === orders.length - 1 };
    const report = statusReport(turn, session, order, {
      ...(massStatus === null ? { ordStatusReqID } : { massStatus }),
      ...(unverified.has(order) ? { text } : {}),
    });
    turn.send(sessionId, report);
  });
}
