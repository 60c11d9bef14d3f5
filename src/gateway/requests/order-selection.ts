// Which open orders a request for many means, OrderMassCancelRequest(q) or OrderMassStatusRequest(AF): by account,
// symbol and side, by whatever name of this session a market was written (rules O7, O8). Callers act on them.

import { type MessageView, Tag } from '../../wire/mod.ts';
import type { Order } from '../book/order.ts';
import { isAccountOf, isSymbolOf, openInReach } from '../reports/visibility.ts';
import { nameOf, shown } from '../rules/order-fields.ts';
import { exchangeSymbolOf, symbolNamed } from '../rules/read-order-terms.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';

/** Restrictions of a q or AF; null for none. */
export interface OrderSelection {
  readonly account: string | null;
  /** As the session wrote it, in 55 or 48. */
  readonly symbol: string | null;
  readonly side: string | null;
}

export function readSelection(view: MessageView): OrderSelection {
  return { account: view.string(Tag.Account), symbol: symbolNamed(view), side: view.string(Tag.Side) };
}

/** TradingSessionID(336) of the platform, which all orders are on. */
const PLATFORM = '1';
/** Fields of a kind of instrument: of the named market, else of the selected ones. */
const KINDS_OF_INSTRUMENT: readonly number[] = [
  Tag.SecurityType,
  Tag.CFICode,
  Tag.Product,
  Tag.MaturityMonthYear,
  Tag.MaturityDate,
  Tag.PutOrCall,
  Tag.StrikePrice,
];

/**
 * Why a q or AF has a restriction that cannot select orders here, or null: it must not reach more orders than it says.
 */
export function restrictionProblem(view: MessageView): string | null {
  const session = view.string(Tag.TradingSessionID);
  const restriction = view.has(Tag.NoTargetPartyIDs)
    ? nameOf(Tag.NoTargetPartyIDs)
    : session !== null && session !== PLATFORM
      ? `${nameOf(Tag.TradingSessionID)}=${shown(session)}`
      : kindOfInstrument(view);
  if (restriction === null) return null;
  return `${restriction} is not carried here: orders are selected by Account(1), Symbol(55) and Side(54)`;
}

function kindOfInstrument(view: MessageView): string | null {
  if (symbolNamed(view) !== null) return null;
  const tag = KINDS_OF_INSTRUMENT.find((one) => view.has(one));
  return tag === undefined ? null : `${nameOf(tag)}=${shown(view.string(tag))} without Symbol(55)`;
}

/** Whether Symbol(55) and SecurityID(48) contradict each other: then no order is meant (rule O8). */
export function namesTwoMarkets(session: SessionState, view: MessageView): boolean {
  const symbol = symbolNamed(view);
  const securityID = view.string(Tag.SecurityID);
  if (symbol === null || securityID === null) return false;
  return exchangeSymbolOf(session, securityID) !== exchangeSymbolOf(session, symbol);
}

/** Why the symbol of a selection means nothing, or null. A market is known, or of an order that is open on one that is no more. */
export function symbolProblem(
  turn: Turn,
  session: SessionState,
  { symbol }: OrderSelection,
  view: MessageView,
): string | null {
  if (symbol === null) return null;
  if (namesTwoMarkets(session, view)) {
    return `Symbol(55)=${symbol} and SecurityID(48)=${view.string(Tag.SecurityID)} name different markets`;
  }
  if (turn.state.board.rules(exchangeSymbolOf(session, symbol)) !== null) return null;
  for (const order of openInReach(turn.state, session)) if (isSymbolOf(session, order, symbol)) return null;
  const tag = view.string(Tag.Symbol) === symbol ? Tag.Symbol : Tag.SecurityID;
  return `${nameOf(tag)}=${symbol} is no market of the exchange and no alias here`;
}

/** Why the account of a selection means nothing, or null: it is not on the session's list, nor of an order that is still open. */
export function accountProblem(turn: Turn, session: SessionState, { account }: OrderSelection): string | null {
  if (account === null || session.accounts.has(account)) return null;
  for (const order of openInReach(turn.state, session)) if (isAccountOf(session, order, account)) return null;
  return `Account(1)=${account} is not on this session's list of accounts`;
}

/** The open orders in reach that are meant, the session's own first. */
export function* selectedOrders(turn: Turn, session: SessionState, selection: OrderSelection): Generator<Order> {
  const { account, symbol, side } = selection;
  for (const order of openInReach(turn.state, session)) {
    if (account !== null && !isAccountOf(session, order, account)) continue;
    if (symbol !== null && !isSymbolOf(session, order, symbol)) continue;
    if (side !== null && side !== order.terms.side) continue;
    yield order;
  }
}

/** Whether a D that waits here for its turn is meant. */
export function selectsHeld(session: SessionState, selection: OrderSelection, view: MessageView): boolean {
  const { account, symbol, side } = selection;
  const named = symbolNamed(view);
  if (account !== null && account !== view.string(Tag.Account)) return false;
  if (symbol !== null && (named === null || exchangeSymbolOf(session, symbol) !== exchangeSymbolOf(session, named)))
    return false;
  return side === null || side === view.string(Tag.Side);
}
