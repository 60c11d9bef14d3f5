// Fields as bytes, one after the other in slabs of memory, with the sum of the bytes on the way.
// Leaves which fields a frame has, and its first and last three, to frame-writer.ts.

import type { Decimal } from '../base/decimal.ts';
import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';
import { DataFields } from './data-field.ts';
import { DECIMAL_BYTES_MAX, DECIMALS_MAX, writeDecimal, writeNumber } from './digits.ts';
import type { FieldList } from './draft.ts';

// Not imported from elsewhere: the compiler takes a constant of its own module for one, an imported one for a variable.
const SOH = 0x01;
const EQUALS = 0x3d;
const ZERO = 0x30;
const POINT = 0x2e;
/** Most digits after the point of a decimal that is written without a call. */
const SMALL_DECIMALS_MAX = 9;
const QUESTION_MARK = 0x3f;
/** Frames are written one after the other into slabs of this size: a new buffer for each would cost more than writing it. */
const SLAB_BYTES = 16_384;
/** The first slab of a writer; each further one is twice as large, up to that: most sessions of many are idle. */
const FIRST_SLAB_BYTES = 1024;
/** Tag, `=` and SOH of a field. */
const FIELD_BYTES = 12;
/** `YYYYMMDD-HH:MM:SS.` of a UTCTimestamp with milliseconds. */
const SECOND_BYTES = 18;

/** Digits of every tag of at most four, the first in the lowest byte: one look instead of divisions. */
const TAG_DIGITS = new Int32Array(10_000);
/** The sum of these, `=` and SOH. */
const TAG_SUMS = new Uint16Array(TAG_DIGITS.length);
for (let tag = 1; tag < TAG_DIGITS.length; tag++) {
  TAG_SUMS[tag] = EQUALS + SOH;
  for (let rest = tag; rest > 0; rest = Math.floor(rest / 10)) {
    const digit = ZERO + (rest % 10);
    TAG_DIGITS[tag] = (TAG_DIGITS[tag]! << 8) | digit;
    TAG_SUMS[tag]! += digit;
  }
}

/**
 * Writes fields. Values are written one byte per character (latin1); a character that has no byte, NUL, and SOH outside
 * data fields become `?`: a value can never forge a field. A field with an empty value is left out, since FIX has none.
 */
export class FieldWriter {
  protected slab = Buffer.allocUnsafeSlow(FIRST_SLAB_BYTES);
  /** First byte of the slab that no frame has; where the present frame's body begins, and where it is written on. */
  protected free = 0;
  protected body = 0;
  protected at = 0;
  /** Sum of the bytes written from `body` on. */
  protected sum = 0;
  private slabBytes = FIRST_SLAB_BYTES;
  /** The last second written, as a UTCTimestamp's first 18 bytes. */
  private second = -1;
  private readonly secondBytes = Buffer.alloc(SECOND_BYTES);
  private secondSum = 0;
  private readonly dataFields: DataFields;

  constructor(dataFields: DataFields = DataFields.STANDARD) {
    this.dataFields = dataFields;
  }

  protected fields(list: FieldList): void {
    const { cells, end } = list;
    for (let i = this.plain(list, 0); i < end; i = this.plain(list, i + 2)) {
      const tag = cells[i] as number;
      const value = cells[i + 1]!;
      if (typeof value === 'string') this.field(tag, value);
      else if (typeof value === 'number') this.timeField(tag, value);
      else this.decimalField(tag, value);
    }
  }

  /**
   * Write the fields from `from` on as long as tags have at most four digits, values are texts of characters that are
   * written as they are, or decimals of at most 31 bits, and there is room; returns the first other field, of which
   * nothing is written, or the list's end.
   *
   * Most of a message's time goes here: nothing is called, so that the compiler knows that the arrays stay the same, and
   * `| 0` says that no number leaves 32 bits.
   */
  private plain(list: FieldList, from: number): number {
    const { cells, end: listEnd } = list;
    const { slab } = this;
    const room = slab.length - 2 * FIELD_BYTES;
    let end = this.at | 0;
    let total = this.sum | 0;
    let i = from;
    for (; i < listEnd; i = (i + 2) | 0) {
      const tag = cells[i] as number;
      const value = cells[i + 1]!;
      if (tag >>> 0 >= TAG_DIGITS.length || end > room) break;
      let at = end;
      let sum = (total + TAG_SUMS[tag]!) | 0;
      for (let digits = TAG_DIGITS[tag]! | 0; digits !== 0; digits >>>= 8) {
        slab[at] = digits;
        at = (at + 1) | 0;
      }
      slab[at] = EQUALS;
      at = (at + 1) | 0;
      if (typeof value === 'string') {
        const { length } = value;
        if (length === 0) continue;
        if (at + length > room) break;
        let k = 0;
        for (; k < length; k = (k + 1) | 0) {
          const c = value.charCodeAt(k);
          // Below 2 or above 255, in one comparison.
          if ((c - 2) >>> 0 > 0xfd) break;
          slab[at] = c;
          sum = (sum + c) | 0;
          at = (at + 1) | 0;
        }
        if (k !== length) break;
      } else if (typeof value === 'object') {
        const { safeCoefficient: coefficient, scale } = value;
        // NaN fails too.
        if (!(coefficient >= 0 && coefficient <= 0x7fff_ffff) || scale > SMALL_DECIMALS_MAX) break;
        let rest = coefficient | 0;
        let digits = 1;
        for (let power = 10; power <= rest && digits < 10; power *= 10) digits = (digits + 1) | 0;
        if (digits <= scale) digits = (scale + 1) | 0;
        const point = scale === 0 ? -1 : (at + digits - scale) | 0;
        const last = (at + digits + (scale === 0 ? 0 : 1)) | 0;
        for (let k = (last - 1) | 0; k >= at; k = (k - 1) | 0) {
          if (k === point) {
            slab[k] = POINT;
            sum = (sum + POINT) | 0;
            continue;
          }
          const tenth = (rest / 10) | 0;
          const digit = (ZERO + rest - Math.imul(tenth, 10)) | 0;
          slab[k] = digit;
          sum = (sum + digit) | 0;
          rest = tenth;
        }
        at = last;
      } else break;
      slab[at] = SOH;
      end = (at + 1) | 0;
      total = sum;
    }
    this.at = end;
    this.sum = total;
    return i;
  }

