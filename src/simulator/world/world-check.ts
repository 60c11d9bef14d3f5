// Checks a world before anything is built from it: every problem at once, named as its author wrote it.

import { isIP } from 'node:net';
import { Decimal } from '../../base/decimal.ts';
import { CrossgateError } from '../../base/errors.ts';
import type { MarketSpec, World } from './world.ts';

/** @throws CrossgateError naming every problem of the world */
export function checkWorld(world: World): void {
  const problems: string[] = [];
  const assets = new Set(world.assets.map(({ symbol }) => symbol));
  const users = new Set(world.users.map(({ name }) => name));
  const names = {
    asset: world.assets.map(({ symbol }) => symbol),
    market: world.markets.map(({ symbol }) => symbol),
    account: world.accounts.map(({ tradingAccountId }) => tradingAccountId),
    key: world.users.flatMap(({ keys }) => keys.map(({ name }) => name)),
  };
  for (const [kind, list] of Object.entries(names)) {
    for (const name of repeated(list)) problems.push(`${kind} ${name} is there twice`);
  }
  for (const { name, ipAllowList } of world.users) {
    for (const range of ipAllowList) if (!isRange(range)) problems.push(`user ${name} has no address range ${range}`);
  }
  for (const { symbol, indexPrice } of world.assets) decimal(problems, `indexPrice of ${symbol}`, indexPrice);
  for (const market of world.markets) checkMarket(problems, market, assets);
  for (const account of world.accounts) {
    const { tradingAccountId, user, balances } = account;
    if (user !== '' && !users.has(user)) problems.push(`account ${tradingAccountId} belongs to no known user`);
    for (const [asset, amount] of Object.entries(balances)) {
      if (!assets.has(asset)) problems.push(`account ${tradingAccountId} has an unknown asset ${asset}`);
      decimal(problems, `${asset} of account ${tradingAccountId}`, amount);
    }
  }
  if (problems.length > 0) throw new CrossgateError('XG_SIMULATOR_INVALID', problems.join('; '));
}

function checkMarket(problems: string[], market: MarketSpec, assets: ReadonlySet<string>): void {
  const { symbol } = market;
  for (const asset of [market.baseSymbol, market.quoteSymbol]) {
    if (!assets.has(asset)) problems.push(`market ${symbol} trades an unknown asset ${asset}`);
  }
  const tick = decimal(problems, `tickSize of ${symbol}`, market.tickSize);
  const reference = decimal(problems, `referencePrice of ${symbol}`, market.referencePrice);
  for (const name of ['minQuantityLimit', 'maxQuantityLimit', 'priceBuffer', 'initialMarginRate'] as const) {
    decimal(problems, `${name} of ${symbol}`, market[name]);
  }
  if (market.auctionPriceCollar !== null)
    decimal(problems, `auctionPriceCollar of ${symbol}`, market.auctionPriceCollar);
  if (tick === null) return;
  if (!tick.isPositive() || tick.significantDecimals() > market.pricePrecision) {
    problems.push(`tickSize of ${symbol} is not a multiple of its price precision`);
  } else if (reference !== null && !reference.isMultipleOf(tick)) {
    problems.push(`referencePrice of ${symbol} is not a multiple of its tickSize`);
  }
}

function decimal(problems: string[], name: string, text: string): Decimal | null {
  const value = Decimal.parse(text);
  if (value === null || value.isNegative()) problems.push(`${name} is not a decimal: ${text.slice(0, 40)}`);
  return value;
}

function isRange(text: string): boolean {
  const [net = '', prefix, more] = text.split('/');
  const bits = isIP(net) === 6 ? 128 : 32;
  const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
  return more === undefined && isIP(net) !== 0 && isPrefix;
}

function repeated(names: readonly string[]): string[] {
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))];
}
