// Recovery of reports on an order session by the last ExecID(17) or by time (rule S9). The fills of the session's orders
// come again as ExecutionReports(8) with PossResend(97)=Y and their own ExecIDs. The status of each order that is open or
// has changed follows, then News(B). Nothing here depends on sequence numbers or on their resets.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { type ExchangeTrade, oldestFirst, type TradeQuestion } from '../../exchange/mod.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { isTerminal, type Order } from '../book/order.ts';
import { ACCOUNT_DATA, accountDataOf } from '../positions/account-request.ts';
import { execID, executionReport } from '../reports/execution-report.ts';
import { inParts } from '../reports/in-parts.ts';
import { addText } from '../reports/text.ts';
import { rejectBusiness } from '../reports/unsupported-message.ts';
import { statusReport } from '../requests/status-request.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { addressTo, askerOf, NOBODY, type Sender } from '../vocabulary/sender.ts';

const DAY_MS = 86_400_000;
/** How far back the exchange's history goes (exchange reference §1.3). */
const HISTORY_MS = 90 * DAY_MS;

/** Where the missed reports begin. */
interface Point {
  readonly since: EpochMs;
  /** The last trade that the counterparty has, or null if it named none. */
  readonly after: { readonly orderId: string; readonly tradeId: string } | null;
}

interface Recovery {
  readonly point: Point;
  readonly until: EpochMs;
  readonly asker: Sender;
  readonly trades: ExchangeTrade[];
  account: number;
  cursor: string | null;
}

/** Take a DropCopyRequest(UDC) on an order session. */
export function handleReportRecovery(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId } = session.config;
  const { questions, recovering } = turn.state;
  const point = pointIn(turn, session, view);
  const problem =
    accountDataOf(session) === null
      ? 'Recovery of reports is not agreed for this session (setting accountData)'
      : recovering.has(sessionId) || questions.isFull(sessionId)
        ? 'Reports are being recovered already, or too many requests are open; wait for their end'
        : typeof point === 'string'
          ? point
          : null;
  if (problem !== null || typeof point === 'string') {
    rejectBusiness(turn, session, view, '0', problem ?? '');
    return;
  }
  recovering.add(sessionId);
  askNext(turn, session, { point, until: turn.now, asker: askerOf(view), trades: [], account: 0, cursor: null });
}

/** The point in the request, or why there is none, in words. */
function pointIn(turn: Turn, session: SessionState, view: MessageView): Point | string {
  const time = view.utcTimestamp(Tag.TransactTime);
  const named = view.string(Tag.ExecID);
  if (named === null) {
    const since = time ?? turn.now - DAY_MS;
    if (since <= turn.now && turn.now - since <= HISTORY_MS) return { since, after: null };
    return 'TransactTime(60) is in the future, or more than 90 days ago';
  }
  const [orderId = ''] = named.split('-');
  const order = turn.state.registry.findByExchangeOrderId(orderId);
  if (order === null || order.sessionId !== session.config.sessionId) {
    return `ExecID(17)=${named} is of no order of this session; name a time in TransactTime(60)`;
  }
  const tradeId = /-([^-]+)-F$/.exec(named)?.[1];
  const since = Math.max(order.receivedAt, turn.now - HISTORY_MS);
  return { since, after: tradeId === undefined ? null : { orderId, tradeId } };
}

function askNext(turn: Turn, session: SessionState, recovery: Recovery): void {
  const { sessionId, accounts } = session.config;
  const { tradingAccountId, credential } = accounts[recovery.account]!;
  const { cursor, until, point } = recovery;
  const filter = { symbol: null, orderId: null, tradeId: null };
  const question: TradeQuestion = { kind: 'trades', tradingAccountId, since: point.since, until, ...filter, cursor };
  turn.ask(sessionId, credential, question, (next, answer) => {
    const present = next.state.sessions.get(sessionId);
    if (present === undefined) return;
    if (answer.kind !== 'trades') {
      const why = answer.kind === 'failed' ? answer.message : 'the answer is no list of trades';
      end(next, present, recovery.asker, `Reports were not recovered, the exchange could not be asked: ${why}`);
      return;
    }
    recovery.trades.push(...answer.trades);
    recovery.cursor = answer.next;
    if (answer.next === null) recovery.account++;
    const { tradesMax } = accountDataOf(present) ?? ACCOUNT_DATA;
    const isCut = recovery.trades.length > tradesMax;
    if (isCut || recovery.account >= present.config.accounts.length) repeat(next, present, recovery, isCut);
    else askNext(next, present, recovery);
  });
}

