// NewOrderList(E): its orders one by one, in the order of their ListSeqNo(67), each like a NewOrderSingle(D) of its own; then
// ListStatus(N), again when all have ended. Leaves the orders to new-order.ts; nothing holds them together but ListID(66).

import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import { isTerminal, leavesQty, type Order } from '../book/order.ts';
import { encodeRecord } from '../book/order-record.ts';
import type { ListRecord } from '../book/record-kinds.ts';
import { avgPx, ordRejReasonFor, ordRejReasonShown, ordStatusShown } from '../reports/execution-report.ts';
import { addText, printable } from '../reports/text.ts';
import { addTransactTime } from '../reports/transact-time.ts';
import { isUsed, requestIDProblem } from '../rules/request-ids.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { firstOf } from '../vocabulary/one-or-many.ts';
import { addressTo, NOBODY, type Sender, senderOf } from '../vocabulary/sender.ts';
import { type InboundMessage, isRepetition } from './inbound-message.ts';
import { type ListEntry, ORDERS_MAX, readEntries } from './list-entries.ts';
import { handleNewOrder, weigh } from './new-order.ts';
import { waitForPrice } from './price-wait.ts';
import { findHeldOrder } from './queued-orders.ts';

/** ListStatusType(429) and ListOrderStatus(431), as far as they are used here. */
const LIST_STATUS = {
  ack: ['1', '3'],
  reject: ['2', '7'],
  allDone: ['5', '6'],
} as const;

const NO_REASON = { ordRejReason: '99', venueReason: '99' } as const;

/** One order of the list as it goes into ListStatus(N). */
interface ListedOrder {
  readonly clOrdID: string;
  readonly order: Order | null;
  /** Its ClOrdID(11) is another order's: none was made for this one. */
  readonly isDuplicate?: boolean;
}

/** Handle an E. */
export function handleNewOrderList(inbound: InboundMessage): void {
  const { turn, session, view, waited } = inbound;
  const listID = view.string(Tag.ListID) ?? '';
  const { sessionId } = session.config;
  const entries = readEntries(session, view);
  const problem = listProblem(inbound, listID, entries);
  if (problem !== null) {
    const orders = entries.map(({ clOrdID }) => ({ clOrdID, order: null }));
    sendListStatus(turn, session, { listID, what: 'reject', orders, text: problem, sender: senderOf(view) });
    return;
  }
  const key = listKey(sessionId, listID);
  const { registry } = turn.state;
  const before = registry.list(key);
  const own = new Set(before === null ? newOnes(inbound, listID, entries) : ownAgain(before, entries));
  if (before === null && waitsForPrice(inbound, own)) return;
  if (before === null) {
    const clOrdIDs = entries.map(({ clOrdID }) => clOrdID);
    const refused = entries.flatMap((entry, i) => (own.has(entry) ? [] : [i]));
    const ofSome = refused.length === 0 ? {} : { refused };
    const record: ListRecord = { kind: 'list', key, sessionId, listID, clOrdIDs, ...ofSome, done: own.size === 0 };
    registry.keepList(record);
    turn.record(sessionId, key, encodeRecord(record), record.done ? [key] : undefined);
  }
  for (const entry of entries) {
    const isWithdrawn = waited && wasWithdrawn(turn, sessionId, listID, entry.clOrdID);
    if (!isWithdrawn) handleNewOrder({ ...inbound, view: entry.view }, true);
  }
  const orders = entries.map((entry) => listed(turn, sessionId, entry.clOrdID, own.has(entry)));
  const text = own.size === 0 ? 'Every ClOrdID(11) of the list was used before; no order is made' : null;
  const what = own.size === 0 ? 'reject' : 'ack';
  sendListStatus(turn, session, { listID, what, orders, text, sender: senderOf(view) });
  endListOf(turn, session, listID);
}

