// The archive: finished segments that hold nothing of a present series, compressed one by one, and a chain of hashes over
// them, so that a change of any shows (rules J1, J4). Each is durable in the archive before it leaves the journal.
//
// A line of the chain: {"segment","bytes","sha256","archivedAt","previous","hash"}: the hash covers the rest of the line,
// and with `previous` all lines before it. A segment deleted after its years leaves its line.

import { createHash } from 'node:crypto';
import {
  appendFileSync,
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { CrossgateError } from '../../base/errors.ts';
import { SEGMENT_BYTES_MAX } from '../embedded/journal-options.ts';
import { giveToOwnerOfFolder, makeFolder } from '../folder.ts';
import type { DamagedPlace } from '../segments/damage.ts';
import { decodeSegmentHeader, SEGMENT_HEADER_BYTES, segmentFileName, segmentOfFileName } from '../segments/segment.ts';
import { SegmentReader, unpack } from '../segments/segment-reader.ts';
import {
  absentInWords,
  absentSegments,
  archiveDirectory,
  archivedPath,
  listArchived,
  listSegments,
} from './archive-files.ts';
import { syncDirectory } from './snapshot-file.ts';

const DAY_MS = 86_400_000;
/** A third of the time of the usual one, for files a tenth larger. */
const GZIP_LEVEL = 3;
/** The shortest retention there is. */
export const KEPT_MS_MIN = 366 * DAY_MS;
/** Text before the first line of a chain. */
export const FIRST_HASH = '0'.repeat(64);

interface ChainLine {
  readonly segment: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly archivedAt: number;
  readonly previous: string;
  readonly hash: string;
}

function chainPath(directory: string): string {
  return join(archiveDirectory(directory), 'chain.jsonl');
}

const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');

function hashOf({ segment, bytes, sha256: content, archivedAt, previous }: Omit<ChainLine, 'hash'>): string {
  return sha256(`${previous}\n${segment}\n${bytes}\n${content}\n${archivedAt}`);
}

/** Lines of the chain; the last one is left out if a crash cut it short. @throws CrossgateError XG_JOURNAL_CORRUPT */
function readChain(directory: string): ChainLine[] {
  const path = chainPath(directory);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line, k) => {
    const read = lineOf(line);
    if (read !== null) return read;
    const what = `line ${k + 1} of the chain is none that was written there; put the file back from a backup`;
    throw new CrossgateError('XG_JOURNAL_CORRUPT', `${path}: ${what}`);
  });
}

function lineOf(text: string): ChainLine | null {
  try {
    const line = JSON.parse(text) as ChainLine | null;
    return Number.isSafeInteger(line?.segment) && Number.isFinite(line?.archivedAt) ? line : null;
  } catch {
    return null;
  }
}

export interface ArchiveRequest {
  readonly directory: string;
  /** Archived segments are deleted when they are older than that many days; null keeps them for ever. */
  readonly retentionDays: number | null;
  readonly now: number;
  /** Segments before this one are no start's any more. */
  readonly before: number;
}

export interface ArchiveResult {
  /** Segments before this one are still to be moved, and how many they are. */
  readonly before: number;
  readonly left: number;
  /** For the log. */
  readonly notes: readonly string[];
}

/** Move the first of the segments into the archive; with the last, delete those that have been there for their years. */
export function archiveNext(request: ArchiveRequest): ArchiveResult {
  const { directory, now, before } = request;
  const segments = readdirSync(directory)
    .flatMap((name) => segmentOfFileName(name) ?? [])
    .filter((segment) => segment < before)
    .sort((a, b) => a - b);
  const first = segments.shift();
  if (first !== undefined) archive(directory, first, now);
  return { before, left: segments.length, notes: segments.length === 0 ? purge(request) : [] };
}

