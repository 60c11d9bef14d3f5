// Reads the frames of one segment file, in blocks, and judges what lies behind the last good one.
// Never changes a file. Leaves the order of segments to block-reader.ts and records to record-codec.ts.

import { open, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { CrossgateError } from '../../base/errors.ts';
import {
  decodeGroup,
  decodeSegmentHeader,
  type Frame,
  type FrameGroup,
  MARKER_START,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  saysWasSynced,
  segmentFileName,
} from './segment.ts';

const BLOCK_BYTES = 1_048_576;
/** More than what a group begins with: blocks overlap by so much, so that none is cut. */
const GROUP_HEAD_BYTES = 64;

/** Content after the last good frame of the newest segment. */
export interface Tail {
  /** Nothing but zeros, or the end of the file. */
  readonly clean: boolean;
  /** Good frames behind the damage; they were never durable, so they go with it. */
  readonly framesBehind: number;
  /** A good frame behind the damage that proves that the damaged bytes were once on disk: its offset, or null. */
  readonly provenBy: number | null;
}

/** Build the error for a damaged journal: it names file and offset, and says what to do. */
export function corrupt(path: string, offset: number, what: string): CrossgateError {
  return new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${path}: ${what} at offset ${offset}. Records behind it may be missing, so no session may go on from here: ` +
      'run `crossgate store verify` to see all that is damaged, keep a copy of the whole journal directory, put the file ' +
      'back from a backup or replica, and start again; ' +
      'without one, reconcile with counterparties and exchange before starting on an empty journal directory.',
  );
}

function ofLaterVersion(path: string): CrossgateError {
  return new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${path}: a later version of Crossgate wrote this segment, and this one cannot read it: start that version again; nothing was changed`,
  );
}

/** Never skipped: no record is lost if files stand under each other's names. */
export function misnamed(path: string, segment: number): CrossgateError {
  const name = segmentFileName(segment);
  return new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${path}: this is the segment that belongs into ${name}, by its header: it was renamed, or copied over another one; nothing was changed. ` +
      'Give each file its own name again, put one that was written over back from a backup or replica, and start again.',
  );
}

/** Never skipped: the right one of them cannot be known. */
export function foreign(path: string): CrossgateError {
  return new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${path}: this segment belongs to another journal than the files before it: it, or they, were copied here from elsewhere; nothing was changed. ` +
      'Remove files of other journals, put its own files back from a backup or replica, and start again.',
  );
}

/** Source of a segment: a file, or the unpacked content of one in the archive. */
interface Source {
  read(bytes: Buffer, length: number, position: number): Promise<number>;
  close(): Promise<void>;
}

/** The system's error of an open file, with the file's name. */
function named(error: unknown, path: string): unknown {
  if (error instanceof Error) error.message += ` '${path}'`;
  return Object.assign(error as object, { path });
}

async function fileSource(path: string): Promise<Source> {
  const handle = await open(path, 'r');
  return {
    // Short only at the end of the file: that is what the reader takes for it.
    read: async (bytes, length, position) => {
      let done = 0;
      try {
        while (done < length) {
          const { bytesRead } = await handle.read(bytes, done, length - done, position + done);
          if (bytesRead === 0) break;
          done += bytesRead;
        }
      } catch (error) {
        throw named(error, path);
      }
      return done;
    },
    close: () => handle.close(),
  };
}

/** Unpack an archived segment. @throws XG_JOURNAL_CORRUPT */
export async function unpack(path: string): Promise<Buffer> {
  try {
    return await promisify(gunzip)(await readFile(path));
  } catch (cause) {
    const error = corrupt(path, 0, `this archived segment cannot be unpacked (${(cause as Error).message})`);
    error.cause = cause;
    throw error;
  }
}

async function archivedSource(path: string): Promise<Source> {
  const content = await unpack(path);
  return {
    read: async (bytes, length, position) =>
      content.copy(bytes, 0, Math.min(content.length, position), Math.min(content.length, position + length)),
    close: async () => {},
  };
}

export class SegmentReader {
  readonly path: string;
  readonly header: SegmentHeader;
  readonly #source: Source;
  #position = SEGMENT_HEADER_BYTES;
  #limit: number;
  #stopped = false;

  private constructor(path: string, header: SegmentHeader, source: Source) {
    this.path = path;
    this.header = header;
    this.#source = source;
    this.#limit = Number.POSITIVE_INFINITY;
  }

  /** Open a segment. `empty` if the file was created but its header never written. @throws XG_JOURNAL_CORRUPT */
  static async open(path: string): Promise<SegmentReader | 'empty'> {
    return await SegmentReader.#from(path, await fileSource(path));
  }

  /** Open a segment of the archive. @throws XG_JOURNAL_CORRUPT */
  static async openArchived(path: string): Promise<SegmentReader | 'empty'> {
    return await SegmentReader.#from(path, await archivedSource(path));
  }

