// Contradictions in the exchange's data about an order: another order's id, fewer fills than reported, working after
// its end. None of them moves an order or its money. Operations get one alarm, and the exchange is asked (rules O1, O3,
// U2). apply-exchange-event.ts handles consistent data.

import { Decimal } from '../../base/decimal.ts';
import { type EpochMs, formatIso } from '../../base/time.ts';
import type { ExchangeOrder, ExchangeTrade, LookupOutcome } from '../../exchange/mod.ts';
import { hasAllTrades, isTerminal, type Order, openCreateLeg, openRequest } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { wasAlarmed } from '../book/order-timeline.ts';
import { dropRequest } from '../reports/order-reports.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { Turn } from '../state/state.ts';
import { lookUpWithin } from './order-lookup.ts';

/** Cancel an order for safety; given by order-cancel.ts, so that this file does not lean back on it. */
export type CancelForSafety = (turn: Turn, order: Order, why: string) => void;

/** An order frame or a fill, by the unchanging fields of an order. */
type Said = Pick<ExchangeOrder | ExchangeTrade, 'orderId' | 'symbol' | 'side' | 'tradingAccountId' | 'createdAt'>;

type Found = Extract<LookupOutcome, { kind: 'found' }>;

/**
 * How much before its command an order may have been created by clocks that are compared, and by those that are not: streams do
 * not say how far the two are apart.
 */
const CLOCKS_DIFFER_MS = 60_000;
const UNCOMPARED_CLOCKS_DIFFER_MS = 3_600_000;

/** True if an order of the exchange may be this one, with an unknown id and the same reference; without an alarm. */
export function mayBe(order: Order, said: Said): boolean {
  if (!isOfTerms(order, said)) return false;
  return said.createdAt === 0 || said.createdAt >= sentAt(order) - UNCOMPARED_CLOCKS_DIFFER_MS;
}

/** True if data with an order's id or reference concerns this order. Otherwise it is kept out of the book. */
export function isAbout(turn: Turn, order: Order, said: Said): boolean {
  if (!isNamedAsThis(turn, order, said)) return false;
  // Until its id is known, only the reference ties the two.
  return order.exchangeOrderId !== null || !isBefore(turn, order, said, sentAt(order) - UNCOMPARED_CLOCKS_DIFFER_MS);
}

/**
 * Whether an order that was found by its reference or id is this one (rule U2). The reference may have been used
 * before, if ClOrdIDs pass as references or the journal was lost: an order created before the command, or with other
 * terms, is another.
 */
export function isFound(turn: Turn, order: Order, { order: found, clockOffsetMs = 0 }: Found): boolean {
  if (!isNamedAsThis(turn, order, found)) return false;
  if (!isUnanswered(order)) return true;
  const sent = sentAt(order) + clockOffsetMs;
  if (isBefore(turn, order, found, sent - CLOCKS_DIFFER_MS)) return false;
  // Created while the command was under way it is this one, and was changed since, as on the exchange's page.
  const isInTime = found.createdAt === 0 || (found.createdAt >= sent && found.createdAt < sent + CLOCKS_DIFFER_MS);
  if (isInTime || hasTermsSent(order, found)) return true;
  const text = `of ${formatIso(found.createdAt)} over ${found.quantity} at ${found.price ?? 'no price'}`;
  return notThis(
    turn,
    order,
    `The exchange names order ${found.orderId}, ${text}, as this one, which was sent otherwise`,
  );
}

/** The exchange's id is still unknown and the command has no answer: only the reference connects the two. */
function isUnanswered(order: Order): boolean {
  return order.exchangeOrderId === null && (openCreateLeg(order)?.stage ?? order.stage) === 'unknown';
}

function sentAt({ legAt, receivedAt }: Order): EpochMs {
  return legAt ?? receivedAt;
}

/** True if it was created before a time of the exchange's clock; raises an alarm then. */
function isBefore(turn: Turn, order: Order, said: Said, time: EpochMs): boolean {
  // None is said.
  if (said.createdAt === 0 || said.createdAt >= time) return false;
  const text = `The exchange names order ${said.orderId}, of ${formatIso(said.createdAt)}, as this one, which was sent later`;
  return !notThis(turn, order, text);
}

/**
 * True if an order has the quantity and price that were sent. During a replacement (rule O6) or an open G this cannot
 * be known.
 */
function hasTermsSent(order: Order, found: ExchangeOrder): boolean {
  if (openRequest(order, 'replace') !== null) return true;
  const { orderQty, price } = order.terms;
  const quantity = Decimal.parse(found.quantity);
  const shown = Decimal.parse(found.price ?? '');
  return quantity?.equals(orderQty) !== false && (price === null || shown?.equals(price) !== false);
}

function isOfTerms(order: Order, said: Said): boolean {
  const { terms, tradingAccountId } = order;
  return (
    said.symbol === terms.exchangeSymbol && said.side === sideOf(order) && said.tradingAccountId === tradingAccountId
  );
}

function sideOf({ terms }: Order): 'BUY' | 'SELL' {
  return terms.side === '1' ? 'BUY' : 'SELL';
}

