// What the gateway itself adds to an order, by stage, from marks made inside its process (round-trip-gateway.ts): frame in →
// signed request out, stream frame in → report out; signing and the journal are taken out and shown beside it.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Tag } from '../../src/wire/mod.ts';
import { ACME, limitOrder, PASSWORD } from '../support/exchange-house.ts';
import { ExchangeProcess, UNLIMITED } from '../support/exchange-process.ts';
import { logOn, openFix } from '../support/fix-connection.ts';
import { GatewayHome } from '../support/gateway-process.ts';

const ORDERS = 1_200;
const WARM_UP = 300;
/** Of the orders that are whole, so many are left out at the beginning. */
const WARM_UP_WHOLE = 200;
/** Open loop: an order leaves at its time, whatever became of the one before. */
const ORDERS_PER_SECOND = 40;

interface Mark {
  readonly at: number;
  readonly name: string;
}

/** Microseconds of one order by stage. */
interface Stages {
  readonly inbound: number[];
  readonly outbound: number[];
  readonly sum: number[];
  readonly signing: number[];
  readonly journal: number[];
}

/** What lies between two marks, without what is between `begins` and `ends` of signing and journal, which is beside it. */
function split(marks: readonly Mark[], from: number, to: number): { own: number; signing: number; journal: number } {
  const first = marks[from]!.at;
  const spent = { signing: 0, journal: 0 };
  const begun: { signing: number | null; journal: number | null } = { signing: null, journal: null };
  for (const { at, name } of marks.slice(from, to + 1)) {
    const what = name.startsWith('signing') ? 'signing' : name.startsWith('journal') ? 'journal' : null;
    if (what === null) continue;
    if (name.endsWith(' begins')) begun[what] = at;
    else {
      // What began before the order came is counted from there.
      spent[what] += at - (begun[what] ?? first);
      begun[what] = null;
    }
  }
  return { own: marks[to]!.at - first - spent.signing - spent.journal, ...spent };
}

/** One order per frame in; an order that another one overlapped is left out, and counted. */
function stagesOf(marks: readonly Mark[]): { stages: Stages; overlapped: number } {
  const stages: Stages = { inbound: [], outbound: [], sum: [], signing: [], journal: [] };
  const starts = marks.flatMap(({ name }, i) => (name === 'frame in' ? [i] : []));
  let overlapped = 0;
  for (const [n, start] of starts.entries()) {
    const next = starts[n + 1] ?? marks.length;
    const sent = marks.findIndex(({ name }, i) => i > start && i < next && name === 'request out');
    const told = marks.findIndex(({ name }, i) => i > sent && i < next && name === 'bytes out');
    const heard = marks.findLastIndex(({ name }, i) => i > sent && i < told && name === 'stream frame in');
    if (sent === -1 || told === -1 || heard === -1) {
      overlapped++;
      continue;
    }
    const way = split(marks, start, sent);
    const back = split(marks, heard, told);
    stages.inbound.push(way.own);
    stages.outbound.push(back.own);
    stages.sum.push(way.own + back.own);
    stages.signing.push(way.signing);
    stages.journal.push(way.journal + back.journal);
  }
  return { stages, overlapped };
}

/** Marks by the clock, and the same by the processor time that the gateway's thread used. */
async function marksOf(file: string): Promise<{ clock: Mark[]; cpu: Mark[] }> {
  const lines = (await readFile(file, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' '));
  const by = (column: number): Mark[] =>
    lines.map((words) => ({ at: Number(words[column]), name: words.slice(2).join(' ') }));
  return { clock: by(0), cpu: by(1) };
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
    'limits.openOrdersMax': 100_000,
    'limits.notionalMax': '1000000000',
    'limits.priceBandPercent': 'off',
  });
  const file = join(home.folder, 'stages');
  const gateway = await home.start(exchange.url, { CROSSGATE_STAGES: file }, 'test/bench/round-trip-gateway.ts');
  const fix = await openFix(gateway.fixPort, ACME);
  await logOn(fix, { password: PASSWORD, reset: true });
  const begun = performance.now();
  for (let i = 0; i < WARM_UP + ORDERS; i++) {
    const due = begun + (i * 1000) / ORDERS_PER_SECOND;
    const wait = due - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    fix.send(limitOrder(`s-${i}`, '0.0001', '50000.0'));
  }
  const last = `s-${WARM_UP + ORDERS - 1}`;
  await fix.expect('the last order', (view) => view.string(Tag.ClOrdID) === last, 60_000);
  fix.destroy();
  await gateway.interrupt();
  const { clock, cpu } = await marksOf(file);
  print(`${key}, durability ${durability}, by the clock`, stagesOf(clock));
  print(`${key}, durability ${durability}, by the thread's processor time`, stagesOf(cpu));
  await home.remove();
  await exchange.remove();
}

const NAMES = {
  inbound: 'frame in → signed request out',
  outbound: 'stream frame in → report out',
  sum: 'sum of both',
  signing: '(signing)',
  journal: '(journal, with its sync)',
} as const;

function print(title: string, { stages, overlapped }: ReturnType<typeof stagesOf>): void {
  const figure = (sorted: readonly number[], p: number): string =>
    (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN).toFixed(0).padStart(9);
  console.log(
    `${title}: ${stages.sum.length} orders (the first ${WARM_UP_WHOLE} are warm-up), ${overlapped} frames left out`,
  );
  console.log(`${'stage, µs'.padEnd(36)}${'p50'.padStart(9)}${'p99'.padStart(9)}${'p99.9'.padStart(9)}`);
  for (const [stage, name] of Object.entries(NAMES)) {
    const sorted = stages[stage as keyof Stages].slice(WARM_UP_WHOLE).toSorted((a, b) => a - b);
    console.log(name.padEnd(36) + [0.5, 0.99, 0.999].map((p) => figure(sorted, p)).join(''));
  }
}

/** Run the measurement for each kind of key and print a table each. */
export async function runStages(): Promise<void> {
  console.log(`D → 8 (New) inside the gateway, open loop at ${ORDERS_PER_SECOND} orders/s`);
  for (const key of ['hmac', 'ecdsa'] as const) await measure(key, 'process');
  await measure('ecdsa', 'disk');
}
