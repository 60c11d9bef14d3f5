// Endpoints of derivatives: positions and their settlements, funding, option ladder, expiry prices, option trades,
// volatility grids, markets of the past.

import { Decimal } from '../../base/decimal.ts';
import { formatIso } from '../../base/time.ts';
import type { Floor, MarketState } from '../venue/floor.ts';
import type { OptionTradeView } from '../venue/histories.ts';
import type { SettlementView } from '../venue/position.ts';
import { openInterest, optionFigures } from '../venue/tick.ts';
import { openPositions, positionJson } from './account-rendering.ts';
import { marketJson } from './market-data.ts';
import { historyRange, isWithin, onlyFilters, page } from './page.ts';
import { invalidMarketSymbol, invalidRequest, notFound, Refusal } from './refusal.ts';
import { amount, type Json, moment, publicTrade } from './rendering.ts';
import { ownAccount, ownAccounts, pathMarket, type Route, type RouteRequest } from './route.ts';

const MARKET_TYPES = ['SPOT', 'PERPETUAL', 'DATED_FUTURE', 'OPTION'];
const OPTION_TYPES = ['CALL', 'PUT'];
/** Option trades in one answer (exchange catalogue, A.1). */
const OPTION_TRADES_MAX = 100;

const usd = (value: Decimal): string => amount(value.round(4), 4);

/** A query value that must be one of a list, or null where it is absent. @throws Refusal */
function choice(request: RouteRequest, name: string, values: readonly string[]): string | null {
  const value = request.query[name];
  if (value === undefined) return null;
  if (!values.includes(value)) throw invalidRequest(`${name} must be one of ${values.join(', ')}`);
  return value;
}

function positions(request: RouteRequest): Json[] {
  const { floor, now, query } = request;
  const marketType = choice(request, 'marketType', MARKET_TYPES);
  const optionType = choice(request, 'optionType', OPTION_TYPES);
  const sort = choice(request, 'sort', ['marketType', 'optionType']);
  const accounts =
    query.tradingAccountId === undefined ? ownAccounts(request) : [ownAccount(request, query.tradingAccountId)];
  const spec = (symbol: string) => floor.markets.get(symbol)!.spec;
  const found = accounts
    .flatMap((account) => openPositions(floor, account))
    .filter(({ symbol }) => query.symbol === undefined || query.symbol === symbol)
    .filter(({ symbol }) => marketType === null || spec(symbol).marketType === marketType)
    .filter(({ symbol }) => optionType === null || spec(symbol).optionType === optionType);
  const key = (symbol: string): string =>
    sort === 'optionType' ? (spec(symbol).optionType ?? '') : spec(symbol).marketType;
  if (sort !== null) found.sort((a, b) => key(a.symbol).localeCompare(key(b.symbol)));
  return found.map((position) => positionJson(floor, position, now));
}

function settlementJson(floor: Floor, settled: SettlementView): Json {
  const { spec } = floor.markets.get(settled.symbol)!;
  const isPerpetual = spec.marketType === 'PERPETUAL';
  return {
    tradingAccountId: settled.tradingAccountId,
    symbol: settled.symbol,
    side: settled.quantity.isNegative() ? 'SELL' : 'BUY',
    settlementQuantity: amount(settled.quantity.abs(), spec.quantityPrecision),
    deltaTradingQuantity: amount(settled.tradedQuantity, spec.quantityPrecision),
    mtmPnl: usd(settled.mtmPnl),
    ...(isPerpetual ? { fundingPnl: usd(settled.fundingPnl) } : {}),
    eventType: settled.eventType,
    settlementMarkPrice: usd(settled.markPrice),
    settlementIndexPrice: usd(settled.indexPrice),
    ...(isPerpetual ? { settlementFundingRate: amount(settled.fundingRate ?? Decimal.ZERO, 8) } : {}),
    settlementDatetime: formatIso(settled.at),
    settlementTimestamp: String(settled.at),
  };
}

