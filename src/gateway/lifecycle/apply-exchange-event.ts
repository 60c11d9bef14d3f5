// Moves an order by the exchange's events, in any order, number and delay (rules O1, D5, D6, D9). Leaves its end to
// order-end.ts, wording to order-reports.ts and execution-report.ts, and commands' own answers to command-outcome.ts.

import { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { ExchangeOrder, ExchangeTrade } from '../../exchange/mod.ts';
import { orderEnd, reasonText, STOP_TRIGGERED } from '../book/exchange-reason.ts';
import {
  addTrade,
  type ChangeRequest,
  hasAllTrades,
  hasMoreToFill,
  hasTrade,
  isTerminal,
  keyOf,
  mayGrow,
  moveTo,
  type Order,
  type OrderEnd,
  openCreateLeg,
  openRequest,
  removeRequest,
} from '../book/order.ts';
import { encodeOrder } from '../book/order-record.ts';
import { runOf } from '../book/order-runtime.ts';
import type { OrderTerms } from '../book/order-terms.ts';
import { wasAlarmed } from '../book/order-timeline.ts';
import { gatherTrades } from '../book/trade-records.ts';
import { execID } from '../reports/execution-report.ts';
import { closeOrder, report, reportNew, reportTriggered } from '../reports/order-reports.ts';
import { termsAfter } from '../requests/cancel-and-new.ts';
import { lockdownRefusal } from '../rules/gtx.ts';
import { ELSEWHERE } from '../state/drop-copy-scope.ts';
import type { Turn } from '../state/state.ts';
import { writerOf } from '../vocabulary/sender.ts';
import { cancelIfCarriedOver } from './auction-leftovers.ts';
import { applyToEnded, type CancelForSafety, checkFilledAtEnd } from './contradictions.ts';
import { applyEnd, reportEnd } from './order-end.ts';
import { lookUpWithin } from './order-lookup.ts';

/** Tie the order to the exchange's id. False if it is tied to another one: then the frame is not about this order. */
export function bindExchangeOrderId(turn: Turn, order: Order, orderId: string): boolean {
  if (order.exchangeOrderId === orderId) {
    noteHeard(order);
    return true;
  }
  // Fills of a replaced leg still count; the id separates its frames (rule O6).
  if (order.earlierLegs.includes(orderId)) return true;
  if (order.exchangeOrderId !== null) {
    const text = `The exchange names order ${orderId} with the reference of order ${order.exchangeOrderId}; ignored`;
    return mismatch(turn, order, text);
  }
  const owner = turn.state.registry.named(orderId);
  if (owner !== null && owner.sessionId !== ELSEWHERE) {
    const name = `${owner.sessionId} ClOrdID(11)=${owner.clOrdID}`;
    return mismatch(turn, order, `The exchange names order ${orderId}, which is ${name}, as this one; ignored`);
  }
  if (owner !== null) takeFromElsewhere(turn, order, owner);
  order.exchangeOrderId = orderId;
  turn.state.registry.addExchangeOrderId(order, orderId);
  // Events without our reference, from before the order was recognised, are fetched: the order may have ended.
  if (turn.state.registry.wasNameless(orderId)) {
    runOf(order).mustAsk = true;
    lookUpWithin(turn, order, 0);
  }
  noteHeard(order);
  turn.touch(order);
  return true;
}

/** The exchange had omitted our reference, so the order was followed as external: its earlier events are fetched. */
function takeFromElsewhere(turn: Turn, order: Order, taken: Order): void {
  gatherTrades(turn, taken);
  turn.record(ELSEWHERE, keyOf(taken), encodeOrder(taken), []);
  turn.state.registry.forget(taken);
  runOf(order).mustAsk = true;
  lookUpWithin(turn, order, 0);
}

/** Reported once per id: an order of that id may be filled a thousand times. */
function mismatch(turn: Turn, order: Order, text: string): false {
  if (!wasAlarmed(order, 'order-id-mismatch', text)) turn.alarm('order-id-mismatch', text, order);
  return false;
}

/** A look-up that began before the exchange spoke of the order, and does not find it, is out of date. */
function noteHeard(order: Order): void {
  if (order.run.lookupId !== null) runOf(order).isHeardSince = true;
}

/** When the exchange says that it took the order, or made the fill; else now. */
export function createdAt(turn: Turn, said: Pick<ExchangeOrder | ExchangeTrade, 'createdAt'>): EpochMs {
  return said.createdAt > 0 ? said.createdAt : turn.now;
}

/** Apply a fill. A tradeId counts once, whenever and however often it comes. */
export function applyTrade(turn: Turn, order: Order, trade: ExchangeTrade): void {
  if (hasTrade(order, trade.tradeId)) return;
  const price = Decimal.parse(trade.price);
  const quantity = Decimal.parse(trade.quantity);
  if (price === null || quantity === null || !quantity.isPositive()) {
    const text = `Trade ${trade.tradeId} has no readable price and quantity; not reported`;
    if (!wasAlarmed(order, 'trade-unreadable', text)) turn.alarm('trade-unreadable', text, order);
    return;
  }
  const replace = openRequest(order, 'replace');
  if (replace !== null && isOfReplacement(order, replace, trade, quantity)) {
    acceptReplace(turn, order, replace, trade.createdAt || null);
  }
  reportNew(turn, order, createdAt(turn, trade));
  if (order.terms.ordType === '4' && !isTerminal(order.state)) reportTriggered(turn, order);
  addTrade(order, trade.tradeId);
  order.cumQty = order.cumQty.add(quantity);
  order.grossAmt = order.grossAmt.add(price.multiply(quantity));
  noteEarlierLeg(turn, order, trade, quantity);
  const isLate = isTerminal(order.state);
  if (!isLate) moveTo(order, isComplete(turn, order) ? '2' : '1');
  report(turn, order, {
    type: 'F',
    execID: execID(order, `${trade.tradeId}-F`),
    transactTime: createdAt(turn, trade),
    trade,
    text: null,
  });
  if (isLate) {
    const what = `Fill of ${trade.quantity} at ${trade.price} (trade ${trade.tradeId}) came after the order had ended`;
    turn.alarm('late-fill', `${what}; it is reported with OrdStatus(39)=${order.state} unchanged`, order);
    turn.filledLate(order);
  }
  if (order.cumQty.compare(order.terms.orderQty) > 0) {
    const sums = `CumQty(14)=${order.cumQty} exceeds OrderQty(38)=${order.terms.orderQty}`;
    turn.alarm('overfill', `${sums} after trade ${trade.tradeId}`, order);
  }
  if (isLate) return;
  if (order.state === '2') closeOrder(turn, order);
  else if (order.end !== null && hasAllTrades(order)) reportEnd(turn, order, order.end);
}

/**
 * Whether a fill is of the new order of an open G, or says that the order was amended by it: by its reference, or because it is
 * more than the order had left before.
 */
export function isOfReplacement(
  order: Order,
  request: ChangeRequest,
  trade: ExchangeTrade,
  quantity: Decimal,
): boolean {
  const { swap, reference, orderQty } = request;
  if (swap !== null) return swap.leg === 'create' && trade.orderId === order.exchangeOrderId;
  if (reference !== null && trade.clientOrderId === reference) return true;
  const cumQty = order.cumQty.add(quantity);
  return orderQty !== null && cumQty.compare(order.terms.orderQty) > 0 && cumQty.compare(orderQty) <= 0;
}

/**
 * Decides whether the fills complete the order. They do not while the exchange may be increasing it: its answer to the
 * G, either way, shows the sequence of events. While a new leg is under way, or has more to fill after a late fill of
 * the leg before it, the fills end nothing. Otherwise that leg would work unnoticed. A leg without remaining quantity
 * is cancelled at once, and again when it is seen (rule O6).
 */
function isComplete(turn: Turn, order: Order): boolean {
  const leg = openCreateLeg(order);
  const { orderQty } = leg === null ? order.terms : termsAfter(order, leg);
  if (order.cumQty.compare(orderQty) < 0) return false;
  if (leg === null && !hasMoreToFill(order)) return !mayGrow(order);
  if (order.cancelWanted === null) {
    order.cancelWanted = 'safety';
    runOf(order).cancelAgainAt = turn.steady;
  }
  return false;
}

/** A fill of a leg that a new one took the place of: it should have been in before (rule O6). */
function noteEarlierLeg(turn: Turn, order: Order, trade: ExchangeTrade, quantity: Decimal): void {
  if (!order.earlierLegs.includes(trade.orderId) || isTerminal(order.state)) return;
  order.filledBefore = order.filledBefore.add(quantity);
  order.exchangeFilled = order.exchangeFilled.add(quantity);
  const what = `Fill of ${trade.quantity} at ${trade.price} (trade ${trade.tradeId})`;
  turn.alarm(
    'late-fill',
    `${what} belongs to the order that this one replaced; the replacement is larger by it`,
    order,
  );
}

/** Apply the exchange's view of the order as a whole. */
export function applyFrame(turn: Turn, order: Order, frame: ExchangeOrder, cancelForSafety: CancelForSafety): void {
  if (order.earlierLegs.includes(frame.orderId)) return;
  if (order.run.notFoundAt !== null) runOf(order).notFoundAt = null;
  order.seenRound = turn.state.accounts.get(order.tradingAccountId)?.round ?? -1;
  const filled = Decimal.parse(frame.quantityFilled)?.add(order.filledBefore) ?? null;
  if (filled !== null && filled.compare(order.exchangeFilled) > 0) {
    order.exchangeFilled = filled;
    turn.touch(order);
  }
  if (frame.borrowedQuantity !== null && frame.borrowedQuantity !== order.borrowedQty) {
    order.borrowedQty = frame.borrowedQuantity;
    turn.touch(order);
  }
  if (!isTerminal(order.state)) acceptReplaceSeen(turn, order, frame);
  if (isTerminal(order.state)) {
    applyToEnded(turn, order, frame, filled, cancelForSafety);
    return;
  }
  const end = orderEnd(order, frame);
  if (end !== null) {
    checkFilledAtEnd(turn, order, filled);
    // Its trigger was reported during an outage: a replacement of its stop price came too late (rule O6).
    if (end.execType !== '8' && order.terms.ordType === '4' && isTriggered(frame)) {
      reportNew(turn, order, createdAt(turn, frame));
      reportTriggered(turn, order);
    }
    if (!restateAtEnd(turn, order, frame, end)) applyEnd(turn, order, end);
    return;
  }
  sendWantedCancel(turn, order);
  reportNew(turn, order, createdAt(turn, frame));
  if (order.terms.ordType === '4' && isTriggered(frame)) reportTriggered(turn, order);
  applyRestatement(turn, order, frame);
  cancelIfCarriedOver(turn, order, frame, cancelForSafety);
  if (!hasAllTrades(order)) lookUpWithin(turn, order, turn.state.config.terminalWaitMs);
}

function isTriggered(frame: ExchangeOrder): boolean {
  return frame.statusReasonCode === STOP_TRIGGERED || frame.type === 'LMT' || frame.type === 'LIMIT';
}

/** A cancel that came too early for the exchange, while a new leg was on its way (rules C1, O6). */
function sendWantedCancel(turn: Turn, order: Order): void {
  if (order.cancelWanted === null || order.state === 'A' || order.run.cancelAgainAt !== null) return;
  if (openCreateLeg(order) !== null || lockdownRefusal(turn.state.board, order, 'cancel') !== null) return;
  runOf(order).cancelAgainAt = turn.steady;
  turn.rearm(order);
}

/** A frame that shows the terms of an open G says that the exchange replaced the order. */
function acceptReplaceSeen(turn: Turn, order: Order, frame: ExchangeOrder): void {
  const request = openRequest(order, 'replace');
  if (request === null) return;
  if (request.swap !== null) {
    // A leg that the exchange rejected never worked: the chain ends without it.
    const isLeg = request.swap.leg === 'create' && frame.status !== 'REJECTED';
    if (isLeg) acceptReplace(turn, order, request, frame.createdAt || null);
    return;
  }
  const byReference = request.reference !== null && frame.clientOrderId === request.reference;
  // Without the new reference only a frame that none is newer than can prove it: an old one may show the same terms.
  const isEnd = frame.status === 'CLOSED' || frame.status === 'CANCELLED';
  const isNewest = isEnd || (frame.publishedAt !== null && frame.publishedAt >= order.publishedAt);
  if (!byReference && !(isNewest && !shows(frame, order.terms) && showsTermsOf(order, request, frame))) return;
  acceptReplace(turn, order, request, frame.publishedAt);
}

type PriceAndQty = Pick<OrderTerms, 'price' | 'orderQty'>;

/** Only unfilled orders with one leg are amended; that leg has the order's quantity. */
function shows(frame: ExchangeOrder, { price, orderQty }: PriceAndQty): boolean {
  const shown = Decimal.parse(frame.price ?? '');
  const quantity = Decimal.parse(frame.quantity);
  if (shown === null || quantity === null || price === null) return false;
  return shown.equals(price) && quantity.equals(orderQty);
}

/** True if a frame shows the order's terms after a G. */
function showsTermsOf(order: Order, request: ChangeRequest, frame: ExchangeOrder): boolean {
  const { terms } = order;
  return shows(frame, { price: request.price ?? terms.price, orderQty: request.orderQty ?? terms.orderQty });
}

/**
 * A look-up made long after the exchange acknowledged a G shows the requested terms: then the exchange replaced the
 * order.
 */
export function acceptReplaceFound(turn: Turn, order: Order, request: ChangeRequest, frame: ExchangeOrder): boolean {
  const isType = request.ordType === null || (request.ordType === 'p') === (frame.type === 'POST_ONLY');
  const isOnlyType = request.price === null && request.orderQty === null;
  if (!isType || !(isOnlyType || showsTermsOf(order, request, frame))) return false;
  acceptReplace(turn, order, request, frame.publishedAt);
  return true;
}

/** `saidAt`: when the exchange showed it, by its own clock, which may not be ours; null if it did not say. */
function acceptReplace(turn: Turn, order: Order, request: ChangeRequest, saidAt: EpochMs | null): void {
  const at = saidAt ?? turn.now;
  reportNew(turn, order, at);
  removeRequest(order, request);
  runOf(order).replaced = saidAt === null ? order.terms : null;
  order.terms = termsAfter(order, request);
  if (request.reference !== null) order.reference = request.reference;
  // Frames from before the replacement still show the old terms.
  if (saidAt !== null && saidAt > order.publishedAt) order.publishedAt = saidAt;
  order.origClOrdID = order.clOrdID;
  order.clOrdID = request.clOrdID ?? order.clOrdID;
  if (order.requests.length === 0) runOf(order).alarmAt = null;
  const isFilled = request.swap === null && isFilledAs(turn, order);
  if (isFilled) moveTo(order, '2');
  report(turn, order, {
    type: '5',
    execID: execID(order, `5-${request.number}`),
    transactTime: at,
    text: null,
    sender: writerOf(request, order),
  });
  if (isFilled) closeOrder(turn, order);
}

/**
 * Whether the fills that were heard before its replacement make the order up: then that says Filled, with OrderQty(38) never
 * below CumQty(14) (FIX 4.4 vol. 4 App. D, C.3.b and C.3.c).
 */
function isFilledAs(turn: Turn, order: Order): boolean {
  const { terms, cumQty } = order;
  const above = cumQty.compare(terms.orderQty);
  if (above <= 0) return above === 0;
  turn.alarm('overfill', `CumQty(14)=${cumQty} exceeds OrderQty(38)=${terms.orderQty} of the replacement`, order);
  order.terms = { ...terms, orderQty: cumQty };
  return true;
}

/** Terms that changed without a G of ours, though one may be open: self-cross prevention, or an amendment made elsewhere. */
function applyRestatement(turn: Turn, order: Order, frame: ExchangeOrder): void {
  // Of two words of the same millisecond the second to come holds; behind an end that waits for its fills none does.
  if (frame.publishedAt === null || frame.publishedAt < order.publishedAt || order.end !== null) return;
  order.publishedAt = frame.publishedAt;
  const { terms } = order;
  const price = terms.price === null ? null : Decimal.parse(frame.price ?? '');
  const legQty = Decimal.parse(frame.quantity);
  if (order.legQty !== null && legQty !== null) order.legQty = legQty;
  const quantity = legQty?.add(order.filledBefore) ?? null;
  const isRepriced = price !== null && terms.price !== null && price.isPositive() && !price.equals(terms.price);
  const isResized = quantity !== null && !quantity.equals(terms.orderQty) && quantity.compare(order.cumQty) > 0;
  const { replaced } = order.run;
  if (replaced !== null) {
    if (isOf(replaced, price, quantity)) return;
    runOf(order).replaced = null;
  }
  if (!isRepriced && !isResized) return;
  restate(turn, order, frame, {
    price: isRepriced ? price : terms.price,
    orderQty: isResized ? quantity : terms.orderQty,
  });
}

/**
 * An answer with as many fills as the order has, or more, of a larger order: it was increased elsewhere before its
 * fills, because an order with fills is not amended (exchange reference §1.4). Then that comes before them, or they
 * would end the order.
 */
export function restateLarger(turn: Turn, order: Order, frame: ExchangeOrder): void {
  const { terms } = order;
  // A later leg is larger than the rest if fills of the leg before it came late: it is cancelled (rule O6).
  if (isTerminal(order.state) || mayBeOfRequest(order, frame) || order.legQty !== null) return;
  const filled = Decimal.parse(frame.quantityFilled);
  const orderQty = Decimal.parse(frame.quantity);
  if (filled === null || orderQty === null || filled.compare(terms.orderQty) < 0) return;
  if (orderQty.compare(terms.orderQty) <= 0 || orderQty.compare(filled) < 0) return;
  reportNew(turn, order, createdAt(turn, frame));
  restate(turn, order, frame, { price: priceShown(order, frame), orderQty });
}

/**
 * The end carries terms that no request here asked for: the order was amended elsewhere, unnoticed. The amendment is
 * reported before the end, which has those terms. True if the fills completed it by those terms, so that it has ended.
 */
function restateAtEnd(turn: Turn, order: Order, frame: ExchangeOrder, end: OrderEnd): boolean {
  const { terms, cumQty, legQty } = order;
  // A rejected order was never amended; if its end was reported before, the amendment was reported then.
  if (frame.status === 'REJECTED' || order.end !== null) return false;
  const price = priceShown(order, frame);
  const shown = Decimal.parse(frame.quantity);
  const quantity = shown?.add(order.filledBefore) ?? terms.orderQty;
  const { replaced } = order.run;
  if (replaced !== null && isOf(replaced, price, quantity)) return false;
  const isFilled = end.execType === 'F' && quantity.equals(cumQty) && hasAllTrades(order);
  // A later leg is larger than the rest was if fills of the leg before it came late (rule O6).
  const isLeg = legQty === null || quantity.compare(terms.orderQty) < 0;
  const isResized = isLeg && !quantity.equals(terms.orderQty) && (isFilled || quantity.compare(cumQty) > 0);
  const isRepriced = price !== null && terms.price?.equals(price) === false;
  if (!isResized && !isRepriced) return false;
  reportNew(turn, order, createdAt(turn, frame));
  if (isResized && legQty !== null) order.legQty = shown;
  const isMadeUp = isResized && isFilled;
  if (isMadeUp) moveTo(order, '2');
  restate(turn, order, frame, {
    price: isRepriced ? price : terms.price,
    orderQty: isResized ? quantity : terms.orderQty,
  });
  if (isMadeUp) closeOrder(turn, order);
  return isMadeUp;
}

/** The price that a frame shows of an order that has one, else that which it has. */
function priceShown({ terms }: Order, frame: ExchangeOrder): Decimal | null {
  const shown = terms.price === null ? null : Decimal.parse(frame.price ?? '');
  return shown?.isPositive() === true ? shown : terms.price;
}

/**
 * True if an open G may have given an order the terms in a frame. One that was carried out changes the reference too.
 */
function mayBeOfRequest(order: Order, frame: ExchangeOrder): boolean {
  const replace = openRequest(order, 'replace');
  if (replace === null || replace.swap !== null) return false;
  return frame.clientOrderId !== order.reference || showsTermsOf(order, replace, frame);
}

function restate(turn: Turn, order: Order, frame: ExchangeOrder, { price, orderQty }: PriceAndQty): void {
  const { terms } = order;
  const was = `was OrderQty(38)=${terms.orderQty.trimmed()} Price(44)=${terms.price?.trimmed() ?? 'none'}`;
  const isLess = orderQty.compare(terms.orderQty) < 0;
  const isRepriced = price !== null && terms.price !== null && !price.equals(terms.price);
  order.terms = { ...terms, price, orderQty };
  order.restatements++;
  report(turn, order, {
    type: 'D',
    execID: execID(order, `D-${order.restatements}`),
    transactTime: frame.publishedAt ?? turn.now,
    restatementReason: isLess ? 'declined' : isRepriced ? 'repriced' : 'unsolicited',
    text: `Changed by the exchange or outside this session (${was}): ${reasonText(frame)}`,
  });
}

/** Whether a price and a whole quantity are those of `terms`. */
function isOf(terms: OrderTerms, price: Decimal | null, quantity: Decimal | null): boolean {
  const isPrice = price === null || terms.price === null || price.equals(terms.price);
  return isPrice && quantity?.equals(terms.orderQty) === true;
}
