// A campaign of kills and disk errors: orders and fills run through a real gateway process and a simulated exchange
// that outlives it. The gateway is killed at random moments, or by strace at its N-th fdatasync, and restarted, or
// strace fails its N-th write to the journal. In the end the view of the OMS, the journal and the exchange have to
// agree: nothing lost, nothing twice, numbers contiguous.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Decimal } from '../../../src/base/decimal.ts';
import { readJournal, readRowJournal, verifyJournal, verifyRows } from '../../../src/store/mod.ts';
import { type MessageView, Tag, viewOf } from '../../../src/wire/mod.ts';
import { type FixConnection, logOn, openFix, reconnect, report } from '../network/fix-connection.ts';
import { expectNoGap, fillsOf } from '../oms/fills.ts';
import { ACCOUNT, ACME, type ExchangeHouse, exchangeHouse, limitOrder, PASSWORD } from '../processes/exchange-house.ts';
import type { GatewayProcess } from '../processes/gateway-process.ts';
import { Injection } from './injection.ts';

/** A system call of the gateway that fails, counted from the moment at which traffic begins. */
export interface DiskError {
  readonly call: 'pwrite64' | 'fdatasync';
  readonly error: 'ENOSPC' | 'EIO';
  readonly at: number;
  /** It fails from then on until the traffic ends, not once. */
  readonly stays?: boolean;
}

export interface CrashCampaignOptions {
  readonly kills: number;
  readonly seed: number;
  /** Every third kill comes at the N-th fdatasync; needs strace. */
  readonly atSyncs: boolean;
  readonly onKill?: (kill: number) => void;
  /** Address of a database that has the journal instead of files. */
  readonly postgres?: string;
  /** Disk errors, one after the other; a kill follows every {@link KILL_EVERY} and the last. */
  readonly diskErrors?: readonly DiskError[];
}

export interface CrashCampaignResult {
  readonly kills: number;
  readonly atSyncs: number;
  readonly orders: number;
  /** Orders that had not reached the gateway's journal when it died: the OMS knows, because it is asked for their numbers. */
  readonly neverArrived: number;
  readonly fills: number;
  readonly resent: number;
  /** Disk errors that struck. */
  readonly struck: number;
  /** Orders refused with a reason because nothing could be recorded. */
  readonly refused: number;
}

/** Disk errors between two kills. */
const KILL_EVERY = 10;
const ORDERS_PER_ERROR_MAX = 150;
const JOURNAL = 'campaign';
/** A killed gateway is waited for as long; one that lives gives it up when it gets no processor for most of it. */
const LEASE_MS = 2_500;
const FILLED = 'filled-order';
/** Longest wait for the answer to an order that may get none while the disk fails. */
const ANSWER_MS = 300;
const PATIENCE_MS = Number(process.env.CROSSGATE_TEST_PATIENCE_MS ?? 60_000);

class Campaign {
  readonly #options: CrashCampaignOptions;
  readonly #house: ExchangeHouse;
  #state: number;
  #gateway!: GatewayProcess;
  #fix!: FixConnection;
  readonly #received: MessageView[] = [];
  /** ClOrdID by the number under which it was sent. */
  readonly #sent = new Map<number, string>();
  readonly #neverArrived = new Set<string>();
  #orders = 0;
  #sold = Decimal.ZERO;
  #atSyncs = 0;
  #struck = 0;

  constructor(options: CrashCampaignOptions, house: ExchangeHouse) {
    this.#options = options;
    this.#house = house;
    this.#state = options.seed;
  }

