// Checks the answer to a read: whether it concerns the request, why it is unusable, where a list continues. Pure;
// reads.ts asks.

import { Decimal } from '../../base/decimal.ts';
import { type ExchangeOrder, type ExchangeTrade, type OrderLookup, parseExactJson } from '../../exchange/mod.ts';
import { describeResult, isAnother } from '../commands/outcome.ts';
import type { HttpAnswer } from './http.ts';

/** Answer of a read, or why there is none. */
export type ReadResult =
  | HttpAnswer
  /** `isBarred`: the key may not ask it, now or later. */
  | { readonly kind: 'failed'; readonly message: string; readonly isBarred?: true };

/** A repeated answer of a device on the way says nothing of the next query. */
export const OF_ANOTHER: ReadResult = { kind: 'failed', message: 'the answer is about another order' };

/** Whether an order is the one that was asked for. */
export function isAsked(order: ExchangeOrder, { orderId, clientOrderId }: OrderLookup): boolean {
  return orderId === null ? !isAnother(clientOrderId, order.clientOrderId) : order.orderId === orderId;
}

/** Why an answer could not be read. Order JSON may contain a type that is no error's. */
export function reasonOf(answer: ReadResult): string {
  if (answer.kind === 'failed') return answer.message;
  const isJson = answer.status === 200 && parseExactJson(answer.body) !== undefined;
  return isJson ? 'HTTP 200 with an answer that is not understood' : describeResult(answer);
}

/**
 * Continuation of a list: the first request from the link's cursor on. In the exchange's own example the link names
 * neither the account nor `_metaData`, without which the next page has no link (exchange reference §1.3). A link
 * without a cursor is followed if it is a path of this exchange; null otherwise.
 */
export function nextTarget(first: string, link: string): string | null {
  const cursor = /[?&]_nextPage=([\x21-\x7e]{1,512}?)(?=[&#]|$)/.exec(link)?.[1];
  if (cursor !== undefined) return `${first}&_nextPage=${cursor}`;
  return link.startsWith('/trading-api/') ? link : null;
}

/** The exchange's own 404: JSON or nothing at all, unlike the page of something in between. */
export function isPlainNotFound({ body }: HttpAnswer): boolean {
  return body.trim() === '' || parseExactJson(body) !== undefined;
}

export function latest(one: ExchangeOrder | null, other: ExchangeOrder): ExchangeOrder {
  return one === null || other.createdAt > one.createdAt ? other : one;
}

export function sum(trades: readonly ExchangeTrade[]): Decimal {
  return trades.reduce((total, { quantity }) => total.add(Decimal.of(quantity)), Decimal.ZERO);
}