/** A fill to be reported again, with the quantity and amount of its order up to it. */
interface Fill {
  readonly fill: ExchangeTrade;
  readonly order: Order;
  readonly cumQty: Decimal;
  readonly grossAmt: Decimal;
}

/** One message of the answer: a fill, the status of an order, or the last word. */
type Item = Fill | { readonly order: Order } | { readonly words: string };

function repeat(turn: Turn, session: SessionState, { point, trades, asker }: Recovery, isCut: boolean): void {
  const { sessionId } = session.config;
  const fills = fillsOf(turn, session, point, trades);
  const statuses = changedSince(turn, session, point.since);
  const cut = isCut ? '; older ones are missing, ask for them by TradeCaptureReportRequest(AD)' : '';
  const words = `${fills.length} fills were sent again with PossResend(97)=Y, and the status of ${statuses.length} orders${cut}`;
  const items: Item[] = [...fills, ...statuses.map((order) => ({ order })), { words }];
  inParts(turn, sessionId, items, (next, item) => {
    const present = next.state.sessions.get(sessionId);
    if (present === undefined) return;
    if ('words' in item) end(next, present, asker, item.words);
    else if ('fill' in item) next.send(sessionId, fillAgain(next, present, item));
    else next.send(sessionId, statusReport(next, present, item.order, asker));
  });
}

/** Fills of the session's orders behind the point, oldest first. */
function fillsOf(turn: Turn, session: SessionState, { after }: Point, trades: readonly ExchangeTrade[]): Fill[] {
  const { registry } = turn.state;
  const own = oldestFirst([...trades]).flatMap((fill) => {
    const order = fill.otcTradeId === null ? registry.findByExchangeOrderId(fill.orderId) : null;
    return order?.sessionId === session.config.sessionId ? [{ fill, order }] : [];
  });
  const last = own.findIndex(({ fill }) => fill.orderId === after?.orderId && fill.tradeId === after.tradeId);
  // From the present sums back: each fill's own are those without the fills that followed.
  const sums = new Map<Order, { readonly cumQty: Decimal; readonly grossAmt: Decimal }>();
  const fills: Fill[] = [];
  for (const { fill, order } of own.slice(last + 1).reverse()) {
    const { cumQty, grossAmt } = sums.get(order) ?? order;
    fills.push({ fill, order, cumQty, grossAmt });
    const [px, qty] = [Decimal.parse(fill.price), Decimal.parse(fill.quantity)];
    if (px === null || qty === null) continue;
    sums.set(order, { cumQty: cumQty.subtract(qty), grossAmt: grossAmt.subtract(px.multiply(qty)) });
  }
  return fills.reverse();
}

/** The fill's report as it was, under the ClOrdID(11) accepted last. */
function fillAgain({ state: { board } }: Turn, session: SessionState, again: Fill): MessageDraft {
  const { fill, order, cumQty, grossAmt } = again;
  const isFilled = cumQty.compare(order.terms.orderQty) >= 0;
  const then: Order = { ...order, cumQty, grossAmt, state: isFilled ? '2' : '1', requests: [] };
  return executionReport(session, board, then, {
    type: 'F',
    execID: execID(order, `${fill.tradeId}-F`),
    transactTime: fill.createdAt,
    trade: fill,
    isRepeated: true,
    ordStatus: then.state,
  });
}

/** Orders in memory that are open, or of which the exchange has spoken since. */
function changedSince({ state: { registry } }: Turn, { config }: SessionState, since: EpochMs): Order[] {
  return [...registry.all()].filter(
    (order) =>
      order.sessionId === config.sessionId &&
      (!isTerminal(order.state) || order.publishedAt >= since || order.receivedAt >= since),
  );
}

/** The end of the answer, or its failure. */
function end(turn: Turn, session: SessionState, asker: Sender, words: string): void {
  const { sessionId } = session.config;
  turn.state.recovering.delete(sessionId);
  const draft = addressTo(new MessageDraft(MsgType.News), { ...NOBODY, senderSubID: asker.senderSubID })
    .add(Tag.Headline, 'Reports repeated')
    .add(Tag.NoLinesOfText, '1');
  turn.send(sessionId, addText(draft, session, words));
}
