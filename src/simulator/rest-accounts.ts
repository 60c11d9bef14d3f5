// Endpoints of accounts: trading accounts with their fees, and the assets in them.

import { createHash } from 'node:crypto';
import { Decimal } from '../base/decimal.ts';
import type { Floor } from './floor.ts';
import { ZERO } from './order.ts';
import { notFound } from './refusal.ts';
import { amount, assetAccount, type Json } from './rendering.ts';
import { loginOf, ownAccount, queriedAccount, type Route, type RouteRequest } from './route.ts';
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

function tradingAccounts(request: RouteRequest): Json[] {
  const user = loginOf(request).key.user.name;
  return request.floor.world.accounts
    .filter((account) => account.user === user)
    .map((account) => tradingAccountJson(request.floor, account));
}

function tradingAccount(request: RouteRequest): Json {
  const tradingAccountId = ownAccount(request, request.params.tradingAccountId ?? '');
  return tradingAccountJson(request.floor, request.floor.ledger.account(tradingAccountId)!);
}

function assetAccounts(request: RouteRequest): Json[] {
  const account = queriedAccount(request, 'invalid');
  const { floor, now } = request;
  return floor.world.assets.map(({ symbol }) => assetAccount(floor, account, symbol, now));
}

function assetAccountBySymbol(request: RouteRequest): Json {
  const account = queriedAccount(request, 'notFound');
  const { floor, now, params } = request;
  const asset = floor.world.assets.find(({ symbol }) => symbol === params.symbol);
  if (asset === undefined) throw notFound('Asset not found');
  return assetAccount(floor, account, asset.symbol, now);
}

const READ = { method: 'GET', auth: 'login', limit: 'other' } as const;
const ACCOUNTS = '/trading-api/v1/accounts';

export const accountRoutes: readonly Route[] = [
  { ...READ, path: `${ACCOUNTS}/trading-accounts`, handle: tradingAccounts },
  { ...READ, path: `${ACCOUNTS}/trading-accounts/:tradingAccountId`, handle: tradingAccount },
  { ...READ, path: `${ACCOUNTS}/asset`, handle: assetAccounts },
  { ...READ, path: `${ACCOUNTS}/asset/:symbol`, handle: assetAccountBySymbol },
];
