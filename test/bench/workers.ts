// Two workers against one process: the time that the hand-over adds to an order, plain and over TLS. And the orders a second of
// many accounts, with each gateway process held to a part of a core. `npm run bench -- workers [--latency] [--capacity] [--uncapped]`.

import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { stringify } from 'yaml';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import { createSelfSignedCertificate } from '../../src/transport/mod.ts';
import { PASSWORD } from '../support/processes/exchange-house.ts';
import { UNLIMITED } from '../support/processes/exchange-process.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { pidOf } from '../support/processes/partition-house.ts';
import type { LoadFigures, LoadPlan } from './load-generator.ts';
import { percentile } from './marks.ts';
import { processorMs } from './processor-time.ts';
import { accountsOf, type LoadAccount, prepare, worldOf } from './round-trip-accounts.ts';
import { BenchClient } from './session-client.ts';

const ACCOUNTS = 20;
const START_MS = 120_000;
const P99_MAX_MS = 50;
/** Of one core, per process; in slices this short, a process that is held back waits less than P99_MAX_MS. */
const SHARE = 0.25;
const PERIOD_US = 10_000;
const FIRST_RATE = 100;
const STEP = 1.3;
/** Before a process is held back: cold code alone would take its share. */
const WARM_RATE = 300;
const WARM_SECONDS = 10;
/** Of one rate: another process of this machine may have spoilt the first. */
const TRIES = 2;
const STEPS_MAX = 12;
const WARM_UP_S = 3;
const SECONDS = 6;
const ROUNDS = 12;
const ORDERS_A_ROUND = 150;
const ORDERS_A_LOAD_MAX = 1_000_000;
const CGROUP = '/sys/fs/cgroup/cpu';

interface Bench {
  readonly name: string;
  readonly home: GatewayHome;
  readonly accounts: readonly LoadAccount[];
  readonly gateway: GatewayProcess;
  /** The processes that orders pass. */
  readonly pids: readonly number[];
}

async function start(
  name: string,
  accounts: readonly LoadAccount[],
  { url, keys }: { readonly url: string; readonly keys: string },
): Promise<Bench> {
  const home = await GatewayHome.create();
  homes.push(home);
  await prepare(home, accounts, { durability: 'process', keys });
  const pair = await createSelfSignedCertificate({ commonName: 'localhost' });
  await writeFile(join(home.secrets, 'bench.crt'), pair.certificatePem);
  await writeFile(join(home.secrets, 'bench.key'), pair.keyPem, { mode: 0o600 });
  const isPartitioned = name === 'two workers';
  await home.configure('gateway.yaml', {
    ...(isPartitioned ? { workers: 'auto' } : {}),
    // The same for both: by default workers do not poll where they are more than the processors.
    busyPollMicros: 0,
    'exchange.rates': UNLIMITED,
    bridge: { enabled: false },
    'fix.listen.1': {
      name: 'tls',
      host: '127.0.0.1',
      port: 0,
      tls: { certificate: `file:${join(home.secrets, 'bench.crt')}`, key: `file:${join(home.secrets, 'bench.key')}` },
    },
  });
  // A drop copy of ten accounts joins their logins in one partition.
  const half = accounts.length / 2;
  for (const [at, part] of [accounts.slice(0, half), accounts.slice(half)].entries()) {
    const joined = part.map((one) => ({ account: one.account, credential: one.name }));
    const session = {
      targetCompID: `JOIN_${at}`,
      kind: 'dropCopy',
      password: `file:secrets/${part[0]!.name}.password`,
    };
    await writeFile(join(home.sessions, `JOIN_${at}.yaml`), stringify({ ...session, accounts: joined }));
  }
  for (const { name: file } of accounts) await home.configure(`${file}.yaml`, { 'logon.perMinute': 600 });
  const gateway = await home.start(url, { CROSSGATE_FIX_TLS_PORT: '0' });
  const partitions = isPartitioned ? [accounts[0]!.name, accounts[half]!.name] : [];
  const pids = isPartitioned ? partitions.map((one) => pidOf(gateway, one)) : [gateway.process.pid];
  return { name, home, accounts, gateway, pids };
}

