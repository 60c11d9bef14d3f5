// OrderStatusRequest(H) and OrderMassStatusRequest(AF), answered at once from the gateway's own book, or by setting once the
// exchange has been asked about the orders (rules D14, D15).

import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { hasOrderID, isTerminal, type Order, orderIdOf } from '../book/order.ts';
import { encodeRecord } from '../book/order-record.ts';
import { runOf } from '../book/order-runtime.ts';
import type { StatusesRecord } from '../book/record-kinds.ts';
import { executionReport, type ReportFacts } from '../reports/execution-report.ts';
import { addText } from '../reports/text.ts';
import { disagreement, findInReach, nameFor, seenBy } from '../reports/visibility.ts';
import { answerID, unsentOrder } from '../rules/build-order.ts';
import { symbolNamed } from '../rules/read-order-terms.ts';
import { requestIDProblem } from '../rules/request-ids.ts';
import { PIECE_ORDERS, piecesOf } from '../state/chunked-work.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { StatusQuery, StatusQuestion } from '../state/status-query.ts';
import { EXEC_TRANS_TYPE } from '../vocabulary/fix-version.ts';
import { addressTo, isOtherFirm, type Sender, senderOf, senderOr } from '../vocabulary/sender.ts';
import {
  accountProblem,
  namesTwoMarkets,
  type OrderSelection,
  readSelection,
  restrictionProblem,
  selectedOrders,
  selectsHeld,
  symbolProblem,
} from './order-selection.ts';
import { findHeldOrder, heldOrders, heldReplacements } from './queued-orders.ts';

/** Reports that one AF may cause; Text(58) of the last says how many orders are left out. */
const MASS_STATUS_MAX = 10_000;

/** Orders that one request has looked up at the exchange; a request for more is answered from the book. */
const VERIFIED_MAX = 100;
const NOT_ASKED = "From the gateway's book: the exchange could not be asked";
const NOT_FOUND = "From the gateway's book: the exchange was asked, and does not find the order";
/** Requests that may wait at the same time; those beyond are answered from the book. */
const QUERIES_MAX = 1_000;

/**
 * 150=I of an order, to the firm that entered it, else to the requester; if that is another firm, to that one (rule
 * O9). ExecID(17) is 0, as FIX 4.4 requires of a status.
 */
export function statusReport(
  turn: Turn,
  session: SessionState,
  order: Order,
  asker: Sender,
  more: Partial<ReportFacts> = {},
): MessageDraft {
  const seen = seenBy(session, order, asker);
  return executionReport(session, turn.state.board, seen, {
    type: 'I',
    execID: '0',
    transactTime: turn.now,
    text: order.lastText,
    sender: isOtherFirm(asker, seen.echo) ? asker : senderOr(seen.echo, asker),
    ...more,
  });
}

/**
 * Handle an H: by ClOrdID of any link of the chain, or by OrderID, which finds orders of other sessions by setting (rule O7).
 * One that calls the order something else than it is may mean another one: it is answered as unknown.
 */
export function handleStatusRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId } = session.config;
  const clOrdID = view.string(Tag.ClOrdID) ?? 'NONE';
  const orderID = view.string(Tag.OrderID);
  const ordStatusReqID = view.string(Tag.OrdStatusReqID);
  // A request by the id of a waiting replacement gets the order that it is for.
  const replacement = heldReplacements(turn.state, session, clOrdID).at(-1)?.view;
  const named = replacement?.string(Tag.OrigClOrdID) ?? clOrdID;
  const held = findHeldOrder(turn.state, session, named);
  const order = orderAsked(turn, session, named, orderID ?? replacement?.string(Tag.OrderID) ?? null);
  const unsent = held === null ? null : unsentOrder(turn, session, held.view);
  const asked = order ?? unsent;
  const problem =
    asked === null ? `ClOrdID(11)=${clOrdID} is no order of this session` : contradiction(session, asked, view);
  if (problem !== null) {
    const draft = unknownOrderStatus(session, { ...askedOf(view), orderID: orderID ?? 'NONE', clOrdID });
    if (session.version.hasMassMessages) draft.addIf(Tag.OrdStatusReqID, ordStatusReqID);
    turn.send(sessionId, addText(draft, session, `Unknown order: ${problem}`));
    return;
  }
  if (order !== null) {
    const question = { orders: [order], unsent: [], leftOut: 0, ordStatusReqID, massStatusReqID: null };
    ask(turn, session, { ...question, sender: senderOf(view) });
  } else if (unsent !== null) {
    turn.send(sessionId, statusReport(turn, session, unsent, senderOf(view), { ordStatusReqID }));
  }
}