function isNamedAsThis(turn: Turn, order: Order, said: Said): boolean {
  if (isOfTerms(order, said)) return true;
  const { terms, tradingAccountId } = order;
  const is = `${sideOf(order)} ${terms.exchangeSymbol} of account ${tradingAccountId}`;
  const isSaid = `${said.side} ${said.symbol} of account ${said.tradingAccountId}`;
  return notThis(turn, order, `The exchange names order ${said.orderId}, ${isSaid}, as this one, which is ${is}`);
}

/** Reported once, and looked up. */
function notThis(turn: Turn, order: Order, what: string): false {
  if (alarmOnce(turn, 'another-order', `${what}; the gateway ignores it`, order)) {
    runOf(order).mustAsk = true;
    lookUpWithin(turn, order, turn.state.config.lookup.firstMs);
  }
  return false;
}

/** The order ended at the exchange with `filled` (null if unreadable): fewer than the fills that were reported is no end of them. */
export function checkFilledAtEnd(turn: Turn, order: Order, filled: Decimal | null): void {
  if (filled === null || filled.compare(order.cumQty) >= 0) return;
  const tooMany = order.cumQty.subtract(filled).trimmed();
  const text = `The exchange ended the order with ${filled.trimmed()} filled, its fills sum to CumQty(14)=${order.cumQty.trimmed()} (${tooMany} more); they stand as reported`;
  alarmOnce(turn, 'fills-disagree', text, order);
}

function alarmOnce(turn: Turn, alarm: string, text: string, order: Order): boolean {
  if (wasAlarmed(order, alarm)) return false;
  turn.alarm(alarm, text, order);
  return true;
}

/**
 * The order had ended here: it does not work again (rule O1), but its later events are fetched, and undone (rule U2).
 * @param filled quantityFilled of all legs, null if unreadable
 */
export function applyToEnded(
  turn: Turn,
  order: Order,
  frame: ExchangeOrder,
  filled: Decimal | null,
  cancelForSafety: CancelForSafety,
): void {
  if (!hasAllTrades(order)) lookUpWithin(turn, order, turn.state.config.lookup.firstMs);
  if (frame.status !== 'OPEN') {
    for (const request of [...order.requests]) dropRequest(turn, order, request);
    if (order.cancelWanted !== null) {
      order.cancelWanted = null;
      runOf(order).cancelAgainAt = null;
      turn.touch(order);
    }
    if (order.run.suspectedAt !== null) runOf(order).suspectedAt = null;
    // A word of before the end knows nothing of fills that came after it.
    const isLatest = frame.publishedAt === null || frame.publishedAt > order.publishedAt;
    if (isLatest) checkFilledAtEnd(turn, order, filled);
    return;
  }
  // Others cancel their own orders (rule O11).
  if (openRequest(order, 'safety') !== null || order.sessionId === ELSEWHERE) return;
  // A create that was undone before was not reported as rejected for being unknown: it works still, or again.
  if (order.absent && wasAlarmed(order, 'ended-order-works')) {
    undoEnded(turn, order, 'by a later word of it', cancelForSafety);
    return;
  }
  if (order.absent) {
    turn.alarm(
      'absent-order-appeared',
      'An order that was reported as rejected, because the exchange did not know it, works there; it is cancelled',
      order,
    );
    cancelForSafety(turn, order, 'it had been reported as rejected');
    return;
  }
  if (frame.publishedAt === null) {
    suspect(turn, order);
    return;
  }
  // By trades alone an order is filled before the frames that say so, unless they show it larger than its fills.
  const quantity = Decimal.parse(frame.quantity)?.add(order.filledBefore) ?? null;
  const isLarger = quantity !== null && quantity.compare(order.cumQty) > 0;
  if ((order.state === '2' && !isLarger) || frame.publishedAt <= order.publishedAt) return;
  undoEnded(turn, order, 'by a later word of it', cancelForSafety);
}

/** A list without times shows an ended order as open: it may be a little older than the end. The order itself is asked for. */
function suspect(turn: Turn, order: Order): void {
  const run = runOf(order);
  run.suspectedAt ??= turn.steady;
  run.mustAsk = true;
  lookUpWithin(turn, order, turn.state.config.terminalWaitMs);
}

/** A look-up found an ended order open: certain once it began long enough after the end was known here. */
export function confirmEndedWorks(turn: Turn, order: Order, cancelForSafety: CancelForSafety): void {
  const { suspectedAt, lookedUpAt } = order.run;
  if (!isTerminal(order.state) || suspectedAt === null) return;
  if (lookedUpAt < suspectedAt + turn.state.config.terminalWaitMs) return;
  runOf(order).suspectedAt = null;
  runOf(order).mustAsk = false;
  undoEnded(turn, order, 'as the exchange answers when it is asked for it', cancelForSafety);
}

function undoEnded(turn: Turn, order: Order, how: string, cancelForSafety: CancelForSafety): void {
  order.absent = true;
  const { sessionId, clOrdID } = order;
  const shown = `\`crossgate orders find --session '${sessionId}' --cl-ord-id '${clOrdID}'\``;
  const again = `\`crossgate orders reconcile --account ${order.tradingAccountId}\``;
  turn.alarm(
    'ended-order-works',
    `An order that was reported as ended works at the exchange, ${how}; it is cancelled. ${shown} shows the result, ${again} tries again`,
    order,
  );
  cancelForSafety(turn, order, 'it had been reported as ended');
}
