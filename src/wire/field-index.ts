// Where the fields of a frame lie: tags and the places of their values, found in one pass that also proves the CheckSum.
// Leaves where frames lie to framer.ts and what the values mean to message-view.ts.

import { DataFields, dataTagOf } from './data-field.ts';

const SOH = 0x01;
const EQUALS = 0x3d;
/** Digits of a tag beyond which it is malformed (FIX tags have at most five; nine still fit an Int32). */
const TAG_DIGITS_MAX = 9;
const INITIAL_FIELDS = 64;
const EMPTY = Buffer.alloc(0);
/** From this tag on, a session's dictionaries say what announces data. */
const ADDED_TAG_MIN = 3000;

/** Findings of {@link FieldIndex.index} besides the fields. */
export const IndexOutcome = { Indexed: 0, TooManyFields: 1, WrongCheckSum: 2 } as const;

/** BeginString(8) and BodyLength(9) of a frame as the framer found them. */
export class FramePrefix {
  /** Where the value of BeginString ends, where the body begins, and the sum of the bytes before it. */
  beginEnd = 0;
  bodyStart = 0;
  sum = 0;
}

/** Fields of one frame after the other, in arrays that are used again. */
export class FieldIndex {
  /** The bytes that positions refer to. */
  buffer: Buffer = EMPTY;
  /** First byte of the frame in `buffer`, and one past its last. */
  start = 0;
  end = 0;
  fieldCount = 0;
  /** Index of a data field with a Length field that does not fit it, or -1. */
  dataFaultAt = -1;
  /** By field: tag, first byte of the value, one past its last; for passes over all fields. Only `fieldCount` of them count. */
  tags = new Int32Array(INITIAL_FIELDS);
  starts = new Int32Array(INITIAL_FIELDS);
  ends = new Int32Array(INITIAL_FIELDS);
  /** Settings of the present frame's index. */
  dataFields: DataFields = DataFields.STANDARD;
  /** Whether the view has noted where the present frame's tags are. */
  protected placed = false;
  /** By field, the number of groups that it stands in; null while that is not known, or if it is 0 for all. */
  protected depths: Uint8Array | null = null;
  /** Whether it is known which fields stand in groups, as far as it can be. */
  protected outlined = true;
  /** Sum of the bytes indexed so far. */
  private sum = 0;
  /** Value of field `i` as an integer; NaN if malformed or beyond the safe range. Leading zeros are allowed. */
  intAt(i: number): number {
    const buffer = this.buffer;
    const to = this.ends[i]!;
    let at = this.starts[i]!;
    const negative = at < to && buffer[at] === 0x2d;
    if (negative) at++;
    if (at === to) return Number.NaN;
    let value = 0;
    for (; at < to; at++) {
      const digit = buffer[at]! - 0x30;
      if (digit < 0 || digit > 9) return Number.NaN;
      value = value * 10 + digit;
      if (value > Number.MAX_SAFE_INTEGER) return Number.NaN;
    }
    return negative ? -value : value;
  }

  /**
   * Index the frame at [start, end) of `buffer` and compare its CheckSum, in one pass. Its first two fields are known,
   * and its last seven bytes are `10=ddd` and SOH. `dataFields` names the fields that may hold SOH. For framer.ts. The
   * view is valid only if the outcome is `Indexed`.
   */
  index(
    buffer: Buffer,
    start: number,
    end: number,
    fieldsMax: number,
    prefix: FramePrefix,
    dataFields: DataFields,
  ): number {
    this.placed = false;
    this.depths = null;
    this.outlined = dataFields.outline === null;
    this.dataFields = dataFields;
    this.buffer = buffer;
    this.start = start;
    this.end = end;
    this.dataFaultAt = -1;
    const { tags, starts, ends } = this;
    const { beginEnd, bodyStart } = prefix;
    tags[0] = 8;
    starts[0] = start + 2;
    ends[0] = beginEnd;
    tags[1] = 9;
    starts[1] = beginEnd + 3;
    ends[1] = bodyStart - 1;
    this.fieldCount = 2;
    this.sum = prefix.sum;
    const trailer = end - 7;
    for (let at = this.scan(bodyStart, trailer); at < trailer; at = this.scan(at, trailer)) {
      if (this.fieldCount === this.tags.length && !this.grow(fieldsMax)) return IndexOutcome.TooManyFields;
      at = this.dataField(at, trailer);
    }
    const count = this.fieldCount;
    if (count >= fieldsMax || (count === this.tags.length && !this.grow(fieldsMax))) return IndexOutcome.TooManyFields;
    this.tags[count] = 10;
    this.starts[count] = trailer + 3;
    this.ends[count] = end - 1;
    this.fieldCount = count + 1;
    const checkSum = (buffer[end - 4]! - 0x30) * 100 + (buffer[end - 3]! - 0x30) * 10 + buffer[end - 2]! - 0x30;
    return (this.sum & 0xff) === checkSum ? IndexOutcome.Indexed : IndexOutcome.WrongCheckSum;
  }

