// An OMS's knowledge from its messages: its orders, their fills, its position. ExecID(17) separates repetitions from
// news; every contradiction is kept as a complaint. Sends nothing.

import { Decimal } from '../../../src/base/decimal.ts';
import { type MessageView, Tag, toPrintable } from '../../../src/wire/mod.ts';

/** OrdStatus(39) after which an order works no more. */
const ENDED = new Set(['2', '3', '4', '8', 'C']);
const COMPLAINTS_MAX = 50;

/** Outcomes of the day, as they are counted and printed. */
export const OUTCOMES = [
  'New',
  'partial fill',
  'filled',
  'cancelled on request',
  'cancelled by mass cancel',
  'cancelled by the exchange',
  'expired remainder (IOC, FOK, market)',
  'replaced',
  'rejected by the gateway',
  'rejected by the exchange',
  'stop triggered',
  'auction fill',
  'auction rest expired',
  'cancel rejected',
  'replace rejected',
  'mass cancel report',
  'status answered',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** One order with all its replacements. */
export interface OmsOrderState {
  /** ClOrdID(11) of the NewOrderSingle(D). */
  readonly root: string;
  readonly side: string;
  readonly symbol: string;
  readonly timeInForce: string;
  /** The ClOrdID(11) that was accepted last. */
  clOrdID: string;
  ordStatus: string | null;
  execType: string | null;
  /** Sum of LastQty(32). */
  filled: Decimal;
  /** ExecID(17) and LastQty(32) of every fill. */
  readonly fills: string[];
  /** Highest CumQty(14) reported. */
  cumQty: Decimal;
  /** Ids at the exchange: OrderID(37) and SecondaryOrderID(198). */
  readonly exchangeIds: Set<string>;
  /** OrderID(37), once there is one. */
  orderID: string | null;
  /** The gateway said that it does not know it: its message was lost on the way. */
  neverArrived: boolean;
}

export class OmsBook {
  readonly orders = new Map<string, OmsOrderState>();
  readonly complaints: string[] = [];
  readonly outcomes = new Map<Outcome, number>();
  /** Answers by ClOrdID(11) of the request: 9 and r. */
  readonly answered = new Set<string>();
  readonly #byClOrdID = new Map<string, OmsOrderState>();
  readonly #execIDs = new Set<string>();
  readonly #answers = new Set<string>();
  /** ClOrdIDs of mass cancels that were reported. */
  readonly #massCancels = new Set<string>();
  readonly #waiters = new Set<() => void>();

  /** An order is being sent. */
  expectOrder(root: string, symbol: string, side: string, timeInForce: string): OmsOrderState {
    const order: OmsOrderState = {
      root,
      side,
      symbol,
      timeInForce,
      clOrdID: root,
      ordStatus: null,
      execType: null,
      filled: Decimal.ZERO,
      fills: [],
      cumQty: Decimal.ZERO,
      exchangeIds: new Set(),
      orderID: null,
      neverArrived: false,
    };
    this.orders.set(root, order);
    this.#byClOrdID.set(root, order);
    return order;
  }

  /** A replacement or a cancel of an order is being sent under this ClOrdID(11). */
  expectRequest(clOrdID: string, order: OmsOrderState): void {
    this.#byClOrdID.set(clOrdID, order);
  }

  isOver(order: OmsOrderState): boolean {
    return order.neverArrived || ENDED.has(order.ordStatus ?? '');
  }

  /** Bought minus sold, by symbol. */
  positions(): Map<string, Decimal> {
    const positions = new Map<string, Decimal>();
    for (const { symbol, side, filled } of this.orders.values()) {
      const before = positions.get(symbol) ?? Decimal.ZERO;
      positions.set(symbol, side === '1' ? before.add(filled) : before.subtract(filled));
    }
    return positions;
  }

  /** Wait until it holds; false if it does not in time. */
  async until(holds: () => boolean, timeoutMs: number): Promise<boolean> {
    const until = Date.now() + timeoutMs;
    while (!holds()) {
      const left = until - Date.now();
      if (left <= 0) return false;
      await new Promise<void>((resolve) => {
        const done = (): void => {
          clearTimeout(timer);
          this.#waiters.delete(done);
          resolve();
        };
        const timer = setTimeout(done, left);
        this.#waiters.add(done);
      });
    }
    return true;
  }

  /** Take an application message as it was received. */
  take(view: MessageView): void {
    if (view.msgType === '8') this.#report(view);
    else if (view.msgType === '9') this.#refused(view);
    else if (view.msgType === 'r') this.#massCancel(view);
    else if (view.msgType === 'j' || view.msgType === '3') this.#complain('refused as a message', view);
    for (const wake of [...this.#waiters]) wake();
  }

  #massCancel(view: MessageView): void {
    this.#massCancels.add(view.string(Tag.ClOrdID) ?? '');
    this.#answer(view, 'mass cancel report');
  }

  #refused(view: MessageView): void {
    const clOrdID = view.string(Tag.ClOrdID) ?? '';
    // A mass cancel that was taken is refused order by order where the exchange cannot be reached or does not know one.
    const ofOrder = this.#massCancels.has(clOrdID) ? ` ${view.string(Tag.OrigClOrdID)}` : '';
    this.#answer(view, view.string(Tag.CxlRejResponseTo) === '2' ? 'replace rejected' : 'cancel rejected', ofOrder);
  }

  /** `part`: which of the answers that one request may have. */
  #answer(view: MessageView, outcome: Outcome, part = ''): void {
    const clOrdID = view.string(Tag.ClOrdID) ?? '';
    const isNew = !this.#answers.has(clOrdID + part);
    this.#answers.add(clOrdID + part);
    this.answered.add(clOrdID);
    if (isNew) this.#count(outcome);
    else if (!isRepeat(view)) this.#complain('answered twice', view);
  }

  #report(view: MessageView): void {
    const get = (tag: number): string => view.string(tag) ?? '';
    const [execID, execType, ordStatus] = [get(Tag.ExecID), get(Tag.ExecType), get(Tag.OrdStatus)];
    const order = this.#byClOrdID.get(get(Tag.ClOrdID)) ?? this.#byClOrdID.get(get(Tag.OrigClOrdID));
    if (order === undefined) {
      this.#complain('of an order that was never sent', view);
      return;
    }
    if (execType === 'I') {
      this.#status(order, ordStatus, view);
      return;
    }
    if (this.#execIDs.has(execID)) {
      if (!isRepeat(view)) this.#complain('sent twice', view);
      return;
    }
    this.#execIDs.add(execID);
    this.#learnIds(order, view);
    if (execType === 'F') this.#fill(order, view);
    const wasOver = ENDED.has(order.ordStatus ?? '');
    if (wasOver && !ENDED.has(ordStatus)) this.#complain(`works again after ${order.ordStatus}`, view);
    order.execType = execType;
    order.ordStatus = ordStatus;
    if (execType === '0' || execType === '5') order.clOrdID = get(Tag.ClOrdID);
    this.answered.add(get(Tag.ClOrdID));
    const outcome = this.#outcomeOf(order, view);
    if (outcome !== null) this.#count(outcome);
    if (view.decimal(Tag.LeavesQty)?.isNegative() === true) this.#complain('LeavesQty(151) below zero', view);
  }

  #status(order: OmsOrderState, ordStatus: string, view: MessageView): void {
    this.#count('status answered');
    this.answered.add(`${order.root}/status`);
    if (order.ordStatus === null && ordStatus === '8' && view.string(Tag.OrdRejReason) === '5')
      order.neverArrived = true;
  }

  #learnIds(order: OmsOrderState, view: MessageView): void {
    const orderID = view.string(Tag.OrderID);
    if (orderID !== null && orderID !== 'NONE') {
      if (order.orderID !== null && order.orderID !== orderID) this.#complain('another OrderID(37) than before', view);
      order.orderID = orderID;
    }
    for (const tag of [Tag.OrderID, Tag.SecondaryOrderID]) {
      const id = view.string(tag);
      if (id !== null && id !== 'NONE') order.exchangeIds.add(id);
    }
  }

  #fill(order: OmsOrderState, view: MessageView): void {
    order.filled = order.filled.add(view.decimal(Tag.LastQty) ?? Decimal.ZERO);
    order.fills.push(`${view.string(Tag.ExecID)}: ${view.string(Tag.LastQty)}`);
    const cumQty = view.decimal(Tag.CumQty) ?? Decimal.ZERO;
    if (!cumQty.equals(order.filled)) this.#complain(`CumQty(14) is not the sum ${order.filled} of LastQty(32)`, view);
    if (cumQty.compare(order.cumQty) > 0) order.cumQty = cumQty;
  }

  #outcomeOf(order: OmsOrderState, view: MessageView): Outcome | null {
    const ordStatus = view.string(Tag.OrdStatus);
    const isAuction = order.timeInForce === '5';
    switch (view.string(Tag.ExecType)) {
      case '0':
        return 'New';
      case 'F':
        if (isAuction) this.#count('auction fill');
        return ordStatus === '2' ? 'filled' : 'partial fill';
      case '4':
        if (view.string(Tag.ExecRestatementReason) !== null) return 'cancelled by the exchange';
        return /OrderMassCancelRequest/.test(view.string(Tag.Text) ?? '')
          ? 'cancelled by mass cancel'
          : 'cancelled on request';
      case 'C':
        return isAuction ? 'auction rest expired' : 'expired remainder (IOC, FOK, market)';
      case '5':
        return 'replaced';
      case '8':
        return order.exchangeIds.size > 0 ? 'rejected by the exchange' : 'rejected by the gateway';
      case 'D':
      case 'L':
      case '7':
        return 'stop triggered';
      default:
        return null;
    }
  }

  #count(outcome: Outcome): void {
    this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
  }

  #complain(what: string, view: MessageView): void {
    if (this.complaints.length < COMPLAINTS_MAX) this.complaints.push(`${what}: ${toPrintable(view.bytes())}`);
  }
}

function isRepeat(view: MessageView): boolean {
  return view.boolean(Tag.PossDupFlag) === true || view.boolean(Tag.PossResend) === true;
}
