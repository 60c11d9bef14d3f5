// Reads single records of segment files by their place, with the CRC of their group checked again: a resend and a look-up of
// an ended order trust nothing that they find.

import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Location } from '../index/outbound-index.ts';
import { RecordReader } from '../record-bytes.ts';
import { passOrderKeys } from '../record-codec.ts';
import { archivedPath } from '../snapshots/archive-files.ts';
import { decodeSegmentHeader, GROUP_BYTES_MAX, groupLength, SEGMENT_HEADER_BYTES, segmentFileName } from './segment.ts';
import { corrupt, foreign, misnamed } from './segment-reader.ts';

/** Bytes read at a time where neighbours in a series lie near each other. */
const READ_BYTES_MAX = 131_072;
/** Where they do not, because many sessions speak in between: most of what is read would be for nothing. */
const READ_BYTES_MIN = 8_192;

interface OpenSegment {
  readonly segment: number;
  readonly path: string;
  /** Null of a segment of the archive: all of it was read, and is the window. */
  readonly fd: number | null;
  readonly seed: number;
}

/** One open segment and a window on it; use it for one request and close it. */
export class FrameReader {
  readonly #directory: string;
  readonly #journalId: string | null;
  #readBytes = READ_BYTES_MIN;
  #open: OpenSegment | null = null;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  /** The group read last, and its length: records of a series follow each other. */
  #group = 0;
  #groupBytes = 0;

  /** @param journalId the journal that these segments must belong to; null if already checked */
  constructor(directory: string, journalId: string | null = null) {
    this.#directory = directory;
    this.#journalId = journalId;
  }

  /** A reader at the kind byte of a record, and the path for messages. @throws XG_JOURNAL_CORRUPT */
  record({ segment, group, record }: Location): { reader: RecordReader; path: string } {
    const open = this.#segment(segment);
    if (this.#group !== group) {
      this.#groupBytes = this.#read(open, group);
      this.#group = group;
    }
    const start = group - this.#start;
    const bytes = this.#bytes.subarray(start, start + this.#groupBytes);
    return { reader: new RecordReader(bytes, record), path: open.path };
  }

  /** Text of the order record at a place, as its bytes. @throws XG_JOURNAL_CORRUPT */
  orderText(place: Location): Buffer {
    const { reader } = this.record(place);
    passOrderKeys(reader);
    return reader.raw();
  }

  close(): void {
    if (this.#open !== null && this.#open.fd !== null) closeSync(this.#open.fd);
    this.#open = null;
    this.#bytes = Buffer.alloc(0);
    this.#group = 0;
  }

  #segment(segment: number): OpenSegment {
    if (this.#open?.segment === segment) return this.#open;
    this.close();
    const path = join(this.#directory, segmentFileName(segment));
    const fd = openIfThere(path);
    if (fd === null) return this.#archived(segment);
    try {
      const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
      const header = decodeSegmentHeader(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)));
      this.#open = { segment, path, fd, seed: this.#seedOf(header, segment, path) };
      return this.#open;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  #archived(segment: number): OpenSegment {
    const path = archivedPath(this.#directory, segment);
    const bytes = unpacked(path);
    const seed = this.#seedOf(decodeSegmentHeader(bytes.subarray(0, SEGMENT_HEADER_BYTES)), segment, path);
    this.#bytes = bytes;
    this.#start = 0;
    this.#open = { segment, path, fd: null, seed };
    return this.#open;
  }

  /** @throws XG_JOURNAL_CORRUPT of a file that is not the segment that its name says, or of another journal */
  #seedOf(header: ReturnType<typeof decodeSegmentHeader>, segment: number, path: string): number {
    if (typeof header === 'string') throw corrupt(path, 0, 'the header of this segment is damaged');
    if (header.segment !== segment) throw misnamed(path, header.segment);
    if (this.#journalId !== null && header.journalId !== this.#journalId) throw foreign(path);
    return header.seed;
  }

  /** Have a group in the window; its length. */
  #read({ path, fd, seed }: OpenSegment, offset: number): number {
    const inWindow = offset >= this.#start && offset < this.#start + this.#bytes.length;
    let length = inWindow ? groupLength(this.#bytes, offset - this.#start, seed) : -SEGMENT_HEADER_BYTES;
    if (length < 0) {
      const behind = offset - this.#start - this.#bytes.length;
      const isNear = behind < this.#readBytes && behind > -this.#bytes.length;
      this.#readBytes = isNear ? Math.min(2 * this.#readBytes, READ_BYTES_MAX) : READ_BYTES_MIN;
    }
    for (let wanted = this.#readBytes; length < 0 && fd !== null; ) {
      wanted = Math.max(wanted, -length);
      this.#bytes = Buffer.allocUnsafe(wanted);
      this.#start = offset;
      const count = readSync(fd, this.#bytes, 0, wanted, offset);
      this.#bytes = this.#bytes.subarray(0, count);
      length = groupLength(this.#bytes, 0, seed);
      // At the end of the file, or beyond any group, there is nothing more to see.
      if (length < 0 && (-length <= count || count < wanted || -length > GROUP_BYTES_MAX)) length = 0;
    }
    if (length <= 0) throw corrupt(path, offset, 'a frame is damaged');
    return length;
  }
}

function openIfThere(path: string): number | null {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return null;
  }
}

function unpacked(path: string): Buffer {
  try {
    return gunzipSync(readFileSync(path));
  } catch (cause) {
    const error = corrupt(path, 0, `this segment is not in the journal, and cannot be unpacked from its archive`);
    error.cause = cause;
    throw error;
  }
}
