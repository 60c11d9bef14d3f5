// TradeCaptureReportRequest(AD) → TradeCaptureReportRequestAck(AQ) and a TradeCaptureReport(AE) per trade, page by page
// from the exchange's history, once or with every later trade. trade-report.ts writes one trade.

import { parseUtcTimestamp } from '../../base/time.ts';
import type { DataAnswer, ExchangeTrade, TradeQuestion } from '../../exchange/mod.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { ACCOUNT_DATA, accountDataOf } from '../positions/account-request.ts';
import { addText } from '../reports/text.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import { OPEN_QUESTIONS_MAX } from '../state/questions.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { AccountEntitlement } from '../vocabulary/config.ts';
import { addressTo, askerOf, type Sender } from '../vocabulary/sender.ts';
import { addTrade, ofFill, ofLeg, type ReportedTrade } from './trade-report.ts';

/** TradeRequestResult(749). */
const Result = { Successful: '0', InvalidParties: '3', NotSupported: '8', NotAuthorized: '9', Other: '99' } as const;
/** TradeRequestStatus(750). */
const Status = { Accepted: '0', Completed: '1', Rejected: '2' } as const;

/** PartyRole(452) of the account, in a request that names one: customer account. */
const ACCOUNT_ROLE = '24';
/** How far back the exchange's history goes (exchange reference §1.3). */
const HISTORY_MS = 90 * 86_400_000;

/** Trades that a request asks for. */
type Wanted = Omit<TradeQuestion, 'tradingAccountId' | 'cursor'> & {
  readonly accounts: readonly AccountEntitlement[];
  readonly side: 'BUY' | 'SELL' | null;
};

/** A request being answered. */
interface Capture {
  readonly reqID: string;
  readonly type: string;
  readonly asker: Sender;
  readonly wanted: Wanted;
  /** Index of the account that is asked about, and the page of it. */
  account: number;
  cursor: string | null;
  /** Reports so far; the last one waits for the word whether it is the last. */
  count: number;
  held: ReportedTrade | null;
  isAcknowledged: boolean;
}

/** Why a request is refused: TradeRequestResult(749) and words. */
interface Objection {
  readonly result: string;
  readonly text: string;
}

/** Take a TradeCaptureReportRequest(AD). */
export function handleTradeCaptureReportRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const { sessionId } = session.config;
  const reqID = view.string(Tag.TradeRequestID) ?? '';
  if (view.string(Tag.SubscriptionRequestType) === '2') {
    turn.state.tradeSubscriptions.remove(sessionId, reqID);
    return;
  }
  const asked = { reqID, type: view.string(Tag.TradeRequestType) ?? '0', asker: askerOf(view) };
  const wanted = wantedIn(turn, session, view);
  const objection = 'text' in wanted ? wanted : subscribe(turn, session, view, { ...asked, wanted });
  if (objection !== null || 'text' in wanted) {
    const { result, text } = objection ?? (wanted as Objection);
    const draft = acknowledgement(asked, { result, status: Status.Rejected, total: null });
    turn.send(sessionId, addText(draft, session, text));
    return;
  }
  const capture = { ...asked, wanted, account: 0, cursor: null, count: 0, held: null, isAcknowledged: false };
  askNext(turn, session, capture);
}

