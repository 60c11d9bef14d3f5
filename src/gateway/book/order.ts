// One order chain: everything the gateway knows and must still know after a restart, and the table of its states.
// apply-exchange-event.ts moves it, execution-report.ts reports it, order-record.ts keeps it.
//
//   A PendingNew ──► 0 New ──► 1 PartiallyFilled ──► 2 Filled
//        ├────────────►├──────────┴──► 4 Canceled          (from A only while it waits here and was never sent, rule S7)
//        └─► 8         └─────────────► C Expired          6 and E lie over the state while F or G is open (rule D9)

import { assert } from '../../base/assert.ts';
import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { firstOf, type Names } from '../vocabulary/one-or-many.ts';
import type { Refusal } from '../vocabulary/refusal.ts';
import type { KeptSender, Sender } from '../vocabulary/sender.ts';
import { AT_REST, type OrderRun } from './order-runtime.ts';
import type { OrderTerms } from './order-terms.ts';

/** OrdStatus(39) of an order itself, without a pending F or G lying over it. */
export type OrderState = 'A' | '0' | '1' | '2' | '4' | '8' | 'C';

/** State → states that may follow (FIX 4.4 vol. 4 Appendix D; rule O1: nothing follows a terminal one). */
export const NEXT_STATES: Readonly<Record<OrderState, readonly OrderState[]>> = {
  A: ['0', '8', '4'],
  '0': ['1', '2', '4', 'C'],
  '1': ['1', '2', '4', 'C'],
  '2': [],
  '4': [],
  '8': [],
  C: [],
};

/** State of the create command: being sent, acknowledged, without an answer, or seen working at the exchange. */
export type CreateStage = 'submitted' | 'acknowledged' | 'unknown' | 'live';

/** Fields that return unchanged on every report of the order (rules O9, D11). */
export interface OrderEcho extends Sender {
  readonly account: string;
  /** Body fields in wire order: 526, 583, the Parties group, 15, 21. */
  readonly fields: readonly (readonly [tag: number, value: string])[];
}

/**
 * Origin of a change of the order: F, G, q, an F or q of another session (rule O7), a caller of the bridge (rule B5), or
 * the gateway itself.
 */
export type RequestKind = 'cancel' | 'replace' | 'massCancel' | 'accountCancel' | 'bridgeCancel' | OwnCancel;

/**
 * Cancels without a FIX request: the session or another one ended (rule C1), safety (rules U2, T3), a kill switch (rule
 * O12).
 */
export type OwnCancel = 'disconnect' | 'otherDisconnect' | 'safety' | 'kill';

/** The session that requested a change of another session's order (rule O7), and its fields. */
export interface OtherAsker {
  readonly sessionId: string;
  readonly origClOrdID: string | null;
  readonly onBehalfOfCompID: string | null;
  readonly onBehalfOfSubID?: string | null;
}

/** A change that was asked for and is not answered yet. */
export interface ChangeRequest extends KeptSender {
  readonly kind: RequestKind;
  /** Counts the requests of this chain from 1; part of ExecIDs and command ids. */
  readonly number: number;
  readonly clOrdID: string | null;
  readonly massActionReportID: string | null;
  /** Of an `accountCancel`, else null. */
  asker: OtherAsker | null;
  stage: 'submitted' | 'acknowledged' | 'unknown';
  /** The exchange's id of the acknowledged command: its later refusal names it. */
  requestId: string | null;
  /** When the exchange acknowledged it; null before, and in records from before this field existed. */
  acknowledgedAt: EpochMs | null;
  /** It was refused as of an order that has ended, and waits for how that ended. */
  isRefused?: true;
  /** The answer if the order turns out to work, or cannot be looked up; absent if another file decides. */
  refusedAs?: Refusal;
  readonly askedAt: EpochMs;
  /** For `replace`: the order's new terms, and its new exchange reference. */
  readonly price: Decimal | null;
  readonly orderQty: Decimal | null;
  readonly ordType: '2' | 'p' | null;
  reference: string | null;
  /** The replacement is made by a cancel and a new order (rule O6); null for an amendment and for every cancel. */
  readonly swap: OrderSwap | null;
}