/** Groups of processes that were held back; a group can be removed once its processes have ended. */
const heldIn: string[] = [];
/** Loads so far. */
let loads = 0;
const homes: GatewayHome[] = [];

/** Hold a process to a share of a core; null where the kernel, or the user, cannot. */
function hold(pid: number): { end(): void } | null {
  const folder = join(CGROUP, `crossgate-bench-${pid}`);
  try {
    mkdirSync(folder);
    writeFileSync(join(folder, 'cpu.cfs_period_us'), String(PERIOD_US));
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), String(PERIOD_US * SHARE));
    writeFileSync(join(folder, 'cgroup.procs'), String(pid));
  } catch {
    return null;
  }
  heldIn.push(folder);
  return { end: () => writeFileSync(join(folder, 'cpu.cfs_quota_us'), '-1') };
}

/** One order and its first report, again and again; microseconds. */
async function roundTrips(client: BenchClient, account: string, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const time = formatUtcTimestamp(Date.now());
    const clOrdID = `l${client.nextMsgSeqNum}-${Date.now()}`;
    const body = `11=${clOrdID}|1=${account}|55=BTCUSDC|54=1|60=${time}|38=0.001|40=2|44=50000.0|59=3`;
    const bytes = client.render('35=D', body);
    let begun = 0n;
    // New, and the end of an IOC order without a counterparty: the next one leaves behind both.
    await new Promise<void>((resolve) => {
      client.onFrame = (text) => {
        if (!text.includes(`\u000111=${clOrdID}\u0001`)) return;
        if (text.includes('\u0001150=0\u0001')) times.push(Number(process.hrtime.bigint() - begun) / 1000);
        else resolve();
      };
      begun = process.hrtime.bigint();
      client.socket.write(bytes);
    });
  }
  return times;
}

async function latency(benches: readonly Bench[]): Promise<void> {
  const lines: { readonly label: string; readonly client: BenchClient; readonly account: string; times: number[] }[] =
    [];
  for (const [at, tls] of [false, true].entries()) {
    for (const { name, gateway, accounts } of benches) {
      const { name: sender, account } = accounts[at]!;
      const port = tls ? gateway.tlsPort! : gateway.fixPort;
      const client = await BenchClient.open({ port, tls, sender, target: 'EXCHANGE_TEST', password: PASSWORD });
      await client.logOn();
      lines.push({ label: `${tls ? 'TLS' : 'plain'}, ${name}`, client, account, times: [] });
    }
  }
  for (let round = 0; round <= ROUNDS; round++) {
    for (const line of lines) {
      const times = await roundTrips(line.client, line.account, ORDERS_A_ROUND);
      // The first round warms up.
      if (round > 0) line.times.push(...times);
    }
  }
  console.log(`D → 8 in µs, ${ROUNDS * ORDERS_A_ROUND} orders of each, one after the other, by turns`);
  const p50s = lines.map(({ label, times, client }) => {
    const sorted = times.toSorted((a, b) => a - b);
    const [p50, p99] = [percentile(sorted, 0.5), percentile(sorted, 0.99)];
    console.log(`  ${label.padEnd(22)} p50 ${p50.toFixed(0).padStart(6)}  p99 ${p99.toFixed(0).padStart(6)}`);
    client.socket.destroy();
    return p50;
  });
  console.log(
    `added by the hand-over: plain ${(p50s[1]! - p50s[0]!).toFixed(0)} µs, TLS ${(p50s[3]! - p50s[2]!).toFixed(0)} µs`,
  );
}