/** The trades that the request asks for, or why it is refused (rule O7). */
function wantedIn(turn: Turn, session: SessionState, view: MessageView): Wanted | Objection {
  const type = view.string(Tag.TradeRequestType);
  if (accountDataOf(session) === null) {
    const text = 'Data of accounts is not agreed for this session (setting accountData)';
    return { result: Result.NotAuthorized, text };
  }
  if (type !== '0' && type !== '1') {
    return { result: Result.NotSupported, text: `TradeRequestType(569)=${type} is not supported; use 0 or 1` };
  }
  if (turn.state.questions.isFull(session.config.sessionId)) {
    return { result: Result.Other, text: `${OPEN_QUESTIONS_MAX} requests are open already; wait for an answer` };
  }
  const accounts = accountsIn(session, view);
  if ('text' in accounts) return accounts;
  const range = rangeIn(turn, view);
  if ('text' in range) return range;
  const symbol = view.string(Tag.Symbol);
  const orderId = orderIn(turn, session, view);
  if (typeof orderId === 'object' && orderId !== null) return orderId;
  const side = view.string(Tag.Side);
  return {
    kind: view.string(Tag.TrdType) === '1' ? 'otcTrades' : 'trades',
    accounts,
    ...range,
    symbol: symbol === null || symbol === '[N/A]' ? null : exchangeSymbolOf(session, symbol),
    orderId,
    tradeId: view.string(Tag.TradeID) ?? view.string(Tag.TrdMatchID),
    side: side === null ? null : side === '1' ? 'BUY' : 'SELL',
  };
}

/** The accounts of the request: those that it names as parties, else all of the session. */
function accountsIn({ config, accounts }: SessionState, view: MessageView): readonly AccountEntitlement[] | Objection {
  const parties = view.groupEntries(Tag.NoPartyIDs) ?? [];
  const named = parties
    .filter((entry) => entry.string(Tag.PartyRole) === ACCOUNT_ROLE)
    .map((entry) => entry.string(Tag.PartyID) ?? '');
  const found = named.map((name) => accounts.get(name));
  const unknown = named.find((_, i) => found[i] === undefined);
  if (unknown !== undefined)
    return { result: Result.NotAuthorized, text: `Account ${unknown} in PartyID(448) is unknown` };
  return named.length === 0 ? config.accounts : found.filter((account) => account !== undefined);
}

/** The order of 37 or 11, by the exchange's id; null for any. */
function orderIn(turn: Turn, session: SessionState, view: MessageView): string | Objection | null {
  const orderID = view.string(Tag.OrderID);
  if (orderID !== null && orderID !== 'NONE') {
    return turn.state.registry.findByExchangeOrderId(orderID)?.exchangeOrderId ?? orderID;
  }
  const clOrdID = view.string(Tag.ClOrdID);
  if (clOrdID === null) return null;
  const order = turn.state.registry.findByClOrdID(session.config.sessionId, clOrdID);
  if (order?.exchangeOrderId != null) return order.exchangeOrderId;
  return { result: Result.Other, text: `ClOrdID(11)=${clOrdID} is no order of this session that the exchange knows` };
}

/** NoDates(580) with the begin of the range, and its end or now; without it the last day. */
function rangeIn(turn: Turn, view: MessageView): Pick<TradeQuestion, 'since' | 'until'> | Objection {
  const entries = view.groupEntries(Tag.NoDates) ?? [];
  if (entries.length === 0) return { since: null, until: null };
  const times = entries.map((entry) => {
    const time = entry.utcTimestamp(Tag.TransactTime);
    const date = entry.string(Tag.TradeDate);
    return time !== null || date === null ? time : parseUtcTimestamp(`${date}-00:00:00`);
  });
  const [since = null, until = turn.now] = times;
  if (since === null || until === null || entries.length > 2) {
    return {
      result: Result.Other,
      text: 'NoDates(580) needs TradeDate(75), with or without TransactTime(60): of its begin, and of its end or none',
    };
  }
  // A date as the end means all of that day.
  const isDate = entries.length === 2 && entries[1]!.string(Tag.TransactTime) === null;
  const end = Math.min(isDate ? until + 86_399_999 : until, turn.now);
  if (since > end || end - since > HISTORY_MS) {
    return { result: Result.Other, text: 'The range of NoDates(580) is empty, or longer than 90 days' };
  }
  return { since, until: end };
}

