// A gateway that knows very many orders, on the embedded journal: what an open order costs in memory, how long a look-up
// takes whatever the number of orders known, and how long a start takes. `npm run bench -- orders [known] [open]`.
// Ended orders leave memory and are found in the journal's files; open ones come back at a start (orders-start.ts). Most of
// the ended ones are written as the gateway writes them (known-orders.ts); the rest, and all open ones, go through it.

import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Gateway, type GatewayEffect, type GatewayInput } from '../../src/gateway/mod.ts';
import { type Journal, openJournal } from '../../src/store/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';
import { ACCOUNT, exchangeOrder, gatewayConfig, market, SESSION } from '../gateway/desk.ts';
import { type OrderNames, type OrderRecord, OrderTemplate } from './known-orders.ts';
import type { StartFigures } from './orders-start.ts';

export const NOW = Date.UTC(2026, 0, 5, 12, 0, 0);
export const SESSION_ID = SESSION;
/** Longer than any timer of a resting order. */
const SETTLED_AFTER_MS = 600_000;
const LOOKUPS = 3_000;
/** Orders between two syncs of the journal. */
const BATCH = 250;
/** Ended orders that go through the gateway before look-ups are measured: more than it keeps in memory. */
const TRADED = 1_500;
const PROGRESS = 100_000;
const BYTES_MAX = 1_024;
const START_S_MAX = 5;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Live objects. */
export function heapBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

export const benchConfig = gatewayConfig(
  {
    limits: {
      ...gatewayConfig().sessions[0]!.limits,
      openOrdersMax: 10_000_000,
      orderQtyMax: '1000',
      notionalMax: '100000000',
    },
  },
  // Few, so that what is measured is what is open.
  { referenceRange: { first: '1', last: '99999999999999999' }, endedInMemoryMax: 1_000 },
);

/** The gateway and the journal it records in. */
class House {
  readonly journal: Journal;
  readonly gateway: Gateway;
  /** A thousand orders a second, and timers run. */
  now = NOW;
  /** Called with each record of an order. */
  onRecord: (record: OrderRecord) => void = () => {};

  constructor(journal: Journal) {
    this.journal = journal;
    this.gateway = new Gateway(benchConfig, { orders: journal.recovered.orders, ended: journal.endedOrders });
    this.handle({ kind: 'markets', markets: [market('BTCUSDC')] });
    this.handle({ kind: 'feed', credential: 'main', feed: 'private', live: true });
    this.handle({ kind: 'reconciled', tradingAccountId: ACCOUNT, ok: true });
  }

  /** Handle and record; the reference of the order that goes out, if one does. */
  handle(input: GatewayInput): string | null {
    let submitted: string | null = null;
    const records: OrderRecord[] = [];
    for (const effect of this.gateway.handle(input, this.now)) {
      if (effect.kind === 'submit' && effect.command.kind === 'createOrder') submitted = effect.command.clientOrderId;
      if (effect.kind === 'persistOrder') records.push(recordOf(effect));
    }
    // A frame per input, as a running gateway writes them.
    if (records.length > 0) this.journal.append(records, this.now);
    records.forEach(this.onRecord);
    return submitted;
  }

  /** Time passes, and what is due is done. */
  pass(ms: number): void {
    this.now += ms;
    for (let at = this.gateway.deadline(); at !== null && at <= this.now; at = this.gateway.deadline()) {
      this.handle({ kind: 'tick' });
    }
  }
}

function recordOf({ key, record, ended }: Extract<GatewayEffect, { kind: 'persistOrder' }>): OrderRecord {
  return { kind: 'order', key, record, ...(ended === undefined ? {} : { ended }) };
}

function message(text: string) {
  return viewOf(fromPrintable(text, 'FIX.4.4'))!;
}

const orderIdOf = (i: number): string => `${500_000_000_000_000_000n + BigInt(i)}`;

/** One order that works, as an OMS and the exchange make it; prices and quantities differ from order to order. */
function enter(house: House, i: number): string {
  const quantity = `${1 + (i % 97)}.${10 + (i % 89)}`;
  const price = `${50 + (i % 4_999)}.${i % 10}`;
  const body = `35=D|34=${i}|49=OMS|56=XG|52=20260105-12:00:00|11=order-${i}|1=ACC1|55=BTCUSDC|54=1|60=20260105-12:00:00|38=${quantity}|40=2|44=${price}|59=1|`;
  const reference = house.handle({ kind: 'message', sessionId: SESSION, view: message(body), possDup: false });
  if (reference === null) throw new Error(`order ${i} was refused`);
  const orderId = orderIdOf(i);
  const outcome = { kind: 'accepted', orderId, clientOrderId: reference, requestId: null } as const;
  house.handle({ kind: 'outcome', commandId: `${ACCOUNT}/${reference}/0`, outcome });
  const order = exchangeOrder({ orderId, clientOrderId: reference, quantity, price }, house.now);
  house.handle({ kind: 'order', order, source: 'update' });
  return reference;
}

function end(house: House, i: number, reference: string): void {
  const more = { clientOrderId: reference, status: 'CANCELLED', statusReasonCode: '6019' } as const;
  house.handle({
    kind: 'order',
    order: exchangeOrder({ orderId: orderIdOf(i), ...more }, house.now),
    source: 'update',
  });
}

