// The orders of a case as both sides' messages show them: the ClOrdID in force, OrderID, quantities, status. The OMS
// should hold the same, which its next requests show.

import type { SeenMessage } from './seen-message.ts';

export interface ObservedOrder {
  clOrdID: string;
  orderID: string | null;
  symbol: string;
  side: string;
  orderQty: string;
  price: string | null;
  cumQty: string;
  leavesQty: string;
  /** OrdStatus(39); null before the first report. */
  ordStatus: string | null;
  /** ExecType(150) of the last report. */
  execType: string | null;
  execID: string | null;
}

const Field = {
  ClOrdID: 11,
  CumQty: 14,
  ExecID: 17,
  OrderID: 37,
  OrderQty: 38,
  OrdStatus: 39,
  OrigClOrdID: 41,
  Price: 44,
  Side: 54,
  Symbol: 55,
  ExecType: 150,
  LeavesQty: 151,
} as const;

const ENDED: ReadonlySet<string | null> = new Set(['2', '3', '4', '8', 'C']);
const REPLACED = '5';

export class ObservedOrders {
  private readonly labels = new Map<string, ObservedOrder>();
  /** Orders without a label too: an OMS may send some that no case asked for. */
  private readonly all = new Map<string, ObservedOrder>();
  /** Every ClOrdID(11) that the OMS used on this session. */
  readonly used: Set<string>;

  private awaitedCopy: string | null = null;

  constructor(used: Iterable<string>) {
    this.used = new Set(used);
  }

  /** A case begins: its labels are free again. */
  begin(): void {
    this.labels.clear();
    this.awaitedCopy = null;
  }

  /** The next reported order that no request of the session made gets this label. */
  expectCopy(label: string): void {
    this.awaitedCopy = label;
  }

  of(label: string): ObservedOrder | null {
    return this.labels.get(label) ?? null;
  }

  name(label: string, clOrdID: string): void {
    const order = this.all.get(clOrdID);
    if (order !== undefined) this.labels.set(label, order);
  }

  /** The order that has or had this ClOrdID(11). */
  owner(clOrdID: string): ObservedOrder | null {
    return this.all.get(clOrdID) ?? null;
  }

  byOrderID(orderID: string): ObservedOrder | null {
    if (orderID === '') return null;
    return [...this.all.values()].find((order) => order.orderID === orderID) ?? null;
  }

  /** Orders that are open as far as reports say. */
  open(): ObservedOrder[] {
    return [...new Set(this.all.values())].filter(({ ordStatus }) => ordStatus !== null && !ENDED.has(ordStatus));
  }

  /** Take a message of either side. Requests are judged before they come here. */
  see({ direction, msgType, fields }: SeenMessage): void {
    if (direction === 'in') this.seeRequest(msgType, fields);
    else if (msgType === '8') this.seeReport(fields);
  }

  private seeRequest(msgType: string, fields: ReadonlyMap<number, string>): void {
    if (msgType !== 'D' && msgType !== 'F' && msgType !== 'G' && msgType !== 'q') return;
    const clOrdID = fields.get(Field.ClOrdID) ?? '';
    const isNew = !this.used.has(clOrdID);
    this.used.add(clOrdID);
    if (msgType === 'D' && isNew) this.all.set(clOrdID, newOrder(clOrdID, fields));
  }

  private reported(clOrdID: string, fields: ReadonlyMap<number, string>): ObservedOrder | null {
    const orderID = fields.get(Field.OrderID) ?? '';
    const known = this.owner(clOrdID) ?? this.owner(fields.get(Field.OrigClOrdID) ?? '') ?? this.byOrderID(orderID);
    if (known !== null || this.awaitedCopy === null) return known;
    const order = newOrder(clOrdID, fields);
    this.all.set(clOrdID === '' ? orderID : clOrdID, order);
    this.labels.set(this.awaitedCopy, order);
    this.awaitedCopy = null;
    return order;
  }

  private seeReport(fields: ReadonlyMap<number, string>): void {
    const clOrdID = fields.get(Field.ClOrdID) ?? '';
    const order = this.reported(clOrdID, fields);
    if (order === null) return;
    // The report of a refused or pending request names it, while the order keeps its own.
    if (fields.get(Field.ExecType) === REPLACED && clOrdID !== '') {
      order.clOrdID = clOrdID;
      this.all.set(clOrdID, order);
    }
    const orderID = fields.get(Field.OrderID);
    if (orderID !== undefined && orderID !== 'NONE') order.orderID = orderID;
    order.orderQty = fields.get(Field.OrderQty) ?? order.orderQty;
    order.price = fields.get(Field.Price) ?? order.price;
    order.cumQty = fields.get(Field.CumQty) ?? order.cumQty;
    order.leavesQty = fields.get(Field.LeavesQty) ?? order.leavesQty;
    order.ordStatus = fields.get(Field.OrdStatus) ?? order.ordStatus;
    order.execType = fields.get(Field.ExecType) ?? order.execType;
    order.execID = fields.get(Field.ExecID) ?? order.execID;
  }
}

function newOrder(clOrdID: string, fields: ReadonlyMap<number, string>): ObservedOrder {
  return {
    clOrdID,
    orderID: null,
    symbol: fields.get(Field.Symbol) ?? '',
    side: fields.get(Field.Side) ?? '',
    orderQty: fields.get(Field.OrderQty) ?? '0',
    price: fields.get(Field.Price) ?? null,
    cumQty: '0',
    leavesQty: fields.get(Field.OrderQty) ?? '0',
    ordStatus: null,
    execType: null,
    execID: null,
  };
}
