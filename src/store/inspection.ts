// Looks at a whole journal for people: what it holds, and whether every part of it is whole. Reads only, takes no lock.

import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { CrossgateError } from '../base/errors.ts';
import type { RecoveredSession } from '../session/mod.ts';
import { type ArchiveProblem, verifyArchive } from './archive.ts';
import { listArchived } from './archive-files.ts';
import { readJournal } from './journal-reader.ts';
import { recoverJournal, usableSnapshot } from './recovery.ts';
import { segmentOfFileName } from './segment.ts';
import { listSnapshots } from './snapshot-file.ts';

/** What a journal holds. */
export interface JournalInspection {
  readonly segments: number;
  readonly bytes: number;
  readonly archived: number;
  /** The last segment that a snapshot covers; 0 if there is none. */
  readonly snapshotSegment: number;
  /** Records that a start gives back to the gateway: open orders and its counters. */
  readonly orders: number;
  readonly sessions: readonly RecoveredSession[];
  readonly notes: readonly string[];
}

function segmentsOf(directory: string): string[] {
  return readdirSync(directory).filter((name) => segmentOfFileName(name) !== null);
}

/** @throws XG_JOURNAL_CORRUPT */
export async function inspectJournal(directory: string): Promise<JournalInspection> {
  const { state, ended, snapshotSegment, notes } = await recoverJournal(directory);
  ended.close();
  const segments = segmentsOf(directory);
  return {
    segments: segments.length,
    bytes: segments.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0),
    archived: (await listArchived(directory)).length,
    snapshotSegment,
    orders: state.orders.size,
    sessions: [...state.sessions().values()],
    notes,
  };
}

/** Whether every part of a journal is whole. */
export interface JournalVerification {
  readonly frames: number;
  readonly records: number;
  readonly segments: number;
  readonly archived: number;
  readonly snapshots: number;
  readonly problems: readonly ArchiveProblem[];
}

/** Read every record of every segment, every snapshot with its indexes, and the archive with its chain. */
export async function verifyJournal(directory: string): Promise<JournalVerification> {
  const problems: ArchiveProblem[] = [];
  let frames = 0;
  let records = 0;
  let last = 0;
  try {
    for await (const { frame } of readJournal(directory)) {
      records++;
      if (frame !== last) frames++;
      last = frame;
    }
  } catch (error) {
    if (!(error instanceof CrossgateError)) throw error;
    problems.push({ path: directory, problem: error.message });
  }
  const passedOver: string[] = [];
  const snapshots = listSnapshots(directory).length;
  usableSnapshot(directory, passedOver);
  for (const problem of passedOver) {
    problems.push({ path: directory, problem: `${problem}; crossgate store verify --rebuild has it made again` });
  }
  const archive = await verifyArchive(directory);
  problems.push(...archive.problems);
  const segments = segmentsOf(directory).length + archive.segments;
  return { frames, records, segments, archived: archive.segments, snapshots, problems };
}
