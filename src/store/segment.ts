// Layout of a segment file: its header, the frames in it, and the batch that new frames are built in.
// Leaves the records inside a frame to record-codec.ts, reading back to segment-reader.ts, and files to their callers.
//
//   segment = header (64 bytes) · frame · frame · … · zeros up to what is preallocated
//   frame   = marker 4 · CRC 4 · length 4 · record count 4 · number 8 · time 8 · synced-up-to 8 · records
//
// The CRC covers the frame behind it and is seeded with the segment's header, so that a frame proves nothing in another
// segment. `synced-up-to` says how much of this segment was on disk when the frame was built: damage before the
// synced-up-to of a later good frame hit data that was durable, damage after it is a torn tail.

import { crc32 } from 'node:zlib';
import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import type { SessionID } from '../session/mod.ts';
import type { JournalRecord } from './port.ts';
import { RecordReader, RecordWriter } from './record-bytes.ts';
import { decodeRecord, encodeRecord, type SessionNames } from './record-codec.ts';

export const SEGMENT_HEADER_BYTES = 64;
export const FRAME_HEADER_BYTES = 40;
/** Largest frame, 32 MiB: an input of the engine is far below it. */
export const FRAME_BYTES_MAX = 33_554_432;
export const FRAME_MARKER = Buffer.from([0xf7, 0x58, 0x47, 0xf9]);
const MARKER_UINT32 = FRAME_MARKER.readUInt32LE(0);

const MAGIC = Buffer.from('XGATEJNL', 'latin1');
const FORMAT = 1;
const FIRST_BATCH_BYTES = 65_536;
/** A batch buffer that grew beyond this is not kept for reuse. */
const KEPT_BATCH_BYTES_MAX = 4_194_304;

export interface SegmentHeader {
  readonly segment: number;
  /** 32 hex digits, the same in every segment of a journal. */
  readonly journalId: string;
  /** Number of the first frame in this segment; frames are numbered without gaps over the whole journal. */
  readonly firstFrame: number;
  readonly createdAt: EpochMs;
  /** Where the valid frames of the segment before end: what lies behind was abandoned (rule J2). 0 in the first. */
  readonly previousEnd: number;
  /** Seed of the CRC of this segment's frames. */
  readonly seed: number;
}

export function encodeSegmentHeader(header: Omit<SegmentHeader, 'seed'>): { bytes: Buffer; seed: number } {
  const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
  MAGIC.copy(bytes, 0);
  bytes.writeUInt32LE(FORMAT, 8);
  bytes.writeUInt32LE(header.segment, 12);
  bytes.write(header.journalId, 16, 16, 'hex');
  bytes.writeDoubleLE(header.firstFrame, 32);
  bytes.writeDoubleLE(header.createdAt, 40);
  bytes.writeDoubleLE(header.previousEnd, 48);
  const seed = crc32(bytes.subarray(0, 60));
  bytes.writeUInt32LE(seed, 60);
  return { bytes, seed };
}

/** Read a header. `empty`: only zeros, or shorter than a header: the file was created but never reached the disk. */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | 'empty' | 'damaged' {
  if (bytes.length < SEGMENT_HEADER_BYTES || bytes.every((byte) => byte === 0)) return 'empty';
  const seed = bytes.readUInt32LE(60);
  if (!bytes.subarray(0, 8).equals(MAGIC) || crc32(bytes.subarray(0, 60)) !== seed) return 'damaged';
  if (bytes.readUInt32LE(8) !== FORMAT) return 'damaged';
  return {
    segment: bytes.readUInt32LE(12),
    journalId: bytes.toString('hex', 16, 32),
    firstFrame: bytes.readDoubleLE(32),
    createdAt: bytes.readDoubleLE(40),
    previousEnd: bytes.readDoubleLE(48),
    seed,
  };
}

/** File name of a segment. */
export function segmentFileName(segment: number): string {
  return `${segment.toString().padStart(8, '0')}.xgj`;
}

/** Segment number of a file name, or null if it is no segment. */
export function segmentOfFileName(name: string): number | null {
  const match = /^(\d{8})\.xgj$/.exec(name);
  return match === null ? null : Number(match[1]);
}

/** A frame found in a segment. `payload` is a slice of the read buffer. */
export interface Frame {
  readonly number: number;
  readonly at: EpochMs;
  readonly syncedUpTo: number;
  /** Where it begins in its segment, and how many bytes it has. */
  readonly offset: number;
  readonly length: number;
  readonly recordCount: number;
  readonly payload: Buffer;
}

