// OrderCancelReplaceRequest(G): an amendment where the exchange can amend, else a precise 9 with 434=2 (exchange reference §1.4).
// Cancel-and-new (rule O6) is off. Leaves the acceptance to order-life.ts: only the exchange's own frame proves it.

import type { Decimal } from '../base/decimal.ts';
import type { AmendOrderCommand } from '../exchange/mod.ts';
import { type MessageView, Tag } from '../wire/mod.ts';
import { execID } from './execution-report.ts';
import { lockdownRefusal } from './gtx.ts';
import type { MarketRules } from './market-board.ts';
import { closedRefusal, reconciliationRefusal, referenceFor, staleRefusal } from './new-order.ts';
import { type ChangeRequest, isGtx, isTerminal, type Order, remember } from './order.ts';
import { checkClOrdID, findOrder, isRepeated, type RequestFields, readRequest, refuseRequest } from './order-cancel.ts';
import { pendingAlready, report } from './order-reports.ts';
import { currencyRefusal, readPrice, readQuantity, unsupportedField } from './order-terms.ts';
import { other, type Refusal, tooLate, unknownOrder, unknownSymbol, unsupported } from './refusal.ts';
import { limitRefusal } from './risk-limits.ts';
import type { SessionState, Turn } from './state.ts';

/** What the order shall become; null keeps what it is. */
interface Amendment {
  readonly price: Decimal | null;
  readonly orderQty: Decimal | null;
  readonly ordType: '2' | 'p' | null;
}

/** Handle a G. */
export function handleReplaceRequest(
  turn: Turn,
  session: SessionState,
  view: MessageView,
  possDup: boolean,
  waited: boolean,
): void {
  const request = readRequest(view);
  const found = findOrder(turn, session, view, request);
  if (isRepeated(turn, session, view, possDup, request.clOrdID)) return;
  const { order } = found;
  if (order === null || found.refusal !== null) {
    refuseRequest(turn, session, order, 'G', request, found.refusal ?? unknownOrder('Unknown order'));
    return;
  }
  const refusal =
    staleRefusal(turn, session, view, possDup || waited) ??
    closedRefusal(turn) ??
    checkReplace(turn, session, order, request) ??
    lockdownRefusal(turn.state.board, session, order, 'amend');
  const amendment = refusal ?? readAmendment(turn, session, order, view);
  if ('text' in amendment) {
    refuseRequest(turn, session, order, 'G', request, amendment);
    return;
  }
  submitReplace(turn, session, order, request, amendment);
}

function checkReplace(turn: Turn, session: SessionState, order: Order, request: RequestFields): Refusal | null {
  const duplicate = checkClOrdID(turn, session, order, request.clOrdID);
  if (duplicate !== null) return duplicate;
  if (isTerminal(order.state)) {
    return tooLate(`Too late to replace: order ClOrdID(11)=${order.clOrdID} has OrdStatus(39)=${order.state}`);
  }
  if (order.requests.length > 0) return pendingAlready(order);
  if (turn.state.accounts.get(order.tradingAccountId)?.reconciled !== true) {
    return reconciliationRefusal(order.echo.account);
  }
  if (request.origClOrdID !== order.clOrdID && order.clOrdIDs.includes(request.origClOrdID)) {
    return other(`OrigClOrdID(41)=${request.origClOrdID} is outdated: the order's present one is ${order.clOrdID}`);
  }
  if (order.exchangeOrderId === null || order.state === 'A') {
    return other('The exchange has not confirmed this order yet; replace it after New (150=0), or cancel it');
  }
  return exchangeRefusesAmend(order);
}

/** What the exchange cannot amend (exchange reference §1.4, §7.3). */
function exchangeRefusesAmend(order: Order): Refusal | null {
  const { terms } = order;
  const instead = 'cancel it and send a new order';
  if (!order.cumQty.isZero() || !order.exchangeFilled.isZero()) {
    return unsupported(`The exchange replaces only orders without fills; ${instead}`);
  }
  if (terms.ordType === '1' || terms.ordType === '4') {
    return unsupported(`The exchange does not replace orders with OrdType(40)=${terms.ordType}; ${instead}`);
  }
  if (terms.exchangeTimeInForce !== 'GTC' && terms.exchangeTimeInForce !== 'GTX') {
    return unsupported(`The exchange does not replace orders with TimeInForce(59)=${terms.timeInForce}; ${instead}`);
  }
  return null;
}

function readAmendment(turn: Turn, session: SessionState, order: Order, view: MessageView): Amendment | Refusal {
  const { terms } = order;
  const rules = turn.state.board.rules(terms.exchangeSymbol);
  if (rules === null) return unknownSymbol(`Symbol(55)=${terms.symbol} is no market of the exchange now`);
  const fixed = unchangeable(view, order) ?? currencyRefusal(rules, view);
  if (fixed !== null) return fixed;
  const ordType = readNewType(view, order);
  if (ordType !== null && typeof ordType === 'object') return ordType;
  const amounts = readAmounts(rules, view, order);
  if ('text' in amounts) return amounts;
  const { price, orderQty } = amounts;
  if (price === null && orderQty === null && ordType === null) {
    return other('Nothing changes: Price(44), OrderQty(38) and OrdType(40) are those of the order');
  }
  if (isGtx(order) && (orderQty !== null || ordType !== null)) {
    return unsupported('Of an auction order (GTX) only Price(44) can be replaced');
  }
  const limited = limitRefusal(session, turn.state.board, turn.now, {
    exchangeSymbol: terms.exchangeSymbol,
    price: price ?? terms.price,
    orderQty: orderQty ?? terms.orderQty,
  });
  return limited ?? { price, orderQty, ordType };
}

