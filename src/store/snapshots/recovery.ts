// Inputs of a start from a journal: the newest credible snapshot, and everything recorded after it. A damaged snapshot
// gives way to the one before, and finally to a reading of the whole journal. Never changes a file; open-journal.ts
// cuts a torn tail.

import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { EndedOrderFiles } from '../index/ended-orders.ts';
import { OutboundIndex } from '../index/outbound-index.ts';
import { SortedFile } from '../index/sorted-file.ts';
import { JournalState } from '../journal-state.ts';
import { OrderTexts } from '../order-texts.ts';
import {
  type Block,
  BlockReader,
  type JournalEnd,
  MISSING,
  notUnderstood,
  type OnDamage,
  placeOf,
  type ScanStart,
} from '../segments/block-reader.ts';
import { type FoldTarget, foldFrame } from '../segments/fold.ts';
import { isMended } from '../segments/mended-place.ts';
import {
  decodeGroup,
  decodeSegmentHeader,
  GROUP_BYTES_MAX,
  SEGMENT_HEADER_BYTES,
  segmentFileName,
} from '../segments/segment.ts';
import { corrupt } from '../segments/segment-reader.ts';
import { archivedPath } from './archive-files.ts';
import { listSnapshots, readSnapshot, type Snapshot, type SnapshotMeta } from './snapshot-file.ts';

/** Everything that the owner of a journal needs in order to go on. */
export interface Recovery {
  readonly state: JournalState;
  readonly index: OutboundIndex;
  readonly ended: EndedOrderFiles;
  /** Null if the directory holds no journal. */
  readonly end: JournalEnd | null;
  /** The last segment that a snapshot covers; 0 if there is none. */
  readonly snapshotSegment: number;
  /** Skipped parts, in words. */
  readonly notes: readonly string[];
}

/**
 * Read a journal. @throws XG_JOURNAL_CORRUPT if records that were durable are missing or, unless they are passed over,
 * damaged
 */
export async function recoverJournal(directory: string, onDamage: OnDamage = 'stop'): Promise<Recovery> {
  const notes: string[] = [];
  const snapshot = usableSnapshot(directory, notes);
  const state = snapshot?.state ?? new JournalState();
  const index = new OutboundIndex(directory);
  const ended = new EndedOrderFiles(directory);
  const snapshotSegment = snapshot?.meta.start.segment ?? 0;
  if (snapshot !== null) {
    index.adopt(snapshot.meta.outbound, snapshotSegment);
    ended.adopt(snapshot.meta.keys, snapshotSegment);
  }
  try {
    const reader = new BlockReader(directory, { start: snapshot?.meta.start ?? null, onDamage });
    const texts = new OrderTexts(directory, state);
    let lostIn: number | null = null;
    for await (const block of reader.blocks()) {
      if (foldBlock({ state, index, ended, texts }, block, onDamage)) lostIn = block.segment;
    }
    texts.settle();
    const { first } = reader;
    if (snapshot === null && first !== null && first !== 1) {
      throw corrupt(join(directory, segmentFileName(1)), 0, MISSING);
    }
    const [place] = state.damage?.places ?? [];
    if (onDamage === 'stop' && place !== undefined) {
      const { path, offset, missingTo } = place;
      const missing = `the files from this one to ${missingTo} are missing: records are absent`;
      throw corrupt(path, offset, missingTo === undefined ? 'frames are damaged' : missing);
    }
    const end = reader.end?.header.segment === lostIn ? { ...reader.end, isDamaged: true } : reader.end;
    return { state, index, ended, end, snapshotSegment, notes };
  } catch (error) {
    ended.close();
    throw error;
  }
}

/** In which file the last record of each of these open orders lies, in words, from the newest snapshot on. */
export async function orderPlaces(directory: string, keys: ReadonlySet<string>): Promise<Map<string, string>> {
  const snapshot = usableSnapshot(directory, []);
  const state = new JournalState();
  const texts = new OrderTexts(directory, state);
  const index = new OutboundIndex(directory);
  const ended = { note: (): void => {} };
  const reader = new BlockReader(directory, { start: snapshot?.meta.start ?? null, onDamage: 'pass' });
  for await (const block of reader.blocks()) foldBlock({ state, index, ended, texts }, block, 'pass');
  const places = new Map<string, string>();
  for (const key of keys) {
    const place = texts.placeOf(key);
    if (place !== null) {
      places.set(key, `${join(directory, segmentFileName(place.segment))}, offset ${place.group}`);
    } else if (snapshot?.state.orders.has(key) === true) {
      places.set(key, `${snapshot.path}, which has it from a file before`);
    }
  }
  return places;
}