function subscribe(
  turn: Turn,
  session: SessionState,
  view: MessageView,
  { reqID, asker, wanted }: Pick<Capture, 'reqID' | 'asker' | 'wanted'>,
): Objection | null {
  if (view.string(Tag.SubscriptionRequestType) !== '1') return null;
  const { subscriptionsMax } = accountDataOf(session) ?? ACCOUNT_DATA;
  const tradingAccountIds = new Set(wanted.accounts.map(({ tradingAccountId }) => tradingAccountId));
  const { sessionId } = session.config;
  const isNegotiated = wanted.kind === 'otcTrades';
  const subscription = {
    sessionId,
    reqID,
    tradingAccountIds,
    exchangeSymbol: wanted.symbol,
    isNegotiated,
    asker,
    since: turn.now,
  };
  if (turn.state.tradeSubscriptions.add(subscription.sessionId, subscription.reqID, subscription, subscriptionsMax))
    return null;
  const text = `More than ${subscriptionsMax} subscriptions of trades; take one back with 263=2`;
  return { result: Result.Other, text };
}

function askNext(turn: Turn, session: SessionState, capture: Capture): void {
  const { accounts, side: _, ...question } = capture.wanted;
  const { tradingAccountId, credential } = accounts[capture.account]!;
  const { sessionId } = session.config;
  turn.ask(sessionId, credential, { ...question, tradingAccountId, cursor: capture.cursor }, (next, answer) => {
    const present = next.state.sessions.get(sessionId);
    if (present !== undefined) takePage(next, present, capture, answer);
  });
}

/** One page: report it, and ask for the next one, of this account or the next. */
function takePage(turn: Turn, session: SessionState, capture: Capture, answer: DataAnswer): void {
  if (answer.kind !== 'trades' && answer.kind !== 'otcTrades') {
    turn.state.tradeSubscriptions.remove(session.config.sessionId, capture.reqID);
    const why = answer.kind === 'failed' ? answer.message : 'the answer is no list of trades';
    const draft = acknowledgement(capture, { result: Result.Other, status: Status.Rejected, total: null });
    turn.send(session.config.sessionId, addText(draft, session, `The exchange could not be asked: ${why}`));
    return;
  }
  const trades = (answer.kind === 'trades' ? answer.trades.map(ofFill) : answer.otcTrades.flatMap(legsOf)).filter(
    (trade) => isWanted(session, capture.wanted, trade),
  );
  const { tradesMax } = accountDataOf(session) ?? ACCOUNT_DATA;
  const isBeyond = capture.count + trades.length + (capture.held === null ? 0 : 1) > tradesMax;
  capture.cursor = answer.next;
  if (answer.next === null) capture.account++;
  const isLast = isBeyond || (answer.next === null && capture.account >= capture.wanted.accounts.length);
  reportPage(turn, session, capture, { trades, isLast, isBeyond, tradesMax });
  if (!isLast) askNext(turn, session, capture);
}

const legsOf = (trade: Parameters<typeof ofLeg>[0]): ReportedTrade[] =>
  trade.legs.map((leg, i) => ofLeg(trade, leg, i));

function isWanted({ symbols }: SessionState, wanted: Wanted, trade: ReportedTrade): boolean {
  const { symbol, orderId, tradeId, side } = wanted;
  // Not every exchange filters by every field.
  return (
    (symbols === null || symbols.has(trade.symbol)) &&
    (symbol === null || symbol === trade.symbol) &&
    (orderId === null || orderId === trade.orderId) &&
    (tradeId === null || tradeId === trade.tradeId) &&
    (side === null || side === trade.side)
  );
}

interface Page {
  readonly trades: readonly ReportedTrade[];
  readonly isLast: boolean;
  readonly isBeyond: boolean;
  readonly tradesMax: number;
}

