// Endpoints of the portfolio margin simulation, single and in bulk: reading the request, present prices and positions.
// The calculation is portfolio-margin.ts.

import { Decimal } from '../../base/decimal.ts';
import { held, portfolioInput, presentPrice, STABLE } from '../products/account-risk.ts';
import { type PortfolioResult, simulatePortfolio } from '../products/portfolio-margin.ts';
import type { Floor } from '../venue/floor.ts';
import { invalidRequest, Refusal } from './refusal.ts';
import { amount, type Json } from './rendering.ts';
import { ownAccount, type Route, type RouteRequest } from './route.ts';

const PORTFOLIOS_MAX = 100;
const ENTRIES_MAX = 1_000;
const TIMES_IN_FORCE: ReadonlySet<unknown> = new Set([undefined, null, 'GTC', 'IOC', 'FOK', 'GTX']);

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function entries(fields: Fields, name: string): Fields[] {
  const value = fields[name] ?? [];
  if (!Array.isArray(value) || value.length > ENTRIES_MAX || !value.every(isFields)) {
    throw invalidRequest(`${name} must be a list of at most ${ENTRIES_MAX} objects`);
  }
  return value;
}

function decimalOf(fields: Fields, name: string): Decimal {
  const value = typeof fields[name] === 'string' ? Decimal.parse(fields[name]) : null;
  if (value === null) throw invalidRequest(`${name} must be a decimal string`);
  return value;
}

/** A factor that the API defines as a JSON number; its shortest text is the sender's intention. */
function factor(value: unknown, name: string): Decimal {
  const text = typeof value === 'number' ? String(value) : typeof value === 'string' ? value : '';
  const found = Decimal.parse(text);
  if (found === null) throw invalidRequest(`${name} must be a number`);
  return found;
}

function symbolOf(floor: Floor, fields: Fields): string {
  const { symbol } = fields;
  if (typeof symbol === 'string' && (floor.markets.has(symbol) || floor.indexPrices.has(symbol))) return symbol;
  throw new Refusal(400, 28004, 'INVALID_SYMBOL', 'A symbol is neither an asset nor a market');
}

interface Assumptions {
  readonly priceOf: (symbol: string) => Decimal;
  readonly volOffset: number;
}

/** Present prices, then the request's own, then its multipliers (symbol over global, stablecoins apart). */
function assumptionsOf({ floor, now }: RouteRequest, fields: Fields): Assumptions {
  const given = new Map<string, Decimal>();
  for (const entry of entries(fields, 'referencePrices')) given.set(symbolOf(floor, entry), decimalOf(entry, 'price'));
  const params = fields.priceVolOffsetParams ?? {};
  if (!isFields(params)) throw invalidRequest('priceVolOffsetParams must be an object');
  const multipliers = params.cryptoPriceMultipliers ?? {};
  if (!isFields(multipliers)) throw invalidRequest('cryptoPriceMultipliers must be an object');
  const global = params.globalCryptoPriceMultiplier;
  const all = global === undefined || global === null ? Decimal.of('1') : factor(global, 'globalCryptoPriceMultiplier');
  const own = new Map(Object.entries(multipliers).map(([symbol, value]) => [symbol, factor(value, symbol)]));
  const offset = params.volOffset ?? 0;
  const volOffset = Number(factor(offset, 'volOffset').toString());
  const priceOf = (symbol: string): Decimal => {
    const price = given.get(symbol) ?? presentPrice(floor, symbol, now);
    const asset = floor.markets.get(symbol)?.spec.baseSymbol ?? symbol;
    return STABLE.has(asset) ? price : price.multiply(own.get(symbol) ?? own.get(asset) ?? all);
  };
  return { priceOf, volOffset };
}

function simulate(request: RouteRequest, fields: unknown): Json {
  const { floor, query, now } = request;
  if (!isFields(fields) || typeof fields.tradingAccountId !== 'string')
    throw invalidRequest('tradingAccountId is missing');
  const account = ownAccount(request, fields.tradingAccountId);
  const positions = entries(fields, 'positions').map((entry) => ({
    symbol: symbolOf(floor, entry),
    quantity: decimalOf(entry, 'quantity'),
  }));
  const { includeExisting = 'false' } = query;
  if (includeExisting !== 'true' && includeExisting !== 'false') {
    throw invalidRequest('includeExisting must be true or false');
  }
  if (includeExisting === 'true') positions.push(...held(floor, account));
  const orders = entries(fields, 'orders').map((entry) => {
    if (!TIMES_IN_FORCE.has(entry.timeInForce)) throw invalidRequest('timeInForce is not valid');
    const limitPrice =
      entry.limitPrice === undefined || entry.limitPrice === null ? null : decimalOf(entry, 'limitPrice');
    return { symbol: symbolOf(floor, entry), quantity: decimalOf(entry, 'quantity'), limitPrice };
  });
  const portfolio = { positions, orders, ...assumptionsOf(request, fields) };
  return resultJson(simulatePortfolio(portfolioInput(floor, now, portfolio)));
}

function resultJson(result: PortfolioResult): Json {
  return Object.fromEntries(
    Object.entries(result).map(([name, value]: [string, Decimal]) => [name, amount(value.round(4), 4)]),
  );
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidRequest('The body is not JSON');
  }
}

function bulk(request: RouteRequest): Json[] {
  const list = parse(request.body);
  if (!Array.isArray(list) || list.length === 0 || list.length > PORTFOLIOS_MAX) {
    throw invalidRequest(`The body must be a list of 1 to ${PORTFOLIOS_MAX} portfolios`);
  }
  return list.map((fields) => simulate(request, fields));
}

const POST = { method: 'POST', auth: 'login', limit: 'other', operation: 'get' } as const;

export const portfolioMarginRoutes: readonly Route[] = [
  {
    ...POST,
    path: '/trading-api/v1/simulate-portfolio-margin',
    handle: (request) => simulate(request, parse(request.body)),
  },
  { ...POST, path: '/trading-api/v1/bulk-simulate-portfolio-margin', handle: bulk },
];