/** Frame at `offset` of `bytes`: itself, how many bytes are needed to see it whole, or null if there is no valid one. */
export function decodeFrame(bytes: Buffer, offset: number, fileOffset: number, seed: number): Frame | number | null {
  if (offset + FRAME_HEADER_BYTES > bytes.length) return FRAME_HEADER_BYTES;
  if (bytes.compare(FRAME_MARKER, 0, 4, offset, offset + 4) !== 0) return null;
  const length = bytes.readUInt32LE(offset + 8);
  if (length < FRAME_HEADER_BYTES || length > FRAME_BYTES_MAX) return null;
  if (offset + length > bytes.length) return length;
  if (crc32(bytes.subarray(offset + 8, offset + length), seed) !== bytes.readUInt32LE(offset + 4)) return null;
  return {
    number: bytes.readDoubleLE(offset + 16),
    at: bytes.readDoubleLE(offset + 24),
    syncedUpTo: bytes.readDoubleLE(offset + 32),
    offset: fileOffset,
    length,
    recordCount: bytes.readUInt32LE(offset + 12),
    payload: bytes.subarray(offset + FRAME_HEADER_BYTES, offset + length),
  };
}

/**
 * Where resendable outbound records lie: their frames in the batch, and their kind bytes behind the frames' beginnings. Side
 * by side in arrays, since an object for each message would be work for the collector.
 */
export class OutboundPositions {
  readonly sessionIds: SessionID[] = [];
  readonly series: number[] = [];
  readonly msgSeqNums: number[] = [];
  readonly frames: number[] = [];
  readonly records: number[] = [];
  length = 0;

  add(sessionId: SessionID, series: number, msgSeqNum: number, frame: number, record: number): void {
    const k = this.length++;
    this.sessionIds[k] = sessionId;
    this.series[k] = series;
    this.msgSeqNums[k] = msgSeqNum;
    this.frames[k] = frame;
    this.records[k] = record;
  }

  /** Forget all; the arrays stay for the next ones. */
  clear(): void {
    this.length = 0;
  }
}

/** Where the last record of an order that ended lies, and the record itself. */
export interface EndedPosition {
  readonly keys: readonly string[];
  readonly text: string;
  readonly frame: number;
  readonly record: number;
}

/**
 * Frames appended but not yet known to be on disk, encoded for one segment, where they lie one behind the other. They are
 * handed to the operating system in one or several writes.
 */
export class FrameBatch {
  readonly #writer = new RecordWriter(FIRST_BATCH_BYTES);
  frames = 0;
  firstFrame = 0;
  /** Where the batch begins in its segment, once some of it was handed over; how much of it was. */
  start = 0;
  handed = 0;
  /** How many of `outbound` and `ended` were handed over. */
  handedOutbound = 0;
  handedEnded = 0;
  readonly outbound = new OutboundPositions();
  readonly ended: EndedPosition[] = [];

  get bytes(): Buffer {
    return this.#writer.bytes;
  }

  get length(): number {
    return this.#writer.length;
  }

  /** Encode one frame. The records' bytes are copied. */
  add(
    records: readonly JournalRecord[],
    at: EpochMs,
    number: number,
    syncedUpTo: number,
    seed: number,
    names: SessionNames,
  ): void {
    const writer = this.#writer;
    const start = writer.length;
    writer.reserve(FRAME_HEADER_BYTES);
    writer.length += FRAME_HEADER_BYTES;
    for (const record of records) {
      encodeRecord(writer, names, record, at);
      if (record.kind === 'outbound' && record.resendable) {
        this.outbound.add(record.sessionId, record.series, record.msgSeqNum, start, writer.recordStart - start);
      } else if (record.kind === 'order' && record.ended !== undefined) {
        const { ended: keys, record: text } = record;
        this.ended.push({ keys, text, frame: start, record: writer.recordStart - start });
      }
    }
    const length = writer.length - start;
    assert(length <= FRAME_BYTES_MAX, 'a frame of the journal has at most 32 MiB');
    writer.putU32(MARKER_UINT32, start);
    writer.putU32(length, start + 8);
    writer.putU32(records.length, start + 12);
    writer.putF64(number, start + 16);
    writer.putF64(at, start + 24);
    writer.putF64(syncedUpTo, start + 32);
    writer.putU32(crc32(writer.bytes.subarray(start + 8, start + length), seed), start + 4);
    if (this.frames === 0) this.firstFrame = number;
    this.frames++;
  }

  /** Decode the frames back, to encode them for another segment. Records are slices of this batch. */
  *decode(
    seed: number,
    names: SessionNames,
  ): Generator<{ number: number; at: EpochMs; records: readonly JournalRecord[] }> {
    const bytes = this.#writer.bytes.subarray(0, this.#writer.length);
    for (let offset = 0; offset < bytes.length; ) {
      const frame = decodeFrame(bytes, offset, offset, seed);
      assert(frame !== null && typeof frame !== 'number', 'a frame kept in memory is whole');
      const reader = new RecordReader(frame.payload);
      const records: JournalRecord[] = [];
      for (let k = 0; k < frame.recordCount; k++) records.push(decodeRecord(reader, names));
      yield { number: frame.number, at: frame.at, records };
      offset += frame.length;
    }
  }

  /** Empty the batch for reuse. False if its buffer is too large to be kept. */
  clear(): boolean {
    this.#writer.length = 0;
    this.frames = 0;
    this.handed = 0;
    this.handedOutbound = 0;
    this.handedEnded = 0;
    this.outbound.clear();
    this.ended.length = 0;
    return this.#writer.bytes.length <= KEPT_BATCH_BYTES_MAX;
  }
}
