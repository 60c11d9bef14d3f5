// Sessions under load: round trip and throughput of D → 8 through an in-process application. Peers in the same run are
// a bare TCP echo, QuickFIX C++ (memory and file store) and jspurefix. Then TLS, memory per session, GC at a steady
// rate, and a thousand logons at once. `--soak`: 5,000 sessions for five minutes. Every server is a process of its own.

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hashPassword, RANDOM_SECRET_COST } from '../../src/engine/logon/password-hash.ts';
import { BUSY_POLL_MICROS_DEFAULT } from '../../src/engine/sessions/busy-poll.ts';
import { createSelfSignedCertificate } from '../../src/transport/mod.ts';
import { compileQuickfixEcho, quickfix, stockDictionary } from '../support/oms/quickfix.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { START_FLAGS } from '../support/processes/start-flags.ts';
import { pin, unpin } from './processors.ts';
import { BenchClient, roundTrip, throughput } from './session-client.ts';
import type { FloodResult } from './session-flood.ts';
import type { ServerOptions } from './session-server.ts';
import { soak } from './session-soak.ts';

const SERVER = join(import.meta.dirname, 'session-server.ts');
const JSPUREFIX = join(import.meta.dirname, '../support/oms/jspurefix-peer.ts');
const FLOOD = join(import.meta.dirname, 'session-flood.ts');
const ROUNDS = 4000;
const CLIENT_PROCESSOR = 0;
const SERVER_PROCESSOR = 1;
const WARM_UP = 1000;
/** Round trips with one server before the next has its turn. */
const BLOCK = 50;
/** Runs of throughput before those that count: a server that is up for days runs optimized code. */
const WARM_UP_FLOODS = 4;
/** Runs that count: where others share the processors, each takes what it takes, and only the median of many says something. */
const FLOODS = 15;
const PASSWORD = 'correct horse battery staple';

export const median = (values: readonly number[]): number => percentile(values, 0.5);

export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}

/** A server, and the client that is logged on to it. */
export interface Peer {
  readonly name: string;
  readonly process: LineProcess;
  readonly port: number;
  client: BenchClient;
  /** Orders per throughput run. */
  readonly orders: number;
  readonly micros: number[];
  readonly perSecond: number[];
  readonly cpuMicros: number[];
}

