// Inputs and events of the venue: the vocabulary between the deterministic core and its faces.

import type { Decimal } from '../../base/decimal.ts';
import type { OrderSide, OrderTimeInForce, OrderType } from '../../exchange/mod.ts';
import type { CreateInstruction, Instruction, TerminateInstruction } from '../products/amm-instruction.ts';
import type { CustodyCommand } from '../products/custody-book.ts';
import type { MmpRequestView, MmpTriggerView, ResetMmp, SetMmp } from '../products/mmp-configuration.ts';
import type { OtcCommand } from '../products/otc-book.ts';
import type { AccountSpec, AssetSpec, DelegationSpec, MarketSpec, UserSpec } from '../world/world.ts';
import type { OrderView, Reason } from './order.ts';
import type { SettlementView } from './position.ts';
import type { AuctionView, NoiiView, PublicTrade, TradeView } from './venue-view.ts';

export interface CreateOrder {
  readonly kind: 'create';
  /** Allocated before the venue decides, as the acknowledgement carries it. */
  readonly orderId: string;
  readonly requestId: string;
  readonly clientOrderId: string | null;
  readonly tradingAccountId: string;
  readonly symbol: string;
  readonly type: OrderType;
  readonly side: OrderSide;
  readonly price: Decimal | null;
  readonly stopPrice: Decimal | null;
  readonly quantity: Decimal;
  readonly timeInForce: OrderTimeInForce;
  readonly allowBorrow: boolean;
  /** Optional: the running auction of the symbol is meant where it is absent (**assumed**). */
  readonly auctionId: string | null;
  /** Subject to market maker protection; options only. */
  readonly isMMP?: boolean;
  /** Refuse any command with this reason: a fault for tests. */
  readonly refuseWith?: Reason;
}

export interface CancelOrder {
  readonly kind: 'cancel';
  readonly requestId: string;
  readonly tradingAccountId: string;
  readonly symbol: string;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
}

export interface AmendOrder {
  readonly kind: 'amend';
  readonly requestId: string;
  readonly tradingAccountId: string;
  readonly symbol: string;
  readonly orderId: string;
  readonly clientOrderId: string | null;
  readonly type: 'LIMIT' | 'POST_ONLY' | null;
  readonly price: Decimal | null;
  readonly quantity: Decimal | null;
}

/** Assets between two accounts of one user; what the account has was checked by the face. */
export interface TransferAsset {
  readonly kind: 'transfer';
  readonly requestId: string;
  readonly asset: string;
  readonly quantity: Decimal;
  readonly fromTradingAccountId: string;
  readonly toTradingAccountId: string;
  /** Refuse it with this reason code: a fault knob. */
  readonly refuseWith?: number | null;
}

export type VenueCommand =
  | CreateOrder
  | CancelOrder
  | AmendOrder
  | CreateInstruction
  | TerminateInstruction
  /** Every open order of an account, of one market if a symbol is given. */
  | { readonly kind: 'cancelAll'; readonly tradingAccountId: string; readonly symbol: string | null }
  | { readonly kind: 'delayedCancelAll'; readonly tradingAccountId: string; readonly delayMs: number }
  | { readonly kind: 'unsetDelayedCancelAll'; readonly tradingAccountId: string }
  /** An end that the owner did not ask for. */
  | { readonly kind: 'forceCancel'; readonly orderId: string; readonly reason: Reason }
  | TransferAsset
  | SetMmp
  | ResetMmp
  | OtcCommand
  | CustodyCommand
  /** Change the world while it runs. */
  | { readonly kind: 'addAsset'; readonly asset: AssetSpec }
  | { readonly kind: 'addMarket'; readonly market: MarketSpec }
  | { readonly kind: 'addUser'; readonly user: UserSpec }
  | { readonly kind: 'addAccount'; readonly account: AccountSpec }
  | { readonly kind: 'addDelegation'; readonly delegation: DelegationSpec }
  /** Pay from the world outside into an account, or out of it where negative. */
  | { readonly kind: 'fund'; readonly tradingAccountId: string; readonly asset: string; readonly quantity: Decimal }
  /** Move the auction of a symbol to its next phase at once. */
  | { readonly kind: 'advanceAuction'; readonly symbol: string }
  | { readonly kind: 'postponeAuction'; readonly symbol: string; readonly byMs: number; readonly message: string }
  | { readonly kind: 'setMarket'; readonly symbol: string; readonly flags: Partial<MarketFlags> }
  | { readonly kind: 'setIndexPrice'; readonly asset: string; readonly price: Decimal };

export interface MarketFlags {
  readonly marketEnabled: boolean;
  readonly createOrderEnabled: boolean;
  readonly amendOrderEnabled: boolean;
  readonly cancelOrderEnabled: boolean;
  /** Orders without and with borrowing; spot markets only. */
  readonly spotTradingEnabled: boolean;
  readonly marginTradingEnabled: boolean;
}

/** The venue refused something that had been acknowledged. */
export interface NoticeView {
  readonly tradingAccountId: string;
  readonly orderId: string | null;
  readonly clientOrderId: string | null;
  readonly requestId: string;
  readonly symbol: string;
  readonly reason: Reason;
}

export type VenueEvent =
  | { readonly kind: 'order'; readonly order: OrderView }
  | { readonly kind: 'trade'; readonly trade: TradeView }
  | { readonly kind: 'publicTrade'; readonly trade: PublicTrade }
  | { readonly kind: 'assetAccount'; readonly tradingAccountId: string; readonly asset: string }
  | { readonly kind: 'notice'; readonly notice: NoticeView }
  | { readonly kind: 'book'; readonly symbol: string }
  | { readonly kind: 'phase'; readonly auction: AuctionView }
  | { readonly kind: 'noii'; readonly noii: NoiiView }
  | {
      readonly kind: 'position';
      readonly tradingAccountId: string;
      readonly symbol: string;
      readonly eventType: SettlementView['eventType'];
    }
  | { readonly kind: 'mmpRequest'; readonly request: MmpRequestView }
  | { readonly kind: 'mmpTrigger'; readonly trigger: MmpTriggerView }
  | { readonly kind: 'instruction'; readonly instruction: Readonly<Instruction> }
  | { readonly kind: 'indexPrice'; readonly asset: string; readonly price: Decimal };
