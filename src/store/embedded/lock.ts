// One process owns a journal: a lock file that outlives kill -9 without blocking the next start.
//
// The owner holds the file `lock.<n>` with the highest n. To take over, a process checks that the holder of the highest
// lock is gone or released it, and links `lock.<n+1>` into place, which only one process can do. Without hard links it
// copies the file there, and an empty one is examined again. The old file is removed only afterwards, so that the
// numbers grow and a slow contender sees the newer lock.
//
// A process id means nothing to another container or host that shares the volume. So the owner touches its lock file
// every two seconds. A process from elsewhere takes over only after ten seconds without a touch; clocks of two hosts
// are never compared. Two hosts may share a name, so a lock of another boot is watched too, although it mostly is this
// host's from before a power cut. An owner that stood still for long checks the lock before it writes again, and stops
// writing if another process has taken over. It also stops while its lock is missing or foreign: then the folder was
// moved or deleted, and records written there would be lost.

import {
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  readdirSync,
  readFile,
  readFileSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
// The global one is looked up by a getter each time.
import { performance } from 'node:perf_hooks';
import { CrossgateError } from '../../base/errors.ts';
import { giveToOwner } from '../folder.ts';
import type { StoreLog } from '../log.ts';
import {
  type Holder,
  hasOpenFileOf,
  isAlive,
  isElsewhere,
  isOfOtherBoot,
  markOfThisProcess,
  parseHolder,
  placeHere,
} from './process-mark.ts';

/** Errors of file systems without hard links, such as FAT and some network shares. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Give a file a second name permanently. Without hard links it is copied, and a reader at that moment may find it
 * empty. @throws EEXIST if the name exists
 */
function giveName(draft: string, path: string, link: typeof linkSync = linkSync): void {
  try {
    link(draft, path);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}

const ATTEMPTS_MAX = 100;
const BEAT_MS = 2000;
/** Silence of an owner elsewhere after which it is taken for dead; an owner itself gives up long before. */
const SILENCE_MS = 10_000;
const OWN_SILENCE_MS = 5000;
const LOOK_MS = 500;
const EMPTY_LOOKS = 10;
const EMPTY_LOOK_MS = 50;

interface LockOptions {
  readonly place?: string;
  readonly silenceMs?: number;
  readonly log?: StoreLog | undefined;
  /** Other than in tests, that of the system. */
  readonly link?: typeof linkSync;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there, or not for us: the caller treats both as unknown.
    return null;
  }
}

/**
 * Text of the lock, null if there is none. For a lock being copied into place, its text after the copy: a living
 * process leaves none empty for long. @throws the system's error for an existing lock that cannot be read: its owner
 * may live
 */
async function writtenText(path: string): Promise<string | null> {
  for (let look = 0; ; look++) {
    if (!existsSync(path)) return null;
    const text = readText(path) ?? (existsSync(path) ? readFileSync(path, 'utf8') : null);
    if (text !== '' || look === EMPTY_LOOKS) return text;
    await new Promise((resolve) => setTimeout(resolve, EMPTY_LOOK_MS));
  }
}

/** Watch a lock of another place; true once it was silent for long enough. @throws nothing: a lock that vanished is silent */
async function fallsSilent(path: string, silenceMs: number): Promise<boolean> {
  const touched = (): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? -1;
  const first = touched();
  for (const end = performance.now() + silenceMs; performance.now() < end; ) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(LOOK_MS, silenceMs)));
    if (touched() !== first) return false;
  }
  return true;
}

function lockNumbers(directory: string): number[] {
  const numbers: number[] = [];
  for (const name of readdirSync(directory)) {
    const match = /^lock\.(\d{1,12})$/.exec(name);
    if (match !== null) numbers.push(Number(match[1]));
  }
  return numbers.sort((a, b) => b - a);
}

/**
 * A copy of a folder, made while its owner ran, contains the owner's lock. No process touches it or has a file of the
 * copy open.
 */
async function isCopied({ pid }: Holder, path: string, silenceMs: number): Promise<boolean> {
  return !hasOpenFileOf(pid, dirname(path)) && (await fallsSilent(path, silenceMs));
}

function copied(directory: string, { pid }: Holder, path: string): CrossgateError {
  return new CrossgateError(
    'XG_JOURNAL_LOCKED',
    `the journal ${directory} is a copy that was made while process ${pid} wrote the original, which it still does: its lock was copied with it; remove ${path} to use the copy`,
  );
}

function locked(directory: string, { pid, place }: Holder, elsewhere: boolean): CrossgateError {
  const where = elsewhere ? ` of another container or host (${place})` : '';
  return new CrossgateError(
    'XG_JOURNAL_LOCKED',
    `the journal ${directory} is owned by process ${pid}${where}, which is running; stop it first, or give this one another directory`,
  );
}

/**
 * True if a process owns the journal of a directory, for callers that do not want the lock. A lock of another container
 * or host is watched first, as below.
 */
export async function isJournalOwned(
  directory: string,
  { place = placeHere(), silenceMs = SILENCE_MS }: { readonly place?: string; readonly silenceMs?: number } = {},
): Promise<boolean> {
  if (!existsSync(directory)) return false;
  const path = join(directory, `lock.${lockNumbers(directory)[0] ?? 0}`);
  const holder = parseHolder(readText(path) ?? '');
  return holder !== null && (await lives(holder, path, place, silenceMs));
}

