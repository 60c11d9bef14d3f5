// Reads a journal in PostgreSQL: what a start needs, from the newest snapshot on, and all of it, as a bystander of a live one
// too. Never changes a row. Leaves writing to journal.ts and making snapshots to snapshot.ts.

import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import { JournalState } from '../journal-state.ts';
import type { JournalRecord } from '../port.ts';
import type { OnDamage } from '../segments/block-reader.ts';
import type { DamagedPlace } from '../segments/damage.ts';
import { decodeState, type OutboundRows, type StateHead } from '../snapshots/state-bytes.ts';
import { decodeBlock } from './block.ts';
import { boundedRows, type Database, readBytes, withPayloads } from './bytes.ts';
import { deletedUpTo } from './sealed-parts.ts';

const BLOCKS_PER_READ = 64;
const READ = boundedRows('first_frame, frames, ', 'block > $2 and block <= $3', BLOCKS_PER_READ);
const SNAPSHOTS = `select block, frame, length(state) as bytes from crossgate_snapshot
  where journal = $1 order by block desc`;
/** A bigint that no block reaches. */
const LAST_BLOCK = Number.MAX_SAFE_INTEGER;

interface SnapshotRow {
  readonly block: string;
  readonly frame: string;
  readonly bytes: number;
}

interface BlockRow {
  readonly block: string;
  readonly first_frame: string;
  readonly frames: number;
  readonly bytes: number;
  readonly payload: Buffer | null;
}

/** One frame of a row; a place that is damaged comes without records. */
export interface RowFrame {
  readonly block: number;
  /** Bytes of the row, reported with its first frame; 0 with the others. */
  readonly bytes: number;
  readonly number: number;
  readonly at: EpochMs;
  readonly records: readonly JournalRecord[];
  readonly damage: DamagedPlace | null;
}

export interface ReadRange {
  readonly journal: string;
  /** For messages: where the journal lies. */
  readonly where: string;
  readonly after: number;
  /** Default: all there are. */
  readonly through?: number;
  /** Number of the last frame before; 0 for none. */
  readonly lastFrame: number;
  readonly onDamage: OnDamage;
}

