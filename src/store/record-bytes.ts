// Bytes of journal records: a growing buffer to encode into and a reader over the payload of a frame, little-endian.
// Leaves to record-codec.ts which fields a record has.

import { assert } from '../base/assert.ts';

const SHORT_TEXT_BYTES_MAX = 0xffff;
/** 84 characters have at most 252 bytes of UTF-8: 255 is free to mean a long one. */
export const TINY_TEXT_ESCAPE = 0xff;

function viewOf(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A growing buffer that records are encoded into, one after another. */
export class RecordWriter {
  bytes: Buffer;
  length = 0;
  /** The same bytes: its setters are single instructions, those of a Buffer are calls with checks. */
  view: DataView;
  /** Position of the kind byte of a message's or an order's last record: readers begin there. */
  recordStart = 0;
  /** Number of the session that was written last. */
  session = 0;

  constructor(initialBytes: number) {
    this.bytes = Buffer.allocUnsafeSlow(initialBytes);
    this.view = viewOf(this.bytes);
  }

  /** Make room for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(needed, this.bytes.length * 2));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
    this.view = viewOf(grown);
  }

  u8(value: number): void {
    this.bytes[this.length++] = value;
  }

  u16(value: number): void {
    this.view.setUint16(this.length, value, true);
    this.length += 2;
  }

  u32(value: number): void {
    this.view.setUint32(this.length, value, true);
    this.length += 4;
  }

  f64(value: number): void {
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  /** Write over what stands at `position`. */
  putU32(value: number, position: number): void {
    this.view.setUint32(position, value, true);
  }

  putF64(value: number, position: number): void {
    this.view.setFloat64(position, value, true);
  }

  /** Text that is nearly always short (MsgType): one byte of length, or 255 and four bytes. */
  tinyText(text: string): void {
    if (text.length > 84) {
      this.reserve(1);
      this.u8(TINY_TEXT_ESCAPE);
      this.longText(text);
      return;
    }
    this.reserve(1 + text.length * 3);
    const count = this.bytes.write(text, this.length + 1);
    this.bytes[this.length] = count;
    this.length += 1 + count;
  }

  /** Text of at most 65,535 bytes: names and short sentences. */
  shortText(text: string): void {
    this.reserve(2 + text.length * 3);
    const count = this.bytes.write(text, this.length + 2);
    assert(count <= SHORT_TEXT_BYTES_MAX, 'a short text of a journal record has at most 65,535 bytes');
    this.u16(count);
    this.length += count;
  }

  longText(text: string): void {
    this.reserve(4 + text.length * 3);
    const count = this.bytes.write(text, this.length + 4);
    this.u32(count);
    this.length += count;
  }

  raw(bytes: Uint8Array): void {
    this.reserve(4 + bytes.length);
    this.u32(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }
}

/** Reads records off the payload of one frame. Every read past its end throws RangeError. */
export class RecordReader {
  readonly #bytes: Buffer;
  position: number;
  /** Where the kind byte of the record decoded last stands. */
  recordStart = 0;

  constructor(bytes: Buffer, position = 0) {
    this.#bytes = bytes;
    this.position = position;
  }

  get atEnd(): boolean {
    return this.position >= this.#bytes.length;
  }

  u8(): number {
    const value = this.#bytes.readUInt8(this.position);
    this.position += 1;
    return value;
  }

  u16(): number {
    const value = this.#bytes.readUInt16LE(this.position);
    this.position += 2;
    return value;
  }

  u32(): number {
    const value = this.#bytes.readUInt32LE(this.position);
    this.position += 4;
    return value;
  }

  f64(): number {
    const value = this.#bytes.readDoubleLE(this.position);
    this.position += 8;
    return value;
  }

  #take(count: number): number {
    const start = this.position;
    if (start + count > this.#bytes.length) throw new RangeError('a journal record is longer than its frame');
    this.position = start + count;
    return start;
  }

  /** Go on behind so many bytes. */
  pass(count: number): void {
    this.#take(count);
  }

  text(count: number): string {
    const start = this.#take(count);
    return this.#bytes.toString('utf8', start, start + count);
  }

  tinyText(): string {
    const count = this.u8();
    return this.text(count === TINY_TEXT_ESCAPE ? this.u32() : count);
  }

  /** A slice of the frame, not a copy. */
  raw(): Buffer {
    const count = this.u32();
    const start = this.#take(count);
    return this.#bytes.subarray(start, start + count);
  }
}