/** How far a replacement by cancel and new order has come. */
export interface OrderSwap {
  /** `cancel`: the old order is being cancelled; `create`: it is gone, the new one is on its way. */
  leg: 'cancel' | 'create';
  /** The request number of the new order's command, once it was sent. */
  createNumber: number | null;
  /** The exchange's id of the acknowledged cancel: its refusal may arrive after the end of the order. */
  cancelRequestId?: string;
  readonly stopPx: Decimal | null;
  /** Somebody wanted the order cancelled meanwhile: no new one follows. */
  isCalledOff?: true;
}

/** An end that the exchange stated and that waits for its trades (rule O1). */
export interface OrderEnd {
  readonly execType: '4' | '8' | 'C' | 'F';
  readonly reasonCode: string | null;
  readonly text: string;
  readonly unsolicited: boolean;
  /** Of the frame that said it, by the exchange's clock; null from a look-up, absent in older records. */
  readonly publishedAt?: EpochMs | null;
}

export interface Order {
  /** Empty for an external order. It and `echo` change once, when a session adopts the order (rule O11). */
  sessionId: string;
  readonly receivedAt: EpochMs;
  readonly tradingAccountId: string;
  /** The exchange login that reaches the account, by its name: of the configuration of the last start. */
  credential: string;
  echo: OrderEcho;
  terms: OrderTerms;
  /** The last accepted ClOrdID(11) of the chain, and the one before it. */
  clOrdID: string;
  origClOrdID: string | null;
  /** Every ClOrdID this chain ever used, refused requests included (rules O5, U4). */
  clOrdIDs: Names;
  /** Present exchange reference; earlier ones of the chain in `references`. Null for an order refused here. */
  reference: string | null;
  references: Names;
  /** The exchange's present id of the order: of its latest leg (rule O6). */
  exchangeOrderId: string | null;
  /** OrderID(37) of a chain that has more than one leg: the id of its first (rule D7). */
  chainOrderId: string | null;
  /** Exchange ids of the legs that a new one took the place of. */
  earlierLegs: readonly string[];
  /** CumQty(14) when the present leg was sent: its quantities at the exchange count from there. */
  filledBefore: Decimal;
  /**
   * Quantity of the present leg at the exchange; null while the order has had one leg, with OrderQty(38) as quantity.
   */
  legQty: Decimal | null;
  /** When the present leg was sent; null while the order has had but one, and in records from before this field existed. */
  legAt: EpochMs | null;
  state: OrderState;
  stage: CreateStage;
  pendingNewReported: boolean;
  triggered: boolean;
  cumQty: Decimal;
  /** Σ price × quantity, exact. */
  grossAmt: Decimal;
  /** Trades that were counted; null before the first, and a list while they are few: a set is large. */
  tradeIds: readonly string[] | Set<string> | null;
  /** How many of them, the first ones, are recorded by themselves (trade-records.ts). */
  tradesRecorded: number;
  /** The largest quantityFilled that the exchange stated. */
  exchangeFilled: Decimal;
  end: OrderEnd | null;
  requests: readonly ChangeRequest[];
  requestCount: number;
  /** A cancel of ours that was certainly not carried out and is sent again, also after a restart. */
  cancelWanted: OwnCancel | null;
  restatements: number;
  /**
   * Rejected because the exchange does not know it (rule U2), or ended and seen working later: it is cancelled whenever it
   * appears.
   */
  absent: boolean;
  auctionId: string | null;
  /** The loan of the exchange for the order, by its last event; null without margin. */
  borrowedQty: string | null;
  /** publishedAt of the newest order frame: older frames say nothing about terms. */
  publishedAt: EpochMs;
  lastText: string | null;
  /** OrdRejReason(103) of a rejected order; of one that the exchange forced out, its code (`isForcedOut`). */
  ordRejReason: string | null;
  /** The order's history for people; order-timeline.ts writes and reads it. */
  timeline: string;
  /** Not recorded: timers and look-ups begin anew after a restart. Written to through `runOf`. */
  run: Readonly<OrderRun>;
  /** Not recorded: the reconciliation round in which the exchange last spoke of this order. */
  seenRound: number;
}

/** Whether nothing can happen to the order any more but a late fill. */
export function isTerminal(state: OrderState): boolean {
  return NEXT_STATES[state].length === 0;
}

