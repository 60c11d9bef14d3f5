// ClOrdIDs of requests that belong to no order of their own session: a q, and an F or G on an order of another session.
// Used once, for years, whatever sequence resets and restarts come (rules O5, U4).

import { chainKey } from './order.ts';
import { massCancelKey } from './order-keys.ts';
import { encodeRecord } from './order-record.ts';
import type { GatewayState, Turn } from './state.ts';

/** Whether a ClOrdID(11) was used before on its session, by an order, a change of one, or a request for many. */
export function isUsed({ registry }: GatewayState, sessionId: string, clOrdID: string): boolean {
  return registry.findByClOrdID(sessionId, clOrdID) !== null || registry.isUsedOtherwise(sessionId, clOrdID);
}

/** Note that a request used this ClOrdID(11). */
export function useRequestID(turn: Turn, sessionId: string, clOrdID: string): void {
  turn.state.registry.addMassCancel(sessionId, clOrdID);
  const key = chainKey(sessionId, clOrdID);
  turn.record(sessionId, key, encodeRecord({ kind: 'massCancel', key, sessionId, clOrdID }), [
    massCancelKey(sessionId, clOrdID),
  ]);
}
