// Whether a market and the platform trade now: SecurityStatusRequest(e) → f and TradingSessionStatusRequest(g) → h,
// once or until taken back, bounded per session (rule D4). Reports the state of markets, auction phases and feeds;
// keeps nothing over the end of the session.

import { formatUtcTimestamp } from '../../base/time.ts';
import type { AuctionPhase, Market, Noii } from '../../exchange/mod.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { addText } from '../reports/text.ts';
import { rejectBusiness } from '../reports/unsupported-message.ts';
import { isOver } from '../rules/gtx.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import type { SessionState } from '../state/session-state.ts';
import type { GatewayState, Turn } from '../state/state.ts';
import { SUBSCRIPTIONS_MAX, type Subscription } from '../state/status-subscriptions.ts';
import { addressTo, askerOf } from '../vocabulary/sender.ts';
import { answerTo, sessionSymbolOf } from './reference-data.ts';

/** TradingSessionID(336) of the platform, as the exchange's own FIX has it. */
export const PLATFORM = '1';
/** Text(58) while the platform is halted. */
export const UNREACHABLE = 'The exchange cannot be reached at the moment';

const TradingStatus = {
  Halt: '2',
  Ready: '17',
  NotAvailable: '18',
  Unknown: '20',
  PreCross: '24',
  Cross: '25',
  NoCancel: '27',
  /** Imbalance of the auction that closes: more buyers, more sellers, none. */
  ImbalanceBuy: '9',
  ImbalanceSell: '10',
  NoImbalance: '13',
} as const;

/** Take a SecurityStatusRequest(e). */
export function handleSecurityStatusRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const symbol = view.string(Tag.Symbol) ?? '';
  const reqID = view.string(Tag.SecurityStatusReqID) ?? '';
  const draft = answerTo(view, MsgType.SecurityStatus);
  const said = securityStatus(turn, session, { symbol, reqID, unsolicited: false }, draft);
  subscribe(turn, session, view, { reqID, symbol, said }, draft);
  const noii = turn.state.marketData.board.noii(exchangeSymbolOf(session, symbol));
  if (noii !== null) tellImbalance(turn, noii);
}

/** Take a TradingSessionStatusRequest(g). */
export function handleTradingSessionStatusRequest(turn: Turn, session: SessionState, view: MessageView): void {
  const reqID = view.string(Tag.TradSesReqID) ?? '';
  const wanted = view.string(Tag.TradingSessionID);
  if (wanted !== null && wanted !== PLATFORM) {
    const text = `TradingSessionID(336)=${wanted} is not known; 1 is the platform`;
    if (!session.version.hasParties) rejectBusiness(turn, session, view, '1', text);
    else {
      const draft = answerTo(view, MsgType.TradingSessionStatus)
        .add(Tag.TradSesReqID, reqID)
        // Stock dictionaries of 5.0SP2 enumerate it: the text names the request.
        .add(Tag.TradingSessionID, session.version.hasLateFields ? PLATFORM : wanted)
        .add(Tag.TradSesStatus, '6')
        .add(Tag.TradSesStatusRejReason, '1');
      turn.send(session.config.sessionId, addText(draft, session, text));
    }
    return;
  }
  const draft = answerTo(view, MsgType.TradingSessionStatus);
  const said = platformStatus(turn, session, reqID, false, draft);
  subscribe(turn, session, view, { reqID, symbol: null, said }, draft);
}

function subscribe(
  turn: Turn,
  session: SessionState,
  view: MessageView,
  { reqID, symbol, said }: Pick<Subscription, 'reqID' | 'symbol' | 'said'>,
  answer: MessageDraft,
): void {
  const { sessionId } = session.config;
  const { subscriptions } = turn.state;
  const type = view.string(Tag.SubscriptionRequestType);
  if (type === '2') {
    subscriptions.remove(sessionId, symbol !== null, reqID);
    return;
  }
  if (type === '1' && !subscriptions.add({ sessionId, reqID, symbol, ...askerOf(view), said, imbalance: null })) {
    rejectBusiness(turn, session, view, '0', `More than ${SUBSCRIPTIONS_MAX} subscriptions; take one back with 263=2`);
    return;
  }
  turn.send(sessionId, answer);
}

