// Endpoints of accounts: trading accounts, the assets in them, transfers between them.

import { formatIso } from '../../base/time.ts';
import { statusReasonText } from '../../exchange/mod.ts';
import { assetPrecision } from '../world/world.ts';
import { tradingAccountJson } from './account-rendering.ts';
import { historyRange, isWithin, onlyFilters, page } from './page.ts';
import { notFound } from './refusal.ts';
import { amount, assetAccount, type Json } from './rendering.ts';
import { loginOf, ownAccount, ownAccounts, queriedAccount, type Route, type RouteRequest } from './route.ts';

function tradingAccounts(request: RouteRequest): Json[] {
  const user = loginOf(request).key.user.name;
  return request.floor.world.accounts
    .filter((account) => account.user === user)
    .map((account) => tradingAccountJson(request.floor, account, request.now));
}

function tradingAccount(request: RouteRequest): Json {
  const tradingAccountId = ownAccount(request, request.params.tradingAccountId ?? '');
  return tradingAccountJson(request.floor, request.floor.ledger.account(tradingAccountId)!, request.now);
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

/** A transfer is closed as soon as it is made, unless it is refused. */
function transferState(refuseWith: number | null = null): { status: string; reason: string } {
  return refuseWith === null
    ? { status: 'CLOSED', reason: '6002' }
    : { status: 'REJECTED', reason: String(refuseWith) };
}

/** Transfers of the user's accounts, newest first. */
function transferHistory(request: RouteRequest): unknown {
  const range = historyRange(request, 'createdAt', { always: true });
  onlyFilters(request, ['status', 'requestId', 'assetSymbol']);
  const { query, floor } = request;
  const accounts = new Set(
    query.tradingAccountId === undefined ? ownAccounts(request) : [ownAccount(request, query.tradingAccountId)],
  );
  const is = (name: string, value: string): boolean => query[name] === undefined || query[name] === value;
  const found = floor.transfers.filter(
    (transfer) =>
      (accounts.has(transfer.fromTradingAccountId) || accounts.has(transfer.toTradingAccountId)) &&
      isWithin(range, transfer.createdAt) &&
      is('status', transferState(transfer.refuseWith).status) &&
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
      status: transferState(transfer.refuseWith).status,
      statusReasonCode: transferState(transfer.refuseWith).reason,
      statusReason: statusReasonText(transferState(transfer.refuseWith).reason) ?? 'Unknown error',
      createdAtDatetime: formatIso(transfer.createdAt),
      createdAtTimestamp: String(transfer.createdAt),
    }),
  );
}

const READ = { method: 'GET', auth: 'login', limit: 'other' } as const;
const ACCOUNTS = '/trading-api/v1/accounts';

export const accountRoutes: readonly Route[] = [
  { ...READ, path: `${ACCOUNTS}/trading-accounts`, handle: tradingAccounts },
  { ...READ, path: `${ACCOUNTS}/trading-accounts/:tradingAccountId`, handle: tradingAccount },
  { ...READ, path: `${ACCOUNTS}/asset`, handle: assetAccounts },
  { ...READ, path: `${ACCOUNTS}/asset/:symbol`, handle: assetAccountBySymbol },
  { ...READ, path: '/trading-api/v1/history/transfer', handle: transferHistory },
];
