// Routes the exchange's events to their orders: frames and trades, phases of an auction, the end of a reconciliation.
// apply-exchange-event.ts handles one order, command-outcome.ts answers to commands.

import { formatUtcTimestamp } from '../../base/time.ts';
import type { AuctionPhase, ExchangeOrder, ExchangeTrade } from '../../exchange/mod.ts';
import { isGtx, isTerminal, type Order } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { remember } from '../book/order-timeline.ts';
import { applyFrame, bindExchangeOrderId, restateLarger } from '../lifecycle/apply-exchange-event.ts';
import { endCarriedOver } from '../lifecycle/auction-leftovers.ts';
import { applyEarlyTrades } from '../lifecycle/command-outcome.ts';
import { isAbout } from '../lifecycle/contradictions.ts';
import { followElsewhere, keepTradeElsewhere } from '../lifecycle/drop-copy-external.ts';
import { isAsNewAsExchange, noteReference, noteStray } from '../lifecycle/foreign-references.ts';
import { copyNegotiatedTrade } from '../lifecycle/negotiated-trade.ts';
import { lookUpWithin } from '../lifecycle/order-lookup.ts';
import { takeTrade, tellWaiting } from '../lifecycle/overfill.ts';
import { execID } from '../reports/execution-report.ts';
import { reportType } from '../reports/order-reports.ts';
import { cancelForSafety } from '../requests/order-cancel.ts';
import { endHeldForAuction } from '../requests/throttled-message.ts';
import { isOver, lockdownRefusal } from '../rules/gtx.ts';
import { piecesOf } from '../state/chunked-work.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { Turn } from '../state/state.ts';

/** The exchange stated an order as a whole. */
export function handleOrderFrame(turn: Turn, frame: ExchangeOrder): void {
  const order = turn.state.registry.findSpokenOf(frame.orderId, frame.tradingAccountId, frame.clientOrderId);
  // An external order: not reported to an order session (rule O11), only to drop copies; but never under one of our
  // references.
  if (order === null || order.sessionId === ELSEWHERE) noteStray(turn, frame, frame.status === 'OPEN');
  if (order === null) {
    followElsewhere(turn, frame);
    // One of ours, perhaps, that nothing has named yet.
    if (frame.clientOrderId === null) turn.state.registry.noteNameless(frame.orderId);
    return;
  }
  if (!isAbout(turn, order, frame) || !bindExchangeOrderId(turn, order, frame.orderId)) return;
  const { clientOrderId, tradingAccountId } = frame;
  if (clientOrderId !== null && clientOrderId !== order.reference) noteReference(turn, tradingAccountId, clientOrderId);
  if (order.sessionId !== ELSEWHERE) applyEarlyTrades(turn, order);
  applyFrame(turn, order, frame, cancelForSafety);
  if (order.run.waiting.length > 0) tellWaiting(turn, order);
}

/** The exchange stated a fill; `frame`: its order, where that was read together with it. */
export function handleTrade(turn: Turn, trade: ExchangeTrade, frame?: ExchangeOrder): void {
  // Whatever order it names, it is of none: no order session learns of it.
  if (trade.otcTradeId !== null) {
    copyNegotiatedTrade(turn, trade, trade.otcTradeId);
    return;
  }
  const order = turn.state.registry.findSpokenOf(trade.orderId, trade.tradingAccountId, trade.clientOrderId);
  if (order !== null) {
    if (!isAbout(turn, order, trade) || !bindExchangeOrderId(turn, order, trade.orderId)) return;
    if (frame?.orderId === order.exchangeOrderId && isAbout(turn, order, frame)) restateLarger(turn, order, frame);
    takeTrade(turn, order, trade);
    return;
  }
  noteStray(turn, trade, false);
  keepTradeElsewhere(turn, trade);
  const { registry } = turn.state;
  // Entered elsewhere (rule O11), unless a command is under way with an acknowledgement that may still name this order.
  if (trade.clientOrderId === null && registry.commandsInFlight > 0) registry.keepEarlyTrade(trade);
}

/** An auction came to another phase: rules T3 and C1 for its orders. False for one of an auction before the present one. */
export function handleAuctionPhase(turn: Turn, phase: AuctionPhase): boolean {
  const before = turn.state.board.phase(phase.symbol);
  if (before !== null && isOfEarlierAuction(phase, before)) {
    const { symbol, auctionId } = phase;
    turn.note('warn', 'phase of an auction before the present one ignored', { symbol, auctionId });
    return false;
  }
  turn.state.board.setPhase(phase);
  if (before !== null && before.auctionId !== phase.auctionId) endHeldForAuction(turn, before);
  const concerned = [...openOrders(turn)].filter(
    (order) => isGtx(order) && order.terms.exchangeSymbol === phase.symbol,
  );
  const [first = [], ...others] = piecesOf(concerned);
  for (const order of first) orderInPhase(turn, order, phase);
  for (const piece of others) {
    turn.state.pieces.add('', turn.steady, (next) => {
      if (!isPresent(next, phase)) return;
      for (const order of piece) if (!isTerminal(order.state)) orderInPhase(next, order, phase);
    });
  }
  return true;
}

