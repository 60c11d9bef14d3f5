// Reads single records of segment files by their place, with the CRC of their group checked again: a resend and a look-up of
// an ended order trust nothing that they find.

import { closeSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Location } from './outbound-index.ts';
import { RecordReader } from './record-bytes.ts';
import { decodeOrderKeys } from './record-codec.ts';
import {
  decodeGroup,
  decodeSegmentHeader,
  type FrameGroup,
  GROUP_BYTES_MAX,
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
  /** The group read last: records of a series follow each other. */
  #group: FrameGroup | null = null;

  constructor(directory: string, readBytes = READ_BYTES) {
    this.#directory = directory;
    this.#readBytes = readBytes;
  }

  /** A reader at the kind byte of a record, and the path for messages. @throws XG_JOURNAL_CORRUPT */
  record({ segment, group, record }: Location): { reader: RecordReader; path: string } {
    const open = this.#segment(segment);
    if (this.#group?.offset !== group) this.#group = this.#read(open, group);
    const start = group - this.#start;
    const bytes = this.#bytes.subarray(start, start + this.#group.length);
    return { reader: new RecordReader(bytes, record), path: open.path };
  }

  /** Text of the order record at a place. @throws XG_JOURNAL_CORRUPT */
  orderText(place: Location): string {
    const { reader } = this.record(place);
    decodeOrderKeys(reader);
    return reader.text(reader.u32());
  }

  close(): void {
    if (this.#open !== null) closeSync(this.#open.fd);
    this.#open = null;
    this.#bytes = Buffer.alloc(0);
    this.#group = null;
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

  #read({ path, fd, seed }: OpenSegment, offset: number): FrameGroup {
    const inWindow = offset >= this.#start && offset < this.#start + this.#bytes.length;
    let group = inWindow ? decodeGroup(this.#bytes, offset - this.#start, offset, seed) : this.#readBytes;
    for (let wanted = this.#readBytes; typeof group === 'number'; ) {
      wanted = Math.max(wanted, group);
      this.#bytes = Buffer.allocUnsafe(wanted);
      this.#start = offset;
      const count = readSync(fd, this.#bytes, 0, wanted, offset);
      this.#bytes = this.#bytes.subarray(0, count);
      group = decodeGroup(this.#bytes, 0, offset, seed);
      // A number is how much more it wants: at the end of the file, or beyond any group, there is none.
      if (typeof group === 'number' && (group <= count || count < wanted || group > GROUP_BYTES_MAX)) group = null;
    }
    if (group === null) throw corrupt(path, offset, 'a frame is damaged');
    return group;
  }
}
