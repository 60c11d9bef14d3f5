// The gateway machine: takes one input at a time and returns its effects. Only dispatch, timers and recovery are here.
// readings.ts has the read access, dispatch.ts message types, the files named after decisions the decisions.

import { unreachable } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import type { Order } from './book/order.ts';
import { handleMessage } from './dispatch.ts';
import { adoptOrder } from './lifecycle/adopt-order.ts';
import {
  cancelAllOf,
  handleSessionDown,
  handleSessionLeaving,
  handleSessionUp,
  resumeGraces,
} from './lifecycle/cancel-on-disconnect.ts';
import { handleErrorNotice, handleLookedUp, handleOutcome } from './lifecycle/command-outcome.ts';
import { tellReturned } from './lifecycle/deliver-pending.ts';
import { adoptStrays } from './lifecycle/foreign-references.ts';
import { liftKillSwitch, throwKillSwitch } from './lifecycle/kill-switch.ts';
import { orderDue } from './lifecycle/order-due.ts';
import { resolveOrder } from './lifecycle/resolve-order.ts';
import { tellAuction } from './market-data/auction-status.ts';
import {
  endDelisted,
  endMarketData,
  handleMarketData,
  marketDataDueAt,
  newAuctionPhase,
  reviseMarketData,
  tickMarketData,
} from './market-data/market-data.ts';
import { tellStatus } from './market-data/security-status.ts';
import {
  followStatus,
  leaveStatus,
  tellMarketsUnasked,
  tellPlatformUnasked,
} from './market-data/unsolicited-status.ts';
import { askAboutAccounts } from './positions/account-answers.ts';
import { GatewayReadings } from './readings.ts';
import { putAside, rearmRecovered, recover } from './recovery.ts';
import { tellLists } from './reference-data/security-list.ts';
import { beginLiquidations, recordNamed } from './reports/drop-copy.ts';
import { isOwed } from './reports/undelivered-reports.ts';
import { rejectBusiness } from './reports/unsupported-message.ts';
import { callersSwitchesDue, handleBridgeCancel } from './requests/bridge-cancel.ts';
import { endListOf, listOf, reopenListOf } from './requests/new-order-list.ts';
import { priceHeard, waitBehind } from './requests/price-wait.ts';
import { answerQueries } from './requests/status-request.ts';
import { dropHeld, holdThrottled, refuseThrottled, refuseUnhandled } from './requests/throttled-message.ts';
import { forget } from './requests/waiting-messages.ts';
import { switchesDueAt, tellSwitchesLeft, tendSwitches } from './rules/dead-mans-switch.ts';
import { answerBridgeRequest } from './services/bridge-request.ts';
import { newsDueAt, publishNews, repeatNews, tellPlannedStop, withdrawStop } from './services/news.ts';
import { answerUserRequest } from './services/user-request.ts';
import type { UntoldAlarms } from './state/alarm-throttle.ts';
import { PIECE_ORDERS } from './state/chunked-work.ts';
import type { SessionState } from './state/session-state.ts';
import { GatewayState, Turn } from './state/state.ts';
import { fromText } from './state/throttle-queue.ts';
import { tellTrade } from './trades/trade-request.ts';
import type { GatewayConfig, GatewaySessionConfig } from './vocabulary/config.ts';
import type { GatewayEffect } from './vocabulary/effect.ts';
import type { EndedOrders } from './vocabulary/ended-orders.ts';
import {
  forgetPhasesUntold,
  handleAuctionPhase,
  handleFeed,
  handleOrderFrame,
  handlePhaseUnknown,
  handleReconciled,
  handleTrade,
} from './vocabulary/exchange-input.ts';
import type { GatewayInput } from './vocabulary/input.ts';