function orderAsked(turn: Turn, session: SessionState, clOrdID: string, orderID: string | null): Order | null {
  const own = turn.state.registry.findByClOrdID(session.config.sessionId, clOrdID);
  if (own !== null || orderID === null) return own;
  return findInReach(turn.state, session, orderID);
}

/** Undisclosed: for a side that is not known, as here in the status of an unknown order. */
const NO_SIDE = '7';

/** Statements of an H that do not fit the named order, in words, or null. */
function contradiction(session: SessionState, order: Order, view: MessageView): string | null {
  const orderID = view.string(Tag.OrderID);
  if (orderID !== null && orderID !== 'NONE' && !hasOrderID(order, orderID)) {
    return `OrderID(37)=${orderID} is not that of ${nameFor(session, order)}, which is ${orderIdOf(order) ?? 'NONE'}`;
  }
  const side = view.string(Tag.Side);
  const said = {
    account: view.string(Tag.Account),
    symbol: symbolNamed(view),
    side: side === NO_SIDE ? null : side,
  };
  const refusal = disagreement(session, order, said);
  return refusal === null ? null : `${refusal.text} (${nameFor(session, order)})`;
}

/** Fields of a status for an unknown order; null if the request lacks them. */
interface UnknownOrder {
  readonly sender: Sender;
  readonly symbol: string | null;
  readonly side: string | null;
  readonly orderID: string;
  readonly clOrdID: string | null;
}

const askedOf = (view: MessageView): Pick<UnknownOrder, 'sender' | 'symbol' | 'side'> => ({
  sender: senderOf(view),
  symbol: view.string(Tag.Symbol),
  side: view.string(Tag.Side),
});

/** 39=8 with 103=5: a status of nothing. */
function unknownOrderStatus(
  session: SessionState,
  { sender, symbol, side, orderID, clOrdID }: UnknownOrder,
): MessageDraft {
  const draft = addressTo(new MessageDraft(MsgType.ExecutionReport), sender);
  draft.add(Tag.OrderID, orderID).addIf(Tag.ClOrdID, clOrdID).add(Tag.ExecID, '0');
  if (session.version.hasExecTransType) draft.add(EXEC_TRANS_TYPE, '3');
  return draft
    .add(Tag.ExecType, session.version.hasTradeExecType ? 'I' : '8')
    .add(Tag.OrdStatus, '8')
    .add(Tag.OrdRejReason, '5')
    .add(Tag.Symbol, symbol ?? '[N/A]')
    .add(Tag.Side, side ?? NO_SIDE)
    .add(Tag.LeavesQty, '0')
    .add(Tag.CumQty, '0')
    .add(Tag.AvgPx, '0');
}

/**
 * Handle an AF: 585=1 by symbol, 585=7 all, limited to the account, symbol and side that it names. One report per open
 * order that the session reaches (rule O7), including those that wait here for their turn (rule S7).
 */
