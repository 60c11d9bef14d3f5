// Opens the embedded journal of a directory: the lock, recovery, and the segment to go on in.
// Leaves everything after that to embedded-journal.ts.

import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { assert } from '../../base/assert.ts';
import { diskReason, isDiskFull } from '../../base/disk-full.ts';
import { CrossgateError } from '../../base/errors.ts';
import { withRemedy } from '../../base/process-limits.ts';
import type { Disk } from '../disk/disk.ts';
import { realDisk } from '../disk/real-disk.ts';
import { makeFolder } from '../folder.ts';
import type { StoreLog } from '../log.ts';
import type { JournalEnd } from '../segments/block-reader.ts';
import { FORMAT, segmentOfFileName } from '../segments/segment.ts';
import { lostBefore } from '../snapshots/archive.ts';
import { listArchived } from '../snapshots/archive-files.ts';
import { type Recovery, recoverJournal, usableSnapshot } from '../snapshots/recovery.ts';
import { buildSnapshot } from '../snapshots/snapshot-builder.ts';
import type { SnapshotMeta } from '../snapshots/snapshot-file.ts';
import { type FoundSegments, Snapshots } from '../snapshots/snapshots.ts';
import { Witness } from './durability-witness.ts';
import { EmbeddedJournal } from './embedded-journal.ts';
import { type EmbeddedJournalOptions, SNAPSHOT_BYTES_DEFAULT, sizeOf, writeFailed } from './journal-options.ts';
import { LiveSegment } from './live-segment.ts';
import { isJournalOwned, type JournalLock, lockJournal } from './lock.ts';
import { SPARE } from './next-segment.ts';

/** Open, or create, the journal of a directory. @throws XG_JOURNAL_LOCKED, XG_JOURNAL_CORRUPT, XG_JOURNAL_WRITE_FAILED */
export async function openJournal(options: EmbeddedJournalOptions): Promise<EmbeddedJournal> {
  const { directory, log } = options;
  const disk = options.disk ?? realDisk;
  const lock = await takeDirectory(directory, log);
  let live: LiveSegment | null = null;
  let witness: Witness | null = null;
  let snapshots: Snapshots | null = null;
  try {
    removeDrafts(directory);
    await replaceSnapshots(options);
    const recovery = await recoverJournal(directory, options.onDamage);
    const { state, end } = recovery;
    const notes = [...recovery.notes];
    try {
      live = end === null ? firstSegment(disk, options) : resumeSegment(disk, options, end, notes);
    } catch (cause) {
      throw writeFailed(directory, cause);
    }
    for (const note of notes) log?.('warn', note);
    const lastFrame = (end?.nextFrame ?? 1) - 1;
    witness = new Witness(options.witness ?? null, live.journalId, lastFrame);
    const { objection } = witness;
    const recovered = { ...state.recovered(end === null, notes), ...(objection === null ? {} : { objection }) };
    const found = finishedSegments(directory, recovery.snapshotSegment, live.segment);
    snapshots = snapshotsOf(options, recovery, live.segment - 1, found);
    const { index, ended } = recovery;
    const nextFrame = lastFrame + 1;
    return new EmbeddedJournal({ options, disk, recovered, index, ended, live, nextFrame, snapshots, lock, witness });
  } catch (error) {
    await snapshots?.close();
    // The note's objection was reported to no caller.
    witness?.abandon();
    live?.abandon();
    lock.release();
    throw openFailed(directory, error);
  }
}

/** Makes snapshots of the segments up to `through`, and lets the indexes take over their content. */
function snapshotsOf(
  {
    directory,
    snapshotBytes = SNAPSHOT_BYTES_DEFAULT,
    retentionDays = null,
    now,
    log,
    onUpkeep,
  }: EmbeddedJournalOptions,
  { index, ended }: Pick<Recovery, 'index' | 'ended'>,
  through: number,
  found: FoundSegments,
): Snapshots {
  const adopt = ({ start, outbound, keys }: SnapshotMeta): void => {
    index.adopt(outbound, start.segment);
    ended.adopt(keys, start.segment);
  };
  const options = { directory, everyBytes: snapshotBytes, retentionDays, now, log, onUpkeep, adopt };
  return new Snapshots(options, through, found);
}

/** A disk that fails while a journal is read or opened: nothing was changed but what is repeated at the next start. */
function openFailed(directory: string, error: unknown): unknown {
  if (error instanceof CrossgateError || (error as NodeJS.ErrnoException).syscall === undefined) return error;
  const what = withRemedy(`the journal ${directory} cannot be opened: ${diskReason(error)}`, error);
  return new CrossgateError('XG_JOURNAL_WRITE_FAILED', what, { cause: error });
}

