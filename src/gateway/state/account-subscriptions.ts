// Subscribers to positions, collateral and market maker protection of accounts, bounded per session, and when each is asked about next. The files
// of src/gateway/positions word the reports.

import type { EpochMs } from '../../base/time.ts';
import type { AccountEntitlement } from '../vocabulary/config.ts';
import type { Sender } from '../vocabulary/sender.ts';
import { FollowedRequests } from './followed-requests.ts';

/** A RequestForPositions(AN), CollateralInquiry(BB) or MMPRequest(UMQ) that is answered again with every change. */
export interface AccountSubscription {
  readonly kind: 'positions' | 'collateral' | 'mmp';
  readonly sessionId: string;
  readonly reqID: string;
  readonly account: AccountEntitlement;
  /** The exchange's name of the one market or underlying asset that is asked for, or null. */
  readonly exchangeSymbol: string | null;
  readonly accountType: string;
  readonly asker: Sender;
  /** By symbol or asset: the last report. */
  said: ReadonlyMap<string, string>;
  dueAt: EpochMs;
  /** A question is open. */
  isAsked: boolean;
}

/** After a fill the exchange has booked it. */
const AFTER_FILL_MS = 500;

export class AccountSubscriptions {
  private readonly followed = new FollowedRequests<AccountSubscription>();

  /** Add one, or replace the one of the same id; false if the session has `most` already. */
  add(subscription: AccountSubscription, most: number): boolean {
    const { sessionId, kind, reqID } = subscription;
    return this.followed.add(sessionId, `${kind} ${reqID}`, subscription, most);
  }

  remove(sessionId: string, kind: AccountSubscription['kind'], reqID: string): void {
    this.followed.remove(sessionId, `${kind} ${reqID}`);
  }

  /** Whether it was neither taken back nor replaced. */
  has(subscription: AccountSubscription): boolean {
    const { sessionId, kind, reqID } = subscription;
    return this.followed.get(sessionId, `${kind} ${reqID}`) === subscription;
  }

  /** The session ended: it asks again if it still wants to know. */
  clear(sessionId: string): void {
    this.followed.clear(sessionId);
  }

  /** An account was filled: its subscribers hear of it soon. */
  filled(tradingAccountId: string, now: EpochMs): void {
    for (const one of this.all()) {
      if (one.account.tradingAccountId === tradingAccountId) one.dueAt = Math.min(one.dueAt, now + AFTER_FILL_MS);
    }
  }

  /** When the next one is asked about, or null. */
  dueAt(): EpochMs | null {
    let at: EpochMs | null = null;
    for (const one of this.all()) if (!one.isAsked && (at === null || one.dueAt < at)) at = one.dueAt;
    return at;
  }

  /** Those that are to be asked about now. */
  due(now: EpochMs): AccountSubscription[] {
    return [...this.all()].filter((one) => !one.isAsked && one.dueAt <= now);
  }

  private *all(): Generator<AccountSubscription> {
    for (const [, subscription] of this.followed.all()) yield subscription;
  }
}
