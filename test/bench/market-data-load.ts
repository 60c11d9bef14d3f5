// The exchange and the readers of the market data benchmark, in a process of their own: `market-data-load WORLD KEYS`. Says the
// exchange's address, then reads one plan a line from its input and answers each with figures as one line of JSON. Updates are
// due at fixed times, open loop. A level's new total names the update in an X, so each delay counts from when its update was due.

import { createConnection, type Socket } from 'node:net';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { startSimulator } from '../../src/simulator/mod.ts';
import { percentile } from './marks.ts';
import { BenchClient, openSocket } from './session-client.ts';

export interface MarketDataPlan {
  readonly kind: 'gateway' | 'floor';
  readonly port: number;
  /** Of the floor. */
  readonly controlPort: number;
  readonly password: string;
  readonly sessions: readonly string[];
  readonly symbols: readonly string[];
  readonly depth: number;
  /** Updates a second of each symbol, one stretch after the other. */
  readonly rates: readonly number[];
  readonly seconds: number;
  /** The process that is measured. */
  readonly pid: number;
}

/** Of one rate. Milliseconds from when an update was due to its X. */
export interface StretchFigures {
  readonly rate: number;
  readonly perSecond: number;
  readonly bytesPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  /** p99 of the first and of the last quarter: a queue that grows shows in their difference. */
  readonly p99First: number;
  readonly p99Last: number;
  /** Processors that the measured process used. */
  readonly processors: number;
}

const LEVELS = 20;
const WARM_UP_S = 3;
const SAMPLES_MAX = 2_000_000;
const QUIET_MS = 1_000;

const [worldFile = '', keysDirectory = ''] = process.argv.slice(2);
const simulator = await startSimulator({ worldFile, keysDirectory, liquidity: 'off', limits: null });

/** When each update was due, by its level's new total. */
const due = new Map<string, number>();
const delays = new Float64Array(SAMPLES_MAX);
const arrivals = new Float64Array(SAMPLES_MAX);
let count = 0;
let messages = 0;
let bytes = 0;

function take(text: string): void {
  if (!text.includes('\x0135=X\x01')) return;
  const now = performance.now();
  messages++;
  bytes += text.length;
  const begun = due.get(nameOf(text));
  if (begun === undefined || count >= SAMPLES_MAX) return;
  delays[count] = now - begun;
  arrivals[count++] = now;
}

/** The symbol and level of the last entry, and its total. */
function nameOf(text: string): string {
  const at = text.lastIndexOf('\x01278=') + 5;
  const from = text.indexOf('\x01271=', at) + 5;
  return `${text.slice(at, text.indexOf('\x01', at))} ${text.slice(from, text.indexOf('\x01', from))}`;
}

/** The book of a symbol, one update after the other: each adds to a level. */
class Book {
  readonly symbol: string;
  readonly totals = new Int32Array(2 * LEVELS);
  next = 0;

  constructor(symbol: string) {
    this.symbol = symbol;
  }

  /** Its name, and what makes it. */
  update(): { readonly name: string; readonly side: 'BUY' | 'SELL'; readonly price: string } {
    const place = this.next++ % this.totals.length;
    const isBid = place % 2 === 0;
    const level = place >> 1;
    this.totals[place]!++;
    const price = (isBid ? 59_999 - level : 60_001 + level).toFixed(4);
    const total = (this.totals[place]! / 1000).toFixed(8);
    return { name: `${this.symbol}:${isBid ? 0 : 1}:${price} ${total}`, side: isBid ? 'BUY' : 'SELL', price };
  }
}

const cpuMs = async (pid: number): Promise<number> => {
  const { readFile } = await import('node:fs/promises');
  const text = await readFile(`/proc/${pid}/stat`, 'latin1');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
};
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Apply an update: at the simulated exchange, or as the X of a gateway that the floor writes out. */
function apply(book: Book, at: number, control: Socket | null): void {
  const { name, side, price } = book.update();
  due.set(name, at);
  if (control === null) {
    const order = { symbol: book.symbol, side, price, quantity: '0.001', timeInForce: 'GTC' } as const;
    simulator.control.counterparty(order);
    return;
  }
  const [id, total] = name.split(' ');
  const body = `35=X\x0134=000000\x0149=EXCHANGE_TEST\x0152=20261130-00:00:00.000\x0156=MD_000\x0157=ADMIN\x01262=M-1\x01268=1\x01279=1\x01269=0\x01278=${id}\x0155=${book.symbol}\x01270=${price}\x01271=${total}\x01290=1\x01`;
  control.write(`8=FIX.4.4\x019=${body.length}\x01${body}10=000\x01`);
}

