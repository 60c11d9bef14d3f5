// Subscribers to changes of the list of markets, bounded per session. security-list.ts words the reports.

import type { Decimal } from '../../base/decimal.ts';
import type { Sender } from '../vocabulary/sender.ts';

/** Lists that one session follows at once. */
export const LIST_SUBSCRIPTIONS_MAX = 20;

/** The markets that a request asks for; a field that is null narrows nothing. */
export interface InstrumentFilter {
  /** The exchange's name, or null for any. */
  readonly symbol: string | null;
  readonly securityType: string | null;
  /** Two letters say category and group; others are not compared. */
  readonly cfiCode: string | null;
  /** Assets; null for any. */
  readonly underlyings: ReadonlySet<string> | null;
  /** YYYYMM or YYYYMMDD. */
  readonly maturity: string | null;
  readonly putOrCall: string | null;
  readonly strikePrice: Decimal | null;
  readonly currency: string | null;
}

/** A request that is answered now, or again with every change. */
export interface ListRequest {
  readonly reqID: string;
  readonly asker: Sender;
  readonly filter: InstrumentFilter;
  /** Null for all markets that the filter leaves. */
  readonly symbol: string | null;
}

export class ListSubscriptions {
  private readonly bySession = new Map<string, Map<string, ListRequest>>();

  get isEmpty(): boolean {
    return this.bySession.size === 0;
  }

  /** Follow a list, or follow another one under the same id; false if the session follows too many. */
  add(sessionId: string, request: ListRequest): boolean {
    const all = this.bySession.get(sessionId) ?? new Map<string, ListRequest>();
    if (!all.has(request.reqID) && all.size >= LIST_SUBSCRIPTIONS_MAX) return false;
    all.set(request.reqID, request);
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

  *all(): Generator<[sessionId: string, request: ListRequest]> {
    for (const [sessionId, requests] of this.bySession)
      for (const request of requests.values()) yield [sessionId, request];
  }
}