/** Whether the list waits for the first price of a market of its orders (rule O12). */
function waitsForPrice(inbound: InboundMessage, orders: ReadonlySet<ListEntry>): boolean {
  for (const { view, clOrdID } of orders) {
    const weighed = weigh({ ...inbound, view }, clOrdID);
    if (!('lacksPriceOf' in weighed)) continue;
    return waitForPrice(inbound, weighed) === null;
  }
  return false;
}

/** Those that make an order, or did: their ClOrdID(11) is new, and neither an earlier one of the list has it nor one that waits. */
function newOnes(
  { turn, session, waited }: InboundMessage,
  listID: string,
  entries: readonly ListEntry[],
): ListEntry[] {
  const { state } = turn;
  const { sessionId } = session.config;
  const seen = new Set<string>();
  return entries.filter(({ clOrdID }) => {
    const isFree = !isUsed(state, sessionId, clOrdID) && (waited || findHeldOrder(state, session, clOrdID) === null);
    const isNew = !seen.has(clOrdID) && (isFree || wasWithdrawn(turn, sessionId, listID, clOrdID));
    seen.add(clOrdID);
    return isNew;
  });
}

/** Entries of a repeated list with a ClOrdID(11) that was free the first time. */
function ownAgain({ refused = [] }: ListRecord, entries: readonly ListEntry[]): ListEntry[] {
  return entries.filter((_, i) => !refused.includes(i));
}

/** Cancelled while the list waited for its turn (rule S7): it was reported, and never goes out. */
function wasWithdrawn({ state }: Turn, sessionId: string, listID: string, clOrdID: string): boolean {
  const order = state.registry.findByClOrdID(sessionId, clOrdID);
  if (order === null || order.state !== '4' || firstOf(order.references) !== undefined) return false;
  return listOf(order) === listID;
}

/** ListID(66) of the list that an order came in; undefined for none. */
export function listOf({ echo }: Order): string | undefined {
  return echo.fields.find(([tag]) => tag === Tag.ListID)?.[1];
}

export function listKey(sessionId: string, listID: string): string {
  return `list|${sessionId}|${listID}`;
}

/** An order ended: if it was the last of its list, say so. */
export function endListOf(turn: Turn, session: SessionState, listID: string): void {
  const { sessionId } = session.config;
  const { registry } = turn.state;
  const key = listKey(sessionId, listID);
  const record = registry.list(key);
  if (record === null || record.done) return;
  const { clOrdIDs, refused = [] } = record;
  const orders = clOrdIDs.map((clOrdID, i) => listed(turn, sessionId, clOrdID, !refused.includes(i)));
  // A ClOrdID(11) without an order was refused.
  if (!orders.every(({ order }) => order === null || isTerminal(order.state))) return;
  const done: ListRecord = { ...record, done: true };
  registry.keepList(done);
  turn.record(sessionId, key, encodeRecord(done), [key]);
  const writer = orders.find(({ order }) => order !== null)?.order?.echo ?? NOBODY;
  sendListStatus(turn, session, { listID, what: 'allDone', orders, text: null, sender: writer });
}

/** A fill came after the order's end (rule O1): the reported end of its list is no longer true. */
export function reopenListOf(turn: Turn, order: Order): void {
  const listID = listOf(order);
  if (listID === undefined) return;
  const key = listKey(order.sessionId, listID);
  const record = turn.state.registry.list(key);
  if (record?.done !== true) return;
  const open: ListRecord = { ...record, done: false };
  turn.state.registry.keepList(open);
  turn.record(order.sessionId, key, encodeRecord(open));
}

function listed({ state }: Turn, sessionId: string, clOrdID: string, isOwn: boolean): ListedOrder {
  if (!isOwn) return { clOrdID, order: null, isDuplicate: true };
  return { clOrdID, order: state.registry.findByClOrdID(sessionId, clOrdID) };
}

