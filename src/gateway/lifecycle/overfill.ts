// Overfill: a fill beyond the order's remaining quantity. Either it was increased elsewhere, unnoticed, or the exchange
// filled too much. The gateway asks the exchange, and the fill waits meanwhile, because it would end a working order
// (rules O1, O11). It is not recorded: after a restart the exchange reports it again. apply-exchange-event.ts handles
// all other fills.

import { Decimal } from '../../base/decimal.ts';
import type { ExchangeOrder, ExchangeTrade } from '../../exchange/mod.ts';
import { hasTrade, isTerminal, type Order, openRequest } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { remember } from '../book/order-timeline.ts';
import type { Turn } from '../state/state.ts';
import { applyTrade, isOfReplacement, restateLarger } from './apply-exchange-event.ts';
import { lookUpWithin } from './order-lookup.ts';

/** Waiting fills of one order; beyond the limit they are reported as they came. */
const WAITING_MAX = 100;

/** Apply a fill, at once unless it is more than the order has left or one before it waits. */
export function takeTrade(turn: Turn, order: Order, trade: ExchangeTrade): void {
  const { waiting } = order.run;
  if (waiting.some(({ tradeId }) => tradeId === trade.tradeId)) return;
  if (waiting.length === 0 ? !isTooMuch(order, trade) : isTerminal(order.state)) {
    applyTrade(turn, order, trade);
    return;
  }
  const run = runOf(order);
  run.waiting = [...waiting, trade];
  if (waiting.length + 1 > WAITING_MAX) {
    tellAllWaiting(turn, order);
    return;
  }
  if (waiting.length > 0) return;
  run.waitingSince = turn.steady;
  run.waitingUntil = turn.steady + turn.state.config.terminalWaitMs;
  run.mustAsk = true;
  lookUpWithin(turn, order, 0);
  const what = `a fill of ${trade.quantity} (trade ${trade.tradeId}) is more than the order has left`;
  remember(order, turn.now, `${what}: it is reported once the exchange was asked whether the order was increased`);
  turn.touch(order);
}

/** The exchange spoke of the order as a whole: tell the fills that are not too much any more, or all of them if it has ended. */
export function tellWaiting(turn: Turn, order: Order): void {
  if (isTerminal(order.state) || order.end !== null) tellAllWaiting(turn, order);
  const [trade, ...rest] = order.run.waiting;
  if (trade === undefined || isTooMuch(order, trade)) return;
  const run = runOf(order);
  run.waiting = rest;
  if (rest.length === 0) run.waitingUntil = null;
  applyTrade(turn, order, trade);
  tellWaiting(turn, order);
}

/** The exchange was asked for the order, and it is `frame`. A word of before the fills decides nothing: it is asked again. */
export function tellWaitingFound(turn: Turn, order: Order, frame: ExchangeOrder): void {
  if (order.run.waiting.length === 0) return;
  // Again: an open G might have increased the order.
  restateLarger(turn, order, frame);
  tellWaiting(turn, order);
  if (order.run.waiting.length === 0) return;
  const filled = Decimal.parse(frame.quantityFilled);
  const heard = order.run.waiting.reduce(
    (sum, { quantity }) => sum.add(Decimal.parse(quantity) ?? Decimal.ZERO),
    order.cumQty,
  );
  const { lookedUpAt, waitingSince } = order.run;
  if (lookedUpAt >= waitingSince && filled !== null && filled.compare(heard) >= 0) tellAllWaiting(turn, order);
  else runOf(order).mustAsk = true;
}

/** No increase of the order was reported in time, or it has ended. */
export function tellAllWaiting(turn: Turn, order: Order): void {
  const { waiting } = order.run;
  if (waiting.length === 0) return;
  const run = runOf(order);
  run.waiting = [];
  run.waitingUntil = null;
  for (const trade of waiting) applyTrade(turn, order, trade);
}

/** Of a later leg, late fills of those before it may be too much by our own doing (rule O6). */
function isTooMuch(order: Order, trade: ExchangeTrade): boolean {
  const quantity = Decimal.parse(trade.quantity);
  if (quantity === null || order.legQty !== null || hasTrade(order, trade.tradeId)) return false;
  // Its end was reported with its terms.
  if (isTerminal(order.state) || order.end !== null) return false;
  const replace = openRequest(order, 'replace');
  const isOfIt = replace !== null && isOfReplacement(order, replace, trade, quantity);
  const orderQty = (isOfIt ? replace.orderQty : null) ?? order.terms.orderQty;
  return order.cumQty.add(quantity).compare(orderQty) > 0;
}
