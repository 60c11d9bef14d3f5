// Fields as bytes, one after the other, written when they are added, with the sum of the bytes on the way.
// Leaves which fields a message has to draft.ts, and the frame around them to frame-writer.ts.

import { assert } from '../base/assert.ts';
import type { Decimal } from '../base/decimal.ts';
import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';
import type { DataFields } from './data-field.ts';
import { DECIMAL_BYTES_MAX, DECIMALS_MAX, digitsOf, writeDecimal, writeNumber } from './digits.ts';
import { latin1 } from './latin1.ts';
import { hasRendered, writeTime } from './time-bytes.ts';

// Not imported from elsewhere: the compiler takes a constant of its own module for one, an imported one for a variable.
const SOH = 0x01;
const EQUALS = 0x3d;
const ZERO = 0x30;
const POINT = 0x2e;
const QUESTION_MARK = 0x3f;
const BILLION = 1_000_000_000;
/** Most digits after the point of a decimal that is written without a call. */
const SMALL_DECIMALS_MAX = 8;
/** Tag, `=` and SOH of a field; no tag of an Int32 has more digits. */
const FIELD_BYTES = 12;
/** A UTCTimestamp with milliseconds. */
const TIME_BYTES = 21;
/** `10=ddd` and SOH, for which every region has room behind its fields. */
const TRAILER_BYTES = 7;
/** Most room that is left before the fields of every message for a header. */
const HEADER_BYTES_MAX = 192;
type BufferOverMemory = new (memory: ArrayBufferLike, from: number, length: number) => Buffer;
/** How Node makes a buffer over memory, without the looks at its arguments that `Buffer.from` and `subarray` begin with. */
const BufferOver = (Buffer as unknown as { readonly [Symbol.species]: BufferOverMemory })[Symbol.species];
/** Slab space that a message reserves until it is a frame; the frame returns the unused rest. */
const REGION_BYTES = 1024;
/** Frames are written one after the other into slabs of this size: a new buffer for each would cost more than writing it. */
const SLAB_BYTES = 32_768;

/** Digits of every tag of at most four, the first in the lowest byte: one look instead of divisions. */
const TAGS_END = 10_000;
const TAG_DIGITS = new Int32Array(TAGS_END);
const TAG_LENGTHS = new Uint8Array(TAGS_END);
/** Nine digits: no engine reads more. */
const TAG_MAX = 999_999_999;
/**
 * Fields of header and trailer that every message has once, written with its number and time: BeginString(8) to
 * LastMsgSeqNumProcessed(369).
 */
const OF_FRAME: readonly number[] = [8, 9, 10, 34, 35, 43, 49, 52, 56, 122, 369];
/** The sum of these, `=` and SOH; 0 for those of a frame, which are looked at more closely. */
const TAG_SUMS = new Uint16Array(TAGS_END);
for (let tag = 1; tag < TAGS_END; tag++) {
  TAG_SUMS[tag] = EQUALS + SOH;
  for (let rest = tag; rest > 0; rest = Math.floor(rest / 10)) {
    const digit = ZERO + (rest % 10);
    TAG_DIGITS[tag] = (TAG_DIGITS[tag]! << 8) | digit;
    TAG_LENGTHS[tag]! += 1;
    TAG_SUMS[tag]! += digit;
  }
}
/** The same, with those of a frame. */
const FRAME_SUMS = TAG_SUMS.slice();
for (const tag of OF_FRAME) TAG_SUMS[tag] = 0;

/**
 * A number of this many digits, at most nine, times this has its first digit above the lower 28 bits and the others as the
 * fraction below. With one added it is never too small, and by less than a digit too large: ten to the eighth is below 2^28.
 */
const FIRST_DIGIT_UP = Float64Array.from({ length: 10 }, (_, digits) => 2 ** 28 / 10 ** (digits - 1));

/** Where the next message is written: a slab from its beginning to its end, as `Buffer.allocUnsafe` does it, then another. */
class Slabs {
  slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  view = viewOver(this.slab);
  memory = this.slab.buffer;
  free = 0;
  /** Room before the fields: no more than the headers of this process need, since memory passed over is collected too. */
  headerBytes = 64;