function settlements(request: RouteRequest): unknown {
  const range = historyRange(request, 'settlement', { always: true });
  onlyFilters(request, ['symbol', 'settlementDatetime', 'settlementTimestamp']);
  const { floor, query } = request;
  const accounts = new Set(
    query.tradingAccountId === undefined ? ownAccounts(request) : [ownAccount(request, query.tradingAccountId)],
  );
  const found = floor.histories.settlements.all.filter(
    ({ tradingAccountId, symbol, at }) =>
      accounts.has(tradingAccountId) && isWithin(range, at) && (query.symbol === undefined || query.symbol === symbol),
  );
  return page(
    request,
    [...found].reverse(),
    ({ tradingAccountId, symbol, at }) => `${at}-${symbol}-${tradingAccountId}`,
    (settled) => settlementJson(floor, settled),
  );
}

function fundingHistory(request: RouteRequest): unknown {
  const market = pathMarket(request);
  if (market === null || market.spec.marketType !== 'PERPETUAL') {
    throw new Refusal(400, 28004, 'INVALID_SYMBOL', 'Invalid symbol');
  }
  const range = historyRange(request, 'updatedAt');
  const { symbol } = market.spec;
  const found = request.floor.histories.funding.all.filter(
    (rate) => rate.symbol === symbol && isWithin(range, rate.at),
  );
  return page(
    request,
    [...found].reverse(),
    ({ at }) => String(at),
    ({ rate, at }) => ({ fundingRate: amount(rate, 8), updatedAtDatetime: formatIso(at) }),
  );
}

/** One line of the option ladder. */
function ladderLine(floor: Floor, state: MarketState, now: number): Json {
  const { spec, book } = state;
  const [bid] = book.levels('BUY', 1);
  const [ask] = book.levels('SELL', 1);
  const price = (value: Decimal | undefined): string => amount(value ?? Decimal.ZERO, spec.pricePrecision);
  const quantity = (value: Decimal | undefined): string => amount(value ?? Decimal.ZERO, spec.quantityPrecision);
  const open = openInterest(floor, spec.symbol);
  return {
    symbol: spec.symbol,
    baseSymbol: spec.baseSymbol,
    settlementAssetSymbol: spec.quoteSymbol,
    bidQuantity: quantity(bid?.quantity),
    askQuantity: quantity(ask?.quantity),
    bid: price(bid?.price),
    ask: price(ask?.price),
    underlyingPrice: usd(floor.indexPrice(state)),
    optionStrikePrice: spec.optionStrikePrice,
    markPrice: price(floor.markPrice(state, now)),
    quantity: quantity(open),
    openInterest: quantity(open),
    openInterestUSD: usd(open.multiply(floor.indexPrice(state))),
    optionType: spec.optionType,
    expiryDatetime: spec.expiryDatetime,
    ...optionFigures(floor, state, now),
  };
}

function isListedOption({ spec, expired }: MarketState): boolean {
  return spec.marketType === 'OPTION' && expired === null;
}

function optionLadder(request: RouteRequest): Json[] {
  const { floor, now, query } = request;
  const { baseSymbol, expiry } = query;
  if (baseSymbol === undefined) throw invalidRequest('baseSymbol is missing');
  if (expiry !== undefined && !/^\d{8}$/.test(expiry)) throw invalidRequest('expiry must be YYYYMMDD');
  const type = choice(request, 'type', OPTION_TYPES);
  const sort = choice(request, 'sort', ['optionType', 'expiryDatetime']);
  const found = [...floor.markets.values()]
    .filter((state) => isListedOption(state) && state.spec.baseSymbol === baseSymbol)
    .filter(({ spec }) => type === null || spec.optionType === type)
    .filter(({ spec }) => expiry === undefined || spec.expiryDatetime?.slice(0, 10).replaceAll('-', '') === expiry);
  const key = ({ spec }: MarketState): string => (sort === 'optionType' ? spec.optionType : spec.expiryDatetime) ?? '';
  if (sort !== null) found.sort((a, b) => key(a).localeCompare(key(b)));
  return found.map((state) => ladderLine(floor, state, now));
}

