// Reads a journal as programs before version 5 of the schema wrote it. A row of crossgate_block has a batch of frames in the encoding
// of the embedded journal. Of rows that were deleted after their years a snapshot and ended orders are left. Only convert.ts needs it.

import { inflateRawSync } from 'node:zlib';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { JournalRecord } from '../port.ts';
import { RecordReader } from '../record-bytes.ts';
import { decodeRecord } from '../record-codec.ts';
import { decodeGroup } from '../segments/segment.ts';
import { SessionNames } from '../session-names.ts';
import { decodeState, type StateHead } from '../snapshots/state-bytes.ts';
import type { Database } from './pools.ts';

/** A row identifies its block, not a file: all have the same seed. */
const SEED = 0;
/** Of a run of ended orders: a fingerprint and an offset for each key stand before the records. */
const KEY_BYTES = 12;

const BLOCK = 'select first_frame, frames, payload from crossgate_block where journal = $1 and block = $2';
const NEXT = `select block, first_frame, frames from crossgate_block where journal = $1 and block >= $2
  order by block limit 1`;
const DELETED = `select block, last_frame from crossgate_part where journal = $1 and deleted_at is not null
  order by block desc limit 1`;
const BASE = 'select state from crossgate_snapshot where journal = $1 and block = $2';
const RUNS = 'select block from crossgate_ended where journal = $1 order by block';
const RUN = 'select records from crossgate_ended where journal = $1 and block = $2';

export interface OldFrame {
  readonly at: EpochMs;
  readonly records: readonly JournalRecord[];
}

/** A block, or why it cannot be read, in words. */
export type OldBlock = { readonly firstFrame: number; readonly frames: readonly OldFrame[] } | string;

export async function readBlock(database: Database, journal: string, block: number): Promise<OldBlock> {
  type Row = { first_frame: string; frames: number; payload: Buffer };
  const [row] = (await database.query<Row>(BLOCK, [journal, block])).rows;
  if (row === undefined) return `row ${block} of crossgate_block is missing`;
  const firstFrame = Number(row.first_frame);
  try {
    const frames = Array.from(framesOf(row.payload, firstFrame));
    if (frames.length === row.frames) return { firstFrame, frames };
  } catch {
    // Damaged, or of a version that never was.
  }
  return `row ${block} of crossgate_block is damaged`;
}

/** The last frame of a block that cannot be read, as its row or that of the next block says. */
export async function lastFrameOf(database: Database, journal: string, block: number): Promise<number | null> {
  const { rows } = await database.query<{ block: string; first_frame: string; frames: number }>(NEXT, [journal, block]);
  const [row] = rows;
  if (row === undefined) return null;
  return Number(row.first_frame) - 1 + (Number(row.block) === block ? row.frames : 0);
}

/** @throws RangeError if it makes no sense */
function* framesOf(payload: Buffer, firstFrame: number): Generator<OldFrame> {
  const names = new SessionNames();
  let next = firstFrame;
  for (let offset = 0; offset < payload.length; ) {
    const group = decodeGroup(payload, offset, offset, SEED);
    if (group === null || typeof group === 'number') throw new RangeError(`damaged at offset ${offset}`);
    offset += group.length;
    for (const { number, at, recordCount, payload: bytes } of group.frames) {
      if (number !== next++) throw new RangeError(`frame ${next - 1} is missing`);
      const reader = new RecordReader(bytes);
      const records: JournalRecord[] = [];
      for (let i = 0; i < recordCount; i++) records.push(decodeRecord(reader, names));
      yield { at, records };
    }
  }
}

/** The last block that was deleted after its years, with what the blocks up to it amount to; null if none was. */
export interface OldBase {
  readonly block: number;
  readonly lastFrame: number;
  readonly head: StateHead;
  readonly orders: ReadonlyMap<string, string>;
}

/** @throws CrossgateError XG_JOURNAL_CORRUPT */
export async function readBase(database: Database, journal: string): Promise<OldBase | null> {
  const [row] = (await database.query<{ block: string; last_frame: string }>(DELETED, [journal])).rows;
  if (row === undefined) return null;
  const block = Number(row.block);
  const [stored] = (await database.query<{ state: Buffer }>(BASE, [journal, block])).rows;
  const decoded = stored === undefined ? 'it is missing' : decodeState<StateHead>(stored.state);
  if (typeof decoded === 'string') {
    throw new CrossgateError(
      'XG_JOURNAL_CORRUPT',
      `the journal ${journal} in PostgreSQL: the snapshot up to row ${block}, where deleted rows end, cannot be used: ${decoded}; restore the database from a backup`,
    );
  }
  return { block, lastFrame: Number(row.last_frame), head: decoded.head, orders: decoded.state.orders };
}

export interface OldEnded {
  readonly keys: readonly string[];
  readonly record: string;
}

/** Runs of orders that ended in blocks, oldest first: those of blocks that were deleted are nowhere else. */
export async function* readEnded(database: Database, journal: string): AsyncGenerator<readonly OldEnded[]> {
  const { rows } = await database.query<{ block: string }>(RUNS, [journal]);
  for (const { block } of rows) {
    const [run] = (await database.query<{ records: Buffer }>(RUN, [journal, block])).rows;
    if (run !== undefined) yield Array.from(endedIn(run.records));
  }
}

function* endedIn(run: Buffer): Generator<OldEnded> {
  for (let at = 4 + run.readUInt32LE(0) * KEY_BYTES; at < run.length; ) {
    const end = at + 4 + run.readUInt32LE(at);
    const [keys, record] = JSON.parse(inflateRawSync(run.subarray(at + 4, end)).toString('utf8')) as [string[], string];
    yield { keys, record };
    at = end;
  }
}
