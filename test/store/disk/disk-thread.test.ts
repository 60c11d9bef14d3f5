// The thread that writes and syncs for a journal: what is appended, written and read while it is at work, or does not get to it.

import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Disk, DurableThread } from '../../../src/store/disk/disk.ts';
import { DiskThread } from '../../../src/store/disk/disk-thread.ts';
import { realDisk } from '../../../src/store/disk/real-disk.ts';
import type { Journal, JournalRecord } from '../../../src/store/mod.ts';
import { copyAsLeftBehind, openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, outbound, SESSION } from '../records.ts';

/** A thread that works on request. */
class HeldThread implements DurableThread {
  isBroken = false;
  readonly bytes = Buffer.alloc(1_048_576);
  /** Jobs so far. */
  jobs = 0;
  #write: (() => void) | null = null;
  #release: (() => void) | null = null;
  #isFree = false;
  #fail: ((error: Error) => void) | null = null;

  begin(fd: number, length: number, position: number): ReturnType<DurableThread['begin']> {
    let written = length === 0;
    this.jobs++;
    this.#write = () => {
      if (!written) realDisk.write(fd, this.bytes, length, position);
      written = true;
    };
    const ended = new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      this.#release = () => {
        this.#write?.();
        realDisk.syncBlocking(fd);
        resolve();
      };
    });
    if (this.#isFree) this.#release?.();
    return {
      waitWritten: () => written,
      wait: () => false,
      ended: () => ended,
    };
  }

  /** Write what it has, and sync it later. */
  write(): void {
    this.#write?.();
  }

  /** The job that it has now, not those that follow. */
  releaseOne(): void {
    this.#release?.();
  }

  /** From now on at once. */
  release(): void {
    this.#isFree = true;
    this.#release?.();
  }

  breakDown(): void {
    this.isBroken = true;
    this.#fail?.(new Error('the thread has ended'));
  }

  async close(): Promise<void> {}
}

async function held(): Promise<{ directory: string; journal: Journal; thread: HeldThread }> {
  const thread = new HeldThread();
  const disk: Disk = { ...realDisk, thread: () => thread };
  const directory = temporaryDirectory();
  return { directory, journal: await openIn(directory, { disk }), thread };
}

async function numbersIn(journal: Journal): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { record } of journal.entries()) {
    if (record.kind === 'inbound' || record.kind === 'outbound') numbers.push(record.msgSeqNum);
  }
  return numbers;
}

type OnEnded = (reason: string) => void;

const NOTHING = new URL('data:text/javascript,');
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

function never(why: string): never {
  throw new Error(why);
}

