// A position, and one settlement of it. Leaves what changes it to positions.ts.

import type { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { ZERO } from './order.ts';

/** Position of one account in one derivative market. `cost` stands for what is not settled in cash yet. */
export interface Position {
  readonly tradingAccountId: string;
  readonly symbol: string;
  /** Signed: long is positive. */
  quantity: Decimal;
  /** Signed value of the quantity since the last settlement; paid when the position is back at zero. */
  cost: Decimal;
  /** The quantity at its average entry price, signed. */
  entryCost: Decimal;
  realizedPnl: Decimal;
  /** Profit by price and by funding since the position was opened or last reduced. */
  reportedMtmPnl: Decimal;
  reportedFundingPnl: Decimal;
  /** Change of the quantity by trading since the last settlement. */
  tradedSinceSettlement: Decimal;
  createdAt: EpochMs;
  updatedAt: EpochMs;
}

/** One settlement of a position (`DerivativesSettlementResponse`). Amounts in the settlement asset. */
export interface SettlementView {
  readonly tradingAccountId: string;
  readonly symbol: string;
  readonly quantity: Decimal;
  readonly tradedQuantity: Decimal;
  readonly mtmPnl: Decimal;
  readonly fundingPnl: Decimal;
  readonly eventType: 'settlementUpdate' | 'expiryUpdate';
  readonly markPrice: Decimal;
  readonly indexPrice: Decimal;
  readonly fundingRate: Decimal | null;
  readonly at: EpochMs;
}

export function newPosition(tradingAccountId: string, symbol: string, now: EpochMs): Position {
  return {
    tradingAccountId,
    symbol,
    quantity: ZERO,
    cost: ZERO,
    entryCost: ZERO,
    realizedPnl: ZERO,
    reportedMtmPnl: ZERO,
    reportedFundingPnl: ZERO,
    tradedSinceSettlement: ZERO,
    createdAt: now,
    updatedAt: now,
  };
}