export function handleMassStatusRequest(turn: Turn, session: SessionState, view: MessageView): string | null {
  const massStatusReqID = view.string(Tag.MassStatusReqID) ?? '';
  const type = view.string(Tag.MassStatusReqType);
  const noID = requestIDProblem('MassStatusReqID(584)', massStatusReqID);
  if (noID !== null) return noID;
  if (type !== '1' && type !== '7') {
    return `MassStatusReqType(585)=${type ?? ''} is not carried here: use 1 (one symbol) or 7 (all orders)`;
  }
  const restriction = restrictionProblem(view);
  if (restriction !== null) return restriction;
  const selection = readSelection(view);
  if (type === '1' && selection.symbol === null) return 'MassStatusReqType(585)=1 requires Symbol(55)';
  const isNone = namesTwoMarkets(session, view);
  const orders = isNone ? [] : [...selectedOrders(turn, session, selection)];
  const leftOut = orders.splice(MASS_STATUS_MAX).length;
  const unsent = (isNone ? [] : unsentOrders(turn, session, selection)).slice(0, MASS_STATUS_MAX - orders.length);
  const isLong = orders.length + unsent.length > PIECE_ORDERS;
  if (isLong && turn.state.massStatuses.has(session.config.sessionId)) {
    return 'An OrderMassStatusRequest(AF) is being answered: ask again behind its LastRptRequested(912)=Y';
  }
  if (orders.length + unsent.length === 0) {
    const draft = unknownOrderStatus(session, { ...askedOf(view), orderID: 'NONE', clOrdID: null });
    draft.add(Tag.MassStatusReqID, massStatusReqID).add(Tag.TotNumReports, '0').add(Tag.LastRptRequested, 'Y');
    // A request by a wrong name must not read as "no open orders" (rule O8).
    const unknown = symbolProblem(turn, session, selection, view) ?? accountProblem(turn, session, selection);
    turn.send(session.config.sessionId, addText(draft, session, unknown ?? 'No open order matches'));
    return null;
  }
  ask(turn, session, { orders, unsent, leftOut, ordStatusReqID: null, massStatusReqID, sender: senderOf(view) });
  return null;
}

/** Orders of the selection that wait here for their turn, as they would be entered. */
function unsentOrders(turn: Turn, session: SessionState, selection: OrderSelection): Order[] {
  const orders: Order[] = [];
  for (const { view } of heldOrders(turn.state, session)) {
    if (selectsHeld(session, selection, view)) orders.push(unsentOrder(turn, session, view));
  }
  return orders;
}

/** Answer from the book, or have the exchange asked about the open orders first. */
function ask(turn: Turn, session: SessionState, question: StatusQuestion): void {
  const { statusQueries } = turn.state;
  const { sessionId, statusFromExchange = false } = session.config;
  const open = question.orders.filter((order) => !isTerminal(order.state));
  const asks = statusFromExchange && open.length <= VERIFIED_MAX && statusQueries.size < QUERIES_MAX;
  const waiting = new Set(asks ? open : []);
  const unverified = new Map(statusFromExchange && !asks ? open.map((order) => [order, NOT_ASKED]) : []);
  const query: StatusQuery = { ...question, sessionId, waiting, unverified };
  if (waiting.size === 0) {
    answer(turn, session, query);
    return;
  }
  statusQueries.add(query);
  for (const order of waiting) {
    const run = runOf(order);
    run.mustAsk = true;
    if (run.lookupId === null) run.lookupAt = turn.steady;
    turn.rearm(order);
  }
}

/**
 * The exchange's data on an order arrived, or it could not be queried (`wasAsked` false): waiting requests are
 * answered.
 */
export function answerQueries(turn: Turn, order: Order, wasAsked: boolean): void {
  // An order possibly unknown to it is pending, and is answered so.
  const isLost = order.run.notFoundAt !== null && order.exchangeOrderId !== null && !isTerminal(order.state);
  const doubt = !wasAsked ? NOT_ASKED : isLost ? NOT_FOUND : null;
  for (const query of turn.state.statusQueries) {
    if (!query.waiting.delete(order)) continue;
    if (doubt !== null) query.unverified.set(order, doubt);
    if (query.waiting.size > 0) continue;
    turn.state.statusQueries.delete(query);
    const { sessionId } = query;
    const session = turn.state.sessions.get(sessionId);
    if (session === undefined) continue;
    // Their turn may have come meanwhile.
    const unsent = query.unsent.map((one) =>
      typeof one === 'string' ? one : (orderNamed(turn, sessionId, one.clOrdID) ?? one.clOrdID),
    );
    answer(turn, session, { ...query, unsent });
  }
}

/** Fields that the reports of one answer share. */
interface StatusAnswer {
  readonly ordStatusReqID: string | null;
  readonly massStatusReqID: string | null;
  readonly sender: Sender;
  /** Reports that the whole answer has, and whether these are its last ones. */
  readonly total: number;
  readonly isEnd: boolean;
  readonly leftOut: number;
}

