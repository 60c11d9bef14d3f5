// Events from the exchange: orders, trades, auction phases and outcomes of commands, already read leniently from JSON.
// event-decoding.ts reads frames; the gateway decides the effect on a FIX order.

import type { EpochMs } from '../base/time.ts';
import type { OrderSide } from './command.ts';
import type { Market } from './market.ts';

export type ExchangeOrderStatus = 'OPEN' | 'CLOSED' | 'CANCELLED' | 'REJECTED';

/** An order as REST and the `orders` topic describe it. Amounts are decimal strings as received. */
export interface ExchangeOrder {
  readonly tradingAccountId: string;
  readonly orderId: string;
  /** Our reference; `clientOrderId`, else the deprecated `handle`. */
  readonly clientOrderId: string | null;
  readonly symbol: string;
  /** As received: `LMT`, `MKT`, `STOP_LIMIT`, `POST_ONLY`. */
  readonly type: string;
  readonly side: OrderSide;
  readonly price: string | null;
  readonly stopPrice: string | null;
  readonly quantity: string;
  readonly quantityFilled: string;
  readonly averageFillPrice: string | null;
  readonly timeInForce: string;
  readonly status: ExchangeOrderStatus;
  /** As text, whether the frame carried a number or a string (exchange reference §3.1). */
  readonly statusReasonCode: string | null;
  readonly statusReason: string | null;
  readonly isLiquidation: boolean;
  readonly borrowedQuantity: string | null;
  readonly createdAt: EpochMs;
  /** Null on REST answers, which do not carry it. */
  readonly publishedAt: EpochMs | null;
}

/** A fill as REST and the `trades` topic describe it. */
export interface ExchangeTrade {
  readonly tradingAccountId: string;
  readonly tradeId: string;
  readonly orderId: string;
  readonly clientOrderId: string | null;
  readonly symbol: string;
  readonly side: OrderSide;
  readonly price: string;
  readonly quantity: string;
  readonly quoteAmount: string | null;
  readonly baseFee: string | null;
  readonly quoteFee: string | null;
  readonly isTaker: boolean | null;
  readonly tradeRebateAmount: string | null;
  readonly tradeRebateAssetSymbol: string | null;
  readonly auctionId: string | null;
  readonly otcTradeId: string | null;
  /** Of a negotiated trade, where the exchange says it: the same for both sides. */
  readonly otcMatchId?: string;
  readonly createdAt: EpochMs;
  readonly publishedAt: EpochMs | null;
}

export type AuctionPhaseName = 'COOLING' | 'ACCUMULATION' | 'LOCKDOWN' | 'CROSS';

/** Auction phase of a symbol (exchange reference §7.3). */
export interface AuctionPhase {
  readonly auctionId: string;
  readonly symbol: string;
  readonly eventType: 'AUCTION_STARTED' | 'AUCTION_LOCKDOWN' | 'AUCTION_CROSS_POSTPONED' | 'AUCTION_CROSS_COMPLETED';
  readonly phase: AuctionPhaseName;
  readonly startTime: EpochMs;
  readonly lockdownTime: EpochMs;
  readonly scheduledCrossTime: EpochMs;
  readonly createAuctionOrderEnabled: boolean;
  readonly amendAuctionOrderEnabled: boolean;
  readonly cancelAuctionOrderEnabled: boolean;
  readonly message: string | null;
}

/** `V1TAErrorResponse`: the exchange refused something after acknowledging it (exchange reference §3.3). */
export interface ExchangeErrorNotice {
  readonly tradingAccountId: string | null;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly requestId: string | null;
  readonly errorCode: string | null;
  readonly errorCodeName: string | null;
  readonly message: string;
}

export type ExchangeEvent =
  | { readonly kind: 'order'; readonly order: ExchangeOrder; readonly source: 'snapshot' | 'update' }
  | { readonly kind: 'trade'; readonly trade: ExchangeTrade; readonly source: 'snapshot' | 'update' }
  /** The snapshot of trades that follows is full, and none of it was heard before: older ones may be missing. */
  | { readonly kind: 'tradesMissed'; readonly tradingAccountId: string }
  | { readonly kind: 'phase'; readonly phase: AuctionPhase }
  /** The exchange refuses the phases of this market's auctions: earlier ones are void. */
  | { readonly kind: 'phaseUnknown'; readonly symbol: string }
  | { readonly kind: 'errorNotice'; readonly notice: ExchangeErrorNotice }
  /** The exchange lists other markets than before, or says something else of them: all of them. */
  | { readonly kind: 'markets'; readonly markets: readonly Market[] }
  /** Last traded price on the continuous book, for price bands (rule O12). */
  | { readonly kind: 'referencePrice'; readonly symbol: string; readonly price: string }
  /** Whether the named feed is subscribed and live; `private` is orders and trades of the credential. */
  | { readonly kind: 'feed'; readonly feed: 'private' | 'auction'; readonly live: boolean };

/**
 * Outcome of a command. Rule U1 draws the line: an outcome neither certainly accepted nor certainly refused is unknown.
 */
export type CommandOutcome =
  | {
      readonly kind: 'accepted';
      readonly orderId: string | null;
      readonly clientOrderId: string | null;
      readonly requestId: string | null;
      /** Of a negotiated trade. */
      readonly otcTradeId?: string;
    }
  | {
      readonly kind: 'refused';
      /** Null when nothing left this process. */
      readonly httpStatus: number | null;
      readonly errorCode: string | null;
      readonly errorCodeName: string | null;
      /** For a human; never a whole body, never a secret. */
      readonly message: string;
      /** A create or an amendment that waited for its turn when a cancel of its order came (rules S7, X3). */
      readonly withdrawn?: true;
      /** It waited here for the exchange's rate as long as allowed: the exchange would have refused it for its rate. */
      readonly overRate?: true;
    }
  | { readonly kind: 'unknown'; readonly message: string };

/** A refusal by this process: nothing left it. */
export function refusedHere(message: string): Extract<CommandOutcome, { kind: 'refused' }> {
  return { kind: 'refused', httpStatus: null, errorCode: null, errorCodeName: null, message };
}

/** Answer to a look-up of an order by our own reference. */
export type LookupOutcome =
  | {
      readonly kind: 'found';
      readonly order: ExchangeOrder;
      readonly trades: readonly ExchangeTrade[];
      /** Asked for a request: its nonce could no longer be accepted when the order was read, so it never will be. */
      readonly final?: boolean;
      /** Offset to add to our clock to agree with the exchange's. Absent if both agree. */
      readonly clockOffsetMs?: number;
    }
  /** Not there. `final`: the command's nonce can no longer be accepted either (rule U2), so it never will be. */
  | { readonly kind: 'absent'; readonly final: boolean }
  | { readonly kind: 'failed'; readonly message: string };
