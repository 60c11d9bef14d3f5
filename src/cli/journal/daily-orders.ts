// The orders of one session on one day, as rows of its daily file (rule J4). A row is the book's record of an order: a report about a
// request, such as the refusal of a repeated D or a status, changes none.

import { idOf } from '../../replay/mod.ts';
import {
  acceptedClOrdID,
  ExecType,
  isStatusReport,
  type MessageView,
  OrdStatus,
  refusesRepetition,
  Tag,
} from '../../wire/mod.ts';

/** Where a row has the values that a request may lay over for a while. */
export interface OrderColumns {
  readonly clOrdID: number;
  readonly ordStatus: number;
}

interface Row {
  line: string;
  clOrdID: string;
  ordStatus: string;
  /** The values of the line, while an open F or G lies over its OrdStatus(39). */
  cells: string[] | null;
  /** Whether its D may still be rejected: it is PendingNew, also under an open F. */
  mayBeRejected: boolean;
  /** Whether only reports that came again speak of it: those before them are lost. */
  readonly isRepeated: boolean;
}

export class DailyOrders {
  /** By OrderID(37); while there is none by ClOrdID(11) and the terms. */
  private readonly rows = new Map<string, Row>();
  /** Keys of the rows without an OrderID, by ClOrdID. */
  private readonly unidentified = new Map<string, string>();
  private readonly columns: OrderColumns;
  private readonly lineOf: (cells: readonly string[]) => string;

  constructor(columns: OrderColumns, lineOf: (cells: readonly string[]) => string) {
    this.columns = columns;
    this.lineOf = lineOf;
  }

  *lines(): Generator<string> {
    for (const { line } of this.rows.values()) yield line;
  }

  /** Take an ExecutionReport(8) with the values of its row. */
  report(view: MessageView, cells: string[]): void {
    const orderID = idOf(view.string(Tag.OrderID));
    const known = acceptedClOrdID(view) ?? this.rows.get(`OrderID ${orderID}`)?.clOrdID;
    const clOrdID = known ?? (view.has(Tag.ClOrdID) ? null : '');
    // It names a request alone, and the day has no report of the order: one follows.
    if (clOrdID === null) return;
    const key = orderID === null ? unidentifiedKey(view, clOrdID) : `OrderID ${orderID}`;
    const unidentified = orderID === null && !isCopy(view) ? this.unidentified.get(clOrdID) : undefined;
    const row = this.rows.get(key) ?? this.rows.get(unidentified ?? '') ?? null;
    const isAnother = orderID === null && row !== null && isOtherCopy(view, row);
    if (!isAnother && !isOfOrder(view, row)) return;
    this.forgetUnidentified(view, clOrdID, orderID !== null);
    const ordStatus = view.string(Tag.OrdStatus) ?? '';
    cells[this.columns.clOrdID] = clOrdID;
    const isOverlaid = isPending(ordStatus);
    const isRepeated = view.boolean(Tag.PossResend) === true;
    const place = isAnother ? `${key} ${view.string(Tag.ExecID)}` : key;
    const mayBeRejected = isOverlaid ? (row?.mayBeRejected ?? true) : ordStatus === OrdStatus.PendingNew;
    const line = this.lineOf(cells);
    this.rows.set(place, { line, clOrdID, ordStatus, cells: isOverlaid ? cells : null, mayBeRejected, isRepeated });
    if (orderID === null && !isAnother) this.unidentified.set(clOrdID, key);
  }

  /** Take an OrderCancelReject(9): the order has its status again. `at`: the first value of its row from now on. */
  refuseChange(view: MessageView, at: string): void {
    const orderID = idOf(view.string(Tag.OrderID));
    const origClOrdID = view.string(Tag.OrigClOrdID) ?? '';
    const key = orderID === null ? this.unidentified.get(origClOrdID) : `OrderID ${orderID}`;
    const row = key === undefined ? undefined : this.rows.get(key);
    const ordStatus = view.string(Tag.OrdStatus);
    // 39=8 of a 9 is the request's (rule D8).
    if (row === undefined || row.cells === null || ordStatus === null || ordStatus === OrdStatus.Rejected) return;
    row.cells[0] = at;
    const accepted = idOf(origClOrdID);
    if (accepted !== null) {
      row.clOrdID = accepted;
      row.cells[this.columns.clOrdID] = accepted;
    }
    row.cells[this.columns.ordStatus] = ordStatus;
    row.line = this.lineOf(row.cells);
    row.ordStatus = ordStatus;
    if (isPending(ordStatus)) return;
    row.cells = null;
    row.mayBeRejected = ordStatus === OrdStatus.PendingNew;
  }

  /** An order that has an OrderID(37) now, or another ClOrdID(11), has no second row. */
  private forgetUnidentified(view: MessageView, clOrdID: string, isIdentified: boolean): void {
    const names = [view.string(Tag.OrigClOrdID), ...(isIdentified ? [clOrdID] : [])].filter((id) => id !== null);
    for (const name of names) {
      const key = this.unidentified.get(name);
      if (key === undefined || key !== unidentifiedKey(view, name)) continue;
      this.rows.delete(key);
      this.unidentified.delete(name);
    }
  }
}

/** Drop copies have orders of several sessions, which may have one ClOrdID(11). */
function unidentifiedKey(view: MessageView, clOrdID: string): string {
  const terms = [Tag.TargetSubID, Tag.Account, Tag.Symbol, Tag.Side].map((tag) => view.string(tag) ?? '');
  return ['ClOrdID', clOrdID, ...terms].join('\u0001');
}

const isPending = (ordStatus: string): boolean =>
  ordStatus === OrdStatus.PendingCancel || ordStatus === OrdStatus.PendingReplace;

/** Whether a drop copy is of another order than the one that was refused under the same ClOrdID(11). */
function isOtherCopy(view: MessageView, { ordStatus }: Row): boolean {
  return ordStatus === OrdStatus.Rejected && isCopy(view) && !refusesRepetition(view);
}

/** Whether a report says how its order stands; `row`: what the day has of that order. */
function isOfOrder(view: MessageView, row: Row | null): boolean {
  // An answer to a status request says nothing new; a drop copy that ends an order by its status has an ExecID(17) of its own.
  if (isStatusReport(view)) return (view.string(Tag.ExecID) ?? '0') !== '0' && (row !== null || isCopy(view));
  if (view.boolean(Tag.PossResend) === true) return row === null || row.isRepeated;
  return !isRepetition(view, row);
}

const isCopy = (view: MessageView): boolean => view.boolean(Tag.CopyMsgIndicator) === true;

/** Whether a report refuses a D that came again, also where it does not say so: an order that has an answer is rejected by none. */
function isRepetition(view: MessageView, row: Row | null): boolean {
  if (view.string(Tag.ExecType) !== ExecType.Rejected) return false;
  return refusesRepetition(view) || row?.mayBeRejected === false;
}
