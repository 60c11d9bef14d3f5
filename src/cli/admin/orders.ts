// `crossgate orders find`: asks a running gateway for the history of an order. `resolve` ends an order that the
// exchange no longer knows, `adopt` has a session take over an external order, `reconcile` compares accounts with the
// exchange.

import process from 'node:process';
import type { Command } from 'commander';
import type { AdoptedOrder, AdoptionResult, PastPage } from '../../administration/mod.ts';
import { formatIso } from '../../base/time.ts';
import type { ActionResult } from '../../engine/mod.ts';
import { execTypeName, ordKindName, ordStatusName } from '../../ops/mod.ts';
import type { OrderSnapshot } from '../../runtime/mod.ts';
import { wholeNumber } from '../options/whole-number.ts';
import { type Column, formatPairs, formatTable } from '../output/table.ts';
import { shown, withWatch } from '../output/watch.ts';
import { type AdminClientOptions, askGateway, isProposal, tell, understood, withAdminOptions } from './admin-client.ts';

interface FindOptions extends AdminClientOptions {
  readonly session?: string;
  // As commander names `--cl-ord-id` and `--order-id`.
  readonly clOrdId?: string;
  readonly orderId?: string;
  readonly symbol?: string;
  readonly status?: string;
  readonly open?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly limit: string;
}

/** As the admin API has it. */
const LIMIT_MAX = 500;

/** Of one page of the past. */
const PAGE_MAX = 200;

type ListedOrder = Omit<OrderSnapshot, 'timeline'>;

const COLUMNS: readonly Column<ListedOrder>[] = [
  { title: 'RECEIVED (UTC)', cell: ({ receivedAt }) => formatIso(receivedAt).slice(0, 23).replace('T', ' ') },
  { title: 'CLORDID', cell: ({ clOrdID }) => clOrdID },
  { title: 'STATUS', cell: ({ ordStatus }) => ordStatusName(ordStatus) },
  { title: 'SYMBOL', cell: ({ symbol }) => symbol },
  { title: 'SIDE', cell: ({ side }) => (side === '1' ? 'Buy' : 'Sell') },
  { title: 'QTY', cell: ({ orderQty }) => orderQty, right: true },
  { title: 'PRICE', cell: ({ price }) => price ?? '-', right: true },
  { title: 'CUM', cell: ({ cumQty }) => cumQty, right: true },
  { title: 'LEAVES', cell: ({ leavesQty }) => leavesQty, right: true },
  { title: 'AVGPX', cell: ({ avgPx }) => avgPx, right: true },
  { title: 'ORDERID', cell: ({ exchangeOrderId }) => exchangeOrderId ?? '-' },
  { title: 'SESSION', cell: ({ sessionId }) => sessionId },
];

