// The middle office of an OMS day: QuickFIX C++ on a drop copy session, killed and started again on the way. It keeps
// its reports of other people's orders: positions, every fill by ExecID(17), and how each order ended. Sends no orders.

import { Decimal } from '../../../src/base/decimal.ts';
import { fromPrintable, type MessageView, Tag, toPrintable, viewOf } from '../../../src/wire/mod.ts';
import type { OmsBook } from './oms-book.ts';
import { QuickfixOms, type QuickfixOptions } from './quickfix.ts';

const COMPLAINTS_MAX = 50;
/** The latest of the explanations of a difference. */
const SIGNS_MAX = 20;
const LOGON_TIMEOUT_MS = 60_000;
/** Of one list of differences; the rest is counted. */
const NAMED_MAX = 5;

export class CopyDesk {
  readonly complaints: string[] = [];
  /** Gap fills and Logouts that it got, and refusals that it sent: where a report can have gone. */
  readonly #signs: string[] = [];
  kills = 0;
  readonly #options: QuickfixOptions;
  #oms: QuickfixOms;
  /** The reading of the present process, to its end. */
  #listening: Promise<void>;
  readonly #positions = new Map<string, Decimal>();
  /** `ExecID: LastQty` of every fill. */
  readonly #fills = new Set<string>();
  readonly #execIDs = new Set<string>();
  /** OrderID(37) → the last OrdStatus(39). */
  readonly #statuses = new Map<string, string>();

  private constructor(options: QuickfixOptions) {
    this.#options = options;
    this.#oms = new QuickfixOms(options);
    this.#listening = this.#listen(this.#oms);
  }

  static async logOn(options: QuickfixOptions): Promise<CopyDesk> {
    const desk = new CopyDesk(options);
    await desk.#oms.process.line(/^logon/, LOGON_TIMEOUT_MS);
    return desk;
  }

  /** Killed, and started again from its own store: what it missed it asks for (rule S9). */
  async crash(): Promise<void> {
    this.kills++;
    await this.#oms.process.kill();
    await this.#listening;
    this.#oms = new QuickfixOms(this.#options);
    this.#listening = this.#listen(this.#oms);
  }

  /** Gone at once. */
  async abandon(): Promise<void> {
    await this.#oms.process.kill();
  }

  async close(): Promise<void> {
    await this.#oms.logout();
  }

  position(symbol: string): Decimal {
    return this.#positions.get(symbol) ?? Decimal.ZERO;
  }

  /** Differences between its knowledge and the OMS's own: a fill missing or too many, an order with another end. */
  differences(name: string, book: OmsBook): string[] {
    const told = new Set<string>();
    const problems: string[] = [];
    for (const { fills, orderID, ordStatus, root } of book.orders.values()) {
      for (const fill of fills) told.add(fill);
      if (orderID === null) continue;
      const copied = this.#statuses.get(orderID);
      if (copied !== ordStatus)
        problems.push(`${root} (${orderID}): OrdStatus(39)=${ordStatus}, its copies say ${copied}`);
    }
    const missing = [...told].filter((fill) => !this.#fills.has(fill));
    if (missing.length > 0) problems.push(`${missing.length} fills were not copied: ${missing.slice(0, NAMED_MAX)}`);
    if (problems.length > 0) problems.push(`it got and sent: ${this.#signs.join(' ')}`);
    return problems.map((problem) => `drop copy of ${name}: ${problem}`);
  }

  get fillCount(): number {
    return this.#fills.size;
  }

  async #listen(oms: QuickfixOms): Promise<void> {
    const { lines } = oms.process;
    let read = 0;
    try {
      for (;;) {
        await oms.process.line(() => true, 3_600_000, read);
        for (; read < lines.length; read++) this.#line(lines[read]!);
      }
    } catch {
      // The process has ended; what it said is read.
    }
  }

  #line(line: string): void {
    if (/^in .*\|35=[45]\||^out .*\|35=[3j]\|/.test(line)) this.#signs.push(line);
    if (this.#signs.length > SIGNS_MAX) this.#signs.shift();
    if (!line.startsWith('app ')) return;
    const view = viewOf(fromPrintable(line.slice('app '.length)));
    if (view?.msgType === '8') this.#report(view);
    else if (view !== null) this.#complain('no report', view);
  }

  #report(view: MessageView): void {
    const get = (tag: number): string => view.string(tag) ?? '';
    const execID = get(Tag.ExecID);
    if (view.boolean(Tag.CopyMsgIndicator) !== true) this.#complain('without CopyMsgIndicator(797)=Y', view);
    if (this.#execIDs.has(execID)) {
      const isRepeat = view.boolean(Tag.PossDupFlag) === true || view.boolean(Tag.PossResend) === true;
      if (!isRepeat) this.#complain('sent twice', view);
      return;
    }
    this.#execIDs.add(execID);
    this.#statuses.set(get(Tag.OrderID), get(Tag.OrdStatus));
    if (get(Tag.ExecType) !== 'F') return;
    const symbol = get(Tag.Symbol);
    const quantity = view.decimal(Tag.LastQty) ?? Decimal.ZERO;
    this.#fills.add(`${execID}: ${get(Tag.LastQty)}`);
    const before = this.position(symbol);
    this.#positions.set(symbol, get(Tag.Side) === '1' ? before.add(quantity) : before.subtract(quantity));
  }

  #complain(what: string, view: MessageView): void {
    if (this.complaints.length < COMPLAINTS_MAX) {
      this.complaints.push(`drop copy ${what}: ${toPrintable(view.bytes())}`);
    }
  }
}
