// NewOrderSingle(D): from a valid message to a recorded intent and a create command, to a precise reject, or to the
// answer to one that its sender repeats (rules O4, O5, O7, O12, T1–T3, D13, D14). read-order-terms.ts has the terms,
// apply-exchange-event.ts the consequences.

import { type MessageView, Tag } from '../../wire/mod.ts';
import { createCommand } from '../book/create-command.ts';
import type { Order, OrderState } from '../book/order.ts';
import { encodeRecord } from '../book/order-record.ts';
import { runOf } from '../book/order-runtime.ts';
import type { OrderTerms } from '../book/order-terms.ts';
import { remember, timelineOf } from '../book/order-timeline.ts';
import { isReference } from '../book/reference-allocator.ts';
import {
  execID,
  executionReport,
  ordRejReasonFor,
  type ReportFacts,
  type ReportType,
} from '../reports/execution-report.ts';
import { answerReport, reportPendingNew } from '../reports/order-reports.ts';
import { seenBy } from '../reports/visibility.ts';
import { answerID, buildOrder, readEcho, refusedOrder, unsentOrder } from '../rules/build-order.ts';
import { newGtxRefusal } from '../rules/gtx.ts';
import { killRefusal } from '../rules/kill-switch-check.ts';
import { readMarket, readTerms } from '../rules/read-order-terms.ts';
import { clOrdIDProblem } from '../rules/request-ids.ts';
import { limitRefusal, openOrdersRefusal, rateRefusal } from '../rules/risk-limits.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { AccountEntitlement } from '../vocabulary/config.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';
import {
  duplicateClOrdID,
  exchangeClosed,
  isRefusal,
  other,
  type Refusal,
  staleOrder,
  unknownAccount,
} from '../vocabulary/refusal.ts';
import { type Sender, senderOf } from '../vocabulary/sender.ts';
import { type InboundMessage, isRepetition } from './inbound-message.ts';
import { waitForPrice } from './price-wait.ts';
import { findHeldOrder } from './queued-orders.ts';
import { statusReport } from './status-request.ts';

/** Auctions that one order may name. */
const TRADING_SESSIONS_MAX = 64;

/** Handle a D, or an order of a list. */
export function handleNewOrder(inbound: InboundMessage, isListed = false): void {
  const clOrdID = inbound.view.string(Tag.ClOrdID) ?? '';
  const holder = holderOf(inbound, clOrdID);
  if (isRepetition(inbound) && answerRepetition(inbound, holder)) return;
  const admitted = admit(inbound, clOrdID, holder);
  if (!isRefusal(admitted)) {
    enter(inbound, clOrdID, admitted);
    return;
  }
  // A list waits as a whole (new-order-list.ts).
  const refusal = isListed ? admitted : waitForPrice(inbound, admitted);
  if (refusal === null) return;
  if (holder?.order === undefined) refuseNewOrder(inbound, clOrdID, refusal);
  else refuseDuplicate(inbound, holder.order, holder.isHeld, refusal);
}

/** The ClOrdID(11) of a D is in use. */
interface Holder {
  /** Absent: used by something that is no order, such as a q. */
  readonly order?: Order;
  /** It waits for its turn and stays as it is. */
  readonly isHeld: boolean;
}

function holderOf({ turn, session, waited }: InboundMessage, clOrdID: string): Holder | null {
  const held = waited ? null : findHeldOrder(turn.state, session, clOrdID);
  if (held !== null) return { order: unsentOrder(turn, session, held.view), isHeld: true };
  const { registry } = turn.state;
  const { sessionId } = session.config;
  const order = registry.findByClOrdID(sessionId, clOrdID);
  if (order !== null) return { order, isHeld: false };
  return registry.isUsedOtherwise(sessionId, clOrdID) ? { isHeld: false } : null;
}

/** Answer a D that comes again with its order's status, or with its last report (rule D14). False: there is no order. */
function answerRepetition({ turn, session, view }: InboundMessage, holder: Holder | null): boolean {
  if (holder?.order === undefined) return false;
  const { order, isHeld } = holder;
  if (session.isVenue && !isHeld) repeatLastReport(turn, session, order, senderOf(view));
  else turn.send(session.config.sessionId, statusReport(turn, session, order, senderOf(view)));
  return true;
}