/** Whether the exchange cancelled it of itself, for leverage: its own FIX says so by 39=C and the code in 103. */
export function isForcedOut({ state, ordRejReason }: Order): boolean {
  return state === '4' && ordRejReason !== null;
}

/** True if the known fills make up the quantity that the exchange stated as filled (rule O1). */
export function hasAllTrades(order: Order): boolean {
  return order.cumQty.compare(order.exchangeFilled) >= 0;
}

/** Whether it ended and nothing of it is outstanding: only its record is needed from now on. */
export function isDone(order: Order): boolean {
  return (
    isTerminal(order.state) &&
    order.requests.length === 0 &&
    order.cancelWanted === null &&
    order.run.lookupId === null &&
    order.run.lookupAt === null &&
    order.run.waiting.length === 0 &&
    hasAllTrades(order)
  );
}

/** Trades counted in a list; more are a set, so that an order with thousands of fills takes each at once. */
const LISTED_TRADES_MAX = 32;

/** Whether a trade was counted. */
export function hasTrade({ tradeIds }: Order, tradeId: string): boolean {
  if (tradeIds === null) return false;
  return tradeIds instanceof Set ? tradeIds.has(tradeId) : tradeIds.includes(tradeId);
}

/** Count a trade. */
export function addTrade(order: Order, tradeId: string): void {
  const { tradeIds } = order;
  if (tradeIds instanceof Set) tradeIds.add(tradeId);
  else order.tradeIds = tradesOf([...(tradeIds ?? NO_TEXTS), tradeId]);
}

/** Trades that were counted, as an order keeps them. */
export function tradesOf(tradeIds: readonly string[]): Order['tradeIds'] {
  if (tradeIds.length === 0) return null;
  return tradeIds.length <= LISTED_TRADES_MAX ? tradeIds : new Set(tradeIds);
}

/** Add an open request, the latest. */
export function addRequest(order: Order, request: ChangeRequest): void {
  order.requests = [...order.requests, request];
}

/** Take a request off the open ones, if it is among them. */
export function removeRequest(order: Order, request: ChangeRequest): void {
  const rest = order.requests.filter((open) => open !== request);
  order.requests = rest.length === 0 ? NO_REQUESTS : rest;
}

/** Key of a ClOrdID in its session's namespace, and of the chain's record (rule O5). */
export function chainKey(sessionId: string, clOrdID: string): string {
  return `${sessionId}|${clOrdID}`;
}

/** Key of the order's record: of its first ClOrdID, or for an external order of the exchange's id. */
export function keyOf(order: Order): string {
  const first = firstOf(order.clOrdIDs);
  return first === undefined ? `elsewhere|${order.exchangeOrderId}` : chainKey(order.sessionId, first);
}

/** Move the order along the table. @throws AssertionError if the table does not allow it */
export function moveTo(order: Order, state: OrderState): void {
  assert(NEXT_STATES[order.state].includes(state), `order ${keyOf(order)}: ${order.state} cannot become ${state}`);
  order.state = state;
}

/** LeavesQty(151): zero once terminal, never negative (FIX 4.4 field 151). */
export function leavesQty(order: Order): Decimal {
  if (isTerminal(order.state)) return Decimal.ZERO;
  const leaves = order.terms.orderQty.subtract(order.cumQty);
  return leaves.isNegative() ? Decimal.ZERO : leaves;
}

/** True if no FIX request caused it: then no OMS can ask again. */
export function isOwnCancel(kind: RequestKind): kind is OwnCancel {
  return kind === 'disconnect' || kind === 'otherDisconnect' || kind === 'safety' || kind === 'kill';
}

/** OrderID(37): the first id that the exchange gave the chain (rules D7, O6); null before there is one. */
export function orderIdOf(order: Order): string | null {
  return order.chainOrderId ?? order.exchangeOrderId;
}

/** SecondaryOrderID(198): the exchange's present id where it is not OrderID(37) (rule O6); else null. */
export function secondaryOrderIdOf(order: Order): string | null {
  return order.chainOrderId === null ? null : order.exchangeOrderId;
}

/** Whether an OrderID(37) is the chain's, or that of one of its legs at the exchange. */
export function hasOrderID(order: Order, orderID: string): boolean {
  return orderID === order.chainOrderId || orderID === order.exchangeOrderId || order.earlierLegs.includes(orderID);
}

