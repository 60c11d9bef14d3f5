// Makes the next snapshot from the one before and the segments finished since, and says what no start needs any more.
// Runs in a worker thread (snapshot-worker.ts), and never touches the live segment. Leaves what segments amount to to
// fold-finished-segments.ts, and moving them away to archive.ts.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionID } from '../../session/mod.ts';
import { EndedFileWriter, endedFileName } from '../index/ended-file.ts';
import type { KeyFile } from '../index/ended-orders.ts';
import { type OutboundFile, OutboundIndex, type OutboundRun } from '../index/outbound-index.ts';
import { mergeEntries, SortedFile, sortEntries, writeSortedFile } from '../index/sorted-file.ts';
import { JournalState } from '../journal-state.ts';
import type { DamagedPlace } from '../segments/damage.ts';
import { segmentOfFileName } from '../segments/segment.ts';
import { foldFinishedSegments } from './fold-finished-segments.ts';
import { usableSnapshot } from './recovery.ts';
import {
  listSnapshots,
  readSnapshot,
  type Snapshot,
  type SnapshotMeta,
  snapshotFileName,
  syncDirectory,
  writeSnapshot,
} from './snapshot-file.ts';
import { headOf } from './state-bytes.ts';

/** Snapshots kept: the newest, and one to fall back to. */
const SNAPSHOTS_KEPT = 2;
/** Segments folded into one snapshot; more are waiting only after long trouble, and are taken in turns. */
const SEGMENTS_PER_SNAPSHOT = 16;
/** An index file is merged with a newer one unless it is this much larger: few files, little written twice. */
const MERGE_FACTOR = 4;

export interface SnapshotRequest {
  readonly directory: string;
  /** The last segment that is finished; null to find out. */
  readonly through: number | null;
  /** Of a journal without a snapshot: what was before its first segment, and is lost. */
  readonly lost?: DamagedPlace;
}

/** Base of the next snapshot. */
type Base = Pick<Snapshot, 'state'> & { readonly meta: SnapshotMeta | null };

/** Segments that no start needs any more. */
export interface Archivable {
  /** Segments before this one; null before the first look. */
  readonly before: number | null;
  /** How many there are. */
  readonly left: number;
}

export interface SnapshotResult {
  /** Result for the journal's owner; null if there was no work. */
  readonly meta: SnapshotMeta | null;
  /** Segments that may go to the archive. */
  readonly archivable: Archivable;
  /** For the log. */
  readonly notes: readonly string[];
}

/**
 * Make the next snapshot if a segment was finished since the last, and tidy up.
 * @param checked index files of this directory that were found whole; further ones are added, because they never change
 */
export async function buildSnapshot(
  request: SnapshotRequest,
  checked: Set<string> = new Set(),
): Promise<SnapshotResult> {
  const { directory } = request;
  const notes: string[] = [];
  let meta: SnapshotMeta | null = null;
  for (;;) {
    const next = await foldSegments(request, meta?.start.segment ?? 0, checked, notes);
    if (next === null) break;
    meta = next;
  }
  if (meta === null) return { meta, archivable: { before: 0, left: 0 }, notes };
  removeUnused(directory);
  const before = archivableBefore(directory);
  return { meta, archivable: { before, left: segmentsOf(directory).filter((one) => one < before).length }, notes };
}

/** @param made the last segment that one of this request covers: of files that are odd enough it may be of no use */
async function foldSegments(
  { directory, through: last, lost }: SnapshotRequest,
  made: number,
  checked: Set<string>,
  notes: string[],
): Promise<SnapshotMeta | null> {
  const base = usableSnapshot(directory, notes, checked);
  const covered = base?.meta.start.segment ?? 0;
  const through = Math.min(last ?? lastFinished(directory), covered + SEGMENTS_PER_SNAPSHOT);
  if (through <= Math.max(covered, made)) return null;
  let meta: SnapshotMeta | null = null;
  try {
    meta = await writeNext(directory, base ?? stateWithout(lost), through, notes);
    return meta;
  } finally {
    if (meta === null) discard(directory, through);
  }
}

/** Base of a journal without a snapshot. */
function stateWithout(lost: DamagedPlace | undefined): Base {
  const state = new JournalState();
  if (lost !== undefined) state.damaged(lost);
  return { state, meta: null };
}

async function writeNext(
  directory: string,
  { state, meta: before }: Base,
  through: number,
  notes: string[],
): Promise<SnapshotMeta | null> {
  const index = new OutboundIndex(directory);
  const ended = new EndedFileWriter(directory, through);
  const into = { state, index, ended };
  const folding = foldFinishedSegments(directory, into, before?.start ?? null, through, notes);
  const folded = await folding.finally(() => ended.finish());
  if (folded === null) return null;
  const meta: SnapshotMeta = {
    ...folded,
    ...headOf(state),
    outbound: outboundFiles(directory, through, before?.outbound ?? [], index, state),
    keys: keyFiles(directory, through, before?.keys ?? [], ended.entries),
  };
  writeSnapshot(directory, meta, state.orders);
  return meta;
}

