// Finds orders: by session and ClOrdID of any link of a chain, by exchange reference, by exchange order id, by command
// and look-up under way; and knows the open ones of each session. The latest ended ones are in memory; the others are
// found in the records, for years. Leaves their content to order.ts.

import { AgedSet } from '../../base/collections/aged-set.ts';
import { RecentMap } from '../../base/collections/recent-map.ts';
import type { ExchangeTrade } from '../../exchange/mod.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import { type EndedOrders, UNREADABLE } from '../vocabulary/ended-orders.ts';
import { namesIn } from '../vocabulary/one-or-many.ts';
import { SharedParts } from './interning.ts';
import { chainKey, isDone, isTerminal, type Order } from './order.ts';
import { clOrdIDKey, exchangeOrderIdKey, massCancelKey, referenceKey } from './order-keys.ts';
import { readRecord } from './order-record.ts';
import { AT_REST, runOf } from './order-runtime.ts';
import type { GatewayRecord, ListRecord, UntoldReportRecord } from './record-kinds.ts';

/**
 * Trades of orders with exchange ids that no acknowledgement has named yet; the oldest are dropped, and look-ups fetch
 * them.
 */
const EARLY_TRADES_MAX = 1_000;
/** Exchange ids of such orders that were spoken of; the oldest go. */
const NAMELESS_MAX = 1_000;

/** Chains that a search goes through, the latest ones; older ones that ended are found by their ids only. */
const LATEST_MAX = 10_000;

/** Ended chains kept in memory unless configured; earlier ones are found in the records. */
const ENDED_IN_MEMORY_MAX = 10_000;
/** Mass cancels and lists with ids kept in memory. */
const IDS_IN_MEMORY_MAX = 10_000;

/** Orders by a name within a namespace. Without the namespace in the key: there are very many, and each is a text more. */
class OrdersByName {
  private readonly spaces = new Map<string, Map<string, Order>>();

  get(space: string, name: string): Order | undefined {
    return this.spaces.get(space)?.get(name);
  }

  set(space: string, name: string, order: Order): void {
    let names = this.spaces.get(space);
    if (names === undefined) {
      names = new Map();
      this.spaces.set(space, names);
    }
    names.set(name, order);
  }

  delete(space: string, name: string): void {
    this.spaces.get(space)?.delete(name);
  }
}

export class OrderRegistry {
  /** Values that its orders share. */
  readonly parts = new SharedParts();
  /** By session, then ClOrdID; by trading account, then reference: the order's own texts are the keys. */
  private readonly byClOrdID = new OrdersByName();
  private readonly byReference = new OrdersByName();
  private readonly byExchangeOrderId = new Map<string, Order>();
  private readonly byCommand = new Map<string, Order>();
  private readonly byLookup = new Map<string, Order>();
  private readonly open = new Map<string, Set<Order>>();
  private readonly openOfAccount = new Map<string, number>();
  private readonly earlyTrades = new Map<string, ExchangeTrade[]>();
  private earlyTradeCount = 0;
  private readonly nameless = new RecentMap<string, true>(NAMELESS_MAX);
  private readonly massCancels = new AgedSet<string>();
  /** Keys with a record that was requested and could not be read. */
  private readonly unreadable = new AgedSet<string>();
  /** Lists of orders by their record's key. */
  private readonly lists = new Map<string, ListRecord>();
  /** Reports for sessions that are not configured, by their records' keys, where these are not found elsewhere. */
  private readonly reports = new Map<string, UntoldReportRecord>();
  private readonly chains = new Set<Order>();
  private latestChains: Order[] = [];
  /** Ended chains in the order in which they may leave memory. */
  private readonly retired = new AgedSet<Order>();
  private left = 0;
  private readonly ended: EndedOrders | null;
  private readonly endedInMemoryMax: number;

  /** @param ended where ended orders are found once they left memory; null keeps all of them */
  constructor(ended: EndedOrders | null = null, endedInMemoryMax = ENDED_IN_MEMORY_MAX) {
    this.ended = ended;
    this.endedInMemoryMax = endedInMemoryMax;
  }

