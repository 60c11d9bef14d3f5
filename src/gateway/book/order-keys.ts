// The keys under which an ended order is found for years (rule O5): by any ClOrdID of its chain, by any reference, by any
// exchange id. How they are stored is the journal's business.

import { namesIn } from '../vocabulary/one-or-many.ts';
import type { Order } from './order.ts';

/** Keys that a record may have, and bytes of one; a chain with more stays in memory. */
const KEYS_MAX = 255;
const KEY_BYTES_MAX = 1_000;

export const clOrdIDKey = (sessionId: string, clOrdID: string): string => `c|${sessionId}|${clOrdID}`;
export const referenceKey = (tradingAccountId: string, reference: string): string =>
  `r|${tradingAccountId}/${reference}`;
export const exchangeOrderIdKey = (orderId: string): string => `x|${orderId}`;
export const massCancelKey = (sessionId: string, clOrdID: string): string => `m|${sessionId}|${clOrdID}`;

/** All keys of an ended order; null if they are too many or too long to be stored. */
export function keysOf(order: Order): string[] | null {
  const keys = [
    ...namesIn(order.clOrdIDs).map((clOrdID) => clOrdIDKey(order.sessionId, clOrdID)),
    ...namesIn(order.references).map((reference) => referenceKey(order.tradingAccountId, reference)),
    ...order.earlierLegs.map(exchangeOrderIdKey),
  ];
  if (order.exchangeOrderId !== null) keys.push(exchangeOrderIdKey(order.exchangeOrderId));
  return fitsKeys(keys) ? keys : null;
}

/** Whether these can be the keys of one record. */
export function fitsKeys(keys: readonly string[]): boolean {
  // Three bytes at most per character that is not ASCII.
  return keys.length <= KEYS_MAX && keys.every((key) => key.length * 3 <= KEY_BYTES_MAX);
}