/** Remove what was written for a snapshot that did not come about: on a full disk it would keep the room that records want. */
function discard(directory: string, through: number): void {
  const name = snapshotFileName(through);
  const drafts = [`${name}.draft`];
  // One that is there, and cannot be used now, may lead to the others.
  if ((listSnapshots(directory)[0] ?? '') < name) {
    drafts.push(outboundFileName(through), keyFileName(through), endedFileName(through));
  }
  for (const draft of drafts) rmSync(join(directory, draft), { force: true });
}

function outboundFileName(through: number): string {
  return `outbound-${through.toString().padStart(8, '0')}.xgx`;
}

function keyFileName(through: number): string {
  return `keys-${through.toString().padStart(8, '0')}.xgk`;
}

/** The newest is live, or has no header yet; the one before it is finished once its successor says where it ends. */
function lastFinished(directory: string): number {
  return Math.max(0, ...segmentsOf(directory)) - 1;
}

function segmentsOf(directory: string): number[] {
  return readdirSync(directory).flatMap((name) => segmentOfFileName(name) ?? []);
}

/** The index files that are still needed, and one for what was just read. */
function outboundFiles(
  directory: string,
  through: number,
  before: readonly OutboundFile[],
  index: OutboundIndex,
  state: JournalState,
): OutboundFile[] {
  const isNeeded = (run: OutboundRun): boolean => run.lastSeries >= state.oldestSeries(run.sessionId);
  const files = before.filter(({ runs }) => runs.some(isNeeded));
  const sessions = [...index.entries((sessionId) => state.oldestSeries(sessionId))].filter(([, run]) => run.length > 0);
  if (sessions.length === 0) return files;
  const name = outboundFileName(through);
  const sorted = sessions.map(([, run]) => sortEntries(run));
  const { runs, pages } = writeSortedFile(join(directory, name), sorted);
  const named = sessions.map(([sessionId], k): OutboundRun => {
    const entries = sorted[k]!;
    return { sessionId, firstSeries: entries[0]!, lastSeries: entries.at(-5)!, ...runs[k]! };
  });
  return [...files, { name, pages, runs: named }];
}

/** The index files of ended orders with these entries in them; the newer of two entries stays. */
function keyFiles(
  directory: string,
  through: number,
  before: readonly KeyFile[],
  entries: readonly number[],
): KeyFile[] {
  if (entries.length === 0) return [...before];
  const files = [...before];
  let merged = sortEntries(entries);
  for (;;) {
    const last = files.at(-1);
    if (last === undefined || last.pages * 204 * 5 > MERGE_FACTOR * merged.length) break;
    files.pop();
    const file = SortedFile.open(directory, last.name, last.pages);
    merged = mergeEntries(file.entries({ firstPage: 0, pages: last.pages }), merged);
    file.close();
  }
  const name = keyFileName(through);
  const { pages } = writeSortedFile(join(directory, name), [merged], true);
  return [...files, { name, pages }];
}

/** Remove older snapshots, and index files that none of those kept names; records of ended orders stay. */
function removeUnused(directory: string): void {
  const snapshots = listSnapshots(directory);
  const used = new Set<string>();
  for (const name of snapshots.slice(0, SNAPSHOTS_KEPT)) {
    const snapshot = readSnapshot(join(directory, name), 'head');
    if (typeof snapshot === 'string') continue;
    for (const file of [...snapshot.meta.outbound, ...snapshot.meta.keys]) used.add(file.name);
  }
  for (const name of snapshots.slice(SNAPSHOTS_KEPT)) rmSync(join(directory, name), { force: true });
  for (const name of readdirSync(directory)) {
    const isIndex = /^(outbound-\d{8}\.xgx|keys-\d{8}\.xgk)$/.test(name);
    if ((isIndex && !used.has(name)) || /^snapshot-\d{8}\.xgs\.draft$/.test(name)) {
      rmSync(join(directory, name), { force: true });
    }
  }
  syncDirectory(directory);
}

/** Segments before this one are covered by every snapshot kept and hold nothing of a present series (rule J1). */
export function archivableBefore(directory: string): number {
  return archivable(directory)?.before ?? 0;
}

/** The same, and who needs those behind it up to the last that these snapshots cover; null where nothing is archived yet. */
export function archivable(directory: string): {
  readonly before: number;
  readonly covered: number;
  /** Sessions with numbers that have not restarted since, or with unproven reports of that time; the oldest first. */
  readonly neededBy: readonly SessionID[];
} | null {
  const snapshots = listSnapshots(directory).slice(0, SNAPSHOTS_KEPT);
  if (snapshots.length < SNAPSHOTS_KEPT) return null;
  let before = Number.POSITIVE_INFINITY;
  let covered = Number.POSITIVE_INFINITY;
  let newest: JournalState | null = null;
  for (const name of snapshots) {
    const snapshot = readSnapshot(join(directory, name), 'head');
    if (typeof snapshot === 'string') return null;
    newest ??= snapshot.state;
    covered = Math.min(covered, snapshot.meta.start.segment);
    before = Math.min(before, covered, snapshot.state.firstNeededSegment());
  }
  return { before, covered, neededBy: newest?.needing(covered) ?? [] };
}
