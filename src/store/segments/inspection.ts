// Looks at a whole journal for people: what it holds, and whether every part of it is whole. Reads only, takes no lock.

import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { RecoveredSession, SessionID } from '../../session/mod.ts';
import { type Note, objectionOf, readNote } from '../embedded/durability-witness.ts';
import { endedFileProblem } from '../index/ended-file.ts';
import { endedFilesOf } from '../index/ended-orders.ts';
import type { JournalState } from '../journal-state.ts';
import { type ArchiveProblem, verifyArchive } from '../snapshots/archive.ts';
import { absentSegments, listArchived } from '../snapshots/archive-files.ts';
import { judgedSnapshots, recoverJournal, usableSnapshot } from '../snapshots/recovery.ts';
import { archivable } from '../snapshots/snapshot-builder.ts';
import { listSnapshots } from '../snapshots/snapshot-file.ts';
import { MISSING } from './block-reader.ts';
import { type DamagedPlace, damageInWords, placeInWords } from './damage.ts';
import { readJournal } from './journal-reader.ts';
import { segmentOfFileName } from './segment.ts';

export interface DamageReport extends DamagedPlace {
  readonly sessions: readonly SessionID[];
}

/** Content of a journal. */
export interface JournalInspection {
  readonly segments: number;
  readonly bytes: number;
  readonly archived: number;
  /** Segments that cannot be archived since sessions may be asked for what they sent then (rule J1); absent without any. */
  readonly kept?: { readonly segments: number; readonly from: number; readonly sessions: readonly SessionID[] };
  /** The last segment that a snapshot covers; 0 if there is none. */
  readonly snapshotSegment: number;
  /** Records that a start gives back to the gateway: open orders and its counters. */
  readonly orders: number;
  readonly sessions: readonly RecoveredSession[];
  /** Places that are damaged and not accepted, with the sessions known here that may have records in them. */
  readonly damage: readonly DamageReport[];
  readonly notes: readonly string[];
}

function segmentsOf(directory: string): string[] {
  return readdirSync(directory).filter((name) => segmentOfFileName(name) !== null);
}

/** @throws XG_JOURNAL_CORRUPT */
export async function inspectJournal(directory: string): Promise<JournalInspection> {
  const { state, ended, snapshotSegment, notes } = await recoverJournal(directory, 'pass');
  ended.close();
  const segments = segmentsOf(directory);
  return {
    segments: segments.length,
    bytes: segments.reduce((sum, name) => sum + statSync(join(directory, name)).size, 0),
    archived: (await listArchived(directory)).length,
    ...keptOf(directory, segments),
    snapshotSegment,
    orders: state.orders.size,
    sessions: [...state.sessions().values()],
    damage: damageOf(state),
    notes,
  };
}

function keptOf(directory: string, names: readonly string[]): Pick<JournalInspection, 'kept'> {
  const found = archivable(directory);
  if (found === null || found.neededBy.length === 0) return {};
  const { before: from, covered, neededBy: sessions } = found;
  const isKept = (segment: number): boolean => segment >= from && segment < covered;
  const segments = names.filter((name) => isKept(segmentOfFileName(name)!)).length;
  return segments === 0 ? {} : { kept: { segments, from, sessions } };
}

/** Each place with the sessions that it is the first to concern. */
export function damageOf(state: JournalState): DamageReport[] {
  const { damage } = state;
  if (damage === null) return [];
  const known = [...state.sessions().keys()];
  return damage.places.map((place) => ({
    ...place,
    sessions: known.filter((sessionId) => damage.concerning(sessionId) === place),
  }));
}

/** Fault of a session with an incomplete import, and the remedy. */
export function importInWords(sessionId: SessionID): string {
  return `an import of ${sessionId} was begun and did not come to its end: do it again with --replace, or agree on the numbers and run \`crossgate sessions reset NAME\` at the gateway, or \`crossgate sessions open\` if no session file there names it`;
}

