// Endpoints of orders and trades: signed commands in, and the reads that follow them up.

import { COMMAND_PATH, ORDERS_PATH } from '../../exchange/mod.ts';
import { isOpen, type OrderView } from '../venue/order.ts';
import type { TradeView } from '../venue/venue-view.ts';
import { COMMAND_READERS, CommandFields } from './command-reading.ts';
import { historyRange, isWithin, onlyFilters, page, type TimeRange, timeRange } from './page.ts';
import { invalidRequest, notFound } from './refusal.ts';
import { type Json, ORDER_TYPE_WORDS, restOrder, restTrade } from './rendering.ts';
import { loginOf, queriedAccount, type Route, type RouteRequest } from './route.ts';

const DAY_MS = 86_400_000;

/** Commands that `/v2/orders` takes; `/v2/command` takes every other one. */
const ORDER_COMMANDS: ReadonlySet<string> = new Set(['V2CreateOrder', 'V3CreateOrder', 'V2CancelOrder']);
const CREATIONS: ReadonlySet<string> = new Set(['V2CreateOrder', 'V3CreateOrder']);

function command(request: RouteRequest, accepts: (commandType: string) => boolean): Json {
  const { host, signed, now } = request;
  if (signed === null) throw invalidRequest('The request is not signed');
  const fields = new CommandFields(host, loginOf(request), signed, now);
  const commandType = fields.required('commandType');
  const reader = COMMAND_READERS.get(commandType);
  if (reader === undefined || !accepts(commandType)) throw invalidRequest('commandType is not valid here');
  const named = request.query.commandType;
  if (named !== undefined && named !== commandType) throw invalidRequest('commandType differs between query and body');
  const read = reader(fields);
  host.runner.execute(read.command);
  return read.acknowledgement;
}

const ORDER_FILTERS = [
  'symbol',
  'orderId',
  'clientOrderId',
  'handle',
  'side',
  'status',
  'isAuctionOrder',
  'type',
  'timeInForce',
];

function matchesOrder(order: OrderView, query: Readonly<Record<string, string>>): boolean {
  const is = (name: string, value: string | null): boolean => query[name] === undefined || query[name] === value;
  return (
    is('symbol', order.market.symbol) &&
    is('orderId', order.orderId) &&
    is('clientOrderId', order.clientOrderId) &&
    is('handle', order.clientOrderId) &&
    is('side', order.side) &&
    is('status', order.status) &&
    is('type', ORDER_TYPE_WORDS[order.type]) &&
    is('timeInForce', order.timeInForce) &&
    is('isAuctionOrder', String(order.timeInForce === 'GTX'))
  );
}

function orderList(request: RouteRequest, account: string, range: TimeRange, openToo: boolean): unknown {
  onlyFilters(request, ORDER_FILTERS);
  const found: OrderView[] = [];
  for (const order of request.floor.orders.values()) {
    if (order.tradingAccountId !== account || !matchesOrder(order, request.query)) continue;
    if (isWithin(range, order.createdAt) || (openToo && isOpen(order))) found.push(order);
  }
  found.reverse();
  return page(
    request,
    found,
    (order) => order.orderId,
    (order) => restOrder(request.floor, order),
  );
}

/** Orders of the last 24 hours; open ones of any age. */
function orders(request: RouteRequest): unknown {
  const account = queriedAccount(request, 'invalid');
  const { from, to } = timeRange(request.query);
  const day = request.now - DAY_MS;
  return orderList(
    request,
    account,
    { from: from === null ? day : Math.max(from, day), to },
    from === null && to === null,
  );
}

function orderHistory(request: RouteRequest): unknown {
  return orderList(request, queriedAccount(request, 'invalid'), historyRange(request), false);
}

function orderById(request: RouteRequest): Json {
  const account = queriedAccount(request, 'notFound');
  const order = request.floor.orders.get(request.params.orderId ?? '');
  if (order === undefined || order.tradingAccountId !== account) throw notFound('Order not found');
  return restOrder(request.floor, order);
}

