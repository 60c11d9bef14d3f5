// Adopts an order that works at the exchange but was not entered here into a session's book (rule O11), after a move
// from another engine with resting orders. An operator names the order; the caller audits and supplies the exchange's
// data. apply-exchange-event.ts moves it from then on.

import { Decimal } from '../../base/decimal.ts';
import type { ExchangeOrder, ExchangeTrade } from '../../exchange/mod.ts';
import { addTrade, hasTrade, isTerminal, keyOf, moveTo, newOrder, type Order } from '../book/order.ts';
import { encodeOrder } from '../book/order-record.ts';
import { runOf } from '../book/order-runtime.ts';
import { remember } from '../book/order-timeline.ts';
import { gatherTrades } from '../book/trade-records.ts';
import { execID } from '../reports/execution-report.ts';
import { report } from '../reports/order-reports.ts';
import { cancelForSafety } from '../requests/order-cancel.ts';
import { killSwitchOn } from '../rules/kill-switch-check.ts';
import { isUsed } from '../rules/request-ids.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { SessionState } from '../state/session-state.ts';
import { type GatewayState, orderFields, type Turn } from '../state/state.ts';
import type { Adoption } from '../vocabulary/input.ts';
import { NOBODY } from '../vocabulary/sender.ts';
import { applyFrame, applyTrade, createdAt } from './apply-exchange-event.ts';
import { mayBe } from './contradictions.ts';
import { followElsewhere, termsOf } from './drop-copy-external.ts';
import { lookUpWithin } from './order-lookup.ts';

const CL_ORD_ID = /^[\x21-\x7e]{1,64}$/;

/** Why a session cannot take an order over, in words; null if it can. */
export function adoptProblem(state: GatewayState, { sessionId, order, trades }: Adoption): string | null {
  const session = state.sessions.get(sessionId);
  if (session === undefined || !session.takesOrders) return `${sessionId} is no session that enters orders.`;
  if (!session.names.accounts.has(order.tradingAccountId)) {
    return `Trading account ${order.tradingAccountId} is not on the session's list of accounts.`;
  }
  if (session.symbols !== null && !session.symbols.has(order.symbol)) {
    return `${order.symbol} is not on the session's list of symbols.`;
  }
  const killed = killSwitchOn(state, sessionId, order.tradingAccountId);
  if (killed !== null) {
    // No grace time and no cancel: the operator who adopts an order wants it to work.
    return `${killed}. Lift it first, or cancel the order on the exchange's page.`;
  }
  if (order.status !== 'OPEN') return 'The order has ended at the exchange.';
  if (order.isLiquidation) return 'A liquidation belongs to no session.';
  const known = state.registry.findByExchangeOrderId(order.orderId);
  if (known !== null && known.sessionId !== ELSEWHERE) return `It is an order of ${known.sessionId} already.`;
  if (known !== null && isTerminal(known.state)) return 'The order has ended at the exchange.';
  const waiting = waitingFor(state, order);
  if (waiting !== null) {
    const { clOrdID, sessionId: owner } = waiting;
    return `It may be ClOrdID(11)=${clOrdID} of ${owner}, which has no id of the exchange yet: wait for its outcome.`;
  }
  if (termsOf(order) === null) return 'Its type or its amounts cannot be read.';
  const filled = Decimal.parse(order.quantityFilled);
  const traded = sumOf(trades);
  if (filled === null || traded === null || traded.compare(filled) < 0) {
    return `The exchange states ${order.quantityFilled} as filled, its trades sum to ${traded ?? 'nothing readable'}.`;
  }
  const quantity = Decimal.of(order.quantity);
  if (known === null) return traded.compare(quantity) < 0 ? null : 'The order is filled.';
  const { orderQty } = known.terms;
  // The answer may be behind the stream, or ahead of it.
  const isOpen = filledWith(known, trades).compare(quantity.compare(orderQty) < 0 ? orderQty : quantity) < 0;
  return isOpen ? null : 'The order is filled.';
}

