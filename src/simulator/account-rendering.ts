// Trading accounts and derivative positions as the JSON of REST answers and stream frames.

import { createHash } from 'node:crypto';
import { Decimal } from '../base/decimal.ts';
import { type EpochMs, formatIso } from '../base/time.ts';
import type { Floor } from './floor.ts';
import { ZERO } from './order.ts';
import { amount, type Json } from './rendering.ts';
import type { AccountSpec } from './world.ts';

/** Token that raises the rate limits of an account; the same for as long as the account is the same. */
export function rateLimitToken(account: AccountSpec): string {
  return createHash('sha256').update(`rate limit ${account.tradingAccountId}`).digest('hex').slice(0, 50);
}

/** Value of an account's positive and negative balances in USD at index prices. */
export function worth(floor: Floor, tradingAccountId: string): { collateral: Decimal; borrowed: Decimal } {
  let collateral = ZERO;
  let borrowed = ZERO;
  for (const asset of floor.ledger.assets(tradingAccountId)) {
    const price = floor.indexPrices.get(asset) ?? ZERO;
    const value = floor.ledger.balance(tradingAccountId, asset).total.multiply(price);
    if (value.isNegative()) borrowed = borrowed.add(value.negate());
    else collateral = collateral.add(value);
  }
  return { collateral, borrowed };
}

/** A trading account as REST and the tradingAccounts topic show it. Risk figures: what is borrowed, times the profile. */
export function tradingAccountJson(floor: Floor, account: AccountSpec): Json {
  const { collateral, borrowed } = worth(floor, account.tradingAccountId);
  const usd = (value: Decimal): string => amount(value.round(4), 4);
  const share = (percent: string): string => usd(borrowed.multiply(Decimal.of(percent)).divide(Decimal.of('100'), 4));
  const feeGroups = [...new Set(floor.world.markets.map(({ feeGroupId }) => feeGroupId))];
  return {
    tradingAccountId: account.tradingAccountId,
    tradingAccountName: account.tradingAccountName,
    tradingAccountDescription: account.tradingAccountDescription,
    isPrimaryAccount: String(account.isPrimaryAccount),
    isBorrowing: String(!borrowed.isZero()),
    isLending: 'false',
    isDefaulted: 'false',
    isConcentrationRiskEnabled: 'true',
    makerFee: account.makerFee,
    takerFee: account.takerFee,
    maxInitialLeverage: '1',
    rateLimitToken: rateLimitToken(account),
    tradeFeeRate: feeGroups.map((feeGroupId) => ({
      feeGroupId,
      makerFee: account.makerFee,
      takerFee: account.takerFee,
      makerOtcFee: '0.00000000',
      takerOtcFee: '0.00000000',
      brokerFee: '0.00000000',
      auctionFee: account.auctionFee,
    })),
    riskLimitUSD: '1000000.0000',
    totalLiabilitiesUSD: usd(borrowed),
    totalBorrowedUSD: usd(borrowed),
    totalCollateralUSD: usd(collateral),
    initialMarginUSD: share('200'),
    warningMarginUSD: share('150'),
    liquidationMarginUSD: share('100'),
    fullLiquidationMarginUSD: share('75'),
    defaultedMarginUSD: share('50'),
    endCustomerId: account.endCustomerId,
    liquidityAddonUSD: '0.0000',
    marketRiskUSD: usd(borrowed),
    marginProfile: {
      initialMarketRiskMultiplierPct: '200.00',
      warningMarketRiskMultiplierPct: '150.00',
      liquidationMarketRiskMultiplierPct: '100.00',
      fullLiquidationMarketRiskMultiplierPct: '75.00',
      defaultedMarketRiskMultiplierPct: '50.00',
    },
  };
}

/** One derivative position; side and size as the exchange writes them, at the last price. */
export function positionFrame(floor: Floor, account: string, symbol: string, now: EpochMs): Json {
  const { quantity, cost } = floor.position(account, symbol);
  const market = floor.markets.get(symbol)!;
  const notional = quantity.multiply(floor.referencePrice(market));
  return {
    tradingAccountId: account,
    symbol,
    side: quantity.isNegative() ? 'SELL' : 'BUY',
    quantity: amount(quantity.abs(), market.spec.quantityPrecision),
    notional: amount(notional.abs(), 4),
    entryNotional: amount(cost.abs(), 4),
    mtmPnl: amount(notional.subtract(cost), 4),
    settlementAssetSymbol: market.spec.quoteSymbol,
    updatedAtDatetime: formatIso(now),
    updatedAtTimestamp: String(now),
    publishedAtTimestamp: String(now),
  };
}

/** Positions of an account that are not zero. */
export function openPositions(floor: Floor, account: string, now: EpochMs): Json[] {
  const found: Json[] = [];
  for (const [key, { quantity }] of floor.positions) {
    const [owner, symbol] = key.split('/');
    if (owner !== account || symbol === undefined || quantity.isZero()) continue;
    found.push(positionFrame(floor, account, symbol, now));
  }
  return found;
}
