// D → 8 with durability `disk`, every answer behind a sync, against QuickFIX C++ with its FileStore, which never syncs: one
// session with 100 orders in flight, 50 sessions with 20 each; then the round trip of one order beside a bare TCP echo and
// one sync of the same disk. Servers are processes of their own; peers take turns in one run, medians.

import fs from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { writeZeroFile } from '../../src/store/zero-file.ts';
import { LineProcess } from '../support/line-process.ts';
import { compileQuickfixEcho, quickfix, stockDictionary } from '../support/quickfix.ts';
import { median, startServer } from './session.ts';
import { BenchClient, roundTrip, throughput } from './session-client.ts';

const ROUNDS = 5;
const ROUND_TRIPS = 1500;
const WARM_UP = 300;
/** Orders before the first that is timed: a process is compiled to its last by some tens of thousands. */
const WARM_UP_ORDERS = 20_000;

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

async function ours(folder: string, sessions: number): Promise<Server> {
  const server = await startServer({ store: join(folder, `journal-${sessions}`), sessions, durability: 'disk' });
  return await connect('crossgate, durability disk', server.process, server.port, sessions);
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
  const servers = [await ours(folder, sessions)];
  if ((await quickfix()).missing === null) servers.push(await theirs(folder, sessions));
  else console.log('QuickFIX C++ is not installed: left out');
  for (let round = 0; round <= ROUNDS; round++) {
    for (const { clients, perSecond } of servers) {
      const begun = performance.now();
      await Promise.all(clients.map((client) => throughput(client, orders / sessions, inFlight)));
      // The first round warms up.
      if (round > 0) perSecond.push((orders * 1000) / (performance.now() - begun));
    }
  }
  console.log(`\nD → 8, ${sessions} session(s), ${inFlight} in flight each: orders per second`);
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

async function compareRoundTrips(folder: string): Promise<void> {
  const disk = await ours(join(folder, 'round-trip'), 1);
  const echo = await startServer({ kind: 'echo' });
  const echoClient = await BenchClient.open({ port: echo.port, sender: 'C0', target: 'SERVER' });
  for (const client of [echoClient, disk.clients[0]!]) await throughput(client, WARM_UP_ORDERS, 100);
  await writeZeroFile(join(folder, 'bare-sync'), 4_194_304, () => false);
  const fd = fs.openSync(join(folder, 'bare-sync'), 'r+');
  const micros: number[][] = [[], [], []];
  for (let k = 0; k < WARM_UP + ROUND_TRIPS; k++) {
    const row = [await roundTrip(echoClient), oneSync(fd, (k * 600) % 4_000_000), await roundTrip(disk.clients[0]!)];
    if (k >= WARM_UP) for (const [i, value] of row.entries()) micros[i]!.push(value);
  }
  const [echoP50, syncP50, diskP50] = micros.map(median) as [number, number, number];
  console.log('\nround trip, one in flight, p50 µs');
  console.log(
    `TCP echo ${echoP50.toFixed(0)}   one fdatasync ${syncP50.toFixed(0)}   D → 8 on disk ${diskP50.toFixed(0)}`,
  );
  console.log(`= echo + ${((diskP50 - echoP50) / syncP50).toFixed(2)} × one fdatasync`);
  fs.closeSync(fd);
  echoClient.socket.destroy();
  await echo.process.kill();
  await close(disk);
}

/** Print the comparison. `base` is a folder that the caller removes. */
export async function echoOnDisk(base: string): Promise<void> {
  const folder = join(base, 'echo');
  for (const name of [folder, join(folder, 'round-trip')]) fs.mkdirSync(name, { recursive: true });
  await compareRoundTrips(folder);
  await compareThroughput(folder, 1, 100, 20_000);
  await compareThroughput(folder, 50, 20, 50_000);
}
