// Compares an OMS's reports with the exchange's orders after a campaign of exchange faults: every chain of reports must
// be possible in itself, and end where the exchange's order stands. Leaves the traffic to fault-campaign.ts.

import { Decimal } from '../../../src/base/decimal.ts';
import type { Simulator } from '../../../src/simulator/mod.ts';
import { type MessageView, Tag, toPrintable } from '../../../src/wire/mod.ts';
import { ACCOUNT } from '../processes/exchange-house.ts';
import { ENDED, type FaultTrader } from './fault-trader.ts';

type Exchange = Pick<Simulator['control'], 'order' | 'openOrders'>;

const PENDING: ReadonlySet<string> = new Set(['A', '6', 'E']);
const FILLS: ReadonlySet<string> = new Set(['F', '1', '2']);
const NO_ORDER = 'NONE';
const SAID_KEPT = 8;

/** One order with all its replacements, by its OMS's reports. */
interface Chain {
  readonly trader: FaultTrader;
  readonly name: string;
  cumQty: Decimal;
  ordStatus: string | null;
  orderID: string;
  /** Ids of the order that works now. */
  ids: ReadonlySet<string>;
  /** The last messages of it. */
  readonly said: string[];
}

export interface Audit {
  readonly disagreements: readonly string[];
  readonly orders: number;
  readonly filled: number;
  readonly open: number;
}

class Auditor {
  readonly disagreements: string[] = [];
  readonly chains = new Map<string, Chain>();
  /** Chain of each ClOrdID of a trader. */
  readonly #roots = new Map<string, string>();
  readonly #execIDs = new Set<string>();