function corrupt(where: string, what: string): CrossgateError {
  return new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${where}: ${what}; restore the database from a backup made before it was`,
  );
}

/** Frames of the rows behind one, in order; those that were deleted after their years are passed over. @throws CrossgateError XG_JOURNAL_CORRUPT */
export async function* readRows(database: Database, range: ReadRange): AsyncGenerator<RowFrame> {
  const { journal, where, through = LAST_BLOCK, onDamage } = range;
  let { after, lastFrame } = range;
  const passDeleted = async (): Promise<boolean> => {
    const deleted = await deletedUpTo(database, journal);
    if (deleted.block <= after) return false;
    after = deleted.block;
    lastFrame = deleted.frame;
    return true;
  };
  await passDeleted();
  reading: for (;;) {
    const { rows } = await database.query<BlockRow>(READ, [journal, after, through]);
    const whole = await withPayloads(database, journal, rows);
    for (const row of whole) {
      const block = Number(row.block);
      const firstFrame = Number(row.first_frame);
      if (block !== after + 1 || firstFrame !== lastFrame + 1) {
        // They may have been deleted while those before them were read.
        if (await passDeleted()) continue reading;
        throw corrupt(where, `row ${after + 1} is missing`);
      }
      after = block;
      for (const frame of framesOf(row, `${where}, row ${block}`, onDamage)) {
        yield frame;
        lastFrame = frame.damage?.lastFrame ?? frame.number;
      }
      if (lastFrame !== firstFrame + row.frames - 1) throw corrupt(where, `row ${block} has not all of its frames`);
    }
    if (whole.length === rows.length && rows.length < BLOCKS_PER_READ) return;
    if (whole.length === 0) throw corrupt(where, `row ${after + 1} is missing`);
  }
}

function* framesOf(
  row: BlockRow & { readonly payload: Buffer },
  path: string,
  onDamage: OnDamage,
): Generator<RowFrame> {
  const block = Number(row.block);
  let next = Number(row.first_frame);
  let offset = 0;
  let bytes = row.payload.length;
  try {
    for (const { number, at, records, end } of decodeBlock(row.payload, path)) {
      if (number !== next) throw corrupt(path, `frame ${next} is missing`);
      yield { block, bytes, number, at, records, damage: null };
      bytes = 0;
      offset = end;
      next++;
    }
  } catch (error) {
    const isDamage = error instanceof CrossgateError && error.code === 'XG_JOURNAL_CORRUPT';
    if (!isDamage || onDamage === 'stop') throw error;
    const lastFrame = Number(row.first_frame) + row.frames - 1;
    const place = { path, row: block, offset, bytes: row.payload.length - offset, firstFrame: next, lastFrame };
    const damage = error.cause instanceof RangeError ? { ...place, isOfLaterVersion: true } : place;
    yield { block, bytes, number: lastFrame, at: 0, records: [], damage };
  }
}

export interface FoundSnapshot {
  readonly block: number;
  readonly frame: number;
  readonly state: JournalState;
  /** Null if an earlier program made it. */
  readonly outboundRows: OutboundRows | null;
}

/** The newest snapshot that can be used; says in `notes` which could not. */
export async function newestSnapshot(
  database: Database,
  journal: string,
  where: string,
  notes: string[],
): Promise<FoundSnapshot | null> {
  const { rows } = await database.query<SnapshotRow>(SNAPSHOTS, [journal]);
  for (const { block, frame, bytes } of rows) {
    const decoded = await decodedState(database, journal, Number(block), bytes);
    if (typeof decoded !== 'string') {
      const { state, head } = decoded;
      return { block: Number(block), frame: Number(frame), state, outboundRows: head.outboundRows ?? null };
    }
    notes.push(`${where}: the snapshot up to row ${block} is passed over: ${decoded}; more rows are read instead`);
  }
  return null;
}

/** The sum of the deleted rows, null if none were deleted; or why it cannot be used. */
export async function baseSnapshot(database: Database, journal: string): Promise<FoundSnapshot | string | null> {
  const { block: deleted } = await deletedUpTo(database, journal);
  if (deleted === 0) return null;
  const { rows } = await database.query<SnapshotRow>(SNAPSHOTS, [journal]);
  const row = rows.find(({ block }) => Number(block) === deleted);
  if (row === undefined) return `the snapshot up to row ${deleted} is missing`;
  const decoded = await decodedState(database, journal, deleted, row.bytes);
  if (typeof decoded === 'string') return `the snapshot up to row ${deleted} cannot be used: ${decoded}`;
  return { block: deleted, frame: Number(row.frame), state: decoded.state, outboundRows: null };
}

/** The state of a snapshot, or why it cannot be used: it lacks what stands in a row that was put back since. */
async function decodedState(
  database: Database,
  journal: string,
  block: number,
  bytes: number,
): Promise<ReturnType<typeof decodeState<StateHead>>> {
  const state = await readBytes(database, { table: 'crossgate_snapshot', column: 'state', journal, block, bytes });
  if (state === null) return 'it is there no more: a newer one took its place';
  const decoded = decodeState<StateHead>(state);
  if (typeof decoded === 'string') return decoded;
  for (const { place } of decoded.head.damage ?? []) {
    if (place.row === undefined || !(await isMended(database, journal, place.row))) continue;
    return `row ${place.row} could not be read when it was made, and can be now`;
  }
  return decoded;
}

/** Whether a row can be read: somebody put it back, or this is the version that wrote it. */
async function isMended(database: Database, journal: string, block: number): Promise<boolean> {
  const { rows } = await database.query<BlockRow>(READ, [journal, block - 1, block]);
  const [row] = await withPayloads(database, journal, rows);
  if (row === undefined) return false;
  return Array.from(framesOf(row, journal, 'pass')).every(({ damage }) => damage === null);
}

/** How many snapshots there are, and in words which cannot be used. */
export async function checkSnapshots(
  database: Database,
  journal: string,
): Promise<{ readonly snapshots: number; readonly problems: readonly string[] }> {
  const { rows } = await database.query<SnapshotRow>(SNAPSHOTS, [journal]);
  const problems: string[] = [];
  for (const { block, bytes } of rows) {
    const decoded = await decodedState(database, journal, Number(block), bytes);
    if (typeof decoded === 'string') problems.push(`the snapshot up to row ${block} cannot be used: ${decoded}`);
  }
  return { snapshots: rows.length, problems };
}

/** Everything that the owner of a journal needs in order to go on. */
export interface RowRecovery {
  readonly state: JournalState;
  /** The last row that a snapshot covers; 0 if there is none. */
  readonly snapshotBlock: number;
  readonly lastBlock: number;
  readonly lastFrame: number;
  /** Bytes of the rows that no snapshot covers. */
  readonly uncoveredBytes: number;
  /** The snapshot's view of crossgate_outbound; null if it has none. */
  readonly outboundRows: OutboundRows | null;
  readonly notes: readonly string[];
}

/** Read a journal from its newest snapshot on; `note` hears of each record behind it. @throws XG_JOURNAL_CORRUPT */
export async function recoverRows(
  database: Database,
  journal: string,
  where: string,
  onDamage: OnDamage,
  note: (records: readonly JournalRecord[], block: number) => void,
): Promise<RowRecovery> {
  const notes: string[] = [];
  const snapshot = await newestSnapshot(database, journal, where, notes);
  const state = snapshot?.state ?? new JournalState();
  const snapshotBlock = snapshot?.block ?? 0;
  const { block: deleted } = await deletedUpTo(database, journal);
  if (snapshotBlock < deleted) {
    throw corrupt(where, `rows up to ${deleted} were deleted after their years, and no snapshot of them can be used`);
  }
  let lastBlock = snapshotBlock;
  let lastFrame = snapshot?.frame ?? 0;
  let uncoveredBytes = 0;
  for await (const frame of readRows(database, { journal, where, after: snapshotBlock, lastFrame, onDamage })) {
    if (frame.damage !== null) state.damaged(frame.damage);
    for (const record of frame.records) state.apply(record, frame.at);
    note(frame.records, frame.block);
    lastBlock = frame.block;
    lastFrame = frame.number;
    uncoveredBytes += frame.bytes;
  }
  const [place] = state.damage?.places ?? [];
  if (onDamage === 'stop' && place !== undefined) throw corrupt(place.path, `it is damaged at offset ${place.offset}`);
  return {
    state,
    snapshotBlock,
    lastBlock,
    lastFrame,
    uncoveredBytes,
    outboundRows: snapshot?.outboundRows ?? null,
    notes,
  };
}