/** Microseconds per H of an order chosen by `pick`. */
function lookups(house: House, pick: (i: number) => number): number {
  const views = Array.from({ length: LOOKUPS }, (_, i) =>
    message(`35=H|34=9|49=OMS|56=XG|52=20260105-12:00:00|11=order-${pick(i)}|55=BTCUSDC|54=1|`),
  );
  const begun = process.threadCpuUsage();
  for (const view of views) house.handle({ kind: 'message', sessionId: SESSION, view, possDup: false });
  const { user, system } = process.threadCpuUsage(begun);
  return (user + system) / LOOKUPS;
}

/** The first order, and with it the records of those that are only written. */
function firstOrder(house: House): OrderTemplate {
  const records: OrderRecord[] = [];
  house.onRecord = (record) => records.push(record);
  const reference = enter(house, 0);
  end(house, 0, reference);
  house.onRecord = () => {};
  const names = { clOrdID: 'order-0', orderId: orderIdOf(0), reference };
  // The first one is about references, not about an order.
  return new OrderTemplate(
    records.filter(({ key }) => key.endsWith(names.clOrdID)),
    names,
  );
}

/** References that the gateway does not come to. */
function writtenNames(i: number): OrderNames {
  return { clOrdID: `order-${i}`, orderId: orderIdOf(i), reference: `${10_000_000_000 + i}` };
}

async function nextBatch(house: House): Promise<void> {
  house.pass(BATCH);
  await house.journal.sync();
}

/** Write, enter and end orders until so many are known, printing what look-ups cost on the way. */
async function trade(house: House, steps: readonly number[]): Promise<void> {
  console.log('orders known   H of an order in memory   H of an order that left it   H of an unknown one (µs of CPU)');
  const template = firstOrder(house);
  let i = 1;
  for (const until of steps) {
    for (; i < until; i++) {
      if (i >= until - TRADED) end(house, i, enter(house, i));
      else for (const record of template.recordsOf(writtenNames(i))) house.journal.append([record], house.now);
      if (i % BATCH === 0) await nextBatch(house);
      if (i % PROGRESS === 0) console.error(`${i} orders known`);
    }
    await house.journal.sync();
    const spread = Math.max(1, until - 2_000);
    const figures = [
      lookups(house, (k) => until - 1 - (k % 100)),
      lookups(house, (k) => (k * 7_919) % spread),
      lookups(house, (k) => 1_000_000_000 + k),
    ];
    console.log(`${String(until).padStart(12)}   ${figures.map((us) => us.toFixed(1).padStart(20)).join('   ')}`);
  }
}

async function sizeOf(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (entry.isFile()) bytes += (await stat(join(entry.parentPath, entry.name))).size;
  }
  return bytes;
}

async function enterAll(directory: string, known: number, open: number): Promise<void> {
  const house = new House(await openJournal({ directory, now: () => NOW }));
  await trade(house, [Math.floor((known - open) / 100), Math.floor((known - open) / 10), known - open]);
  house.pass(SETTLED_AFTER_MS);
  const before = heapBytes();
  console.log(`everything in memory with ${known - open} ended orders known: ${Math.round(before / 1_048_576)} MiB`);
  for (let i = known - open; i < known; i++) {
    enter(house, i);
    if (i % BATCH === 0) await nextBatch(house);
    if (i % 10_000 === 0) console.error(`${i} orders known, the last ones open`);
  }
  await house.journal.sync();
  house.pass(SETTLED_AFTER_MS);
  await house.journal.sync();
  const bytes = Math.round((heapBytes() - before) / open);
  const count = house.gateway.openOrderCount(SESSION);
  console.log(`memory per open order as it was entered: ${bytes} bytes (${count} open; target ${BYTES_MAX})`);
  await house.journal.close();
}

/** Print memory per open order, look-ups at several sizes, and the time of a start. */
export async function run(args: readonly string[]): Promise<void> {
  const known = Number(args[0] ?? 1_000_000);
  const open = Number(args[1] ?? 50_000);
  const directory = await mkdtemp(join(tmpdir(), 'crossgate-orders-'));
  try {
    const begun = performance.now();
    await enterAll(directory, known, open);
    const seconds = (performance.now() - begun) / 1_000;
    const megabytes = (await sizeOf(directory)) / 1_048_576;
    console.log(`${known} orders in ${seconds.toFixed(0)} s; the journal has ${megabytes.toFixed(0)} MiB`);
    const script = join(import.meta.dirname, 'orders-start.ts');
    for (let k = 0; k < 3; k++) {
      const figures = JSON.parse(
        execFileSync(process.execPath, [script, directory], { encoding: 'utf8' }),
      ) as StartFigures;
      const { journalMs, gatewayMs, cpuMs, bytes } = figures;
      const total = ((journalMs + gatewayMs) / 1_000).toFixed(2);
      console.log(
        `start with ${known} known, ${figures.open} open: ${total} s (journal ${journalMs.toFixed(0)} ms, gateway ${gatewayMs.toFixed(0)} ms, ` +
          `CPU ${cpuMs.toFixed(0)} ms; target ${START_S_MAX} s), ${Math.round(bytes / figures.open)} bytes per open order (target ${BYTES_MAX})`,
      );
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
