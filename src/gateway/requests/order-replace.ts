// OrderCancelReplaceRequest(G): an amendment where the exchange can amend, else a precise 9 with 434=2 (exchange reference §1.4).
// Cancel and new order (rule O6) by setting, begun here and carried on by cancel-and-new.ts. Leaves the acceptance to apply-exchange-event.ts: only the exchange's own frame proves it.

import type { Decimal } from '../../base/decimal.ts';
import type { AmendOrderCommand } from '../../exchange/mod.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import { addRequest, type ChangeRequest, isGtx, isTerminal, type Order } from '../book/order.ts';
import { runOf } from '../book/order-runtime.ts';
import { remember } from '../book/order-timeline.ts';
import { copyReport } from '../reports/drop-copy.ts';
import { execID } from '../reports/execution-report.ts';
import { pendingAlready, report } from '../reports/order-reports.ts';
import { entitlementRefusal, isOwn, nameFor } from '../reports/visibility.ts';
import { lockdownRefusal } from '../rules/gtx.ts';
import { killRefusal } from '../rules/kill-switch-check.ts';
import { fieldRefusal, shown } from '../rules/order-fields.ts';
import { closedMarketRefusal, readPrice, readQuantity, restRefusal } from '../rules/read-order-terms.ts';
import { limitRefusal, rateRefusal } from '../rules/risk-limits.ts';
import type { SessionState } from '../state/session-state.ts';
import type { Turn } from '../state/state.ts';
import { type MarketRules, namedAs } from '../vocabulary/market-board.ts';
import { namesIn, withName } from '../vocabulary/one-or-many.ts';
import {
  isRefusal,
  other,
  type Refusal,
  tooLate,
  unknownOrder,
  unknownSymbol,
  unsupported,
} from '../vocabulary/refusal.ts';
import { isOtherFirm, senderOr } from '../vocabulary/sender.ts';
import { legPrices } from './cancel-and-new.ts';
import type { InboundMessage } from './inbound-message.ts';
import {
  closedRefusal,
  reconciliationRefusal,
  referenceFor,
  referencesUsedUp,
  staleRefusal,
  tradingSessionIDs,
} from './new-order.ts';
import {
  answersRepetition,
  cancelCommand,
  checkClOrdID,
  type Found,
  findOrder,
  longChainRefusal,
  type RequestFields,
  readRequest,
  refuseRequest,
} from './order-cancel.ts';
import { waitForPrice } from './price-wait.ts';

/** Rule O7: a replacement carries the chain of ClOrdIDs on, and that is the owner's. */
const NOT_REPLACED =
  'was entered by another session: it can be cancelled here, and replaced only by the session that entered it';

/** Reports of the order go to the firm that entered it, which would not know them under the ClOrdID of another. */
const OF_OTHER_FIRM =
  'was entered by another firm (OnBehalfOfCompID(115)): it can be cancelled, and replaced only by the firm that entered it';

/** The order's new terms; null keeps the present value. */
interface Amendment {
  readonly price: Decimal | null;
  readonly orderQty: Decimal | null;
  readonly ordType: '2' | 'p' | null;
  /** StopPx(99), which only a cancel and a new order can change. */
  readonly stopPx: Decimal | null;
  /** The exchange cannot amend it: cancel and new order (rule O6). */
  readonly isSwap: boolean;
}

/** Handle a G. */
export function handleReplaceRequest(inbound: InboundMessage): void {
  const { turn, session, view } = inbound;
  const request = readRequest(view);
  const found = findOrder(turn, session, request);
  if (answersRepetition(inbound, request.clOrdID, found.order)) return;
  const admitted = admit(inbound, found, request);
  if (!isRefusal(admitted)) {
    submitReplace(turn, session, request, admitted);
    return;
  }
  const refusal = waitForPrice(inbound, admitted);
  if (refusal !== null) refuseRequest(turn, session, { order: found.order, responseTo: 'G', request, refusal });
}

/** A replacement that may go to the exchange. */
interface Admitted {
  readonly order: Order;
  readonly amendment: Amendment;
  /** Proves the amendment if the exchange names it; without one, the new terms do. */
  readonly reference: string | null;
}