/** An OMS that sends a D again and again must not push out the events of its order. */
function rememberOnce(turn: Turn, order: Order, what: string): void {
  if (timelineOf(order).at(-1)?.[1] === what) return;
  remember(order, turn.now, what);
  turn.touch(order);
}

/**
 * The exchange's own FIX has no status: the last report comes again (rule D14). One that a process before this one sent is made
 * anew of how the order stands. An order without an answer has no report yet: its first one is on its way.
 */
function repeatLastReport(turn: Turn, session: SessionState, known: Order, asker: Sender): void {
  rememberOnce(turn, known, 'D repeated by its sender');
  const lastReport = turn.state.lastReports.get(known);
  if (lastReport === undefined && known.state === 'A') return;
  const facts = lastReport ?? presentReport(turn, known);
  const seen = seenBy(session, known, asker);
  const draft = executionReport(session, turn.state.board, seen, { ...facts, isRepeated: true });
  turn.send(session.config.sessionId, draft);
}

const LAST_REPORT: Readonly<Record<OrderState, ReportType>> = {
  A: '0',
  '0': '0',
  '1': 'D',
  '2': 'D',
  '4': '4',
  '8': '8',
  C: 'C',
};

function presentReport(turn: Turn, known: Order): ReportFacts {
  const type = LAST_REPORT[known.state];
  // One that was refused here has no id of the exchange.
  const id = known.state === '8' ? answerID(turn) : execID(known, type === 'D' ? `D-${known.cumQty}` : type);
  const told = timelineOf(known).findLast(([, what]) => what.startsWith('150='));
  return { type, execID: id, transactTime: told?.[0] ?? known.receivedAt, text: known.lastText };
}

/** An order that may be entered, and its parts as they were read. */
interface Admitted {
  readonly account: AccountEntitlement;
  readonly terms: OrderTerms;
  readonly reference: string;
}

/** Hold a new order against every rule. */
function admit(inbound: InboundMessage, clOrdID: string, holder: Holder | null): Admitted | Refusal {
  const { turn, session } = inbound;
  if (holder !== null) {
    const why = holder.isHeld ? 'waits for its turn already' : 'was used before on this session';
    return duplicateClOrdID(`ClOrdID(11)=${clOrdID} ${why}; no second order is made`);
  }
  const weighed = weigh(inbound, clOrdID);
  if (isRefusal(weighed)) return weighed;
  const { account, terms, auctions } = weighed;
  const tooFast = rateRefusal(turn.state, session, account.tradingAccountId, turn.steady);
  if (tooFast !== null) return tooFast;
  const reference = referenceFor(turn, session, account, clOrdID);
  if (reference === null) return referencesUsedUp(turn, account.account);
  return { account, terms: withAuction(turn, terms, auctions), reference };
}

/** An order that may be entered, but for its rate and reference. */
interface Weighed {
  readonly account: AccountEntitlement;
  readonly terms: OrderTerms;
  readonly auctions: readonly string[];
}

/** Hold a new order against everything but duplicates and rates. */
export function weigh(inbound: InboundMessage, clOrdID: string): Weighed | Refusal {
  const { turn, session, view } = inbound;
  const refusal = admissionRefusal(inbound, clOrdID);
  if (refusal !== null) return refusal;
  const account = session.accounts.get(view.string(Tag.Account) ?? '')!;
  const market = readMarket(session, turn.state.board, view);
  if (market.refusal !== null) return market.refusal;
  const terms = readTerms(session, market.value, view, turn.now);
  if (terms.refusal !== null) return terms.refusal;
  const auctions = tradingSessionIDs(view);
  const refused =
    auctionRefusal(turn, market.value, terms.value, auctions) ??
    limitRefusal(turn, session, account.tradingAccountId, terms.value);
  return refused ?? { account, terms: terms.value, auctions };
}

