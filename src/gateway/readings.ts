// Read access to the gateway machine between two inputs, for console, administration and measurements. It changes
// nothing and returns copies.

import type { EpochMs } from '../base/time.ts';
import type { AuctionPhase, CancelCommand, Noii } from '../exchange/mod.ts';
import { SharedParts } from './book/interning.ts';
import { isTerminal, type Order } from './book/order.ts';
import { readRecord } from './book/order-record.ts';
import { adoptProblem } from './lifecycle/adopt-order.ts';
import { type StrayReferences, strayReferences } from './lifecycle/foreign-references.ts';
import { type KillSwitchView, killSwitchViews } from './lifecycle/kill-switch.ts';
import { needsLookup } from './lifecycle/order-lookup.ts';
import { type FoundOrders, type OrderFilter, searchOrders } from './lifecycle/order-search.ts';
import {
  type OrderCounts,
  type OrderOwners,
  type OrderSnapshot,
  openOrderOwners,
  orderCounts,
  snapshotOf,
} from './lifecycle/order-view.ts';
import { resolveProblem } from './lifecycle/resolve-order.ts';
import { delayedCancelRefusal } from './rules/callers-switch.ts';
import { killSwitchOn } from './rules/kill-switch-check.ts';
import { legRefusal, type NegotiatedLeg, tradeRefusal } from './rules/risk-limits.ts';
import { ELSEWHERE } from './state/drop-copy-scope.ts';
import type { GatewayState } from './state/state.ts';
import type { UnreadableRecord } from './state/unreadable-record.ts';
import type { Adoption } from './vocabulary/input.ts';
import type { PlannedStop } from './vocabulary/news.ts';

/** Queries of the gateway at any time; callers receive `Gateway` as this. */
export class GatewayReadings {
  protected readonly state: GatewayState;

  constructor(state: GatewayState) {
    this.state = state;
  }

  /** Records that could not be read at the start and keep somebody out until they are put aside. */
  unreadable(): readonly UnreadableRecord[] {
    return [...this.state.unreadable.values()].filter(({ sessionId }) => sessionId !== ELSEWHERE);
  }

  /** Whether no order waits for the answer to a command: new, cancelled or replaced (rule U5). */
  settled(): boolean {
    if (this.state.pieces.dueAt !== null) return false;
    for (const sessionId of this.state.registry.sessionsWithOpenOrders()) {
      for (const order of this.state.registry.openOrders(sessionId)) {
        if (order.state === 'A' || order.requests.length > 0 || order.cancelWanted !== null) return false;
      }
    }
    return true;
  }

  /** Copies of all known orders, oldest first; `openOnly` leaves out the ended ones. */
  *orders(filter: { readonly sessionId?: string; readonly openOnly?: boolean } = {}): Generator<OrderSnapshot> {
    for (const order of this.state.registry.all()) {
      if (filter.sessionId !== undefined && filter.sessionId !== order.sessionId) continue;
      if (filter.openOnly === true && isTerminal(order.state)) continue;
      yield this.snapshot(order);
    }
  }

  /** The exchange's names of the markets that open orders are in, those of orders entered elsewhere included. */
  openSymbols(): Set<string> {
    const { registry } = this.state;
    const symbols = new Set<string>();
    for (const sessionId of [...registry.sessionsWithOpenOrders(), ELSEWHERE]) {
      for (const { terms } of registry.openOrders(sessionId)) symbols.add(terms.exchangeSymbol);
    }
    return symbols;
  }

  /** One order by any ClOrdID(11) of its chain, or null. */
  findOrder(sessionId: string, clOrdID: string): OrderSnapshot | null {
    const order = this.state.registry.findByClOrdID(sessionId, clOrdID);
    return order === null ? null : this.snapshot(order);
  }

  /** The command that cancels an order, and the exchange login that sends it; null without an OrderID(37), or for no order. */
  cancelOf(sessionId: string, clOrdID: string): { credential: string; command: CancelCommand } | null {
    const order = this.state.registry.findByClOrdID(sessionId, clOrdID);
    if (order === null || order.exchangeOrderId === null) return null;
    const { credential, tradingAccountId, exchangeOrderId: orderId, terms } = order;
    const { exchangeSymbol: symbol } = terms;
    return { credential, command: { kind: 'cancelOrder', tradingAccountId, symbol, orderId, clientOrderId: null } };
  }

  /** One order by the exchange's id, or null. */
  findByOrderID(exchangeOrderId: string): OrderSnapshot | null {
    const order = this.state.registry.findByExchangeOrderId(exchangeOrderId);
    return order === null ? null : this.snapshot(order);
  }