export class Gateway extends GatewayReadings {
  /** Recovered orders with timers that wait for the machine's first time. */
  private needsRearming: boolean;
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
    super(new GatewayState(config, recovered.ended ?? null));
    recover(this.state, recovered.orders, recovered.lostBytes ?? 0);
    this.needsRearming = recovered.orders.size > 0;
  }

  /** Handle one input; the effects are to be carried out in order before the next input. */
  handle(input: GatewayInput, now: EpochMs): GatewayEffect[] {
    if (input.kind === 'marketData' || input.kind === 'marketDataRoom' || input.kind === 'marketDataLost') {
      // Not journaled: a replay must come to the same steady time without it.
      const turn = new Turn(this.state, now);
      handleMarketData(turn, input);
      return turn.published();
    }
    const { time } = this.state;
    const { aheadMs } = time;
    const turn = new Turn(this.state, now, time.advance(now));
    if (time.aheadMs > aheadMs) {
      const seconds = Math.round((time.aheadMs - aheadMs) / 1000);
      turn.alarm('clock-set-back', `The clock was set back by ${seconds} s`, null);
    }
    if (this.needsRearming) {
      this.needsRearming = false;
      rearmRecovered(turn);
    }
    beginLiquidations(turn);
    recordNamed(turn);
    if (this.state.gracesAside.length > 0) resumeGraces(turn);
    if (this.state.untold.size > 0) tellReturned(turn);
    this.dispatch(turn, input);
    for (const order of turn.late()) reopenListOf(turn, order);
    for (const order of turn.ended()) this.orderEnded(turn, order);
    if (this.state.deadMansSwitches.size > 0) tendSwitches(turn);
    return turn.finish();
  }

  /** A price that was heard before the next input: of a day that is replayed, those that something was checked against. */
  heardPrice(symbol: string, price: string, at: EpochMs): void {
    priceHeard(this.state, symbol, price, this.state.time.peek(at));
  }

  /** Whatever waits for the end of an order. */
  private orderEnded(turn: Turn, order: Order): void {
    answerQueries(turn, order, true);
    const session = this.state.sessions.get(order.sessionId);
    const listID = listOf(order);
    if (session === undefined || listID === undefined) return;
    // If its 8s wait behind the session's missed reports, N follows them.
    if (!isOwed(this.state, order.sessionId)) endListOf(turn, session, listID);
  }

  /** When the machine next wants a `tick`, or null. 0 before the first input if orders were recovered. */
  deadline(): EpochMs | null {
    if (this.needsRearming) return 0;
    const steady = this.steadyDeadline();
    const at = steady === null ? null : this.state.time.clockAt(steady);
    const newsAt = newsDueAt(this.state);
    return newsAt !== null && (at === null || newsAt < at) ? newsAt : at;
  }

  private steadyDeadline(): EpochMs | null {
    let at = this.dueWait ? null : this.state.timers.earliest();
    const heldAt = this.state.held.earliest();
    if (heldAt !== null && (at === null || heldAt < at)) at = heldAt;
    const marketDataAt = marketDataDueAt(this.state.marketData);
    if (marketDataAt !== null && (at === null || marketDataAt < at)) at = marketDataAt;
    const switchAt = switchesDueAt(this.state);
    if (switchAt !== null && (at === null || switchAt < at)) at = switchAt;
    const accountAt = this.state.accountSubscriptions.dueAt();
    if (accountAt !== null && (at === null || accountAt < at)) at = accountAt;
    const haltAt = this.state.unasked.dueAt;
    if (haltAt !== null && (at === null || haltAt < at)) at = haltAt;
    const paceAt = this.state.alarmPace.dueAt();
    if (paceAt !== null && (at === null || paceAt < at)) at = paceAt;
    const { dueAt: pieceAt } = this.state.pieces;
    if (pieceAt !== null && (at === null || pieceAt < at)) at = pieceAt;
    for (const endsAt of this.state.graces.values()) if (at === null || endsAt < at) at = endsAt;
    for (const { sessionId } of this.state.gracesAside) if (this.state.sessions.has(sessionId)) at = 0;
    return at;
  }

  /** Whether a message that waited for its turn is taken with the next tick (rule S7). */
  releasesAt(now: EpochMs): boolean {
    const at = this.state.held.earliest();
    return at !== null && at <= this.state.time.peek(now);
  }

  /** Add a session or replace its settings at run time; its orders stay. @throws AssertionError as the constructor */
  applyConfig(session: GatewaySessionConfig): void {
    this.state.setSession(session);
    reviseMarketData(this.state, session.sessionId);
  }

  private dispatch(turn: Turn, input: GatewayInput): void {
    const { state } = this;
    switch (input.kind) {
      case 'message':
        this.message(turn, input);
        break;
      case 'throttled':
      case 'refuse':
      case 'sessionUp':
      case 'sessionLeaving':
      case 'sessionDown': {
        const session = this.session(turn, input.sessionId);
        if (session !== null) ofSession(turn, session, input);
        break;
      }
      case 'outcome':
        handleOutcome(turn, input.commandId, input.outcome);
        break;
      case 'lookedUp':
        handleLookedUp(turn, input.lookupId, input.outcome);
        break;
      case 'managed':
        state.managed.take(input.commandId.slice(1))?.(turn, input.outcome);
        break;
      case 'answered':
        state.questions.take(input.questionId)?.(turn, input.answer);
        break;
      case 'order':
        handleOrderFrame(turn, input.order);
        break;
      case 'trade':
        state.accountSubscriptions.filled(input.trade.tradingAccountId, turn.steady);
        handleTrade(turn, input.trade, input.order);
        tellTrade(turn, input.trade);
        break;
      case 'errorNotice':
        handleErrorNotice(turn, input.notice);
        break;
      case 'account':
        state.account(input.tradingAccountId, input.credential);
        break;
      case 'reconciled':
        handleReconciled(turn, input.tradingAccountId, input.ok);
        break;
      case 'phase':
      case 'phaseUnknown':
      case 'markets':
      case 'referencePrice':
      case 'feed':
        ofMarkets(turn, input);
        break;
      case 'userAnswered': {
        state.changingUsers.delete(input.sessionId);
        const session = this.session(turn, input.sessionId);
        if (session !== null) answerUserRequest(turn, session, input);
        break;
      }
      case 'bridgeAnswered': {
        const session = this.session(turn, input.sessionId);
        if (session !== null) answerBridgeRequest(turn, session, input);
        break;
      }
      case 'news':
      case 'withdrawStop':
      case 'killSwitch':
      case 'resolve':
      case 'adoptOrder':
      case 'putAside':
      case 'adoptJournal':
        ofOperator(turn, input);
        break;
      case 'marketData':
      case 'marketDataRoom':
      case 'marketDataLost':
        // Taken before: they change no order.
        break;
      case 'restOrder':
        this.restOrder(turn, input);
        break;
      case 'bridgeCancel':
        handleBridgeCancel(turn, input);
        break;
      case 'journal':
        state.journalHealthy = input.healthy;
        break;
      case 'lastWords':
        this.tellUntold(turn, state.alarmPace.takeAll());
        tellSwitchesLeft(turn);
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

  private message(turn: Turn, { sessionId, view, possDup, waited }: InputOf<'message'>): void {
    const session = this.session(turn, sessionId);
    if (session === null) return;
    const inbound = { turn, session, view, possDup, waited: waited === true };
    const behind = waitBehind(inbound);
    if (typeof behind === 'object') refuseUnhandled(inbound, behind);
    else if (!behind) handleMessage(inbound);
  }

  private restOrder(turn: Turn, { sessionId, frame, who }: InputOf<'restOrder'>): void {
    const view = fromText(frame, [], null);
    turn.note('info', `new order of bridge caller ${who}`, { session: sessionId });
    if (view !== null) this.message(turn, { kind: 'message', sessionId, view, possDup: false });
  }

  private tick(turn: Turn): void {
    this.state.pieces.take(turn.steady)?.(turn);
    const haltAt = this.state.unasked.dueAt;
    if (haltAt !== null && haltAt <= turn.steady) tellPlatformUnasked(turn);
    repeatNews(turn);
    this.releaseHeld(turn);
    for (const [sessionId, endsAt] of this.state.graces) {
      const session = endsAt <= turn.steady ? this.state.sessions.get(sessionId) : undefined;
      if (session !== undefined) cancelAllOf(turn, session);
    }
    callersSwitchesDue(turn);
    tickMarketData(turn);
    askAboutAccounts(turn);
    if (!this.dueWait) this.ordersDue(turn);
    this.tellUntold(turn, this.state.alarmPace.takeDue(turn.steady));
  }

  /** Messages in turn, as many as fit into one turn of ours; if more wait, the next tick is due at once. */
  private releaseHeld(turn: Turn): void {
    for (let released = 0; released < PIECE_ORDERS; released++) {
      const held = this.state.held.takeDue(turn.steady);
      if (held === null) return;
      forget(turn, held);
      this.state.held.released = held;
      const session = this.session(turn, held.sessionId);
      const { view, possDup } = held;
      if (session !== null) handleMessage({ turn, session, view, possDup, waited: true });
      this.state.held.released = null;
    }
  }

  /** Orders that fall due, as many as fit a turn: thousands may at the same moment. */
  private ordersDue(turn: Turn): void {
    const { timers, pieces } = this.state;
    this.dueWait = false;
    for (let handled = 0; handled < PIECE_ORDERS; handled++) {
      const order = timers.takeDue(turn.steady);
      if (order === null) return;
      orderDue(turn, order);
      turn.rearm(order);
    }
    this.dueWait = true;
    pieces.add('', turn.steady, (next) => this.ordersDue(next));
  }

  private tellUntold(turn: Turn, untold: readonly UntoldAlarms[]): void {
    for (const { alarm, tradingAccountId, count, clOrdIDs } of untold) {
      const text = `${count} more orders of account ${tradingAccountId}, with the same alarm as the ones before`;
      turn.alarm(alarm, text, null, { tradingAccountId, clOrdIDs: clOrdIDs.join(',') });
    }
  }
}

type InputOf<Kind extends GatewayInput['kind']> = Extract<GatewayInput, { readonly kind: Kind }>;

/** The fate of a session, and of messages that are not taken as they arrive. */
function ofSession(
  turn: Turn,
  session: SessionState,
  input: InputOf<'throttled' | 'refuse' | 'sessionUp' | 'sessionLeaving' | 'sessionDown'>,
): void {
  switch (input.kind) {
    case 'throttled': {
      const { view, possDup, excess, waitMs } = input;
      const inbound = { turn, session, view, possDup, waited: false };
      if (excess === 'hold') holdThrottled(inbound, waitMs);
      else refuseThrottled(inbound, waitMs);
      break;
    }
    case 'refuse':
      rejectBusiness(turn, session, input.view, '0', input.text);
      break;
    case 'sessionUp':
      handleSessionUp(turn, session, input.cancelOnDisconnect ?? null);
      followStatus(turn, session);
      tellPlannedStop(turn, session);
      break;
    case 'sessionLeaving':
      handleSessionLeaving(turn, session, input.by, input.forGood === true);
      break;
    case 'sessionDown':
      turn.state.subscriptions.clear(input.sessionId);
      turn.state.lists.clear(input.sessionId);
      turn.state.accountSubscriptions.clear(input.sessionId);
      turn.state.tradeSubscriptions.clear(input.sessionId);
      turn.state.recovering.delete(input.sessionId);
      turn.state.questions.forget(input.sessionId);
      turn.state.managed.forget(input.sessionId);
      leaveStatus(turn, input.sessionId);
      endMarketData(turn, input.sessionId);
      handleSessionDown(turn, session, input.end);
      break;
    default:
      unreachable(input);
  }
}

/** Events about markets, and whether the exchange can be heard. */
function ofMarkets(turn: Turn, input: InputOf<'phase' | 'phaseUnknown' | 'markets' | 'referencePrice' | 'feed'>): void {
  const { board } = turn.state;
  switch (input.kind) {
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
    case 'markets': {
      const before = board.allRules();
      for (const symbol of board.setMarkets(input.markets, input.past)) {
        turn.alarm('market-unreadable', `Market ${symbol} has amounts that cannot be read; it takes no orders`, null);
      }
      forgetPhasesUntold(turn);
      endDelisted(turn, input.markets);
      tellStatus(turn);
      tellMarketsUnasked(turn);
      tellLists(turn, before);
      break;
    }
    case 'referencePrice':
      priceHeard(turn.state, input.symbol, input.price, turn.steady);
      break;
    case 'feed':
      handleFeed(turn, input.credential, input.feed, input.live);
      tellStatus(turn);
      tellPlatformUnasked(turn);
      break;
    default:
      unreachable(input);
  }
}

/** Requests of operators. */
function ofOperator(
  turn: Turn,
  input: InputOf<'news' | 'withdrawStop' | 'killSwitch' | 'resolve' | 'adoptOrder' | 'putAside' | 'adoptJournal'>,
): void {
  switch (input.kind) {
    case 'news':
      publishNews(turn, input);
      break;
    case 'withdrawStop':
      withdrawStop(turn);
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
    default:
      unreachable(input);
  }
}