/**
 * Without a snapshot, records that only the archive still holds are read once and put into a new snapshot, so that the
 * look-up of an ended order unpacks no segments. Records of missing files, such as long-open orders and a kill switch,
 * are then lost, and must be reported (rule J3). A caller that stops at damage keeps sessions only, and their files
 * exist (rule J1).
 */
async function replaceSnapshots({ directory, log, onDamage }: EmbeddedJournalOptions): Promise<void> {
  if ((await listArchived(directory)).length === 0) return;
  const notes: string[] = [];
  if (usableSnapshot(directory, notes) !== null) return;
  log?.('warn', `${directory}: there is no snapshot that can be used; a new one is made from journal and archive`);
  const lost = onDamage === 'pass' ? await lostBefore(directory) : null;
  await buildSnapshot({ directory, through: null, ...(lost === null ? {} : { lost }) });
}

/** The segments before the live one, and how many bytes of them are in no snapshot yet. */
function finishedSegments(directory: string, covered: number, live: number): FoundSegments {
  let count = 0;
  let uncoveredBytes = 0;
  for (const name of readdirSync(directory)) {
    const segment = segmentOfFileName(name);
    if (segment === null || segment >= live) continue;
    count++;
    if (segment > covered) uncoveredBytes += statSync(join(directory, name)).size;
  }
  return { count, uncoveredBytes };
}

/** Make the directory and lock it; one that cannot be written is a failure of the journal like any other. */
async function takeDirectory(directory: string, log: StoreLog | undefined): Promise<JournalLock> {
  try {
    makeFolder(directory);
    return await lockJournal(directory, { log }).catch(async (error: unknown) => {
      // A process that was killed there may have left more than the lock wants.
      if (!isDiskFull(error) || (await isJournalOwned(directory)) || !removeDrafts(directory)) throw error;
      return await lockJournal(directory, { log });
    });
  } catch (cause) {
    throw writeFailed(directory, cause);
  }
}

/**
 * Remove files that a process began and never used. Returns true if there were some. A file that cannot be removed does
 * not prevent a start.
 */
function removeDrafts(directory: string): boolean {
  const drafts = readdirSync(directory).filter((name) => name === SPARE || /^snapshot-\d{8}\.xgs\.draft$/.test(name));
  return drafts.filter((draft) => isRemoved(join(directory, draft))).length > 0;
}

function isRemoved(path: string): boolean {
  try {
    rmSync(path, { force: true });
    return true;
  } catch {
    return false;
  }
}

function firstSegment(disk: Disk, options: EmbeddedJournalOptions): LiveSegment {
  const journalId = randomBytes(16).toString('hex');
  const origin = { segment: 1, journalId, firstFrame: 1, createdAt: options.now(), previousEnd: 0 };
  const first = LiveSegment.create(disk, options.directory, origin, sizeOf(options), null);
  first.publish(null);
  return first;
}

function nextSegment(disk: Disk, options: EmbeddedJournalOptions, end: JournalEnd): LiveSegment {
  const { segment, journalId } = end.header;
  const createdAt = options.now();
  const origin = { segment: segment + 1, journalId, firstFrame: end.nextFrame, createdAt, previousEnd: end.end };
  const next = LiveSegment.create(disk, options.directory, origin, sizeOf(options), null);
  next.publish(null);
  return next;
}

/** Go on where the journal ended; says in `notes` what had to be cut off. */
function resumeSegment(disk: Disk, options: EmbeddedJournalOptions, end: JournalEnd, notes: string[]): LiveSegment {
  // The newest first: one that is gone before another would be taken for lost.
  for (const path of end.emptyPaths.toReversed()) {
    rmSync(path);
    notes.push(`${path}: removed, it was created but nothing was written to it yet`);
  }
  const { tail, header } = end;
  assert(tail.provenBy === null, 'damage of durable frames stops recovery before this');
  if (!tail.clean) {
    const behind = tail.framesBehind === 0 ? '' : ` and ${tail.framesBehind} whole one(s) behind it`;
    notes.push(
      `${end.path}: cut off at offset ${end.end}: the last frame was torn${behind}; none of it had been confirmed as durable`,
    );
  }
  // A damaged segment stays as it is, up to where it was read: who restores it finds what belongs behind it. One of an
  // older format stays what its header says.
  if (end.isDamaged || header.format !== FORMAT) return nextSegment(disk, options, end);
  return LiveSegment.resume(disk, end.path, header, end.names, end.end);
}
