// An OMS of the cluster campaign: one session that trades over whichever node lets it in, and everything that it received over all its
// connections. It asks for missed messages, gives up those of its own that did not arrive, and leaves a connection that is silent. It
// reads on there: whatever still comes counts for the oracle.

import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix } from '../network/fix-connection.ts';
import type { ClusterSession } from '../processes/cluster-files.ts';
import { PASSWORD } from '../processes/exchange-house.ts';

/** At this price the campaign sells; orders below it rest. */
export const FILL_PRICE = '60000';
const REST_PRICE = '50000';
const LOGON_MS = 10_000;
const HEARTBEAT_S = 10;
/** A gateway that is there sends a Heartbeat(0) or a TestRequest(1) earlier. */
const SILENCE_MS = 2.5 * HEARTBEAT_S * 1_000;
const TICK_MS_MAX = 100;

export interface TradingPace {
  /** Between two orders. */
  readonly everyMs: number;
  /** Between two attempts to log on. */
  readonly retryMs: number;
}

export class ClusterTrader {
  readonly session: ClusterSession;
  /** ClOrdID by the number under which it was sent. */
  readonly sent = new Map<number, string>();
  readonly neverArrived = new Set<string>();
  /** By `performance.now()`. */
  loggedOnAt = 0;
  /** How long it had no session before that. */
  lastDownMs = 0;
  /** When its last connection ended; null while it is logged on. */
  downSince: number | null = 0;
  /** Of the node that its last connection led to. */
  port = 0;
  readonly #portOf: () => number;
  /** Those over which messages came, oldest first; the present one among them. */
  readonly #connections: FixConnection[] = [];
  #fix: FixConnection | null = null;
  #taken = 0;
  /** Of all that it received over connections before the present one. */
  #highest = 0;
  #heardAt = 0;
  #orders = 0;
  /** Number of its next message. */
  #next = 1;
  #trades = true;
  #isOver = false;
  #running: Promise<void> | null = null;

  /** @param portOf the port of a node, asked for with each connection */
  constructor(session: ClusterSession, portOf: () => number) {
    this.session = session;
    this.#portOf = portOf;
  }

  get connections(): readonly (readonly MessageView[])[] {
    return this.#connections.map(({ received }) => received);
  }

  get received(): readonly MessageView[] {
    return this.connections.flat();
  }

  get isUp(): boolean {
    return this.downSince === null && this.#fix?.closed === false;
  }

  /** Trade until it is closed. */
  begin(pace: TradingPace): void {
    this.#running = this.#run(pace);
  }

  /** Send no orders any more; stay logged on. */
  rest(): void {
    this.#trades = false;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    for (const fix of this.#connections) fix.destroy();
    await this.#running;
  }

  async #run({ everyMs, retryMs }: TradingPace): Promise<void> {
    const tickMs = Math.min(TICK_MS_MAX, Math.max(20, everyMs / 10));
    let next = 0;
    while (!this.#isOver) {
      if (this.#fix === null || this.#fix.closed) {
        if (!(await this.#connect())) await pause(retryMs * (1 + Math.random()));
        continue;
      }
      this.#take();
      if (performance.now() - this.#heardAt > SILENCE_MS) {
        this.#leave(this.#heardAt);
        continue;
      }
      if (this.#trades && performance.now() > next) {
        this.#order();
        next = performance.now() + everyMs * (0.5 + Math.random());
      }
      await pause(tickMs);
    }
  }

  #leave(downSince: number): void {
    this.downSince ??= downSince;
    for (const view of this.#fix?.received ?? []) this.#highest = Math.max(this.#highest, view.int(Tag.MsgSeqNum)!);
    this.#fix = null;
  }

  async #connect(): Promise<boolean> {
    this.#leave(performance.now());
    const isFirst = this.loggedOnAt === 0;
    const identity = { senderCompID: this.session.name, targetCompID: 'EXCHANGE_TEST' };
    let fix: FixConnection | null = null;
    this.port = this.#portOf();
    try {
      fix = await openFix(this.port, identity);
      fix.nextSenderMsgSeqNum = isFirst ? 1 : this.#next;
      const answered = logOn(fix, { password: PASSWORD, reset: isFirst, heartBtInt: HEARTBEAT_S });
      // A Logon without an answer has used its number all the same.
      this.#next = fix.nextSenderMsgSeqNum;
      const timer = setTimeout(() => fix?.destroy(), LOGON_MS);
      await answered.finally(() => clearTimeout(timer));
    } catch {
      fix?.destroy();
      // A Logout(5) without a Logon takes a number of theirs too. The next first Logon begins the numbers anew.
      if (fix !== null && !isFirst && fix.received.length > 0) {
        this.#connections.push(fix);
        this.#fix = fix;
        this.#leave(performance.now());
      }
      return false;
    }
    this.#fix = fix;
    this.#connections.push(fix);
    this.#taken = 0;
    this.loggedOnAt = this.#heardAt = performance.now();
    this.lastDownMs = this.loggedOnAt - this.downSince!;
    this.downSince = null;
    if (!isFirst) this.#send(`35=2|7=${this.#highest + 1}|16=0`);
    return true;
  }

  #send(body: string): number {
    const number = this.#fix!.send(body);
    this.#next = this.#fix!.nextSenderMsgSeqNum;
    return number;
  }

  #order(): void {
    const clOrdID = `${this.session.name}-${++this.#orders}`;
    const price = this.#orders % 3 === 0 ? FILL_PRICE : REST_PRICE;
    const time = formatUtcTimestamp(Date.now());
    const terms = `38=0.01|40=2|44=${price}|59=1`;
    this.sent.set(
      this.#send(`35=D|11=${clOrdID}|1=${this.session.account}|55=BTCUSDC|54=1|60=${time}|${terms}`),
      clOrdID,
    );
  }

  #take(): void {
    const received = this.#fix?.received ?? [];
    if (this.#taken < received.length) this.#heardAt = performance.now();
    while (this.#taken < received.length) {
      const view = received[this.#taken++]!;
      if (view.msgType === '1') this.#send(`35=0|112=${view.string(Tag.TestReqID)}`);
      else if (view.msgType === '5') {
        this.#send('35=5|');
        this.#fix!.end();
      } else if (view.msgType === '2') {
        const begin = view.int(Tag.BeginSeqNo)!;
        for (const [number, clOrdID] of this.sent) if (number >= begin) this.neverArrived.add(clOrdID);
        const next = this.#fix!.nextSenderMsgSeqNum;
        this.#fix!.send(`35=4|123=Y|36=${next}`, { seqNum: begin, possDup: true });
      }
    }
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