  /**
   * Index the fields from `from` until `trailer`, until the arrays are full, or until a field has announced data;
   * returns the beginning of the field that comes next.
   *
   * Most of a message's time goes here. Nothing is called, so that the compiler knows that the arrays stay the same, and
   * `| 0` says that no number leaves 32 bits.
   */
  private scan(from: number, trailer: number): number {
    const { buffer, tags, starts, ends } = this;
    const room = tags.length | 0;
    // A field that the standard does not know is looked up after the loop.
    const added = this.dataFields.addsAny ? 1 : 0;
    let count = this.fieldCount | 0;
    let sum = this.sum | 0;
    let at = from | 0;
    let announced = 0;
    while (at < trailer && count < room && announced === 0) {
      const fieldStart = at;
      let c = buffer[at]! | 0;
      let tag = (c - 0x30) | 0;
      if ((tag - 1) >>> 0 <= 8) {
        sum = (sum + c) | 0;
        at = (at + 1) | 0;
        c = buffer[at]! | 0;
        while (c !== EQUALS) {
          const digit = (c - 0x30) | 0;
          if (digit >>> 0 > 9) break;
          tag = (Math.imul(tag, 10) + digit) | 0;
          sum = (sum + c) | 0;
          at = (at + 1) | 0;
          c = buffer[at]! | 0;
        }
      }
      const digits = (at - fieldStart) | 0;
      if (c !== EQUALS || digits === 0 || digits > TAG_DIGITS_MAX) {
        // The digits summed so far stay summed; the value is the whole field.
        tag = 0;
        starts[count] = fieldStart;
      } else {
        sum = (sum + EQUALS) | 0;
        at = (at + 1) | 0;
        starts[count] = at;
        c = buffer[at]! | 0;
      }
      while (c !== SOH) {
        sum = (sum + c) | 0;
        at = (at + 1) | 0;
        c = buffer[at]!;
      }
      sum = (sum + SOH) | 0;
      tags[count] = tag;
      ends[count] = at;
      count = (count + 1) | 0;
      at = (at + 1) | 0;
      announced = tag < ADDED_TAG_MIN ? dataTagOf(tag) : added;
    }
    this.fieldCount = count;
    this.sum = sum;
    return at;
  }

  /**
   * Index the data field at `from` if the Length field before it announces it and fits, or mark it if it does not fit;
   * returns where to read on.
   */
  private dataField(from: number, trailer: number): number {
    const { buffer, fieldCount: count } = this;
    const tag = this.dataFields.dataTagOf(this.tags[count - 1]!);
    if (tag === 0) return from;
    let valueStart = from;
    for (const c of `${tag}=`) if (buffer[valueStart++] !== c.charCodeAt(0)) return from;
    const valueEnd = valueStart + this.intAt(count - 1);
    if (!(valueEnd >= valueStart && valueEnd < trailer && buffer[valueEnd] === SOH)) {
      this.dataFaultAt = count;
      return from;
    }
    for (let at = from; at <= valueEnd; at++) this.sum = (this.sum + buffer[at]!) | 0;
    this.tags[count] = tag;
    this.starts[count] = valueStart;
    this.ends[count] = valueEnd;
    this.fieldCount = count + 1;
    return valueEnd + 1;
  }

  /** Double the index, up to `fieldsMax` fields; false if it is there already. */
  private grow(fieldsMax: number): boolean {
    const size = Math.min(this.tags.length * 2, fieldsMax);
    if (size <= this.tags.length) return false;
    const larger = (from: Int32Array): Int32Array<ArrayBuffer> => {
      const to = new Int32Array(size);
      to.set(from);
      return to;
    };
    this.tags = larger(this.tags);
    this.starts = larger(this.starts);
    this.ends = larger(this.ends);
    return true;
  }
}