/** Report changes to the subscribers. Called after an input that may have changed it. */
export function tellStatus(turn: Turn): void {
  for (const subscription of turn.state.subscriptions.all()) {
    const { sessionId, reqID, symbol } = subscription;
    const session = turn.state.sessions.get(sessionId);
    if (session === undefined) continue;
    const type = symbol === null ? MsgType.TradingSessionStatus : MsgType.SecurityStatus;
    const draft = addressTo(new MessageDraft(type), subscription);
    const said =
      symbol === null
        ? platformStatus(turn, session, reqID, true, draft)
        : securityStatus(turn, session, { symbol, reqID, unsolicited: true }, draft);
    // Versions without text and late values say 17 all along: the end of an auction takes the imbalance back.
    const isBack = subscription.imbalance !== null && symbol !== null && !isInAuction(turn, session, symbol);
    if (said === subscription.said && !isBack) continue;
    subscription.said = said;
    subscription.imbalance = null;
    turn.send(sessionId, draft);
  }
}

/**
 * Tell the subscribers of f which way the imbalance of an auction points now: 326=9, 10 or 13 (rule D4). It ages
 * quickly, as all market data: the answer to a ResendRequest(2) is followed by fresh data.
 */
export function tellImbalance(turn: Turn, { symbol: exchangeSymbol, eventType, imbalanceDirection }: Noii): void {
  if (eventType !== 'UPDATE') return;
  const status = IMBALANCE[imbalanceDirection];
  for (const subscription of turn.state.subscriptions.all()) {
    const { sessionId, reqID, symbol } = subscription;
    const session = turn.state.sessions.get(sessionId);
    if (session === undefined || symbol === null || subscription.imbalance === status) continue;
    if (exchangeSymbolOf(session, symbol) !== exchangeSymbol || session.symbols?.has(exchangeSymbol) === false)
      continue;
    subscription.imbalance = status;
    const draft = addressTo(new MessageDraft(MsgType.SecurityStatus), subscription)
      .add(Tag.SecurityStatusReqID, reqID)
      .add(Tag.Symbol, symbol)
      .add(Tag.UnsolicitedIndicator, 'Y')
      .add(Tag.SecurityTradingStatus, status)
      .addTime(Tag.TransactTime, turn.now);
    turn.publish(sessionId, draft);
  }
}

/** A session lost data that is not kept: it receives the direction of reported imbalances again. */
export function repeatImbalances(turn: Turn, sessionId: string): void {
  const lost = new Set<string>();
  const session = turn.state.sessions.get(sessionId);
  for (const subscription of turn.state.subscriptions.all()) {
    const { symbol, imbalance } = subscription;
    if (session === undefined || subscription.sessionId !== sessionId || symbol === null || imbalance === null)
      continue;
    subscription.imbalance = null;
    lost.add(exchangeSymbolOf(session, symbol));
  }
  for (const exchangeSymbol of lost) {
    const noii = turn.state.marketData.board.noii(exchangeSymbol);
    if (noii !== null) tellImbalance(turn, noii);
  }
}

const IMBALANCE = {
  BUY: TradingStatus.ImbalanceBuy,
  SELL: TradingStatus.ImbalanceSell,
  NONE: TradingStatus.NoImbalance,
} as const;

/** Tell the subscribers of h that an auction began a phase or ended: 1368=2, and 625 where the version has it (rule D4). */
export function tellAuction(turn: Turn, phase: AuctionPhase): void {
  for (const subscription of turn.state.subscriptions.all()) {
    const { sessionId, symbol, reqID } = subscription;
    const session = turn.state.sessions.get(sessionId);
    if (session === undefined || symbol !== null) continue;
    if (session.symbols !== null && !session.symbols.has(phase.symbol)) continue;
    const { version, isVenue } = session;
    const isAuction = !isOver(phase);
    const draft = addressTo(new MessageDraft(MsgType.TradingSessionStatus), subscription)
      .add(Tag.TradSesReqID, reqID)
      .add(Tag.TradingSessionID, PLATFORM)
      // 6: scheduled intraday auction, 3: continuous trading.
      .addIf(Tag.TradingSessionSubID, version.hasParties ? (isAuction ? '6' : '3') : null)
      .add(Tag.UnsolicitedIndicator, 'Y')
      .add(Tag.TradSesStatus, '2');
    if (version.hasLateFields || (isVenue && version.hasParties)) {
      draft.add(Tag.TradSesEvent, '2').add(Tag.Symbol, sessionSymbolOf(session, phase.symbol));
    }
    turn.send(sessionId, addText(draft, session, auctionText(session, phase)));
  }
}

