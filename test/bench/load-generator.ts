// The OMSs of the load of many accounts, in a process of its own: `load-generator PLAN`. Orders and cancels leave at
// fixed times, independent of earlier ones. Their delay counts from the due time, so that a wait here, or in a full
// socket, is included. Says `warm` when the warm-up is over, then prints one line of JSON.

import { readFileSync } from 'node:fs';
import process from 'node:process';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import { percentile } from './marks.ts';
import { BenchClient, openSocket } from './session-client.ts';

export interface LoadPlan {
  readonly port: number;
  readonly password: string;
  readonly targetCompID: string;
  /** A session each. */
  readonly accounts: readonly { readonly senderCompID: string; readonly account: string }[];
  readonly ordersPerSecond: number;
  /** One order of so many rests and is cancelled; the others are IOC and end by themselves. */
  readonly cancelEvery: number;
  readonly cancelAfterMs: number;
  readonly warmUpS: number;
  readonly seconds: number;
  /** Number of the first order of each session, in its ClOrdID; default 0. A gateway that runs on takes none twice. */
  readonly firstOrder?: number;
}

export interface Delays {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly p999: number;
  readonly worst: number;
}

export interface LoadFigures {
  /** Milliseconds from when a D was due to its first 8, and from when an F was due to the 8 with 150=4. */
  readonly orders: Delays;
  readonly cancels: Delays;
  /** Latest sending after the due time. */
  readonly sentLateMsMax: number;
  readonly unanswered: number;
  /** Refusals by Text(58), longer numbers left out, and how often. */
  readonly refusals: Readonly<Record<string, number>>;
}

const TICK_MS = 1;
const LAST_ANSWERS_MS = 20_000;
const TEXTS_MAX = 20;
const LOGONS_MAX = 50;
const LOGON_PAUSE_MS = 200;

/** Share of the rate in the warm-up: slow answers of cold code must not leave a queue behind. */
const WARM_UP_SHARE = 0.8;

/** Results of the orders of all sessions. */
class Ledger {
  readonly orderMs: number[] = [];
  readonly cancelMs: number[] = [];
  readonly refusals: Record<string, number> = {};
  sentLateMsMax = 0;
  open = 0;

  refused(text: string): void {
    // Times and ids differ, causes are few.
    const kind = text.replace(/\b(o|c)?\d{2,}/g, '#');
    if (kind in this.refusals || Object.keys(this.refusals).length < TEXTS_MAX) {
      this.refusals[kind] = (this.refusals[kind] ?? 0) + 1;
    }
  }
}

/** One OMS: its orders by their number, and when each was due. */
class LoadSession {
  readonly #client: BenchClient;
  readonly #account: string;
  readonly #plan: LoadPlan;
  readonly #ledger: Ledger;
  /** When the next order is due. */
  #due: number;
  readonly #counted: number;
  readonly #cancelDue = new Map<number, number>();
  readonly #resting: { readonly i: number; readonly due: number }[] = [];
  readonly #unanswered = new Map<number, number>();
  #next: number;

  /** `begin`: when its first order is due; counted are orders due from `counted` on. */
  constructor(client: BenchClient, account: string, plan: LoadPlan, ledger: Ledger, begin: number, counted: number) {
    this.#client = client;
    this.#account = account;
    this.#plan = plan;
    this.#ledger = ledger;
    this.#due = begin;
    this.#counted = counted;
    this.#next = plan.firstOrder ?? 0;
    client.onFrame = (text) => this.#take(text);
  }

  /** Send what is due, up to the end. */
  tick(now: number, end: number): void {
    const { ordersPerSecond, cancelEvery, cancelAfterMs } = this.#plan;
    while (this.#due <= now && this.#due < end) {
      const due = this.#due;
      this.#due += 1_000 / (due < this.#counted ? ordersPerSecond * WARM_UP_SHARE : ordersPerSecond);
      const rests = this.#next % cancelEvery === 0;
      this.#unanswered.set(this.#next, due);
      this.#ledger.open++;
      this.#order(this.#next, rests);
      if (rests) this.#resting.push({ i: this.#next, due: due + cancelAfterMs });
      this.#late(due);
      this.#next++;
    }
    for (let first = this.#resting[0]; first !== undefined; first = this.#resting[0]) {
      if (first.due > now) break;
      this.#resting.shift();
      this.#cancelDue.set(first.i, first.due);
      this.#ledger.open++;
      this.#cancel(first.i);
      this.#late(first.due);
    }
  }

  #late(due: number): void {
    if (due >= this.#counted)
      this.#ledger.sentLateMsMax = Math.max(this.#ledger.sentLateMsMax, performance.now() - due);
  }

