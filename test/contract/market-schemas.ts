// Markets, books, ticks, candles, index prices, auctions, assets and the public side of derivatives (exchange catalogue,
// Appendix B and C; fields that only trading-api.md names are marked).

import { type TSchema, Type } from 'typebox';
import {
  Amount,
  AssetSymbol,
  DateTime,
  exactly,
  Flag,
  Id,
  listOf,
  MarketSymbol,
  moment,
  OptionType,
  OrderType,
  oneOf,
  orNull,
  Text,
  Timestamp,
  Whole,
  Word,
} from './scalars.ts';

export const Nonce = exactly({ lowerBound: Whole, upperBound: Whole });
export const Time = exactly({ datetime: DateTime, timestamp: Whole });

const FeeTier = exactly({ feeTierId: Id, staticSpreadFee: Amount, isDislocationEnabled: Flag });

export const Market = exactly(
  {
    marketId: Id,
    symbol: MarketSymbol,
    baseSymbol: AssetSymbol,
    quoteSymbol: AssetSymbol,
    quoteAssetId: Id,
    baseAssetId: Id,
    quotePrecision: Whole,
    basePrecision: Whole,
    pricePrecision: Whole,
    quantityPrecision: Whole,
    costPrecision: Whole,
    priceBuffer: Amount,
    minQuantityLimit: Amount,
    maxQuantityLimit: Amount,
    timeZone: Word,
    tickSize: Amount,
    liquidityTickSize: Amount,
    liquidityPrecision: Whole,
    roundingCorrectionFactor: Amount,
    makerMinLiquidityAddition: Amount,
    orderTypes: listOf(OrderType),
    spotTradingEnabled: Flag,
    marginTradingEnabled: Flag,
    marketEnabled: Flag,
    createOrderEnabled: Flag,
    amendOrderEnabled: Flag,
    cancelOrderEnabled: Flag,
    liquidityInvestEnabled: Flag,
    liquidityWithdrawEnabled: Flag,
    feeGroupId: Whole,
    feeTiers: listOf(FeeTier),
    marketType: oneOf('SPOT', 'PERPETUAL', 'DATED_FUTURE', 'OPTION'),
    openInterestUSD: orNull(Amount),
    concentrationRiskThresholdUSD: orNull(Amount),
    concentrationRiskPercentage: orNull(Amount),
    expiryDatetime: orNull(DateTime),
    auctionEnabled: Flag,
    auctionPriceCollar: orNull(Amount),
  },
  {
    underlyingBaseSymbol: AssetSymbol,
    underlyingQuoteSymbol: AssetSymbol,
    settlementAssetSymbol: AssetSymbol,
    contractMultiplier: Whole,
    optionStrikePrice: Amount,
    // trading-api.md, "Other resources known by name".
    strikePrice: Amount,
    optionType: OptionType,
    premiumCapRatio: Amount,
  },
);
export const PastMarket = exactly({
  symbol: MarketSymbol,
  expiryDatetime: orNull(DateTime),
  status: oneOf('ACTIVE', 'EXPIRING', 'EXPIRED'),
});

const level = (type: 'bid' | 'ask'): TSchema =>
  exactly({ price: Amount, priceLevelQuantity: Amount, type: Type.Literal(type) });
export const OrderBook = exactly({
  bids: listOf(level('bid')),
  asks: listOf(level('ask')),
  datetime: DateTime,
  timestamp: Timestamp,
  sequenceNumber: Whole,
});
/** Price and quantity of the best level, or nothing. */
const Best = Type.Array(Amount, { maxItems: 2 });
export const Level1Frame = exactly({
  symbol: MarketSymbol,
  sequenceNumber: Id,
  timestamp: Timestamp,
  bid: Best,
  ask: Best,
});
export const Level2Frame = exactly({
  symbol: MarketSymbol,
  sequenceNumberRange: Type.Array(Whole, { minItems: 2, maxItems: 2 }),
  timestamp: Timestamp,
  datetime: DateTime,
  bids: listOf(Amount),
  asks: listOf(Amount),
});

const AmmData = exactly({ feeTierId: Id, bidSpreadFee: Amount, askSpreadFee: Amount, currentPrice: Amount });
const tickFields = {
  ...moment('createdAt'),
  high: Amount,
  low: Amount,
  open: Amount,
  close: Amount,
  last: Amount,
  bestBid: orNull(Amount),
  bidVolume: orNull(Amount),
  bestAsk: orNull(Amount),
  askVolume: orNull(Amount),
  vwap: Amount,
  change: Amount,
  percentage: Amount,
  average: Amount,
  baseVolume: Amount,
  quoteVolume: Amount,
  lastTradeDatetime: DateTime,
  ammData: listOf(AmmData),
};
const derivativeTickFields = { markPrice: Amount, fundingRate: Amount, openInterest: Amount };
export const OptionGreeks = exactly({ delta: Amount, gamma: Amount, theta: Amount, vega: Amount });
export const Tick = exactly(
  { ...tickFields, bancorPrice: Amount, lastTradeTimestamp: Timestamp, lastTradeQuantity: Amount },
  {
    ...derivativeTickFields,
    bidIVPercentage: Amount,
    askIVPercentage: Amount,
    // trading-api.md, "Other resources known by name": greeks together; the catalogue has them singly.
    greeks: OptionGreeks,
    delta: Amount,
    gamma: Amount,
    theta: Amount,
    vega: Amount,
  },
);
export const TickFrame = exactly(
  { ...tickFields, symbol: MarketSymbol, publishedAtTimestamp: Timestamp, currentPrice: Amount, lastTradeSize: Amount },
  derivativeTickFields,
);

