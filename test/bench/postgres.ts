// A whole gateway on PostgreSQL beside one on the embedded journal, both durable before anything leaves, in turns: orders per
// second of many accounts, and D → 8 of one order in flight. Beside them the floor: the bytes of a commit in the plainest INSERT.
// Needs a container engine, or the address of a server in CROSSGATE_BENCH_POSTGRES.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Client } from 'pg';
import { formatUtcTimestamp } from '../../src/base/time.ts';
import { PASSWORD } from '../support/processes/exchange-house.ts';
import { UNLIMITED } from '../support/processes/exchange-process.ts';
import { GatewayHome } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { percentile } from './marks.ts';
import { processorMs, serverProcessorMs } from './processor-time.ts';
import { accountsOf, type LoadAccount, option, prepare, worldOf } from './round-trip-accounts.ts';
import { BenchClient, openSocket } from './session-client.ts';
import { postgresServer } from './store-postgres.ts';

const ACCOUNTS = 20;
const ROUNDS = 5;
const WARM_UP_S = 20;
const TURN_MS = 3_000;
const START_MS = 120_000;
/** A server that is named has those of earlier runs. */
const JOURNAL = `bench-${Date.now()}`;
const FLOOR_COMMITS = 500;

/** One OMS that sends the next order when the one before has ended. */
class Oms {
  readonly #client: BenchClient;
  readonly #account: string;
  #next = 0;
  #accepted: () => void = () => {};
  #ended: () => void = () => {};

  constructor(client: BenchClient, account: string) {
    this.#client = client;
    this.#account = account;
    client.onFrame = (text) => this.#take(text);
  }

  #take(text: string): void {
    if (text.includes('\u000135=1\u0001')) {
      const [, behind = ''] = text.split('\u0001112=');
      const [testReqID] = behind.split('\u0001');
      this.#client.socket.write(this.#client.heartbeat(testReqID));
    }
    if (!text.includes(`\u000111=o${this.#next}\u0001`)) return;
    if (text.includes('\u0001150=8\u0001')) throw new Error(text.replaceAll('\u0001', '|'));
    if (text.includes('\u0001150=0\u0001')) this.#accepted();
    if (text.includes('\u000139=4\u0001') || text.includes('\u000139=C\u0001')) this.#ended();
  }

  /** One order that expires at once; milliseconds to its first report. */
  async order(): Promise<number> {
    this.#next++;
    const time = formatUtcTimestamp(Date.now());
    const body = `11=o${this.#next}|1=${this.#account}|55=BTCUSDC|54=1|60=${time}|38=0.001|40=2|44=50000.0|59=3`;
    const bytes = this.#client.render('35=D', body);
    const begun = performance.now();
    let delay = Number.NaN;
    await new Promise<void>((resolve) => {
      this.#accepted = () => {
        delay = performance.now() - begun;
      };
      this.#ended = resolve;
      this.#client.socket.write(bytes);
    });
    return delay;
  }

  close(): void {
    this.#client.socket.destroy();
  }
}

interface Contestant {
  readonly name: string;
  readonly omses: readonly Oms[];
  /** Of each turn. */
  readonly perSecond: number[];
  readonly p50: number[];
  readonly pid: number;
  /** Milliseconds of processor time an order, of each turn of all accounts: of the gateway, and of the server. */
  readonly gatewayMs: number[];
  readonly serverMs: number[];
  close(): Promise<void>;
}

async function contestant(
  name: string,
  exchange: { readonly url: string; readonly keys: string },
  accounts: readonly LoadAccount[],
  store: Readonly<Record<string, string>> | null,
): Promise<Contestant> {
  const home = await GatewayHome.create();
  await prepare(home, accounts, { durability: 'disk', keys: exchange.keys });
  const more = store === null ? {} : { store };
  await home.configure('gateway.yaml', { 'exchange.rates': UNLIMITED, ...more });
  const gateway = await home.start(exchange.url);
  const omses: Oms[] = [];
  for (const { name: sender, account } of accounts) {
    const port = gateway.fixPort;
    const options = { port, sender, target: 'EXCHANGE_TEST', password: PASSWORD };
    const client = new BenchClient(await openSocket({ port }), options);
    await client.logOn();
    omses.push(new Oms(client, account));
  }
  const close = async (): Promise<void> => {
    for (const oms of omses) oms.close();
    await gateway.interrupt();
    await home.remove();
  };
  const { pid } = gateway.process;
  return { name, omses, perSecond: [], p50: [], pid, gatewayMs: [], serverMs: [], close };
}

const median = (values: readonly number[], p = 0.5): number =>
  percentile(
    values.toSorted((a, b) => a - b),
    p,
  );

/** All accounts at once, each with one order in flight; orders per second. */
async function together({ omses }: Contestant, ms: number): Promise<{ perSecond: number; count: number }> {
  const begun = performance.now();
  let count = 0;
  const trade = async (oms: Oms): Promise<void> => {
    while (performance.now() - begun < ms) {
      await oms.order();
      count++;
    }
  };
  await Promise.all(omses.map(trade));
  return { perSecond: (count / (performance.now() - begun)) * 1_000, count };
}

/** A turn of all accounts, with the processor time that it takes. */
async function turnOf(one: Contestant, ms: number, client: Client): Promise<number> {
  const before = [processorMs(one.pid), await serverProcessorMs(client)] as const;
  const { perSecond, count } = await together(one, ms);
  one.perSecond.push(perSecond);
  one.gatewayMs.push((processorMs(one.pid) - before[0]) / count);
  const server = await serverProcessorMs(client);
  if (server !== null && before[1] !== null) one.serverMs.push((server - before[1]) / count);
  return count;
}

