// Layout of a segment file: its header and the frames in it. Leaves building frames to frame-batch.ts, the records inside a
// frame to record-codec.ts, reading back to segment-reader.ts. Callers own the files.
//
//   segment = header (64 bytes) · group · group · … · zeros up to what is preallocated
//   group   = marker 4 · CRC 4 · length 4 · frame count 4 · number of its first frame 8 · synced-up-to 8 · frames
//   frame   = time 8 · record count 4 · length 4 · records
//
// Frames written together share one CRC, a few kilobytes at a time: a CRC for each would cost as much as all the rest. It
// covers the group behind it and is seeded with the segment's header, so that a group is not valid in another segment.
// `synced-up-to` is the length of this segment on disk when the group began: damage before the synced-up-to of a later
// good group hit data that was durable, damage after it is a torn tail.
//
// Format 1, still read but no longer written, had a group of one frame each, with a marker of its own:
//   marker 4 · CRC 4 · length 4 · record count 4 · number 8 · time 8 · synced-up-to 8 · records

import { crc32 } from 'node:zlib';
import type { EpochMs } from '../../base/time.ts';

export const SEGMENT_HEADER_BYTES = 64;
export const GROUP_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 16;
const SINGLE_HEADER_BYTES = 40;
/** Largest frame, 256 MiB: what one input changes is recorded whole, as a Logout that cancels a hundred thousand orders. */
export const FRAME_BYTES_MAX = 268_435_456;
/** A group of that size gets no more frames: what one damaged byte can take with it. */
export const GROUP_BYTES_SOFT = 4096;
/** Largest group: a frame may be added to one that is nearly full. */
export const GROUP_BYTES_MAX = FRAME_BYTES_MAX + 65_536;
/** Beginning of both markers. */
export const MARKER_START = Buffer.from([0xf7, 0x58, 0x47]);
export const GROUP_MARKER = Buffer.from([...MARKER_START, 0xfb]).readUInt32LE(0);
const SINGLE_MARKER = Buffer.from([...MARKER_START, 0xf9]).readUInt32LE(0);

const MAGIC = Buffer.from('XGATEJNL', 'latin1');
/** The format that is written. */
export const FORMAT = 2;