function admit(inbound: InboundMessage, found: Found, request: RequestFields): Admitted | Refusal {
  const { turn, session, view } = inbound;
  const { order } = found;
  if (order === null || found.refusal !== null) return found.refusal ?? unknownOrder('Unknown order');
  const ofOthers = !isOwn(session, order) ? NOT_REPLACED : isOtherFirm(request, order.echo) ? OF_OTHER_FIRM : null;
  if (ofOthers !== null) return other(`${nameFor(session, order)} ${ofOthers}`);
  const refusal =
    staleRefusal(inbound) ??
    closedRefusal(turn, session) ??
    killRefusal(turn.state, order.sessionId, order.tradingAccountId) ??
    checkReplace(turn, session, order, request) ??
    entitlementRefusal(session, order) ??
    lockdownRefusal(turn.state.board, order, 'amend');
  const amendment = refusal ?? readAmendment(turn, session, order, view);
  if (isRefusal(amendment)) return amendment;
  // A replacement by cancel and new order is counted once, here.
  const tooFast = rateRefusal(turn.state, session, order.tradingAccountId, turn.steady);
  if (tooFast !== null) return tooFast;
  // A new order needs a reference before the old one is cancelled.
  const reference = referenceFor(turn, session, order, request.clOrdID);
  if (reference === null && amendment.isSwap) return referencesUsedUp(turn, order.echo.account);
  return { order, amendment, reference };
}

function checkReplace(turn: Turn, session: SessionState, order: Order, request: RequestFields): Refusal | null {
  const duplicate = checkClOrdID(turn, session, request.clOrdID) ?? longChainRefusal(order);
  if (duplicate !== null) return duplicate;
  if (isTerminal(order.state)) {
    return tooLate(`Too late to replace: order ClOrdID(11)=${order.clOrdID} has OrdStatus(39)=${order.state}`);
  }
  // The party that ended it there wanted no other order in its place.
  if (order.end !== null) {
    return tooLate(`Too late to replace: order ClOrdID(11)=${order.clOrdID} has ended, its last fills are awaited`);
  }
  if (order.requests.length > 0) return pendingAlready(`ClOrdID(11)=${order.clOrdID}`);
  if (turn.state.accounts.get(order.tradingAccountId)?.reconciled !== true) {
    return reconciliationRefusal(order.echo.account);
  }
  const notPresent = notPresentName(order, request.origClOrdID);
  if (notPresent !== null) return notPresent;
  if (order.exchangeOrderId === null || order.state === 'A') {
    return other('The exchange has not confirmed this order yet; replace it after New (150=0), or cancel it');
  }
  const refusal = exchangeRefusesAmend(order);
  return refusal !== null && canSwap(session, order) ? null : refusal;
}

/** Named by another name than its present one: a refused G or F leaves the order under the earlier name. */
function notPresentName({ clOrdID, origClOrdID, clOrdIDs }: Order, named: string): Refusal | null {
  const names = namesIn(clOrdIDs);
  if (named === clOrdID || !names.includes(named)) return null;
  // A request after the one that named the order before its present name, and another one: it was refused.
  if (names.indexOf(named) > names.indexOf(origClOrdID ?? clOrdID)) {
    return other(
      `OrigClOrdID(41)=${named} was refused and never became a name of the order: its present one is ${clOrdID}`,
    );
  }
  return other(`OrigClOrdID(41)=${named} is outdated: the order's present one is ${clOrdID}`);
}

/** Whether the session has cancel-and-new on, and the order rests so that a new one can take its place (rule O6). */
function canSwap(session: SessionState, { terms }: Order): boolean {
  return session.config.replaceByCancelAndNew === true && terms.ordType !== '1' && terms.exchangeTimeInForce === 'GTC';
}

