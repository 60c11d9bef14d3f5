// A folder shared by all files of one test run: for expensive common parts, such as programs compiled for a test, and
// for all temporary folders, so that no run leaves anything behind. Named by CROSSGATE_TEST_RUN; a program run by hand
// (a benchmark, a campaign) has none.

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, statfs } from 'node:fs/promises';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { COMPILE_CACHE } from './processes/compile-cache.ts';

const IN_MEMORY = '/dev/shm';
const MEMORY_BYTES_MIN = 8 * 1024 ** 3;
const NAME = 'crossgate-run-';

/** Vitest's global set-up: make the folder before the first file, remove it after the last. */
export default async function setup(): Promise<() => Promise<void>> {
  const place = await temporaryPlace();
  for (const left of await removeOrphans(place)) console.warn(`left by an earlier run, and not to be removed: ${left}`);
  const folder = await mkdtemp(join(place, `${NAME}${process.pid}-`));
  process.env.CROSSGATE_TEST_RUN = folder;
  process.env.TMPDIR = folder;
  // Of each worker from its beginning, and of the threads in it.
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  return async () => {
    // A journal that a test left open may be written to yet. The next run removes what stays.
    await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 }).catch((error: Error) =>
      console.warn(`left behind: ${error.message}`),
    );
  };
}

/**
 * Memory, where there is plenty: the run makes and syncs some ten thousand files, and none of its journals has to
 * outlive the machine. Power cuts are tried on a file system of their own, with a disk made to fail, fill or slow down.
 * TMPDIR puts it all on another file system.
 */
async function temporaryPlace(): Promise<string> {
  if (process.env.TMPDIR !== undefined) return tmpdir();
  const room = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return Math.min(room, freemem()) >= MEMORY_BYTES_MIN ? IN_MEMORY : tmpdir();
}

/** Removes folders of runs that were killed, with the disks that they had mounted. Those that it could not remove. */
export async function removeOrphans(place: string): Promise<string[]> {
  const left: string[] = [];
  for (const name of await readdir(place)) {
    const pid = name.startsWith(NAME) ? Number(/^\d+(?=-)/.exec(name.slice(NAME.length))?.[0]) : Number.NaN;
    if (Number.isNaN(pid) || isRunning(pid)) continue;
    const folder = join(place, name);
    // Another run's leftovers do not prevent a run.
    await unmountBelow(folder).catch(() => {});
    await rm(folder, { recursive: true, force: true }).catch((error: Error) =>
      left.push(`${folder} (${error.message})`),
    );
  }
  return left;
}

/** The last mount goes first: it may lie on an earlier one. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '');
  for (const mount of mounts.filter((path) => path.startsWith(`${folder}/`)).reverse()) {
    await promisify(execFile)('umount', ['--lazy', mount]);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** The folder of this run; null outside one. */
export function runFolder(): string | null {
  return process.env.CROSSGATE_TEST_RUN ?? null;
}
