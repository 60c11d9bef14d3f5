// The gateway machine: takes one input at a time and says what follows from it. Only dispatch, timers and recovery are
// here, and what others may look at; types of messages are in message-types.ts, decisions in the files named after them.

import { unreachable } from '../base/assert.ts';
import { CLOCK_SET_BACK_MS, type EpochMs } from '../base/time.ts';
import type { AuctionPhase } from '../exchange/mod.ts';
import { type MessageView, Tag } from '../wire/mod.ts';
import { adoptOrder, adoptProblem } from './adopt-order.ts';
import type { UntoldAlarms } from './alarm-pace.ts';
import { clockSetBack } from './clock-set-back.ts';
import { handleErrorNotice, handleLookedUp, handleOutcome } from './command-outcome.ts';
import type { GatewayConfig, GatewaySessionConfig } from './config.ts';
import { ELSEWHERE } from './copy-selection.ts';
import { switchesDueAt, tendSwitches } from './dead-mans-switch.ts';
import { beginLiquidations } from './drop-copy.ts';
import type { GatewayEffect } from './effect.ts';
import type { EndedOrders } from './ended-orders.ts';
import {
  forgetPhasesUntold,
  handleAuctionPhase,
  handleFeed,
  handleOrderFrame,
  handlePhaseUnknown,
  handleReconciled,
  handleTrade,
} from './exchange-input.ts';
import type { Adoption, GatewayInput } from './input.ts';
import { killSwitchOn } from './kill-refusal.ts';
import { type KillSwitchView, killSwitchViews, liftKillSwitch, throwKillSwitch } from './kill-switch.ts';
import {
  endMarketData,
  handleMarketData,
  marketDataDueAt,
  newAuctionPhase,
  reviseMarketData,
  tickMarketData,
} from './market-data.ts';
import { handleMessage } from './message-types.ts';
import { endListOf } from './new-order-list.ts';
import { isTerminal, type Order } from './order.ts';
import { orderDue } from './order-due.ts';
import { type FoundOrders, type OrderFilter, searchOrders } from './order-search.ts';
import {
  type OrderCounts,
  type OrderOwners,
  type OrderSnapshot,
  openOrderOwners,
  orderCounts,
  snapshotOf,
} from './order-view.ts';
import { PIECE_ORDERS } from './pieces.ts';
import { putAside, rearmRecovered, recover } from './recovery.ts';
import { resolveOrder, resolveProblem } from './resolve-order.ts';
import { tellAuction, tellStatus } from './security-status.ts';
import { cancelAllOf, handleSessionDown, handleSessionUp } from './session-end.ts';
import type { SessionState } from './session-state.ts';
import { GatewayState, Turn } from './state.ts';
import { answerQueries } from './status-request.ts';
import { adoptStrays, type StrayReferences, strayReferences } from './stray-references.ts';
import { tellReturned } from './tell-untold.ts';
import { dropHeld, forget, holdThrottled, refuseThrottled } from './throttled-message.ts';
import { followStatus, leaveStatus, tellMarketsUnasked, tellPlatformUnasked } from './unasked-status.ts';
import type { UnreadableRecord } from './unreadable-record.ts';

export class Gateway {
  private readonly state: GatewayState;
  /** Recovered orders whose timers wait for the first time that the machine is told. */
  private needsRearming: boolean;
  /** Time of the last input that was no market data. */
  private toldAt: EpochMs = 0;
  /** More orders are due than fit a turn: they are a piece of work. */
  private dueWait = false;

  /**
   * @param recovered last record per key, as a journal gave them back, but for those that ended: these are found in `ended`;
   *   without it every ended order stays in memory; `lostBytes` of the journal could not be read, default none
   * @throws AssertionError if a session has no limits (rule O12) or speaks a version that carries no orders
   */
  constructor(
    config: GatewayConfig,
    recovered: {
      readonly orders: ReadonlyMap<string, string>;
      readonly ended?: EndedOrders;
      readonly lostBytes?: number;
    },
  ) {
    this.state = new GatewayState(config, recovered.ended ?? null);
    recover(this.state, recovered.orders, recovered.lostBytes ?? 0);
    this.needsRearming = recovered.orders.size > 0;
  }