/**
 * Apply the frames of a block. One with a record that this version does not know is lost from there on; whether there was one.
 * @throws XG_JOURNAL_CORRUPT for such a frame unless it is passed over
 */
export function foldBlock(target: FoldTarget, block: Block, onDamage: OnDamage): boolean {
  let isLost = false;
  target.state.segment = block.segment;
  if (block.damage !== null) target.state.damaged(block.damage);
  for (const frame of block.frames) {
    try {
      foldFrame(target, frame, block.names, block.segment);
    } catch (cause) {
      if (!(cause instanceof RangeError)) throw cause;
      if (onDamage === 'stop') throw notUnderstood(block, frame, cause);
      isLost = true;
      block.names.damaged();
      target.state.damaged(placeOf(block, frame));
    }
  }
  return isLost;
}

/**
 * The newest snapshot that is whole, fits its segment and has its index files; `notes` lists the unusable ones.
 * @param checked index files that need not be read again; those found whole are added
 */
export function usableSnapshot(directory: string, notes: string[], checked: Set<string> = new Set()): Snapshot | null {
  for (const { path, snapshot, problem } of judgedSnapshots(directory, checked)) {
    if (problem === null) return snapshot;
    notes.push(`${path}: this snapshot is passed over: ${problem}; more of the journal is read instead`);
  }
  return null;
}

type JudgedSnapshot = { readonly path: string } & (
  | { readonly snapshot: Snapshot; readonly problem: null }
  | { readonly snapshot: null; readonly problem: string }
);

/** Each snapshot, the newest first, or why it cannot be used. */
export function* judgedSnapshots(directory: string, checked: Set<string>): Generator<JudgedSnapshot> {
  for (const name of listSnapshots(directory)) {
    const path = join(directory, name);
    const snapshot = readSnapshot(path);
    const problem = typeof snapshot === 'string' ? snapshot : misfit(directory, snapshot.meta, checked);
    if (typeof snapshot === 'string' || problem !== null) yield { path, snapshot: null, problem: problem! };
    else yield { path, snapshot, problem };
  }
}

/** Why a snapshot does not belong to the files beside it, or null. */
function misfit(
  directory: string,
  { start, lastFrameAt, outbound, keys, damage = [] }: SnapshotMeta,
  checked: Set<string>,
): string | null {
  const mended = damage.find(({ place }) => isMended(directory, place));
  if (mended !== undefined) return `${mended.place.path} was damaged when it was made, and is not now`;
  const files = [...outbound, ...keys];
  const path = join(directory, segmentFileName(start.segment));
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    // In the archive nothing changes without the chain of hashes saying so.
    if (existsSync(archivedPath(directory, start.segment))) return damagedFile(directory, files, checked);
    return `${path} is not there`;
  }
  return misfitOf(fd, path, start, lastFrameAt) ?? damagedFile(directory, files, checked);
}

/** Why the segment that a snapshot ends with is not the one that it was, or null. */
function misfitOf(fd: number, path: string, start: ScanStart, lastFrameAt: number | null): string | null {
  try {
    const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
    const header = decodeSegmentHeader(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)));
    if (typeof header === 'string') return `the header of ${path} cannot be read`;
    if (header.journalId !== start.journalId) return `${path} belongs to another journal`;
    if (lastFrameAt !== null) {
      const length = start.end - lastFrameAt;
      if (length <= 0 || length > GROUP_BYTES_MAX) return 'its position makes no sense';
      const groupBytes = Buffer.alloc(length);
      readSync(fd, groupBytes, 0, length, lastFrameAt);
      const group = decodeGroup(groupBytes, 0, lastFrameAt, header.seed);
      if (group === null || typeof group === 'number' || group.length !== length) return `${path} was changed since`;
      if (group.lastFrame !== start.nextFrame - 1) return `${path} was changed since`;
    }
    return null;
  } catch (error) {
    return `${path} cannot be read (${(error as Error).message})`;
  } finally {
    closeSync(fd);
  }
}

function damagedFile(
  directory: string,
  files: readonly { readonly name: string; readonly pages: number }[],
  checked: Set<string>,
): string | null {
  for (const { name, pages } of files) {
    const path = join(directory, name);
    if (checked.has(path)) continue;
    try {
      const file = SortedFile.open(directory, name, pages);
      try {
        file.check();
      } finally {
        file.close();
      }
      checked.add(path);
    } catch {
      return `its index file ${name} is missing or damaged`;
    }
  }
  return null;
}
