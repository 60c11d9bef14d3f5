// One process owns a journal: a lock file that outlives kill -9 without standing in the way of the next start.
//
// The owner holds the file `lock.<n>` with the highest n. To take over, a process looks at the highest one, sees that
// its holder is gone or released it, and links `lock.<n+1>` into place, which only one process can do. The old file is
// removed after that, never before, so that the numbers only grow and a slow contender finds itself overtaken.
// Left to operations: two hosts, or two containers at once, on one file system, where a process id says nothing.

import { linkSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CrossgateError } from '../base/errors.ts';

interface Holder {
  readonly pid: number;
  /** Tells a reused process id apart: boot and start time, where the system shows them. */
  readonly birth: string;
}

const ATTEMPTS_MAX = 100;

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there, or not for us: the caller treats both as unknown.
    return null;
  }
}

/** Boot id and start time of a process, `gone` if it is dead but not buried, `unknown` where nothing tells. */
function birthOf(pid: number): string {
  const boot = readText('/proc/sys/kernel/random/boot_id');
  const stat = readText(`/proc/${pid}/stat`);
  if (boot === null || stat === null) return 'unknown';
  // Field 22 is the start time; the second field, a name in parentheses, may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone';
  return `${boot.trim()}/${fields[19] ?? ''}`;
}

function isAlive(holder: Holder): boolean {
  const birth = birthOf(holder.pid);
  if (birth !== 'unknown' && holder.birth !== 'unknown') return birth === holder.birth;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function parseHolder(text: string | null): Holder | null {
  const match = /^(\d{1,10}) (\S+)\n$/.exec(text ?? '');
  return match === null ? null : { pid: Number(match[1]), birth: match[2]! };
}

function lockNumbers(directory: string): number[] {
  const numbers: number[] = [];
  for (const name of readdirSync(directory)) {
    const match = /^lock\.(\d{1,12})$/.exec(name);
    if (match !== null) numbers.push(Number(match[1]));
  }
  return numbers.sort((a, b) => b - a);
}

function locked(directory: string, pid: number): CrossgateError {
  return new CrossgateError(
    'XG_JOURNAL_LOCKED',
    `the journal ${directory} is owned by process ${pid}, which is running; stop it first, or give this one another directory`,
  );
}

/** Say that nobody holds it. On a disk that takes nothing it stays the lock of a process that ends, which is as good. */
function release(lock: string): void {
  try {
    writeFileSync(lock, 'released\n');
  } catch {
    // The reason that the caller is ending for must not be hidden by this one.
  }
}

/** Take the lock of a journal directory. Returns the release. @throws XG_JOURNAL_LOCKED naming the owner's process id */
export function lockJournal(directory: string): () => void {
  const draft = join(directory, `lock-draft-${process.pid}-${process.hrtime.bigint()}`);
  writeFileSync(draft, `${process.pid} ${birthOf(process.pid)}\n`, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const highest = lockNumbers(directory)[0] ?? 0;
      const holder = parseHolder(readText(join(directory, `lock.${highest}`)));
      if (holder !== null && isAlive(holder)) throw locked(directory, holder.pid);
      const mine = join(directory, `lock.${highest + 1}`);
      try {
        linkSync(draft, mine);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') continue;
        throw error;
      }
      const all = lockNumbers(directory);
      if (all[0] !== highest + 1) {
        // Somebody went past us between our look and our link: theirs is the newer one.
        rmSync(mine, { force: true });
        continue;
      }
      for (const old of all.slice(1)) rmSync(join(directory, `lock.${old}`), { force: true });
      return () => release(mine);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new CrossgateError(
    'XG_JOURNAL_LOCKED',
    `the journal ${directory} is being taken by other processes again and again`,
  );
}
