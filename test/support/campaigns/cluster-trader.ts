// An OMS of the cluster campaign: one session that trades over whichever node lets it in, and everything that it received over all its
// connections. It asks for missed messages, and gives up those of its own that did not arrive.

import { formatUtcTimestamp } from '../../../src/base/time.ts';
import { type MessageView, Tag } from '../../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix } from '../network/fix-connection.ts';
import type { ClusterSession } from '../processes/cluster-house.ts';
import { PASSWORD } from '../processes/exchange-house.ts';

/** At this price the campaign sells; orders below it rest. */
export const FILL_PRICE = '60000';
const REST_PRICE = '50000';
const LOGON_MS = 10_000;
const RETRY_MS = 50;

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
  readonly #portOf: () => number;
  readonly #earlier: MessageView[] = [];
  #fix: FixConnection | null = null;
  #taken = 0;
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

  get received(): readonly MessageView[] {
    return [...this.#earlier, ...(this.#fix?.received ?? [])];
  }

  get isUp(): boolean {
    return this.downSince === null && this.#fix?.closed === false;
  }

  /** Trade, an order each `everyMs` or so, until it is closed. */
  begin(everyMs: number): void {
    this.#running = this.#run(everyMs);
  }

  /** Send no orders any more; stay logged on. */
  rest(): void {
    this.#trades = false;
  }

  async close(): Promise<void> {
    this.#isOver = true;
    this.#fix?.destroy();
    await this.#running;
  }

  async #run(everyMs: number): Promise<void> {
    let next = 0;
    while (!this.#isOver) {
      if (this.#fix === null || this.#fix.closed) {
        if (!(await this.#connect())) await pause(RETRY_MS * (1 + Math.random()));
        continue;
      }
      this.#take();
      if (this.#trades && performance.now() > next) {
        this.#order();
        next = performance.now() + everyMs * (0.5 + Math.random());
      }
      await pause(20);
    }
  }

  async #connect(): Promise<boolean> {
    this.downSince ??= performance.now();
    const before = this.#fix;
    if (before !== null) {
      this.#earlier.push(...before.received);
      this.#fix = null;
    }
    const isFirst = this.loggedOnAt === 0;
    const identity = { senderCompID: this.session.name, targetCompID: 'EXCHANGE_TEST' };
    let fix: FixConnection | null = null;
    try {
      fix = await openFix(this.#portOf(), identity);
      fix.nextSenderMsgSeqNum = isFirst ? 1 : this.#next;
      const answered = logOn(fix, { password: PASSWORD, reset: isFirst });
      const timer = setTimeout(() => fix?.destroy(), LOGON_MS);
      // A Logon without an answer has used its number all the same.
      this.#next = fix.nextSenderMsgSeqNum;
      await answered.finally(() => clearTimeout(timer));
    } catch {
      fix?.destroy();
      // A Logout(5) without a Logon takes a number of theirs too.
      if (fix !== null) this.#earlier.push(...fix.received);
      return false;
    }
    this.#fix = fix;
    this.#taken = 0;
    this.loggedOnAt = performance.now();
    this.lastDownMs = this.loggedOnAt - this.downSince;
    this.downSince = null;
    const last = Math.max(0, ...this.#earlier.map((view) => view.int(Tag.MsgSeqNum)!));
    if (!isFirst) this.#send(`35=2|7=${last + 1}|16=0`);
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