  #order(i: number, rests: boolean): void {
    const time = formatUtcTimestamp(Date.now());
    const body = `11=o${i}|1=${this.#account}|55=BTCUSDC|54=1|60=${time}|38=0.001|40=2|44=50000.0|59=${rests ? 1 : 3}`;
    this.#client.socket.write(this.#client.render('35=D', body));
  }

  #cancel(i: number): void {
    const time = formatUtcTimestamp(Date.now());
    const body = `11=c${i}|41=o${i}|1=${this.#account}|55=BTCUSDC|54=1|38=0.001|60=${time}`;
    this.#client.socket.write(this.#client.render('35=F', body));
  }

  #take(text: string): void {
    const msgType = field(text, '35');
    if (msgType === '1') this.#client.socket.write(this.#client.heartbeat(field(text, '112') ?? ''));
    if (msgType === '8') this.#report(text);
    if (msgType === '9' || msgType === '3' || msgType === 'j') this.#refused(text);
  }

  #report(text: string): void {
    const now = performance.now();
    const execType = field(text, '150');
    const clOrdID = field(text, '11') ?? '';
    const i = Number(clOrdID.slice(1));
    if (execType === '8' && this.#isCounted(this.#unanswered.get(i))) this.#ledger.refused(field(text, '58') ?? '');
    if (clOrdID.startsWith('o')) this.#settle(this.#unanswered, i, this.#ledger.orderMs, now);
    else if (execType === '4') {
      this.#settle(this.#cancelDue, i, this.#ledger.cancelMs, now);
      // Cancelled while it waited for its turn, the order itself has no other answer.
      this.#settle(this.#unanswered, Number(field(text, '41')?.slice(1)), this.#ledger.orderMs, now);
    }
  }

  #refused(text: string): void {
    const i = Number((field(text, '11') ?? '').slice(1));
    const due = this.#cancelDue.get(i);
    if (due === undefined || this.#isCounted(due)) {
      this.#ledger.refused(`35=${field(text, '35')}: ${field(text, '58')}`);
    }
    if (this.#cancelDue.delete(i)) this.#ledger.open--;
  }

  #isCounted(due: number | undefined): boolean {
    return due !== undefined && due >= this.#counted;
  }

  #settle(waiting: Map<number, number>, i: number, delays: number[], now: number): void {
    const due = waiting.get(i);
    if (due === undefined) return;
    waiting.delete(i);
    this.#ledger.open--;
    if (due >= this.#counted) delays.push(now - due);
  }
}

function field(text: string, tag: string): string | null {
  const at = text.indexOf(`\u0001${tag}=`);
  if (at === -1) return null;
  const from = at + tag.length + 2;
  return text.slice(from, text.indexOf('\u0001', from));
}

function delaysOf(list: readonly number[]): Delays {
  const sorted = list.toSorted((a, b) => a - b);
  const [p50, p99, p999] = [0.5, 0.99, 0.999].map((p) => percentile(sorted, p)) as [number, number, number];
  return { count: sorted.length, p50, p99, p999, worst: sorted.at(-1) ?? Number.NaN };
}

/** Log on; again while the session of a load before counts as connected. */
async function loggedOn(options: ConstructorParameters<typeof BenchClient>[1]): Promise<BenchClient> {
  for (let attempt = 1; ; attempt++) {
    const client = new BenchClient(await openSocket(options), options);
    try {
      await client.logOn();
      return client;
    } catch (error) {
      if (attempt === LOGONS_MAX) throw error;
      await new Promise((resolve) => setTimeout(resolve, LOGON_PAUSE_MS));
    }
  }
}

async function generate(plan: LoadPlan): Promise<LoadFigures> {
  const { accounts, port, password, targetCompID: target, warmUpS, seconds } = plan;
  const clients: BenchClient[] = [];
  for (const { senderCompID: sender } of accounts) {
    clients.push(await loggedOn({ port, sender, target, password }));
  }
  const ledger = new Ledger();
  const begin = performance.now() + 100;
  const counted = begin + warmUpS * 1_000;
  const end = counted + seconds * 1_000;
  const sessions = accounts.map(({ account }, i) => {
    // Not all at the same moment.
    const own = begin + (i * 1_000) / (plan.ordersPerSecond * accounts.length);
    return new LoadSession(clients[i]!, account, plan, ledger, own, counted);
  });
  let isWarm = false;
  for (let minute = 1; ; ) {
    const now = performance.now();
    for (const session of sessions) session.tick(now, end);
    if (!isWarm && now >= counted) {
      isWarm = true;
      console.log('warm');
    }
    if (now >= counted + minute * 60_000) console.error(`minute ${minute++}: ${ledger.orderMs.length} orders answered`);
    if (now >= end + plan.cancelAfterMs && (ledger.open === 0 || now >= end + LAST_ANSWERS_MS)) break;
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  for (const { socket } of clients) socket.destroy();
  const { refusals, sentLateMsMax, open } = ledger;
  return {
    orders: delaysOf(ledger.orderMs),
    cancels: delaysOf(ledger.cancelMs),
    sentLateMsMax,
    unanswered: open,
    refusals,
  };
}

if (process.argv[1] === import.meta.filename) {
  const plan = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as LoadPlan;
  console.log(JSON.stringify(await generate(plan)));
}
