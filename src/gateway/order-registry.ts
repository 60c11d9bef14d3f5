// Finds orders: by session and ClOrdID of any link of a chain, by exchange reference, by exchange order id, by command
// and look-up under way; and knows the open ones of each session. Leaves their content to order.ts.

import type { ExchangeTrade } from '../exchange/mod.ts';
import { isTerminal, type Order } from './order.ts';
import type { ListRecord } from './order-record.ts';

/** Trades of an order whose exchange id no acknowledgement has named yet; more are dropped, look-ups fetch them. */
const EARLY_TRADES_MAX = 1_000;

/** Chains that a search goes through, the latest ones; older ones that ended are found by their ids only. */
const LATEST_MAX = 10_000;

/** Key of a ClOrdID in its session's namespace, and of the record (rule O5). */
export function chainKey(sessionId: string, clOrdID: string): string {
  return `${sessionId}|${clOrdID}`;
}

export class OrderRegistry {
  private readonly byClOrdID = new Map<string, Order>();
  private readonly byReference = new Map<string, Order>();
  private readonly byExchangeOrderId = new Map<string, Order>();
  private readonly byCommand = new Map<string, Order>();
  private readonly byLookup = new Map<string, Order>();
  private readonly open = new Map<string, Set<Order>>();
  private readonly earlyTrades = new Map<string, ExchangeTrade[]>();
  private earlyTradeCount = 0;
  private readonly massCancels = new Set<string>();
  /** Lists of orders by their record's key. */
  readonly lists = new Map<string, ListRecord>();
  private readonly chains = new Set<Order>();
  private latestChains: Order[] = [];

  /** Enter a new or recovered chain under everything it is known by. */
  add(order: Order): void {
    this.chains.add(order);
    this.latestChains.push(order);
    if (this.latestChains.length >= 2 * LATEST_MAX) this.latestChains = this.latestChains.slice(-LATEST_MAX);
    for (const clOrdID of order.clOrdIDs) this.byClOrdID.set(chainKey(order.sessionId, clOrdID), order);
    for (const reference of order.references) this.addReference(order, reference);
    if (order.exchangeOrderId !== null) this.byExchangeOrderId.set(order.exchangeOrderId, order);
    for (const orderId of order.earlierLegs) this.byExchangeOrderId.set(orderId, order);
    if (!isTerminal(order.state)) this.openOf(order.sessionId).add(order);
  }

  addClOrdID(order: Order, clOrdID: string): void {
    this.byClOrdID.set(chainKey(order.sessionId, clOrdID), order);
  }

  addReference(order: Order, reference: string): void {
    this.byReference.set(`${order.tradingAccountId}/${reference}`, order);
  }

  addExchangeOrderId(order: Order, orderId: string): void {
    this.byExchangeOrderId.set(orderId, order);
  }

  addCommand(commandId: string, order: Order): void {
    this.byCommand.set(commandId, order);
    order.run.commandIds.add(commandId);
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

  takeLookup(lookupId: string): Order | null {
    const order = this.byLookup.get(lookupId);
    if (order === undefined) return null;
    this.byLookup.delete(lookupId);
    return order;
  }

  /** Take a chain that ended out of the open ones. */
  close(order: Order): void {
    this.open.get(order.sessionId)?.delete(order);
  }

  findByClOrdID(sessionId: string, clOrdID: string): Order | null {
    return this.byClOrdID.get(chainKey(sessionId, clOrdID)) ?? null;
  }

  findByReference(tradingAccountId: string, reference: string): Order | null {
    return this.byReference.get(`${tradingAccountId}/${reference}`) ?? null;
  }

  findByExchangeOrderId(orderId: string): Order | null {
    return this.byExchangeOrderId.get(orderId) ?? null;
  }

  /** Open orders of a session, oldest first. */
  openOrders(sessionId: string): ReadonlySet<Order> {
    return this.openOf(sessionId);
  }

  sessionsWithOpenOrders(): Iterable<string> {
    return this.open.keys();
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

  get size(): number {
    return this.chains.size;
  }

  get commandsInFlight(): number {
    return this.byCommand.size;
  }

  /** Whether a ClOrdID was used by a mass cancel of the session. */
  isMassCancel(sessionId: string, clOrdID: string): boolean {
    return this.massCancels.has(chainKey(sessionId, clOrdID));
  }

  addMassCancel(sessionId: string, clOrdID: string): void {
    this.massCancels.add(chainKey(sessionId, clOrdID));
  }

  /** Keep a trade that names no reference until its order's exchange id is known. False when the bound is reached. */
  keepEarlyTrade(trade: ExchangeTrade): boolean {
    if (this.earlyTradeCount >= EARLY_TRADES_MAX) return false;
    const kept = this.earlyTrades.get(trade.orderId);
    if (kept === undefined) this.earlyTrades.set(trade.orderId, [trade]);
    else kept.push(trade);
    this.earlyTradeCount++;
    return true;
  }

  /** The trades kept for an exchange order id; they are no longer kept. */
  takeEarlyTrades(orderId: string): readonly ExchangeTrade[] {
    const kept = this.earlyTrades.get(orderId);
    if (kept === undefined) return [];
    this.earlyTrades.delete(orderId);
    this.earlyTradeCount -= kept.length;
    return kept;
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
