// An order as a NewOrderSingle(D) makes it: its echoed fields, and its record, also if it never becomes an order of the
// exchange. Leaves whether it may be one to new-order.ts and its terms to read-order-terms.ts.

import { Decimal } from '../../base/decimal.ts';
import { answerExecID, type MessageView, Tag } from '../../wire/mod.ts';
import { newOrder, type Order, type OrderEcho } from '../book/order.ts';
import type { OrderTerms } from '../book/order-terms.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import type { AccountEntitlement } from '../vocabulary/config.ts';
import { senderOf } from '../vocabulary/sender.ts';
import { isOver } from './gtx.ts';
import { exchangeSymbolOf, symbolNamed } from './read-order-terms.ts';

/** Fields of one Parties entry, nested ones included; the group ends at the first other tag. */
export const PARTIES_TAGS: ReadonlySet<number> = new Set([
  Tag.NoPartyIDs,
  Tag.PartyID,
  Tag.PartyIDSource,
  Tag.PartyRole,
  Tag.NoPartySubIDs,
  Tag.PartySubID,
  Tag.PartySubIDType,
]);
/** An order's name for its market without Symbol(55): SecurityID(48) and its source (22). */
export const NAMES_OF_MARKET: readonly number[] = [Tag.SecurityID, Tag.SecurityIDSource];
/** Fields echoed at most per order, characters of one, and of a Parties group, so that a report cannot be blown up. */
const ECHO_FIELDS_MAX = 64;
const ECHO_VALUE_MAX = 255;
const ECHO_PARTIES_MAX = 4_096;

/** Echoed fields of a D (rule O9). */
export function readEcho(session: SessionState, view: MessageView, account: string): OrderEcho {
  const fields: (readonly [number, string])[] = [];
  const copy = (tag: number): void => {
    const value = view.string(tag);
    if (value !== null && value.length <= ECHO_VALUE_MAX) fields.push([tag, value]);
  };
  if (session.version.hasParties) {
    copy(Tag.SecondaryClOrdID);
    copy(Tag.ClOrdLinkID);
    fields.push(...partiesOf(view));
  }
  const symbol = view.string(Tag.Symbol);
  if (symbol === null || symbol === '[N/A]') for (const tag of NAMES_OF_MARKET) copy(tag);
  copy(Tag.ListID);
  copy(Tag.Currency);
  copy(Tag.HandlInst);
  let length = 0;
  for (const [tag, value] of fields) if (PARTIES_TAGS.has(tag)) length += value.length;
  const isTooLong = fields.length > ECHO_FIELDS_MAX || length > ECHO_PARTIES_MAX;
  const { senderSubID, onBehalfOfCompID, onBehalfOfSubID } = senderOf(view);
  return {
    account,
    senderSubID,
    onBehalfOfCompID,
    onBehalfOfSubID,
    // A Parties group that is too long is left out whole: a part of it would not parse.
    fields: isTooLong ? fields.filter(([tag]) => !PARTIES_TAGS.has(tag)) : fields,
  };
}

/**
 * The Parties group of a D as it is echoed: without a house's additions by an overlay, which no report of ours has.
 * Empty where its counts are not those of its entries: that would not parse.
 */
function partiesOf(view: MessageView): (readonly [number, string])[] {
  const at = view.indexOf(Tag.NoPartyIDs);
  // A group without entries says nothing, and is not to be sent.
  if (at === -1 || view.equals(Tag.NoPartyIDs, '0')) return [];
  const fields: (readonly [number, string])[] = [[Tag.NoPartyIDs, view.stringAt(at)]];
  let entriesDue = view.intAt(at);
  let subEntriesDue = 0;
  for (let i = at + 1; i < view.fieldCount; i++) {
    const tag = view.tagAt(i);
    if (!PARTIES_TAGS.has(tag)) {
      if (entriesDue <= 0 && subEntriesDue <= 0) break;
      continue;
    }
    if (tag === Tag.PartyID) entriesDue--;
    else if (tag === Tag.NoPartySubIDs) subEntriesDue += view.intAt(i);
    else if (tag === Tag.PartySubID) subEntriesDue--;
    fields.push([tag, view.stringAt(i)]);
  }
  return entriesDue === 0 && subEntriesDue === 0 ? fields : [];
}