  /** Enter a new or recovered chain under everything it is known by. */
  add(order: Order): void {
    this.latestChains.push(order);
    if (this.latestChains.length >= 2 * LATEST_MAX) this.latestChains = this.latestChains.slice(-LATEST_MAX);
    this.enter(order);
    if (isTerminal(order.state)) return;
    this.openOf(order.sessionId).add(order);
    this.countOpen(order, 1);
  }

  private enter(order: Order): void {
    this.chains.add(order);
    for (const clOrdID of namesIn(order.clOrdIDs)) this.byClOrdID.set(order.sessionId, clOrdID, order);
    for (const reference of namesIn(order.references)) this.addReference(order, reference);
    if (order.exchangeOrderId !== null) this.byExchangeOrderId.set(order.exchangeOrderId, order);
    for (const orderId of order.earlierLegs) this.byExchangeOrderId.set(orderId, order);
  }

  /** An ended chain with nothing outstanding, on record under its keys, may leave memory; the oldest ones do. */
  retire(order: Order): void {
    if (this.ended === null) return;
    // The least recently used one leaves first.
    this.retired.add(order);
    if (this.retired.size <= this.endedInMemoryMax) return;
    const oldest = this.retired.takeOldest();
    if (oldest !== undefined && isDone(oldest)) this.leave(oldest);
  }

  private leave(order: Order): void {
    this.left++;
    this.chains.delete(order);
    for (const clOrdID of namesIn(order.clOrdIDs)) this.byClOrdID.delete(order.sessionId, clOrdID);
    for (const reference of namesIn(order.references)) this.byReference.delete(order.tradingAccountId, reference);
    if (order.exchangeOrderId !== null) this.byExchangeOrderId.delete(order.exchangeOrderId);
    for (const orderId of order.earlierLegs) this.byExchangeOrderId.delete(orderId);
  }

  /** The ended order under a key, back in memory; null if there is none that `fits`. */
  private recall(key: string, fits: (order: Order) => boolean): Order | null {
    const record = this.recallRecord(key);
    // Keys are found by fingerprint: a record of something else is no answer.
    if (record?.kind !== 'order' || !fits(record.order) || !isTerminal(record.order.state)) return null;
    this.left--;
    this.enter(record.order);
    this.retire(record.order);
    return record.order;
  }

  addClOrdID(order: Order, clOrdID: string): void {
    this.byClOrdID.set(order.sessionId, clOrdID, order);
  }

  addReference(order: Order, reference: string): void {
    this.byReference.set(order.tradingAccountId, reference, order);
  }

  addExchangeOrderId(order: Order, orderId: string): void {
    this.byExchangeOrderId.set(orderId, order);
  }

  addCommand(commandId: string, order: Order): void {
    this.byCommand.set(commandId, order);
    runOf(order).commandIds = [...order.run.commandIds, commandId];
  }

  /** The order of a command under way, or null. */
  commandOrder(commandId: string): Order | null {
    return this.byCommand.get(commandId) ?? null;
  }

  /** The order of a command under way; the entry is removed. */
  takeCommand(commandId: string): Order | null {
    const order = this.byCommand.get(commandId);
    if (order === undefined) return null;
    this.byCommand.delete(commandId);
    return order;
  }

  addLookup(lookupId: string, order: Order): void {
    this.byLookup.set(lookupId, order);
  }

  findLookup(lookupId: string): Order | null {
    return this.byLookup.get(lookupId) ?? null;
  }

  takeLookup(lookupId: string): Order | null {
    const order = this.byLookup.get(lookupId);
    if (order === undefined) return null;
    this.byLookup.delete(lookupId);
    return order;
  }

  /** Enter a known chain, closed before, as an open one of the session that it has now (rule O11). */
  reopen(order: Order): void {
    this.enter(order);
    this.openOf(order.sessionId).add(order);
    this.countOpen(order, 1);
  }

  /** Take a chain that ended, or changes hands, out of the open ones. */
  close(order: Order): void {
    if (this.open.get(order.sessionId)?.delete(order) === true) this.countOpen(order, -1);
  }