  /** Handle one input; the effects are to be carried out in order before the next input. */
  handle(input: GatewayInput, now: EpochMs): GatewayEffect[] {
    const turn = new Turn(this.state, now);
    if (input.kind === 'marketData' || input.kind === 'marketDataRoom' || input.kind === 'marketDataLost') {
      handleMarketData(turn, input);
      return turn.published();
    }
    if (this.toldAt - now >= CLOCK_SET_BACK_MS) clockSetBack(turn, this.toldAt - now);
    this.toldAt = now;
    if (this.needsRearming) {
      this.needsRearming = false;
      rearmRecovered(turn);
    }
    beginLiquidations(turn);
    if (this.state.untold.size > 0) tellReturned(turn);
    this.dispatch(turn, input);
    for (const order of turn.ended()) this.orderEnded(turn, order);
    if (this.state.deadMansSwitches.size > 0) tendSwitches(turn);
    return turn.finish();
  }

  /** A price that was heard before the next input: of a day that is replayed, those that something was checked against. */
  heardPrice(symbol: string, price: string, at: EpochMs): void {
    this.state.board.setReferencePrice(symbol, price, at);
  }

  /** Whatever waits for the end of an order. */
  private orderEnded(turn: Turn, order: Order): void {
    answerQueries(turn, order, true);
    const session = this.state.sessions.get(order.sessionId);
    const listID = order.echo.fields.find(([tag]) => tag === Tag.ListID)?.[1];
    if (session !== undefined && listID !== undefined) endListOf(turn, session, listID);
  }

  /** When the machine next wants a `tick`, or null. 0 before the first input if orders were recovered. */
  deadline(): EpochMs | null {
    if (this.needsRearming) return 0;
    let at = this.dueWait ? null : this.state.timers.earliest();
    const heldAt = this.state.held.earliest();
    if (heldAt !== null && (at === null || heldAt < at)) at = heldAt;
    const marketDataAt = marketDataDueAt(this.state.marketData);
    if (marketDataAt !== null && (at === null || marketDataAt < at)) at = marketDataAt;
    const switchAt = switchesDueAt(this.state);
    if (switchAt !== null && (at === null || switchAt < at)) at = switchAt;
    const haltAt = this.state.unasked.dueAt;
    if (haltAt !== null && (at === null || haltAt < at)) at = haltAt;
    const paceAt = this.state.alarmPace.dueAt();
    if (paceAt !== null && (at === null || paceAt < at)) at = paceAt;
    const { dueAt: pieceAt } = this.state.pieces;
    if (pieceAt !== null && (at === null || pieceAt < at)) at = pieceAt;
    for (const endsAt of this.state.graces.values()) if (at === null || endsAt < at) at = endsAt;
    return at;
  }

  /** Records that could not be read at the start and keep somebody out until they are put aside. */
  unreadable(): readonly UnreadableRecord[] {
    return [...this.state.unreadable.values()].filter(({ sessionId }) => sessionId !== ELSEWHERE);
  }