function optionLadderBySymbol(request: RouteRequest): Json {
  const state = pathMarket(request);
  if (state === null) throw notFound('Option market not found');
  if (!isListedOption(state)) throw new Refusal(400, 28004, 'INVALID_SYMBOL', 'Not an option market');
  return ladderLine(request.floor, state, request.now);
}

function expiryPrice(request: RouteRequest): Json {
  const state = pathMarket(request);
  if (state === null || state.expiresAt === null) {
    throw new Refusal(400, 28004, 'INVALID_SYMBOL', 'Not a market that expires');
  }
  const { spec, expired } = state;
  if (expired === null) throw notFound('The market has not expired');
  return {
    symbol: spec.symbol,
    expiryPrice: usd(expired.price),
    expiryNotional: usd(expired.notional),
    expiryDatetime: formatIso(state.expiresAt),
    expiryTimestamp: String(state.expiresAt),
  };
}

function optionTrades(request: RouteRequest): Json[] {
  const optionType = choice(request, 'optionType', OPTION_TYPES);
  const range = historyRange(request);
  const { floor } = request;
  const spec = ({ trade }: OptionTradeView) => floor.markets.get(trade.symbol)!.spec;
  return floor.histories.optionTrades.all
    .filter((view) => isWithin(range, view.trade.createdAt))
    .filter((view) => optionType === null || spec(view).optionType === optionType)
    .slice(-OPTION_TRADES_MAX)
    .reverse()
    .map((view) => ({
      ...publicTrade(spec(view), view.trade),
      optionType: spec(view).optionType,
      otcTradeId: view.otcTradeId,
    }));
}

/** Stress of implied volatility by days to expiry; the figures are made up and do not move (**assumed**). */
function volGrid(floor: Floor, symbol: string): Json {
  return {
    assetId: floor.asset(symbol)?.assetId ?? '0',
    assetSymbol: symbol,
    effectiveFromDatetime: '2026-05-29T08:00:00.000Z',
    volGrid: [0, 1, 7, 14, 30, 60, 90, 180].map((timeToExpiryDays) => ({
      timeToExpiryDays,
      atmMax: '0.100000',
      atmMin: '-0.080000',
      skewMax: '0.080000',
      skewMin: '-0.100000',
    })),
  };
}

function hasOptions(floor: Floor, symbol: string): boolean {
  return [...floor.markets.values()].some(({ spec }) => spec.marketType === 'OPTION' && spec.baseSymbol === symbol);
}

function volGrids({ floor }: RouteRequest): Json[] {
  return floor.world.assets
    .filter(({ symbol }) => hasOptions(floor, symbol))
    .map(({ symbol }) => volGrid(floor, symbol));
}

function volGridBySymbol({ floor, params }: RouteRequest): Json {
  const { symbol = '' } = params;
  if (floor.asset(symbol) === null) throw new Refusal(400, 28004, 'INVALID_SYMBOL', 'Not an asset');
  if (!hasOptions(floor, symbol)) throw notFound('There is no volatility grid for this asset');
  return volGrid(floor, symbol);
}

/** A filter that may be given several times or with commas. @throws Refusal for a value outside the list */
function several(request: RouteRequest, name: string, values: readonly string[]): readonly string[] {
  const given = request.lists[name] ?? [];
  for (const value of given) {
    if (!values.includes(value)) throw invalidRequest(`${name} must be of ${values.join(', ')}`);
  }
  return given;
}