  renew(): void {
    this.slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
    this.view = viewOver(this.slab);
    this.memory = this.slab.buffer;
    this.free = 0;
  }
}
const slabs = new Slabs();

/** A value with characters that are not written as they are (NUL, SOH, those without a byte), or that a character set may change. */
interface OddValue {
  readonly tag: number;
  readonly value: string;
  /** Where it begins, from the first field on. */
  readonly offset: number;
  /** Its characters are bytes already. */
  readonly isBytes: boolean;
}

/** A field as it was added. */
export interface AddedField {
  readonly tag: number;
  readonly value: string;
  /** The value is text that a character set makes bytes of; else it is bytes. */
  readonly isText: boolean;
}

/**
 * Fields in a region of memory of their own. Values are written one byte per character (latin1); a character that has no
 * byte, NUL, and SOH outside data fields become `?`: a value can never forge a field. A field with an empty value is left
 * out, since FIX has none.
 */
export class FieldBytes {
  /** Bytes [origin, limit + trailer) of the slab are this object's; its fields are [start, end). A limit of -1: to be moved. */
  slab: Buffer;
  view: DataView;
  private memory: ArrayBufferLike;
  origin: number;
  start: number;
  end: number;
  protected limit: number;
  /** Sum of the bytes of the fields. */
  sum = 0;
  private odd: OddValue[] | null = null;

  /** @param of what it takes over as it is now, with the memory; what is added to that from then on is written elsewhere */
  constructor(of: FieldBytes | null = null) {
    if (of !== null) {
      this.slab = of.slab;
      this.view = of.view;
      this.memory = of.memory;
      this.origin = of.origin;
      this.start = of.start;
      this.end = of.end;
      this.limit = of.limit;
      this.sum = of.sum;
      this.odd = of.odd === null ? null : [...of.odd];
      of.limit = -1;
      return;
    }
    if (slabs.free + REGION_BYTES > SLAB_BYTES) slabs.renew();
    const { slab, view, memory, free } = slabs;
    slabs.free = free + REGION_BYTES;
    this.slab = slab;
    this.view = view;
    this.memory = memory;
    this.origin = free;
    this.start = free + slabs.headerBytes;
    this.end = this.start;
    this.limit = free + REGION_BYTES - TRAILER_BYTES;
  }

  /**
   * Append a field. The value is written as it is, one byte per character; a Buffer as its bytes.
   * @throws AssertionError for a tag that is none
   */
  add(tag: number, value: string | Buffer): this {
    if (typeof value !== 'string') return this.addOdd(tag, value as unknown as string);
    const { slab } = this;
    const { length } = value;
    // Not above 0: also what is no text, and has no length.
    if (
      this.end + FIELD_BYTES + length > this.limit ||
      !(tag > 0 && tag < TAGS_END && TAG_SUMS[tag]! > 0) ||
      !(length > 0)
    ) {
      return this.addOdd(tag, value);
    }
    // Most of a message's time goes here: `| 0` says that no number leaves 32 bits.
    let at = writeTag(slab, this.end | 0, tag) | 0;
    let sum = (this.sum + TAG_SUMS[tag]!) | 0;
    for (let k = 0; k < length; k = (k + 1) | 0) {
      const c = value.charCodeAt(k);
      // Below 2 or above 127, in one comparison.
      if ((c - 2) >>> 0 > 0x7d) return this.addOdd(tag, value);
      slab[at] = c;
      sum = (sum + c) | 0;
      at = (at + 1) | 0;
    }
    slab[at] = SOH;
    this.end = (at + 1) | 0;
    this.sum = sum;
    return this;
  }

  /** The same as `add`, for header fields that every frame has once. */
  addOfFrame(tag: number, value: string): this {
    const { slab } = this;
    const { length } = value;
    if (this.end + FIELD_BYTES + length > this.limit || !(tag > 0 && tag < TAGS_END) || !(length > 0)) {
      return this.addOdd(tag, value);
    }
    let at = writeTag(slab, this.end | 0, tag) | 0;
    let sum = (this.sum + FRAME_SUMS[tag]!) | 0;
    for (let k = 0; k < length; k = (k + 1) | 0) {
      const c = value.charCodeAt(k);
      if ((c - 2) >>> 0 > 0x7d) return this.addOdd(tag, value);
      slab[at] = c;
      sum = (sum + c) | 0;
      at = (at + 1) | 0;
    }
    slab[at] = SOH;
    this.end = (at + 1) | 0;
    this.sum = sum;
    return this;
  }

