// OTC trades as they are asked for and held, and which of them match. Leaves their course to otc.ts.

import type { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OrderSide } from '../../exchange/mod.ts';
import { opposite } from '../venue/order.ts';
import type { TradeView } from '../venue/venue-view.ts';

/** Unmatched trades at once, over all accounts. */
export const OTC_PENDING_MAX = 10_000;
const OTC_TRADES_MAX = 20_000;

export type OtcStatus =
  | 'APPROVAL_PENDING'
  | 'COUNTERPARTY_PENDING'
  | 'COUNTERPARTY_PAIRED'
  | 'RISK_PENDING'
  | 'MATCHED'
  | 'CANCELLED'
  | 'REJECTED';

export interface OtcLeg {
  readonly symbol: string;
  readonly side: OrderSide;
  readonly price: Decimal;
  readonly quantity: Decimal;
}

/** One party's side of an OTC trade; legs are as that party sees them. */
export interface OtcTrade {
  readonly otcTradeId: string;
  readonly requestId: string;
  readonly clientOtcTradeId: string | null;
  readonly tradingAccountId: string;
  readonly sharedMatchKey: string;
  readonly isTaker: boolean;
  readonly remarks: string | null;
  idbRemarks: string | null;
  readonly brokeredBy: string | null;
  readonly legs: readonly OtcLeg[];
  status: OtcStatus;
  /** A status reason code; `OTC_OK` while nothing is wrong. */
  reason: number;
  fills: readonly TradeView[];
  readonly createdAt: EpochMs;
  readonly expiresAt: EpochMs;
}

/** Status reason of a trade that is on its way or done. */
export const OTC_OK = 1001;

/**
 * Why a trade ended otherwise (exchange catalogue, Appendix D); the causes of 9023 and 9033 to 9036 are **assumed**.
 */
export const OtcReason = {
  bookingRefused: 9023,
  sameRole: 9026,
  inputsDiffer: 9027,
  expired: 9028,
  sameAccount: 9031,
  leverageReached: 9033,
  feeBorrowingUnavailable: 9034,
  openLoans: 9035,
  counterpartyAtFault: 9036,
  byUser: 9037,
  byCounterparty: 9038,
  byBroker: 9039,
} as const;

/** A new side as its sender gives it; `status` is where it begins. */
export type NewOtcTrade = Omit<OtcTrade, 'status' | 'reason' | 'fills' | 'createdAt' | 'expiresAt'> & {
  readonly status: 'APPROVAL_PENDING' | 'COUNTERPARTY_PENDING' | 'COUNTERPARTY_PAIRED';
  /** Refuse it with this reason code: a fault knob. */
  readonly refuseWith?: number | null;
};

export type OtcCommand =
  | { readonly kind: 'otcCreate'; readonly sides: readonly NewOtcTrade[] }
  | { readonly kind: 'otcApprove'; readonly otcTradeId: string }
  | { readonly kind: 'otcCancel'; readonly otcTradeIds: readonly string[]; readonly byBroker: boolean }
  | { readonly kind: 'otcRemark'; readonly otcTradeIds: readonly string[]; readonly idbRemarks: string | null }
  /** Keep pairs at RISK_PENDING from now on, or let them and the waiting ones through. */
  | { readonly kind: 'otcHold'; readonly hold: boolean };

/** All OTC trades, oldest first. */
export class OtcBook {
  readonly trades = new Map<string, OtcTrade>();
  /** Those not ended yet, oldest first: they also expire in this order. */
  readonly pending = new Set<OtcTrade>();
  holds = false;

  add(trade: OtcTrade): void {
    this.trades.set(trade.otcTradeId, trade);
    this.pending.add(trade);
    if (this.trades.size <= OTC_TRADES_MAX) return;
    for (const old of this.trades.values()) {
      if (this.pending.has(old)) continue;
      this.trades.delete(old.otcTradeId);
      return;
    }
  }

  /** Why a side cannot match the entry that waits under its key; null if none waits. */
  mismatch(trade: OtcTrade): number | null {
    for (const candidate of this.pending) {
      if (candidate === trade || candidate.sharedMatchKey !== trade.sharedMatchKey) continue;
      if (candidate.tradingAccountId === trade.tradingAccountId) return OtcReason.sameAccount;
      return candidate.isTaker === trade.isTaker ? OtcReason.sameRole : OtcReason.inputsDiffer;
    }
    return null;
  }

  /** The other side under the same key. */
  other(trade: OtcTrade): OtcTrade | null {
    for (const candidate of this.pending) {
      if (candidate !== trade && candidate.sharedMatchKey === trade.sharedMatchKey && isMirror(candidate, trade)) {
        return candidate;
      }
    }
    return null;
  }
}

/** The legs as the other party sees them. */
export function mirrored(legs: readonly OtcLeg[]): OtcLeg[] {
  return legs.map((leg) => ({ ...leg, side: opposite(leg.side) }));
}

function isMirror(a: OtcTrade, b: OtcTrade): boolean {
  if (a.isTaker === b.isTaker || a.tradingAccountId === b.tradingAccountId || a.brokeredBy !== b.brokeredBy)
    return false;
  if (a.legs.length !== b.legs.length) return false;
  const text = ({ symbol, side, price, quantity }: OtcLeg): string =>
    `${symbol} ${side} ${price.trimmed()} ${quantity.trimmed()}`;
  const own = a.legs.map(text).sort();
  const theirs = mirrored(b.legs).map(text).sort();
  return own.every((leg, i) => leg === theirs[i]);
}
