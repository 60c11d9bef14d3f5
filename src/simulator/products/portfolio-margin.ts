// Simulation of portfolio margin: the requirement of a portfolio, at given or present prices. A pure calculation.
// The exchange does not publish its formula. This one is **assumed**, simple and repeatable.
//   collateral  = Σ positive assets × price × 90 % (stablecoins 100 %)
//   borrowed    = Σ negative assets × price
//   market risk = worst loss of assets and derivatives when all prices move by −15 % or +15 %, with or without the orders
//   add-on      = 1 % of the notional of all derivatives
//   margins     = market risk × 200, 150, 100, 75, 50 % + add-on

import { Decimal } from '../../base/decimal.ts';

export interface PortfolioInput {
  /** Asset or market symbol → signed quantity. */
  readonly positions: readonly { readonly symbol: string; readonly quantity: Decimal }[];
  /** Signed quantity: positive buys. Orders of every time in force count alike, GTX as if it crossed. */
  readonly orders: readonly {
    readonly symbol: string;
    readonly quantity: Decimal;
    readonly limitPrice: Decimal | null;
  }[];
  /** Price in USD of every symbol that occurs. */
  readonly priceOf: (symbol: string) => Decimal;
  /** The same after all prices moved by a ratio. */
  readonly priceAfter: (symbol: string, move: Decimal) => Decimal;
  readonly isDerivative: (symbol: string) => boolean;
  readonly isStable: (symbol: string) => boolean;
  /** Base and quote of a spot market, null for anything else. */
  readonly spotAssets: (symbol: string) => { readonly base: string; readonly quote: string } | null;
}

export interface PortfolioResult {
  readonly collateralUSD: Decimal;
  readonly borrowedUSD: Decimal;
  readonly marketRiskUSD: Decimal;
  readonly liquidityAddonUSD: Decimal;
  readonly initialMarginUSD: Decimal;
  readonly warningMarginUSD: Decimal;
  readonly liquidationMarginUSD: Decimal;
  readonly fullLiquidationMarginUSD: Decimal;
  readonly defaultedMarginUSD: Decimal;
}

const HAIRCUT = Decimal.of('0.9');
const MOVES = [Decimal.of('-0.15'), Decimal.of('0.15')];
const ADDON = Decimal.of('0.01');

type Holdings = Map<string, Decimal>;

/** Simulate one portfolio. */
export function simulatePortfolio(input: PortfolioInput): PortfolioResult {
  const held: Holdings = new Map();
  for (const { symbol, quantity } of input.positions) add(held, symbol, quantity);
  const withOrders: Holdings = new Map(held);
  for (const order of input.orders) {
    const spot = input.spotAssets(order.symbol);
    const price = order.limitPrice ?? input.priceOf(order.symbol);
    add(withOrders, spot?.base ?? order.symbol, order.quantity);
    if (spot !== null) add(withOrders, spot.quote, order.quantity.multiply(price).negate());
  }
  const risks = [held, withOrders].map((portfolio) => worstLoss(portfolio, input));
  const marketRisk = risks.reduce((worst, risk) => (risk.compare(worst) > 0 ? risk : worst), Decimal.ZERO);
  const addon = [held, withOrders]
    .map((portfolio) => notional(portfolio, input).multiply(ADDON))
    .reduce((most, value) => (value.compare(most) > 0 ? value : most), Decimal.ZERO);
  const margin = (percent: string): Decimal => marketRisk.multiply(Decimal.of(percent)).add(addon);
  return {
    ...worth(held, input),
    marketRiskUSD: marketRisk,
    liquidityAddonUSD: addon,
    initialMarginUSD: margin('2'),
    warningMarginUSD: margin('1.5'),
    liquidationMarginUSD: margin('1'),
    fullLiquidationMarginUSD: margin('0.75'),
    defaultedMarginUSD: margin('0.5'),
  };
}

function add(holdings: Holdings, symbol: string, quantity: Decimal): void {
  holdings.set(symbol, (holdings.get(symbol) ?? Decimal.ZERO).add(quantity));
}

function worth(holdings: Holdings, input: PortfolioInput): Pick<PortfolioResult, 'collateralUSD' | 'borrowedUSD'> {
  let collateralUSD = Decimal.ZERO;
  let borrowedUSD = Decimal.ZERO;
  for (const [symbol, quantity] of holdings) {
    if (input.isDerivative(symbol)) continue;
    const value = quantity.multiply(input.priceOf(symbol));
    if (value.isNegative()) borrowedUSD = borrowedUSD.add(value.negate());
    else collateralUSD = collateralUSD.add(input.isStable(symbol) ? value : value.multiply(HAIRCUT));
  }
  return { collateralUSD, borrowedUSD };
}

/** Loss in the worse of the two moves; stablecoins do not move. Never negative. */
function worstLoss(holdings: Holdings, input: PortfolioInput): Decimal {
  let worst = Decimal.ZERO;
  for (const move of MOVES) {
    let result = Decimal.ZERO;
    for (const [symbol, quantity] of holdings) {
      if (input.isStable(symbol)) continue;
      const change = input.priceAfter(symbol, move).subtract(input.priceAfter(symbol, Decimal.ZERO));
      result = result.add(quantity.multiply(change));
    }
    if (result.negate().compare(worst) > 0) worst = result.negate();
  }
  return worst;
}

function notional(holdings: Holdings, input: PortfolioInput): Decimal {
  let sum = Decimal.ZERO;
  for (const [symbol, quantity] of holdings) {
    if (input.isDerivative(symbol)) sum = sum.add(quantity.multiply(input.priceOf(symbol)).abs());
  }
  return sum;
}