function orderByClientOrderId(request: RouteRequest): Json {
  const account = queriedAccount(request, 'notFound');
  const order = request.floor.byHandle(account, request.params.clientOrderId ?? '');
  if (order === null) throw notFound('Order not found');
  return restOrder(request.floor, order);
}

function matchesTrade(trade: TradeView, query: Readonly<Record<string, string>>): boolean {
  const is = (name: string, value: string | null): boolean => query[name] === undefined || query[name] === value;
  return (
    is('symbol', trade.symbol) &&
    is('orderId', trade.orderId) &&
    is('tradeId', trade.tradeId) &&
    is('side', trade.side) &&
    is('clientOrderId', trade.clientOrderId) &&
    is('otcTradeId', trade.otcTradeId) &&
    is('clientOtcTradeId', trade.clientOtcTradeId)
  );
}

const TRADE_FILTERS = ['symbol', 'orderId', 'tradeId', 'clientOrderId', 'otcTradeId', 'clientOtcTradeId', 'side'];

function tradeList(request: RouteRequest, account: string, range: TimeRange): unknown {
  onlyFilters(request, TRADE_FILTERS);
  const { floor, query } = request;
  // One order's trades are found without going through all.
  const pool = query.orderId === undefined ? floor.trades : floor.tradesOf(query.orderId);
  const found = pool.filter(
    (trade) => trade.tradingAccountId === account && isWithin(range, trade.createdAt) && matchesTrade(trade, query),
  );
  return page(
    request,
    found.reverse(),
    (trade) => `${trade.tradeId}-${trade.orderId}`,
    (trade) => restTrade(floor, trade),
  );
}

function trades(request: RouteRequest): unknown {
  const account = queriedAccount(request, 'invalid');
  const { from, to } = timeRange(request.query);
  const day = request.now - DAY_MS;
  return tradeList(request, account, { from: from === null ? day : Math.max(from, day), to });
}

function tradeHistory(request: RouteRequest): unknown {
  return tradeList(request, queriedAccount(request, 'invalid'), historyRange(request));
}

function tradeById(request: RouteRequest): Json {
  const account = queriedAccount(request, 'notFound');
  const { tradeId } = request.params;
  const trade = request.floor.trades.find((t) => t.tradeId === tradeId && t.tradingAccountId === account);
  if (trade === undefined) throw notFound('Trade not found');
  return restTrade(request.floor, trade);
}

function tradesByClientOrderId(request: RouteRequest): unknown {
  const account = queriedAccount(request, 'notFound');
  const order = request.floor.byHandle(account, request.params.clientOrderId ?? '');
  if (order === null) throw notFound('Trade not found');
  return request.floor.tradesOf(order.orderId).map((trade) => restTrade(request.floor, trade));
}

const READ = { method: 'GET', auth: 'login' } as const;

export const orderRoutes: readonly Route[] = [
  {
    method: 'POST',
    path: ORDERS_PATH,
    auth: 'signed',
    limit: 'orders',
    handle: (request) => command(request, (commandType) => ORDER_COMMANDS.has(commandType)),
  },
  {
    method: 'POST',
    path: COMMAND_PATH,
    auth: 'signed',
    limit: 'other',
    handle: (request) => command(request, (commandType) => !CREATIONS.has(commandType)),
  },
  { ...READ, path: ORDERS_PATH, limit: 'orders', handle: orders },
  { ...READ, path: `${ORDERS_PATH}/:orderId`, limit: 'orders', handle: orderById },
  { ...READ, path: `${ORDERS_PATH}/client-order-id/:clientOrderId`, limit: 'orders', handle: orderByClientOrderId },
  { ...READ, path: '/trading-api/v2/history/orders', limit: 'other', handle: orderHistory },
  { ...READ, path: '/trading-api/v1/trades', limit: 'other', handle: trades },
  { ...READ, path: '/trading-api/v1/trades/:tradeId', limit: 'other', handle: tradeById },
  {
    ...READ,
    path: '/trading-api/v1/trades/client-order-id/:clientOrderId',
    limit: 'other',
    handle: tradesByClientOrderId,
  },
  { ...READ, path: '/trading-api/v1/history/trades', limit: 'other', handle: tradeHistory },
];
