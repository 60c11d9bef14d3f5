// The tick of a market: best prices, last trade, the figures of 24 hours, and what derivatives add to it.

import { Decimal } from '../../base/decimal.ts';
import { type EpochMs, formatIso } from '../../base/time.ts';
import { greeksOf, impliedVolatility } from '../products/option-model.ts';
import { amount, type Json, moment, quotePrecision } from '../rest/rendering.ts';
import { FEE_TIERS } from '../world/world.ts';
import type { Floor, MarketState } from './floor.ts';
import { fundingRate } from './hourly.ts';
import { ZERO } from './order.ts';

const DAY_MS = 86_400_000;
const HUNDRED = Decimal.of('100');
const TWO = Decimal.of('2');

/** Sum of all long positions of a derivative market. */
export function openInterest(floor: Floor, symbol: string): Decimal {
  let sum = ZERO;
  for (const { quantity } of floor.positionsOf(symbol)) if (quantity.isPositive()) sum = sum.add(quantity);
  return sum;
}

/** Fields shared by REST and stream. Figures cover the last 24 hours by the minute. */
function tickFields(floor: Floor, state: MarketState, now: EpochMs): Json {
  const { spec } = state;
  const last = lastPrice(floor, state);
  const day = state.candles.since(now - DAY_MS);
  const open = day?.open ?? last;
  const base = day?.volume ?? ZERO;
  const quote = day?.quoteVolume ?? ZERO;
  const price = (value: Decimal): string => amount(value, spec.pricePrecision);
  const change = last.subtract(open);
  const [bid] = state.book.levels('BUY', 1);
  const [ask] = state.book.levels('SELL', 1);
  return {
    ...moment('createdAt', now),
    high: price(day?.high ?? last),
    low: price(day?.low ?? last),
    open: price(open),
    close: price(last),
    last: price(last),
    bestBid: bid === undefined ? null : price(bid.price),
    bidVolume: bid === undefined ? null : amount(bid.quantity, spec.quantityPrecision),
    bestAsk: ask === undefined ? null : price(ask.price),
    askVolume: ask === undefined ? null : amount(ask.quantity, spec.quantityPrecision),
    vwap: price(base.isZero() ? last : quote.divide(base, spec.pricePrecision)),
    change: price(change),
    percentage: amount(open.isZero() ? ZERO : change.multiply(HUNDRED).divide(open, 2), 2),
    average: price(last.add(open).divide(TWO, spec.pricePrecision)),
    baseVolume: amount(base, spec.quantityPrecision),
    quoteVolume: amount(quote, quotePrecision(floor, spec)),
    lastTradeDatetime: formatIso(state.lastTradeAt ?? now),
    ammData: spec.marketType === 'OPTION' ? [] : ammData(price(last)),
    ...(spec.marketType === 'SPOT' ? {} : derivativeFields(floor, state, now)),
  };
}

/** The last trade, or before the first one what the market is worth. */
function lastPrice(floor: Floor, state: MarketState): Decimal {
  return state.lastPrice ?? floor.referencePrice(state);
}

function ammData(currentPrice: string): Json[] {
  return FEE_TIERS.map(({ feeTierId, staticSpreadFee }) => ({
    feeTierId,
    bidSpreadFee: staticSpreadFee,
    askSpreadFee: staticSpreadFee,
    currentPrice,
  }));
}

/** Funding is in percent here, a ratio in its history (exchange reference §4.2). */
function derivativeFields(floor: Floor, state: MarketState, now: EpochMs): Json {
  const { spec } = state;
  const isPerpetual = spec.marketType === 'PERPETUAL' && state.expired === null;
  return {
    markPrice: amount(floor.markPrice(state, now), spec.pricePrecision),
    ...(isPerpetual ? { fundingRate: amount(fundingRate(floor, state).multiply(HUNDRED), 4) } : {}),
    openInterest: amount(openInterest(floor, spec.symbol), spec.quantityPrecision),
  };
}

/** Greeks of an option market and the volatilities that its best prices imply. */
export function optionFigures(floor: Floor, state: MarketState, now: EpochMs) {
  const { spec, book } = state;
  const index = floor.indexPrice(state);
  const expiresAt = state.expiresAt ?? now;
  const volatility = (price: Decimal | null): string =>
    (price === null ? null : impliedVolatility(spec, price, index, expiresAt, now)) ?? '0.0';
  return {
    greeks: greeksOf(spec, index, expiresAt, now),
    bidIVPercentage: volatility(book.bestPrice('BUY')),
    askIVPercentage: volatility(book.bestPrice('SELL')),
  };
}

/** Tick as `GET /markets/{symbol}/tick` answers it; option markets carry their greeks, singly and together. */
export function restTick(floor: Floor, state: MarketState, now: EpochMs): Json {
  const { spec } = state;
  const figures = spec.marketType === 'OPTION' ? optionFigures(floor, state, now) : null;
  return {
    ...tickFields(floor, state, now),
    bancorPrice: amount(lastPrice(floor, state), spec.pricePrecision),
    lastTradeTimestamp: String(state.lastTradeAt ?? now),
    lastTradeQuantity: lastQuantity(state),
    ...(figures === null ? {} : { ...figures, ...figures.greeks }),
  };
}

/** Tick as the tick stream carries it. */
export function streamTick(floor: Floor, state: MarketState, now: EpochMs): Json {
  const { spec } = state;
  return {
    symbol: spec.symbol,
    ...tickFields(floor, state, now),
    publishedAtTimestamp: String(now),
    currentPrice: amount(lastPrice(floor, state), spec.pricePrecision),
    lastTradeSize: lastQuantity(state),
  };
}

function lastQuantity({ publicTrades, spec }: MarketState): string {
  return amount(publicTrades.at(-1)?.quantity ?? ZERO, spec.quantityPrecision);
}