function reportPage(turn: Turn, session: SessionState, capture: Capture, page: Page): void {
  const { isLast, isBeyond, tradesMax } = page;
  const { sessionId } = session.config;
  const trades = [...(capture.held === null ? [] : [capture.held]), ...page.trades].slice(0, tradesMax - capture.count);
  if (!capture.isAcknowledged && (isLast || trades.length > 0)) {
    capture.isAcknowledged = true;
    const none = trades.length === 0;
    const status = none ? Status.Completed : Status.Accepted;
    turn.send(sessionId, acknowledgement(capture, { result: Result.Successful, status, total: none ? 0 : null }));
  }
  capture.held = isLast ? null : (trades.pop() ?? null);
  for (const [i, trade] of trades.entries()) {
    const ends = isLast && i === trades.length - 1;
    capture.count++;
    const draft = report(capture.asker, capture.reqID, trade, false).add(Tag.LastRptRequested, ends ? 'Y' : 'N');
    addTrade(turn, session, trade, draft);
    turn.send(sessionId, draft);
  }
  if (!isBeyond) return;
  // AE has no Text(58) of its own.
  const draft = acknowledgement(capture, { result: Result.Successful, status: Status.Completed, total: capture.count });
  turn.send(sessionId, addText(draft, session, `More than ${tradesMax} trades: ask for a shorter range`));
}

function report(asker: Sender, reqID: string, trade: ReportedTrade, isUnsolicited: boolean): MessageDraft {
  return addressTo(new MessageDraft(MsgType.TradeCaptureReport), asker)
    .add(Tag.TradeReportID, trade.execID)
    .add(Tag.TradeReportTransType, '0')
    .add(Tag.TradeRequestID, reqID)
    .addIf(Tag.UnsolicitedIndicator, isUnsolicited ? 'Y' : null);
}

function acknowledgement(
  { reqID, type, asker }: Pick<Capture, 'reqID' | 'type' | 'asker'>,
  { result, status, total }: { readonly result: string; readonly status: string; readonly total: number | null },
): MessageDraft {
  return addressTo(new MessageDraft(MsgType.TradeCaptureReportRequestAck), asker)
    .add(Tag.TradeRequestID, reqID)
    .add(Tag.TradeRequestType, type)
    .addIf(Tag.TotNumTradeReports, total === null ? null : `${total}`)
    .add(Tag.TradeRequestResult, result)
    .add(Tag.TradeRequestStatus, status);
}

/** Trades that were reported to the subscribers, so that a repeated one is not reported again. */
const SEEN_MAX = 10_000;
/** Our clock and the exchange's differ. */
const CLOCKS_DIFFER_MS = 60_000;

/** The exchange reported a trade: tell the subscribers of its account, once. */
export function tellTrade(turn: Turn, trade: ExchangeTrade): void {
  const { tradeSubscriptions, sessions, tradesSeen } = turn.state;
  let reported: ReportedTrade | null = null;
  for (const [, subscription] of tradeSubscriptions.all()) {
    const { sessionId, reqID, tradingAccountIds, exchangeSymbol, isNegotiated, asker, since } = subscription;
    const session = sessions.get(sessionId);
    if (session === undefined || !tradingAccountIds.has(trade.tradingAccountId)) continue;
    if (exchangeSymbol !== null && exchangeSymbol !== trade.symbol) continue;
    // Its answer has those before; the stream repeats them after a reconnect.
    if (trade.createdAt > 0 && trade.createdAt < since - CLOCKS_DIFFER_MS) continue;
    if ((isNegotiated && trade.otcTradeId === null) || session.symbols?.has(trade.symbol) === false) continue;
    reported ??= ofFill(trade);
    const key = `${sessionId} ${reqID} ${trade.tradingAccountId} ${reported.execID}`;
    if (tradesSeen.has(key)) continue;
    tradesSeen.add(key);
    if (tradesSeen.size > SEEN_MAX) tradesSeen.delete(tradesSeen.values().next().value!);
    const draft = report(asker, reqID, reported, true);
    addTrade(turn, session, reported, draft);
    turn.send(sessionId, draft);
  }
}