  /** Append a field with the value at [from, to) of `bytes`, without making a string of it. */
  addBytes(tag: number, bytes: Buffer, from: number, to: number): this {
    const { slab } = this;
    if (
      this.end + FIELD_BYTES + to - from > this.limit ||
      !(tag > 0 && tag < TAGS_END && TAG_SUMS[tag]! > 0) ||
      to === from
    ) {
      return this.addOdd(tag, latin1(bytes, from, to), true);
    }
    let at = writeTag(slab, this.end | 0, tag) | 0;
    let sum = (this.sum + TAG_SUMS[tag]!) | 0;
    for (let k = from | 0; k < to; k = (k + 1) | 0) {
      const c = bytes[k]!;
      if (c <= SOH) return this.addOdd(tag, latin1(bytes, from, to), true);
      slab[at] = c;
      sum = (sum + c) | 0;
      at = (at + 1) | 0;
    }
    slab[at] = SOH;
    this.end = (at + 1) | 0;
    this.sum = sum;
    return this;
  }

  /** Append all fields of another, as they are; those stay as they are. */
  append(of: FieldBytes): this {
    const length = of.end - of.start;
    this.reserve(length);
    // A value that a character set may change is known by its place.
    if (of.odd !== null) {
      const shift = this.end - this.start;
      this.odd = [...(this.odd ?? []), ...of.odd.map((one) => ({ ...one, offset: one.offset + shift }))];
    }
    of.slab.copy(this.slab, this.end, of.start, of.end);
    this.end += length;
    this.sum = (this.sum + of.sum) | 0;
    return this;
  }

  /** Append a field without a value, which FIX does not have: what a counterparty is to get back as it sent it. */
  addEmpty(tag: number): this {
    this.assertTag(tag);
    this.reserve(FIELD_BYTES);
    const { slab } = this;
    const at = writeNumber(slab, this.end, tag);
    slab[at] = EQUALS;
    slab[at + 1] = SOH;
    this.sum = (this.sum + sumOf(slab, this.end, at + 2)) | 0;
    this.end = at + 2;
    return this;
  }

  /** Append a decimal as `toString` has it, without making that string. */
  addDecimal(tag: number, value: Decimal): this {
    const { safeCoefficient: coefficient, scale } = value;
    if (
      this.end + FIELD_BYTES + DECIMAL_BYTES_MAX > this.limit ||
      !(tag > 0 && tag < TAGS_END && TAG_SUMS[tag]! > 0) ||
      // NaN fails too.
      !(coefficient >= 0 && coefficient < BILLION) ||
      scale > SMALL_DECIMALS_MAX
    ) {
      return this.addLongDecimal(tag, value);
    }
    const { slab } = this;
    const at = writeTag(slab, this.end | 0, tag) | 0;
    let sum = (this.sum + TAG_SUMS[tag]!) | 0;
    let digits = digitsOf(coefficient | 0);
    if (digits <= scale) digits = (scale + 1) | 0;
    // Each next digit comes up by a multiplication: a division for each took half as long again.
    let fraction = (coefficient * FIRST_DIGIT_UP[digits]! + 1) | 0;
    const point = (at + digits - scale) | 0;
    let k = at;
    for (; k < point; k = (k + 1) | 0) {
      const digit = (ZERO + (fraction >>> 28)) | 0;
      slab[k] = digit;
      sum = (sum + digit) | 0;
      fraction = Math.imul(fraction & 0xfff_ffff, 10);
    }
    if (scale !== 0) {
      slab[k] = POINT;
      sum = (sum + POINT) | 0;
      k = (k + 1) | 0;
      for (const last = (k + scale) | 0; k < last; k = (k + 1) | 0) {
        const digit = (ZERO + (fraction >>> 28)) | 0;
        slab[k] = digit;
        sum = (sum + digit) | 0;
        fraction = Math.imul(fraction & 0xfff_ffff, 10);
      }
    }
    slab[k] = SOH;
    this.end = (k + 1) | 0;
    this.sum = sum;
    return this;
  }