function archive(directory: string, segment: number, archivedAt: number): void {
  makeFolder(archiveDirectory(directory));
  const source = join(directory, segmentFileName(segment));
  const content = readFileSync(source);
  const target = archivedPath(directory, segment);
  const chain = readChain(directory);
  // A crash or a failure behind its line, and before the removal below: the chain knows it already, as its last. That may not be
  // on disk though, and a sync that succeeds now would not bring it there (rule J2): it is written once more.
  const begun = chain.at(-1)?.segment === segment ? chain.pop()! : null;
  let isKnown = chain.some((line) => line.segment === segment);
  try {
    writeDurably(`${target}.draft`, gzipSync(content, { level: GZIP_LEVEL }));
    renameSync(`${target}.draft`, target);
    if (!isKnown) {
      const previous = chain.at(-1)?.hash ?? FIRST_HASH;
      const line = { segment, bytes: content.length, sha256: sha256(content), archivedAt, previous };
      appendDurably(chainPath(directory), chain.length, begun ?? { ...line, hash: hashOf(line) });
      isKnown = true;
    }
  } finally {
    // On a full disk it would keep the room that records want. Done, there is no draft.
    rmSync(`${target}.draft`, { force: true });
    if (!isKnown) rmSync(target, { force: true });
  }
  syncDirectory(archiveDirectory(directory));
  syncDirectory(directory);
  rmSync(source);
  syncDirectory(directory);
}

function writeDurably(path: string, bytes: Buffer): void {
  writeFileSync(path, bytes, { mode: 0o600 });
  giveToOwnerOfFolder(path);
  syncFile(path);
}

/** Put a line behind so many; what else stands there, such as the half of one that a crash left behind, is cut off first. */
function appendDurably(path: string, lines: number, line: ChainLine): void {
  if (existsSync(path)) {
    const bytes = readFileSync(path);
    let end = 0;
    for (let k = 0; k < lines; k++) end = bytes.indexOf('\n', end) + 1;
    truncateSync(path, end);
  }
  appendFileSync(path, `${JSON.stringify(line)}\n`, { mode: 0o600 });
  giveToOwnerOfFolder(path);
  syncFile(path);
}

