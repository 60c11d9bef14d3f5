// Endpoints of the portfolio margin simulation, single and in bulk: reading the request, present prices and positions.
// The calculation is portfolio-margin.ts.

import { Decimal } from '../base/decimal.ts';
import type { Floor } from './floor.ts';
import { type PortfolioInput, type PortfolioResult, simulatePortfolio } from './portfolio-margin.ts';
import { invalidRequest, Refusal } from './refusal.ts';
import { amount, type Json } from './rendering.ts';
import { ownAccount, type Route, type RouteRequest } from './route.ts';

const PORTFOLIOS_MAX = 100;
const ENTRIES_MAX = 1_000;
const STABLE: ReadonlySet<string> = new Set(['USDC', 'USD', 'USDT']);
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

/** A factor that the API defines as a JSON number; its shortest text is what the sender meant. */
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

/** Present prices, then the request's own, then its multipliers (symbol over global, stablecoins apart). */
function pricesOf(floor: Floor, fields: Fields): (symbol: string) => Decimal {
  const given = new Map<string, Decimal>();
  for (const entry of entries(fields, 'referencePrices')) given.set(symbolOf(floor, entry), decimalOf(entry, 'price'));
  const params = fields.priceVolOffsetParams ?? {};
  if (!isFields(params)) throw invalidRequest('priceVolOffsetParams must be an object');
  const multipliers = params.cryptoPriceMultipliers ?? {};
  if (!isFields(multipliers)) throw invalidRequest('cryptoPriceMultipliers must be an object');
  const global = params.globalCryptoPriceMultiplier;
  const all = global === undefined || global === null ? Decimal.of('1') : factor(global, 'globalCryptoPriceMultiplier');
  const own = new Map(Object.entries(multipliers).map(([symbol, value]) => [symbol, factor(value, symbol)]));
  // Options are not priced here, so that the offset changes nothing; it must still be a number.
  if (params.volOffset !== undefined && params.volOffset !== null) factor(params.volOffset, 'volOffset');
  return (symbol) => {
    const market = floor.markets.get(symbol);
    const price =
      given.get(symbol) ?? (market === undefined ? floor.indexPrices.get(symbol)! : floor.referencePrice(market));
    const asset = market?.spec.baseSymbol ?? symbol;
    return STABLE.has(asset) ? price : price.multiply(own.get(symbol) ?? own.get(asset) ?? all);
  };
}

function simulate(request: RouteRequest, fields: unknown): Json {
  const { floor, query } = request;
  if (!isFields(fields) || typeof fields.tradingAccountId !== 'string')
    throw invalidRequest('tradingAccountId is missing');
  const account = ownAccount(request, fields.tradingAccountId);
  const positions = entries(fields, 'positions').map((entry) => ({
    symbol: symbolOf(floor, entry),
    quantity: decimalOf(entry, 'quantity'),
  }));
  if (query.includeExisting === 'true') positions.push(...existing(floor, account));
  const orders = entries(fields, 'orders').map((entry) => {
    if (!TIMES_IN_FORCE.has(entry.timeInForce)) throw invalidRequest('timeInForce is not valid');
    const limitPrice =
      entry.limitPrice === undefined || entry.limitPrice === null ? null : decimalOf(entry, 'limitPrice');
    return { symbol: symbolOf(floor, entry), quantity: decimalOf(entry, 'quantity'), limitPrice };
  });
  const spec = (symbol: string) => floor.markets.get(symbol)?.spec;
  const input: PortfolioInput = {
    positions,
    orders,
    priceOf: pricesOf(floor, fields),
    isDerivative: (symbol) => spec(symbol) !== undefined && spec(symbol)?.marketType !== 'SPOT',
    isStable: (symbol) => STABLE.has(symbol),
    spotAssets: (symbol) => {
      const market = spec(symbol);
      return market?.marketType === 'SPOT' ? { base: market.baseSymbol, quote: market.quoteSymbol } : null;
    },
  };
  return resultJson(simulatePortfolio(input));
}

/** Assets and positions that the account has now. */
function existing(floor: Floor, account: string): { symbol: string; quantity: Decimal }[] {
  const assets = floor.ledger
    .assets(account)
    .map((symbol) => ({ symbol, quantity: floor.ledger.balance(account, symbol).total }));
  const positions = [...floor.markets.keys()]
    .map((symbol) => ({ symbol, quantity: floor.positions.get(`${account}/${symbol}`)?.quantity ?? Decimal.ZERO }))
    .filter(({ quantity }) => !quantity.isZero());
  return [...assets, ...positions];
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
