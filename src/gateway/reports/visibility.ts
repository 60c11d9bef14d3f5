// Orders that a session's requests reach (rule O7): its own, and by setting those that other sessions entered on its
// accounts. The latter are found by OrderID(37) alone, because a ClOrdID belongs to its session. External orders are
// out of reach (rule O11). The files of each message act on the order.

import { type Order, type OrderEcho, orderIdOf } from '../book/order.ts';
import { exchangeSymbolOf } from '../rules/read-order-terms.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import { inWordsOf } from '../state/session-names.ts';
import type { SessionState } from '../state/session-state.ts';
import type { GatewayState } from '../state/state.ts';
import { other, type Refusal, unknownAccount } from '../vocabulary/refusal.ts';
import { isOtherFirm, NOBODY, type Sender } from '../vocabulary/sender.ts';
import { inVersionOf } from './order-in-version.ts';

const NOTHING: Omit<OrderEcho, 'account'> = { ...NOBODY, fields: [] };

/** Whether the session entered the order itself. */
export function isOwn(session: SessionState, order: Order): boolean {
  return order.sessionId === session.config.sessionId;
}

function reaches(session: SessionState, order: Order): boolean {
  if (isOwn(session, order)) return true;
  if (session.reach === null || order.sessionId === ELSEWHERE) return false;
  if (!session.reach.accounts.has(order.tradingAccountId)) return false;
  return session.symbols === null || session.symbols.has(order.terms.exchangeSymbol);
}

/** The order with this OrderID(37) if the session reaches it, else null. */
export function findInReach({ registry }: GatewayState, session: SessionState, orderID: string): Order | null {
  const order = registry.findByExchangeOrderId(orderID);
  return order !== null && reaches(session, order) ? order : null;
}

/** All open orders that the session reaches, its own first. */
export function* openInReach({ registry }: GatewayState, session: SessionState): Generator<Order> {
  const { sessionId } = session.config;
  yield* registry.openOrders(sessionId);
  if (session.reach === null) return;
  for (const other of registry.sessionsWithOpenOrders()) {
    if (other === sessionId) continue;
    for (const order of registry.openOrders(other)) if (reaches(session, order)) yield order;
  }
}

/** Account(1) of an order in reach as the session calls it. */
export function accountOf(session: SessionState, order: Order): string {
  return isOwn(session, order)
    ? order.echo.account
    : (session.reach?.accounts.get(order.tradingAccountId) ?? order.echo.account);
}

/** Whether a session means the account of an order by this name: the order's own, or the present one of the same (rule O8). */
export function isAccountOf(session: SessionState, order: Order, name: string): boolean {
  return name === accountOf(session, order) || session.accounts.get(name)?.tradingAccountId === order.tradingAccountId;
}

/** Symbol(55) of an order in reach as the session calls it. */
export function symbolOf(session: SessionState, order: Order): string {
  const { terms } = order;
  if (isOwn(session, order)) return terms.symbol;
  return session.reach?.symbols.get(terms.exchangeSymbol) ?? terms.exchangeSymbol;
}

/** Whether a session means the market of an order by this name: the order's own, or any that leads to the same (rule O8). */
export function isSymbolOf(session: SessionState, order: Order, name: string): boolean {
  return name === symbolOf(session, order) || exchangeSymbolOf(session, name) === order.terms.exchangeSymbol;
}

/** A request's statements about the order that it names; null for none. */
export interface OrderDescription {
  readonly account: string | null;
  readonly symbol: string | null;
  readonly side: string | null;
}

/** Where a request calls the order that it names something else than it is: then it may mean another one. */
export function disagreement(session: SessionState, order: Order, said: OrderDescription): Refusal | null {
  if (said.account !== null && !isAccountOf(session, order, said.account)) {
    return unknownAccount(`Account(1)=${said.account} is not the order's account ${accountOf(session, order)}`);
  }
  if (said.symbol !== null && !isSymbolOf(session, order, said.symbol)) {
    return other(`Symbol(55)=${said.symbol} is not the order's symbol ${symbolOf(session, order)}`);
  }
  if (said.side !== null && said.side !== order.terms.side) {
    return other(`Side(54)=${said.side} is not the order's side ${order.terms.side}`);
  }
  return null;
}

/**
 * An order with an account or market removed from the session's lists can be cancelled, but takes no new terms (rules
 * O7, O12).
 */
export function entitlementRefusal({ accounts, symbols }: SessionState, order: Order): Refusal | null {
  const { tradingAccountId, echo, terms } = order;
  const gone = 'any more: the order can be cancelled, and takes no new terms';
  if (![...accounts.values()].some((one) => one.tradingAccountId === tradingAccountId)) {
    return other(`Account(1)=${echo.account} is not on this session's list of accounts ${gone}`);
  }
  if (symbols === null || symbols.has(terms.exchangeSymbol)) return null;
  return other(`Symbol(55)=${terms.symbol} is not on this session's list of symbols ${gone}`);
}

/** Names of an order that a session may see: another session's ClOrdID(11) means nothing to it. */
export function nameFor(session: SessionState, order: Order): string {
  return isOwn(session, order) ? `ClOrdID(11)=${order.clOrdID}` : `OrderID(37)=${orderIdOf(order) ?? 'NONE'}`;
}

/**
 * The order as the session sees it, with `by` as the receiver: another session's without ClOrdIDs and that session's
 * texts, another firm's without that firm's texts (rule O9).
 */
export function seenBy(session: SessionState, order: Order, by: Sender): Order {
  if (isOwn(session, order))
    return isOtherFirm(by, order.echo) ? { ...order, echo: { ...order.echo, fields: [] } } : order;
  // A request made while it reached the order is answered, even if it no longer does.
  const seen = inVersionOf(session.version, inWordsOf(session.names, order, NOTHING));
  return { ...seen, clOrdID: '', origClOrdID: null };
}