  static async #from(path: string, source: Source): Promise<SegmentReader | 'empty'> {
    try {
      const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
      const bytesRead = await source.read(bytes, SEGMENT_HEADER_BYTES, 0);
      const header = decodeSegmentHeader(bytes.subarray(0, bytesRead));
      if (header === 'damaged') throw corrupt(path, 0, 'the header of this segment is damaged');
      if (header === 'later') throw ofLaterVersion(path);
      if (header !== 'empty') return new SegmentReader(path, header, source);
    } catch (error) {
      await source.close();
      throw error;
    }
    await source.close();
    return 'empty';
  }

  /** Offset behind the last good frame read so far. */
  get position(): number {
    return this.#position;
  }

  /** Begin at a frame in the middle. */
  seek(position: number): void {
    this.#position = position;
  }

  /** Frames end here, whatever lies behind: the next segment says so. */
  limitTo(end: number): void {
    this.#limit = end;
  }

  /** Look again behind `position`: the owner of a live journal may have written on. */
  resume(): void {
    this.#stopped = false;
  }

  /** Frames of the next block, or null when no valid frame follows. Their payloads stay valid. */
  async nextFrames(): Promise<Frame[] | null> {
    let wanted = BLOCK_BYTES;
    while (!this.#stopped) {
      const block = Buffer.allocUnsafe(Math.min(wanted, this.#limit - this.#position));
      const bytesRead = await this.#source.read(block, block.length, this.#position);
      const bytes = block.subarray(0, bytesRead);
      const frames: Frame[] = [];
      let offset = 0;
      let more = 0;
      while (offset < bytesRead) {
        const group = decodeGroup(bytes, offset, this.#position + offset, this.header.seed);
        if (group === null) {
          this.#stopped = true;
          break;
        }
        if (typeof group === 'number') {
          more = group;
          break;
        }
        for (const frame of group.frames) frames.push(frame);
        offset += group.length;
      }
      this.#position += offset;
      // A short read is the end of the file: a group that wants more than that is torn.
      if (bytesRead < block.length || block.length === 0 || (more > 0 && this.#position + more > this.#limit)) {
        this.#stopped = true;
      }
      if (frames.length > 0) return frames;
      wanted = Math.max(BLOCK_BYTES, more);
    }
    return null;
  }

  /**
   * The first whole group after `position` with frames that begin at `fromNumber` or later; null if there is none. A
   * group inside the bytes of a message cannot be mistaken for it: its numbers were used before, or its seed is another
   * segment's.
   */
  async nextWhole(fromNumber: number): Promise<FrameGroup | null> {
    let position = this.#position;
    let wanted = BLOCK_BYTES;
    for (;;) {
      const block = Buffer.allocUnsafe(Math.min(wanted, this.#limit - position));
      const bytesRead = await this.#source.read(block, block.length, position);
      const bytes = block.subarray(0, bytesRead);
      let more = 0;
      let offset = bytes.indexOf(MARKER_START);
      for (; offset !== -1; offset = bytes.indexOf(MARKER_START, offset + 1)) {
        const group = decodeGroup(bytes, offset, position + offset, this.header.seed);
        if (typeof group === 'number') {
          // It may be cut by the end of what was read: begin there once more, unless nothing more comes.
          if (bytesRead < wanted || offset === 0) continue;
          more = group;
          break;
        }
        if (group !== null && group.firstFrame >= fromNumber) return group;
      }
      if (bytesRead < wanted) return null;
      position += more > 0 ? offset : bytesRead - MARKER_START.length + 1;
      wanted = Math.max(BLOCK_BYTES, more);
    }
  }

  /** Judge what lies behind `position`. */
  async tail(): Promise<Tail> {
    let clean = true;
    let framesBehind = 0;
    let provenBy: number | null = null;
    const from = this.#position;
    let position = from;
    let wanted = BLOCK_BYTES;
    for (;;) {
      const block = Buffer.allocUnsafe(wanted);
      const bytesRead = await this.#source.read(block, wanted, position);
      const bytes = block.subarray(0, bytesRead);
      if (clean && !isZero(bytes)) clean = false;
      let offset = clean ? -1 : bytes.indexOf(MARKER_START);
      let more = 0;
      while (offset !== -1) {
        const group = decodeGroup(bytes, offset, position + offset, this.header.seed);
        if (typeof group === 'number' && bytesRead === wanted && offset > 0) {
          more = group;
          break;
        }
        if (group !== null && typeof group !== 'number') {
          framesBehind += group.frames.length;
          if (group.syncedUpTo > from) provenBy ??= group.offset;
        }
        offset = bytes.indexOf(MARKER_START, offset + 1);
      }
      if (bytesRead < wanted) return { clean, framesBehind, provenBy };
      // Begin the next block at the group that was cut, or so that a marker across the edge is seen.
      position += more > 0 ? offset : bytesRead - MARKER_START.length + 1;
      wanted = Math.max(BLOCK_BYTES, more);
    }
  }

  async close(): Promise<void> {
    await this.#source.close();
  }
}

/** Offset of a frame that says that this segment, which has no header, was on disk with one; null if there is none. */
export async function frameWithoutHeader(path: string): Promise<number | null> {
  const source = await fileSource(path);
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES);
    for (let position = 0; ; position += BLOCK_BYTES - GROUP_HEAD_BYTES) {
      const bytesRead = await source.read(block, block.length, position);
      const bytes = block.subarray(0, bytesRead);
      for (let at = bytes.indexOf(MARKER_START); at !== -1; at = bytes.indexOf(MARKER_START, at + 1)) {
        if (saysWasSynced(bytes, at, position + at)) return position + at;
      }
      if (bytesRead < block.length) return null;
    }
  } finally {
    await source.close();
  }
}

const ZEROS = Buffer.alloc(BLOCK_BYTES);

function isZero(bytes: Buffer): boolean {
  for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
    const part = bytes.subarray(at, at + BLOCK_BYTES);
    if (!part.equals(ZEROS.subarray(0, part.length))) return false;
  }
  return true;
}