  /** Append a UTCTimestamp with milliseconds. */
  addTime(tag: number, value: EpochMs): this {
    const room = this.end + FIELD_BYTES + TIME_BYTES <= this.limit;
    if (!room || !(tag > 0 && tag < TAGS_END && TAG_SUMS[tag]! > 0) || !hasRendered(value))
      return this.add(tag, formatUtcTimestamp(value));
    const at = writeTag(this.slab, this.end, tag);
    this.sum = (this.sum + TAG_SUMS[tag]! + writeTime(this.slab, this.view, at)) | 0;
    this.slab[at + TIME_BYTES] = SOH;
    this.end = at + TIME_BYTES + 1;
    return this;
  }

  /**
   * Fill in the bytes of data fields that their Length field announces; all other fields get `?`. This happens before
   * the fields join a frame, because only the frame writer knows the tags that hold data.
   */
  restore(dataFields: DataFields): void {
    if (this.odd === null) return;
    for (const { tag, value, offset } of this.odd) {
      const fieldAt = this.start + offset - `${tag}=`.length;
      const isData = dataFields.announces(this.slab, this.start, fieldAt, tag, value.length);
      for (let k = 0; k < value.length; k++) {
        const c = value.charCodeAt(k);
        if (c > SOH) continue;
        const at = this.start + offset + k;
        const written = isData ? c : QUESTION_MARK;
        this.sum += written - this.slab[at]!;
        this.slab[at] = written;
      }
    }
  }

  /** Bytes [from, to) of the slab, as a buffer. */
  bytes(from: number, to: number): Buffer {
    return new BufferOver(this.memory, from, to - from);
  }

  /** The fields belong to a frame that ends at `frameEnd`; further output goes elsewhere. */
  seal(frameEnd: number): void {
    if (this.slab === slabs.slab && slabs.free === this.limit + TRAILER_BYTES) slabs.free = frameEnd;
    this.limit = -1;
  }

  get isSealed(): boolean {
    return this.limit < 0;
  }

  /** Copy the fields to a region of their own, with room for `header` bytes before them and `more` behind. */
  move(header: number, more: number): void {
    const length = this.end - this.start;
    const before = Math.max(header, slabs.headerBytes);
    const slab = Buffer.allocUnsafeSlow(before + 2 * (length + more) + TRAILER_BYTES);
    this.slab.copy(slab, before, this.start, this.end);
    if (!this.isSealed) this.seal(this.origin);
    this.slab = slab;
    this.view = viewOver(slab);
    this.memory = slab.buffer;
    this.origin = 0;
    this.start = before;
    this.end = before + length;
    this.limit = slab.length - TRAILER_BYTES;
  }

  /** Whether a value has characters that a character set may change, or that must not be in it. */
  protected get isOdd(): boolean {
    return this.odd !== null;
  }

  /** Copy the tags to `into`, from its beginning, in the order in which they were added; returns their number. */
  copyTags(into: number[]): number {
    let count = 0;
    if (this.odd !== null) {
      for (const { tag } of this.entries()) into[count++] = tag;
      return count;
    }
    const { slab, end } = this;
    for (let at = this.start; at < end; at++) {
      let tag = 0;
      for (let c = slab[at]!; c !== EQUALS; c = slab[++at]!) tag = (10 * tag + c - ZERO) | 0;
      into[count++] = tag;
      while (slab[at] !== SOH) at++;
    }
    return count;
  }

  /** Tags and values in the order in which they were added. */
  protected entries(): AddedField[] {
    const entries: AddedField[] = [];
    for (let at = this.start; at < this.end; ) {
      const equals = this.slab.indexOf(EQUALS, at);
      const end = this.slab.indexOf(SOH, equals);
      const offset = equals + 1 - this.start;
      const odd = this.odd?.find((value) => value.offset === offset);
      const value = odd?.value ?? latin1(this.slab, equals + 1, end);
      const isText = odd !== undefined && !odd.isBytes;
      entries.push({ tag: Number(latin1(this.slab, at, equals)), value, isText });
      at = odd === undefined ? end + 1 : equals + odd.value.length + 2;
    }
    return entries;
  }

