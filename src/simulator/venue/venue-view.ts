// The venue's view of fills and auctions. venue-event.ts decides when to publish it.

import type { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { AuctionPhaseName, OrderSide } from '../../exchange/mod.ts';

/** One side of a fill. */
export interface TradeView {
  readonly tradeId: string;
  readonly orderId: string;
  readonly clientOrderId: string | null;
  readonly tradingAccountId: string;
  readonly symbol: string;
  readonly side: OrderSide;
  readonly price: Decimal;
  readonly quantity: Decimal;
  readonly quoteAmount: Decimal;
  readonly baseFee: Decimal;
  readonly quoteFee: Decimal;
  readonly isTaker: boolean;
  readonly auctionId: string | null;
  readonly tradeRebateAmount: Decimal | null;
  readonly tradeRebateAssetSymbol: string | null;
  /** Set on trades that were agreed elsewhere. */
  readonly otcMatchId: string | null;
  readonly otcTradeId: string | null;
  readonly clientOtcTradeId: string | null;
  readonly createdAt: EpochMs;
}

/** A fill as everybody may see it. */
export interface PublicTrade {
  readonly tradeId: string;
  readonly symbol: string;
  readonly price: Decimal;
  readonly quantity: Decimal;
  /** Side of the taker; in an auction of the buyer. */
  readonly side: OrderSide;
  readonly isTaker: boolean;
  readonly auctionId: string | null;
  readonly createdAt: EpochMs;
}

export type AuctionEventType =
  | 'AUCTION_STARTED'
  | 'AUCTION_LOCKDOWN'
  | 'AUCTION_CROSS_POSTPONED'
  | 'AUCTION_CROSS_COMPLETED';

export interface AuctionView {
  readonly auctionId: string;
  readonly symbol: string;
  readonly phase: AuctionPhaseName;
  /** Null in COOLING, before anything was announced. */
  readonly eventType: AuctionEventType | null;
  readonly startTime: EpochMs;
  readonly lockdownTime: EpochMs;
  readonly scheduledCrossTime: EpochMs;
  readonly createAuctionOrderEnabled: boolean;
  readonly amendAuctionOrderEnabled: boolean;
  readonly cancelAuctionOrderEnabled: boolean;
  readonly message: string | null;
  readonly createdAt: EpochMs;
  readonly updatedAt: EpochMs;
}

/** Net order imbalance: indicative in lockdown, final at the cross. */
export interface NoiiView {
  readonly auctionId: string;
  readonly symbol: string;
  readonly eventType: 'UPDATE' | 'CROSS';
  /** Indicative (UPDATE) or clearing (CROSS) price; null if nothing pairs. */
  readonly price: Decimal | null;
  readonly referencePrice: Decimal;
  readonly imbalanceDirection: OrderSide | 'NONE';
  readonly imbalanceQuantity: Decimal;
  readonly pairedQuantity: Decimal;
  readonly timestamp: EpochMs;
}