  /** Whether a message that waited for its turn is taken with the next tick (rule S7). */
  releasesAt(now: EpochMs): boolean {
    const at = this.state.held.earliest();
    return at !== null && at <= now;
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

  /** One order by any ClOrdID(11) of its chain, or null. */
  findOrder(sessionId: string, clOrdID: string): OrderSnapshot | null {
    const order = this.state.registry.findByClOrdID(sessionId, clOrdID);
    return order === null ? null : this.snapshot(order);
  }

  /** One order by the exchange's id, or null. */
  findByOrderID(exchangeOrderId: string): OrderSnapshot | null {
    const order = this.state.registry.findByExchangeOrderId(exchangeOrderId);
    return order === null ? null : this.snapshot(order);
  }

  /** Auction phases as last heard of a symbol, for the console. */
  phase(symbol: string): AuctionPhase | null {
    return this.state.board.phase(symbol);
  }

  /** Orders that match, the latest first; bounded in what it costs, whatever the number of orders. */
  search(filter: OrderFilter): FoundOrders {
    return searchOrders(this.state, filter);
  }

  /** How many orders there are, by state; costs a look at every open order. */
  counts(): OrderCounts {
    return orderCounts(this.state.registry);
  }

  /** Kill switches that are on (rule O12). */
  killSwitches(): KillSwitchView[] {
    return killSwitchViews(this.state);
  }

  /** That a kill switch of a trading account, or of everything, is on, in words; null if none is. */
  killSwitchOf(tradingAccountId: string): string | null {
    return killSwitchOn(this.state, '', tradingAccountId);
  }

  /** Why an order cannot be ended by hand, in words; null if it can. */
  resolveProblem(sessionId: string, clOrdID: string): string | null {
    return resolveProblem(this.state, sessionId, clOrdID);
  }

  /** Why a session cannot take over an order that nobody here entered, in words; null if it can (rule O11). */
  adoptProblem(adoption: Adoption): string | null {
    return adoptProblem(this.state, adoption);
  }

  /** Whose orders are open, whether or not they are configured any more. */
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

  /** Whether the private stream of an exchange login is subscribed and live. */
  isPrivateFeedLive(credential: string): boolean {
    return this.state.board.isLive(credential);
  }

  /** Whether a trading account was compared with the exchange, and nothing newer than the journal was found (rule J3). */
  isReconciled(tradingAccountId: string): boolean {
    return this.state.accounts.get(tradingAccountId)?.reconciled === true;
  }

  /** What the exchange has more than the journal (rule J3); empty if it is as new. */
  strayReferences(): StrayReferences[] {
    return strayReferences(this.state);
  }

  /** Add a session or replace its settings at run time; its orders stay. @throws AssertionError as the constructor */
  applyConfig(session: GatewaySessionConfig): void {
    this.state.setSession(session);
    reviseMarketData(this.state, session.sessionId);
  }

  private snapshot(order: Order): OrderSnapshot {
    return snapshotOf(order, this.state.sessions.get(order.sessionId) ?? null, this.state.board);
  }

  private dispatch(turn: Turn, input: GatewayInput): void {
    const { state } = this;
    switch (input.kind) {
      case 'message':
        this.message(turn, input.sessionId, input.view, input.possDup, input.waited === true);
        break;
      case 'throttled': {
        const session = this.session(turn, input.sessionId);
        if (session === null) break;
        if (input.excess === 'hold') holdThrottled(turn, session, input.view, input.possDup, input.waitMs);
        else refuseThrottled(turn, session, input.view, input.waitMs);
        break;
      }
      case 'sessionUp': {
        const session = this.session(turn, input.sessionId);
        if (session === null) break;
        handleSessionUp(turn, session);
        followStatus(turn, session);
        break;
      }
      case 'sessionDown': {
        const session = this.session(turn, input.sessionId);
        if (session === null) break;
        state.subscriptions.clear(input.sessionId);
        leaveStatus(turn, input.sessionId);
        endMarketData(turn, input.sessionId);
        handleSessionDown(turn, session, input.end);
        break;
      }
      case 'outcome':
        handleOutcome(turn, input.commandId, input.outcome);
        break;
      case 'lookedUp':
        handleLookedUp(turn, input.lookupId, input.outcome);
        break;
      case 'order':
        handleOrderFrame(turn, input.order);
        break;
      case 'trade':
        handleTrade(turn, input.trade);
        break;
      case 'errorNotice':
        handleErrorNotice(turn, input.notice);
        break;
      case 'phase':
        if (!handleAuctionPhase(turn, input.phase)) break;
        newAuctionPhase(turn, input.phase);
        tellAuction(turn, input.phase);
        tellStatus(turn);
        break;
      case 'phaseUnknown':
        handlePhaseUnknown(turn, input.symbol);
        tellStatus(turn);
        break;
      case 'markets':
        for (const symbol of state.board.setMarkets(input.markets)) {
          turn.alarm('market-unreadable', `Market ${symbol} has amounts that cannot be read; it takes no orders`, null);
        }
        forgetPhasesUntold(turn);
        tellStatus(turn);
        tellMarketsUnasked(turn);
        break;
      case 'referencePrice':
        state.board.setReferencePrice(input.symbol, input.price, turn.now);
        break;
      case 'feed':
        handleFeed(turn, input.credential, input.feed, input.live);
        tellStatus(turn);
        tellPlatformUnasked(turn);
        break;
      case 'account':
        state.account(input.tradingAccountId, input.credential);
        break;
      case 'reconciled':
        handleReconciled(turn, input.tradingAccountId, input.ok);
        break;
      case 'journal':
        state.journalHealthy = input.healthy;
        break;
      case 'killSwitch':
        if (input.action === 'throw') throwKillSwitch(turn, input);
        else liftKillSwitch(turn, input);
        break;
      case 'resolve':
        resolveOrder(turn, input.sessionId, input.clOrdID, input.who, input.why);
        break;
      case 'adoptOrder':
        adoptOrder(turn, input.adoption, input.who, input.why);
        break;
      case 'putAside':
        putAside(turn, input.sessionId);
        break;
      case 'adoptJournal':
        adoptStrays(turn, input.who, input.why);
        break;
      case 'marketData':
      case 'marketDataRoom':
      case 'marketDataLost':
        // Taken before: they change no order.
        break;
      case 'lastWords':
        this.tellUntold(turn, state.alarmPace.takeAll());
        break;
      case 'shutdown':
        state.shuttingDown = true;
        dropHeld(turn, null, 'the gateway is shutting down');
        break;
      case 'tick':
        this.tick(turn);
        break;
      default:
        unreachable(input);
    }
  }

  private session(turn: Turn, sessionId: string): SessionState | null {
    const session = this.state.sessions.get(sessionId);
    if (session === undefined) turn.note('warn', 'input of a session that is not configured', { session: sessionId });
    return session ?? null;
  }

  private message(turn: Turn, sessionId: string, view: MessageView, possDup: boolean, waited: boolean): void {
    const session = this.session(turn, sessionId);
    if (session !== null) handleMessage(turn, session, view, possDup, waited);
  }

  private tick(turn: Turn): void {
    this.state.pieces.take(turn.now)?.(turn);
    const haltAt = this.state.unasked.dueAt;
    if (haltAt !== null && haltAt <= turn.now) tellPlatformUnasked(turn);
    for (let held = this.state.held.takeDue(turn.now); held !== null; held = this.state.held.takeDue(turn.now)) {
      forget(turn, held);
      this.message(turn, held.sessionId, held.view, held.possDup, true);
    }
    for (const [sessionId, endsAt] of this.state.graces) {
      const session = endsAt <= turn.now ? this.state.sessions.get(sessionId) : undefined;
      if (session !== undefined) cancelAllOf(turn, session);
    }
    tickMarketData(turn);
    if (!this.dueWait) this.ordersDue(turn);
    this.tellUntold(turn, this.state.alarmPace.takeDue(turn.now));
  }

  /** Orders that fall due, as many as fit a turn: thousands may at the same moment. */
  private ordersDue(turn: Turn): void {
    const { timers, pieces } = this.state;
    this.dueWait = false;
    for (let handled = 0; handled < PIECE_ORDERS; handled++) {
      const order = timers.takeDue(turn.now);
      if (order === null) return;
      orderDue(turn, order);
      turn.rearm(order);
    }
    this.dueWait = true;
    pieces.add('', turn.now, (next) => this.ordersDue(next));
  }

  private tellUntold(turn: Turn, untold: readonly UntoldAlarms[]): void {
    for (const { alarm, tradingAccountId, count, clOrdIDs } of untold) {
      const text = `${count} more orders of account ${tradingAccountId}, as told of the ones before`;
      turn.alarm(alarm, text, null, { tradingAccountId, clOrdIDs: clOrdIDs.join(',') });
    }
  }
}