function auctionText(session: SessionState, phase: AuctionPhase): string {
  const name = `Auction ${phase.auctionId} of ${sessionSymbolOf(session, phase.symbol)}`;
  if (phase.eventType === 'AUCTION_CROSS_POSTPONED') return `${name}: its cross is postponed, GTX orders stay`;
  if (isOver(phase)) return `${name} is over`;
  const cancel = phase.cancelAuctionOrderEnabled ? 'may' : 'may not';
  const crossing = `cross at ${formatUtcTimestamp(phase.scheduledCrossTime)}`;
  return `${name} is in phase ${phase.phase}: GTX orders ${cancel} be cancelled; ${crossing}`;
}

/** Write f; returns its content, to detect a change. */
function securityStatus(
  turn: Turn,
  session: SessionState,
  { symbol, reqID, unsolicited }: { readonly symbol: string; readonly reqID: string; readonly unsolicited: boolean },
  draft: MessageDraft,
): string {
  const { version } = session;
  const { status, text } = statusOf(turn, session, symbol);
  draft.add(Tag.SecurityStatusReqID, reqID).add(Tag.Symbol, symbol);
  if (unsolicited) draft.add(Tag.UnsolicitedIndicator, 'Y');
  draft.add(Tag.SecurityTradingStatus, status).addTime(Tag.TransactTime, turn.now);
  addText(draft, session, version.hasParties ? text : null);
  return `${status} ${version.hasParties ? text : ''}`;
}

function statusOf(turn: Turn, session: SessionState, symbol: string): { status: string; text: string | null } {
  const { board } = turn.state;
  const exchangeSymbol = exchangeSymbolOf(session, symbol);
  const rules = board.rules(exchangeSymbol);
  if (rules === null || session.symbols?.has(exchangeSymbol) === false) {
    return { status: TradingStatus.Unknown, text: `Symbol(55)=${symbol} is not traded on this session` };
  }
  const halt = haltOf(rules.market);
  if (halt !== null) {
    return { status: rules.market.marketEnabled ? TradingStatus.Halt : TradingStatus.NotAvailable, text: halt };
  }
  const phase = board.phase(exchangeSymbol);
  if (phase === null || isOver(phase)) return { status: TradingStatus.Ready, text: null };
  return { status: crossStatus(session, phase), text: auctionText(session, phase) };
}

function isInAuction({ state: { board } }: Turn, session: SessionState, symbol: string): boolean {
  const phase = board.phase(exchangeSymbolOf(session, symbol));
  return phase !== null && !isOver(phase);
}

/** The obstacle to trading of a market, in words, or null. */
export function haltOf({ marketEnabled, createOrderEnabled }: Market): string | null {
  if (!marketEnabled) return 'The market is switched off';
  return createOrderEnabled ? null : 'The market takes no new orders';
}

/** 326=24, 25 and 27 exist in 5.0SP2; before it the text says it. */
function crossStatus({ version }: SessionState, { phase }: AuctionPhase): string {
  if (!version.hasLateFields) return TradingStatus.Ready;
  switch (phase) {
    case 'ACCUMULATION':
      return TradingStatus.PreCross;
    case 'LOCKDOWN':
      return TradingStatus.NoCancel;
    case 'CROSS':
      return TradingStatus.Cross;
    case 'COOLING':
      return TradingStatus.Ready;
  }
}

/** Open while a private stream of the session's accounts is live. */
export function isPlatformOpen({ board }: GatewayState, { config }: SessionState): boolean {
  return config.accounts.some(({ credential }) => board.isLive(credential));
}

/** Write h of the platform; returns its content. */
function platformStatus(
  turn: Turn,
  session: SessionState,
  reqID: string,
  unsolicited: boolean,
  draft: MessageDraft,
): string {
  const { version, isVenue } = session;
  const isOpen = isPlatformOpen(turn.state, session);
  draft.add(Tag.TradSesReqID, reqID).add(Tag.TradingSessionID, PLATFORM);
  if (unsolicited) draft.add(Tag.UnsolicitedIndicator, 'Y');
  draft.add(Tag.TradSesStatus, isOpen ? '2' : '1');
  if (unsolicited && (version.hasLateFields || (isVenue && version.hasParties))) {
    draft.add(Tag.TradSesEvent, isOpen ? '0' : '3');
  }
  if (!isOpen) draft.add(Tag.Text, UNREACHABLE);
  return isOpen ? 'open' : 'halted';
}