/** Fields of a G that must repeat the order's own. */
function unchangeable(view: MessageView, order: Order): Refusal | null {
  const field = unsupportedField(view);
  if (field !== null) return field;
  const timeInForce = view.string(Tag.TimeInForce);
  if (timeInForce !== null && timeInForce !== (order.terms.timeInForce ?? '1')) {
    return unsupported(`TimeInForce(59)=${timeInForce} cannot be replaced; it is ${order.terms.timeInForce ?? '1'}`);
  }
  if (view.has(Tag.StopPx)) return unsupported('StopPx(99) cannot be replaced');
  return null;
}

/** The new order type, null for no change, or a refusal. */
function readNewType(view: MessageView, order: Order): '2' | 'p' | null | Refusal {
  const ordType = view.string(Tag.OrdType);
  if (ordType === null) return null;
  const wanted = ordType === '2' && view.string(Tag.ExecInst) === '6' ? 'p' : ordType;
  const present = order.terms.execInst === '6' ? 'p' : order.terms.ordType;
  if (wanted === present) return null;
  // Without 18, OrdType=2 repeats a post-only order that was written as 40=2 with 18=6.
  if (wanted === '2' && order.terms.execInst === '6' && !view.has(Tag.ExecInst)) return null;
  if (wanted !== '2' && wanted !== 'p') {
    return unsupported(`OrdType(40)=${ordType}: a replace can only change between 2 (limit) and p (post only)`);
  }
  return wanted;
}

function readAmounts(
  rules: MarketRules,
  view: MessageView,
  order: Order,
): { price: Decimal | null; orderQty: Decimal | null } | Refusal {
  let price: Decimal | null = null;
  let orderQty: Decimal | null = null;
  if (view.has(Tag.Price)) {
    const reading = readPrice(rules, view, Tag.Price, 'Price', order.terms.ordType);
    if (reading.refusal !== null) return reading.refusal;
    if (order.terms.price === null || !reading.value.equals(order.terms.price)) price = reading.value;
  }
  if (view.has(Tag.OrderQty)) {
    const reading = readQuantity(rules, view);
    if (reading.refusal !== null) return reading.refusal;
    if (!reading.value.equals(order.terms.orderQty)) orderQty = reading.value;
  }
  return { price, orderQty };
}

function submitReplace(
  turn: Turn,
  session: SessionState,
  order: Order,
  fields: RequestFields,
  amendment: Amendment,
): void {
  const { registry } = turn.state;
  // A new reference proves the replacement when the exchange names it; without one, the new terms do.
  const reference = referenceFor(turn, session, order, fields.clOrdID);
  order.clOrdIDs.push(fields.clOrdID);
  registry.addClOrdID(order, fields.clOrdID);
  if (reference !== null) {
    order.references.push(reference);
    registry.addReference(order, reference);
  }
  order.requestCount++;
  const request: ChangeRequest = {
    kind: 'replace',
    number: order.requestCount,
    clOrdID: fields.clOrdID,
    senderSubID: fields.senderSubID,
    massActionReportID: null,
    stage: 'submitted',
    requestId: null,
    acknowledgedAt: null,
    askedAt: turn.now,
    ...amendment,
    reference,
  };
  order.requests.push(request);
  order.run.alarmAt ??= turn.now + turn.state.config.pendingAlarmMs;
  remember(order, turn.now, `G ClOrdID(11)=${fields.clOrdID} sent to the exchange`);
  turn.touch(order);
  turn.submit(order, request.number, amendCommand(order, amendment, reference));
  if (session.isVenue) return;
  report(turn, order, {
    type: 'E',
    execID: execID(order, `E-${request.number}`),
    transactTime: turn.now,
    clOrdID: fields.clOrdID,
    origClOrdID: order.clOrdID,
    senderSubID: fields.senderSubID,
    text: null,
  });
}

function amendCommand(order: Order, amendment: Amendment, reference: string | null): AmendOrderCommand {
  const { price, orderQty, ordType } = amendment;
  return {
    kind: 'amendOrder',
    orderId: order.exchangeOrderId!,
    clientOrderId: reference,
    type: ordType === null ? null : ordType === 'p' ? 'POST_ONLY' : 'LIMIT',
    price: price?.trimmed().toString() ?? null,
    quantity: orderQty?.trimmed().toString() ?? null,
    symbol: order.terms.exchangeSymbol,
    tradingAccountId: order.tradingAccountId,
  };
}