/** One order in flight; milliseconds of each. */
async function alone({ omses }: Contestant, ms: number): Promise<number[]> {
  const delays: number[] = [];
  const [oms] = omses;
  for (const begun = performance.now(); performance.now() - begun < ms; ) delays.push(await oms!.order());
  return delays;
}

/** Statistics of the server since the warm-up; null where it has not the right. */
interface Written {
  readonly walBytes: number;
  readonly commits: number;
  readonly bytes: number;
}

async function writtenBy(client: Client): Promise<Written> {
  const { rows } = await client.query<{ wal: string; commits: string; bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal, count(*) as commits, coalesce(sum(bytes), 0) as bytes
     from crossgate_commit where journal = $1`,
    [JOURNAL],
  );
  const { wal, commits, bytes } = rows[0]!;
  return { walBytes: Number(wal), commits: Number(commits), bytes: Number(bytes) };
}

/** The median of a commit of so many bytes as one row of a table without index, in milliseconds. */
async function floorOf(client: Client, bytes: number): Promise<number> {
  await client.query('create table if not exists floor (raw bytea)');
  const raw = Buffer.alloc(bytes, 'x');
  const delays: number[] = [];
  for (let i = 0; i < FLOOR_COMMITS; i++) {
    const begun = performance.now();
    await client.query({ name: 'floor', text: 'insert into floor values ($1)', values: [raw] });
    delays.push(performance.now() - begun);
  }
  return median(delays);
}

function print(contestants: readonly Contestant[]): void {
  const [ours, embedded] = contestants.map(({ perSecond, p50 }) => [median(perSecond), median(p50)] as const);
  for (const { name, perSecond, p50, gatewayMs, serverMs } of contestants) {
    const list = perSecond.map((rate) => Math.round(rate)).join(' ');
    const delays = p50.map((ms) => ms.toFixed(2)).join(' ');
    console.log(`${name.padEnd(12)} orders/s ${Math.round(median(perSecond))} (${list})`);
    console.log(`${' '.repeat(12)} D → 8 p50 ${median(p50).toFixed(2)} ms (${delays})`);
    const server = serverMs.length === 0 ? '' : `, server ${median(serverMs).toFixed(2)} ms`;
    console.log(`${' '.repeat(12)} processor time an order: gateway ${median(gatewayMs).toFixed(2)} ms${server}`);
  }
  console.log(
    `PostgreSQL has ${(ours![0] / embedded![0]).toFixed(2)} × the orders/s and ${(ours![1] / embedded![1]).toFixed(2)} × the D → 8 p50 of the embedded journal`,
  );
}

/** `[--accounts N] [--rounds N] [--turn MS] [--warm-up S]`: print orders/s and D → 8 of both stores, and their ratios. */
export async function run(args: readonly string[]): Promise<void> {
  const accounts = accountsOf(2 * option(args, '--accounts', ACCOUNTS));
  const rounds = option(args, '--rounds', ROUNDS);
  const turnMs = option(args, '--turn', TURN_MS);
  const warmUpMs = option(args, '--warm-up', WARM_UP_S) * 1_000;
  const server = await postgresServer();
  if ('missing' in server) {
    console.log(`not measured: ${server.missing}`);
    return;
  }
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-postgres-'));
  await writeFile(join(folder, 'world.yaml'), worldOf(accounts));
  const exchangeArgs = [
    join(import.meta.dirname, 'load-exchange.ts'),
    join(folder, 'world.yaml'),
    folder,
    '--no-limits',
  ];
  const exchange = new LineProcess(process.execPath, exchangeArgs);
  const client = new Client({ connectionString: server.url });
  const contestants: Contestant[] = [];
  try {
    const { url } = JSON.parse(await exchange.line(/^\{/, START_MS)) as { url: string };
    const place = { url, keys: folder };
    const half = accounts.length / 2;
    await writeFile(join(folder, 'url'), server.url, { mode: 0o600 });
    const store = { kind: 'postgres', url: `file:${join(folder, 'url')}`, journal: JOURNAL };
    contestants.push(await contestant('PostgreSQL', place, accounts.slice(0, half), store));
    contestants.push(await contestant('embedded', place, accounts.slice(half), null));
    await client.connect();
    console.log(
      `${half} accounts, one order of each in flight, then one alone; ${rounds} turns of ${turnMs} ms of each`,
    );
    for (const one of contestants) await together(one, warmUpMs / 2);
    const before = await writtenBy(client);
    let orders = 0;
    for (let round = 0; round < rounds; round++) {
      for (const one of contestants) {
        const count = await turnOf(one, turnMs, client);
        const delays = await alone(one, turnMs);
        one.p50.push(median(delays));
        if (one.name === 'PostgreSQL') orders += count + delays.length;
      }
    }
    print(contestants);
    const after = await writtenBy(client);
    const commits = after.commits - before.commits;
    const bytes = Math.round((after.bytes - before.bytes) / commits);
    const wal = Math.round((after.walBytes - before.walBytes) / orders);
    console.log(
      `${(commits / orders).toFixed(2)} commits an order, ${bytes} bytes a commit, ${wal} bytes of WAL an order`,
    );
    console.log(`floor: a plain INSERT of those bytes takes ${(await floorOf(client, bytes)).toFixed(2)} ms (p50)`);
  } finally {
    for (const one of contestants) await one.close();
    await client.end();
    await exchange.kill('SIGINT');
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
