// Finds orders for people: by their ids at once, by symbol and status among the open and the latest ones. Bounded in
// cost, because it runs between two orders. order-view.ts displays an order.

import { isTerminal, type Order } from '../book/order.ts';
import { ordStatusShown } from '../reports/execution-report.ts';
import type { GatewayState } from '../state/state.ts';
import { namesIn } from '../vocabulary/one-or-many.ts';
import { type OrderSnapshot, snapshotOf } from './order-view.ts';

/** Search conditions; all that are given must match. */
export interface OrderFilter {
  readonly sessionId?: string;
  /** Any ClOrdID(11) of the chain. */
  readonly clOrdID?: string;
  /** OrderID(37), the exchange's id. */
  readonly orderID?: string;
  /** Symbol(55) as the OMS or as the exchange writes it. */
  readonly symbol?: string;
  /** OrdStatus(39) as shown on reports, such as `1` or `6`. */
  readonly status?: string;
  readonly openOnly?: boolean;
  /** Most orders in the answer. */
  readonly limit: number;
}

export interface FoundOrders {
  /** The latest first. */
  readonly orders: readonly OrderSnapshot[];
  /** Others may match: the limit was reached, or there are older ended orders, which are found by an id only. */
  readonly more: boolean;
}

/** Open orders looked at besides the latest ones. */
const SCANNED_MAX = 50_000;

/** Find orders. Never throws, for any request. */
export function searchOrders(state: GatewayState, filter: OrderFilter): FoundOrders {
  const byId = filter.orderID !== undefined || filter.clOrdID !== undefined;
  const found = new Set<Order>();
  let more = !byId && state.registry.size > state.registry.latest().length;
  for (const order of byId ? named(state, filter) : candidates(state)) {
    if (found.has(order) || !matches(state, order, filter)) continue;
    if (found.size >= filter.limit) {
      more = true;
      break;
    }
    found.add(order);
  }
  const orders = [...found].map((order) => snapshotOf(order, state.sessions.get(order.sessionId) ?? null, state.board));
  return { orders, more };
}

function* named({ registry, sessions }: GatewayState, { orderID, clOrdID, sessionId }: OrderFilter): Generator<Order> {
  if (orderID !== undefined) {
    const order = registry.findByExchangeOrderId(orderID);
    if (order !== null) yield order;
    return;
  }
  const names =
    sessionId === undefined ? new Set([...sessions.keys(), ...registry.sessionsWithOpenOrders()]) : [sessionId];
  for (const name of names) {
    const order = registry.findByClOrdID(name, clOrdID!);
    if (order !== null) yield order;
  }
}

function* candidates({ registry }: GatewayState): Generator<Order> {
  const latest = registry.latest();
  for (let i = latest.length - 1; i >= 0; i--) yield latest[i]!;
  if (registry.size <= latest.length) return;
  let scanned = 0;
  for (const sessionId of registry.sessionsWithOpenOrders()) {
    for (const order of registry.openOrders(sessionId)) {
      if (++scanned > SCANNED_MAX) return;
      yield order;
    }
  }
}

function matches(state: GatewayState, order: Order, filter: OrderFilter): boolean {
  const { sessionId, clOrdID, orderID, symbol, status } = filter;
  if (sessionId !== undefined && order.sessionId !== sessionId) return false;
  if (orderID !== undefined && order.exchangeOrderId !== orderID) return false;
  if (clOrdID !== undefined && !namesIn(order.clOrdIDs).includes(clOrdID)) return false;
  if (symbol !== undefined && order.terms.symbol !== symbol && order.terms.exchangeSymbol !== symbol) return false;
  if (filter.openOnly === true && isTerminal(order.state)) return false;
  if (status === undefined) return true;
  const session = state.sessions.get(order.sessionId);
  return status === (session === undefined ? order.state : ordStatusShown(session, order));
}