/** Changes that the exchange cannot make (exchange reference §1.4, §7.3). */
function exchangeRefusesAmend(order: Order): Refusal | null {
  const { terms } = order;
  const instead = 'cancel it and send a new order';
  if (!order.cumQty.isZero() || !order.exchangeFilled.isZero() || order.run.waiting.length > 0) {
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
  const market = turn.state.board.rules(terms.exchangeSymbol);
  if (market === null) return unknownSymbol(`Symbol(55)=${terms.symbol} is no market of the exchange now`);
  const rules = namedAs(market, terms.symbol);
  const swaps = canSwap(session, order);
  const fixed = fieldRefusal(session, rules, view, turn.now) ?? unchangeable(view, order, swaps);
  if (fixed !== null) return fixed;
  const ordType = readNewType(view, order);
  if (ordType !== null && typeof ordType === 'object') return ordType;
  const amounts = readAmounts(rules, view, order);
  if ('text' in amounts) return amounts;
  const { price, orderQty, stopPx } = amounts;
  if (price === null && orderQty === null && ordType === null && stopPx === null) {
    return other('Nothing changes: Price(44), OrderQty(38) and OrdType(40) are those of the order');
  }
  const total = orderQty ?? terms.orderQty;
  if (total.compare(order.cumQty) <= 0) {
    return tooLate(
      `Too late to replace: OrderQty(38)=${total.trimmed()}, CumQty(14)=${order.cumQty.trimmed()} is filled`,
    );
  }
  if (isGtx(order) && (orderQty !== null || ordType !== null)) {
    return unsupported('Of an auction order (GTX) only Price(44) can be replaced');
  }
  const isSwap = exchangeRefusesAmend(order) !== null || stopPx !== null;
  // A working order may exceed a limit that was lowered since, or have no price to compare with now: making it smaller
  // can only help. A new order passes all of them.
  const onlyReduces = !isSwap && price === null && ordType === null && total.compare(terms.orderQty) < 0;
  const exposure = {
    symbol: terms.symbol,
    exchangeSymbol: terms.exchangeSymbol,
    side: terms.side,
    price: price ?? terms.price,
    stopPx: order.triggered ? null : (stopPx ?? terms.stopPx),
    orderQty: total,
  };
  const limited = onlyReduces ? null : limitRefusal(turn, session, order.tradingAccountId, exposure);
  // Else the cancel would be carried out, and the new order refused (rule O6).
  const prices = legPrices(order, { price: price ?? terms.price, stopPx: stopPx ?? terms.stopPx });
  const closed = isSwap
    ? (closedMarketRefusal(rules) ?? restRefusal(rules, prices, total.subtract(order.cumQty)))
    : null;
  return limited ?? closed ?? { price, orderQty, ordType, stopPx, isSwap };
}

/** Fields of a G that must repeat the order's own. */
function unchangeable(view: MessageView, order: Order, swaps: boolean): Refusal | null {
  const timeInForce = view.string(Tag.TimeInForce);
  if (timeInForce !== null && timeInForce !== (order.terms.timeInForce ?? '1')) {
    return unsupported(`TimeInForce(59)=${timeInForce} cannot be replaced; it is ${order.terms.timeInForce ?? '1'}`);
  }
  const margin = view.string(Tag.CashMargin);
  if (margin !== null && margin !== (order.terms.cashMargin ?? '1')) {
    return unsupported(`CashMargin(544)=${margin} cannot be replaced; it is ${order.terms.cashMargin ?? '1'}`);
  }
  for (const tag of [Tag.MmpEnabled, Tag.MmpEnabledAlternate]) {
    if (!view.has(tag) || view.boolean(tag) === (order.terms.mmp ?? false)) continue;
    return unsupported(`MmpEnabled(${tag})=${view.string(tag)} cannot be replaced`);
  }
  const own = order.auctionId ?? order.terms.namedAuction ?? null;
  const auction = tradingSessionIDs(view).find((id) => id !== (own ?? '1'));
  if (auction !== undefined && !(isGtx(order) && own === null)) {
    return unsupported(`TradingSessionID(336)=${auction} cannot be replaced`);
  }
  const execInst = unchangeableExecInst(view, order);
  if (execInst !== null) return execInst;
  const { stopPx } = order.terms;
  const isRepeated = stopPx !== null && view.decimal(Tag.StopPx)?.equals(stopPx) === true;
  if (!view.has(Tag.StopPx) || isRepeated || (swaps && order.terms.ordType === '4' && !order.triggered)) return null;
  const isStop = order.terms.ordType === '4';
  const why = isStop
    ? 'the stop was triggered, and works as a limit order'
    : `OrdType(40)=${order.terms.ordType} has none, and the order keeps its type`;
  return unsupported(`StopPx(99)=${shown(view.string(Tag.StopPx))} cannot be replaced: ${why}`);
}

const instructionsOf = (view: MessageView): readonly string[] => view.string(Tag.ExecInst)?.split(' ') ?? [];

/** 18 makes a limit order post-only (6), or repeats the order's own (o). */
function unchangeableExecInst(view: MessageView, { terms }: Order): Refusal | null {
  const isLimit = terms.ordType === '2' || terms.ordType === 'p';
  const strange = instructionsOf(view).find(
    (each) => !(each === '6' && isLimit) && !(each === 'o' && terms.cancelOnLoss === true),
  );
  if (strange === undefined) return null;
  return unsupported(`ExecInst(18)=${view.string(Tag.ExecInst)}: a replace can only make a limit order post only (6)`);
}

/** The new order type, null for no change, or a refusal. */
function readNewType(view: MessageView, order: Order): '2' | 'p' | null | Refusal {
  const isPostOnly = instructionsOf(view).includes('6');
  const ordType = view.string(Tag.OrdType) ?? (isPostOnly ? '2' : null);
  if (ordType === null) return null;
  if (order.terms.ordType === '4') {
    // Once triggered it works as a limit order.
    if (ordType === '4' || (ordType === '2' && order.triggered)) return null;
    return unsupported(`OrdType(40)=${ordType}: a stop order stays one (4) when it is replaced`);
  }
  const wanted = ordType === '2' && isPostOnly ? 'p' : ordType;
  const present = order.terms.execInst === '6' ? 'p' : order.terms.ordType;
  if (wanted === present) return null;
  // Without 18, OrdType=2 repeats a post-only order that was written as 40=2 with 18=6.
  if (wanted === '2' && order.terms.execInst === '6' && !view.has(Tag.ExecInst)) return null;
  if (wanted !== '2' && wanted !== 'p') {
    return unsupported(`OrdType(40)=${ordType}: a replace can only change between 2 (limit) and p (post only)`);
  }
  return wanted;
}

/**
 * The amounts that change. An unchanged amount need not fit the market's present rules, such as another tick size: the
 * exchange is not asked for it.
 */
function readAmounts(
  rules: MarketRules,
  view: MessageView,
  order: Order,
): { price: Decimal | null; orderQty: Decimal | null; stopPx: Decimal | null } | Refusal {
  const { terms } = order;
  const isAmended = exchangeRefusesAmend(order) === null;
  let stopPx: Decimal | null = null;
  let price: Decimal | null = null;
  let orderQty: Decimal | null = null;
  const isGiven = (tag: number, present: Decimal | null): boolean =>
    view.has(tag) && !(isAmended && present !== null && view.decimal(tag)?.equals(present) === true);
  if (isGiven(Tag.Price, terms.price)) {
    const reading = readPrice(rules, view, Tag.Price, 'Price', terms.ordType);
    if (reading.refusal !== null) return reading.refusal;
    if (terms.price === null || !reading.value.equals(terms.price)) price = reading.value;
  }
  if (isGiven(Tag.OrderQty, terms.orderQty)) {
    const reading = readQuantity(rules, view);
    if (reading.refusal !== null) return reading.refusal;
    if (!reading.value.equals(terms.orderQty)) orderQty = reading.value;
  }
  if (isGiven(Tag.StopPx, terms.stopPx)) {
    const reading = readPrice(rules, view, Tag.StopPx, 'StopPx', terms.ordType);
    if (reading.refusal !== null) return reading.refusal;
    if (terms.stopPx === null || !reading.value.equals(terms.stopPx)) stopPx = reading.value;
  }
  return { price, orderQty, stopPx };
}

function submitReplace(turn: Turn, session: SessionState, fields: RequestFields, admitted: Admitted): void {
  const { order, amendment, reference } = admitted;
  const { registry } = turn.state;
  const { price, orderQty, ordType, stopPx, isSwap } = amendment;
  const sender = senderOr(fields, order.echo);
  order.clOrdIDs = withName(order.clOrdIDs, fields.clOrdID);
  registry.addClOrdID(order, fields.clOrdID);
  if (reference !== null) {
    order.references = withName(order.references, reference);
    registry.addReference(order, reference);
  }
  order.requestCount++;
  const request: ChangeRequest = {
    kind: 'replace',
    number: order.requestCount,
    clOrdID: fields.clOrdID,
    senderSubID: sender.senderSubID,
    onBehalfOfCompID: sender.onBehalfOfCompID,
    onBehalfOfSubID: sender.onBehalfOfSubID,
    massActionReportID: null,
    asker: null,
    stage: 'submitted',
    requestId: null,
    acknowledgedAt: null,
    askedAt: turn.now,
    price,
    orderQty,
    ordType,
    reference,
    swap: isSwap ? { leg: 'cancel', createNumber: null, stopPx } : null,
  };
  addRequest(order, request);
  runOf(order).alarmAt ??= turn.steady + turn.state.config.pendingAlarmMs;
  const what = isSwap ? 'cancels the order first (cancel and new order)' : 'sent to the exchange';
  remember(order, turn.now, `G ClOrdID(11)=${fields.clOrdID} ${what}`);
  turn.touch(order);
  turn.submit(order, request.number, isSwap ? cancelCommand(order) : amendCommand(order, amendment, reference));
  const facts = {
    type: 'E',
    execID: execID(order, `E-${request.number}`),
    transactTime: turn.now,
    clOrdID: fields.clOrdID,
    origClOrdID: order.clOrdID,
    sender,
    text: null,
  } as const;
  // The exchange's own FIX has no pending replace; copies in the standard's words show it with every report until it is over.
  if (session.isVenue) copyReport(turn, order, facts);
  else report(turn, order, facts);
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
