// One order of a log: its ids, its messages, and whether it has ended, which decides the owner of a ClOrdID(11) used
// again.

import { ExecType, isStatusReport, type MessageView, OrdStatus, Tag, TimeInForce } from '../../wire/mod.ts';
import type { KeptMessage } from '../kept-message.ts';
import type { LoggedMessage } from '../logged-message.ts';

/** Data kept of a message until all are read: a view of each, with its index, would exhaust the memory. */
export interface Held {
  readonly position: number;
  readonly message: KeptMessage;
  readonly beside: Omit<LoggedMessage, 'raw' | 'view'>;
}

/** A trading day, counted from any; null if the log has no time. */
export type Day = number | null;

const ENDED: ReadonlySet<string> = new Set([
  OrdStatus.Filled,
  OrdStatus.Canceled,
  OrdStatus.Rejected,
  OrdStatus.Expired,
]);

export class LoggedOrder {
  /** The session that it was first spoken of in. */
  readonly session: string;
  /** Its ClOrdIDs in the order of their appearance. */
  readonly clOrdIDs = new Set<string>();
  readonly orderIDs = new Set<string>();
  /** In the order of the log, but for what turned out later to speak of it; each once or more. */
  messages: Held[] = [];
  /** The ClOrdID(11) of the message that entered it; empty where that has none, null while there was no such message. */
  enteredAs: string | null = null;
  /** Account(1) of its reports. */
  account: string | null = null;
  /** Ids of requests for it: an OMS may use one again that was refused. */
  readonly requested = new Set<string>();
  /** Whether a report said more of it than that it is pending. */
  private isAcknowledged = false;
  private readonly since: Day;
  private timeInForce: string | null = null;
  private expiresOn: Day = null;
  private workedOn: Day;
  private endedOn: Day | undefined;
  /** The one that it turned out to be. */
  private same: LoggedOrder | null = null;

  constructor(session: string, day: Day) {
    this.session = session;
    this.since = day;
    this.workedOn = day;
  }

  /** The order itself, where two turned out to be one. */
  get present(): LoggedOrder {
    let order: LoggedOrder = this;
    while (order.same !== null) order = order.same;
    return order;
  }

  /** Whether it was entered and has no answer yet: the first one is its own, also behind midnight. */
  get isAwaited(): boolean {
    return this.enteredAs !== null && !this.isAcknowledged && this.endedOn === undefined;
  }

  /** Note what a message that entered it says. `expiresOn`: the day of ExpireDate(432). */
  enter(clOrdID: string, view: MessageView, day: Day, expiresOn: Day): void {
    if (this.enteredAs !== null) return;
    this.enteredAs = clOrdID;
    this.workedOn = day;
    this.limit(view, expiresOn);
  }

  /** Note what a report of it says. */
  report(view: MessageView, day: Day, expiresOn: Day): void {
    const ordStatus = view.string(Tag.OrdStatus) ?? '';
    if (ordStatus !== OrdStatus.PendingNew) this.isAcknowledged = true;
    this.account ??= view.string(Tag.Account);
    this.limit(view, expiresOn);
    if (ENDED.has(ordStatus)) this.endedOn ??= day;
    else this.workedOn = day;
  }

  /** Note that it was refused. One that works keeps working: what was refused is a repetition. */
  refuse(day: Day): void {
    if (!this.isAcknowledged) this.endedOn ??= day;
  }

  /** Whether it ended on an earlier trading day. One that is good for a day ends with it, as does one that says nothing of it. */
  isOver(day: Day): boolean {
    if (day === null) return false;
    if (this.endedOn !== undefined) return this.endedOn !== null && this.endedOn < day;
    if (this.workedOn === null || this.workedOn >= day) return false;
    if (this.timeInForce === TimeInForce.GoodTillDate) return this.expiresOn !== null && this.expiresOn < day;
    return this.timeInForce !== TimeInForce.GoodTillCancel;
  }

  /** Whether another one may be the same: it was not entered too, and none was over before the other began. */
  mayBe(other: LoggedOrder): boolean {
    if (this.enteredAs !== null && other.enteredAs !== null) return false;
    if (this.account !== null && other.account !== null && this.account !== other.account) return false;
    return !this.isOver(other.since) && !other.isOver(this.since);
  }

  /** Merge the facts of another entry about this same order. */
  unite(other: LoggedOrder): void {
    other.same = this;
    for (const id of other.clOrdIDs) this.clOrdIDs.add(id);
    for (const id of other.orderIDs) this.orderIDs.add(id);
    for (const id of other.requested) this.requested.add(id);
    this.messages = this.messages.concat(other.messages);
    other.messages = [];
    this.enteredAs ??= other.enteredAs;
    this.account ??= other.account;
    this.isAcknowledged ||= other.isAcknowledged;
    this.timeInForce ??= other.timeInForce;
    this.expiresOn ??= other.expiresOn;
    this.endedOn ??= other.endedOn;
    if ((other.workedOn ?? 0) > (this.workedOn ?? 0)) this.workedOn = other.workedOn;
  }

  private limit(view: MessageView, expiresOn: Day): void {
    this.timeInForce = view.string(Tag.TimeInForce) ?? this.timeInForce;
    this.expiresOn = expiresOn ?? this.expiresOn;
  }
}

/** The order data of an ExecutionReport(8). */
export type Spoken = 'beginning' | 'refusal' | 'order';

const BEGINNING: ReadonlySet<string> = new Set([ExecType.New, ExecType.PendingNew]);
/** Whether a report begins an order, refuses a request, or says how an order stands. */
export function spokenIn(view: MessageView): Spoken {
  const execType = view.string(Tag.ExecType);
  const isRejected = view.string(Tag.OrdStatus) === OrdStatus.Rejected;
  if (execType === ExecType.Rejected || isRejected) return 'refusal';
  if (isStatusReport(view) || isAgain(view)) return 'order';
  return execType !== null && BEGINNING.has(execType) ? 'beginning' : 'order';
}

const TRADES: ReadonlySet<string> = new Set([ExecType.Trade, ExecType.PartialFill, ExecType.Fill]);
const AFTER_TRADES: ReadonlySet<string> = new Set([ExecType.TradeCorrect, ExecType.TradeCancel]);

/** Whether a report is of an order that ended before: a late fill, or one that is corrected or taken back. */
export function isLate(view: MessageView): boolean {
  const execType = view.string(Tag.ExecType) ?? '';
  const ordStatus = view.string(Tag.OrdStatus) ?? '';
  if (AFTER_TRADES.has(execType)) return true;
  return TRADES.has(execType) && ENDED.has(ordStatus) && ordStatus !== OrdStatus.Filled;
}

/** Whether a message comes again: as PossDup(43), or as PossResend(97). */
export function isAgain(view: MessageView): boolean {
  return view.boolean(Tag.PossDupFlag) === true || view.boolean(Tag.PossResend) === true;
}