/** Whether the id of a lock's process may say nothing here. Locks from before places say nothing of it. */
function isForeign(holder: Holder, place: string): boolean {
  return holder.place !== null && (isElsewhere(holder, place) || isOfOtherBoot(holder));
}

async function lives(holder: Holder, path: string, place: string, silenceMs: number): Promise<boolean> {
  return isForeign(holder, place) ? !(await fallsSilent(path, silenceMs)) : isAlive(holder);
}

/** The lock that a process holds. */
export class JournalLock {
  readonly #directory: string;
  readonly #number: number;
  readonly #text: string;
  readonly #timer: NodeJS.Timeout;
  /** The lock file was touched since then. */
  #beatAt = performance.now();
  /** One of them waits for the disk, at most. */
  #isAtIt = false;
  #isLost = false;
  #isGone = false;

  constructor(directory: string, number: number, text: string) {
    this.#directory = directory;
    this.#number = number;
    this.#text = text;
    this.#timer = setInterval(() => this.#beat(), BEAT_MS).unref();
  }

  /** Whether another process took over. Looks first if this one was held up: call it before every write. */
  get isLost(): boolean {
    if (performance.now() - this.#beatAt > OWN_SILENCE_MS) this.#beat();
    return this.#isLost;
  }

  /** Why this process may not write now, in words; null if it may. */
  get loss(): string | null {
    if (this.isLost) return 'another process took it over while this one stood still';
    return this.#isGone ? 'its folder, or its lock file, was moved away or deleted' : null;
  }

  release(): void {
    clearInterval(this.#timer);
    if (!this.#isLost && readText(this.#path) === this.#text) release(this.#path);
  }

  get #path(): string {
    return join(this.#directory, `lock.${this.#number}`);
  }

  #beat(): void {
    this.#look();
    if (this.#isLost || this.#isAtIt) return;
    this.#isAtIt = true;
    // It may be another's by now.
    if (this.#isGone) this.#find();
    else this.#touch();
  }

  #look(): void {
    try {
      if ((lockNumbers(this.#directory)[0] ?? 0) > this.#number) this.#isLost = true;
    } catch {
      // A disk that fails is the journal's to tell; others of this place see that the process lives.
    }
  }

  /** Outside the event loop: a hanging disk lets no one write until it continues. */
  #touch(): void {
    const now = new Date();
    // Its time is unknown, and its report may take longer than the lock lasts.
    const asked = performance.now();
    utimes(this.#path, now, now, (error) => {
      if (error === null) this.#beatAt = asked;
      // It may have come too late.
      this.#look();
      this.#find();
    });
  }

  #find(): void {
    readFile(this.#path, 'utf8', (error, text) => {
      this.#isAtIt = false;
      // A disk that fails says nothing of it.
      if (error === null || error.code === 'ENOENT') this.#isGone = text !== this.#text;
    });
  }
}

/**
 * Mark the lock as released. On a disk that takes no writes it remains the lock of an ending process, with the same
 * effect.
 */
function release(lock: string): void {
  try {
    writeFileSync(lock, 'released\n');
  } catch {
    // The reason that the caller is ending for must not be hidden by this one.
  }
}

/**
 * Take the lock of a journal directory. One that an owner elsewhere left behind is watched first.
 * @param place where process ids mean the same, other than in tests that of this process
 * @throws XG_JOURNAL_LOCKED naming the owner's process id
 */
export async function lockJournal(
  directory: string,
  { place = placeHere(), silenceMs = SILENCE_MS, log, link }: LockOptions = {},
): Promise<JournalLock> {
  const draft = join(directory, `lock-draft-${process.pid}-${process.hrtime.bigint()}`);
  const text = `${markOfThisProcess(place)}\n`;
  try {
    writeFileSync(draft, text, { mode: 0o600 });
    for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
      const highest = lockNumbers(directory)[0] ?? 0;
      const path = join(directory, `lock.${highest}`);
      const holder = parseHolder((await writtenText(path)) ?? '');
      const elsewhere = holder !== null && isForeign(holder, place);
      if (elsewhere) {
        const seconds = silenceMs / 1000;
        log?.(
          'info',
          `${path} is of another host or container, or from before a reboot: it is watched for ${seconds} s`,
        );
      }
      if (holder !== null && (await lives(holder, path, place, silenceMs))) {
        if (!elsewhere && (await isCopied(holder, path, silenceMs))) throw copied(directory, holder, path);
        throw locked(directory, holder, elsewhere);
      }
      const mine = join(directory, `lock.${highest + 1}`);
      try {
        giveToOwner(directory, [draft]);
        giveName(draft, mine, link);
        giveToOwner(directory, [mine]);
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
      return new JournalLock(directory, highest + 1, text);
    }
  } finally {
    rmSync(draft, { force: true });
  }
  throw new CrossgateError(
    'XG_JOURNAL_LOCKED',
    `the journal ${directory} is being taken by other processes again and again`,
  );
}
