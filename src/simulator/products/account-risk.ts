// Inputs of the portfolio simulation from the venue: present prices, symbols, holdings of an account.
// portfolio-margin.ts calculates; the same calculation gives a trading account its margins.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { Floor } from '../venue/floor.ts';
import { modelPrice } from './option-model.ts';
import { type PortfolioInput, type PortfolioResult, simulatePortfolio } from './portfolio-margin.ts';

export const STABLE: ReadonlySet<string> = new Set(['USDC', 'USD', 'USDT']);

/** Present price in USD of an asset or a contract. */
export function presentPrice(floor: Floor, symbol: string, now: EpochMs): Decimal {
  const market = floor.markets.get(symbol);
  return market === undefined ? (floor.indexPrices.get(symbol) ?? Decimal.ZERO) : floor.markPrice(market, now);
}

/** A portfolio on this venue. `volOffset` is added to the volatility that options are valued with. */
export function portfolioInput(
  floor: Floor,
  now: EpochMs,
  portfolio: Pick<PortfolioInput, 'positions' | 'orders' | 'priceOf'> & { readonly volOffset: number },
): PortfolioInput {
  const spec = (symbol: string) => floor.markets.get(symbol)?.spec;
  const { positions, orders, priceOf, volOffset } = portfolio;
  return {
    positions,
    orders,
    priceOf,
    priceAfter: (symbol, move) => {
      const market = floor.markets.get(symbol);
      const factor = Decimal.of('1').add(move);
      if (market === undefined || market.spec.marketType !== 'OPTION') return priceOf(symbol).multiply(factor);
      const underlying = priceOf(market.spec.baseSymbol).multiply(factor);
      return modelPrice(market.spec, underlying, market.expiresAt ?? now, now, volOffset);
    },
    isDerivative: (symbol) => spec(symbol) !== undefined && spec(symbol)?.marketType !== 'SPOT',
    isStable: (symbol) => STABLE.has(symbol),
    spotAssets: (symbol) => {
      const market = spec(symbol);
      return market?.marketType === 'SPOT' ? { base: market.baseSymbol, quote: market.quoteSymbol } : null;
    },
  };
}

/** Assets and positions that an account has now. */
export function held(floor: Floor, account: string): { symbol: string; quantity: Decimal }[] {
  const assets = floor.ledger
    .assets(account)
    .map((symbol) => ({ symbol, quantity: floor.ledger.balance(account, symbol).total }));
  const positions = [...floor.positions]
    .map(([symbol, byAccount]) => ({ symbol, quantity: byAccount.get(account)?.quantity ?? Decimal.ZERO }))
    .filter(({ quantity }) => !quantity.isZero());
  return [...assets, ...positions];
}

/** Margins of an account as it stands, its open orders apart. */
export function accountRisk(floor: Floor, account: string, now: EpochMs): PortfolioResult {
  const priceOf = (symbol: string): Decimal => presentPrice(floor, symbol, now);
  return simulatePortfolio(
    portfolioInput(floor, now, { positions: held(floor, account), orders: [], priceOf, volOffset: 0 }),
  );
}
