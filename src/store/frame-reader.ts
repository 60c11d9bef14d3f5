// Reads single frames of segment files by their place, with their CRC checked again: a resend and a look-up of an ended
// order trust nothing that they find.

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Location } from './outbound-index.ts';
import { RecordReader } from './record-bytes.ts';
import {
  decodeFrame,
  decodeSegmentHeader,
  FRAME_BYTES_MAX,
  FRAME_HEADER_BYTES,
  type Frame,
  SEGMENT_HEADER_BYTES,
  segmentFileName,
} from './segment.ts';
import { corrupt } from './segment-reader.ts';

/** Bytes read at a time: neighbours in a series lie near each other. */
const READ_BYTES = 131_072;

interface OpenSegment {
  readonly segment: number;
  readonly path: string;
  readonly fd: number;
  readonly seed: number;
}

/** One open segment and a window on it; use it for one request and close it. */
export class FrameReader {
  readonly #directory: string;
  readonly #readBytes: number;
  #open: OpenSegment | null = null;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;

  constructor(directory: string, readBytes = READ_BYTES) {
    this.#directory = directory;
    this.#readBytes = readBytes;
  }

  /** A reader at the kind byte of a record, and the path for messages. @throws XG_JOURNAL_CORRUPT */
  record({ segment, frame, record }: Location): { reader: RecordReader; path: string } {
    const open = this.#segment(segment);
    const { payload } = this.#frame(open, frame);
    return { reader: new RecordReader(payload, record - FRAME_HEADER_BYTES), path: open.path };
  }

  close(): void {
    if (this.#open !== null) closeSync(this.#open.fd);
    this.#open = null;
    this.#bytes = Buffer.alloc(0);
  }

  #segment(segment: number): OpenSegment {
    if (this.#open?.segment === segment) return this.#open;
    this.close();
    const path = join(this.#directory, segmentFileName(segment));
    const fd = openSync(path, 'r');
    try {
      const bytes = Buffer.alloc(SEGMENT_HEADER_BYTES);
      const header = decodeSegmentHeader(bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)));
      if (typeof header === 'string') throw corrupt(path, 0, 'the header of this segment is damaged');
      this.#open = { segment, path, fd, seed: header.seed };
      return this.#open;
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  #frame({ path, fd, seed }: OpenSegment, offset: number): Frame {
    const inWindow = offset >= this.#start && offset < this.#start + this.#bytes.length;
    let frame = inWindow ? decodeFrame(this.#bytes, offset - this.#start, offset, seed) : this.#readBytes;
    for (let wanted = this.#readBytes; typeof frame === 'number'; ) {
      wanted = Math.max(wanted, frame);
      this.#bytes = Buffer.allocUnsafe(wanted);
      this.#start = offset;
      const count = readSync(fd, this.#bytes, 0, wanted, offset);
      this.#bytes = this.#bytes.subarray(0, count);
      frame = decodeFrame(this.#bytes, 0, offset, seed);
      // A number is how much more it wants: at the end of the file, or beyond any frame, there is none.
      if (typeof frame === 'number' && (frame <= count || count < wanted || frame > FRAME_BYTES_MAX)) frame = null;
    }
    if (frame === null) throw corrupt(path, offset, 'a frame is damaged');
    return frame;
  }
}