/** An order of a session here that may be this one: it was sent under this reference, and its answer is open or lost (rule U2). */
function waitingFor({ registry }: GatewayState, frame: ExchangeOrder): Order | null {
  const { tradingAccountId, clientOrderId } = frame;
  const sent = clientOrderId === null ? null : registry.findByReference(tradingAccountId, clientOrderId);
  if (sent === null || sent.exchangeOrderId !== null || isTerminal(sent.state)) return null;
  return mayBe(sent, frame) ? sent : null;
}

/** Filled quantity of an order by the stream and these trades. */
function filledWith(known: Order, trades: readonly ExchangeTrade[]): Decimal {
  const others = trades.filter(({ tradeId }) => !hasTrade(known, tradeId));
  return others.reduce((sum, { quantity }) => sum.add(Decimal.of(quantity)), known.cumQty);
}

/**
 * Adopt it. Earlier fills are in CumQty(14) and AvgPx(6) of the first report, 150=D with 378=1 as for a resting order
 * restated at the begin of a session. The previous owner reported those fills, and they are not reported again. Later
 * reports are as of any order.
 */
export function adoptOrder(turn: Turn, adoption: Adoption, who: string, why: string): void {
  const { state } = turn;
  if (adoptProblem(state, adoption) !== null) return;
  const session = state.sessions.get(adoption.sessionId)!;
  const followed = followedFor(turn, adoption);
  const order = followed === null ? enter(turn, session, adoption) : takeOver(turn, session, followed, adoption);
  for (const trade of adoption.trades) countTrade(order, trade);
  if (order.state === 'A') moveTo(order, '0');
  if (!order.cumQty.isZero() && order.state === '0') moveTo(order, '1');
  order.stage = 'live';
  if (order.cumQty.compare(order.exchangeFilled) > 0) order.exchangeFilled = order.cumQty;
  remember(order, turn.now, `taken over for ${session.config.sessionId} by ${who}: ${why}`);
  report(turn, order, {
    type: 'D',
    execID: execID(order, 'D-0'),
    transactTime: turn.now,
    restatementReason: 'restated',
    text: 'Taken over: the order was entered before, outside this gateway',
  });
  for (const trade of earlyTrades(turn, order)) applyTrade(turn, order, trade);
  turn.note('warn', 'an external order was adopted', { ...orderFields(order), who, why });
  // It may have ended since the exchange was asked.
  runOf(order).mustAsk = true;
  lookUpWithin(turn, order, 0);
}

/**
 * The order as drop copies follow it, or null. They receive missing fills now, because no report of the session carries
 * them.
 */
function followedFor(turn: Turn, { order: frame, trades }: Adoption): Order | null {
  const { registry } = turn.state;
  if (registry.findByExchangeOrderId(frame.orderId) === null) followElsewhere(turn, frame);
  const followed = registry.findByExchangeOrderId(frame.orderId);
  if (followed === null) return null;
  // It works with these fills: terms by which they would end it are not its latest.
  if (filledWith(followed, trades).compare(followed.terms.orderQty) >= 0) {
    const publishedAt = frame.publishedAt ?? followed.publishedAt;
    applyFrame(turn, followed, { ...frame, publishedAt }, cancelForSafety);
  }
  for (const trade of trades) applyTrade(turn, followed, trade);
  return followed;
}

function enter(turn: Turn, session: SessionState, adoption: Adoption): Order {
  const { order: frame } = adoption;
  const account = turn.state.accounts.get(frame.tradingAccountId)!;
  const clOrdID = freeClOrdID(turn.state, adoption);
  const order = newOrder({
    sessionId: session.config.sessionId,
    receivedAt: createdAt(turn, frame),
    tradingAccountId: frame.tradingAccountId,
    credential: turn.state.credentialOf(session.config.sessionId, account),
    echo: echoOf(turn, session, frame.tradingAccountId),
    terms: termsFor(session, frame),
    clOrdID,
    clOrdIDs: clOrdID,
    // References of others are free to repeat: only the exchange's id finds such an order.
    reference: null,
    references: [],
    exchangeOrderId: frame.orderId,
    stage: 'live',
    auctionId: null,
  });
  order.publishedAt = frame.publishedAt ?? 0;
  turn.state.registry.add(order);
  turn.touch(order);
  return order;
}