  #below(max: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * max);
  }

  async run(): Promise<CrashCampaignResult> {
    this.#gateway = await this.#house.start();
    this.#fix = await openFix(this.#gateway.fixPort, ACME);
    await logOn(this.#fix, { password: PASSWORD });
    // A round sells at most 0.2.
    const { kills, diskErrors = [] } = this.#options;
    this.#order(FILLED, String(Math.ceil((kills + diskErrors.length) / 5) + 1), '60000');
    await this.#fix.expect('New', report(FILLED, '0', '0'));
    for (let kill = 1; kill <= this.#options.kills; kill++) {
      await this.#round();
      this.#options.onKill?.(kill);
    }
    await this.#diskErrors(this.#options.diskErrors ?? []);
    return await this.#reconcile();
  }

  #order(clOrdID: string, quantity: string, price: string): void {
    this.#sent.set(this.#fix.send(limitOrder(clOrdID, quantity, price)), clOrdID);
    this.#orders++;
  }

  /** An order and its answer, if it gets one in time: a write and a sync of its own, however slow the machine is. */
  async #orderAnswered(died: Promise<unknown>): Promise<void> {
    const clOrdID = `o-${this.#orders}`;
    this.#order(clOrdID, '0.001', '50000');
    const isAnswer = (view: MessageView): boolean => report(clOrdID, '0')(view) || report(clOrdID, '8')(view);
    await Promise.race([died, this.#fix.expect(`an answer to ${clOrdID}`, isAnswer, ANSWER_MS).catch(() => null)]);
  }

  #sell(): void {
    const filled = this.#house.simulator.control.trade('BTCUSDC', 'SELL', '60000', '0.01');
    this.#sold = this.#sold.add(Decimal.of(filled));
  }

  async #round(): Promise<void> {
    const bySync = this.#options.atSyncs && this.#below(3) === 0;
    const { pid } = this.#gateway.process;
    const what = `signal=KILL:when=${1 + this.#below(6)}`;
    const injection = bySync ? await Injection.begin(pid, 'fdatasync', what) : null;
    const died = this.#gateway.process.ended();
    const traffic = this.#below(8) + (bySync ? 12 : 1);
    for (let k = 0; k < traffic && !this.#fix.closed; k++) {
      if (this.#below(3) === 0) this.#sell();
      else this.#order(`o-${this.#orders}`, '0.001', '50000');
      if (bySync || this.#below(2) === 0) await new Promise((resolve) => setTimeout(resolve, this.#below(25)));
    }
    if (injection === null) {
      await new Promise((resolve) => setTimeout(resolve, this.#below(40)));
      await this.#gateway.kill();
    } else {
      // It syncs again by itself at every heartbeat at least; an order brings it about at once.
      const until = Date.now() + PATIENCE_MS;
      let isDead = false;
      void died.then(() => {
        isDead = true;
      });
      // Its death is known before its socket closes: what waits for either then no longer lets the socket be heard.
      while (!isDead && !this.#fix.closed) {
        await this.#orderAnswered(died);
        check(Date.now() < until, `no fdatasync killed the gateway: ${injection.said.slice(-5).join(' / ')}`);
      }
      await died;
      injection.drop();
      this.#atSyncs++;
    }
    await this.#again();
  }

  /** The gateway is dead: start the next one and go on with it. */
  async #again(): Promise<void> {
    await this.#fix.expectClosed();
    this.#received.push(...this.#fix.received);
    if (this.#below(2) === 0) this.#sell();
    this.#gateway = await this.#house.start();
    await this.#reconnect();
  }

  /** Traffic until the error struck, then until orders are taken again. */
  async #diskError({ call, error, at, stays = false }: DiskError): Promise<void> {
    const what = `error=${error}:when=${at}${stays ? '+' : ''}`;
    const injection = await Injection.begin(this.#gateway.process.pid, call, what);
    let after = stays ? 10 : 2;
    for (let k = 0; k < ORDERS_PER_ERROR_MAX && after > 0 && !this.#fix.closed; k++) {
      if (this.#below(4) === 0) this.#sell();
      else await this.#orderAnswered(this.#gateway.process.ended());
      if (injection.struck > 0) after--;
    }
    await injection.end();
    if (injection.struck > 0) this.#struck++;
    for (let attempt = 1; ; attempt++) {
      if (this.#fix.closed) {
        this.#received.push(...this.#fix.received);
        await this.#reconnect();
      }
      const clOrdID = `o-${this.#orders}`;
      this.#order(clOrdID, '0.001', '50000');
      const isAnswer = (view: MessageView): boolean => report(clOrdID, '0')(view) || report(clOrdID, '8')(view);
      // A session logged out meanwhile is informed at the next Logon.
      const answer = await this.#fix
        .expect(`an answer to ${clOrdID}`, isAnswer, PATIENCE_MS)
        .catch((problem: Error) => {
          if (this.#fix.closed) return null;
          throw problem;
        });
      if (answer?.string(Tag.ExecType) === '0') return;
      check(attempt < 100, `no order was taken any more after ${error} of ${call} at ${at}`);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }

  async #diskErrors(errors: readonly DiskError[]): Promise<void> {
    for (const [k, error] of errors.entries()) {
      await this.#diskError(error);
      this.#options.onKill?.(k + 1);
      if ((k + 1) % KILL_EVERY !== 0 && k + 1 < errors.length) continue;
      await this.#gateway.kill();
      await this.#again();
    }
  }

  /** Log on with 141=N, ask for what is missing, answer what the gateway asks for: an OMS that gives up late orders. */
  async #reconnect(): Promise<void> {
    const { nextSenderMsgSeqNum } = this.#fix;
    const expected = Math.max(...this.#received.map((view) => view.int(Tag.MsgSeqNum) ?? 0)) + 1;
    const again = { password: PASSWORD, reset: false, nextSenderMsgSeqNum };
    this.#fix = (await reconnect(this.#gateway.fixPort, ACME, again)).connection;
    this.#fix.send(`35=2|7=${expected}|16=0`);
    const id = `ready-${nextSenderMsgSeqNum}`;
    this.#fix.send(`35=1|112=${id}`);
    const isReady = (view: MessageView): boolean => view.string(Tag.TestReqID) === id;
    const first = await this.#fix.expect(
      'a ResendRequest or the Heartbeat',
      (view) => view.msgType === '2' || isReady(view),
      PATIENCE_MS,
    );
    if (first.msgType === '2') {
      const begin = first.int(Tag.BeginSeqNo)!;
      for (const [seqNum, clOrdID] of this.#sent) if (seqNum >= begin) this.#neverArrived.add(clOrdID);
      const next = this.#fix.nextSenderMsgSeqNum;
      this.#fix.send(`35=4|123=Y|36=${next}`, { seqNum: begin, possDup: true });
      this.#fix.send(`35=1|112=${id}`);
    }
    await this.#fix.expect('the Heartbeat', isReady, PATIENCE_MS);
  }

  async #reconcile(): Promise<CrashCampaignResult> {
    const arrived = [...this.#sent.values()].filter((clOrdID) => !this.#neverArrived.has(clOrdID));
    const known = (): MessageView[] => [...this.#received, ...this.#fix.received];
    const isAnswered = (clOrdID: string): boolean =>
      known().some((view) => view.string(Tag.ClOrdID) === clOrdID && '08'.includes(view.string(Tag.ExecType) ?? '-'));
    for (const clOrdID of arrived) {
      if (isAnswered(clOrdID)) continue;
      await this.#fix.expect(`an answer to ${clOrdID}`, () => isAnswered(clOrdID), PATIENCE_MS);
    }
    const total = this.#sold.trimmed().toString();
    const filled = (): Decimal =>
      fillsOf(known(), FILLED).reduce((sum, view) => sum.add(view.decimal(Tag.LastQty)!), Decimal.ZERO);
    await this.#fix.expect(`fills of ${total}`, () => filled().compare(this.#sold) >= 0, PATIENCE_MS);
    check(filled().compare(this.#sold) === 0, `fills of ${filled()} were reported, ${total} were traded`);
    expectNoGap(known());
    this.#compareOrders(known(), arrived);
    await this.#compareJournal(known());
    const fills = fillsOf(known(), FILLED).length;
    const resent = known().filter((view) => view.boolean(Tag.PossDupFlag) === true && view.msgType === '8').length;
    this.#fix.destroy();
    const { kills } = this.#options;
    const [orders, neverArrived] = [this.#orders, this.#neverArrived.size];
    const refused = new Set(known().flatMap((view) => (isRefusal(view) ? [view.string(Tag.ClOrdID)] : []))).size;
    return { kills, atSyncs: this.#atSyncs, orders, neverArrived, fills, resent, struck: this.#struck, refused };
  }

  /** Each order reported as New to the OMS is on the exchange once, and nothing else is. */
  #compareOrders(known: readonly MessageView[], arrived: readonly string[]): void {
    const orderIDs = new Map<string, string>();
    for (const view of known) {
      if (view.msgType !== '8' || view.string(Tag.ExecType) !== '0') continue;
      const clOrdID = view.string(Tag.ClOrdID)!;
      const orderID = view.string(Tag.OrderID)!;
      check(
        (orderIDs.get(clOrdID) ?? orderID) === orderID,
        `${clOrdID} is two orders, ${orderIDs.get(clOrdID)} and ${orderID}`,
      );
      orderIDs.set(clOrdID, orderID);
      check(arrived.includes(clOrdID), `${clOrdID} is New, though its message was asked for again and given up`);
    }
    const told = [...orderIDs.values()].sort();
    const open = this.#house.simulator.control.openOrders(ACCOUNT).map(({ orderId }) => orderId);
    check(new Set(told).size === told.length, 'two ClOrdIDs are one order');
    const missing = told.filter((orderID) => !open.includes(orderID));
    const unknown = open.filter((orderID) => !told.includes(orderID));
    check(missing.length === 0, `New was reported of orders that the exchange does not have: ${missing.join()}`);
    check(unknown.length === 0, `the exchange has orders without any report to the OMS: ${unknown.join()}`);
  }

  /** Every number that the OMS received is in the journal, with the same bytes. */
  async #compareJournal(known: readonly MessageView[]): Promise<void> {
    const directory = join(this.#house.home.state, 'journal');
    const { postgres } = this.#options;
    const rows = postgres === undefined ? null : { url: postgres, journal: JOURNAL };
    const { problems } = await (rows === null ? verifyJournal(directory, Date.now()) : verifyRows(rows));
    check(problems.length === 0, `the journal is damaged: ${JSON.stringify(problems)}`);
    const execIDs = new Map<number, string | null>();
    let last = 0;
    for await (const { record } of rows === null ? readJournal(directory) : readRowJournal(rows)) {
      if (record.kind !== 'outbound' || !record.sessionId.endsWith(`->${ACME.senderCompID}`)) continue;
      check(record.msgSeqNum === last + 1, `after number ${last} the journal has ${record.msgSeqNum}`);
      last = record.msgSeqNum;
      execIDs.set(record.msgSeqNum, viewOf(record.raw)?.string(Tag.ExecID) ?? null);
    }
    for (const view of known) {
      if (view.msgType !== '8') continue;
      const seqNum = view.int(Tag.MsgSeqNum)!;
      check(execIDs.get(seqNum) === view.string(Tag.ExecID), `number ${seqNum} is another message in the journal`);
    }
  }
}

function isRefusal(view: MessageView): boolean {
  return view.msgType === '8' && view.string(Tag.ExecType) === '8';
}

function check(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise);
}

/** Run a campaign. @throws Error that says what did not agree */
export async function crashCampaign(options: CrashCampaignOptions): Promise<CrashCampaignResult> {
  const house = await exchangeHouse({
    'ACME_OMS.yaml': {
      // Orders have to outlive the gateway's death here; rule C1 would have them cancelled.
      cancelOnDisconnect: { on: 'off' },
      'limits.openOrdersMax': 100_000,
      'limits.orderQtyMax': '100000',
      'limits.notionalMax': '100000000000',
      'limits.priceBandPercent': 'off',
    },
    // Small files, so that snapshots are made and used on the way.
    'gateway.yaml': { journal: { segmentBytes: 1_048_576, snapshotBytes: 1_048_576 } },
  });
  try {
    const { postgres } = options;
    if (postgres !== undefined) {
      await writeFile(join(house.home.secrets, 'postgres.url'), postgres, { mode: 0o600 });
      const store = { kind: 'postgres', url: 'file:secrets/postgres.url', journal: JOURNAL };
      await house.home.configure('gateway.yaml', { store: { ...store, leaseMs: LEASE_MS, requestTimeoutMs: 1_000 } });
    }
    return await new Campaign(options, house).run();
  } finally {
    await house.close();
  }
}
