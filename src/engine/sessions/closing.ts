// Bounded waits of the shutdown, and closing a journal on a disk that may not answer (rule U5). shutdown.ts has the
// order.

import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';
import type { Journal } from '../../store/mod.ts';
import type { CommitQueue } from './commit-queue.ts';

/** How often the end of a bounded wait is looked for. */
const LOOK_MS = 10;

/** Wait until something is so, in vain at most for so long; whether it is. */
export async function until(done: () => boolean, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!done()) {
    if (performance.now() >= end) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return true;
}

/** Wait for records to reach the disk, but not for a disk that takes none. Returns the remaining time. */
export async function recorded(commits: Pick<CommitQueue, 'idle'>, limitMs: number): Promise<number> {
  const begun = performance.now();
  let idle = false;
  void commits.idle().then(() => {
    idle = true;
  });
  // Recorded work resolves within this turn.
  await Promise.resolve();
  await until(() => idle, limitMs);
  return Math.max(0, limitMs - (performance.now() - begun));
}

/** How long the journal may take to close before its disk is asked whether it answers, which may take it twice as long. */
const JOURNAL_CLOSE_MS = 5_000;

/** Wait for a while; whether it came to its end meanwhile. @throws its own errors */
async function endsWithin(limitMs: number, ends: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  try {
    return await Promise.race([ends.then(() => true), late]);
  } finally {
    clearTimeout(timer);
    // A later result has no receiver.
    ends.catch(() => {});
  }
}

/** Have the disk of a folder sync something: it ends when that answers. */
async function syncOn(folder: string): Promise<void> {
  const path = join(folder, '.shutdown-probe');
  const file = await open(path, 'w', 0o600);
  try {
    await file.write('x');
    await file.sync();
  } finally {
    await file.close();
    await rm(path, { force: true });
  }
}

/**
 * Close a journal; whether it is closed. It may have a snapshot to finish, and takes its time; a disk that does not
 * answer is not waited for.
 * @param askDisk rejected: it answers, if not kindly
 * @throws errors of closing
 */
export async function closesJournal(
  journal: Pick<Journal, 'close' | 'location'>,
  limitMs: number = JOURNAL_CLOSE_MS,
  askDisk: () => Promise<void> = () => syncOn(journal.location),
): Promise<boolean> {
  const closed = journal.close();
  while (!(await endsWithin(limitMs, closed))) {
    if (!(await endsWithin(2 * limitMs, askDisk()).catch(() => true))) return false;
  }
  return true;
}

/** Close the store of the library's user. @throws CrossgateError XG_JOURNAL_WRITE_FAILED, also if its disk does not answer */
export async function closeStore(store: Journal, limitMs?: number, askDisk?: () => Promise<void>): Promise<void> {
  if (await closesJournal(store, limitMs, askDisk)) return;
  const text = `the store ${store.location} could not be closed: its disk does not answer`;
  throw new CrossgateError('XG_JOURNAL_WRITE_FAILED', text);
}