/** Whether the auction is the present one still and its cross at the same time: else a later word was for all of its orders. */
function isPresent({ state: { board } }: Turn, { symbol, auctionId, scheduledCrossTime }: AuctionPhase): boolean {
  const present = board.phase(symbol);
  return present?.auctionId === auctionId && present.scheduledCrossTime === scheduledCrossTime;
}

/** Effect of a phase on an open order in an auction of its market. After a restart the phase is reported again. */
function orderInPhase(turn: Turn, order: Order, phase: AuctionPhase): void {
  if (phase.eventType === 'AUCTION_CROSS_POSTPONED') tellPostponed(turn, order, phase);
  if (isOver(phase)) return;
  // Wanted since its session ended while the phase forbade it (rule C1).
  if (order.cancelWanted !== null && phase.cancelAuctionOrderEnabled) {
    runOf(order).cancelAgainAt = turn.steady;
    turn.rearm(order);
  }
  if (order.auctionId === null) {
    order.auctionId = order.terms.namedAuction ?? phase.auctionId;
    turn.touch(order);
  }
  if (order.auctionId !== phase.auctionId) endCarriedOver(turn, order, phase, cancelForSafety);
}

/** Out of order, or from a snapshot that is behind: no order of the present auction was carried over into that one. */
function isOfEarlierAuction(phase: AuctionPhase, present: AuctionPhase): boolean {
  return phase.auctionId !== present.auctionId && phase.startTime > 0 && phase.startTime < present.startTime;
}

/**
 * The phase of the market's auction is unknown: the exchange decides (rule T3), also on cancels that waited for it
 * (rule C1).
 */
export function handlePhaseUnknown(turn: Turn, symbol: string): void {
  if (turn.state.board.forgetPhase(symbol)) sendWaitingCancels(turn);
}

/** Cancels of auction orders that waited for a phase which is not known any more. */
function sendWaitingCancels(turn: Turn): void {
  for (const order of openOrders(turn)) {
    if (!isGtx(order) || order.cancelWanted === null || order.run.cancelAgainAt !== null) continue;
    if (lockdownRefusal(turn.state.board, order, 'cancel') !== null) continue;
    runOf(order).cancelAgainAt = turn.steady;
    turn.rearm(order);
  }
}

/** Markets were read: a delisted market, or one that lost its auctions, gets no end of its phase. */
export function forgetPhasesUntold(turn: Turn): void {
  const { board } = turn.state;
  for (const { symbol } of board.allPhases()) {
    if (board.listed(symbol)?.market.auctionEnabled !== true) handlePhaseUnknown(turn, symbol);
  }
}

/** The order works on, and its OMS hears it, once: 150=D with the new time of the cross. Before New it has nothing to hear. */
function tellPostponed(turn: Turn, order: Order, phase: AuctionPhase): void {
  const crossTime = formatUtcTimestamp(phase.scheduledCrossTime);
  const text = `Auction ${phase.auctionId} is postponed, its cross is to come at ${crossTime}; the order keeps working`;
  // Also when the time before it is said again.
  if (order.lastText === text || order.timeline.includes(text)) return;
  order.lastText = text;
  if (order.state === 'A') {
    remember(order, turn.now, text);
    turn.touch(order);
    return;
  }
  reportType(turn, order, 'D', text, {
    execID: execID(order, `D-${phase.auctionId}-${phase.scheduledCrossTime}`),
    restatementReason: 'unsolicited',
  });
}

function* openOrders(turn: Turn): Generator<Order> {
  const { registry } = turn.state;
  for (const sessionId of registry.sessionsWithOpenOrders()) yield* registry.openOrders(sessionId);
}

/** A stream went up or down. Events from before the private stream's end prove nothing about an order after it. */
export function handleFeed(turn: Turn, credential: string, feed: 'private' | 'auction', live: boolean): void {
  const { accounts, board } = turn.state;
  board.setFeed(credential, feed, live);
  if (live) return;
  if (feed === 'auction') {
    sendWaitingCancels(turn);
    return;
  }
  for (const account of accounts.values()) {
    if (account.credential !== credential) continue;
    account.round++;
    account.isCurrent = false;
  }
}

/** An account was compared with the exchange: an order that it did not mention may have ended unheard. */
export function handleReconciled(turn: Turn, tradingAccountId: string, ok: boolean): void {
  const { accounts, registry } = turn.state;
  const account = accounts.get(tradingAccountId);
  if (account === undefined) return;
  if (!ok) {
    turn.note('warn', 'reconciliation failed; it is tried again', { tradingAccountId });
    return;
  }
  account.reconciled ||= isAsNewAsExchange(turn, tradingAccountId);
  for (const order of [...openOrders(turn), ...registry.openOrders(ELSEWHERE)]) {
    if (order.tradingAccountId !== tradingAccountId || order.stage === 'submitted') continue;
    if (order.seenRound === account.round) continue;
    runOf(order).mustAsk = true;
    lookUpWithin(turn, order, 0);
  }
  account.round++;
  account.isCurrent = true;
}