/** Ask a server of ours. */
export async function ask<T>(process: LineProcess, what: string): Promise<T> {
  const from = process.lines.length;
  process.say(what);
  return JSON.parse(await process.line(/^\{/, 15_000, from)) as T;
}

export async function startServer(options: Partial<ServerOptions>): Promise<{ process: LineProcess; port: number }> {
  const all = { kind: 'fix', store: null, sessions: 1, tls: null, password: null, ...options };
  const server = new LineProcess(process.execPath, [...START_FLAGS, '--expose-gc', SERVER, JSON.stringify(all)]);
  const { port } = JSON.parse(await server.line(/^\{/, 60_000)) as { port: number };
  return { process: server, port };
}

async function peer(name: string, orders: number, server: { process: LineProcess; port: number }, client: BenchClient) {
  if (name !== ECHO && name !== WRITING_ECHO) await client.logOn();
  return { name, ...server, client, orders, micros: [], perSecond: [], cpuMicros: [] } satisfies Peer;
}

const ECHO = 'Node TCP echo';
/** The floor of a server with a journal: each chunk is written to a file before it is answered. */
const WRITING_ECHO = 'the same, written to a file first';
const FILE_BYTES = 16_777_216;
/** Until a server that looks for its next message without sleeping has given up. */
const ASLEEP_AFTER_MS = (BUSY_POLL_MICROS_DEFAULT * 2) / 1000;

async function cpuSeconds({ process }: Peer): Promise<number> {
  const from = process.lines.length;
  process.say('cpu');
  const line = await process.line(/^(cpu |\{"seconds)/, 15_000, from);
  return line.startsWith('cpu') ? Number(line.slice(4)) : (JSON.parse(line) as { seconds: number }).seconds;
}

async function ours(name: string, options: Partial<ServerOptions>): Promise<Peer> {
  const server = await startServer(options);
  const tls = options.tls !== undefined && options.tls !== null;
  const client = await BenchClient.open({ port: server.port, sender: 'C0', target: 'SERVER', tls, heartBtIntS: 120 });
  return await peer(name, 60_000, server, client);
}

async function theirs(name: string, orders: number, port: number, process: LineProcess): Promise<Peer> {
  await process.line(/^(listening|started)/, 30_000);
  for (let attempt = 0; ; attempt++) {
    try {
      // A client that answers no TestRequest must not be asked, however slow the machine is.
      const client = await BenchClient.open({ port, sender: 'C0', target: 'SERVER', heartBtIntS: 600 });
      return await peer(name, orders, { process, port }, client);
    } catch (error) {
      if (attempt === 200) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
}

function inRandomOrder<T>(all: readonly T[]): readonly T[] {
  const order = [...all];
  for (let i = order.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  return order;
}

function row(name: string, cells: readonly string[]): void {
  console.log(name.padEnd(38) + cells.map((cell) => cell.padStart(14)).join(''));
}

async function measureRoundTrips(peers: readonly Peer[]): Promise<void> {
  // As on a network: a client on the server's own processor is served in a third of the time, one that moves between them by luck.
  const pinned = pin(process.pid, CLIENT_PROCESSOR) && peers.every((one) => pin(one.process.pid, SERVER_PROCESSOR));
  for (let i = 0; i < WARM_UP + ROUNDS; i += BLOCK) {
    // In random order, because the predecessor matters.
    for (const one of inRandomOrder(peers)) {
      if (one.orders < 10_000 && (i / BLOCK) % 4 !== 0) continue;
      for (let k = 0; k < BLOCK; k++) {
        const micros = await roundTrip(one.client);
        if (i >= WARM_UP) one.micros.push(micros);
      }
      // Until a server that polls sleeps again: the next one is on its processor.
      await new Promise((resolve) => setTimeout(resolve, ASLEEP_AFTER_MS));
    }
  }
  const base = median(peers[0]!.micros);
  if (pinned) for (const { pid } of [process, ...peers.map((one) => one.process)]) unpin(pid);
  const where = pinned ? 'client and servers on a processor each' : 'processors cannot be chosen here (taskset)';
  console.log(
    `\nround trip D → 8, one in flight, ${ROUNDS} rounds in blocks of ${BLOCK}, interleaved in random order, ${where}`,
  );
  row('', ['p50 µs', 'p99 µs', 'p50 / first']);
  for (const { name, micros } of peers) {
    const p50 = median(micros);
    row(name, [p50.toFixed(1), percentile(micros, 0.99).toFixed(1), (p50 / base).toFixed(2)]);
  }
}

/** Timers, collections and threads of resting peers would run on the measured processors. */
async function alone(peers: readonly Peer[], one: Peer, measure: () => Promise<void>): Promise<void> {
  const others = peers.filter((other) => other !== one).map((other) => other.process.pid);
  for (const pid of others) process.kill(pid, 'SIGSTOP');
  try {
    await measure();
  } finally {
    for (const pid of others) process.kill(pid, 'SIGCONT');
  }
}

async function measureThroughput(peers: readonly Peer[], rounds: number): Promise<void> {
  const flood = async (one: Peer, counts: boolean): Promise<void> => {
    const before = await cpuSeconds(one);
    const seconds = await throughput(one.client, one.orders, 100);
    const cpu = (await cpuSeconds(one)) - before;
    if (!counts) return;
    one.perSecond.push(one.orders / seconds);
    one.cpuMicros.push((cpu / one.orders) * 1e6);
  };
  for (let i = 0; i < WARM_UP_FLOODS + rounds; i++) {
    for (const one of peers) await alone(peers, one, () => flood(one, i >= WARM_UP_FLOODS));
  }
}

function printThroughput(peers: readonly Peer[], reference: Peer): void {
  console.log('\nthroughput, 1 session, 100 in flight, validated, the others stopped meanwhile');
  row('', ['orders/s', 'server CPU µs', 'ours is ×', 'CPU: ours is ×']);
  const [rate, cpu] = [median(reference.perSecond), median(reference.cpuMicros)];
  for (const { name, perSecond, cpuMicros } of peers) {
    const [own, ownCpu] = [median(perSecond), median(cpuMicros)];
    row(name, [own.toFixed(0), ownCpu.toFixed(2), (rate / own).toFixed(2), (ownCpu / cpu).toFixed(2)]);
  }
}

async function stop(peers: readonly { process: LineProcess; client?: BenchClient }[]): Promise<void> {
  for (const { process, client } of peers) {
    client?.socket.destroy();
    await process.kill();
  }
}

async function echo(name: string, options: Partial<ServerOptions>): Promise<Peer> {
  const server = await startServer({ ...options, kind: 'echo' });
  return await peer(
    name,
    60_000,
    server,
    await BenchClient.open({ port: server.port, sender: 'C0', target: 'SERVER' }),
  );
}

async function againstPeers(folder: string): Promise<void> {
  const file = join(folder, 'echo');
  await writeFile(file, Buffer.alloc(FILE_BYTES));
  const peers: Peer[] = [await echo(ECHO, {}), await echo(WRITING_ECHO, { store: file, durability: 'process' })];
  const ourPeer = await ours('crossgate, durability process', { store: join(folder, 'journal') });
  peers.push(ourPeer);
  peers.push(await ours('the same, no busy poll', { store: join(folder, 'asleep'), busyPollMicros: 0 }));
  peers.push(await ours('crossgate, memory', {}));
  if ((await quickfix()).missing === null) {
    const program = await compileQuickfixEcho(folder);
    const start = async (name: string, port: number, store: string): Promise<Peer> =>
      await theirs(name, 10_000, port, new LineProcess(program, [`${port}`, store, stockDictionary(), 'SERVER', 'C0']));
    peers.push(await start('QuickFIX C++ MemoryStore', 20_000 + (process.pid % 10_000), 'memory'));
    peers.push(await start('QuickFIX C++ FileStore', 30_001 + (process.pid % 10_000), join(folder, 'quickfix')));
  } else console.log('QuickFIX C++ is not installed: left out');
  const port = 40_002 + (process.pid % 10_000);
  const args = [JSPUREFIX, 'acceptor', `${port}`, 'SERVER', 'C0'];
  peers.push(await theirs('jspurefix, memory', 3000, port, new LineProcess(process.execPath, args)));
  // First the flood: code that runs often is optimized when single orders are timed.
  await measureThroughput(peers, FLOODS);
  printThroughput(peers, ourPeer);
  await measureRoundTrips(peers);
  await stop(peers);
}

async function againstTls(folder: string, tls: NonNullable<ServerOptions['tls']>): Promise<void> {
  const plain = await ours('plain', { store: join(folder, 'plain') });
  const secured = await ours('TLS 1.3', { store: join(folder, 'tls'), tls });
  await measureThroughput([plain, secured], FLOODS);
  printThroughput([plain, secured], plain);
  await measureRoundTrips([plain, secured]);
  await stop([plain, secured]);
}

/**
 * The first sessions pay for what a process grows to once: the young generation, code, buffers. The cost of each
 * further one sizes a machine.
 */
async function measureMemory(tls: ServerOptions['tls']): Promise<void> {
  const COUNT = 2000;
  const sizes: number[] = [];
  for (const sessions of [1, COUNT, 2 * COUNT]) {
    const server = await startServer({ sessions, tls });
    const clients: BenchClient[] = [];
    for (let i = 0; i < sessions; i++) {
      const client = await BenchClient.open({
        port: server.port,
        sender: `C${i}`,
        target: 'SERVER',
        tls: tls !== null,
        heartBtIntS: 120,
      });
      await client.logOn();
      clients.push(client);
    }
    sizes.push((await ask<{ rss: number }>(server.process, 'memory')).rss);
    for (const { socket } of clients) socket.destroy();
    await server.process.kill();
  }
  const each = (from: number, count: number): string => ((sizes[from + 1]! - sizes[from]!) / count / 1000).toFixed(1);
  row(tls === null ? 'plain' : 'TLS 1.3', [each(0, COUNT - 1), each(1, COUNT)]);
}

async function measureGc(folder: string): Promise<void> {
  const [PER_TICK, TICK_MS, SECONDS] = [500, 10, 5];
  const one = await ours('steady', { store: join(folder, 'gc') });
  await throughput(one.client, 60_000, 100);
  await ask(one.process, 'gc');
  const first = one.client.received;
  const ticks = (SECONDS * 1000) / TICK_MS;
  const batches = Array.from({ length: ticks }, () =>
    Buffer.concat(Array.from({ length: PER_TICK }, () => one.client.order())),
  );
  const start = performance.now();
  let sent = 0;
  while (sent < ticks) {
    const due = Math.min(ticks, Math.floor((performance.now() - start) / TICK_MS) + 1);
    if (sent < due) one.client.socket.write(batches[sent++]!);
    await new Promise((resolve) => (sent < due ? setImmediate(resolve) : setTimeout(resolve, 1)));
  }
  await one.client.reach(first + ticks * PER_TICK);
  const seconds = (performance.now() - start) / 1000;
  const { ms, longestMs, count } = await ask<{ ms: number; longestMs: number; count: number }>(one.process, 'gc');
  console.log(`\nGC at ${((ticks * PER_TICK) / seconds).toFixed(0)} orders/s for ${seconds.toFixed(1)} s`);
  row('', ['% of time', 'longest ms', 'pauses']);
  row('crossgate', [((ms / seconds / 1000) * 100).toFixed(2), longestMs.toFixed(1), String(count)]);
  await stop([one]);
}

/** Round trips of a session that is logged on, while a flood of logons at `port` lasts. */
async function duringFlood(
  live: BenchClient,
  port: number,
  count: number,
): Promise<{ busy: number[]; flood: FloodResult }> {
  const flood = new LineProcess(process.execPath, [FLOOD, String(port), String(count), PASSWORD]);
  const busy: number[] = [];
  let result: string | null = null;
  void flood.line(/^\{/, 120_000).then((line) => {
    result = line;
  });
  await flood.line(/^connecting/);
  while (result === null) {
    busy.push(await roundTrip(live));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await flood.kill();
  return { busy, flood: JSON.parse(result) as FloodResult };
}

async function measureLogons(tls: NonNullable<ServerOptions['tls']>): Promise<void> {
  const COUNT = 1000;
  const password = await hashPassword(PASSWORD, RANDOM_SECRET_COST);
  const server = await startServer({ sessions: COUNT + 1, tls, password });
  const live = await BenchClient.open({
    port: server.port,
    sender: 'C0',
    target: 'SERVER',
    tls: true,
    password: PASSWORD,
  });
  await live.logOn();
  const quiet: number[] = [];
  for (let i = 0; i < 3000; i++) quiet.push(await roundTrip(live));
  // The machine's effect on a session of an idle server during the flood: no server can be below it.
  const other = await startServer({ sessions: COUNT + 1, tls, password });
  const elsewhere = await duringFlood(live, other.port, COUNT);
  await other.process.kill();
  const { busy, flood } = await duringFlood(live, server.port, COUNT);
  console.log(`\n${COUNT} logons at once over TLS, scrypt ln=${RANDOM_SECRET_COST}`);
  row('', ['answered', 'handshakes s', 'then s', 'live p99 µs', 'before']);
  for (const [name, { answered, handshakesMs, afterHandshakesMs }, times] of [
    ['crossgate', flood, busy],
    ['the flood at another process', elsewhere.flood, elsewhere.busy],
  ] as const) {
    const [handshakes, after] = [handshakesMs, afterHandshakesMs].map((ms) => (ms / 1000).toFixed(2)) as [
      string,
      string,
    ];
    const [p99, before] = [times, quiet].map((list) => percentile(list, 0.99).toFixed(0)) as [string, string];
    row(name, [String(answered), handshakes, after, p99, before]);
  }
  live.socket.destroy();
  await server.process.kill();
}

/** Run the measurements and print them as tables; an argument names one of `peers tls memory gc logons`. */
export async function run(args: readonly string[]): Promise<void> {
  if (args.includes('--soak')) {
    await soak();
    return;
  }
  const wants = (part: string): boolean => args.length === 0 || args.includes(part);
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-session-'));
  await promisify(execFile)('mkdir', ['-p', join(folder, 'quickfix')]);
  const { keyPem, certificatePem } = await createSelfSignedCertificate({ commonName: 'localhost' });
  const tls = { key: keyPem, certificate: certificatePem };
  try {
    if (wants('peers')) await againstPeers(folder);
    if (wants('tls')) await againstTls(folder, tls);
    if (wants('memory')) {
      console.log('\nmemory per logged-on idle session, kB');
      row('', ['first 2,000', 'each further']);
      await measureMemory(null);
      await measureMemory(tls);
    }
    if (wants('gc')) await measureGc(folder);
    if (wants('logons')) await measureLogons(tls);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