/** The replacement with its new order under way, if there is one (rule O6). */
export function openCreateLeg(order: Order): ChangeRequest | null {
  for (const request of order.requests) if (request.swap?.leg === 'create') return request;
  return null;
}

/** Whether the present leg has more to fill than the order: fills of earlier legs came after it was sent. */
export function hasMoreToFill(order: Order): boolean {
  return order.legQty !== null && order.cumQty.compare(order.filledBefore.add(order.legQty)) < 0;
}

/** Whether the fills make up the order as far as its terms are known. */
export function isFilledUp(order: Order): boolean {
  return order.cumQty.compare(order.terms.orderQty) >= 0 && !hasMoreToFill(order);
}

/** Whether an amendment is open that the exchange may have carried out, and that leaves more than the fills took. */
export function mayGrow(order: Order): boolean {
  return order.requests.some(
    ({ kind, swap, orderQty }) =>
      kind === 'replace' && swap === null && orderQty !== null && orderQty.compare(order.cumQty) > 0,
  );
}

/** The open request of a kind, oldest first. */
export function openRequest(order: Order, kind: RequestKind): ChangeRequest | null {
  for (const request of order.requests) if (request.kind === kind) return request;
  return null;
}

/**
 * Limit of open requests on one order, and of our own cancels among them. While the exchange is silent none of them is
 * settled, and each record of the order holds them all.
 */
const OPEN_REQUESTS_MAX = 8;

/** True if one more F or q has to wait for open requests. */
export function hasManyRequests({ requests }: Order): boolean {
  return requests.length >= OPEN_REQUESTS_MAX;
}

/** The same of a cancel of ours, which no number of F and q holds up. */
export function hasManyOwnCancels({ requests }: Order): boolean {
  return requests.filter(({ kind }) => isOwnCancel(kind)).length >= OPEN_REQUESTS_MAX;
}

/** Whether a cancel of any origin is already on its way. */
export function isBeingCancelled(order: Order): boolean {
  return order.requests.some((request) => request.kind !== 'replace' && request.stage !== 'unknown');
}

export function isGtx(order: Order): boolean {
  return order.terms.exchangeTimeInForce === 'GTX';
}

/** Differences between orders at their beginning; all other values are equal. */
type OrderBeginning = Pick<
  Order,
  | 'sessionId'
  | 'receivedAt'
  | 'tradingAccountId'
  | 'credential'
  | 'echo'
  | 'terms'
  | 'clOrdID'
  | 'clOrdIDs'
  | 'reference'
  | 'references'
  | 'exchangeOrderId'
  | 'stage'
  | 'auctionId'
>;

/** Shared by the many orders that have none of something. */
const NO_TEXTS: readonly string[] = [];
const NO_REQUESTS: readonly ChangeRequest[] = [];

/**
 * An order to which nothing has happened yet. Every order is made here, field by field: all of them have one shape, in as
 * little memory as there may be of them.
 */
export function newOrder(beginning: OrderBeginning): Order {
  return {
    sessionId: beginning.sessionId,
    receivedAt: beginning.receivedAt,
    tradingAccountId: beginning.tradingAccountId,
    credential: beginning.credential,
    echo: beginning.echo,
    terms: beginning.terms,
    clOrdID: beginning.clOrdID,
    origClOrdID: null,
    clOrdIDs: beginning.clOrdIDs,
    reference: beginning.reference,
    references: beginning.references,
    exchangeOrderId: beginning.exchangeOrderId,
    chainOrderId: null,
    earlierLegs: NO_TEXTS,
    filledBefore: Decimal.ZERO,
    legQty: null,
    legAt: null,
    state: 'A',
    stage: beginning.stage,
    pendingNewReported: false,
    triggered: false,
    cumQty: Decimal.ZERO,
    grossAmt: Decimal.ZERO,
    tradeIds: null,
    tradesRecorded: 0,
    exchangeFilled: Decimal.ZERO,
    end: null,
    requests: NO_REQUESTS,
    requestCount: 0,
    cancelWanted: null,
    restatements: 0,
    absent: false,
    auctionId: beginning.auctionId,
    borrowedQty: null,
    publishedAt: 0,
    lastText: null,
    ordRejReason: null,
    timeline: '',
    run: AT_REST,
    seenRound: -1,
  };
}
