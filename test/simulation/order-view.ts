// An OMS's conclusions from reports alone, and their contradictions: illegal OrdStatus transitions, a terminal order
// that works again (rule O1), CumQty unlike the sum of fills, a doubled fill.

import { Decimal } from '../../src/base/decimal.ts';
import { type MessageView, Tag, toPrintable } from '../../src/wire/mod.ts';

/** Legal next OrdStatus of what an OMS sees; 6 and E lie over any open state (FIX 4.4 vol. 4 App. D). */
const LEGAL: Readonly<Record<string, string>> = {
  '': 'A086',
  A: 'A0816',
  '0': '01248C6E5',
  '1': '1248C6E5',
  '5': '01248C6E5',
  '6': '012468CEA5',
  E: '01246CE5',
  '2': '2',
  '4': '4',
  '8': '8',
  C: 'C',
};
const isEnded = (ordStatus: string): boolean => ordStatus !== '' && '248C'.includes(ordStatus);

export interface SeenOrder {
  readonly firstClOrdID: string;
  /** By which the exchange's order is found whatever was said of it. */
  readonly price: string;
  /** Prices of its replacements: under one of them a new order may have taken its place (rule O6). */
  readonly laterPrices: string[];
  status: string;
  cumQty: Decimal;
  fills: Decimal;
}

export class OrderView {
  /** By the first ClOrdID(11) of the chain. */
  readonly orders = new Map<string, SeenOrder>();
  readonly #chains = new Map<string, string>();
  readonly #massCancels = new Set<string>();
  /** ExecID(17) → what it said in full, and what a copy of it has to say as well. */
  readonly #said = new Map<string, string>();
  readonly reports = new Map<string, string>();
  /** OrderCancelRejects, each in full. */
  readonly #rejects = new Set<string>();
  fills = 0;

  /** ClOrdID(11) values of orders that are not known to have ended; each is the last of its chain that a report named. */
  readonly working = new Map<string, string>();

  sent(clOrdID: string, price: string): void {
    this.#chains.set(clOrdID, clOrdID);
    this.orders.set(clOrdID, {
      firstClOrdID: clOrdID,
      price,
      laterPrices: [],
      status: '',
      cumQty: Decimal.ZERO,
      fills: Decimal.ZERO,
    });
  }

  /** Take an ExecutionReport(8). @throws Error naming the contradiction */
  report(view: MessageView): void {
    this.#keep(view);
    const ordRejReason = view.string(Tag.OrdRejReason);
    // A reject of a duplicate and a status of nothing are no reports of an order.
    if (ordRejReason === '6' || ordRejReason === '5') return;
    const fail = (what: string): never => {
      throw new Error(`${what}: ${toPrintable(view.bytes())}`);
    };
    const clOrdID = view.string(Tag.ClOrdID) ?? fail('a report without ClOrdID(11)');
    const order = this.#orderOf(clOrdID, view.string(Tag.OrigClOrdID)) ?? fail('a report of an order never sent');
    const execID = view.string(Tag.ExecID) ?? fail('a report without ExecID(17)');
    const status = view.string(Tag.OrdStatus) ?? '';
    const cumQty = Decimal.of(view.string(Tag.CumQty) ?? '0');
    const lastQty = isFill(view) ? Decimal.of(view.string(Tag.LastQty)!) : null;
    const repeated = view.boolean(Tag.PossDupFlag) === true || view.boolean(Tag.PossResend) === true;
    if (execID !== '0') {
      const said = `${view.string(Tag.ExecType)} ${status} ${cumQty} ${lastQty}`;
      const before = this.#said.get(execID);
      if (before !== undefined && before !== said) fail(`ExecID(17) said "${before}" before`);
      if (before !== undefined && !repeated) fail('ExecID(17) twice without PossDupFlag(43) or PossResend(97)');
      if (before !== undefined) return;
      this.#said.set(execID, said);
    }
    if (lastQty !== null) {
      order.fills = order.fills.add(lastQty);
      this.fills++;
    }
    // Reports of before a reset too come in the order of the order's life, those that are new among them (rule S2).
    if (!LEGAL[order.status]?.includes(status)) fail(`OrdStatus(39) goes from ${order.status} to ${status}`);
    if (Decimal.of(view.string(Tag.LeavesQty) ?? '0').isNegative()) fail('LeavesQty(151) is negative');
    if (!cumQty.equals(order.fills)) fail(`CumQty(14) is not the sum of fills, ${order.fills}`);
    if (cumQty.compare(order.cumQty) < 0) fail(`CumQty(14) falls from ${order.cumQty}`);
    this.#take(order, clOrdID, status, cumQty);
  }