/** A D for an auction is checked against the phases once they arrive, if they are unknown now. */
function withAuction({ state }: Turn, terms: OrderTerms, [namedAuction]: readonly string[]): OrderTerms {
  const { exchangeTimeInForce, exchangeSymbol } = terms;
  if (exchangeTimeInForce !== 'GTX' || namedAuction === undefined) return terms;
  return state.board.livePhase(exchangeSymbol) === null ? { ...terms, namedAuction } : terms;
}

/** Rule D14. */
function refuseDuplicate(inbound: InboundMessage, order: Order, isHeld: boolean, refusal: Refusal): void {
  if (!isHeld) rememberOnce(inbound.turn, order, `duplicate D refused: ${refusal.text}`);
  refuseAnother(inbound, order, refusal);
}

/**
 * Refuse a D with another order's ClOrdID(11): the reject carries the status of that order (FIX 4.4 vol. 4 App. D,
 * F.1.b), and goes to the sender of this D (rules O9, D11).
 */
export function refuseAnother({ turn, session, view }: InboundMessage, known: Order, refusal: Refusal): void {
  const sender = senderOf(view);
  answerReport(turn, session, seenBy(session, known, sender), {
    type: '8',
    execID: answerID(turn),
    transactTime: turn.now,
    sender,
    clOrdID: view.string(Tag.ClOrdID) ?? '',
    origClOrdID: null,
    rejectedFor: refusal,
    text: refusal.text,
  });
}

/** Obstacles to any order, independent of its terms. */
function admissionRefusal(inbound: InboundMessage, clOrdID: string): Refusal | null {
  const { turn, session, view } = inbound;
  const { state } = turn;
  const problem = clOrdIDProblem(clOrdID);
  if (problem !== null) return other(problem);
  const stale = staleRefusal(inbound);
  if (stale !== null) return stale;
  const closed = closedRefusal(turn, session);
  if (closed !== null) return closed;
  const name = view.string(Tag.Account);
  if (name === null) return unknownAccount('Account(1) is required: it names the trading account');
  const account = session.accounts.get(name);
  if (account === undefined) return unknownAccount(`Account(1)=${name} is not on this session's list of accounts`);
  const killed = killRefusal(state, session.config.sessionId, account.tradingAccountId);
  if (killed !== null) return killed;
  return state.accounts.get(account.tradingAccountId)?.reconciled === true
    ? openOrdersRefusal(state, session, account.tradingAccountId)
    : reconciliationRefusal(name);
}

/** Rule J3. */
export function reconciliationRefusal(account: string): Refusal {
  return exchangeClosed(
    `Account(1)=${account} is not reconciled with the exchange yet: no orders until it is; try again`,
  );
}

/** D and G while going down (rule U5), behind our own Logout, or while nothing can be recorded (rule J2). */
export function closedRefusal(turn: Turn, session: SessionState): Refusal | null {
  if (turn.state.shuttingDown) return exchangeClosed('The gateway is shutting down and takes no orders');
  if (session.leftBy === 'us') return exchangeClosed('The session is being logged out and takes no orders');
  if (!turn.state.journalHealthy) {
    return exchangeClosed('The gateway cannot record orders at the moment and takes none; cancels still work');
  }
  return null;
}

/** So far ahead of ours, a time is none of the past: SendingTime(52) has to be within two minutes too (FIX vol. 2). */
const AHEAD_MAX_MS = 120_000;

/** Rule O4: a D or G first seen with 43=Y or 97=Y, or released from a queue, must be young: by 122, else 60, else 52. */
export function staleRefusal(inbound: InboundMessage): Refusal | null {
  const { turn, session, view, waited } = inbound;
  if (!waited && !isRepetition(inbound)) return null;
  const tag = [Tag.OrigSendingTime, Tag.TransactTime, Tag.SendingTime].find((time) => view.has(time));
  const stated = tag === undefined ? null : view.utcTimestamp(tag);
  const at = stated !== null && stated - turn.now > AHEAD_MAX_MS ? null : stated;
  const { staleOrderMs } = session.config;
  if (at !== null && turn.now - at <= staleOrderMs) return null;
  const age = at === null ? 'of unknown age' : `${turn.now - at} ms old`;
  const why = 'came as PossDup(43) or PossResend(97), or waited for its turn or behind a gap';
  return staleOrder(`Request is ${age} and ${why}; the limit is ${staleOrderMs} ms`);
}