  /** Drop an external order that turned out to be another order, which owns its id from now on. */
  forget(order: Order): void {
    this.close(order);
    this.chains.delete(order);
    this.latestChains = this.latestChains.filter((chain) => chain !== order);
    for (const [lookupId, asked] of this.byLookup) if (asked === order) this.byLookup.delete(lookupId);
    order.run = AT_REST;
  }

  findByClOrdID(sessionId: string, clOrdID: string): Order | null {
    const order = this.byClOrdID.get(sessionId, clOrdID);
    if (order !== undefined || this.ended === null) return order ?? null;
    const fits = (found: Order): boolean => found.sessionId === sessionId && namesIn(found.clOrdIDs).includes(clOrdID);
    return this.recall(clOrdIDKey(sessionId, clOrdID), fits);
  }

  findByReference(tradingAccountId: string, reference: string): Order | null {
    const order = this.byReference.get(tradingAccountId, reference);
    if (order !== undefined || this.ended === null) return order ?? null;
    return this.recall(
      referenceKey(tradingAccountId, reference),
      (found) => found.tradingAccountId === tradingAccountId && namesIn(found.references).includes(reference),
    );
  }

  findByExchangeOrderId(orderId: string): Order | null {
    const order = this.byExchangeOrderId.get(orderId);
    if (order !== undefined || this.ended === null) return order ?? null;
    const fits = (found: Order): boolean => found.exchangeOrderId === orderId || found.earlierLegs.includes(orderId);
    return this.recall(exchangeOrderIdKey(orderId), fits);
  }

  /** The order that the exchange calls by this id, of those in memory. */
  named(orderId: string): Order | null {
    return this.byExchangeOrderId.get(orderId) ?? null;
  }

  /**
   * The chain that an exchange event names. An event that precedes the command's answer names an order that still waits
   * for its id; ended orders are not searched for it.
   */
  findSpokenOf(orderId: string, tradingAccountId: string, reference: string | null): Order | null {
    const named = this.byExchangeOrderId.get(orderId);
    if (named !== undefined && named.sessionId !== ELSEWHERE) return named;
    const waiting = reference === null ? undefined : this.byReference.get(tradingAccountId, reference);
    if (waiting?.exchangeOrderId === null) return waiting;
    if (named !== undefined) return named;
    const order = this.findByExchangeOrderId(orderId);
    return order !== null || reference === null ? order : this.findByReference(tradingAccountId, reference);
  }

  /** Open orders of a session, oldest first. */
  openOrders(sessionId: string): ReadonlySet<Order> {
    return this.openOf(sessionId);
  }

  /** Orders entered elsewhere belong to no session: they are not among these (rule O11). */
  *sessionsWithOpenOrders(): Generator<string> {
    for (const sessionId of this.open.keys()) if (sessionId !== ELSEWHERE) yield sessionId;
  }

  all(): Iterable<Order> {
    return this.chains;
  }

  /** The latest chains, the oldest of them first; bounded. */
  latest(): readonly Order[] {
    return this.latestChains;
  }

  openOrderCount(sessionId: string): number {
    return this.open.get(sessionId)?.size ?? 0;
  }

  /** Chains known since the start, those that left memory included. */
  get size(): number {
    return this.chains.size + this.left;
  }

  /** Open orders of a trading account, whichever session entered them. */
  openOrderCountOf(tradingAccountId: string): number {
    return this.openOfAccount.get(tradingAccountId) ?? 0;
  }

  get commandsInFlight(): number {
    return this.byCommand.size;
  }

  /** Whether a ClOrdID was used by a mass cancel of the session. */
  isMassCancel(sessionId: string, clOrdID: string): boolean {
    if (this.massCancels.has(chainKey(sessionId, clOrdID))) return true;
    const record = this.recallRecord(massCancelKey(sessionId, clOrdID));
    return record?.kind === 'massCancel' && record.sessionId === sessionId && record.clOrdID === clOrdID;
  }

  /** True if the ClOrdID was used by a mass cancel of the session, or by an order with an unreadable record. */
  isUsedOtherwise(sessionId: string, clOrdID: string): boolean {
    if (this.isMassCancel(sessionId, clOrdID)) return true;
    if (this.unreadable.size === 0) return false;
    return (
      this.unreadable.has(clOrdIDKey(sessionId, clOrdID)) || this.unreadable.has(massCancelKey(sessionId, clOrdID))
    );
  }