/** Why the list as a whole cannot be taken, or null. */
function listProblem(inbound: InboundMessage, listID: string, entries: readonly ListEntry[]): string | null {
  const { turn, session, view } = inbound;
  const noID = requestIDProblem('ListID(66)', listID);
  if (noID !== null) return noID;
  const count = entries.length;
  const total = view.int(Tag.TotNoOrders);
  if (count === 0 || count > ORDERS_MAX) return `A list has 1 to ${ORDERS_MAX} orders, this one has ${count}`;
  if (total !== count) {
    return `TotNoOrders(68)=${view.string(Tag.TotNoOrders) ?? ''} but ${count} orders follow: lists in fragments are not carried here`;
  }
  const twice = entries.find(({ listSeqNo }, i) => i > 0 && entries[i - 1]!.listSeqNo === listSeqNo);
  if (twice !== undefined) return `ListSeqNo(67)=${twice.listSeqNo} stands twice: it says in which order they go out`;
  const execution = view.string(Tag.ListExecInstType);
  if (execution !== null && execution !== '1') {
    return `ListExecInstType(433)=${execution} is not supported: orders go out at once, use 1 or leave it out`;
  }
  const contingency = view.string(Tag.ContingencyType);
  if (contingency !== null) {
    return `ContingencyType(1385)=${contingency} is not supported: the orders of a list are independent here`;
  }
  const before = turn.state.registry.list(listKey(session.config.sessionId, listID));
  if (before === null) return null;
  if (!isRepetition(inbound)) return `ListID(66)=${listID} was used before on this session; no order is made`;
  const isSame = count === before.clOrdIDs.length && entries.every(({ clOrdID }, i) => clOrdID === before.clOrdIDs[i]);
  return isSame ? null : `ListID(66)=${listID} was used before on this session for other orders; no order is made`;
}

/** Reports about a list, and their receiver. */
interface ListStatus {
  readonly listID: string;
  readonly what: keyof typeof LIST_STATUS;
  readonly orders: readonly ListedOrder[];
  readonly text: string | null;
  readonly sender: Sender;
}

function sendListStatus(turn: Turn, session: SessionState, status: ListStatus): void {
  const { listID, what, orders, text, sender } = status;
  const draft = addressTo(new MessageDraft(MsgType.ListStatus), sender);
  const [listStatusType, listOrderStatus] = LIST_STATUS[what];
  draft
    .add(Tag.ListID, listID)
    .add(Tag.ListStatusType, listStatusType)
    .add(Tag.NoRpts, '1')
    .add(Tag.ListOrderStatus, listOrderStatus)
    .add(Tag.RptSeq, '1')
    .addIf(Tag.ListStatusText, text === null ? null : printable(text, session.config.charset));
  addTransactTime(draft, session, turn.now)
    .add(Tag.TotNoOrders, `${orders.length}`)
    .add(Tag.NoOrders, `${orders.length}`);
  for (const one of orders) addOrder(turn, session, draft, one);
  turn.send(session.config.sessionId, draft);
}

function addOrder(turn: Turn, session: SessionState, draft: MessageDraft, listedOrder: ListedOrder): void {
  const { clOrdID, order, isDuplicate = false } = listedOrder;
  draft.add(Tag.ClOrdID, clOrdID);
  if (order === null) {
    draft.add(Tag.CumQty, '0').add(Tag.OrdStatus, '8').add(Tag.LeavesQty, '0').add(Tag.CxlQty, '0');
    draft.add(Tag.AvgPx, '0').add(Tag.OrdRejReason, isDuplicate ? '6' : ordRejReasonFor(session, NO_REASON));
    return;
  }
  const leaves = leavesQty(order);
  const cancelled = isTerminal(order.state) && order.state !== '8';
  const gone = cancelled ? order.terms.orderQty.subtract(order.cumQty) : leaves.subtract(leaves);
  draft
    .add(Tag.CumQty, order.cumQty.trimmed().toString())
    .add(Tag.OrdStatus, ordStatusShown(session, order))
    .add(Tag.LeavesQty, leaves.trimmed().toString())
    .add(Tag.CxlQty, gone.isNegative() ? '0' : gone.trimmed().toString())
    .add(Tag.AvgPx, avgPx(turn.state.board, order).toString())
    .addIf(Tag.OrdRejReason, ordRejReasonShown(session, order));
  addText(draft, session, order.lastText);
}