function syncFile(path: string): void {
  const fd = openSync(path, 'r+');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * How much of the time between one archiving and the next counts, in days: a clock that is years ahead, now or at one of them,
 * deletes nothing years early (rule J4). Where segments fill up more slowly than that, they are kept for longer.
 */
export const GAP_COUNTS_DAYS_MAX = 31;

/** How long each segment of the chain has been in the archive by `now`, in milliseconds. */
function agesOf(chain: readonly ChainLine[], now: number): number[] {
  const ages: number[] = [];
  let age = 0;
  // A segment archived later than the next one carries the time of a fast clock.
  let next = now;
  for (const { archivedAt } of chain.toReversed()) {
    const at = Math.min(archivedAt, next);
    age += Math.min(next - at, GAP_COUNTS_DAYS_MAX * DAY_MS);
    ages.push(age);
    next = at;
  }
  return ages.reverse();
}

/** Delete what is older than its years; says which. */
function purge({ directory, retentionDays, now }: ArchiveRequest): string[] {
  const notes: string[] = [];
  if (retentionDays === null) return notes;
  const chain = readChain(directory);
  const ages = agesOf(chain, now);
  for (const [i, { segment }] of chain.entries()) {
    if (ages[i]! < retentionDays * DAY_MS) continue;
    const path = archivedPath(directory, segment);
    if (!existsSync(path)) continue;
    rmSync(path);
    notes.push(`${path}: deleted after ${retentionDays} days in the archive`);
  }
  return notes;
}

/** Something wrong in the archive, in words. */
export interface ArchiveProblem {
  readonly path: string;
  readonly problem: string;
  /** Nothing is damaged: what was begun is to be done again. */
  readonly unfinished?: true;
}

/**
 * Compare every archived segment with the chain and the chain with itself, and look for missing segments.
 * @param retentionDays the owner's retention; null for a gateway's: a year at least
 */
export async function verifyArchive(
  directory: string,
  now: number,
  retentionDays: number | null = null,
): Promise<{ segments: number; problems: ArchiveProblem[] }> {
  const problems: ArchiveProblem[] = [];
  const path = chainPath(directory);
  let lines: ChainLine[];
  try {
    lines = readChain(directory);
  } catch (error) {
    return { segments: 0, problems: [{ path, problem: (error as Error).message }] };
  }
  let previous = FIRST_HASH;
  for (const line of lines) {
    if (line.previous !== previous || line.hash !== hashOf(line)) {
      problems.push({
        path,
        problem: `the chain is broken at segment ${line.segment}: this line or one before it was changed`,
      });
    }
    previous = line.hash;
  }
  const archived = (await listArchived(directory)).sort((a, b) => a - b);
  for (const segment of archived) {
    const file = archivedPath(directory, segment);
    const line = lines.find((one) => one.segment === segment);
    if (line === undefined) {
      if (isBeingArchived(directory, segment)) continue;
      problems.push({ path: file, problem: 'the chain does not know it' });
      continue;
    }
    const problem = await contentProblem(file, line);
    if (problem !== null) problems.push({ path: file, problem });
  }
  const ages = agesOf(lines, now);
  const keptMs = retentionDays === null ? KEPT_MS_MIN : retentionDays * DAY_MS;
  const isOld = (segment: number): boolean => ages[lines.findIndex((line) => line.segment === segment)]! >= keptMs;
  const lost = (await absentSegments(directory)).filter((segment) => !isOld(segment));
  if (lost.length > 0) {
    const least =
      retentionDays === null
        ? 'a year; by a library with a shorter retentionDays it is: `--retention-days N` says so'
        : `${retentionDays} days`;
    const problem = `${absentInWords(lost)}, and nothing is deleted before it was there for ${least}`;
    problems.push({ path: archiveDirectory(directory), problem });
  }
  return { segments: archived.length, problems };
}

/** Whether its owner archives it now, or was killed at it: the chain knows it before it leaves the journal. */
function isBeingArchived(directory: string, segment: number): boolean {
  if (existsSync(join(directory, segmentFileName(segment)))) return true;
  return readChain(directory).some((line) => line.segment === segment);
}

async function contentProblem(file: string, line: ChainLine): Promise<string | null> {
  let content: Buffer;
  try {
    content = await unpack(file);
  } catch (error) {
    // The message for a file that a start needs does not fit a file that no start needs.
    const { cause = error } = error as Error;
    return `it cannot be unpacked (${(cause as Error).message}); put it back from a backup or replica`;
  }
  const header = decodeSegmentHeader(content.subarray(0, SEGMENT_HEADER_BYTES));
  if (typeof header !== 'string' && header.segment !== line.segment) return `it is segment ${header.segment}`;
  return sha256(content) === line.sha256 ? null : 'its content differs from the archived one';
}

/** Content before the first existing segment; null if that is the first of all. @throws XG_JOURNAL_CORRUPT */
export async function lostBefore(directory: string): Promise<DamagedPlace | null> {
  const [first] = await listSegments(directory);
  if (first === undefined || first === 1) return null;
  const path = join(directory, segmentFileName(first));
  const reader = existsSync(path)
    ? await SegmentReader.open(path)
    : await SegmentReader.openArchived(archivedPath(directory, first));
  if (reader === 'empty') return null;
  await reader.close();
  const known = readChain(directory).filter(({ segment }) => segment < first);
  // Segments without a size in a line count with the largest possible size.
  const unknown = (first - 1 - known.length) * SEGMENT_BYTES_MAX;
  return {
    path: join(directory, segmentFileName(1)),
    offset: 0,
    bytes: known.reduce((sum, { bytes }) => sum + bytes, Math.max(0, unknown)),
    firstFrame: 1,
    lastFrame: reader.header.firstFrame - 1,
    missingTo: segmentFileName(first - 1),
  };
}
