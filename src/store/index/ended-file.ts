// The file in which a snapshot leaves the records of orders that ended: compressed together, some dozen at a time, which takes
// a fifth of the time that each by itself would. Leaves how they are found to ended-orders.ts.
//
//   file  = block · block · …   block = length 4 · CRC 4 · compressed records   record = length 4 · text
//
// A record is found by the offset of its block and its place in that, counted from 1. Place 0 is of older files: a block that
// is the text of one record and nothing else.

import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { CrossgateError } from '../../base/errors.ts';
import { giveToOwnerOfFolder } from '../folder.ts';
import { RecordReader, RecordWriter } from '../record-bytes.ts';

const BLOCK_HEADER_BYTES = 8;
/** A block of that size gets no more records: what is unpacked to find one. */
const BLOCK_BYTES_SOFT = 16_384;
/** A record is some kilobytes; a larger length in the file is damage. */
const BLOCK_BYTES_MAX = 33_554_432;

/** File of the records that a snapshot found ended. */
export function endedFileName(snapshot: number): string {
  return `orders-${snapshot.toString().padStart(8, '0')}.xgo`;
}

/** Takes ended orders while segments are folded: their records go to the file, their keys into memory. */
export class EndedFileWriter {
  /** Entries of a sorted file (sorted-file.ts), not sorted: fingerprint, number of this file, block, place in it. */
  readonly entries: number[] = [];
  readonly #path: string;
  readonly #file: number;
  readonly #block = new RecordWriter(2 * BLOCK_BYTES_SOFT);
  #fd: number | null = null;
  #offset = 0;

  constructor(directory: string, file: number) {
    this.#path = join(directory, endedFileName(file));
    this.#file = file;
  }

  note(): void {
    // Where the record lies in its segment is of no use: segments are archived, this file stays.
  }

  record(prints: Uint32Array, text: Uint8Array): void {
    const place = this.#block.length + 1;
    this.#block.raw(text);
    for (let k = 0; k < prints.length; k += 2) {
      this.entries.push(prints[k]!, prints[k + 1]!, this.#file, this.#offset, place);
    }
    if (this.#block.length >= BLOCK_BYTES_SOFT) this.#flush();
  }

  /** Write what is left, make all of it durable and close the file, if there is one. */
  finish(): void {
    try {
      if (this.#block.length > 0) this.#flush();
      if (this.#fd !== null) fsyncSync(this.#fd);
    } finally {
      if (this.#fd !== null) closeSync(this.#fd);
    }
  }

  #open(): number {
    const fd = openSync(this.#path, 'w', 0o600);
    giveToOwnerOfFolder(this.#path);
    return fd;
  }

  #flush(): void {
    this.#fd ??= this.#open();
    const packed = deflateRawSync(this.#block.bytes.subarray(0, this.#block.length), { level: 1 });
    const bytes = Buffer.allocUnsafe(BLOCK_HEADER_BYTES + packed.length);
    bytes.writeUInt32LE(packed.length, 0);
    bytes.writeUInt32LE(crc32(packed), 4);
    packed.copy(bytes, BLOCK_HEADER_BYTES);
    for (let done = 0; done < bytes.length; ) {
      done += writeSync(this.#fd, bytes, done, bytes.length - done, this.#offset + done);
    }
    this.#offset += bytes.length;
    this.#block.length = 0;
  }
}

/** Text of a record. @throws XG_JOURNAL_CORRUPT */
export function readEnded(directory: string, file: number, offset: number, place: number): string {
  const path = join(directory, endedFileName(file));
  const bytes = readBlock(path, offset);
  if (place === 0) return bytes.toString('utf8');
  const reader = new RecordReader(bytes, place - 1);
  return reader.text(reader.u32());
}

/** Fault of a file of ended orders, in words, or null. Reads every record. */
export function endedFileProblem(directory: string, file: number): string | null {
  const path = join(directory, endedFileName(file));
  try {
    const fd = openEnded(path);
    const { size } = fstatSync(fd);
    closeSync(fd);
    for (let offset = 0; offset < size; ) offset += BLOCK_HEADER_BYTES + readPacked(path, offset).length;
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function readBlock(path: string, offset: number): Buffer {
  return inflateRawSync(readPacked(path, offset));
}

function readPacked(path: string, offset: number): Buffer {
  const fd = openEnded(path);
  try {
    const head = Buffer.alloc(BLOCK_HEADER_BYTES);
    const headBytes = readSync(fd, head, 0, head.length, offset);
    const length = headBytes === head.length ? head.readUInt32LE(0) : 0;
    const packed = Buffer.alloc(Math.min(length, BLOCK_BYTES_MAX));
    const count = readSync(fd, packed, 0, packed.length, offset + BLOCK_HEADER_BYTES);
    if (length === 0 || count !== length || crc32(packed) !== head.readUInt32LE(4)) {
      throw unreadable(path, `the record of an ended order is damaged at offset ${offset}`);
    }
    return packed;
  } finally {
    closeSync(fd);
  }
}

function openEnded(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (cause) {
    const error = unreadable(path, `this file of ended orders cannot be read (${(cause as Error).message})`);
    error.cause = cause;
    throw error;
  }
}

function unreadable(path: string, what: string): CrossgateError {
  return new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${path}: ${what}. It is made from the segments: stop the gateway, run ` +
      '`crossgate store verify --rebuild`, and start again.',
  );
}
