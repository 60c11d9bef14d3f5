// The trace id of an order: 128 bits made of its session and first ClOrdID(11). It is the same after a restart, in a replay
// and on every node, and a reader of the message log can compute it. It names no secret and proves nothing.

import { firstOf } from '../vocabulary/one-or-many.ts';
import type { Order } from './order.ts';

/** The trace id of an order; of one that was entered elsewhere it is made of its exchange id. */
export function traceOf(order: Pick<Order, 'sessionId' | 'clOrdIDs' | 'exchangeOrderId'>): string {
  return traceIdOf(order.sessionId, firstOf(order.clOrdIDs) ?? `${order.exchangeOrderId}`);
}

/** 32 lower-case hexadecimal digits, never all zero (W3C Trace Context, trace-id). */
export function traceIdOf(sessionId: string, clOrdID: string): string {
  const text = `${sessionId}|${clOrdID}`;
  let [a, b, c, d] = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = mixed(a ^ unit, 0x9e3779b1) ^ b;
    b = mixed(b ^ a, 0x85ebca77) ^ c;
    c = mixed(c ^ b, 0xc2b2ae3d) ^ d;
    d = mixed(d ^ c, 0x27d4eb2f) ^ a;
  }
  return [a, b, c, d | 1].map((lane) => (lane >>> 0).toString(16).padStart(8, '0')).join('');
}

function mixed(lane: number, by: number): number {
  const product = Math.imul(lane, by);
  return product ^ (product >>> 15);
}