/** The auctions named by 336, in the group 386 or alone (rule T3). */
export function tradingSessionIDs(view: MessageView): string[] {
  const entries = view.groupEntries(Tag.NoTradingSessions) ?? [];
  const ids = (entries.length === 0 ? [view] : entries).map((each) => each.string(Tag.TradingSessionID));
  return ids.filter((id) => id !== null).slice(0, TRADING_SESSIONS_MAX);
}

function auctionRefusal(
  { state }: Turn,
  rules: MarketRules,
  terms: OrderTerms,
  tradingSessions: readonly string[],
): Refusal | null {
  if (terms.exchangeTimeInForce === 'GTX') return newGtxRefusal(state.board, rules, terms, tradingSessions);
  if (!tradingSessions.some((id) => id !== '1')) return null;
  return other(
    `TradingSessionID(336)=${tradingSessions.join(',')} names an auction, but TimeInForce(59) is not 5 (GTX)`,
  );
}

/** The order's number on the exchange (rule O5): allocated, or an integer ClOrdID as it is, by setting. */
export function referenceFor(
  turn: Turn,
  session: SessionState,
  account: { readonly tradingAccountId: string },
  clOrdID: string,
): string | null {
  const { allocator } = turn.state;
  const { tradingAccountId } = account;
  const passes = session.config.clOrdIDPassThrough && isReference(clOrdID) && !allocator.owns(clOrdID);
  if (passes && !allocator.isUsed(tradingAccountId, clOrdID)) return clOrdID;
  return allocator.allocate(tradingAccountId, turn.now, (ceiling) => {
    const key = `refs|${tradingAccountId}`;
    turn.record(session.config.sessionId, key, encodeRecord({ kind: 'references', key, ...ceiling }));
  });
}

/** Alert operators that no reference is left, and refuse the D or G. */
export function referencesUsedUp(turn: Turn, account: string): Refusal {
  const text = 'No exchange reference is left in the configured range; operations must widen it';
  turn.alarm('references-used-up', text, null, { account });
  return other(text);
}

function enter({ turn, session, view }: InboundMessage, clOrdID: string, admitted: Admitted): void {
  const { account, terms, reference } = admitted;
  const echo = readEcho(session, view, account.account);
  const order = buildOrder(turn, session, { echo, account, terms, clOrdID, reference });
  remember(order, turn.now, 'D sent to the exchange');
  runOf(order).alarmAt = turn.steady + turn.state.config.pendingAlarmMs;
  turn.state.registry.add(order);
  turn.touch(order);
  turn.submit(order, 0, createCommand(order, terms, reference));
  const { pendingNewAfterMs } = session.config;
  if (session.isVenue) return;
  if (pendingNewAfterMs === 0) reportPendingNew(turn, order);
  else runOf(order).pendingNewAt = turn.steady + pendingNewAfterMs;
}

/** Refuse a D. It is recorded like an order, so that its ClOrdID never runs later on (rules U4, O5, D14). */
export function refuseNewOrder(inbound: InboundMessage, clOrdID: string, refusal: Refusal): void {
  const { turn, session, view } = inbound;
  const { registry } = turn.state;
  const { sessionId } = session.config;
  const known = registry.findByClOrdID(sessionId, clOrdID);
  if (known !== null) {
    refuseAnother(inbound, known, refusal);
    return;
  }
  const order = refusedOrder(turn, session, view, clOrdID);
  order.ordRejReason = ordRejReasonFor(session, refusal);
  order.lastText = refusal.text;
  if (!registry.isUsedOtherwise(sessionId, clOrdID) && clOrdIDProblem(clOrdID) === null) {
    registry.add(order);
    remember(order, turn.now, `D refused here: ${refusal.text}`);
    turn.touch(order);
  }
  const facts: ReportFacts = {
    type: '8',
    execID: answerID(turn),
    transactTime: turn.now,
    rejectedFor: refusal,
    text: refusal.text,
  };
  if (session.isVenue) turn.state.lastReports.set(order, facts);
  answerReport(turn, session, order, facts);
}
