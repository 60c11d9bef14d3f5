// Look-ups of an order at the exchange: by its id or our own reference, with back-off, bounded (rule U2).
// command-outcome.ts interprets the answers.

import { hasAllTrades, isTerminal, type Order, openCreateLeg } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { commandId, type GatewayState, type Turn } from '../state/state.ts';
import { firstOf } from '../vocabulary/one-or-many.ts';

/** Bring the next look-up forward to at most `withinMs` from now. */
export function lookUpWithin(turn: Turn, order: Order, withinMs: number): void {
  if (order.run.lookupId !== null) return;
  const at = turn.steady + withinMs;
  if (order.run.lookupAt === null || order.run.lookupAt > at) runOf(order).lookupAt = at;
  turn.rearm(order);
}

/** Whether the exchange must be asked about the order. */
export function needsLookup({ config }: GatewayState, order: Order): boolean {
  if (order.run.mustAsk) return true;
  if (isTerminal(order.state)) {
    if (order.absent && order.requests.some((request) => request.stage !== 'submitted')) return true;
    // The fetch of fills after the end is bounded; an alarm was raised.
    return !hasAllTrades(order) && order.run.lookups < config.lookup.alarmAfter * 2;
  }
  if (order.state === 'A' && order.stage !== 'submitted') return true;
  return !hasAllTrades(order) || order.requests.some((request) => request.stage !== 'submitted');
}

/** A look-up is due. */
export function lookUp(turn: Turn, order: Order): void {
  const run = runOf(order);
  run.lookupAt = null;
  turn.rearm(order);
  const isKnownBy = firstOf(order.references) !== undefined || order.exchangeOrderId !== null;
  if (run.lookupId !== null || !isKnownBy || !needsLookup(turn.state, order)) return;
  run.lookups++;
  const lookupId = `${commandId(order, 0)}?${turn.now}-${run.lookups}`;
  run.lookupId = lookupId;
  turn.state.registry.addLookup(lookupId, order);
  const create = commandId(order, 0);
  const unanswered = order.requests.findLast((request) => request.stage === 'unknown');
  run.lookedUpAt = turn.steady;
  run.isHeardSince = false;
  run.lookedUpRequest = order.state === 'A' ? null : (unanswered?.number ?? null);
  const leg = openCreateLeg(order);
  if (leg !== null) run.lookedUpRequest = null;
  const asked = leg?.swap?.createNumber ?? unanswered?.number ?? null;
  const command = order.state === 'A' ? create : asked === null ? null : commandId(order, asked);
  turn.lookup({
    kind: 'lookup',
    lookupId,
    credential: order.credential,
    tradingAccountId: order.tradingAccountId,
    orderId: order.exchangeOrderId,
    clientOrderId: order.reference ?? firstOf(order.references) ?? '',
    commandId: command !== null && run.commandIds.includes(command) ? command : null,
    ofRequest: run.lookedUpRequest !== null,
    enteredAt: order.legAt ?? order.receivedAt,
  });
}

/** After an answer: ask again with back-off, or rest. */
export function askAgain(turn: Turn, order: Order): void {
  if (!needsLookup(turn.state, order)) {
    const run = runOf(order);
    run.lookups = 0;
    run.lookupAt = null;
    turn.rearm(order);
    return;
  }
  const { firstMs, largestMs, alarmAfter } = turn.state.config.lookup;
  const { lookups } = order.run;
  if (lookups === alarmAfter) {
    const what = order.state === 'A' ? 'new order' : 'last request';
    turn.alarm(
      'unknown-outcome',
      `The outcome of the ${what} is unknown after ${lookups} look-ups; they continue`,
      order,
    );
  }
  // The shift is capped well before it could overflow.
  const backOff = Math.min(largestMs, firstMs * 2 ** Math.min(lookups, 20));
  lookUpWithin(turn, order, backOff);
}
