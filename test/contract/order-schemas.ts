// Orders, trades, AMM instructions and the acknowledgements of commands, as REST answers and streams carry them
// (exchange catalogue, Appendix B and C; fields that only trading-api.md names are marked).

import { type TSchema, Type } from 'typebox';
import {
  AccountId,
  Amount,
  DateTime,
  exactly,
  Flag,
  Id,
  MarketSymbol,
  moment,
  OrderStatus,
  OrderType,
  orNull,
  Side,
  Text,
  TimeInForce,
  Timestamp,
  Whole,
  Word,
} from './scalars.ts';

const orderFields = {
  clientOrderId: orNull(Id),
  // trading-api.md, "Other resources known by name".
  handle: orNull(Id),
  orderId: Id,
  symbol: MarketSymbol,
  price: Amount,
  averageFillPrice: orNull(Amount),
  stopPrice: orNull(Amount),
  allowBorrow: Flag,
  quantity: Amount,
  quantityFilled: Amount,
  quoteAmount: Amount,
  baseFee: Amount,
  quoteFee: Amount,
  borrowedBaseQuantity: orNull(Amount),
  borrowedQuoteQuantity: orNull(Amount),
  isLiquidation: Flag,
  side: Side,
  type: OrderType,
  timeInForce: TimeInForce,
  status: OrderStatus,
  statusReason: Word,
  ...moment('createdAt'),
};

export const Order = exactly({ ...orderFields, tradingAccountId: AccountId, statusReasonCode: Id });
export const OrderFrame = exactly({
  ...orderFields,
  margin: Flag,
  borrowedQuantity: orNull(Amount),
  statusReasonCode: Whole,
  publishedAtTimestamp: Timestamp,
});

const tradeFields = {
  tradeId: Id,
  orderId: Id,
  handle: orNull(Id),
  symbol: MarketSymbol,
  price: Amount,
  quantity: Amount,
  quoteAmount: Amount,
  baseFee: Amount,
  quoteFee: Amount,
  side: Side,
  isTaker: Flag,
  tradeRebateAmount: orNull(Amount),
  tradeRebateAssetSymbol: orNull(Word),
  otcMatchId: orNull(Id),
  otcTradeId: orNull(Id),
  clientOtcTradeId: orNull(Id),
  ...moment('createdAt'),
};

export const Trade = exactly(
  { ...tradeFields, clientOrderId: orNull(Id), tradingAccountId: AccountId, isLiquidation: Flag },
  { auctionId: Id },
);
export const TradeFrame = exactly({ ...tradeFields, publishedAtTimestamp: Timestamp }, { auctionId: Id });

const publicTradeFields = {
  tradeId: Id,
  symbol: MarketSymbol,
  price: Amount,
  quantity: Amount,
  side: Side,
  isTaker: Flag,
  ...moment('createdAt'),
};

export const ObfuscatedTrade = exactly(publicTradeFields, { auctionId: Id });
export const OptionTrade = exactly(
  { ...publicTradeFields, optionType: Word, otcTradeId: orNull(Id) },
  { auctionId: Id },
);
export const AnonymousTradesFrame = exactly({
  symbol: MarketSymbol,
  createdAtDatetime: DateTime,
  publishedAtTimestamp: Timestamp,
  trades: Type.Array(exactly({ ...publicTradeFields, publishedAtTimestamp: Timestamp }, { auctionId: Id })),
});

const instructionFields = {
  instructionId: Id,
  symbol: MarketSymbol,
  baseFee: Amount,
  quoteFee: Amount,
  status: OrderStatus,
  statusReason: Word,
  statusReasonCode: Whole,
  baseCurrentQuantity: orNull(Amount),
  baseInvestQuantity: Amount,
  basePrice: Amount,
  baseWithdrawQuantity: Amount,
  currentValue: Amount,
  feeTierId: Id,
  finalValue: orNull(Amount),
  impermanentLoss: Amount,
  lastDistributedPrice: orNull(Amount),
  lowerBound: Amount,
  upperBound: Amount,
  price: Amount,
  quoteCurrentQuantity: orNull(Amount),
  quoteInvestQuantity: Amount,
  quotePrice: Amount,
  quoteWithdrawQuantity: Amount,
  ...moment('createdAt'),
  ...moment('updatedAt'),
};

export const AMMInstruction = exactly(
  {
    ...instructionFields,
    liquidityId: Id,
    requestId: Id,
    apy: Amount,
    yieldEarn: Amount,
    dislocationEnabled: Flag,
    initialBasePrice: Amount,
    initialQuotePrice: Amount,
    initialValue: Amount,
    staticSpreadFee: Amount,
  },
  { '24HrApy': Amount, '24HrYieldEarn': Amount },
);
/** The stream writes `requestID`, and has no yields. */
export const AMMInstructionFrame = exactly({
  ...instructionFields,
  tradingAccountId: AccountId,
  requestID: Id,
  liquidity: Amount,
});

export const ErrorFrame = exactly({
  handle: orNull(Id),
  clientOrderId: orNull(Id),
  requestId: Id,
  orderId: orNull(Id),
  symbol: orNull(MarketSymbol),
  message: Word,
  errorCode: Whole,
  errorCodeName: Word,
});

const acknowledgement = (name: string): TSchema => Type.Literal(`Command acknowledged - ${name}`);

export const CreateOrderAcknowledgement = exactly({
  message: acknowledgement('CreateOrder'),
  requestId: Id,
  orderId: Id,
  clientOrderId: orNull(Id),
  handle: orNull(Id),
});

/** Acknowledgement of a command that names one order. */
export const orderAcknowledgement = (commandType: string, name: string): TSchema =>
  exactly({
    commandType: Type.Literal(commandType),
    message: acknowledgement(name),
    requestId: Id,
    orderId: orNull(Id),
    clientOrderId: orNull(Id),
    handle: orNull(Id),
  });

/** Acknowledgement that carries no id but its own. */
export const plainAcknowledgement = (commandType: string, name: string): TSchema =>
  exactly({ commandType: Type.Literal(commandType), message: acknowledgement(name), requestId: Id });

export const instructionAcknowledgement = (name: string, commandType: string | null): TSchema =>
  exactly(
    {
      message: acknowledgement(name),
      requestId: Id,
      instructionId: Id,
      ...(commandType === null ? {} : { commandType: Type.Literal(commandType) }),
    },
    commandType === null ? { liquidityId: Id } : {},
  );

export const MmpAcknowledgement = (name: string): TSchema => exactly({ message: acknowledgement(name), requestId: Id });

export const MmpConfigurations = exactly({
  tradingAccountId: AccountId,
  message: Text,
  mmpConfigurations: Type.Array(
    exactly({
      underlyingAssetSymbol: Word,
      windowTimeInSeconds: Whole,
      frozenTimeInSeconds: Whole,
      quantityLimit: Text,
      deltaLimit: Text,
      isActive: Flag,
    }),
  ),
});
export const MmpTriggerFrame = exactly({
  tradingAccountId: AccountId,
  mmpTriggerId: Id,
  underlyingAssetSymbol: Word,
  triggeredBy: Word,
  frozenTimeInSecond: Id,
  frozenStartTime: Timestamp,
  frozenUntil: Timestamp,
});
export const MmpRequestFrame = exactly({
  tradingAccountId: AccountId,
  requestId: Id,
  assetSymbol: Word,
  windowTimeInSecond: orNull(Id),
  frozenTimeInSecond: orNull(Id),
  quantityLimit: orNull(Amount),
  deltaLimit: orNull(Amount),
  status: Word,
  statusReason: Word,
  isReset: Word,
  createdAt: Timestamp,
});
