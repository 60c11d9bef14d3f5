// Whether a market and the platform trade now: SecurityStatusRequest(e) → f and TradingSessionStatusRequest(g) → h,
// once or until taken back, bounded per session (rule D4). Reports the state of markets and feeds; auction-status.ts
// reports each step of an auction. Keeps nothing over the end of the session.

import type { AuctionPhase, Market } from '../../exchange/mod.ts';
import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { addText } from '../reports/text.ts';
import { rejectBusiness } from '../reports/unsupported-message.ts';
import { isOver } from '../rules/gtx.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import type { SessionState } from '../state/session-state.ts';
import type { GatewayState, Turn } from '../state/state.ts';
import { SUBSCRIPTIONS_MAX, type Subscription } from '../state/status-subscriptions.ts';
import { addressTo, answerTo, askerOf } from '../vocabulary/sender.ts';
import {
  addAuctionSession,
  addAuctionTimes,
  auctionText,
  PLATFORM,
  securityTradingStatus,
  TradingStatus,
} from './auction-message.ts';
import { tellImbalance, tellRunningAuctions } from './auction-status.ts';

/** Text(58) while the platform is halted. */
export const UNREACHABLE = 'The exchange cannot be reached at the moment';

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
  if (view.string(Tag.SubscriptionRequestType) !== '2') tellRunningAuctions(turn, session, { ...askerOf(view), reqID });
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
  if (
    type === '1' &&
    !subscriptions.add({ sessionId, reqID, symbol, ...askerOf(view), said, imbalance: null, result: null })
  ) {
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
    if (said === subscription.said) continue;
    subscription.said = said;
    subscription.imbalance = null;
    turn.send(sessionId, draft);
  }
}

/** Write f; returns its content, to detect a change. */
function securityStatus(
  turn: Turn,
  session: SessionState,
  { symbol, reqID, unsolicited }: { readonly symbol: string; readonly reqID: string; readonly unsolicited: boolean },
  draft: MessageDraft,
): string {
  const { version } = session;
  const { status, text, auction } = statusOf(turn, session, symbol);
  draft.add(Tag.SecurityStatusReqID, reqID).add(Tag.Symbol, symbol);
  if (auction !== null) addAuctionSession(draft, session, auction.auctionId);
  if (unsolicited) draft.add(Tag.UnsolicitedIndicator, 'Y');
  draft.add(Tag.SecurityTradingStatus, status).addTime(Tag.TransactTime, turn.now);
  if (auction !== null && session.isVenue) addAuctionTimes(draft, auction);
  addText(draft, session, version.hasParties ? text : null);
  return `${status} ${version.hasParties ? text : (auction?.auctionId ?? '')}`;
}

interface MarketStatus {
  readonly status: string;
  readonly text: string | null;
  /** Of the auction that runs. */
  readonly auction: AuctionPhase | null;
}

function statusOf(turn: Turn, session: SessionState, symbol: string): MarketStatus {
  const { board } = turn.state;
  const exchangeSymbol = exchangeSymbolOf(session, symbol);
  const rules = board.rules(exchangeSymbol);
  if (rules === null || session.symbols?.has(exchangeSymbol) === false) {
    const text = `Symbol(55)=${symbol} is not traded on this session`;
    return { status: TradingStatus.Unknown, text, auction: null };
  }
  const halt = haltOf(rules.market);
  if (halt !== null) {
    const status = rules.market.marketEnabled ? TradingStatus.Halt : TradingStatus.NotAvailable;
    return { status, text: halt, auction: null };
  }
  const phase = board.phase(exchangeSymbol);
  if (phase === null || isOver(phase)) return { status: TradingStatus.Ready, text: null, auction: null };
  return { status: securityTradingStatus(session, phase), text: auctionText(symbol, phase), auction: phase };
}

/** The obstacle to trading of a market, in words, or null. */
export function haltOf({ marketEnabled, createOrderEnabled }: Market): string | null {
  if (!marketEnabled) return 'The market is switched off';
  return createOrderEnabled ? null : 'The market takes no new orders';
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