  /** Keep what a copy has to say as well; answers to questions are not copied. */
  #keep(view: MessageView): void {
    const execID = view.string(Tag.ExecID) ?? '0';
    if (execID !== '0' && view.string(Tag.ExecType) !== 'I') this.reports.set(execID, saidBy(view));
  }

  /** Take an OrderCancelReject(9): what lay over the order's state is gone. @throws Error if an ended order works again */
  cancelReject(view: MessageView): void {
    const order = this.orders.get(this.#chains.get(view.string(Tag.OrigClOrdID) ?? '') ?? '');
    const status = view.string(Tag.OrdStatus) ?? '';
    // One that was heard before says what was.
    const said = [Tag.ClOrdID, Tag.OrigClOrdID, Tag.OrdStatus, Tag.Text].map((tag) => view.string(tag)).join('|');
    if (view.boolean(Tag.PossResend) === true && this.#rejects.has(said)) return;
    this.#rejects.add(said);
    if (order === undefined || order.status === '') return;
    // 39=8 also answers for what is not known.
    if (status === '8' && order.status !== 'A') return;
    if (!LEGAL[order.status]?.includes(status)) {
      throw new Error(`OrdStatus(39) goes from ${order.status} to ${status}: ${toPrintable(view.bytes())}`);
    }
    this.#take(order, null, status, order.cumQty);
  }

  #take(order: SeenOrder, clOrdID: string | null, status: string, cumQty: Decimal): void {
    if (cumQty.compare(order.cumQty) >= 0) order.cumQty = cumQty;
    if (isEnded(order.status)) return;
    order.status = status;
    if (isEnded(status)) this.working.delete(order.firstClOrdID);
    // While F or G is pending ClOrdID(11) may be the request's.
    else if (clOrdID !== null && status !== '6' && status !== 'E') this.working.set(order.firstClOrdID, clOrdID);
  }

  #orderOf(clOrdID: string, orig: string | null): SeenOrder | null {
    // The reports of a mass cancel all carry its ClOrdID(11).
    if (this.#massCancels.has(clOrdID)) return this.orders.get(this.#chains.get(orig ?? '') ?? '') ?? null;
    let chain = this.#chains.get(clOrdID);
    if (chain === undefined && orig !== null) {
      chain = this.#chains.get(orig);
      if (chain !== undefined) this.#chains.set(clOrdID, chain);
    }
    return chain === undefined ? null : (this.orders.get(chain) ?? null);
  }

  /** An F or G names the order that it is about; `price`: that of a G. */
  asked(clOrdID: string, orig: string, price: string | null = null): void {
    const chain = this.#chains.get(orig) ?? orig;
    this.#chains.set(clOrdID, chain);
    if (price !== null) this.orders.get(chain)?.laterPrices.push(price);
  }

  /** A q was sent. */
  askedForAll(clOrdID: string): void {
    this.#massCancels.add(clOrdID);
  }
}

/** A report's content that its copy must share, in any version: CumQty(14), and LastQty(32) of a fill. */
export function saidBy(view: MessageView): string {
  const cumQty = Decimal.of(view.string(Tag.CumQty) ?? '0').trimmed();
  return isFill(view) ? `${cumQty} with ${Decimal.of(view.string(Tag.LastQty)!).trimmed()}` : `${cumQty}`;
}

/** FIX.4.2 says 150=1 or 2 where later versions say F. */
function isFill(view: MessageView): boolean {
  const execType = view.string(Tag.ExecType);
  if (execType === 'F') return true;
  if (view.beginString !== 'FIX.4.2' || (execType !== '1' && execType !== '2')) return false;
  return view.string(Tag.ExecTransType) === '0';
}