/** Such sessions, as problems of a journal. */
export function importProblems(path: string, state: JournalState): ArchiveProblem[] {
  const begun = [...state.sessions().values()].filter(({ importBegun }) => importBegun);
  return begun.map(({ sessionId }) => ({ path, problem: importInWords(sessionId), unfinished: true as const }));
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

/**
 * Read every record of every segment, every snapshot with its indexes and ended orders, and the archive with its chain.
 * @param witness the note of how far it was on disk (durability-witness.ts), or null
 * @param retentionDays the owner's retention of archived files, or null for a gateway's
 * @param onRecord called for each record, for progress
 */
export async function verifyJournal(
  directory: string,
  now: EpochMs,
  witness: string | null = null,
  retentionDays: number | null = null,
  onRecord: () => void = () => {},
): Promise<JournalVerification> {
  const problems: ArchiveProblem[] = [];
  // First: the owner of a live journal goes on noting.
  const note = witness === null ? null : readNote(witness);
  let frames = 0;
  let records = 0;
  let last = 0;
  try {
    const tell = (place: DamagedPlace): void => {
      problems.push({ path: place.path, problem: damageInWords(place) });
    };
    const tellMissing = (path: string): void => {
      problems.push({ path, problem: MISSING });
    };
    for await (const { frame } of readJournal(directory, 0, tell, tellMissing)) {
      records++;
      onRecord();
      if (frame !== last) frames++;
      last = frame;
    }
  } catch (error) {
    problems.push(unreadable(directory, error));
  }
  problems.push(...(await snapshotProblems(directory)));
  problems.push(...(await problemsOfState(directory, note)));
  const archive = await verifyArchive(directory, now, retentionDays);
  problems.push(...archive.problems);
  const segments = segmentsOf(directory).length + archive.segments;
  const snapshots = listSnapshots(directory).length;
  return { frames, records, segments, archived: archive.segments, snapshots, problems };
}

/** The reason why the rest of a journal cannot be read: nonsense, or a disk error. @throws any other error */
function unreadable(directory: string, error: unknown): ArchiveProblem {
  if (error instanceof CrossgateError) return { path: directory, problem: error.message };
  const { syscall, path = directory, message } = error as NodeJS.ErrnoException;
  if (syscall === undefined) throw error;
  return { path, problem: `it cannot be read, and nothing behind it was looked at: ${message}` };
}

/**
 * Whole, yet not right: a note about the journal that no longer holds, because records cut off its end look like a torn
 * record; and partial imports.
 */
async function problemsOfState(directory: string, note: Note | null): Promise<ArchiveProblem[]> {
  try {
    const { end, ended, state } = await recoverJournal(directory, 'pass');
    ended.close();
    const problems = importProblems(directory, state);
    // Another journal may have been begun there on purpose, and is whole in itself.
    if (note === null || end === null || end.header.journalId !== note.journalId) return problems;
    const objection = objectionOf(note, end.header.journalId, end.nextFrame - 1);
    return objection === null ? problems : [...problems, { path: directory, problem: objection }];
  } catch (error) {
    // That one was reported already, or the owner of a live journal has removed the file.
    unreadable(directory, error);
    return [];
  }
}

/**
 * Knowledge from the newest usable snapshot that is no longer readable elsewhere, in words; null if none. A place that
 * was damaged when the snapshot was made is in neither.
 */
export async function onlyInSnapshot(directory: string): Promise<string | null> {
  const snapshot = usableSnapshot(directory, []);
  if (snapshot === null) return null;
  const { start, damage = [] } = snapshot.meta;
  const unread: DamagedPlace[] = [];
  try {
    for await (const { frame } of readJournal(directory, 0, (place) => unread.push(place))) {
      if (frame >= start.nextFrame) break;
    }
  } catch (error) {
    const { path, problem } = unreadable(directory, error);
    return `${path}: ${problem}`;
  }
  const isKnown = ({ path, firstFrame }: DamagedPlace): boolean =>
    damage.some(({ place }) => place.firstFrame === firstFrame && basename(place.path) === basename(path));
  const lost = unread.find((place) => place.firstFrame < start.nextFrame && !isKnown(place));
  return lost === undefined ? null : placeInWords(lost);
}

/** Faults of snapshots and of their ended orders. */
async function snapshotProblems(directory: string): Promise<ArchiveProblem[]> {
  const problems: ArchiveProblem[] = [];
  const checked = new Set<string>();
  const endedFiles = new Set<number>();
  for (const { path, snapshot, problem } of judgedSnapshots(directory, checked)) {
    try {
      if (problem !== null) throw new Error(problem);
      for (const file of endedFilesOf(directory, snapshot.meta.keys)) endedFiles.add(file);
    } catch (error) {
      // The owner of a live journal may have removed it meanwhile, and its indexes, for a newer one.
      if (!existsSync(path)) continue;
      problems.push({ path, problem: `this snapshot cannot be used: ${(error as Error).message}` });
    }
  }
  if (
    problems.length > 0 &&
    (await absentSegments(directory)).length === 0 &&
    (await onlyInSnapshot(directory)) === null
  ) {
    const remedy = '; crossgate store verify --rebuild has it made again';
    for (const [k, { path, problem }] of problems.entries()) problems[k] = { path, problem: problem + remedy };
  }
  for (const file of [...endedFiles].sort((a, b) => a - b)) {
    const problem = endedFileProblem(directory, file);
    if (problem !== null) problems.push({ path: directory, problem });
  }
  return problems;
}
