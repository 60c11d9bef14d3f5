// Subscribers to halts and resumptions of a market or the platform (rule D4), bounded per session. security-status.ts
// words the reports.

import type { Sender } from '../vocabulary/sender.ts';

/** Open subscriptions of one session. */
export const SUBSCRIPTIONS_MAX = 1_000;
/** One SecurityStatusRequest(e) or TradingSessionStatusRequest(g). */
export interface Subscription extends Sender {
  readonly sessionId: string;
  readonly reqID: string;
  /** The session's name of the symbol; null for the platform (h). */
  readonly symbol: string | null;
  /** The last report. */
  said: string;
  /** The imbalance said last in this auction, or null. */
  imbalance: string | null;
  /** The auction with the result said last, or null. */
  result: string | null;
}

/** Subscribers to changes, of all sessions. */
export class StatusSubscriptions {
  private readonly bySession = new Map<string, Map<string, Subscription>>();

  add(subscription: Subscription): boolean {
    const { sessionId, symbol, reqID } = subscription;
    const all = this.bySession.get(sessionId) ?? new Map<string, Subscription>();
    const key = keyOf(symbol !== null, reqID);
    if (!all.has(key) && all.size >= SUBSCRIPTIONS_MAX) return false;
    all.set(key, subscription);
    this.bySession.set(sessionId, all);
    return true;
  }

  remove(sessionId: string, isSecurity: boolean, reqID: string): void {
    this.bySession.get(sessionId)?.delete(keyOf(isSecurity, reqID));
  }

  /** The session ended: it asks again if it still wants to know. */
  clear(sessionId: string): void {
    this.bySession.delete(sessionId);
  }

  /** True if the session subscribed to the platform's state. */
  hasPlatform(sessionId: string): boolean {
    for (const { symbol } of this.bySession.get(sessionId)?.values() ?? []) if (symbol === null) return true;
    return false;
  }

  *all(): Generator<Subscription> {
    for (const subscriptions of this.bySession.values()) yield* subscriptions.values();
  }
}

const keyOf = (isSecurity: boolean, reqID: string): string => `${isSecurity ? 'e' : 'g'}${reqID}`;