  /** Write one field of any kind. */
  protected field(tag: number, value: string): void {
    const { length } = value;
    if (length === 0) return;
    this.reserve(FIELD_BYTES + length);
    const { slab } = this;
    let at = this.begin(tag) | 0;
    let sum = this.sum | 0;
    for (let i = 0; i < length; i = (i + 1) | 0) {
      let c = value.charCodeAt(i);
      if ((c - 2) >>> 0 > 0xfd) c = c <= SOH && this.dataFields.isDataTag(tag) ? c : QUESTION_MARK;
      slab[at] = c;
      sum = (sum + c) | 0;
      at = (at + 1) | 0;
    }
    slab[at] = SOH;
    this.at = (at + 1) | 0;
    this.sum = sum;
  }

  /** Write a tag and `=`, count them and the SOH behind the value in; returns where the value begins. */
  private begin(tag: number): number {
    const { slab } = this;
    let at = this.at | 0;
    if (tag >>> 0 >= TAG_DIGITS.length) {
      const end = writeNumber(slab, at, tag);
      slab[end] = EQUALS;
      this.sum = (this.sum + sumOf(slab, at, end) + EQUALS + SOH) | 0;
      return end + 1;
    }
    for (let digits = TAG_DIGITS[tag]! | 0; digits !== 0; digits >>>= 8) {
      slab[at] = digits;
      at = (at + 1) | 0;
    }
    slab[at] = EQUALS;
    this.sum = (this.sum + TAG_SUMS[tag]!) | 0;
    return (at + 1) | 0;
  }

  protected numberField(tag: number, value: number): void {
    if ((value | 0) !== value || value < 0) {
      this.field(tag, String(value));
      return;
    }
    this.reserve(2 * FIELD_BYTES);
    const { slab } = this;
    const from = this.begin(tag);
    const end = writeNumber(slab, from, value);
    slab[end] = SOH;
    this.sum = (this.sum + sumOf(slab, from, end)) | 0;
    this.at = end + 1;
  }

  private decimalField(tag: number, value: Decimal): void {
    const coefficient = value.safeCoefficient;
    const { scale } = value;
    // NaN fails too.
    if (!(coefficient >= 0) || scale > DECIMALS_MAX) {
      this.field(tag, value.toString());
      return;
    }
    this.reserve(FIELD_BYTES + DECIMAL_BYTES_MAX);
    const { slab } = this;
    const from = this.begin(tag);
    const end = writeDecimal(slab, from, coefficient, scale);
    slab[end] = SOH;
    this.sum = (this.sum + sumOf(slab, from, end)) | 0;
    this.at = end + 1;
  }

  /** Write a time to the millisecond; the last second is kept rendered, since consecutive messages share it. */
  protected timeField(tag: number, time: EpochMs): void {
    const second = Math.floor(time / 1000);
    if (second !== this.second) {
      const text = formatUtcTimestamp(time);
      if (text.length !== SECOND_BYTES + 3) {
        this.field(tag, text);
        return;
      }
      this.secondBytes.write(text, 0, SECOND_BYTES, 'latin1');
      this.secondSum = sumOf(this.secondBytes, 0, SECOND_BYTES);
      this.second = second;
    }
    this.reserve(FIELD_BYTES + SECOND_BYTES + 3);
    const { slab, secondBytes } = this;
    let at = this.begin(tag) | 0;
    for (let i = 0; i < SECOND_BYTES; i = (i + 1) | 0) slab[at + i] = secondBytes[i]!;
    at = (at + SECOND_BYTES) | 0;
    const ms = (time - second * 1000) | 0;
    const hundreds = (ms / 100) | 0;
    const tens = (((ms / 10) | 0) - hundreds * 10) | 0;
    const ones = (ms - hundreds * 100 - tens * 10) | 0;
    slab[at] = ZERO + hundreds;
    slab[at + 1] = ZERO + tens;
    slab[at + 2] = ZERO + ones;
    slab[at + 3] = SOH;
    this.at = at + 4;
    this.sum = (this.sum + this.secondSum + 3 * ZERO + hundreds + tens + ones) | 0;
  }

  /** Append bytes whose sum is known. */
  protected copy(bytes: Buffer, sum: number): void {
    const { length } = bytes;
    this.reserve(length);
    const { slab, at } = this;
    for (let i = 0; i < length; i++) slab[at + i] = bytes[i]!;
    this.at = at + length;
    this.sum = (this.sum + sum) | 0;
  }

  /** Make room for `bytes` more; the frame begun, from `begun` on, moves to a new slab if they do not fit. */
  protected reserve(bytes: number): void {
    if (this.at + bytes <= this.slab.length) return;
    const begun = this.free;
    const written = this.at - begun;
    this.slabBytes = Math.min(SLAB_BYTES, 2 * this.slabBytes);
    const larger = Buffer.allocUnsafeSlow(Math.max(this.slabBytes, 2 * (written + bytes)));
    this.slab.copy(larger, 0, begun, this.at);
    this.slab = larger;
    this.body -= begun;
    this.at = written;
    this.free = 0;
  }
}

export function sumOf(bytes: Buffer, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum = (sum + bytes[at]!) | 0;
  return sum;
}
