// Handles a clock that is set back under the gateway: remaining times and ages stay the same by the new clock.
// Otherwise look-ups, the grace time (rule C1), a dead man's switch (rule C2) and rate limits would be late by the
// whole step, and a stale price would count as fresh (rule O12). Times of day (expiries, auctions) stay.

import type { Order } from './book/order.ts';
import { runOf } from './book/order-runtime.ts';
import type { OrderLimits } from './state/order-limits.ts';
import type { GatewayState, Turn } from './state/state.ts';

const TIMES = [
  'pendingNewAt',
  'lookupAt',
  'endAt',
  'alarmAt',
  'cancelAgainAt',
  'dueAt',
  'notFoundAt',
  'suspectedAt',
] as const;

/** Move whatever is measured from a moment of the old clock, `byMs` milliseconds ahead of the new one. */
export function clockSetBack(turn: Turn, byMs: number): void {
  const { state } = turn;
  state.timers.setBack(byMs, (order) => setOrderBack(order, byMs));
  state.held.setBack(byMs);
  state.pieces.setBack(byMs);
  for (const [sessionId, endsAt] of state.graces) state.graces.set(sessionId, endsAt - byMs);
  for (const one of state.deadMansSwitches.values()) {
    if (one.nextAt !== null) one.nextAt -= byMs;
    if (one.firesBy !== null) one.firesBy -= byMs;
    if (one.caller !== null) one.caller = { ...one.caller, firesAt: one.caller.firesAt - byMs };
  }
  for (const limits of allLimits(state)) limits.rate?.setBack(byMs);
  state.board.setBack(byMs);
  state.marketData.setBack(byMs);
  state.unasked.setBack(byMs);
  state.accountSubscriptions.setBack(byMs);
  state.alarmPace.setBack(byMs);
  turn.alarm('clock-set-back', `The clock was set back by ${Math.round(byMs / 1000)} s`, null);
}

function setOrderBack(order: Order, byMs: number): void {
  const run = runOf(order);
  for (const time of TIMES) {
    const at = run[time];
    if (at !== null) run[time] = at - byMs;
  }
  run.lookedUpAt -= byMs;
  // A later look-up is not older than the answer.
  for (const request of order.requests) if (request.acknowledgedAt !== null) request.acknowledgedAt -= byMs;
}

function* allLimits(state: GatewayState): Generator<OrderLimits> {
  for (const { limits } of state.sessions.values()) yield limits;
  yield* state.accountLimits.values();
}