  /** The same as `add` for any tag and value. */
  private addOdd(tag: number, value: string, isBytes = false): this {
    // Of a caller without types, or with data.
    if (Buffer.isBuffer(value)) return this.addBytes(tag, value, 0, (value as Buffer).length);
    // Written all the same, it would be a field without a value.
    assert(
      typeof value === 'string',
      'a field is added as text or Buffer; newMessage takes numbers, times and decimals too',
    );
    this.assertTag(tag);
    const { length } = value;
    if (length === 0) return this;
    this.reserve(FIELD_BYTES + length);
    const { slab } = this;
    let at = writeNumber(slab, this.end, tag);
    slab[at++] = EQUALS;
    const offset = at - this.start;
    let isOdd = false;
    for (let k = 0; k < length; k++) {
      const c = value.charCodeAt(k);
      const written = c > SOH && c <= 0xff ? c : QUESTION_MARK;
      if (written !== c || (c > 0x7f && !isBytes)) isOdd = true;
      slab[at++] = written;
    }
    slab[at++] = SOH;
    if (isOdd) {
      this.odd ??= [];
      this.odd.push({ tag, value, offset, isBytes });
    }
    this.sum = (this.sum + sumOf(slab, this.end, at)) | 0;
    this.end = at;
    return this;
  }

  private addLongDecimal(tag: number, value: Decimal): this {
    const coefficient = value.safeCoefficient;
    const { scale } = value;
    this.assertTag(tag);
    if (!(coefficient >= 0) || scale > DECIMALS_MAX) return this.add(tag, value.toString());
    this.reserve(FIELD_BYTES + DECIMAL_BYTES_MAX);
    const { slab } = this;
    const from = writeNumber(slab, this.end, tag);
    slab[from] = EQUALS;
    const end = writeDecimal(slab, from + 1, coefficient, scale);
    slab[end] = SOH;
    this.sum = (this.sum + sumOf(slab, this.end, end + 1)) | 0;
    this.end = end + 1;
    return this;
  }

  /** Refuse a tag that is none, or none of these fields. */
  protected assertTag(tag: number): void {
    assertTag(tag);
  }

  private reserve(bytes: number): void {
    if (this.isSealed || this.end + bytes > this.limit) this.move(this.start - this.origin, bytes);
  }
}

/** Writing it would produce a frame with unreadable fields or CheckSum. */
export function assertTag(tag: number): void {
  assert(Number.isInteger(tag) && tag > 0 && tag <= TAG_MAX, 'a field is added by its tag, a whole number from 1');
}

/** Whether a message of ours may have a field with this tag in its body: what somebody sent may have any. */
export function isOfBody(tag: number): boolean {
  return tag > 0 && tag <= TAG_MAX && !isOfFrame(tag);
}

/** Whether a field of the message, the one with this tag, is written with its number and its time. */
export function isOfFrame(tag: number): boolean {
  return OF_FRAME.includes(tag);
}

/** Write a tag of at most four digits and `=`; returns where the value begins. */
function writeTag(slab: Buffer, at: number, tag: number): number {
  const digits = TAG_DIGITS[tag]! | 0;
  const length = TAG_LENGTHS[tag]! | 0;
  // The surplus digits are overwritten: no field is shorter.
  slab[at] = digits;
  slab[at + 1] = digits >>> 8;
  if (length > 2) {
    slab[at + 2] = digits >>> 16;
    if (length > 3) slab[at + 3] = digits >>> 24;
  }
  const equals = (at + length) | 0;
  slab[equals] = EQUALS;
  return (equals + 1) | 0;
}

export function sumOf(bytes: Buffer, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum = (sum + bytes[at]!) | 0;
  return sum;
}

/** A header of this length did not fit: those of the messages to come do. */
export function leaveRoomForHeader(bytes: number): void {
  if (bytes <= HEADER_BYTES_MAX) slabs.headerBytes = Math.max(slabs.headerBytes, bytes);
}

function viewOver(bytes: Buffer): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}
