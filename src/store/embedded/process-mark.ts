// Identifies a process for later ones: a mark in a file that shows whether the process still exists, even if its id was
// reused. It means nothing to another container or host.

import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';

/** The process that a mark names. */
export interface Holder {
  readonly pid: number;
  /** Distinguishes a reused process id: boot and start time, if the system shows them. */
  readonly birth: string;
  /** Where process ids mean the same: the host and its process namespace; null in locks from before this field. */
  readonly place: string | null;
}

function readText(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there, or not for us: the caller treats both as unknown.
    return null;
  }
}

/** The id of the present boot of this host; null if unknown. */
function bootId(): string | null {
  return readText('/proc/sys/kernel/random/boot_id')?.trim() ?? null;
}

/**
 * Boot id and start time of a process, `gone` if it is dead but not reaped, `unknown` if the system does not show it.
 */
function birthOf(pid: number): string {
  const boot = bootId();
  const stat = readText(`/proc/${pid}/stat`);
  if (boot === null || stat === null) return 'unknown';
  // Field 22 is the start time; the second field, a name in parentheses, may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return 'gone';
  return `${boot}/${fields[19] ?? ''}`;
}

/** This host and process namespace, in one word. */
export function placeHere(): string {
  let namespace = '';
  try {
    namespace = readlinkSync('/proc/self/ns/pid');
  } catch {
    // Not Linux: the host alone has to do.
  }
  return `${hostname()}/${namespace}`.replace(/\s/g, '_');
}

/** Whether a process of this place lives. */
export function isAlive(holder: Holder): boolean {
  const birth = birthOf(holder.pid);
  if (birth !== 'unknown' && holder.birth !== 'unknown') return birth === holder.birth;
  try {
    process.kill(holder.pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** True if a process on this host has a file of a folder open, or if the system does not show it. */
export function hasOpenFileOf(pid: number, folder: string): boolean {
  try {
    const files = new Set(readdirSync(folder).map((name) => fileOf(join(folder, name))));
    files.delete(null);
    return readdirSync(`/proc/${pid}/fd`).some((fd) => files.has(fileOf(`/proc/${pid}/fd/${fd}`)));
  } catch {
    return true;
  }
}

/** Which file a path leads to, in one word; null if to none. */
function fileOf(path: string): string | null {
  const found = statSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : `${found.dev}/${found.ino}`;
}

/** The process that a line with a mark names; null for another text. */
export function parseHolder(text: string): Holder | null {
  const match = /^(\d{1,10}) (\S+)(?: (\S+))?\n$/.exec(text);
  return match === null ? null : { pid: Number(match[1]), birth: match[2]!, place: match[3] ?? null };
}

/** Whether a mark is of another container or host. */
export function isElsewhere(holder: Holder, place: string): boolean {
  return holder.place !== null && holder.place !== place;
}

/** Whether a mark is of another boot than the present one: of this host, or of another one that has its name. */
export function isOfOtherBoot({ birth }: Holder): boolean {
  const boot = bootId();
  return boot !== null && birth !== 'unknown' && !birth.startsWith(`${boot}/`);
}

/** The mark of this process. */
export function markOfThisProcess(place: string = placeHere()): string {
  return `${process.pid} ${birthOf(process.pid)} ${place}`;
}

/** Whether the process of a mark was one of this place, and is there no more. */
export function hasEnded(mark: string): boolean {
  const holder = parseHolder(`${mark}\n`);
  return holder !== null && !isElsewhere(holder, placeHere()) && !isAlive(holder);
}

/** Whether the process of a mark is one of this place, and is there. */
export function lives(mark: string): boolean {
  const holder = parseHolder(`${mark}\n`);
  return holder !== null && !isElsewhere(holder, placeHere()) && isAlive(holder);
}
