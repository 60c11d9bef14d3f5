// Opens the embedded journal of a directory: the lock, recovery, and the segment to go on in.
// Leaves everything after that to embedded-journal.ts.

import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { assert } from '../base/assert.ts';
import { type Disk, realDisk } from './disk.ts';
import { EmbeddedJournal, type EmbeddedJournalOptions, publish, sizeOf, writeFailed } from './embedded-journal.ts';
import { type JournalEnd, recoverJournal } from './journal-reader.ts';
import { LiveSegment } from './live-segment.ts';
import { lockJournal } from './lock.ts';
import type { Journal } from './port.ts';

/** Open, or create, the journal of a directory. @throws XG_JOURNAL_LOCKED, XG_JOURNAL_CORRUPT, XG_JOURNAL_WRITE_FAILED */
export async function openJournal(options: EmbeddedJournalOptions): Promise<Journal> {
  const { directory, log } = options;
  const disk = options.disk ?? realDisk;
  const unlock = takeDirectory(directory);
  try {
    const { state, index, end } = await recoverJournal(directory);
    const notes: string[] = [];
    let live: LiveSegment;
    try {
      live = end === null ? firstSegment(disk, options) : resumeSegment(disk, end, notes);
    } catch (cause) {
      throw writeFailed(directory, cause);
    }
    for (const note of notes) log?.('warn', note);
    const recovered = state.recovered(end === null, notes);
    return new EmbeddedJournal(options, disk, recovered, index, live, end?.nextFrame ?? 1, unlock);
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Make the directory and lock it; one that cannot be written is a failure of the journal like any other. */
function takeDirectory(directory: string): () => void {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return lockJournal(directory);
  } catch (cause) {
    throw writeFailed(directory, cause);
  }
}

function firstSegment(disk: Disk, options: EmbeddedJournalOptions): LiveSegment {
  const journalId = randomBytes(16).toString('hex');
  const origin = { segment: 1, journalId, firstFrame: 1, createdAt: options.now(), previousEnd: 0 };
  const first = LiveSegment.create(disk, options.directory, origin, sizeOf(options));
  publish(first, null);
  return first;
}

/** Go on where the journal ended; says in `notes` what had to be cut off. */
function resumeSegment(disk: Disk, end: JournalEnd, notes: string[]): LiveSegment {
  if (end.emptyPath !== null) {
    rmSync(end.emptyPath);
    notes.push(`${end.emptyPath}: removed, it was created but nothing was written to it yet`);
  }
  const { tail, header } = end;
  assert(tail.provenBy === null, 'damage of durable frames stops recovery before this');
  if (!tail.clean) {
    const behind = tail.framesBehind === 0 ? '' : ` and ${tail.framesBehind} whole one(s) behind it`;
    notes.push(
      `${end.path}: cut off at offset ${end.end}: the last frame was torn${behind}; none of it had been confirmed as durable`,
    );
  }
  return LiveSegment.resume(disk, end.path, header, end.names, end.end);
}