/** Markets with their state; EXPIRING on the day before the end (**assumed**). */
function pastMarkets(request: RouteRequest): Json[] {
  const types = several(request, 'marketType', MARKET_TYPES);
  const wanted = several(request, 'status', ['ACTIVE', 'EXPIRED', 'ALL']);
  const { floor, now } = request;
  const statusOf = ({ expired, expiresAt }: MarketState): string => {
    if (expired !== null) return 'EXPIRED';
    return expiresAt !== null && expiresAt - now < 86_400_000 ? 'EXPIRING' : 'ACTIVE';
  };
  const matches = (status: string): boolean =>
    wanted.length === 0 || wanted.includes('ALL') || wanted.includes(status === 'EXPIRING' ? 'ACTIVE' : status);
  return [...floor.markets.values()]
    .filter(({ spec }) => types.length === 0 || types.includes(spec.marketType))
    .filter((state) => matches(statusOf(state)))
    .map((state) => ({
      symbol: state.spec.symbol,
      expiryDatetime: state.spec.expiryDatetime,
      status: statusOf(state),
    }));
}

/** A dated market, running or past. */
function pastMarket(request: RouteRequest): Json {
  const state = pathMarket(request);
  if (state === null) throw invalidMarketSymbol((request.params.symbol ?? '').slice(0, 40));
  if (state.expiresAt === null) throw notFound('Not a market that expires');
  return marketJson(request.floor, state, request.now);
}

/** Interest of every hour in which the account owed the asset. */
function borrowInterest(request: RouteRequest): unknown {
  const range = historyRange(request, 'createdAt', { always: true });
  const { floor, query } = request;
  const { assetSymbol } = query;
  if (assetSymbol === undefined) throw invalidRequest('assetSymbol is missing');
  const asset = floor.asset(assetSymbol);
  if (asset === null) throw new Refusal(404, 30001, 'ASSET_SYMBOL_NOT_FOUND', 'Asset symbol not found');
  onlyFilters(request, ['assetSymbol']);
  const accounts = new Set(
    query.tradingAccountId === undefined ? ownAccounts(request) : [ownAccount(request, query.tradingAccountId)],
  );
  const found = floor.histories.interest.all.filter(
    (entry) => entry.asset === assetSymbol && accounts.has(entry.tradingAccountId) && isWithin(range, entry.at),
  );
  return page(
    request,
    [...found].reverse(),
    ({ tradingAccountId, at }) => `${at}-${tradingAccountId}`,
    ({ borrowed, interest, at }) => ({
      assetId: asset.assetId,
      assetSymbol,
      borrowedQuantity: amount(borrowed, asset.precision),
      totalBorrowedQuantity: amount(borrowed.add(interest), asset.precision),
      ...moment('createdAt', at),
    }),
  );
}

const PUBLIC = { method: 'GET', auth: 'none', limit: 'public' } as const;
const READ = { method: 'GET', auth: 'login', limit: 'other' } as const;
const V1 = '/trading-api/v1';

export const derivativeRoutes: readonly Route[] = [
  { ...READ, path: `${V1}/derivatives-positions`, handle: positions },
  { ...READ, path: `${V1}/history/derivatives-settlement`, handle: settlements },
  { ...READ, path: `${V1}/history/borrow-interest`, handle: borrowInterest },
  { ...PUBLIC, path: `${V1}/history/markets/:symbol/funding-rate`, handle: fundingHistory },
  { ...PUBLIC, path: `${V1}/history/option-trades`, handle: optionTrades },
  { ...PUBLIC, path: `${V1}/history/markets`, handle: pastMarkets },
  { ...PUBLIC, path: `${V1}/history/markets/:symbol`, handle: pastMarket },
  { ...PUBLIC, path: `${V1}/option-ladder`, handle: optionLadder },
  { ...PUBLIC, path: `${V1}/option-ladder/:symbol`, handle: optionLadderBySymbol },
  { ...PUBLIC, path: `${V1}/expiry-prices/:symbol`, handle: expiryPrice },
  { ...PUBLIC, path: `${V1}/vol-grids`, handle: volGrids },
  { ...PUBLIC, path: `${V1}/assets/:symbol/vol-grid`, handle: volGridBySymbol },
];
