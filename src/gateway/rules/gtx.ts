// GTX orders (59=5) and the auctions they take part in: the phase's permissions, as far as known here (rules T2–T4).
// Leaves the exchange to decide wherever the auction feed is not live.

import type { AuctionPhase } from '../../exchange/mod.ts';
import { isGtx, type Order } from '../book/order.ts';
import type { OrderTerms } from '../book/order-terms.ts';
import type { SessionState } from '../state/session-state.ts';
import type { MarketBoard, MarketRules } from '../vocabulary/market-board.ts';
import { exchangeClosed, forbiddenByPhase, other, type Refusal, unsupported } from '../vocabulary/refusal.ts';

/** Whether TimeInForce(59) asks for the call auction: 5, or an alias of it by setting (rule T2). */
export function isForAuction({ config }: SessionState, timeInForce: string | null): boolean {
  if (timeInForce === '7' || timeInForce === '9' || timeInForce === 'B') return config.gtxAliases.includes(timeInForce);
  return timeInForce === '5';
}

/** True if an auction is over: the next one is another. */
export function isOver(phase: AuctionPhase): boolean {
  return phase.eventType === 'AUCTION_CROSS_COMPLETED';
}

/** The refusal of a new GTX order, or null: also when the feed is silent, then the exchange decides (rule T3). */
export function newGtxRefusal(
  board: MarketBoard,
  rules: MarketRules,
  { timeInForce }: OrderTerms,
  tradingSessionIDs: readonly string[],
): Refusal | null {
  const { name: symbol } = rules;
  const meaning = `here TimeInForce(59)=${timeInForce} (GTX) means: take part in the symbol's call auction`;
  if (!rules.market.auctionEnabled) {
    return unsupported(`TimeInForce(59)=${timeInForce} on Symbol(55)=${symbol}, which has no auctions; ${meaning}`);
  }
  const phase = board.livePhase(rules.market.symbol);
  if (phase === null) {
    const isOne = new Set(tradingSessionIDs).size <= 1;
    return isOne ? null : other(`TradingSessionID(336)=${tradingSessionIDs.join(',')} names more than one auction`);
  }
  if (isOver(phase)) {
    return exchangeClosed(
      `TimeInForce(59)=${timeInForce} on Symbol(55)=${symbol}: no auction is running now; ${meaning}`,
    );
  }
  if (!phase.createAuctionOrderEnabled) {
    return exchangeClosed(
      `TimeInForce(59)=${timeInForce} on Symbol(55)=${symbol}: phase ${phase.phase} takes no new auction orders`,
    );
  }
  for (const id of tradingSessionIDs) {
    if (id !== phase.auctionId) {
      return other(`TradingSessionID(336)=${id} is not the running auction ${phase.auctionId} of Symbol(55)=${symbol}`);
    }
  }
  return null;
}

/** The refusal of F or G while the auction's phase forbids it, or null (rule T4). */
export function lockdownRefusal(board: MarketBoard, order: Order, change: 'cancel' | 'amend'): Refusal | null {
  if (!isGtx(order)) return null;
  const phase = board.livePhase(order.terms.exchangeSymbol);
  if (phase === null || isOver(phase)) return null;
  const isAllowed = change === 'cancel' ? phase.cancelAuctionOrderEnabled : phase.amendAuctionOrderEnabled;
  if (isAllowed) return null;
  const verb = change === 'cancel' ? 'cancelled' : 'amended';
  return forbiddenByPhase(
    `Auction ${phase.auctionId} of ${order.terms.symbol} is in phase ${phase.phase}: orders cannot be ${verb} now`,
  );
}