/** An order that was followed for drop copies changes its owner and keeps its state. */
function takeOver(turn: Turn, session: SessionState, order: Order, adoption: Adoption): Order {
  const { registry } = turn.state;
  const { sessionId } = session.config;
  // Its record went by the exchange's id; from now on it goes by the ClOrdID.
  gatherTrades(turn, order);
  turn.record(ELSEWHERE, keyOf(order), encodeOrder(order), []);
  registry.close(order);
  const clOrdID = freeClOrdID(turn.state, adoption);
  order.sessionId = sessionId;
  order.credential = turn.state.credentialOf(sessionId, turn.state.accounts.get(order.tradingAccountId)!);
  order.echo = echoOf(turn, session, order.tradingAccountId);
  order.terms = { ...order.terms, symbol: termsFor(session, adoption.order).symbol };
  order.clOrdID = clOrdID;
  order.clOrdIDs = clOrdID;
  registry.reopen(order);
  turn.touch(order);
  return order;
}

/** By the store that was imported, by the reference that the exchange has, or by the exchange's own id. */
function freeClOrdID(state: GatewayState, { sessionId, order, clOrdID }: Adoption): string {
  // The exchange's own FIX has numbers only (exchange reference §7.2): an OMS certified against it may read no other.
  const isNumber = state.sessions.get(sessionId)?.isVenue === true && /^\d+$/.test(order.orderId);
  const derived = isNumber ? order.orderId : `X${order.orderId}`;
  const another = (n: number): string => (isNumber ? `${derived}${n}` : `${derived}-${n}`);
  for (const name of [clOrdID, order.clientOrderId, derived]) {
    if (name !== null && CL_ORD_ID.test(name) && !isUsed(state, sessionId, name)) return name;
  }
  // Somebody used even that one.
  for (let n = 2; ; n++) if (!isUsed(state, sessionId, another(n))) return another(n);
}

function echoOf(turn: Turn, { names }: SessionState, tradingAccountId: string): Order['echo'] {
  const account = names.accounts.get(tradingAccountId) ?? tradingAccountId;
  return turn.state.registry.parts.echo({ ...NOBODY, account, fields: [] });
}

function termsFor({ names }: SessionState, frame: ExchangeOrder): Order['terms'] {
  const terms = termsOf(frame)!;
  return { ...terms, symbol: names.symbols.get(frame.symbol) ?? frame.symbol };
}

/** Count a fill that was reported elsewhere. */
function countTrade(order: Order, trade: ExchangeTrade): void {
  if (hasTrade(order, trade.tradeId)) return;
  const quantity = Decimal.of(trade.quantity);
  addTrade(order, trade.tradeId);
  order.cumQty = order.cumQty.add(quantity);
  order.grossAmt = order.grossAmt.add(Decimal.of(trade.price).multiply(quantity));
}

/** Fills heard of before their order was anybody's; those that are counted already do no harm. */
function earlyTrades(turn: Turn, order: Order): readonly ExchangeTrade[] {
  const { registry, dropCopies } = turn.state;
  const orderId = order.exchangeOrderId!;
  return [...registry.takeEarlyTrades(orderId), ...dropCopies.takeTrades(orderId)];
}

function sumOf(trades: readonly ExchangeTrade[]): Decimal | null {
  let sum = Decimal.ZERO;
  for (const { quantity, price } of trades) {
    const amount = Decimal.parse(quantity);
    if (amount === null || Decimal.parse(price) === null) return null;
    sum = sum.add(amount);
  }
  return sum;
}
