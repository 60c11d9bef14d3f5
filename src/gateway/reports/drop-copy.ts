// Drop copies: every ExecutionReport(8) of the orders in a drop copy session's scope, in that session's names (rule
// S9), and its request for missed ones. drop-copy-scope.ts has the scope. The session keeps, numbers and repeats
// copies: they are in the journal like any report, also while the session is away.

import type { EpochMs } from '../../base/time.ts';
import { type MessageDraft, type MessageView, ORDER_REQUESTS, Tag } from '../../wire/mod.ts';
import type { Order } from '../book/order.ts';
import { encodeRecord } from '../book/order-record.ts';
import { NAMES_OF_MARKET } from '../rules/build-order.ts';
import { type CopySession, ELSEWHERE } from '../state/drop-copy-scope.ts';
import { inWordsOf, type SessionNames } from '../state/session-names.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { tradeCopy } from '../trades/trade-report.ts';
import { NOBODY } from '../vocabulary/sender.ts';
import { execID, executionReport, type ReportFacts } from './execution-report.ts';
import { inVersionOf } from './order-in-version.ts';
import { keepUntold } from './undelivered-reports.ts';
import { rejectBusiness } from './unsupported-message.ts';

/** Tags that are echoed on reports and that versions without Parties have as well. */
const PLAIN_ECHO: ReadonlySet<number> = new Set([Tag.ListID, Tag.Currency, Tag.HandlInst]);

/** Tell the drop copy sessions of a report, and order sessions of a liquidation. */
export function copyReport(turn: Turn, order: Order, facts: ReportFacts): void {
  const { dropCopies, board } = turn.state;
  if (facts.type === 'F' && isLiquidation(order)) tellLiquidation(turn, order, facts);
  // An answer to a question is no execution.
  if (dropCopies.isEmpty || facts.type === 'I') return;
  const { sessionId, tradingAccountId, terms } = order;
  for (const copy of dropCopies.of({ sessionId, tradingAccountId, exchangeSymbol: terms.exchangeSymbol })) {
    // The exchange's own FIX has neither PendingNew nor PendingReplace (rule D6).
    if ((facts.type === 'A' || facts.type === 'E') && copy.session.isVenue) continue;
    const draft =
      negotiatedIn(turn, copy, order, facts) ??
      executionReport(copy.session, board, orderSeenBy(turn, copy, order), factsFor(facts, order));
    turn.send(copy.session.config.sessionId, draft);
  }
}

/** A negotiated trade in the message that the session's file names; null if that is an ExecutionReport(8), as of an order. */
function negotiatedIn(turn: Turn, { session }: CopySession, { terms }: Order, facts: ReportFacts): MessageDraft | null {
  const { trade } = facts;
  const isReported = session.config.dropCopy?.negotiatedAs === 'TradeCaptureReport';
  if (!isReported || terms.negotiated !== true || trade === undefined) return null;
  return tradeCopy(turn, session, trade, facts.execID);
}

/**
 * Report to drop copies, by a status, that an order is filled. Its last fill was reported while an open G might have
 * increased it, and the 9 to the G is not copied (rule D9). Unlike the answer to an H it has its own ExecID(17), so
 * that copies can be requested after it.
 */
export function copyFilled(turn: Turn, order: Order): void {
  const { sessionId, tradingAccountId, terms } = order;
  const facts: ReportFacts = {
    type: 'I',
    execID: execID(order, 'I-2'),
    transactTime: turn.now,
    ordStatus: '2',
    isCopy: true,
  };
  for (const copy of turn.state.dropCopies.of({ sessionId, tradingAccountId, exchangeSymbol: terms.exchangeSymbol })) {
    // The exchange's own FIX has no status: there it is a restatement.
    const said = copy.session.isVenue ? { ...facts, type: 'D' as const } : facts;
    const draft = executionReport(copy.session, turn.state.board, orderSeenBy(turn, copy, order), said);
    turn.send(copy.session.config.sessionId, draft);
  }
}

const isLiquidation = ({ sessionId, terms }: Order): boolean => sessionId === ELSEWHERE && terms.cashMargin === '3';

/** Our clock and the exchange's differ: rather one fill too many at a beginning than one too few. */
const CLOCKS_DIFFER_MS = 60_000;

/** Called with every input: new sessions and accounts learn of liquidations from now on. */
export function beginLiquidations(turn: Turn): void {
  for (const { session, since } of turn.state.dropCopies.begin(turn.now)) {
    const { sessionId } = session.config;
    const key = `liquidations|${sessionId}`;
    const record = encodeRecord({ kind: 'liquidations', key, sessionId, since: Object.fromEntries(since) });
    turn.record(sessionId, key, record);
  }
}