/** Parts of a D as they were read. */
interface OrderParts {
  readonly echo: OrderEcho;
  readonly account: AccountEntitlement;
  readonly terms: OrderTerms;
  readonly clOrdID: string;
  /** Null: it never gets one. */
  readonly reference: string | null;
}

/** The order of a D, pending. */
export function buildOrder(
  turn: Turn,
  session: SessionState,
  { echo, account, terms, clOrdID, reference }: OrderParts,
): Order {
  const { sessionId } = session.config;
  const isAuction = terms.exchangeTimeInForce === 'GTX';
  return newOrder({
    sessionId,
    receivedAt: turn.now,
    tradingAccountId: account.tradingAccountId,
    credential: account.credential,
    echo: turn.state.registry.parts.echo(echo),
    terms: { ...terms, symbol: turn.state.registry.parts.text(terms.symbol) },
    clOrdID,
    clOrdIDs: clOrdID,
    reference,
    references: reference ?? [],
    exchangeOrderId: null,
    stage: 'submitted',
    auctionId: isAuction ? runningAuction(turn, terms.exchangeSymbol) : null,
  });
}

/** A D that never became an order, as it was written as far as it can be read. */
export function refusedOrder(turn: Turn, session: SessionState, view: MessageView, clOrdID: string): Order {
  const name = view.string(Tag.Account) ?? '';
  const symbol = view.string(Tag.Symbol) ?? '[N/A]';
  const terms: OrderTerms = {
    symbol,
    // Copies of its refusal go by the market that it means (rules O8, S9).
    exchangeSymbol: exchangeSymbolOf(session, symbolNamed(view) ?? symbol),
    side: (view.string(Tag.Side) ?? '7') as OrderTerms['side'],
    ordType: (view.string(Tag.OrdType) ?? '2') as OrderTerms['ordType'],
    execInst: view.string(Tag.ExecInst),
    timeInForce: view.string(Tag.TimeInForce),
    exchangeTimeInForce: 'GTC',
    price: view.decimal(Tag.Price),
    stopPx: view.decimal(Tag.StopPx),
    orderQty: view.decimal(Tag.OrderQty) ?? Decimal.ZERO,
    cashMargin: view.string(Tag.CashMargin),
    mmp: null,
  };
  const account = session.accounts.get(name) ?? { account: name, tradingAccountId: '', credential: '' };
  const echo = readEcho(session, view, name);
  const order = buildOrder(turn, session, { echo, account, terms, clOrdID, reference: null });
  order.state = '8';
  order.stage = 'live';
  return order;
}

/** A D that waits here for its turn: pending, and unknown to the exchange. */
export function unsentOrder(turn: Turn, session: SessionState, view: MessageView): Order {
  const order = refusedOrder(turn, session, view, view.string(Tag.ClOrdID) ?? '');
  return { ...order, state: 'A', lastText: UNSENT };
}

const UNSENT = 'It waits for its turn and was not sent yet';

/** An order that waited here and never goes out: known from now on, so that its ClOrdID never runs (rule U4). */
export function enterUnsent(turn: Turn, session: SessionState, view: MessageView): Order {
  const order = unsentOrder(turn, session, view);
  turn.state.registry.add(order);
  turn.state.registry.close(order);
  return order;
}

/** Id of an answer that belongs to no exchange order. */
export function answerID(turn: Turn): string {
  turn.state.answerCount++;
  return answerExecID(turn.now, turn.state.answerCount);
}

/** Null while the feed is down: the phase heard last may be of an auction that is over (rule T3). */
function runningAuction({ state: { board } }: Turn, symbol: string): string | null {
  const phase = board.livePhase(symbol);
  return phase === null || isOver(phase) ? null : phase.auctionId;
}
