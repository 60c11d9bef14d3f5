// Auction orders that outlive their auction (rule T3): cancelled once the exchange says that they do, for it ends them
// on another stream than it begins the next auction on. gtx.ts has the rules of an auction.

import type { AuctionPhase, ExchangeOrder } from '../../exchange/mod.ts';
import { isGtx, type Order, openRequest } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { isOver } from '../rules/gtx.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { Turn } from '../state/state.ts';
import type { CancelForSafety } from './contradictions.ts';
import { lookUpWithin } from './order-lookup.ts';

/** Another auction than the order's has begun. If the order's state may predate its end, the exchange is asked. */
export function endCarriedOver(turn: Turn, order: Order, phase: AuctionPhase, cancelForSafety: CancelForSafety): void {
  const account = turn.state.accounts.get(order.tradingAccountId);
  if (account?.isCurrent === true && !order.run.mustAsk) {
    cancel(turn, order, phase, cancelForSafety);
    return;
  }
  runOf(order).mustAsk = true;
  lookUpWithin(turn, order, 0);
}

/** The exchange shows an order as open: also in another auction than its own, if that began before it was shown. */
export function cancelIfCarriedOver(
  turn: Turn,
  order: Order,
  frame: ExchangeOrder,
  cancelForSafety: CancelForSafety,
): void {
  if (!isGtx(order) || order.auctionId === null || order.sessionId === ELSEWHERE) return;
  const phase = turn.state.board.phase(order.terms.exchangeSymbol);
  if (phase === null || isOver(phase) || phase.auctionId === order.auctionId) return;
  if (frame.publishedAt === null || frame.publishedAt > phase.startTime) cancel(turn, order, phase, cancelForSafety);
}

function cancel(turn: Turn, order: Order, phase: AuctionPhase, cancelForSafety: CancelForSafety): void {
  if (openRequest(order, 'safety') !== null) return;
  const text = `GTX order of auction ${order.auctionId} is still open in auction ${phase.auctionId}; it is cancelled`;
  turn.alarm('auction-carry-over', text, order);
  cancelForSafety(turn, order, 'its auction is over (rule T3)');
}