/**
 * Called with every input: the sessions that a drop copy names are recorded, because they may be gone, with open
 * orders, at the next start.
 */
export function recordNamed(turn: Turn): void {
  const { dropCopies, registry } = turn.state;
  if (!dropCopies.mayName) return;
  for (const [sessionId, sessionIds] of dropCopies.namedAnew((id) => registry.openOrderCount(id) > 0)) {
    const key = `copied|${sessionId}`;
    turn.record(sessionId, key, encodeRecord({ kind: 'copied', key, sessionId, sessionIds }));
  }
}

/** A fill that changes the account's position without its OMS: 150=F with 544=3 and without ClOrdID (exchange reference §7.2). */
function tellLiquidation(turn: Turn, order: Order, facts: ReportFacts): void {
  const { dropCopies, board } = turn.state;
  const { tradingAccountId, terms } = order;
  const filled = { tradingAccountId, exchangeSymbol: terms.exchangeSymbol };
  const filledAt = facts.trade?.createdAt ?? 0;
  const wasBefore = (since: EpochMs): boolean => filledAt > 0 && filledAt < since - CLOCKS_DIFFER_MS;
  for (const { session, since } of dropCopies.ofLiquidation(filled)) {
    if (wasBefore(since.get(tradingAccountId) ?? 0)) continue;
    turn.send(session.config.sessionId, executionReport(session, board, liquidationIn(session.names, order), facts));
  }
  for (const [sessionId, since] of dropCopies.awayOf(filled)) {
    if (!wasBefore(since)) keepUntold(turn, order, { kind: 'report', facts }, sessionId);
  }
}

const liquidationIn = (names: SessionNames, order: Order): Order =>
  inWordsOf(names, order, { ...NOBODY, senderSubID: 'ADMIN', fields: [] });

/**
 * A liquidation that was filled while the session was not configured, as it sees it; null if it no longer receives it.
 */
export function missedLiquidation(session: SessionState, order: Order): Order | null {
  const { names, symbols, isVenue } = session;
  const isIts = names.accounts.has(order.tradingAccountId) && (symbols?.has(order.terms.exchangeSymbol) ?? true);
  return isVenue && isIts ? liquidationIn(names, order) : null;
}

/** The order as the drop copy session names it, in its version. */
function orderSeenBy(turn: Turn, { session }: CopySession, order: Order): Order {
  const { senderSubID, fields } = order.echo;
  const isKnown = (tag: number): boolean =>
    session.version.hasParties ? !NAMES_OF_MARKET.includes(tag) : PLAIN_ECHO.has(tag);
  const known = fields.filter(([tag]) => isKnown(tag));
  const seen = inWordsOf(session.names, order, { ...NOBODY, senderSubID, fields: known });
  // Of one version and dialect both have the house's agreed additions, values beyond the standard included.
  const owner = turn.state.sessions.get(order.sessionId);
  const isAlike = owner?.version === session.version && owner.isVenue === session.isVenue;
  return isAlike ? seen : inVersionOf(session.version, seen);
}

/** The fill, replacement or restatement that completes an order ends it: the 9 that says so of an F or G is not copied (rule D9). */
function factsFor(facts: ReportFacts, { state }: Order): ReportFacts {
  const { sender, type } = facts;
  const copied = { ...facts, isCopy: true };
  const named = sender === undefined ? copied : { ...copied, sender: { ...NOBODY, senderSubID: sender.senderSubID } };
  const isFilling = (type === 'F' || type === '5' || type === 'D') && state === '2';
  return isFilling ? { ...named, ordStatus: '2' } : named;
}

/** Take a DropCopyRequest(UDC) on a drop copy session: unproven reports of resets come again, after the report named by ExecID(17). */
export function handleDropCopyRequest(turn: Turn, session: SessionState, view: MessageView): void {
  turn.repeat(session.config.sessionId, view.string(Tag.ExecID));
}

/** Refuse an order message on a session that takes none; false if the message is none, or the session takes them. */
export function refuseOrderMessage(turn: Turn, session: SessionState, view: MessageView): boolean {
  if (session.takesOrders || !ORDER_REQUESTS.has(view.msgType)) return false;
  const text = `A drop copy session receives copies and enters no orders; send MsgType(35)=${view.msgType} on an order session`;
  // 380=6 (not authorized) came with 4.3.
  rejectBusiness(turn, session, view, session.version.hasMassMessages ? '6' : '0', text);
  return true;
}