/** Delays at a rate of all accounts together. */
async function loaded({ name, gateway, accounts, pids }: Bench, folder: string, rate: number, seconds: number) {
  const plan: LoadPlan = {
    port: gateway.fixPort,
    password: PASSWORD,
    targetCompID: 'EXCHANGE_TEST',
    accounts: accounts.map((one) => ({ senderCompID: one.name, account: one.account })),
    ordersPerSecond: rate / accounts.length,
    cancelEvery: 1_000_000,
    cancelAfterMs: 1_000,
    warmUpS: WARM_UP_S,
    seconds,
    firstOrder: loads++ * ORDERS_A_LOAD_MAX,
  };
  const file = join(folder, 'plan.json');
  await writeFile(file, JSON.stringify(plan));
  const before = pids.map(processorMs);
  const oms = new LineProcess(process.execPath, [join(import.meta.dirname, 'load-generator.ts'), file]);
  const { orders, unanswered, refusals } = JSON.parse(await oms.line(/^\{/, 90_000)) as LoadFigures;
  await oms.kill('SIGKILL');
  const spent = Math.max(...pids.map((pid, at) => processorMs(pid) - before[at]!));
  const all = orders.count + WARM_UP_S * 0.8 * rate;
  const text = Object.entries(refusals).map(([why, count]) => `, ${count} × ${why}`);
  const figures = `p50 ${orders.p50.toFixed(1)} ms, p99 ${orders.p99.toFixed(1)} ms, ${unanswered} unanswered`;
  const cost = `${((spent * 1_000) / all).toFixed(0)} µs of the busiest process per order of all`;
  console.log(`  ${name}: ${rate.toFixed(0)} orders/s, ${figures}, ${cost}${text.join('')}`);
  return orders.p99 <= P99_MAX_MS && unanswered === 0;
}

/** The largest rate of a ladder with a p99 below the limit; orders a second of all accounts. */
async function capacity(bench: Bench, folder: string): Promise<number> {
  let best = 0;
  for (let [step, rate] = [0, FIRST_RATE]; step < STEPS_MAX; step++, rate *= STEP) {
    let isGood = false;
    for (let tried = 0; tried < TRIES && !isGood; tried++) isGood = await loaded(bench, folder, rate, SECONDS);
    if (!isGood) break;
    best = rate;
  }
  return best;
}

async function capacities(benches: readonly Bench[], folder: string, isHeld: boolean): Promise<void> {
  const found: number[] = [];
  for (const bench of benches) {
    await loaded(bench, folder, WARM_RATE, WARM_SECONDS);
    const holds = isHeld ? bench.pids.map(hold) : [];
    if (holds.includes(null)) console.log(`  ${bench.name}: this machine holds no process back (cgroup)`);
    found.push(await capacity(bench, folder));
    for (const one of holds) one?.end();
  }
  const how = isHeld ? `each process held to ${SHARE} of a core` : 'not held back';
  const [one, two] = found as [number, number];
  console.log(
    `${ACCOUNTS} accounts, ${how}: ${one.toFixed(0)} and ${two.toFixed(0)} orders/s, ${(two / one).toFixed(2)} ×`,
  );
}

export async function run(args: readonly string[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-workers-'));
  const all = accountsOf(2 * ACCOUNTS);
  await writeFile(join(folder, 'world.yaml'), worldOf(all));
  const script = join(import.meta.dirname, 'load-exchange.ts');
  const exchange = new LineProcess(process.execPath, [script, join(folder, 'world.yaml'), folder, '--no-limits']);
  const { url } = JSON.parse(await exchange.line(/^\{/, START_MS)) as { url: string };
  const benches: Bench[] = [];
  try {
    for (const [at, name] of ['one process', 'two workers'].entries()) {
      const accounts = all.slice(at * ACCOUNTS, (at + 1) * ACCOUNTS);
      benches.push(await start(name, accounts, { url, keys: folder }));
    }
    const wants = (what: string): boolean => args.length === 0 || args.includes(what);
    if (wants('--latency')) await latency(benches);
    if (wants('--capacity')) await capacities(benches, folder, true);
    if (args.includes('--uncapped')) await capacities(benches, folder, false);
  } finally {
    for (const { gateway } of benches) await gateway.interrupt();
    for (const group of heldIn) rmdirSync(group);
    for (const home of homes) await home.remove();
    await exchange.kill('SIGINT');
    await rm(folder, { recursive: true, force: true });
  }
}
