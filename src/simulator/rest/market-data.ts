// Public endpoints: markets, assets, order book, trades, tick, index prices, auctions with imbalance and results.

import { Decimal } from '../../base/decimal.ts';
import { formatIso } from '../../base/time.ts';
import { TIME_BUCKETS } from '../venue/candles.ts';
import type { Floor, MarketState } from '../venue/floor.ts';
import { openInterest, restTick } from '../venue/tick.ts';
import { type AssetSpec, FEE_TIERS } from '../world/world.ts';
import { historyRange, isWithin, page, timeRange } from './page.ts';
import { InvalidParameter, invalidMarketSymbol, invalidRequest, notFound, Refusal } from './refusal.ts';
import {
  amount,
  auction,
  auctionResult,
  hybridBook,
  type Json,
  publicTrade,
  quotePrecision,
  restNoii,
} from './rendering.ts';
import { pathMarket, type Route, type RouteRequest } from './route.ts';

/** Levels of a book without `depth` (trading-api.md, Limits). */
const DEPTH_DEFAULT = 10;
const DEPTH_MAX = 200;
/** Trades in the answer without a range (exchange catalogue, A.1). */
const LATEST_TRADES = 100;

/** A market as `GET /markets` lists it. */
export function marketJson(floor: Floor, state: MarketState, now: number): Json {
  const { spec, flags } = state;
  const assetId = (symbol: string): string => floor.world.assets.find((a) => a.symbol === symbol)?.assetId ?? '0';
  const spot = spec.marketType === 'SPOT';
  const derivative = {
    underlyingBaseSymbol: spec.baseSymbol,
    underlyingQuoteSymbol: spec.quoteSymbol,
    settlementAssetSymbol: spec.quoteSymbol,
    contractMultiplier: 1,
  };
  const quoteDecimals = quotePrecision(floor, spec);
  return {
    marketId: spec.marketId,
    symbol: spec.symbol,
    baseSymbol: spec.baseSymbol,
    quoteSymbol: spec.quoteSymbol,
    baseAssetId: assetId(spec.baseSymbol),
    quoteAssetId: assetId(spec.quoteSymbol),
    ...(spot ? {} : derivative),
    quotePrecision: quoteDecimals,
    basePrecision: spec.quantityPrecision,
    pricePrecision: spec.pricePrecision,
    quantityPrecision: spec.quantityPrecision,
    costPrecision: quoteDecimals,
    priceBuffer: spec.priceBuffer,
    minQuantityLimit: spec.minQuantityLimit,
    maxQuantityLimit: spec.maxQuantityLimit,
    timeZone: 'Etc/UTC',
    tickSize: spec.tickSize,
    liquidityTickSize: '100.0000',
    liquidityPrecision: 4,
    roundingCorrectionFactor: '0.00000001',
    makerMinLiquidityAddition: '5000',
    orderTypes: spec.marketType === 'OPTION' ? ['LMT', 'POST_ONLY'] : ['LMT', 'MKT', 'STOP_LIMIT', 'POST_ONLY'],
    spotTradingEnabled: spot && flags.spotTradingEnabled !== false,
    marginTradingEnabled: spot && flags.marginTradingEnabled !== false,
    marketEnabled: flags.marketEnabled,
    createOrderEnabled: flags.createOrderEnabled,
    amendOrderEnabled: flags.amendOrderEnabled,
    cancelOrderEnabled: flags.cancelOrderEnabled,
    liquidityInvestEnabled: spec.marketType !== 'OPTION',
    liquidityWithdrawEnabled: spec.marketType !== 'OPTION',
    feeGroupId: spec.feeGroupId,
    feeTiers: spec.marketType === 'OPTION' ? [] : FEE_TIERS,
    marketType: spec.marketType,
    openInterestUSD: spot
      ? null
      : amount(openInterest(floor, spec.symbol).multiply(floor.markPrice(state, now)).round(4), 4),
    concentrationRiskThresholdUSD: spot ? null : '10000000.0000',
    concentrationRiskPercentage: spot ? null : '25.00',
    expiryDatetime: spec.expiryDatetime,
    ...(spec.optionStrikePrice === null
      ? {}
      : {
          optionStrikePrice: spec.optionStrikePrice,
          // trading-api.md names it so.
          strikePrice: spec.optionStrikePrice,
          optionType: spec.optionType,
          premiumCapRatio: '0.1000',
        }),
    auctionEnabled: spec.auctionEnabled,
    auctionPriceCollar: spec.auctionPriceCollar,
  };
}