async function stretch(
  plan: MarketDataPlan,
  books: Book[],
  rate: number,
  control: Socket | null,
): Promise<StretchFigures> {
  const period = 1_000 / (rate * books.length);
  const begin = performance.now();
  const counted = begin + WARM_UP_S * 1_000;
  const end = counted + plan.seconds * 1_000;
  let next = begin;
  let i = 0;
  let [from, fromMessages, fromBytes, cpu] = [0, 0, 0, -1];
  for (let now = begin; now < end; now = performance.now()) {
    for (; next <= now && next < end; next += period) apply(books[i++ % books.length]!, next, control);
    if (cpu === -1 && now >= counted) {
      [from, fromMessages, fromBytes] = [count, messages, bytes];
      cpu = await cpuMs(plan.pid);
    }
    await sleep(1);
  }
  const used = (await cpuMs(plan.pid)) - cpu;
  const seconds = (performance.now() - counted) / 1_000;
  const [said, saidBytes] = [messages - fromMessages, bytes - fromBytes];
  const to = count;
  await sleep(QUIET_MS);
  const part = (a: number, b: number): number[] => {
    const own: number[] = [];
    for (let k = from; k < to; k++) if (arrivals[k]! >= a && arrivals[k]! < b) own.push(delays[k]!);
    return own.sort((x, y) => x - y);
  };
  const all = part(0, Number.POSITIVE_INFINITY);
  const quarter = (end - counted) / 4;
  return {
    rate,
    perSecond: said / seconds,
    bytesPerSecond: saidBytes / seconds,
    p50: percentile(all, 0.5),
    p99: percentile(all, 0.99),
    worst: all.at(-1) ?? Number.NaN,
    p99First: percentile(part(counted, counted + quarter), 0.99),
    p99Last: percentile(part(end - quarter, end), 0.99),
    processors: used / (seconds * 1_000),
  };
}

/** Sessions that follow every symbol; each has its first W when this returns. */
async function logOn(plan: MarketDataPlan): Promise<BenchClient[]> {
  const clients: BenchClient[] = [];
  for (const sender of plan.sessions) {
    const options = { port: plan.port, sender, target: 'EXCHANGE_TEST', password: plan.password };
    const client = new BenchClient(await openSocket(options), options);
    clients.push(client);
    if (plan.kind === 'floor') continue;
    await client.logOn();
    const symbols = plan.symbols.map((symbol) => `|55=${symbol}`).join('');
    const types = '267=2|269=0|269=1';
    const request = `262=M-1|263=1|264=${plan.depth}|265=1|${types}|146=${plan.symbols.length}${symbols}`;
    client.socket.write(client.render('35=V', request));
    await client.reach(1 + plan.symbols.length);
  }
  for (const client of clients) client.onFrame = take;
  return clients;
}

async function run(plan: MarketDataPlan): Promise<StretchFigures[]> {
  const books = plan.symbols.map((symbol) => new Book(symbol));
  const control = plan.kind === 'floor' ? createConnection({ port: plan.controlPort, noDelay: true }) : null;
  // Every level is there before anybody reads.
  if (control === null) for (const book of books) for (let k = 0; k < 2 * LEVELS; k++) apply(book, 0, null);
  const clients = await logOn(plan);
  const figures: StretchFigures[] = [];
  for (const rate of plan.rates) figures.push(await stretch(plan, books, rate, control));
  for (const { socket } of clients) socket.destroy();
  control?.destroy();
  due.clear();
  count = 0;
  return figures;
}

console.log(JSON.stringify({ url: simulator.url }));
createInterface({ input: process.stdin }).on('line', (line) => {
  void run(JSON.parse(line) as MarketDataPlan).then((figures) => console.log(JSON.stringify({ figures })));
});
process.once('SIGINT', () => void simulator.close().then(() => process.exit(0)));
