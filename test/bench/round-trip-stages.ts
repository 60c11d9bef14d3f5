// What the gateway itself adds to an order, by stage, from marks made inside its process (round-trip-gateway.ts): from the
// moment that the bytes of a D were read to the moment that the signed POST was handed to the operating system, and from the
// moment that the order's frame was read off the stream to the moment that the bytes of the 8 were. Signing and the wait for
// the disk lie within these times: they are taken out and shown beside; writing the journal is not taken out. Orders leave at
// fixed times, slow enough that they do not queue for each other: those that overlapped are counted and left out.

import { join } from 'node:path';
import { Tag } from '../../src/wire/mod.ts';
import { ACME, limitOrder, PASSWORD } from '../support/exchange-house.ts';
import { ExchangeProcess, UNLIMITED } from '../support/exchange-process.ts';
import { logOn, openFix } from '../support/fix-connection.ts';
import { GatewayHome } from '../support/gateway-process.ts';
import { type Mark, percentile, readMarks } from './marks.ts';

const ORDERS = 2_500;
/** Sent before, ten in flight: a gateway that has been up for a while runs optimized code. */
const WARM_UP = 6_000;
const WARM_UP_IN_FLIGHT = 10;
/** Open loop: an order leaves at its time, whatever became of the one before. */
const ORDERS_PER_SECOND = 100;

/** Microseconds of one order by stage. */
interface Stages {
  readonly inbound: number[];
  readonly outbound: number[];
  readonly sum: number[];
  readonly signing: number[];
  readonly write: number[];
  readonly sync: number[];
}

type Part = 'signing' | 'journal' | 'sync';

/** What lies between two marks, without what is between `begins` and `ends` of signing and sync. */
function split(marks: readonly Mark[], from: number, to: number): { own: number } & Record<Part, number> {
  const first = marks[from]!.at;
  const spent: Record<Part, number> = { signing: 0, journal: 0, sync: 0 };
  const begun: Record<Part, number | null> = { signing: null, journal: null, sync: null };
  for (let i = from; i <= to; i++) {
    const { at, name } = marks[i]!;
    const [what, how] = name.split(' ') as [Part, string];
    if (!(what in spent)) continue;
    if (how === 'begins') begun[what] = at;
    else {
      // What began before the order came is counted from there.
      spent[what] += at - (begun[what] ?? first);
      begun[what] = null;
    }
  }
  return { own: marks[to]!.at - first - spent.signing - spent.sync, ...spent };
}

/** One order per frame in, from the one after so many; an order that another one overlapped is left out, and counted. */
function stagesOf(marks: readonly Mark[], after: number): { stages: Stages; overlapped: number } {
  const stages: Stages = { inbound: [], outbound: [], sum: [], signing: [], write: [], sync: [] };
  const starts = marks.flatMap(({ name }, i) => (name === 'frame in' ? [i] : [])).slice(-after - 1);
  let overlapped = 0;
  for (const [n, start] of starts.slice(0, -1).entries()) {
    const next = starts[n + 1]!;
    const names = marks.slice(start, next).map(({ name }) => name);
    const sent = names.indexOf('request out');
    const told = sent === -1 ? -1 : names.indexOf('bytes out', sent);
    const heard = told === -1 ? -1 : names.lastIndexOf('stream frame in', told);
    if (heard <= sent) {
      overlapped++;
      continue;
    }
    const way = split(marks, start, start + sent);
    const back = split(marks, start + heard, start + told);
    stages.inbound.push(way.own);
    stages.outbound.push(back.own);
    stages.sum.push(way.own + back.own);
    stages.signing.push(way.signing);
    stages.write.push(way.journal + back.journal);
    stages.sync.push(way.sync + back.sync);
  }
  return { stages, overlapped };
}

async function measure(key: 'hmac' | 'ecdsa', durability: 'process' | 'disk'): Promise<void> {
  const home = await GatewayHome.create();
  const exchange = await ExchangeProcess.start({ keys: home.secrets, more: ['--liquidity', 'off', '--no-limits'] });
  await home.writePasswords(PASSWORD);
  await home.configure('gateway.yaml', {
    'fix.listen.1': undefined,
    'exchange.rates': UNLIMITED,
    'exchange.credentials.0.key': `file:${join(home.secrets, `demo-${key}.json`)}`,
  });
  await home.configure('ACME_OMS.yaml', {
    durability,
    // What a disconnect would do is measured elsewhere.
    cancelOnDisconnect: { on: 'off' },
    'limits.openOrdersMax': 100_000,
    'limits.notionalMax': '1000000000',
    'limits.priceBandPercent': 'off',
  });
  const file = join(home.folder, 'stages');
  const gateway = await home.start(exchange.url, { CROSSGATE_STAGES: file }, 'test/bench/round-trip-gateway.ts');
  const fix = await openFix(gateway.fixPort, ACME);
  await logOn(fix, { password: PASSWORD, reset: true });
  const isReport = (id: string) => (view: { string(tag: number): string | null }) => view.string(Tag.ClOrdID) === id;
  for (let i = 0; i < WARM_UP; i++) {
    fix.send(limitOrder(`w-${i}`, '0.0001', '50000.0'));
    if (i >= WARM_UP_IN_FLIGHT) await fix.expect('a report', isReport(`w-${i - WARM_UP_IN_FLIGHT}`), 60_000);
  }
  await fix.expect('the last report', isReport(`w-${WARM_UP - 1}`), 60_000);
  const begun = performance.now() + 1_000;
  for (let i = 0; i < ORDERS; i++) {
    const wait = begun + (i * 1000) / ORDERS_PER_SECOND - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    fix.send(limitOrder(`s-${i}`, '0.0001', '50000.0'));
  }
  await fix.expect('the last order', isReport(`s-${ORDERS - 1}`), 60_000);
  // One more, so that the last has an end.
  fix.send(limitOrder('end', '0.0001', '50000.0'));
  await fix.expect('the end', isReport('end'), 60_000);
  fix.destroy();
  await gateway.interrupt();
  const { clock } = await readMarks(file);
  print(`${key}, durability ${durability}`, stagesOf(clock, ORDERS));
  await home.remove();
  await exchange.remove();
}

const NAMES = {
  inbound: 'frame in → signed request out',
  outbound: 'stream frame in → report out',
  sum: 'sum of both',
  write: '  of it: journal, written',
  signing: 'beside it: signing',
  sync: 'beside it: the disk',
} as const;

function print(title: string, { stages, overlapped }: ReturnType<typeof stagesOf>): void {
  console.log(`${title}: ${stages.sum.length} orders, ${overlapped} left out because they overlapped`);
  console.log(`${'stage, µs'.padEnd(36)}${'p50'.padStart(9)}${'p99'.padStart(9)}${'p99.9'.padStart(9)}`);
  for (const [stage, name] of Object.entries(NAMES)) {
    const sorted = stages[stage as keyof Stages].toSorted((a, b) => a - b);
    const figures = [0.5, 0.99, 0.999].map((p) => percentile(sorted, p).toFixed(0).padStart(9));
    console.log(name.padEnd(36) + figures.join(''));
  }
}

/** Run the measurement for each kind of key and print a table each. */
export async function runStages(): Promise<void> {
  console.log(`D → 8 (New) inside the gateway, open loop at ${ORDERS_PER_SECOND} orders/s`);
  for (const key of ['hmac', 'ecdsa'] as const) await measure(key, 'process');
  await measure('ecdsa', 'disk');
}
