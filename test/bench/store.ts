// Records per second that are on disk, batches of 1 and 100: the embedded journal beside node:sqlite (WAL, synchronous
// FULL), LMDB and, as the floor, bare files of zeros with fdatasync. Interleaved in one run, medians. Then the time that a start takes
// after a kill just before the next snapshot is due, and without any snapshot.
// A record is what one order makes: an inbound message of 190 bytes, an outbound one of 250, both sequence numbers.

import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { PAGE_BYTES, writeZeroFile } from '../../src/store/embedded/zero-file.ts';
import { type JournalRecord, openJournal } from '../../src/store/mod.ts';
import { echoOnDisk } from './store-echo.ts';
import { postgresOnDisk } from './store-postgres.ts';

const INBOUND = Buffer.alloc(190, 'i');
const OUTBOUND = Buffer.alloc(250, 'o');
const SESSION = 'FIX.4.4:XGATE->OMS';
const ROUNDS = 5;
const ROUND_MS = 700;
const WARM_UP_MS = 2000;
const BATCH_MAX = 100;
/** The two messages of an order, and about what our frame of them has besides. */
const BYTES_OF_ORDER = 500;
const SEGMENT_BYTES = 67_108_864;
/** After so many the event loop turns once, as a server's does: files are filled beside it. */
const BATCHES_PER_TURN = 8;

/** The records of one order. */
function recordsOf(n: number): JournalRecord[] {
  return [
    {
      kind: 'inbound',
      sessionId: SESSION,
      series: 1,
      msgSeqNum: n,
      nextTargetMsgSeqNum: n + 1,
      msgType: 'D',
      raw: INBOUND,
    },
    {
      kind: 'outbound',
      sessionId: SESSION,
      series: 1,
      msgSeqNum: n,
      msgType: '8',
      resendable: true,
      raw: OUTBOUND,
    },
  ];
}

interface Contestant {
  readonly name: string;
  /** Make a batch durable. */
  batch(first: number, count: number): Promise<void>;
  close(): Promise<void>;
}

async function ours(directory: string): Promise<Contestant> {
  const journal = await openJournal({ directory, now: Date.now });
  return {
    name: 'embedded journal',
    batch: async (first, count) => {
      for (let n = first; n < first + count; n++) {
        journal.append(recordsOf(n), 1_700_000_000_000 + n);
      }
      // As the commit queue does.
      if (journal.syncNow?.() !== true) await journal.sync();
    },
    close: () => journal.close(),
  };
}

async function sqlite(directory: string): Promise<Contestant> {
  fs.mkdirSync(directory, { recursive: true });
  const database = new DatabaseSync(join(directory, 'journal.sqlite'));
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE record (n INTEGER PRIMARY KEY, target INTEGER, inbound BLOB, outbound BLOB)');
  const insert = database.prepare('INSERT INTO record VALUES (?, ?, ?, ?)');
  return {
    name: 'node:sqlite WAL FULL',
    batch: async (first, count) => {
      database.exec('BEGIN');
      for (let n = first; n < first + count; n++) insert.run(n, n + 1, INBOUND, OUTBOUND);
      database.exec('COMMIT');
    },
    close: async () => database.close(),
  };
}

async function lmdb(directory: string): Promise<Contestant> {
  const { open } = await import('lmdb');
  // Every batch is a transaction that is synced before it is confirmed.
  const database = open({ path: directory, encoding: 'binary', keyEncoding: 'uint32', overlappingSync: false });
  const record = Buffer.concat([INBOUND, OUTBOUND]);
  return {
    name: 'LMDB',
    batch: async (first, count) => {
      await database.transaction(() => {
        for (let n = first; n < first + count; n++) database.put(n, record);
      });
    },
    close: () => database.close(),
  };
}

/** A write of as many bytes as a batch of ours has, with zeros to the end of its page, and one sync, on the spot. */
class BareWriter {
  readonly #record = Buffer.alloc(BYTES_OF_ORDER, 'r');
  readonly #bytes = Buffer.alloc(BYTES_OF_ORDER * BATCH_MAX + PAGE_BYTES);
  position = 0;

