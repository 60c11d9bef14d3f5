// D → 8 with durability `disk`, every answer behind a sync, against QuickFIX C++ with its FileStore, which never syncs.
// It runs one session with 100 orders in flight and 50 sessions with 20 each. Then follows the round trip of one order
// beside a bare TCP echo and one sync of the same disk. Servers are processes of their own; peers take turns in one
// run, medians.

import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { writeZeroFile } from '../../src/store/embedded/zero-file.ts';
import { compileQuickfixEcho, quickfix, stockDictionary } from '../support/oms/quickfix.ts';
import { LineProcess } from '../support/processes/line-process.ts';
import { median, startServer } from './session.ts';
import { BenchClient, renderOrders, roundTrip, sendOrders, throughput } from './session-client.ts';

const ROUNDS = 7;
const ROUND_TRIPS = 1500;
const WARM_UP = 300;
const ZERO_FILE_BYTES = 4_194_304;
/** Orders before the first that is timed: a process is compiled to its last by some tens of thousands. */
const WARM_UP_ORDERS = 60_000;

interface Server {
  readonly name: string;
  readonly process: LineProcess;
  readonly clients: readonly BenchClient[];
  readonly perSecond: number[];
}

async function connect(name: string, process_: LineProcess, port: number, sessions: number): Promise<Server> {
  const clients: BenchClient[] = [];
  for (let k = 0; k < sessions; k++) {
    const client = await BenchClient.open({ port, sender: `C${k}`, target: 'SERVER' });
    await client.logOn();
    clients.push(client);
  }
  return { name, process: process_, clients, perSecond: [] };
}

async function ours(folder: string, sessions: number, durability: 'disk' | 'process' = 'disk'): Promise<Server> {
  const server = await startServer({
    store: join(folder, `journal-${sessions}`),
    sessions,
    durability,
  });
  return await connect(`crossgate, durability ${durability}`, server.process, server.port, sessions);
}

/** The ceiling of this disk: it only writes, syncs and answers. */
async function floor(folder: string, sessions: number): Promise<Server> {
  const store = await fileOfZeros(join(folder, `group-${sessions}`));
  const { process: process_, port } = await startServer({ kind: 'group', store });
  const clients: BenchClient[] = [];
  for (let k = 0; k < sessions; k++) clients.push(await BenchClient.open({ port, sender: `C${k}`, target: 'SERVER' }));
  return { name: 'an echo of the bytes, on disk first', process: process_, clients, perSecond: [] };
}

async function theirs(folder: string, sessions: number): Promise<Server> {
  const program = await compileQuickfixEcho(folder);
  const port = 30_000 + ((process.pid + sessions) % 10_000);
  const targets = Array.from({ length: sessions }, (_, k) => `C${k}`);
  const store = join(folder, `quickfix-${sessions}`);
  const child = new LineProcess(program, [`${port}`, store, stockDictionary(), 'SERVER', ...targets]);
  await child.line(/^(listening|started)/, 30_000);
  return await connect('QuickFIX C++ FileStore (no sync)', child, port, sessions);
}

function close({ process: process_, clients }: Server): Promise<unknown> {
  for (const client of clients) client.socket.destroy();
  return process_.kill();
}