export const Candle = exactly({
  open: Amount,
  high: Amount,
  low: Amount,
  close: Amount,
  volume: Amount,
  createdAtTimestamp: Timestamp,
  createdAtDatetime: DateTime,
  publishedAtTimestamp: Timestamp,
});

export const IndexPrice = exactly({ assetSymbol: AssetSymbol, price: Amount, ...moment('updatedAt') });

export const Asset = exactly({
  assetId: Id,
  symbol: AssetSymbol,
  name: Word,
  precision: Id,
  minBalanceInterest: Amount,
  minFee: Amount,
  apr: Amount,
  collateralRating: Amount,
  maxBorrow: Amount,
  totalOfferedLoanQuantity: Amount,
  loanBorrowedQuantity: Amount,
  collateralBands: listOf(exactly({ collateralPercentage: Amount, bandLimitUSD: Amount })),
  underlyingAsset: exactly({
    symbol: AssetSymbol,
    assetId: Id,
    bpmMinReturnStart: Amount,
    bpmMinReturnEnd: Amount,
    bpmMaxReturnStart: Amount,
    bpmMaxReturnEnd: Amount,
    marketRiskFloorPctStart: Amount,
    marketRiskFloorPctEnd: Amount,
    bpmTransitionDateTimeStart: DateTime,
    bpmTransitionDateTimeEnd: DateTime,
  }),
});
export const VolGrid = exactly({
  assetId: Id,
  assetSymbol: AssetSymbol,
  effectiveFromDatetime: DateTime,
  volGrid: listOf(
    exactly({ timeToExpiryDays: Whole, atmMax: Amount, atmMin: Amount, skewMax: Amount, skewMin: Amount }),
  ),
});

const auctionFields = {
  auctionId: Id,
  symbol: MarketSymbol,
  phase: oneOf('COOLING', 'ACCUMULATION', 'LOCKDOWN', 'CROSS'),
  startTime: DateTime,
  lockdownTime: DateTime,
  scheduledCrossTime: DateTime,
  createAuctionOrderEnabled: Flag,
  amendAuctionOrderEnabled: Flag,
  cancelAuctionOrderEnabled: Flag,
  createdAt: DateTime,
  updatedAt: DateTime,
};
export const Auction = exactly({ data: listOf(exactly(auctionFields)) });
export const AuctionPhaseFrame = exactly(
  {
    ...auctionFields,
    eventType: oneOf('AUCTION_STARTED', 'AUCTION_LOCKDOWN', 'AUCTION_CROSS_POSTPONED', 'AUCTION_CROSS_COMPLETED'),
    timestamp: DateTime,
  },
  // Optional by the catalogue: such as the reason of a postponement.
  { message: Text },
);
const noiiFields = {
  auctionId: Id,
  symbol: MarketSymbol,
  referencePrice: Amount,
  imbalanceDirection: oneOf('BUY', 'SELL', 'NONE'),
  imbalanceQuantity: Amount,
  pairedQuantity: Amount,
};
export const AuctionNoii = exactly({
  data: listOf(exactly({ ...noiiFields, timestamp: DateTime, farPrice: orNull(Amount) })),
});
export const NoiiFrame = Type.Union([
  exactly({ ...noiiFields, timestamp: DateTime, eventType: Type.Literal('UPDATE'), farPrice: orNull(Amount) }),
  exactly({ ...noiiFields, timestamp: DateTime, eventType: Type.Literal('CROSS'), clearingPrice: orNull(Amount) }),
]);
export const AuctionResult = exactly({
  ...noiiFields,
  crossTime: DateTime,
  clearingPrice: orNull(Amount),
  createdAtDatetime: DateTime,
});

export const FundingRate = exactly({ fundingRate: Amount, updatedAtDatetime: DateTime });
export const OptionLadder = exactly({
  symbol: MarketSymbol,
  baseSymbol: AssetSymbol,
  settlementAssetSymbol: AssetSymbol,
  bidQuantity: Amount,
  askQuantity: Amount,
  bidIVPercentage: Amount,
  askIVPercentage: Amount,
  bid: Amount,
  ask: Amount,
  underlyingPrice: Amount,
  optionStrikePrice: Amount,
  markPrice: Amount,
  quantity: Amount,
  openInterest: Amount,
  openInterestUSD: Amount,
  optionType: OptionType,
  expiryDatetime: DateTime,
  greeks: OptionGreeks,
});
export const ExpiryPrice = exactly({
  symbol: MarketSymbol,
  expiryPrice: Amount,
  expiryNotional: Amount,
  expiryDatetime: DateTime,
  expiryTimestamp: Timestamp,
});