export function addOrderCommands(program: Command): void {
  const orders = program.command('orders').description('ask a running gateway about orders');
  withWatch(
    withAdminOptions(
      orders
        .command('find')
        .alias('list')
        .description(
          'find orders, the latest first, as far back as the journal goes; a single one is shown with all that happened',
        ),
    ),
  )
    .option('--session <name>', 'only of this session')
    .option('--cl-ord-id <id>', 'any ClOrdID(11) of its chain')
    .option('--order-id <id>', 'OrderID(37)')
    .option('--symbol <symbol>', 'Symbol(55)')
    .option('--status <status>', 'OrdStatus(39), such as new, partially-filled, filled, or its value')
    .option('--open', 'only open orders')
    .option('--from <time>', 'orders that ended from this time on (UTC), such as 2026-11-21T09:30:00')
    .option('--to <time>', 'orders that ended up to this time (UTC)')
    .option('--limit <count>', `most orders shown, ${LIMIT_MAX} at most`, '50')
    .action(understood(shown(find)));
  withAdminOptions(
    orders.command('resolve').description('end an order that the exchange no longer knows, and report it to its OMS'),
  )
    .requiredOption('--session <name>', 'its session')
    .requiredOption('--cl-ord-id <id>', 'any ClOrdID(11) of its chain')
    .requiredOption('--why <text>', 'reason: for the OMS and the audit trail')
    .action(async (options: AdminClientOptions & { session: string; clOrdId: string; why: string }) => {
      const { session, clOrdId, why } = options;
      await act(options, '/api/orders/resolve', { session, clOrdID: clOrdId, why });
    });
  withAdminOptions(
    orders.command('cancel').description('cancel one open order at the exchange; its OMS gets the reports'),
  )
    .requiredOption('--session <name>', 'its session')
    .requiredOption('--cl-ord-id <id>', 'any ClOrdID(11) of its chain')
    .requiredOption('--why <text>', 'reason, kept in the audit trail')
    .action(async (options: AdminClientOptions & { session: string; clOrdId: string; why: string }) => {
      const { session, clOrdId, why } = options;
      await act(options, '/api/orders/cancel', { session, clOrdID: clOrdId, why });
    });
  withAdminOptions(
    orders
      .command('adopt')
      .description('have a session adopt external orders that are open at the exchange, after a move')
      .argument('[orderIDs...]', 'ids of the exchange; all that match without them'),
  )
    .requiredOption('--session <name>', 'the session that they belong to from now on')
    .option('--account <account>', 'only of this Account(1) or trading account')
    .option('--symbol <symbol>', 'only of this symbol')
    .requiredOption('--why <text>', 'reason, kept in the audit trail')
    .action(understood(adopt));
  withAdminOptions(
    orders
      .command('reconcile')
      .description('compare orders and trades with the exchange now; differences are reported'),
  )
    .option('--account <id>', 'only this trading account')
    .action(async (options: AdminClientOptions & { account?: string }) => {
      await act(options, '/api/reconcile', options.account === undefined ? {} : { account: options.account });
    });
}

/** All that is open is read first, and the gateway takes orders over for fifteen seconds at most. */
const ADOPTED_WITHIN_MS = 180_000;

interface AdoptOptions extends AdminClientOptions {
  readonly session: string;
  readonly account?: string;
  readonly symbol?: string;
  readonly why: string;
}

const ADOPTED: readonly Column<AdoptedOrder>[] = [
  { title: 'ORDERID', cell: ({ orderID }) => orderID },
  { title: 'CLORDID', cell: ({ clOrdID, isFromStore }) => `${clOrdID}${isFromStore ? '' : ' (derived)'}` },
  { title: 'SYMBOL', cell: ({ symbol }) => symbol },
  { title: 'SIDE', cell: ({ side }) => (side === '1' ? 'Buy' : 'Sell') },
  { title: 'QTY', cell: ({ orderQty }) => orderQty, right: true },
  { title: 'CUM', cell: ({ cumQty }) => cumQty, right: true },
];

/** Exit code 1 if an order that was asked for was not taken over, or none was. */
async function adopt(orderIDs: readonly string[], options: AdoptOptions): Promise<void> {
  const { session, account, symbol, why } = options;
  const only = { ...(account === undefined ? {} : { account }), ...(symbol === undefined ? {} : { symbol }) };
  const body = { session, ...only, orderIDs, why };
  const path = '/api/orders/adopt';
  const within = { withinMs: ADOPTED_WITHIN_MS };
  const result = await askGateway<AdoptionResult & { text?: string }>(options, 'POST', path, body, within);
  if (isProposal(result)) return tell({ ...result, text: result.text ?? '' }, options);
  const { adopted, refused, more, text } = result;
  if (adopted.length === 0 || refused.length > 0) process.exitCode = 1;
  if (options.json) {
    console.log(JSON.stringify(result, null, 2));
    return;
  }
  if (adopted.length > 0) console.log(formatTable(ADOPTED, adopted));
  else if (refused.length === 0) console.log('The exchange has no open external order.');
  for (const { orderID, reason } of refused) console.log(`${orderID} was not taken over: ${reason}`);
  if (text !== undefined) tell({ text }, options);
  if (more) console.log('There are more: call it again.');
}

async function act(options: AdminClientOptions, path: string, body: unknown): Promise<void> {
  const result = await askGateway<ActionResult>(options, 'POST', path, body);
  tell(result, options);
}