/** Markets that can be traded; those that expired are in the history of markets. */
function markets({ floor, query, now }: RouteRequest): Json[] {
  const { marketType, optionType } = query;
  return [...floor.markets.values()]
    .filter(({ expired }) => expired === null)
    .filter(({ spec }) => marketType === undefined || spec.marketType === marketType)
    .filter(({ spec }) => optionType === undefined || spec.optionType === optionType)
    .map((state) => marketJson(floor, state, now));
}

/** The market in the path. @throws Refusal 400 21000 */
function marketOf(request: RouteRequest): MarketState {
  const state = pathMarket(request);
  if (state === null) throw invalidMarketSymbol((request.params.symbol ?? '').slice(0, 40));
  return state;
}

function book(request: RouteRequest): Json {
  const state = pathMarket(request);
  if (state === null) throw notFound('Not found');
  const { depth } = request.query;
  if (depth !== undefined && !/^[1-9]\d{0,3}$/.test(depth)) throw invalidRequest('depth is not a positive integer');
  return hybridBook(state, Math.min(depth === undefined ? DEPTH_DEFAULT : Number(depth), DEPTH_MAX), request.now);
}

function latestTrades(request: RouteRequest): Json[] {
  const { spec, publicTrades } = marketOf(request);
  return publicTrades
    .slice(-LATEST_TRADES)
    .map((trade) => publicTrade(spec, trade))
    .reverse();
}

function tradeHistory(request: RouteRequest): unknown {
  const { spec, publicTrades } = marketOf(request);
  const range = historyRange(request);
  const found = publicTrades.filter((trade) => isWithin(range, trade.createdAt)).reverse();
  return page(
    request,
    found,
    (trade) => trade.tradeId,
    (trade) => publicTrade(spec, trade),
  );
}

function candles(request: RouteRequest): unknown {
  const { spec, candles: series } = marketOf(request);
  const { timeBucket = '' } = request.query;
  const lengthMs = TIME_BUCKETS.get(timeBucket);
  if (lengthMs === undefined) throw new InvalidParameter(`'${timeBucket.slice(0, 20)}' is not a valid time bucket`);
  const { from, to } = timeRange(request.query);
  if (from === null || to === null) throw invalidRequest('A date range is required');
  return page(
    request,
    series.read(lengthMs, from, to),
    ({ startsAt }) => String(startsAt),
    ({ startsAt, open, high, low, close, volume }) => ({
      open: amount(open, spec.pricePrecision),
      high: amount(high, spec.pricePrecision),
      low: amount(low, spec.pricePrecision),
      close: amount(close, spec.pricePrecision),
      volume: amount(volume, spec.quantityPrecision),
      createdAtTimestamp: String(startsAt),
      createdAtDatetime: formatIso(startsAt),
      publishedAtTimestamp: String(request.now),
    }),
  );
}

function tick(request: RouteRequest): Json {
  const state = pathMarket(request);
  if (state === null) throw new Refusal(400, 28004, 'INVALID_SYMBOL', 'Invalid symbol');
  return restTick(request.floor, state, request.now);
}

/** An index price in USD, as REST and the index stream write it. */
export function indexPriceJson(asset: string, price: Decimal, now: number): Json {
  return {
    assetSymbol: asset,
    price: amount(price, 4),
    updatedAtDatetime: formatIso(now),
    updatedAtTimestamp: String(now),
  };
}

function indexPrices({ floor, now }: RouteRequest): Json[] {
  return [...floor.indexPrices].map(([asset, price]) => indexPriceJson(asset, price, now));
}

function indexPrice({ floor, params, now }: RouteRequest): Json {
  const asset = params.assetSymbol ?? '';
  const price = floor.indexPrices.get(asset);
  if (price === undefined) throw new Refusal(404, 30001, 'ASSET_SYMBOL_NOT_FOUND', 'Asset symbol not found');
  return indexPriceJson(asset, price, now);
}

/**
 * The amount of an asset available for borrowing, over all customers (**assumed**: the simulator never runs out of
 * loans).
 */
const OFFERED = Decimal.of('1000');

/** The amount of an asset that customers owe now. */
function borrowedBy(floor: Floor, asset: string): Decimal {
  let sum = Decimal.ZERO;
  for (const { tradingAccountId, user } of floor.world.accounts) {
    const { total } = floor.ledger.balance(tradingAccountId, asset);
    if (user !== '' && total.isNegative()) sum = sum.subtract(total);
  }
  return sum;
}