  write(fd: number, count: number): void {
    const length = count * BYTES_OF_ORDER;
    for (let k = 0; k < count; k++) this.#bytes.set(this.#record, k * BYTES_OF_ORDER);
    const end = this.position + length;
    const padded = Math.ceil(end / PAGE_BYTES) * PAGE_BYTES - this.position;
    fs.writeSync(fd, this.#bytes.fill(0, length, padded), 0, padded, this.position);
    fs.fdatasyncSync(fd);
    this.position = end;
  }

  /** Whether another batch has room. */
  hasRoom(count: number): boolean {
    return this.position + count * BYTES_OF_ORDER + PAGE_BYTES <= SEGMENT_BYTES;
  }
}

/** The ceiling of a journal, which keeps its data: the same file of zeros over and over. */
async function bareFile(directory: string): Promise<Contestant> {
  fs.mkdirSync(directory, { recursive: true });
  const path = join(directory, 'bare');
  await writeZeroFile(path, SEGMENT_BYTES, () => false);
  const fd = fs.openSync(path, 'r+');
  const writer = new BareWriter();
  return {
    name: 'one bare file, over and over',
    batch: async (_, count) => {
      if (!writer.hasRoom(count)) writer.position = 0;
      writer.write(fd, count);
    },
    close: async () => fs.closeSync(fd),
  };
}

/** The floor of a journal: bare files of zeros one after the other, the next one filled meanwhile, all of them kept. */
async function bareFiles(directory: string): Promise<Contestant> {
  fs.mkdirSync(directory, { recursive: true });
  let files = 0;
  const fill = async (): Promise<string> => {
    const path = join(directory, String(files++));
    await writeZeroFile(path, SEGMENT_BYTES, () => false);
    return path;
  };
  let fd = fs.openSync(await fill(), 'r+');
  let next = fill();
  const writer = new BareWriter();
  return {
    name: 'bare files, all kept',
    batch: async (_, count) => {
      if (!writer.hasRoom(count)) {
        const path = await next;
        fs.closeSync(fd);
        fd = fs.openSync(path, 'r+');
        next = fill();
        writer.position = 0;
      }
      writer.write(fd, count);
    },
    close: async () => {
      await next;
      fs.closeSync(fd);
    },
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

async function compare(base: string, size: number): Promise<void> {
  const contestants = await Promise.all(
    [ours, sqlite, lmdb, bareFiles, bareFile].map((create, k) => create(join(base, `batch-${size}-${k}`))),
  );
  const rates = contestants.map((): number[] => []);
  const micros = contestants.map((): number[] => []);
  const next = contestants.map(() => 1);
  // One-time work at the begin, such as filling files, is not compared.
  for (const [k, contestant] of contestants.entries()) {
    for (const start = performance.now(); performance.now() - start < WARM_UP_MS; next[k]! += size) {
      await contestant.batch(next[k]!, size);
      if (next[k]! % (BATCHES_PER_TURN * size) < size) await nextTurn();
    }
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [k, contestant] of contestants.entries()) {
      const start = performance.now();
      const first = next[k]!;
      for (let at = start; at - start < ROUND_MS; ) {
        await contestant.batch(next[k]!, size);
        next[k]! += size;
        if (next[k]! % (BATCHES_PER_TURN * size) < size) await nextTurn();
        const now = performance.now();
        micros[k]!.push((now - at) * 1000);
        at = now;
      }
      rates[k]!.push(((next[k]! - first) * 1000) / (performance.now() - start));
    }
  }
  for (const contestant of contestants) await contestant.close();
  const peers = [1, 2].map((k) => ({ name: contestants[k]!.name, rate: median(rates[k]!) }));
  const against = peers.map(({ name }) => name).join(' and ');
  console.log(`\nbatches of ${size}: records on disk per second, against ${against}; one batch, p50 µs`);
  for (const [k, contestant] of contestants.entries()) {
    const rate = median(rates[k]!);
    console.log(
      contestant.name.padEnd(30) +
        rate.toFixed(0).padStart(12) +
        peers.map((peer) => (rate / peer.rate).toFixed(2).padStart(8)).join('') +
        median(micros[k]!).toFixed(0).padStart(8),
    );
  }
}

/** How a process finds a journal of that many records when it starts: time, and memory that stays. */
async function start(directory: string, records: number): Promise<string> {
  const script = [
    `import { openJournal } from ${JSON.stringify(new URL('../../src/store/mod.ts', import.meta.url).href)};`,
    'const begun = performance.now();',
    `const journal = await openJournal({ directory: ${JSON.stringify(directory)}, now: Date.now, snapshotBytes: Infinity });`,
    'const seconds = (performance.now() - begun) / 1000;',
    `const next = journal.recovered.sessions.get(${JSON.stringify(SESSION)}).numbers.nextTargetMsgSeqNum;`,
    'globalThis.gc();',
    'const { heapUsed, arrayBuffers } = process.memoryUsage();',
    'console.log(JSON.stringify({ seconds, next, megabytes: (heapUsed + arrayBuffers) / 1048576 }));',
    'await journal.close();',
  ].join('\n');
  const args = ['--expose-gc', '--input-type=module', '-e', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const { seconds, next, megabytes } = JSON.parse(stdout) as { seconds: number; next: number; megabytes: number };
  if (next !== records / 2 + 1) throw new Error(`not everything was recovered: the next number is ${next}`);
  return `${seconds.toFixed(2).padStart(8)} s   ${megabytes.toFixed(0).padStart(5)} MB`;
}

/** Write `records` records as one order after another, leave them as a killed process would, and time the next start. */
async function recovery(base: string, records: number): Promise<void> {
  const directory = join(base, 'recovery');
  const journal = await openJournal({ directory, now: Date.now });
  for (let n = 1; n <= records / 2; n++) {
    journal.append(recordsOf(n), 1_700_000_000_000 + n);
    if (n % 5000 !== 0) continue;
    await journal.sync();
    if (n % 100_000 === 0) await journal.snapshotsIdle();
  }
  await journal.sync();
  await journal.snapshotsIdle();
  const copy = join(base, 'left-behind');
  // The lock stays behind: this is what the next process finds.
  fs.mkdirSync(copy);
  for (const name of fs.readdirSync(directory)) {
    if (!name.startsWith('lock')) fs.linkSync(join(directory, name), join(copy, name));
  }
  const snapshots = fs
    .readdirSync(copy)
    .filter((name) => name.endsWith('.xgs'))
    .sort();
  // The next is due once as much again was written as lies between two: the one before the newest is that far behind.
  if (snapshots.length > 1) fs.rmSync(join(copy, snapshots.pop()!));
  const segments = fs.readdirSync(copy).filter((name) => name.endsWith('.xgj')).length;
  console.log(
    `\na start after kill -9: ${records} records in ${segments} segments, newest snapshot ${snapshots.at(-1) ?? 'none'}`,
  );
  console.log(`with the snapshot      ${await start(copy, records)}`);
  for (const name of fs.readdirSync(copy)) if (/\.xg[sxko]$/.test(name)) fs.rmSync(join(copy, name));
  for (const name of fs.readdirSync(copy)) if (name.startsWith('lock')) fs.rmSync(join(copy, name));
  console.log(`without any snapshot   ${await start(copy, records)}`);
  await journal.close();
}

/** Run the measurements and print them; arguments name some of `batches echo postgres recovery`, and how many records. */
export async function run(args: readonly string[]): Promise<void> {
  const records = args.find((one) => /^\d+$/.test(one));
  const parts = args.filter((one) => one !== records);
  const wants = (part: string): boolean => parts.length === 0 || parts.includes(part);
  const base = fs.mkdtempSync(join(tmpdir(), 'crossgate-bench-'));
  try {
    if (wants('batches')) for (const size of [1, BATCH_MAX]) await compare(base, size);
    if (wants('echo')) await echoOnDisk(base);
    if (wants('postgres')) await postgresOnDisk();
    if (wants('recovery')) await recovery(base, Number(records ?? 10_000_000));
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}
