// An OMS of the campaign of exchange faults: one session, its orders on their way, and everything it received over all its
// connections. It answers what the session protocol asks and gives up messages that the gateway did not get. Leaves what to
// send to the campaign, and whether what came is right to fault-audit.ts.

import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, type Identity, reconnect } from '../network/fix-connection.ts';
import { ACCOUNT, PASSWORD } from '../processes/exchange-house.ts';

const MARKET = 'BTCUSDC';
/** OrdStatus(39) after which an order works no more. */
export const ENDED: ReadonlySet<string> = new Set(['2', '4', '8', 'C']);

export interface TraderSpec {
  readonly senderCompID: string;
  readonly beginString: 'FIX.4.2' | 'FIX.4.4' | 'FIXT.1.1';
  /** Replacements are a cancel and a new order: the chain keeps its OrderID(37), the exchange knows others. */
  readonly swaps: boolean;
  /** Refusals before the exchange say 39=8, as the exchange's own FIX does (rule D8). */
  readonly isVenue: boolean;
}

export class FaultTrader {
  readonly spec: TraderSpec;
  /** ClOrdID(11) of what works, as far as it heard: the last one accepted of each chain. */
  readonly live = new Set<string>();
  readonly #origClOrdIDs = new Map<string, string>();
  readonly #earlier: MessageView[] = [];
  #fix: FixConnection | null = null;
  #taken = 0;

  constructor(spec: TraderSpec) {
    this.spec = spec;
  }

  get closed(): boolean {
    return this.#fix?.closed ?? true;
  }

  /** Everything received, the oldest first. */
  get received(): readonly MessageView[] {
    return [...this.#earlier, ...(this.#fix?.received ?? [])];
  }

  /** Log on; over a later connection with 141=N, and ask for what was missed. */
  async connect(port: number): Promise<void> {
    const { senderCompID, beginString } = this.spec;
    const identity: Identity = { senderCompID, targetCompID: 'EXCHANGE_TEST', beginString };
    const before = this.#fix;
    const numbers = before === null ? {} : { reset: false, nextSenderMsgSeqNum: before.nextSenderMsgSeqNum };
    const extra = beginString === 'FIXT.1.1' ? '1137=9|' : '';
    if (before !== null) this.#earlier.push(...before.received);
    const last = Math.max(0, ...this.#earlier.map((view) => view.int(Tag.MsgSeqNum)!));
    const { connection, answer } = await reconnect(port, identity, { password: PASSWORD, extra, ...numbers });
    this.#fix = connection;
    this.#taken = 0;
    const next = answer.int(Tag.MsgSeqNum)!;
    if (before !== null && next > last + 1) connection.send(`35=2|7=${last + 1}|16=${next - 1}`);
  }

  order(clOrdID: string, price: string, quantity: string, timeInForce: string): void {
    this.live.add(clOrdID);
    this.#send(
      `35=D|11=${clOrdID}|1=${ACCOUNT}|${this.#handling}${this.#what}|38=${quantity}|40=2|44=${price}|59=${timeInForce}`,
    );
  }

  cancel(clOrdID: string, origClOrdID: string): void {
    this.#send(`35=F|11=${clOrdID}|41=${origClOrdID}|1=${ACCOUNT}|${this.#what}|38=0.01`);
  }

  replace(clOrdID: string, origClOrdID: string, price: string, quantity: string): void {
    const terms = `38=${quantity}|40=2|44=${price}|59=1`;
    this.#send(`35=G|11=${clOrdID}|41=${origClOrdID}|1=${ACCOUNT}|${this.#handling}${this.#what}|${terms}`);
  }

  cancelAllBids(clOrdID: string): void {
    this.#send(`35=q|11=${clOrdID}|530=7|54=1|60=${formatUtcTimestamp(Date.now())}`);
  }

  /** Hear what came since the last time. */
  take(): void {
    const received = this.#fix?.received ?? [];
    while (this.#taken < received.length) this.#heard(received[this.#taken++]!);
  }

  close(): void {
    this.#fix?.destroy();
  }

  get #what(): string {
    return `55=${MARKET}|54=1|60=${formatUtcTimestamp(Date.now())}`;
  }

  get #handling(): string {
    return this.spec.beginString === 'FIX.4.2' ? '21=1|' : '';
  }

  #send(body: string): void {
    const [, clOrdID] = /\|11=([^|]+)/.exec(body) ?? [];
    const [, origClOrdID] = /\|41=([^|]+)/.exec(body) ?? [];
    if (clOrdID !== undefined && origClOrdID !== undefined) this.#origClOrdIDs.set(clOrdID, origClOrdID);
    if (!this.closed) this.#fix?.send(body);
  }

  /** OrigClOrdID(41) of a report; in the `venue` dialect the request that it answers has it alone. */
  origClOrdIDOf(view: MessageView): string | null {
    return view.string(Tag.OrigClOrdID) ?? this.#origClOrdIDs.get(view.string(Tag.ClOrdID) ?? '') ?? null;
  }

  #heard(view: MessageView): void {
    if (view.msgType === '8') this.#report(view);
    else if (view.msgType === '1') this.#send(`35=0|112=${view.string(Tag.TestReqID)}`);
    else if (view.msgType === '2' && this.#fix !== null) {
      const next = this.#fix.nextSenderMsgSeqNum;
      this.#fix.send(`35=4|123=Y|36=${next}`, { seqNum: view.int(Tag.BeginSeqNo)!, possDup: true });
    }
  }

  #report(view: MessageView): void {
    const clOrdID = view.string(Tag.ClOrdID)!;
    const origClOrdID = this.origClOrdIDOf(view);
    if (ENDED.has(view.string(Tag.OrdStatus)!)) {
      this.live.delete(clOrdID);
      if (origClOrdID !== null) this.live.delete(origClOrdID);
    } else if (view.string(Tag.ExecType) === '5' && origClOrdID !== null) {
      this.live.delete(origClOrdID);
      this.live.add(clOrdID);
    }
  }
}
