// A middle office on a drop copy session: it enters nothing, receives all others' orders, and keeps each report. After
// a reset it asks for what it missed, from the last report that it has (rule S9). Leaves the session to
// counterparty.ts.

import { Decimal } from '../../src/base/decimal.ts';
import { type MessageView, MsgType, Tag, toPrintable } from '../../src/wire/mod.ts';
import { Counterparty } from './counterparty.ts';
import { saidBy } from './order-view.ts';

const REPEATED = 'Reports repeated';

export class CopyDesk extends Counterparty {
  /** ExecID(17) → what it said. */
  readonly reports = new Map<string, string>();
  /** OrderID(37) → sum of its fills. */
  readonly fills = new Map<string, Decimal>();
  /** ExecID(17) → OrderID(37) of a status that is no copy: the order is filled (rule D9). */
  readonly statuses = new Map<string, string>();
  readonly done = { copy: 0, copyRepeated: 0, copyRequest: 0, copyRequestAnswer: 0 };
  /** OrderID(37) → CumQty(14) of its last report that was no repetition: those come in their order. */
  readonly #cumQty = new Map<string, Decimal>();
  #lastExecID: string | null = null;
  /** A reset took numbers away, and what they stood for was not all sent again. */
  #misses = false;

  protected numbersBegin(): void {
    this.#misses = true;
  }

  protected seriesBegan(): void {}

  protected loggedOn(): void {
    if (this.#misses) this.#ask();
  }

  protected act(): void {
    if (this.o.faults.strikes('copiesAskedAgain', 0.01)) this.#ask();
  }

  #ask(): void {
    this.done.copyRequest++;
    this.say('UDC', this.#lastExecID === null ? '' : `17=${this.#lastExecID}|`);
  }

  protected business(view: MessageView): void {
    if (view.msgType === MsgType.News && view.string(Tag.Headline) === REPEATED) {
      this.done.copyRequestAnswer++;
      this.#misses = false;
    } else if (view.msgType === MsgType.ExecutionReport) this.#report(view);
    else if (view.msgType !== MsgType.Heartbeat && view.msgType !== MsgType.Logon) {
      throw new Error(`not for a drop copy session: ${toPrintable(view.bytes())}`);
    }
  }

  #report(view: MessageView): void {
    const fail = (what: string): never => {
      throw new Error(`${what}: ${toPrintable(view.bytes())}`);
    };
    if (view.boolean(Tag.CopyMsgIndicator) !== true) fail('a copy without CopyMsgIndicator(797)=Y');
    const execID = view.string(Tag.ExecID) ?? fail('a copy without ExecID(17)');
    const said = saidBy(view);
    const before = this.reports.get(execID);
    const isRepeated = view.boolean(Tag.PossDupFlag) === true || view.boolean(Tag.PossResend) === true;
    this.#lastExecID = execID;
    if (before !== undefined) {
      if (before !== said) fail(`ExecID(17) said "${before}" before`);
      if (!isRepeated) fail('ExecID(17) twice without PossDupFlag(43) or PossResend(97)');
      this.done.copyRepeated++;
      return;
    }
    this.done.copy++;
    this.reports.set(execID, said);
    const orderID = view.string(Tag.OrderID) ?? fail('a copy without OrderID(37)');
    if (view.string(Tag.ExecType) === 'I') {
      if (view.string(Tag.OrdStatus) !== '2') fail('a status that says something else than filled');
      this.statuses.set(execID, orderID);
    }
    const cumQty = Decimal.of(view.string(Tag.CumQty)!);
    const soFar = this.#cumQty.get(orderID);
    if (!isRepeated && orderID !== 'NONE') {
      if (soFar !== undefined && cumQty.compare(soFar) < 0) fail(`CumQty(14) falls from ${soFar}`);
      this.#cumQty.set(orderID, cumQty);
    }
    const lastQty = view.string(Tag.LastQty);
    if (view.string(Tag.ExecType) !== 'F' || lastQty === null) return;
    this.fills.set(orderID, (this.fills.get(orderID) ?? Decimal.ZERO).add(Decimal.of(lastQty)));
  }
}