/** Send the statuses, those that are too much for one turn in later ones: as the orders are then. */
function answer(turn: Turn, session: SessionState, query: StatusQuery): void {
  const { sessionId, unverified, leftOut, ordStatusReqID, massStatusReqID, sender } = query;
  const all = [...query.orders, ...query.unsent];
  const [first = [], ...others] = piecesOf(all);
  const of = { sender, total: all.length, leftOut };
  tell(turn, session, first, { ...of, massStatusReqID, ordStatusReqID, isEnd: others.length === 0 }, (order) =>
    unverified.get(order),
  );
  if (massStatusReqID === null) return;
  for (const [i, piece] of others.entries()) {
    const key = `statuses|${sessionId}|${answerID(turn)}`;
    const orders = piece.map((one) =>
      typeof one === 'string' ? ([sessionId, one] as const) : ([one.sessionId, one.clOrdID] as const),
    );
    const isUnverified = piece.some((one) => typeof one !== 'string' && unverified.has(one));
    const isEnd = i === others.length - 1;
    const record: StatusesRecord = {
      kind: 'statuses',
      key,
      sessionId,
      massStatusReqID,
      ...of,
      isEnd,
      isUnverified,
      orders,
    };
    turn.record(sessionId, key, encodeRecord(record));
    sendStatusesLater(turn, record);
  }
}

/** `orders`: of one that was counted, and that there is none of any more, its ClOrdID(11). */
function tell(
  turn: Turn,
  session: SessionState,
  orders: readonly (Order | string)[],
  { sender, total, isEnd, leftOut, ordStatusReqID, massStatusReqID }: StatusAnswer,
  doubtOf: (order: Order) => string | undefined,
): void {
  orders.forEach((order, i) => {
    const last = isEnd && i === orders.length - 1;
    if (typeof order === 'string') {
      const gone = { sender, symbol: null, side: null, orderID: 'NONE', clOrdID: order };
      const draft = unknownOrderStatus(session, gone)
        .addIf(Tag.MassStatusReqID, massStatusReqID)
        .add(Tag.TotNumReports, `${total}`)
        .add(Tag.LastRptRequested, last ? 'Y' : 'N')
        .add(Tag.Text, 'It waited for its turn, and was refused meanwhile');
      turn.send(session.config.sessionId, draft);
      return;
    }
    const text =
      last && leftOut > 0
        ? `${leftOut} more orders are not reported: ask by Symbol(55), Account(1) or Side(54)`
        : (doubtOf(order) ?? order.lastText);
    const asked = massStatusReqID === null ? { ordStatusReqID } : { massStatus: { massStatusReqID, total, last } };
    turn.send(session.config.sessionId, statusReport(turn, session, order, sender, { ...asked, text }));
  });
}

/** Send recorded statuses in a turn of their own; after a start, those that the last process left. */
export function sendStatusesLater(turn: Turn, record: StatusesRecord): void {
  turn.state.massStatuses.add(record.sessionId);
  turn.state.pieces.add(record.sessionId, turn.steady, (next) => tellRecorded(next, record));
}

function tellRecorded(turn: Turn, record: StatusesRecord): void {
  const { sessionId, key, isEnd, isUnverified } = record;
  turn.record(sessionId, key, encodeRecord({ ...record, orders: [] }), []);
  if (isEnd) turn.state.massStatuses.delete(sessionId);
  const session = turn.state.sessions.get(sessionId);
  if (session === undefined) return;
  const orders = record.orders.map(([owner, clOrdID]) => orderNamed(turn, owner, clOrdID) ?? clOrdID);
  tell(turn, session, orders, { ...record, ordStatusReqID: null }, () => (isUnverified ? NOT_ASKED : undefined));
}

/** An order by its session and ClOrdID(11), one that waits here for its turn included. */
function orderNamed(turn: Turn, sessionId: string, clOrdID: string): Order | null {
  const order = turn.state.registry.findByClOrdID(sessionId, clOrdID);
  const session = turn.state.sessions.get(sessionId);
  if (order !== null || session === undefined) return order;
  const held = findHeldOrder(turn.state, session, clOrdID);
  return held === null ? null : unsentOrder(turn, session, held.view);
}
