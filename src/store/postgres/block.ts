// A batch of journal frames as one row of PostgreSQL holds it: the embedded journal's own encoding, complete in itself, so
// that any row can be read without those before it.

import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { JournalRecord } from '../port.ts';
import { RecordReader } from '../record-bytes.ts';
import { decodeRecord } from '../record-codec.ts';
import { type EncodingTarget, FrameBatch } from '../segments/frame-batch.ts';
import { decodeGroup } from '../segments/segment.ts';
import { SessionNames } from '../session-names.ts';

/** A row identifies its block, not a file: all have the same seed. */
const SEED = 0;
/** A batch of this size gets no more frames. */
const BLOCK_BYTES_SOFT = 1_048_576;

export interface DecodedFrame {
  readonly number: number;
  readonly at: EpochMs;
  readonly records: readonly JournalRecord[];
  /** Offset behind its group. */
  readonly end: number;
}

/** Frames on their way to one row. */
export class Block {
  readonly number: number;
  readonly #batch = new FrameBatch();
  readonly #target: EncodingTarget = {
    seed: SEED,
    names: new SessionNames(),
    position: 0,
    syncedUpTo: 0,
  };
  /** It was sent: what the database may have of it must not change any more. */
  isSealed = false;

  constructor(number: number) {
    this.number = number;
  }

  get isFull(): boolean {
    return this.isSealed || this.#batch.length >= BLOCK_BYTES_SOFT;
  }

  get frames(): number {
    return this.#batch.frames;
  }

  get firstFrame(): number {
    return this.#batch.firstFrame;
  }

  get length(): number {
    return this.#batch.length;
  }

  /** The bytes of the row. */
  get payload(): Buffer {
    this.#batch.seal();
    return this.#batch.bytes.subarray(0, this.#batch.length);
  }

  add(records: readonly JournalRecord[], at: EpochMs, frame: number): void {
    this.#batch.add(records, at, frame, this.#target);
  }

  decode(): Iterable<DecodedFrame> {
    return decodeBlock(this.payload, 'memory');
  }
}

/** Read the frames of a row. @throws CrossgateError XG_JOURNAL_CORRUPT naming `where` */
export function* decodeBlock(payload: Buffer, where: string): Generator<DecodedFrame> {
  const names = new SessionNames();
  for (let offset = 0; offset < payload.length; ) {
    const group = decodeGroup(payload, offset, offset, SEED);
    if (group === null || typeof group === 'number') {
      const what = `the frame at offset ${offset} is damaged; restore the database from a backup made before it was`;
      throw new CrossgateError('XG_JOURNAL_CORRUPT', `${where}: ${what}`);
    }
    offset += group.length;
    for (const { number, at, recordCount, payload: bytes } of group.frames) {
      const reader = new RecordReader(bytes);
      const records: JournalRecord[] = [];
      try {
        for (let i = 0; i < recordCount; i++) records.push(decodeRecord(reader, names));
      } catch (cause) {
        const what = `a record of frame ${number} is not understood by this version`;
        throw new CrossgateError('XG_JOURNAL_CORRUPT', `${where}: ${what}`, { cause });
      }
      yield { number, at, records, end: offset };
    }
  }
}
