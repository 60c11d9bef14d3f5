// Records per second that are on disk, batches of 1 and 100: the embedded journal beside node:sqlite (WAL, synchronous
// FULL) and a bare preallocated file with fdatasync. Interleaved in one run, medians. Then the time to recover.
// A record is what one order makes: an inbound message of 190 bytes, an outbound one of 250, both sequence numbers.

import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { openJournal } from '../../src/store/mod.ts';

const INBOUND = Buffer.alloc(190, 'i');
const OUTBOUND = Buffer.alloc(250, 'o');
const SESSION = 'FIX.4.4:XGATE->OMS';
const ROUNDS = 5;
const ROUND_MS = 700;

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
    batch: (first, count) => {
      for (let n = first; n < first + count; n++) {
        journal.append(
          [
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
          ],
          1_700_000_000_000 + n,
        );
      }
      return journal.sync();
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

async function bareFile(directory: string): Promise<Contestant> {
  fs.mkdirSync(directory, { recursive: true });
  const fd = fs.openSync(join(directory, 'bare'), 'w+');
  const size = 67_108_864;
  fs.writeSync(fd, Buffer.alloc(size));
  fs.fsyncSync(fd);
  const sync = promisify(fs.fdatasync);
  const record = Buffer.concat([INBOUND, OUTBOUND]);
  let position = 0;
  return {
    name: 'bare file + fdatasync',
    batch: async (_, count) => {
      const bytes = Buffer.concat(Array.from({ length: count }, () => record));
      if (position + bytes.length > size) position = 0;
      fs.writeSync(fd, bytes, 0, bytes.length, position);
      position += bytes.length;
      await sync(fd);
    },
    close: async () => fs.closeSync(fd),
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}

async function compare(base: string, size: number): Promise<void> {
  const contestants = await Promise.all(
    [ours, sqlite, bareFile].map((create, k) => create(join(base, `batch-${size}-${k}`))),
  );
  const rates = contestants.map((): number[] => []);
  const next = contestants.map(() => 1);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [k, contestant] of contestants.entries()) {
      const start = performance.now();
      const first = next[k]!;
      while (performance.now() - start < ROUND_MS) {
        await contestant.batch(next[k]!, size);
        next[k]! += size;
      }
      rates[k]!.push(((next[k]! - first) * 1000) / (performance.now() - start));
    }
  }
  for (const contestant of contestants) await contestant.close();
  const reference = median(rates[1]!);
  console.log(`\nbatches of ${size}: records on disk per second, against ${contestants[1]!.name}`);
  for (const [k, contestant] of contestants.entries()) {
    const rate = median(rates[k]!);
    console.log(
      `${contestant.name.padEnd(24)}${rate.toFixed(0).padStart(12)}${(rate / reference).toFixed(2).padStart(8)}`,
    );
  }
}

/** Write a journal of `records` orders, leave it as a killed process would, and time the next start. */
async function recovery(base: string, records: number): Promise<void> {
  const directory = join(base, 'recovery');
  const journal = await ours(directory);
  for (let n = 1; n < records; n += 100) await journal.batch(n, 100);
  const copy = join(base, 'left-behind');
  // The lock stays behind: the copy is what the next process finds.
  fs.cpSync(directory, copy, { recursive: true, filter: (path) => !/lock/.test(path.slice(directory.length)) });
  await journal.close();
  const start = performance.now();
  const again = await openJournal({ directory: copy, now: Date.now });
  const seconds = (performance.now() - start) / 1000;
  const { numbers } = again.recovered.sessions.get(SESSION)!;
  if (numbers.nextTargetMsgSeqNum !== records + 1) throw new Error('not everything was recovered');
  await again.close();
  const memory = (process.memoryUsage().rss / 1_048_576).toFixed(0);
  console.log(
    `\nrecovery of ${2 * records} records: ${seconds.toFixed(2)} s (${((2 * records) / seconds).toFixed(0)}/s), process ${memory} MB`,
  );
}

export async function run(args: readonly string[]): Promise<void> {
  const base = fs.mkdtempSync(join(tmpdir(), 'crossgate-bench-'));
  try {
    for (const size of [1, 100]) await compare(base, size);
    await recovery(base, Number(args[0] ?? 1_000_000));
  } finally {
    fs.rmSync(base, { recursive: true, force: true });
  }
}