async function compareThroughput(folder: string, sessions: number, inFlight: number, orders: number): Promise<void> {
  const servers = [await floor(folder, sessions), await ours(folder, sessions)];
  if ((await quickfix()).missing === null) servers.push(await theirs(folder, sessions));
  else console.log('QuickFIX C++ is not installed: left out');
  const warmUp = Math.ceil(WARM_UP_ORDERS / orders);
  for (let round = 0; round < warmUp + ROUNDS; round++) {
    for (const { clients, perSecond } of servers) {
      const rendered = clients.map((client) => renderOrders(client, orders / sessions));
      // Another peer's unwritten data would be written while this one waits for the disk.
      await promisify(execFile)('sync', ['-f', folder]);
      const begun = performance.now();
      await Promise.all(clients.map((client, k) => sendOrders(client, rendered[k]!, inFlight)));
      if (round >= warmUp) perSecond.push((orders * 1000) / (performance.now() - begun));
    }
  }
  console.log(`\nD → 8, ${sessions} session(s), ${inFlight} in flight each: orders per second, and against the last`);
  const reference = median(servers.at(-1)!.perSecond);
  for (const { name, perSecond } of servers) {
    const rate = median(perSecond);
    console.log(name.padEnd(36) + rate.toFixed(0).padStart(10) + (rate / reference).toFixed(2).padStart(8));
  }
  await Promise.all(servers.map(close));
}

/** One write of an order's size and one sync of a preallocated file, microseconds. */
function oneSync(fd: number, position: number): number {
  const bytes = Buffer.alloc(600, 's');
  const start = process.hrtime.bigint();
  fs.writeSync(fd, bytes, 0, bytes.length, position);
  fs.fdatasyncSync(fd);
  return Number(process.hrtime.bigint() - start) / 1000;
}

async function fileOfZeros(path: string): Promise<string> {
  await writeZeroFile(path, ZERO_FILE_BYTES, () => false);
  return path;
}

/**
 * One order in flight, beside its parts: a bare echo, an echo with each message on disk first (the floor of any
 * server), and the same order without a disk wait.
 */
async function compareRoundTrips(folder: string): Promise<void> {
  const disk = await ours(join(folder, 'round-trip'), 1);
  const written = await ours(join(folder, 'written'), 1, 'process');
  const echoes = [null, await fileOfZeros(join(folder, 'echo-sync'))];
  const bare = await Promise.all(echoes.map((store) => startServer({ kind: 'echo', store })));
  const clients = await Promise.all(bare.map(({ port }) => BenchClient.open({ port, sender: 'C0', target: 'SERVER' })));
  clients.push(written.clients[0]!, disk.clients[0]!);
  for (const [k, client] of clients.entries()) if (k !== 1) await throughput(client, WARM_UP_ORDERS, 100);
  const fd = fs.openSync(await fileOfZeros(join(folder, 'bare-sync')), 'r+');
  const micros: number[][] = [[], ...clients.map(() => [])];
  for (let k = 0; k < WARM_UP + ROUND_TRIPS; k++) {
    const row = [oneSync(fd, (k * 600) % (ZERO_FILE_BYTES - 600))];
    for (const client of clients) row.push(await roundTrip(client));
    if (k >= WARM_UP) for (const [i, value] of row.entries()) micros[i]!.push(value);
  }
  const [syncP50 = 0, echoP50 = 0, ...others] = micros.map(median);
  const beyond = (p50: number): string => `${((p50 - echoP50) / syncP50).toFixed(2)} × one fdatasync`;
  console.log('\nround trip, one in flight, p50 µs');
  console.log(`TCP echo ${echoP50.toFixed(0)}   one fdatasync ${syncP50.toFixed(0)}`);
  const names = ['bare echo, each message on disk first', 'D → 8, durability process', 'D → 8, durability disk'];
  for (const [i, p50] of others.entries())
    console.log(`${names[i]!.padEnd(40)}${p50.toFixed(0).padStart(6)} = echo + ${beyond(p50)}`);
  fs.closeSync(fd);
  for (const client of clients) client.socket.destroy();
  for (const { process: process_ } of [...bare, written, disk]) await process_.kill();
}

/** Print the comparison. `base` is a folder that the caller removes. */
export async function echoOnDisk(base: string): Promise<void> {
  const folder = join(base, 'echo');
  for (const name of ['round-trip', 'written']) fs.mkdirSync(join(folder, name), { recursive: true });
  await compareRoundTrips(folder);
  await compareThroughput(folder, 1, 100, 20_000);
  await compareThroughput(folder, 50, 20, 50_000);
}