function assetJson(floor: Floor, asset: AssetSpec): Json {
  return {
    assetId: asset.assetId,
    symbol: asset.symbol,
    name: asset.name,
    precision: String(asset.precision),
    minBalanceInterest: '0.0000',
    minFee: '0.0000',
    apr: asset.apr,
    collateralRating: '90.00',
    maxBorrow: amount(OFFERED, asset.precision),
    totalOfferedLoanQuantity: amount(OFFERED, asset.precision),
    loanBorrowedQuantity: amount(borrowedBy(floor, asset.symbol), asset.precision),
    collateralBands: [{ collateralPercentage: '90.00', bandLimitUSD: '10000000.0000' }],
    underlyingAsset: {
      symbol: asset.symbol,
      assetId: asset.assetId,
      bpmMinReturnStart: '0.1500',
      bpmMinReturnEnd: '0.1500',
      bpmMaxReturnStart: '0.1500',
      bpmMaxReturnEnd: '0.1500',
      marketRiskFloorPctStart: '1.00',
      marketRiskFloorPctEnd: '1.00',
      bpmTransitionDateTimeStart: '2024-08-02T12:00:00.000Z',
      bpmTransitionDateTimeEnd: '2024-08-02T18:00:00.000Z',
    },
  };
}

function assets({ floor }: RouteRequest): Json[] {
  return floor.world.assets.map((asset) => assetJson(floor, asset));
}

function assetBySymbol({ floor, params }: RouteRequest): Json {
  const asset = floor.world.assets.find(({ symbol }) => symbol === params.symbol);
  if (asset === undefined) throw notFound('Asset not found');
  return assetJson(floor, asset);
}

function auctions(request: RouteRequest): Json {
  const state = marketOf(request);
  return { data: state.auction === null ? [] : [auction(state.auction.view())] };
}

/** Imbalance exists in lockdown only; else the list is empty (exchange reference §7.3). */
function noii(request: RouteRequest): Json {
  const { spec, lastNoii, auction: running } = marketOf(request);
  return { data: running?.phase === 'LOCKDOWN' && lastNoii !== null ? [restNoii(spec, lastNoii)] : [] };
}

function auctionHistory(request: RouteRequest): unknown {
  const { spec, auctionResults } = marketOf(request);
  const range = historyRange(request);
  const found = auctionResults.filter(({ timestamp }) => isWithin(range, timestamp)).reverse();
  return page(
    request,
    found,
    (result) => result.auctionId,
    (result) => auctionResult(spec, result),
  );
}

const PUBLIC = { method: 'GET', auth: 'none', limit: 'public' } as const;
const V1 = '/trading-api/v1';

export const marketDataRoutes: readonly Route[] = [
  { ...PUBLIC, path: `${V1}/markets`, handle: markets },
  {
    ...PUBLIC,
    path: `${V1}/markets/:symbol`,
    handle: (request) => marketJson(request.floor, marketOf(request), request.now),
  },
  { ...PUBLIC, path: `${V1}/markets/:symbol/orderbook/hybrid`, handle: book },
  { ...PUBLIC, path: `${V1}/markets/:symbol/trades`, handle: latestTrades },
  { ...PUBLIC, path: `${V1}/markets/:symbol/tick`, handle: tick },
  { ...PUBLIC, path: `${V1}/markets/:symbol/candle`, handle: candles },
  { ...PUBLIC, path: `${V1}/markets/:symbol/auctions`, handle: auctions },
  { ...PUBLIC, path: `${V1}/markets/:symbol/auctions/noii`, handle: noii },
  { ...PUBLIC, path: `${V1}/history/markets/:symbol/trades`, handle: tradeHistory },
  { ...PUBLIC, path: `${V1}/history/markets/:symbol/auctions`, handle: auctionHistory },
  { ...PUBLIC, path: `${V1}/index-prices`, handle: indexPrices },
  { ...PUBLIC, path: `${V1}/index-prices/:assetSymbol`, handle: indexPrice },
  { ...PUBLIC, path: `${V1}/assets`, handle: assets },
  { ...PUBLIC, path: `${V1}/assets/:symbol`, handle: assetBySymbol },
  // trading-api.md names these two without a version.
  { ...PUBLIC, path: '/trading-api/assets', handle: assets },
  { ...PUBLIC, path: '/trading-api/assets/:symbol', handle: assetBySymbol },
];
