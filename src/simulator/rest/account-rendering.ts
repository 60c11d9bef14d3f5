// Trading accounts and derivative positions as the JSON of REST answers and stream frames.

import { createHash } from 'node:crypto';
import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import { accountRisk } from '../products/account-risk.ts';
import { greeksOf } from '../products/option-model.ts';
import type { Floor } from '../venue/floor.ts';
import type { Position } from '../venue/position.ts';
import { mtmPnl } from '../venue/positions.ts';
import type { AccountSpec } from '../world/world.ts';
import { amount, type Json, moment } from './rendering.ts';

/** Token that raises the rate limits of an account; the same for as long as the account is the same. */
export function rateLimitToken(account: AccountSpec): string {
  return createHash('sha256').update(`rate limit ${account.tradingAccountId}`).digest('hex').slice(0, 50);
}

/** A trading account as REST shows it; its margins are those of the portfolio simulation. */
export function tradingAccountJson(floor: Floor, account: AccountSpec, now: EpochMs): Json {
  const risk = accountRisk(floor, account.tradingAccountId, now);
  const usd = (value: Decimal): string => amount(value.round(4), 4);
  const feeGroups = [...new Set(floor.world.markets.map(({ feeGroupId }) => feeGroupId))];
  return {
    tradingAccountId: account.tradingAccountId,
    tradingAccountName: account.tradingAccountName,
    tradingAccountDescription: account.tradingAccountDescription,
    isPrimaryAccount: String(account.isPrimaryAccount),
    isBorrowing: String(!risk.borrowedUSD.isZero()),
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
      makerOtcFee: account.makerOtcFee,
      takerOtcFee: account.takerOtcFee,
      brokerFee: account.brokerFee,
      auctionFee: account.auctionFee,
    })),
    riskLimitUSD: '1000000.0000',
    totalLiabilitiesUSD: usd(risk.borrowedUSD),
    totalBorrowedUSD: usd(risk.borrowedUSD),
    totalCollateralUSD: usd(risk.collateralUSD),
    initialMarginUSD: usd(risk.initialMarginUSD),
    warningMarginUSD: usd(risk.warningMarginUSD),
    liquidationMarginUSD: usd(risk.liquidationMarginUSD),
    fullLiquidationMarginUSD: usd(risk.fullLiquidationMarginUSD),
    defaultedMarginUSD: usd(risk.defaultedMarginUSD),
    endCustomerId: account.endCustomerId,
    liquidityAddonUSD: usd(risk.liquidityAddonUSD),
    marketRiskUSD: usd(risk.marketRiskUSD),
    marginProfile: MARGIN_PROFILE,
  };
}

const MARGIN_PROFILE = {
  initialMarketRiskMultiplierPct: '200.00',
  warningMarketRiskMultiplierPct: '150.00',
  liquidationMarketRiskMultiplierPct: '100.00',
  fullLiquidationMarketRiskMultiplierPct: '75.00',
  defaultedMarketRiskMultiplierPct: '50.00',
} as const;

/** One derivative position in the words that REST and stream share; side and size as the exchange writes them. */
function positionFields(floor: Floor, position: Position, now: EpochMs): Json {
  const market = floor.markets.get(position.symbol)!;
  const { quantity } = position;
  const mark = floor.markPrice(market, now);
  const usd = (value: Decimal): string => amount(value.round(4), 4);
  return {
    tradingAccountId: position.tradingAccountId,
    symbol: position.symbol,
    side: quantity.isNegative() ? 'SELL' : 'BUY',
    quantity: amount(quantity.abs(), market.spec.quantityPrecision),
    notional: usd(quantity.multiply(mark).abs()),
    entryNotional: usd(position.entryCost.abs()),
    mtmPnl: usd(mtmPnl(position, mark)),
    reportedMtmPnl: usd(position.reportedMtmPnl),
    reportedFundingPnl: usd(position.reportedFundingPnl),
    realizedPnl: usd(position.realizedPnl),
    settlementAssetSymbol: market.spec.quoteSymbol,
    ...moment('createdAt', position.createdAt),
    ...moment('updatedAt', position.updatedAt),
  };
}

/** A position as the derivativesPositionsV2 topic carries it. */
export function positionFrame(floor: Floor, position: Position, eventType: string, now: EpochMs): Json {
  return { ...positionFields(floor, position, now), eventType, publishedAtTimestamp: String(now) };
}

/** A position as REST answers it, with the greeks of the whole position. */
export function positionJson(floor: Floor, position: Position, now: EpochMs): Json {
  return { ...positionFields(floor, position, now), greeks: positionGreeks(floor, position, now) };
}

/** Futures move one to one with their underlying; an option's greeks are those of a contract times the contracts. */
function positionGreeks(floor: Floor, { symbol, quantity }: Position, now: EpochMs): Json {
  const { spec, expiresAt } = floor.markets.get(symbol)!;
  const one =
    spec.marketType === 'OPTION'
      ? greeksOf(spec, floor.indexPrice(floor.markets.get(symbol)!), expiresAt ?? now, now)
      : { delta: '1.00000000', gamma: '0.00000000', theta: '0.0000', vega: '0.0000' };
  const times = (value: string, decimals: number): string =>
    amount(quantity.multiply(Decimal.of(value)).round(decimals), decimals);
  return {
    delta: times(one.delta, 8),
    gamma: times(one.gamma, 8),
    theta: times(one.theta, 4),
    vega: times(one.vega, 4),
  };
}

/** Positions of an account that are not zero. */
export function openPositions(floor: Floor, account: string): Position[] {
  return [...floor.positions.values()]
    .map((byAccount) => byAccount.get(account))
    .filter((position): position is Position => position !== undefined && !position.quantity.isZero());
}