async function find(options: FindOptions): Promise<string> {
  const limit = wholeNumber('--limit', options.limit, 1, LIMIT_MAX);
  const query = new URLSearchParams({ limit: String(limit), open: String(options.open === true) });
  const { session, clOrdId, orderId, symbol, status } = options;
  for (const [key, value] of Object.entries({ session, clOrdID: clOrdId, orderID: orderId, symbol, status })) {
    if (value !== undefined) query.set(key, value);
  }
  const isPast = options.from !== undefined || options.to !== undefined;
  const found = isPast ? { orders: [], more: false } : await askGateway<Found>(options, 'GET', `/api/orders?${query}`);
  const isById = clOrdId !== undefined || orderId !== undefined;
  if (!(options.open || found.orders.length >= limit || (isById && found.orders.length > 0))) {
    await addEnded(options, query, found, limit);
  }
  const single = found.orders.length === 1 ? await whole(options, found.orders[0]!) : null;
  process.exitCode = found.orders.length === 0 ? 1 : 0;
  if (options.json) return JSON.stringify(single === null ? found : { ...found, orders: [single] }, null, 2);
  if (single !== null) return describeOrder(single);
  if (found.orders.length === 0) return 'No order matches.';
  const table = formatTable(COLUMNS, found.orders);
  return found.more ? `${table}\nThere may be more: narrow the search, or raise --limit.` : table;
}

interface Found {
  orders: ListedOrder[];
  more: boolean;
}

/** Orders that ended, out of the journal, behind those that the gateway has in memory. */
async function addEnded(options: FindOptions, asked: URLSearchParams, found: Found, limit: number): Promise<void> {
  const query = new URLSearchParams(asked);
  query.delete('open');
  query.set('limit', String(Math.min(limit, PAGE_MAX)));
  for (const key of ['from', 'to'] as const) if (options[key] !== undefined) query.set(key, options[key]);
  const known = new Set(found.orders.map(({ key }) => key));
  let next: string | null = null;
  do {
    if (next !== null) query.set('before', next);
    const path = `/api/history/orders?${query}`;
    const page: PastPage<OrderSnapshot> = await askGateway<PastPage<OrderSnapshot>>(options, 'GET', path);
    for (const { timeline: _, ...order } of page.found) {
      if (known.has(order.key) || found.orders.length >= limit) continue;
      known.add(order.key);
      found.orders.push(order);
    }
    for (const text of page.unread) console.error(`crossgate: orders may be missing: ${text}`);
    next = page.next;
  } while (next !== null && found.orders.length < limit);
  found.more = next !== null;
}

async function whole(options: FindOptions, { sessionId, clOrdID }: ListedOrder): Promise<OrderSnapshot> {
  const query = new URLSearchParams({ session: sessionId, clOrdID });
  return await askGateway<OrderSnapshot>(options, 'GET', `/api/order?${query}`);
}

function describeOrder(order: OrderSnapshot): string {
  const pairs: [string, string][] = [
    ['ClOrdID(11)', order.clOrdID],
    ['chain', order.chain.join(' → ')],
    ['OrderID(37)', order.exchangeOrderId ?? '-'],
    ['session', order.sessionId],
    ['account', `${order.account} (trading account ${order.tradingAccountId})`],
    ['status', `${ordStatusName(order.ordStatus)}${order.stage === 'live' ? '' : ` (${order.stage})`}`],
    ['order', `${order.side === '1' ? 'Buy' : 'Sell'} ${order.orderQty} ${order.symbol} at ${order.price ?? 'market'}`],
    ['kind', ordKindName(order.ordType, order.timeInForce)],
    ['done', `CumQty ${order.cumQty}, LeavesQty ${order.leavesQty}, AvgPx ${order.avgPx}`],
    ['reference', order.references.join(' → ') || '-'],
    ['waiting for', order.pending.join(', ') || '-'],
    ['text', order.text ?? '-'],
    ['trace', order.traceId],
  ];
  if (order.stopPx !== null) pairs.push(['StopPx(99)', order.stopPx]);
  if (order.auctionId !== null) pairs.push(['auction', order.auctionId]);
  const timeline = order.timeline.map(([at, what]) => {
    const words = what.replace(/^150=(\w)/, (_, type: string) => `report ${execTypeName(type)} (150=${type})`);
    return `  ${formatIso(at).slice(0, 23).replace('T', ' ')}  ${words}`;
  });
  return [formatPairs(pairs), '', 'What happened (UTC)', ...timeline].join('\n');
}