  /** Whether an order had this reference, be its record readable or not. */
  isReferenceUsed(tradingAccountId: string, reference: string): boolean {
    if (this.findByReference(tradingAccountId, reference) !== null) return true;
    return this.unreadable.size > 0 && this.unreadable.has(referenceKey(tradingAccountId, reference));
  }

  addMassCancel(sessionId: string, clOrdID: string): void {
    this.massCancels.add(chainKey(sessionId, clOrdID));
    if (this.ended !== null && this.massCancels.size > IDS_IN_MEMORY_MAX) this.massCancels.takeOldest();
  }

  /** A list of orders by its record's key, or null. */
  list(key: string): ListRecord | null {
    const list = this.lists.get(key);
    if (list !== undefined) return list;
    const record = this.recallRecord(key);
    return record?.kind === 'list' && record.key === key ? record : null;
  }

  keepList(record: ListRecord): void {
    this.lists.set(record.key, record);
    if (this.ended === null || this.lists.size <= IDS_IN_MEMORY_MAX) return;
    for (const [key, { done }] of this.lists) {
      if (!done) continue;
      this.lists.delete(key);
      return;
    }
  }

  /** Lists of a session with an unreported end. */
  openLists(sessionId: string): ListRecord[] {
    return [...this.lists.values()].filter((list) => list.sessionId === sessionId && !list.done);
  }

  /** A record that needs no memory, by its key; null if there is none, or none that can be read. */
  record(key: string): GatewayRecord | null {
    return this.reports.get(key) ?? this.recallRecord(key);
  }

  /** Keep a record in memory where there is nowhere else to find it. */
  keepRecord(record: UntoldReportRecord): void {
    if (this.ended === null) this.reports.set(record.key, record);
  }

  forgetRecord(key: string): void {
    this.reports.delete(key);
  }

  private recallRecord(key: string): GatewayRecord | null {
    const text = this.ended?.find(key) ?? null;
    if (text === null) return null;
    const record = text === UNREADABLE ? null : readRecord(text, this.parts);
    if (record === null) this.keepUsed([key]);
    return record;
  }

  /** There is, or was, something under these keys that cannot be read. */
  keepUsed(keys: readonly string[]): void {
    for (const key of keys) this.unreadable.add(key);
    while (this.unreadable.size > IDS_IN_MEMORY_MAX) this.unreadable.takeOldest();
  }

  /** Keep a trade that names no reference until its order's exchange id is known. Most are of orders that never become ours. */
  keepEarlyTrade(trade: ExchangeTrade): void {
    const kept = this.earlyTrades.get(trade.orderId);
    if (kept === undefined) this.earlyTrades.set(trade.orderId, [trade]);
    else kept.push(trade);
    this.earlyTradeCount++;
    while (this.earlyTradeCount > EARLY_TRADES_MAX) this.takeEarlyTrades(this.earlyTrades.keys().next().value!);
  }

  /** The trades kept for an exchange order id; they are no longer kept. */
  takeEarlyTrades(orderId: string): readonly ExchangeTrade[] {
    const kept = this.earlyTrades.get(orderId);
    if (kept === undefined) return [];
    this.earlyTrades.delete(orderId);
    this.earlyTradeCount -= kept.length;
    return kept;
  }

  /** The exchange spoke of an order by its own id alone. */
  noteNameless(orderId: string): void {
    this.nameless.set(orderId, true);
  }

  /** Whether it may have, before that id was anybody's here. */
  wasNameless(orderId: string): boolean {
    return this.nameless.has(orderId);
  }

  private countOpen({ sessionId, tradingAccountId }: Order, change: 1 | -1): void {
    // Followed only where a drop copy wants them: no limit counts them (rules O11, O12).
    if (sessionId === ELSEWHERE) return;
    this.openOfAccount.set(tradingAccountId, (this.openOfAccount.get(tradingAccountId) ?? 0) + change);
  }

  private openOf(sessionId: string): Set<Order> {
    let orders = this.open.get(sessionId);
    if (orders === undefined) {
      orders = new Set();
      this.open.set(sessionId, orders);
    }
    return orders;
  }
}
