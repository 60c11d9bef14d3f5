// Subscribers to the trades of accounts, bounded per session. trade-request.ts words the reports.

import type { EpochMs } from '../../base/time.ts';
import type { Sender } from '../vocabulary/sender.ts';

/** A TradeCaptureReportRequest(AD) with 263=1. */
export interface TradeSubscription {
  readonly sessionId: string;
  readonly reqID: string;
  readonly tradingAccountIds: ReadonlySet<string>;
  /** The exchange's name, or null for all. */
  readonly exchangeSymbol: string | null;
  /** Negotiated trades alone. */
  readonly isNegotiated: boolean;
  readonly asker: Sender;
  readonly since: EpochMs;
}

export class TradeSubscriptions {
  private readonly bySession = new Map<string, Map<string, TradeSubscription>>();

  /** Add one, or replace the one of the same id; false if the session has `most` already. */
  add(subscription: TradeSubscription, most: number): boolean {
    const { sessionId, reqID } = subscription;
    const all = this.bySession.get(sessionId) ?? new Map<string, TradeSubscription>();
    if (!all.has(reqID) && all.size >= most) return false;
    all.set(reqID, subscription);
    this.bySession.set(sessionId, all);
    return true;
  }

  remove(sessionId: string, reqID: string): void {
    const all = this.bySession.get(sessionId);
    all?.delete(reqID);
    if (all?.size === 0) this.bySession.delete(sessionId);
  }

  /** The session ended: it asks again if it still wants to know. */
  clear(sessionId: string): void {
    this.bySession.delete(sessionId);
  }

  *all(): Generator<TradeSubscription> {
    for (const subscriptions of this.bySession.values()) yield* subscriptions.values();
  }
}