  #disagree(what: string, chain: Chain): void {
    this.disagreements.push(`${chain.name}: ${what}\n  ${chain.said.join('\n  ')}`);
  }

  /** Everything that a trader received, by number: what came twice counts once. */
  hear(trader: FaultTrader): void {
    const byNumber = new Map<number, MessageView>();
    for (const view of trader.received) {
      if (view.msgType === '4') continue;
      const seqNum = view.int(Tag.MsgSeqNum)!;
      if (!byNumber.has(seqNum)) byNumber.set(seqNum, view);
    }
    const { senderCompID } = trader.spec;
    if (trader.closed) this.disagreements.push(`${senderCompID} was disconnected`);
    for (const [, view] of [...byNumber].sort(([a], [b]) => a - b)) {
      if (view.msgType === '8') this.#report(trader, view);
      else if (view.msgType === '9') this.#refusal(trader, view);
      else if (['3', 'j', '5'].includes(view.msgType)) {
        this.disagreements.push(`${senderCompID} received ${toPrintable(view.bytes())}`);
      }
    }
  }

  #chainOf(trader: FaultTrader, view: MessageView): Chain {
    const { senderCompID } = trader.spec;
    const clOrdID = `${senderCompID} ${view.string(Tag.ClOrdID)}`;
    const orig = trader.origClOrdIDOf(view);
    const origClOrdID = orig === null ? null : `${senderCompID} ${orig}`;
    const root =
      (origClOrdID === null ? undefined : this.#roots.get(origClOrdID)) ??
      this.#roots.get(clOrdID) ??
      origClOrdID ??
      clOrdID;
    this.#roots.set(clOrdID, root);
    if (origClOrdID !== null) this.#roots.set(origClOrdID, root);
    let chain = this.chains.get(root);
    if (chain === undefined) {
      const nothing = { cumQty: Decimal.ZERO, ordStatus: null, orderID: NO_ORDER, ids: new Set<string>(), said: [] };
      chain = { trader, name: root, ...nothing };
      this.chains.set(root, chain);
    }
    return chain;
  }

  #report(trader: FaultTrader, view: MessageView): void {
    const chain = this.#chainOf(trader, view);
    keep(chain, view);
    const execType = view.string(Tag.ExecType)!;
    const execID = view.string(Tag.ExecID)!;
    if (execType !== 'I' && this.#execIDs.has(execID)) this.#disagree(`ExecID(17)=${execID} came twice`, chain);
    this.#execIDs.add(execID);

    const lastQty = view.decimal(Tag.LastQty);
    if (FILLS.has(execType) && lastQty !== null) chain.cumQty = chain.cumQty.add(lastQty);
    const cumQty = view.decimal(Tag.CumQty)!;
    if (!cumQty.equals(chain.cumQty)) {
      this.#disagree(`CumQty(14) is ${cumQty}, the fills sum to ${chain.cumQty}`, chain);
      chain.cumQty = cumQty;
    }
    const ordStatus = view.string(Tag.OrdStatus)!;
    this.#mayFollow(chain, ordStatus);
    this.#leaves(chain, view, ordStatus, execType);
    chain.ordStatus = ordStatus;
    const orderID = view.string(Tag.OrderID)!;
    if (orderID !== NO_ORDER) {
      chain.orderID = orderID;
      chain.ids = new Set([orderID, view.string(Tag.SecondaryOrderID) ?? orderID]);
    }
  }

  #leaves(chain: Chain, view: MessageView, ordStatus: string, execType: string): void {
    const leaves = view.decimal(Tag.LeavesQty)!;
    const quantity = view.decimal(Tag.OrderQty);
    if (ENDED.has(ordStatus)) {
      if (!leaves.equals(Decimal.ZERO)) this.#disagree(`LeavesQty(151) of an order that ended is ${leaves}`, chain);
    } else if (execType !== '8' && quantity !== null && !quantity.subtract(chain.cumQty).equals(leaves)) {
      this.#disagree(`LeavesQty(151) is ${leaves}, not OrderQty(38) less CumQty(14)`, chain);
    }
  }

  /** OrderCancelReject(9): its OrdStatus(39) is the order's true one (rule D8). */
  #refusal(trader: FaultTrader, view: MessageView): void {
    const root = this.#roots.get(`${trader.spec.senderCompID} ${view.string(Tag.OrigClOrdID)}`);
    const chain = root === undefined ? undefined : this.chains.get(root);
    const ordStatus = view.string(Tag.OrdStatus)!;
    if (chain === undefined || (trader.spec.isVenue && ordStatus === '8')) return;
    keep(chain, view);
    this.#mayFollow(chain, ordStatus);
    chain.ordStatus = ordStatus;
  }

  /** Rule O1. */
  #mayFollow(chain: Chain, ordStatus: string): void {
    if (chain.ordStatus === null || !ENDED.has(chain.ordStatus) || chain.ordStatus === ordStatus) return;
    this.#disagree(`OrdStatus(39) went from ${chain.ordStatus} to ${ordStatus}`, chain);
  }

  compare(exchange: Exchange): void {
    const told = new Set<string>();
    for (const chain of this.chains.values()) {
      const isOver = ENDED.has(chain.ordStatus ?? '');
      if (!isOver) for (const id of chain.ids) told.add(id);
      if (PENDING.has(chain.ordStatus ?? '')) this.#disagree('is still pending', chain);
      if (chain.orderID === NO_ORDER) {
        if (!isOver) this.#disagree('neither ended nor got an order of the exchange', chain);
        continue;
      }
      const order = exchange.order(chain.orderID);
      if (order === null) this.#disagree(`the exchange has no order ${chain.orderID}`, chain);
      else if (!chain.trader.spec.swaps) {
        const filled = Decimal.of(String(order.quantityFilled));
        if (!filled.equals(chain.cumQty)) this.#disagree(`the exchange filled ${filled}`, chain);
        if ((order.status === 'OPEN') === isOver) this.#disagree(`the exchange has it as ${order.status}`, chain);
      }
    }
    const open = exchange.openOrders(ACCOUNT);
    for (const { orderId } of open) {
      if (!told.has(orderId))
        this.disagreements.push(`order ${orderId} works at the exchange, no OMS knows it as such`);
    }
    if (open.length !== this.open) {
      this.disagreements.push(`${open.length} orders work at the exchange, the OMSes were told of ${this.open}`);
    }
  }

  get open(): number {
    return [...this.chains.values()].filter(({ ordStatus }) => !ENDED.has(ordStatus ?? '')).length;
  }
}

function keep({ said }: Chain, view: MessageView): void {
  if (said.push(toPrintable(view.bytes())) > SAID_KEPT) said.shift();
}

/** Compare all OMSes' reports with the exchange; nothing may be under way any more. */
export function audit(traders: readonly FaultTrader[], exchange: Exchange): Audit {
  const auditor = new Auditor();
  for (const trader of traders) auditor.hear(trader);
  auditor.compare(exchange);
  const filled = [...auditor.chains.values()].filter(({ cumQty }) => !cumQty.equals(Decimal.ZERO)).length;
  return { disagreements: auditor.disagreements, orders: auditor.chains.size, filled, open: auditor.open };
}