export interface SegmentHeader {
  readonly format: number;
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

export function encodeSegmentHeader(header: Omit<SegmentHeader, 'seed' | 'format'>): { bytes: Buffer; seed: number } {
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

/**
 * Read a header. `empty`: only zeros, or shorter than a header: the file was created but never reached the disk; `later`: whole, and
 * of a format that a later version writes.
 */
export function decodeSegmentHeader(bytes: Buffer): SegmentHeader | 'empty' | 'damaged' | 'later' {
  if (bytes.length < SEGMENT_HEADER_BYTES || bytes.every((byte) => byte === 0)) return 'empty';
  const seed = bytes.readUInt32LE(60);
  if (!bytes.subarray(0, 8).equals(MAGIC) || crc32(bytes.subarray(0, 60)) !== seed) return 'damaged';
  const format = bytes.readUInt32LE(8);
  if (format > FORMAT) return 'later';
  if (format < 1) return 'damaged';
  return {
    format,
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

/** A frame found in a segment. */
export interface Frame {
  readonly number: number;
  readonly at: EpochMs;
  readonly recordCount: number;
  /** Its records: a slice of the read buffer. */
  readonly payload: Buffer;
  /** Where its group begins in the segment, and its payload behind that. */
  readonly offset: number;
  readonly payloadAt: number;
}

/** Frames found in a segment under one CRC. */
export interface FrameGroup {
  /** Where it begins in its segment, and how many bytes it has. */
  readonly offset: number;
  readonly length: number;
  readonly firstFrame: number;
  readonly lastFrame: number;
  readonly syncedUpTo: number;
  readonly frames: readonly Frame[];
}

/** How many bytes the group at `offset` of `bytes` has; less than 0: so many are needed to see it whole; 0: none is valid. */
export function groupLength(bytes: Buffer, offset: number, seed: number): number {
  if (offset + SINGLE_HEADER_BYTES > bytes.length) return -SINGLE_HEADER_BYTES;
  const marker = bytes.readUInt32LE(offset);
  if (marker !== GROUP_MARKER && marker !== SINGLE_MARKER) return 0;
  const length = bytes.readUInt32LE(offset + 8);
  if (length < SINGLE_HEADER_BYTES || length > GROUP_BYTES_MAX) return 0;
  if (offset + length > bytes.length) return -length;
  return crc32(bytes.subarray(offset + 8, offset + length), seed) === bytes.readUInt32LE(offset + 4) ? length : 0;
}

/**
 * True if the bytes at `offset` show that this segment, with its header, was on disk before they were written: they
 * look like a group after a sync. Without the header its CRC cannot be checked. `fileOffset` is its position.
 */
export function saysWasSynced(bytes: Buffer, offset: number, fileOffset: number): boolean {
  if (offset + SINGLE_HEADER_BYTES > bytes.length) return false;
  const marker = bytes.readUInt32LE(offset);
  if (marker !== GROUP_MARKER && marker !== SINGLE_MARKER) return false;
  const length = bytes.readUInt32LE(offset + 8);
  const syncedUpTo = bytes.readDoubleLE(offset + (marker === GROUP_MARKER ? 24 : 32));
  if (length < SINGLE_HEADER_BYTES || length > GROUP_BYTES_MAX || !Number.isInteger(syncedUpTo)) return false;
  return syncedUpTo > SEGMENT_HEADER_BYTES && syncedUpTo <= fileOffset;
}

/** Group at `offset` of `bytes`: itself, how many bytes are needed to see it whole, or null if there is no valid one. */
export function decodeGroup(
  bytes: Buffer,
  offset: number,
  fileOffset: number,
  seed: number,
): FrameGroup | number | null {
  const length = groupLength(bytes, offset, seed);
  if (length <= 0) return length === 0 ? null : -length;
  if (bytes.readUInt32LE(offset) === SINGLE_MARKER) return decodeSingle(bytes, offset, fileOffset, length);
  const firstFrame = bytes.readDoubleLE(offset + 16);
  const frames = decodeFrames(bytes, offset, fileOffset, firstFrame);
  if (frames === null) return null;
  const lastFrame = firstFrame + frames.length - 1;
  return { offset: fileOffset, length, firstFrame, lastFrame, syncedUpTo: bytes.readDoubleLE(offset + 24), frames };
}

/** Frames of a group, or null if they do not fill it. */
function decodeFrames(bytes: Buffer, offset: number, fileOffset: number, firstFrame: number): Frame[] | null {
  const end = offset + bytes.readUInt32LE(offset + 8);
  const count = bytes.readUInt32LE(offset + 12);
  const frames: Frame[] = [];
  let at = offset + GROUP_HEADER_BYTES;
  for (let k = 0; k < count; k++) {
    const start = at + FRAME_HEADER_BYTES;
    if (start > end) return null;
    const time = bytes.readDoubleLE(at);
    const recordCount = bytes.readUInt32LE(at + 8);
    at = start + bytes.readUInt32LE(at + 12);
    if (at > end) return null;
    const payload = bytes.subarray(start, at);
    frames.push({
      number: firstFrame + k,
      at: time,
      recordCount,
      payload,
      offset: fileOffset,
      payloadAt: start - offset,
    });
  }
  return at === end && count > 0 ? frames : null;
}

/** A frame of format 1 as a group of one. */
function decodeSingle(bytes: Buffer, offset: number, fileOffset: number, length: number): FrameGroup {
  const number = bytes.readDoubleLE(offset + 16);
  const frame: Frame = {
    number,
    at: bytes.readDoubleLE(offset + 24),
    recordCount: bytes.readUInt32LE(offset + 12),
    payload: bytes.subarray(offset + SINGLE_HEADER_BYTES, offset + length),
    offset: fileOffset,
    payloadAt: SINGLE_HEADER_BYTES,
  };
  const syncedUpTo = bytes.readDoubleLE(offset + 32);
  return { offset: fileOffset, length, firstFrame: number, lastFrame: number, syncedUpTo, frames: [frame] };
}
