// Values an option and its sensitivities (delta, gamma, theta, vega) by Black and Scholes without interest. Floating
// point is right only here: estimates price no payment. An estimate that enters exact arithmetic (the mark price, an
// option's delta) becomes a decimal of fixed length first.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { MarketSpec } from '../world/world.ts';

const YEAR_MS = 31_536_000_000;
/** Yearly volatility where no trade says otherwise (**assumed**). */
const VOLATILITY = 0.6;
/** Time to expiry below which the model is not asked: a minute. */
const LEAST_MS = 60_000;
const SEARCH_STEPS = 60;

/** Greeks as the exchange writes them: decimal strings. */
export interface Greeks {
  readonly delta: string;
  readonly gamma: string;
  readonly theta: string;
  readonly vega: string;
}

interface Inputs {
  readonly spot: number;
  readonly strike: number;
  readonly years: number;
  readonly isCall: boolean;
}

/** Value of an option at expiry at `price` of its underlying; null for anything else. Exact. */
export function intrinsicValue(spec: MarketSpec, price: Decimal): Decimal | null {
  if (spec.optionStrikePrice === null) return null;
  const strike = Decimal.of(spec.optionStrikePrice);
  const value = spec.optionType === 'PUT' ? strike.subtract(price) : price.subtract(strike);
  return value.isNegative() ? Decimal.ZERO : value;
}

function inputsOf(spec: MarketSpec, index: Decimal, expiresAt: EpochMs, now: EpochMs): Inputs {
  return {
    spot: Number(index.toString()),
    strike: Number(spec.optionStrikePrice),
    years: Math.max(expiresAt - now, LEAST_MS) / YEAR_MS,
    isCall: spec.optionType !== 'PUT',
  };
}

/** Estimate of an option's price at the market's precision; `volOffset` is added to the yearly volatility. */
export function modelPrice(spec: MarketSpec, index: Decimal, expiresAt: EpochMs, now: EpochMs, volOffset = 0): Decimal {
  const value = priceAt(inputsOf(spec, index, expiresAt, now), Math.max(VOLATILITY + volOffset, 0.01));
  return Decimal.of(Math.max(value, 0).toFixed(spec.pricePrecision));
}

/** Estimates of how an option moves with its underlying, by a dollar, a day and a point of volatility. */
export function greeksOf(spec: MarketSpec, index: Decimal, expiresAt: EpochMs, now: EpochMs): Greeks {
  const inputs = inputsOf(spec, index, expiresAt, now);
  const { spot, years, isCall } = inputs;
  const spread = VOLATILITY * Math.sqrt(years);
  const d1 = firstTerm(inputs, VOLATILITY);
  const density = Math.exp((-d1 * d1) / 2) / Math.sqrt(2 * Math.PI);
  return {
    delta: (isCall ? normal(d1) : normal(d1) - 1).toFixed(8),
    gamma: (density / (spot * spread)).toFixed(8),
    theta: ((-spot * density * VOLATILITY) / (2 * Math.sqrt(years)) / 365).toFixed(4),
    vega: ((spot * density * Math.sqrt(years)) / 100).toFixed(4),
  };
}

/** Volatility in percent at which the model gives `price`; null where no volatility does. */
export function impliedVolatility(
  spec: MarketSpec,
  price: Decimal,
  index: Decimal,
  expiresAt: EpochMs,
  now: EpochMs,
): string | null {
  const inputs = inputsOf(spec, index, expiresAt, now);
  const wanted = Number(price.toString());
  let low = 0.001;
  let high = 10;
  if (wanted < priceAt(inputs, low) || wanted > priceAt(inputs, high)) return null;
  for (let step = 0; step < SEARCH_STEPS; step++) {
    const middle = (low + high) / 2;
    if (priceAt(inputs, middle) < wanted) low = middle;
    else high = middle;
  }
  return (high * 100).toFixed(1);
}

function firstTerm({ spot, strike, years }: Inputs, volatility: number): number {
  return (Math.log(spot / strike) + (volatility * volatility * years) / 2) / (volatility * Math.sqrt(years));
}

function priceAt(inputs: Inputs, volatility: number): number {
  const { spot, strike, years, isCall } = inputs;
  const d1 = firstTerm(inputs, volatility);
  const d2 = d1 - volatility * Math.sqrt(years);
  return isCall ? spot * normal(d1) - strike * normal(d2) : strike * normal(-d2) - spot * normal(-d1);
}

/** Cumulative normal distribution (Abramowitz and Stegun 26.2.17, error below 1e-7). */
function normal(x: number): number {
  if (x < 0) return 1 - normal(-x);
  const t = 1 / (1 + 0.2316419 * x);
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return 1 - (Math.exp((-x * x) / 2) / Math.sqrt(2 * Math.PI)) * poly;
}
