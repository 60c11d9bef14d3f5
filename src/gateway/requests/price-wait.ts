// Orders, replacements and lists in a market without any reference price yet, such as the first order on an option
// (rule O12). The gateway asks the exchange for its tick, and they wait for it, bounded in time and number; later ones
// of their session wait behind them. Leaves the limits to risk-limits.ts, the queue and its end at a Logout(5) to
// throttled-message.ts.

import type { EpochMs } from '../../base/time.ts';
import { readMarket } from '../rules/read-order-terms.ts';
import type { GatewayState } from '../state/state.ts';
import { clOrdIDOf } from '../state/throttle-queue.ts';
import { exceedsLimit, type Refusal } from '../vocabulary/refusal.ts';
import type { InboundMessage } from './inbound-message.ts';
import { findHeldOrder } from './queued-orders.ts';
import { bringsRisk, keepWaiting } from './waiting-messages.ts';

/** So long after a wait in vain the next order in that market is refused at once: it would stop the session's others (assumed). */
const IN_VAIN_MS = 30_000;

/** Hold a request that a limit refuses only because its market has no price yet. Null if it waits, else the refusal to answer with. */
export function waitForPrice(inbound: InboundMessage, refusal: Refusal): Refusal | null {
  const { turn, session, view, possDup } = inbound;
  const { lacksPriceOf: symbol } = refusal;
  const { waitMs, ordersMax } = session.priceWait;
  if (symbol === undefined || waitMs === 0 || session.leftBy !== null) return refusal;
  const { held } = turn.state;
  const before = held.released?.price ?? null;
  if (before !== null && before.until <= turn.steady) {
    held.noteInVain(symbol, turn.steady);
    return { ...refusal, text: `${refusal.text}; the exchange said none within ${waitMs} ms` };
  }
  const inVainAt = held.inVainAt(symbol);
  if (before === null && inVainAt !== null && turn.steady - inVainAt < IN_VAIN_MS) return refusal;
  const { sessionId } = session.config;
  if (held.released === null && held.of(sessionId).length >= ordersMax) return tooMany(refusal.text, ordersMax);
  const until = before?.until ?? turn.steady + waitMs;
  const price = { symbol, until };
  keepWaiting(turn, sessionId, view, { possDup, releaseAt: until, price, isFirst: held.released !== null });
  return null;
}

/** Note a reference price, and let messages that wait for it have their turn with the next tick. */
export function priceHeard({ board, held }: GatewayState, symbol: string, price: string, at: EpochMs): void {
  board.setReferencePrice(symbol, price, at);
  if (board.hasPrice(symbol)) held.priceHeard(symbol, at);
}

const tooMany = (text: string, ordersMax: number): Refusal =>
  exceedsLimit(`${text}; ${ordersMax} messages of the session wait for one already`);

/**
 * Have a new order, replacement or list wait behind one of its session that waits for a price: the order of arrival is
 * kept. False if nothing waits so; a refusal if too many do. A repetition of a waiting order is answered at once.
 */
export function waitBehind({ turn, session, view, possDup }: InboundMessage): boolean | Refusal {
  const { held, board } = turn.state;
  const { sessionId } = session.config;
  if (!bringsRisk(view) || !held.awaitsPrice(sessionId)) return false;
  if (findHeldOrder(turn.state, session, clOrdIDOf(view)) !== null) return false;
  const { ordersMax } = session.priceWait;
  if (held.of(sessionId).length >= ordersMax) return tooMany('It would wait behind others', ordersMax);
  // Asked for now, its price is there when its turn comes.
  const market = session.limits.priceBandPercent === null ? null : readMarket(session, board, view);
  const symbol = market === null || market.refusal !== null ? null : market.value.market.symbol;
  if (symbol !== null && !board.hasPrice(symbol)) turn.followPrice(symbol);
  keepWaiting(turn, sessionId, view, { possDup, releaseAt: turn.steady });
  return true;
}
