// The thread in which snapshots are made: kept from one to the next, ended when idle, and what is said when one fails.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { failed, SnapshotThread } from '../../../src/store/snapshots/snapshot-thread.ts';
import { openIn, temporaryDirectory } from '../journal-place.ts';
import { inbound } from '../records.ts';

const threads: SnapshotThread[] = [];
afterEach(async () => {
  for (const thread of threads.splice(0)) await thread.close();
});

function threadOf(idleMs?: number): SnapshotThread {
  const thread = new SnapshotThread(idleMs);
  threads.push(thread);
  return thread;
}

/** A journal with several finished segments. */
async function finishedJournal(): Promise<string> {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  for (let n = 1; n <= 1500; n++) journal.append([inbound(n)], n);
  await journal.close();
  const next = await openIn(directory, { segmentBytes: 65_536 });
  for (let n = 1501; n <= 3000; n++) {
    next.append([inbound(n)], n);
    if (n % 100 === 0) await next.sync();
  }
  await next.close();
  return directory;
}

test('one thread makes a snapshot after another, also after one that failed', async () => {
  const thread = threadOf();
  const request = { through: null };
  const missing = join(temporaryDirectory(), 'nothing');
  await expect(thread.make({ ...request, directory: missing })).rejects.toThrow(/^ENOENT: no such file/);
  expect(thread.isRunning).toBe(true);
  const directory = await finishedJournal();
  const { meta } = await thread.make({ ...request, directory });
  expect(meta?.start.segment).toBeGreaterThan(0);
  expect((await thread.make({ ...request, directory })).meta).toBeNull();
  // Everything is of the present series: it finds out that nothing may go to the archive.
  const archive = { directory, retentionDays: null, now: 1_700_000_000_000, before: null };
  expect(await thread.archive(archive)).toEqual({ before: 0, left: 0, notes: [] });
});

test('names a used-up quota, unknown to Node.js, for a snapshot or the archive', () => {
  const quota = Object.assign(new Error('UNKNOWN: unknown error, write'), { code: 'UNKNOWN', errno: -122 });
  expect(failed(quota)).toEqual({ kind: 'failed', reason: 'EDQUOT: the disk quota is used up, write' });
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', errno: -28 });
  expect(failed(full)).toEqual({ kind: 'failed', reason: full.message });
  expect(failed(new TypeError('not a function'))).toEqual({ kind: 'failed', reason: 'TypeError: not a function' });
});

test('a thread without anything to do ends, and the next snapshot begins another', async () => {
  const thread = threadOf(1);
  const request = { directory: await finishedJournal(), through: null };
  expect((await thread.make(request)).meta).not.toBeNull();
  await expect.poll(() => thread.isRunning, { interval: 5 }).toBe(false);
  expect((await thread.make(request)).meta).toBeNull();
});

test('another thread does work that falls due while an idle one ends', async () => {
  const thread = threadOf();
  const request = { directory: temporaryDirectory(), through: null };
  expect((await thread.make(request)).meta).toBeNull();
  const ended = thread.close();
  expect((await thread.make(request)).meta).toBeNull();
  await ended;
  expect(thread.isRunning).toBe(true);
});

test('a snapshot that met a limit of the process says how it is raised', () => {
  const error = Object.assign(new Error('EMFILE: too many open files'), { code: 'EMFILE' });
  expect(failed(error)).toEqual({ kind: 'failed', reason: expect.stringContaining('`LimitNOFILE=`') });
});