function readlinkIfThere(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

const large = (bytes: number): JournalRecord => ({
  kind: 'unsequenced',
  sessionId: null,
  direction: 'in',
  raw: Buffer.alloc(bytes),
  note: '',
});

const endedOrder = (key: string): JournalRecord => ({ kind: 'order', key, record: `{"key":"${key}"}`, ended: [key] });

test("J1 writes nothing beyond the thread's position: a kill would leave a gap before it", async () => {
  const { directory, journal, thread } = await held();
  journal.append([inbound(1)], 1);
  expect(journal.syncNow?.()).toBe(false);
  journal.append([inbound(2)], 1);
  expect(journal.canWrite?.()).toBe(false);
  expect(() => journal.write()).toThrow('cannot be written');
  const synced = journal.sync();
  thread.release();
  expect(journal.canWrite?.()).toBe(true);
  journal.write();
  const after = await openIn(copyAsLeftBehind(directory));
  expect(after.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(3);
  await synced;
});

test('a sync requested beside another covers writes beside that, of any amount', async () => {
  const { journal, thread } = await held();
  journal.append([inbound(1)], 1);
  const first = journal.sync();
  thread.write();
  journal.append([inbound(2), large(40_000)], 1);
  journal.write();
  const second = journal.sync();
  let isDurable = false;
  void second.then(() => {
    isDurable = true;
  });
  thread.releaseOne();
  await first;
  await new Promise(setImmediate);
  expect([isDurable, thread.jobs]).toEqual([false, 2]);
  thread.release();
  await second;
});

test('the message log includes all earlier appends, also those waiting behind a sync', async () => {
  const { journal, thread } = await held();
  journal.append([inbound(1)], 1);
  const first = journal.sync();
  journal.append([inbound(2)], 1);
  const second = journal.sync();
  const read = numbersIn(journal);
  thread.releaseOne();
  await first;
  while (thread.jobs < 2) await new Promise(setImmediate);
  await new Promise((resolve) => setTimeout(resolve, 50));
  thread.release();
  await second;
  expect(await read).toEqual([1, 2]);
});

test('finds messages and ended orders before, during and after their write', async () => {
  const { journal, thread } = await held();
  journal.append([outbound(1), endedOrder('first')], 1);
  expect(journal.syncNow?.()).toBe(false);
  const expectAll = async (count: number, ...keys: string[]): Promise<void> => {
    const sent = await journal.loadOutbound(SESSION, 1, 1, 99);
    expect(sent.map(({ msgSeqNum }) => msgSeqNum)).toEqual(Array.from({ length: count }, (_, k) => k + 1));
    expect(keys.map((key) => journal.endedOrders.find(key))).toEqual(keys.map((key) => `{"key":"${key}"}`));
  };
  await expectAll(1, 'first');
  journal.append([outbound(2), endedOrder('second')], 1);
  await expectAll(2, 'first', 'second');
  const next = journal.sync();
  thread.release();
  journal.write();
  journal.append([outbound(3), endedOrder('third')], 1);
  await expectAll(3, 'first', 'second', 'third');
  await next;
  await expectAll(3, 'first', 'second', 'third');
});

test('J2 an ending thread loses nothing: its records go to another segment', async () => {
  const { directory, journal, thread } = await held();
  journal.append([inbound(1), endedOrder('first')], 1);
  expect(journal.syncNow?.()).toBe(false);
  journal.append([inbound(2)], 1);
  const synced = journal.sync();
  thread.breakDown();
  await synced;
  journal.append([inbound(3)], 1);
  await journal.sync();
  expect(journal.endedOrders.find('first')).not.toBeNull();
  expect(segmentNames(directory)).toHaveLength(2);
  expect(await numbersIn(journal)).toEqual([1, 2, 3]);
});

test.for([
  ['that may have no further thread', () => never('EAGAIN'), 'EAGAIN', 1],
  ['whose thread ends by itself', (onEnded: OnEnded) => new DiskThread(onEnded, NOTHING), 'code 0', 2],
] as const)('a process %s has a journal anyway, and states the consequence', async ([, thread, why, segments]) => {
  const directory = temporaryDirectory();
  const said: string[] = [];
  const log = (_level: string, text: string): void => void said.push(text);
  const journal = await openIn(directory, { disk: { ...realDisk, thread }, log });
  for (let n = 1; n <= 3; n++) {
    journal.append([inbound(n)], n);
    await journal.sync();
  }
  expect(await numbersIn(journal)).toEqual([1, 2, 3]);
  expect(said.filter((text) => text.includes('a disk that stands still stops this process too'))).toHaveLength(1);
  expect(said.join()).toContain(why);
  expect(segmentNames(directory)).toHaveLength(segments);
});

test('a program given to Node by --eval that never closes its journal ends by itself', async () => {
  const directory = temporaryDirectory();
  const program = `import { openJournal } from './src/store/mod.ts';
    const directory = ${JSON.stringify(directory)};
    const journal = await openJournal({ directory, now: Date.now, log: (...said) => console.log(...said) });
    journal.append([{ kind: 'audit', who: 'a', action: 'b', detail: 'c' }], 1);
    await journal.sync();
    console.log('synced');`;
  const args = ['--input-type=module', '--eval', program];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
  const said = text(child.stdout);
  const [code] = await once(child, 'close');
  expect([code, await said]).toEqual([0, 'synced\n']);
});

test('a journal that cannot be opened leaves no thread and no open file', async () => {
  const directory = temporaryDirectory();
  // It cannot be removed like the file that it should be.
  mkdirSync(join(directory, 'spare.xgj-draft'));
  let threads = 0;
  const thread = (onEnded: OnEnded): DurableThread => {
    threads++;
    return new DiskThread(onEnded);
  };
  const options = { disk: { ...realDisk, thread }, witness: join(directory, 'witness') };
  await expect(openIn(directory, options)).rejects.toThrow();
  expect(threads).toBe(0);
  const files = readdirSync('/proc/self/fd').map((fd) => readlinkIfThere(join('/proc/self/fd', fd)));
  expect(files.filter((file) => file.startsWith(directory))).toEqual([]);
});

test('ends a thread that is about to sleep when stopped', async () => {
  const thread = new DiskThread(() => {}, new URL('../sleepy-disk-worker.ts', import.meta.url));
  const fd = realDisk.open(join(temporaryDirectory(), 'file'));
  const job = thread.begin(fd, 16, 0);
  while (!job.wait(100));
  await thread.close();
  closeSync(fd);
});

test('J1 frames that come while others are on their way lie behind them, over the ends of segments too', async () => {
  const seed = Number(process.env.CROSSGATE_SEED ?? randomInt(1_000_000));
  console.log(`seed ${seed}: CROSSGATE_SEED=${seed} repeats it`);
  let state = seed;
  const below = (n: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (state >>> 8) % n;
  };
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  let last = 0;
  const syncs: Promise<void>[] = [];
  const counts = { spot: 0, late: 0, written: 0 };
  for (let step = 0; step < 6000; step++) {
    for (let k = below(4); k > 0; k--) journal.append([inbound(++last)], 1);
    const what = below(8);
    if (what < 3) counts[journal.syncNow?.() === true ? 'spot' : 'late']++;
    else if (what < 5) syncs.push(journal.sync());
    else if (what === 5 && journal.canWrite?.() === true) {
      journal.write();
      counts.written++;
    } else if (what === 6) await (below(3) === 0 ? journal.sync() : new Promise(setImmediate));
  }
  await Promise.all(syncs);
  const all = Array.from({ length: last }, (_, k) => k + 1);
  expect(await numbersIn(journal)).toEqual(all);
  await journal.close();
  const again = await openIn(directory, { segmentBytes: 65_536 });
  expect(again.recovered.notes).toEqual([]);
  expect(await numbersIn(again)).toEqual(all);
  expect(segmentNames(directory).length).toBeGreaterThan(5);
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(0);
});
