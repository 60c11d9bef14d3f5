// Reports each step of an auction to its subscribers (rule D4): h at each phase, f at a turn of its imbalance and with its
// result. They go to subscriptions of g and e. auction-message.ts writes the fields.

import type { AuctionPhase, Noii } from '../../exchange/mod.ts';
import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import { sessionSymbolOf } from '../reference-data/instrument.ts';
import { addText } from '../reports/text.ts';
import { isOver } from '../rules/gtx.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { Subscription } from '../state/status-subscriptions.ts';
import { addressTo, type Sender } from '../vocabulary/sender.ts';
import {
  AUCTION,
  addAuctionSession,
  addAuctionTimes,
  auctionText,
  CONTINUOUS,
  PLATFORM,
  TradingStatus,
  tradSesStatus,
} from './auction-message.ts';
import { inWords } from './market-data-message.ts';

/** Request of h that a message answers. */
interface Asked extends Sender {
  readonly reqID: string;
}

/** Tell the subscribers of h that an auction began a phase or ended: 1368=2, and 625 where the version has it. */
export function tellAuction(turn: Turn, phase: AuctionPhase): void {
  for (const subscription of turn.state.subscriptions.all()) {
    const session = turn.state.sessions.get(subscription.sessionId);
    if (session === undefined || subscription.symbol !== null) continue;
    if (session.symbols?.has(phase.symbol) !== false) tellPhase(turn, session, subscription, phase);
  }
}

/** The session asks for the state of the platform while auctions run. */
export function tellRunningAuctions(turn: Turn, session: SessionState, asked: Asked): void {
  for (const phase of turn.state.board.allPhases()) {
    if (!isOver(phase) && session.symbols?.has(phase.symbol) !== false) tellPhase(turn, session, asked, phase);
  }
}

function tellPhase(turn: Turn, session: SessionState, asked: Asked, phase: AuctionPhase): void {
  const { version, isVenue } = session;
  const draft = addressTo(new MessageDraft(MsgType.TradingSessionStatus), asked)
    .add(Tag.TradSesReqID, asked.reqID)
    // FIX.4.2 has no 625: there 340 would be read as that of the platform.
    .add(Tag.TradingSessionID, version.hasParties ? PLATFORM : phase.auctionId)
    .addIf(Tag.TradingSessionSubID, version.hasParties ? (isOver(phase) ? CONTINUOUS : AUCTION) : null)
    .add(Tag.UnsolicitedIndicator, 'Y')
    .add(Tag.TradSesStatus, version.hasParties || !isOver(phase) ? tradSesStatus(phase) : '3');
  if (version.hasLateFields || (isVenue && version.hasParties)) {
    draft.add(Tag.TradSesEvent, '2').add(Tag.Symbol, sessionSymbolOf(session, phase.symbol));
  }
  addAuctionTimes(draft, phase);
  turn.send(
    session.config.sessionId,
    addText(draft, session, auctionText(sessionSymbolOf(session, phase.symbol), phase)),
  );
}

/**
 * Tell the subscribers of f which way the imbalance of an auction points now, 326=9, 10 or 13, and at last its result. It
 * ages quickly, as all market data: the answer to a ResendRequest(2) is followed by fresh data.
 */
export function tellImbalance(turn: Turn, noii: Noii): void {
  for (const subscription of turn.state.subscriptions.all()) {
    const { sessionId, symbol } = subscription;
    const session = turn.state.sessions.get(sessionId);
    if (session === undefined || symbol === null || exchangeSymbolOf(session, symbol) !== noii.symbol) continue;
    if (session.symbols?.has(noii.symbol) === false || !isNew(subscription, noii)) continue;
    const draft = begin(turn, session, subscription, noii.auctionId);
    if (noii.eventType === 'CROSS') addResult(draft, session, subscription, noii);
    else draft.add(Tag.SecurityTradingStatus, IMBALANCE[noii.imbalanceDirection]);
    turn.publish(sessionId, draft);
  }
}

/** Whether the subscriber has not heard it yet; it has from now on. */
function isNew(subscription: Subscription, { eventType, auctionId, imbalanceDirection }: Noii): boolean {
  if (eventType === 'CROSS') {
    if (subscription.result === auctionId) return false;
    subscription.result = auctionId;
    return true;
  }
  const status = IMBALANCE[imbalanceDirection];
  if (subscription.imbalance === status) return false;
  subscription.imbalance = status;
  return true;
}

function begin(turn: Turn, session: SessionState, subscription: Subscription, auctionId: string): MessageDraft {
  const draft = addressTo(new MessageDraft(MsgType.SecurityStatus), subscription)
    .add(Tag.SecurityStatusReqID, subscription.reqID)
    .add(Tag.Symbol, subscription.symbol ?? '');
  addAuctionSession(draft, session, auctionId);
  return draft.add(Tag.UnsolicitedIndicator, 'Y').addTime(Tag.TransactTime, turn.now);
}

/** Clearing price in LastPx(31), its quantity in BuyVolume(330) and SellVolume(331); no price where nothing crossed. */
function addResult(draft: MessageDraft, session: SessionState, subscription: Subscription, noii: Noii): void {
  const paired = noii.pairedQuantity ?? '0';
  draft
    .add(Tag.SecurityTradingStatus, TradingStatus.Ready)
    .add(Tag.BuyVolume, paired)
    .add(Tag.SellVolume, paired)
    .addIf(Tag.LastPx, noii.clearingPrice);
  if (session.version.hasParties) addText(draft, session, inWords(subscription.symbol ?? '', noii));
}

/** A session lost data that is not kept: it receives the direction of reported imbalances, and reported results, again. */
export function repeatImbalances(turn: Turn, sessionId: string): void {
  const lost = new Set<string>();
  const session = turn.state.sessions.get(sessionId);
  for (const subscription of turn.state.subscriptions.all()) {
    const { symbol, imbalance, result } = subscription;
    if (session === undefined || subscription.sessionId !== sessionId || symbol === null) continue;
    if (imbalance === null && result === null) continue;
    subscription.imbalance = null;
    subscription.result = null;
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
