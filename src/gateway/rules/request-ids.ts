// Valid ids of orders and requests, and the ClOrdIDs of requests that belong to no order of their own session: a q, and
// an F or G on another session's order. Each is used once, for years, across sequence resets and restarts (rules O5,
// U4).

import { chainKey } from '../book/order.ts';
import { massCancelKey } from '../book/order-keys.ts';
import { encodeRecord } from '../book/order-record.ts';
import type { GatewayState, Turn } from '../state/state.ts';

/** Longest ClOrdID of an order (design: 1–64 printable characters). */
const CL_ORD_ID_MAX = 64;
/** Longest ClOrdID of a request and longest ListID: they are part of a record's key. An OMS may derive them from those of orders. */
const REQUEST_ID_MAX = 255;

/** Why a text cannot be the ClOrdID(11) of an order, in words; null if it can. */
export function clOrdIDProblem(clOrdID: string): string | null {
  if (clOrdID.length === 0 || clOrdID.length > CL_ORD_ID_MAX) {
    return `ClOrdID(11) must have 1 to ${CL_ORD_ID_MAX} characters, this one has ${clOrdID.length}`;
  }
  for (let i = 0; i < clOrdID.length; i++) {
    const c = clOrdID.charCodeAt(i);
    if (c < 0x20 || c > 0x7e) return 'ClOrdID(11) must consist of printable ASCII characters';
  }
  return null;
}

/** Why a text cannot be the ClOrdID(11) of a request, a ListID(66), or an id that many answers repeat, in words; null if it can. */
export function requestIDProblem(name: string, id: string): string | null {
  return id.length === 0 || id.length > REQUEST_ID_MAX
    ? `${name} must have 1 to ${REQUEST_ID_MAX} characters, this one has ${id.length}`
    : null;
}

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
