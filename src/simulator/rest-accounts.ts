// Endpoints of accounts: trading accounts, the assets in them, positions, transfers, and custody limits.

import { Decimal, minDecimal } from '../base/decimal.ts';
import { formatIso } from '../base/time.ts';
import { openPositions, tradingAccountJson } from './account-rendering.ts';
import { ZERO } from './order.ts';
import { historyRange, isWithin, onlyFilters, page } from './page.ts';
import { notFound, unauthorizedCommand } from './refusal.ts';
import { amount, assetAccount, type Json } from './rendering.ts';
import { loginOf, ownAccount, queriedAccount, type Route, type RouteRequest } from './route.ts';
import { assetPrecision } from './settlement.ts';

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

function derivativesPositions(request: RouteRequest): Json[] {
  const { tradingAccountId, symbol } = request.query;
  const { floor, now } = request;
  const user = loginOf(request).key.user.name;
  const accounts =
    tradingAccountId !== undefined
      ? [ownAccount(request, tradingAccountId)]
      : floor.world.accounts.filter((account) => account.user === user).map((account) => account.tradingAccountId);
  return accounts
    .flatMap((account) => openPositions(floor, account, now))
    .filter((position) => symbol === undefined || position.symbol === symbol);
}

/** Transfers of the user's accounts, newest first; they are closed as soon as they are made. */
function transferHistory(request: RouteRequest): unknown {
  const range = historyRange(request);
  onlyFilters(request, ['status', 'requestId', 'assetSymbol']);
  const { query, floor } = request;
  const user = loginOf(request).key.user.name;
  const is = (name: string, value: string): boolean => query[name] === undefined || query[name] === value;
  const found = floor.transfers.filter(
    (transfer) =>
      floor.ledger.account(transfer.fromTradingAccountId)?.user === user &&
      isWithin(range, transfer.createdAt) &&
      is('status', 'CLOSED') &&
      is('requestId', transfer.requestId) &&
      is('assetSymbol', transfer.asset),
  );
  return page(
    request,
    found.reverse(),
    ({ requestId }) => requestId,
    (transfer) => ({
      requestId: transfer.requestId,
      fromTradingAccountId: transfer.fromTradingAccountId,
      toTradingAccountId: transfer.toTradingAccountId,
      assetSymbol: transfer.asset,
      quantity: amount(transfer.quantity, assetPrecision(floor.world.assets, transfer.asset)),
      status: 'CLOSED',
      statusReasonCode: '6002',
      statusReason: 'Executed',
      createdAtDatetime: formatIso(transfer.createdAt),
      createdAtTimestamp: String(transfer.createdAt),
    }),
  );
}

/** Custody takes ECDSA logins only (trading-api.md, API key). @throws Refusal 403 */
function requireCustody(request: RouteRequest): void {
  if (loginOf(request).key.file.kind !== 'ecdsa') {
    throw unauthorizedCommand('Custody is not open to logins of HMAC keys');
  }
}

/** Withdrawal limits: what the user's accounts have available, at most a million (**assumed**). */
function withdrawalLimits(request: RouteRequest): Json {
  requireCustody(request);
  const { floor, params } = request;
  const asset = floor.world.assets.find(({ symbol }) => symbol === params.symbol);
  if (asset === undefined) throw notFound('Asset not found');
  const user = loginOf(request).key.user.name;
  const most = Decimal.of('1000000');
  let available = ZERO;
  for (const account of floor.world.accounts) {
    if (account.user === user)
      available = available.add(floor.ledger.available(account.tradingAccountId, asset.symbol));
  }
  return {
    available: amount(minDecimal(available, most), asset.precision),
    twentyFourHour: amount(most, asset.precision),
  };
}

const READ = { method: 'GET', auth: 'login', limit: 'other' } as const;
const ACCOUNTS = '/trading-api/v1/accounts';

export const accountRoutes: readonly Route[] = [
  { ...READ, path: `${ACCOUNTS}/trading-accounts`, handle: tradingAccounts },
  { ...READ, path: `${ACCOUNTS}/trading-accounts/:tradingAccountId`, handle: tradingAccount },
  { ...READ, path: `${ACCOUNTS}/asset`, handle: assetAccounts },
  { ...READ, path: `${ACCOUNTS}/asset/:symbol`, handle: assetAccountBySymbol },
  { ...READ, path: '/trading-api/v1/derivatives-positions', handle: derivativesPositions },
  { ...READ, path: '/trading-api/v1/history/transfer', handle: transferHistory },
  { ...READ, path: '/trading-api/v1/wallets/limits/:symbol', handle: withdrawalLimits },
];