  /** The order of a journal's record, as it ended; null if the text is none. */
  orderOfRecord(text: string): OrderSnapshot | null {
    const record = readRecord(text, new SharedParts());
    return record?.kind === 'order' ? this.snapshot(record.order) : null;
  }

  /** Auction phases as last heard of a symbol, for the console. */
  phase(symbol: string): AuctionPhase | null {
    return this.state.board.phase(symbol);
  }

  /** Matching orders, the latest first; bounded in cost for any number of orders. */
  search(filter: OrderFilter): FoundOrders {
    return searchOrders(this.state, filter);
  }

  /** How many orders there are, by state; costs a look at every open order. */
  counts(): OrderCounts {
    return orderCounts(this.state.registry);
  }

  /** Whether a session is logged on. */
  isUp(sessionId: string): boolean {
    return this.state.sessions.get(sessionId)?.isUp === true;
  }

  /** The stop that operators announced, or null. */
  plannedStop(): PlannedStop | null {
    return this.state.plannedStop;
  }

  /** Kill switches that are on (rule O12). */
  killSwitches(now: EpochMs): KillSwitchView[] {
    return killSwitchViews(this.state, now);
  }

  /** That a kill switch of a trading account, or of everything, is on, in words; null if none is. */
  killSwitchOf(tradingAccountId: string): string | null {
    return killSwitchOn(this.state, '', tradingAccountId);
  }

  /**
   * The limit of its trading account that a leg of a negotiated trade breaks, in words; null if it breaks none (rule O12).
   * @param followPrice has the reference price of a symbol followed, which is wanting
   */
  legRefusal(
    tradingAccountId: string,
    leg: NegotiatedLeg,
    now: EpochMs,
    followPrice: (symbol: string) => void,
  ): string | null {
    return legRefusal({ state: this.state, steady: this.state.time.peek(now), followPrice }, tradingAccountId, leg);
  }

  /** The same of the legs of a negotiated trade together. */
  tradeRefusal(tradingAccountId: string, legs: readonly NegotiatedLeg[], now: EpochMs): string | null {
    return tradeRefusal({ state: this.state, steady: this.state.time.peek(now) }, tradingAccountId, legs);
  }

  /** Why an account takes no delayed cancel-all over the bridge, in words; null if it does (rules B5, C2). */
  delayedCancelRefusal(tradingAccountId: string): string | null {
    return delayedCancelRefusal(this.state, tradingAccountId);
  }

  /** Why an order cannot be ended by hand, in words; null if it can. */
  resolveProblem(sessionId: string, clOrdID: string): string | null {
    return resolveProblem(this.state, sessionId, clOrdID);
  }

  /** Why a session cannot adopt an external order, in words; null if it can (rule O11). */
  adoptProblem(adoption: Adoption): string | null {
    return adoptProblem(this.state, adoption);
  }

  /** Sessions with open orders, also those no longer configured. */
  openOrderOwners(): OrderOwners {
    return openOrderOwners(this.state.registry);
  }

  openOrderCount(sessionId: string): number {
    return this.state.registry.openOrderCount(sessionId);
  }

  /** The last phase heard of every auction. */
  phases(): AuctionPhase[] {
    return this.state.board.allPhases();
  }

  /** The last imbalance heard of the present auction of a symbol, or null. */
  imbalance(symbol: string): Noii | null {
    return this.state.marketData.board.noii(symbol);
  }

  /** Whether the private stream of an exchange login is subscribed and live. */
  isPrivateFeedLive(credential: string): boolean {
    return this.state.board.isLive(credential);
  }

  /** Whether a trading account was compared with the exchange, and nothing newer than the journal was found (rule J3). */
  isReconciled(tradingAccountId: string): boolean {
    return this.state.accounts.get(tradingAccountId)?.reconciled === true;
  }

  /** Whether a look-up that has no answer is needed still: the stream may have settled its order meanwhile. */
  isLookupWanted(lookupId: string): boolean {
    const order = this.state.registry.findLookup(lookupId);
    return order !== null && needsLookup(this.state, order);
  }

  /** Surplus of the exchange over the journal (rule J3); empty if none. */
  strayReferences(): StrayReferences[] {
    return strayReferences(this.state);
  }

  private snapshot(order: Order): OrderSnapshot {
    return snapshotOf(order, this.state.sessions.get(order.sessionId) ?? null, this.state.board);
  }
}
