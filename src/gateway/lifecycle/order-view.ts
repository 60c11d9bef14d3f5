// Orders as the console and the admin API show them: copies, never the gateway's own objects.

import type { EpochMs } from '../../base/time.ts';
import { keyOf, leavesQty, type Order } from '../book/order.ts';
import type { OrderRegistry } from '../book/order-registry.ts';
import { type TimelineEntry, timelineOf } from '../book/order-timeline.ts';
import { traceOf } from '../book/trace-id.ts';
import { avgPx, execTypeShown, ordStatusShown } from '../reports/execution-report.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { SessionState } from '../state/session-state.ts';
import type { MarketBoard } from '../vocabulary/market-board.ts';
import { namesIn } from '../vocabulary/one-or-many.ts';

/** One order chain at one moment. Amounts are decimal strings. */
export interface OrderSnapshot {
  readonly key: string;
  /** Names the order on the log and in traces; the same wherever and whenever it is computed. */
  readonly traceId: string;
  readonly sessionId: string;
  readonly clOrdID: string;
  /** Every ClOrdID(11) of the chain, the first one first. */
  readonly chain: readonly string[];
  readonly account: string;
  readonly tradingAccountId: string;
  readonly symbol: string;
  readonly side: string;
  readonly ordType: string;
  readonly timeInForce: string | null;
  readonly price: string | null;
  readonly stopPx: string | null;
  readonly orderQty: string;
  readonly ordStatus: string;
  readonly cumQty: string;
  readonly leavesQty: string;
  readonly avgPx: string;
  readonly exchangeOrderId: string | null;
  /** Present exchange reference, and every earlier one. */
  readonly reference: string | null;
  readonly references: readonly string[];
  /** State of the create command: `submitted`, `acknowledged`, `unknown` or `live`. */
  readonly stage: string;
  /** Requests without an answer, such as `cancel c-2 (unknown)`. */
  readonly pending: readonly string[];
  readonly auctionId: string | null;
  readonly receivedAt: EpochMs;
  readonly text: string | null;
  readonly timeline: readonly TimelineEntry[];
}

/** Orders by state: the open ones by OrdStatus(39) of the order itself, and all that ended. */
export interface OrderCounts {
  readonly pendingNew: number;
  readonly new: number;
  readonly partiallyFilled: number;
  readonly ended: number;
  /** Commands to the exchange without an outcome. */
  readonly commandsInFlight: number;
}

/** Sessions and trading accounts with open orders. */
export interface OrderOwners {
  readonly sessionIds: ReadonlySet<string>;
  readonly tradingAccountIds: ReadonlySet<string>;
}

/** Sessions with open orders; external ones have none. Costs a look at every order. */
export function openOrderOwners(registry: OrderRegistry): OrderOwners {
  const sessionIds = new Set(registry.sessionsWithOpenOrders());
  const tradingAccountIds = new Set<string>();
  for (const sessionId of sessionIds) {
    for (const { tradingAccountId } of registry.openOrders(sessionId)) tradingAccountIds.add(tradingAccountId);
  }
  return { sessionIds, tradingAccountIds };
}

/** Count orders by state. */
export function orderCounts(registry: OrderRegistry): OrderCounts {
  const open = { A: 0, '0': 0, '1': 0 };
  let count = 0;
  for (const sessionId of registry.sessionsWithOpenOrders()) {
    for (const { state } of registry.openOrders(sessionId)) {
      count++;
      if (state === 'A' || state === '0' || state === '1') open[state]++;
    }
  }
  return {
    pendingNew: open.A,
    new: open['0'],
    partiallyFilled: open['1'],
    ended: registry.size - count - registry.openOrderCount(ELSEWHERE),
    commandsInFlight: registry.commandsInFlight,
  };
}

/** Copy an order for people. `session` is null if it is no longer configured. */
export function snapshotOf(order: Order, session: SessionState | null, board: MarketBoard): OrderSnapshot {
  const { terms } = order;
  return {
    key: keyOf(order),
    traceId: traceOf(order),
    sessionId: order.sessionId,
    clOrdID: order.clOrdID,
    chain: [...namesIn(order.clOrdIDs)],
    account: order.echo.account,
    tradingAccountId: order.tradingAccountId,
    symbol: terms.symbol,
    side: terms.side,
    ordType: terms.ordType,
    timeInForce: terms.timeInForce,
    price: terms.price?.trimmed().toString() ?? null,
    stopPx: terms.stopPx?.trimmed().toString() ?? null,
    orderQty: terms.orderQty.trimmed().toString(),
    ordStatus: session === null ? order.state : ordStatusShown(session, order),
    cumQty: order.cumQty.trimmed().toString(),
    leavesQty: leavesQty(order).trimmed().toString(),
    avgPx: avgPx(board, order).toString(),
    exchangeOrderId: order.exchangeOrderId,
    reference: order.reference,
    references: [...namesIn(order.references)],
    stage: order.stage,
    pending: order.requests.map((r) => `${r.kind}${r.clOrdID === null ? '' : ` ${r.clOrdID}`} (${r.stage})`),
    auctionId: order.auctionId,
    receivedAt: order.receivedAt,
    text: order.lastText,
    timeline: timelineOf(order).map(([at, what]) => [at, asTold(what, order, session)]),
  };
}

/** A report by the ExecType(150) that stands in the message log. */
function asTold(what: string, order: Order, session: SessionState | null): string {
  return what.replace(/^150=(\w)/, (_, type: string) => `150=${execTypeShown(session, order, type)}`);
}
