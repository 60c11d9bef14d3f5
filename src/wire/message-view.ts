// A received message: its fields found by tag and their values converted, each when it is asked for and not before.
// Leaves framing to framer.ts, where the fields lie to field-index.ts, and the question whether tags and values are
// allowed to the dictionary.

import { Decimal } from '../base/decimal.ts';
import { type EpochMs, parseUtcTimestamp } from '../base/time.ts';
import type { FieldBytes } from './field-bytes.ts';
import { FieldIndex } from './field-index.ts';
import { entriesOf, type GroupEntry } from './group-entry.ts';
import { latin1 } from './latin1.ts';
import { shortText } from './short-text.ts';

/** Digits that a number holds exactly. */
const NUMBER_DIGITS_MAX = 15;
/** Digits that an integer of 32 bits holds. */
const INT32_DIGITS = 9;
/** The byte of a decimal point less that of 0. */
const POINT_DIGIT = 0x2e - 0x30;
const ZERO = 0x30;
/** `YYYYMMDD`. */
const DATE_BYTES = 8;
/** `YYYYMMDD-HH:MM:SS`. */
const WHOLE_SECOND_BYTES = 17;
/** Places of the lookup by tag, a power of two. */
const TAG_PLACES = 256;

/** Fields of header and trailer that a session reads of every message, mostly before the validator knows its groups. */
const HEADER_TAGS = new Uint8Array(2048);
for (const tag of [
  8, 9, 10, 34, 35, 43, 49, 50, 52, 56, 57, 97, 115, 116, 122, 128, 129, 142, 143, 144, 145, 369, 1128,
]) {
  HEADER_TAGS[tag] = 1;
}

/** Whether the first field with this tag is the message's own, as long as only such fields stand before it. */
const isHeaderTag = (tag: number): boolean => HEADER_TAGS[tag] === 1;

const CHARACTERS = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code));

/**
 * A message over the bytes of its frame. Fields are numbered from 0 in wire order, BeginString(8) first, CheckSum(10)
 * last. **Valid until the framer's next `next()` or `push()`**: copy values to keep them. Returned strings stay valid.
 *
 * A field with a tag that is not a number (`=x`, `abc=1`, `012=x`) has tag 0 and its whole text as value. The message
 * can then be numbered and answered with Reject(3) 373=0; otherwise it would be requested again without end.
 */
export class MessageView extends FieldIndex {
  /**
   * The first field with these low bits in its tag, valid once `placed` for this message. A place without a field keeps
   * a value of an earlier message; the tag at that index reveals it.
   */
  private places = new Int32Array(TAG_PLACES);
  /** The places that this view notes itself; others are lent with {@link placeAs}. */
  private readonly ownPlaces = this.places;
  /** Index of the first field that is none of `HEADER_TAGS`; noted with the places, until the groups are known. */
  private headerEnd = 0;
  /** The last day converted, as its eight digits and in ms: consecutive timestamps share it. */
  private lastDay = -1;
  private lastDayMs = 0;

  /** Number of the tag of field `i`; 0 if it is malformed. */
  tagAt(i: number): number {
    return this.tags[i]!;
  }

  /** Position in `buffer` of the first byte of the value of field `i`. */
  valueStart(i: number): number {
    return this.starts[i]!;
  }

  /** Position in `buffer` one past the value of field `i`. */
  valueEnd(i: number): number {
    return this.ends[i]!;
  }

  /** MsgType(35). */
  get msgType(): string {
    return this.stringAt(2);
  }

  /** BeginString(8). */
  get beginString(): string {
    return this.stringAt(0);
  }

  /**
   * Index of the message's own field with this tag, the first if there are several; -1 if there is none. A field of a group's
   * entry is none of the message's, as far as the dictionary knows the group (rule S13).
   */
  indexOf(tag: number): number {
    if (!this.outlined && !isHeaderTag(tag)) this.outline();
    if (!this.placed) this.place();
    let i = this.places[tag & (TAG_PLACES - 1)]!;
    const { tags, depths, fieldCount } = this;
    // Nothing of the message lies at this place: a header field is absent from most messages, and that takes no outline.
    if (i >= fieldCount || ((tags[i]! ^ tag) & (TAG_PLACES - 1)) !== 0) return -1;
    if (!this.outlined && i >= this.headerEnd) {
      this.outline();
      return this.indexOf(tag);
    }
    for (; i < fieldCount; i++) if (tags[i] === tag && (depths === null || depths[i] === 0)) return i;
    return -1;
  }

  /** Index of the first field with this tag at or after `from`, before `end`, in a group or not; -1 if there is none. */
  indexFrom(tag: number, from: number, end: number = this.fieldCount): number {
    const { tags } = this;
    for (let i = from; i < end; i++) if (tags[i] === tag) return i;
    return -1;
  }

  /** How many groups field `i` stands in, by the dictionary; 0 for a field of the message's own. */
  depthAt(i: number): number {
    if (!this.outlined) this.outline();
    return this.depths?.[i] ?? 0;
  }

  /** Note which fields stand in groups: for a validator, which has found out. Null: none does. */
  outlineAs(depths: Uint8Array | null): void {
    this.outlined = true;
    if (this.depths === depths) return;
    this.depths = depths;
    this.placed = false;
  }

  /** The same with places by {@link placesOf}, of a message that had the same tags and the same depths. */
  placeAs(depths: Uint8Array | null, places: Int32Array<ArrayBuffer>): void {
    this.outlined = true;
    this.depths = depths;
    this.places = places;
    this.placed = true;
  }

  /** The places of the message's own fields by tag, once it is known which fields stand in groups: a copy. */
  placesOf(): Int32Array<ArrayBuffer> {
    if (!this.placed) this.place();
    return this.places.slice();
  }

  private outline(): void {
    this.outlineAs(this.dataFields.outline?.depthsOf(this) ?? null);
  }

  /** The same as {@link indexOf}, where mostly the first look is enough. */
  private find(tag: number): number {
    if (this.outlined && this.placed) {
      const i = this.places[tag & (TAG_PLACES - 1)]!;
      const { depths } = this;
      if (i < this.fieldCount && this.tags[i] === tag && (depths === null || depths[i] === 0)) return i;
    }
    return this.indexOf(tag);
  }

  /** Note the first field of every place that stands in no group, for {@link indexOf}. */
  private place(): void {
    this.places = this.ownPlaces;
    const { tags, places, depths } = this;
    for (let i = this.fieldCount - 1; i >= 0; i--) {
      if (depths === null || depths[i] === 0) places[tags[i]! & (TAG_PLACES - 1)] = i;
    }
    if (!this.outlined) {
      let end = 0;
      while (end < this.fieldCount && isHeaderTag(tags[end]!)) end++;
      this.headerEnd = end;
    }
    this.placed = true;
  }

  has(tag: number): boolean {
    return this.indexOf(tag) !== -1;
  }

  /** Value of field `i`, one character per byte (latin1). Independent of the frame: it may be kept. */
  stringAt(i: number): string {
    const from = this.starts[i]!;
    const to = this.ends[i]!;
    const { buffer } = this;
    return to - from === 1 ? CHARACTERS[buffer[from]!]! : shortText(buffer, from, to);
  }

  /** Value of field `i` as an exact decimal; null if malformed. */
  decimalAt(i: number): Decimal | null {
    const { buffer } = this;
    const from = this.starts[i]!;
    const to = this.ends[i]!;
    const first = buffer[from] === 0x2d ? from + 1 : from;
    if (to - first <= INT32_DIGITS + 1) return shortDecimal(buffer, from, first, to);
    let value = 0;
    let point = -1;
    for (let at = first; at < to; at++) {
      const digit = buffer[at]! - 0x30;
      if (digit >>> 0 <= 9) value = value * 10 + digit;
      else if (digit === POINT_DIGIT && point === -1) point = at;
      else return null;
    }
    const digits = to - first - (point === -1 ? 0 : 1);
    if (digits === 0) return null;
    if (digits > NUMBER_DIGITS_MAX) return Decimal.parse(this.stringAt(i));
    return new Decimal(first === from ? value : -value, point === -1 ? 0 : to - point - 1);
  }

  /** Value of field `i` as one character; null if it has none or more. */
  charAt(i: number): string | null {
    const from = this.starts[i]!;
    return this.ends[i]! - from === 1 ? CHARACTERS[this.buffer[from]!]! : null;
  }

  /** Values of field `i` that spaces separate (MultipleCharValue, MultipleStringValue); [] if it is empty. */
  valuesAt(i: number): string[] {
    const text = this.stringAt(i);
    return text === '' ? [] : text.split(' ');
  }

  /** Value of field `i`, `Y` or `N`; null if it is neither. */
  booleanAt(i: number): boolean | null {
    const from = this.starts[i]!;
    if (this.ends[i]! - from !== 1) return null;
    const c = this.buffer[from];
    return c === 0x59 ? true : c === 0x4e ? false : null;
  }

  /** Value of field `i` as a UTCTimestamp, in ms; digits finer than that are cut. Null if malformed. */
  utcTimestampAt(i: number): EpochMs | null {
    const { buffer } = this;
    const from = this.starts[i]!;
    const length = this.ends[i]! - from;
    if (length !== WHOLE_SECOND_BYTES && length !== WHOLE_SECOND_BYTES + 4) {
      return parseUtcTimestamp(this.stringAt(i));
    }
    const century = pairAt(buffer, from);
    const year = pairAt(buffer, from + 2);
    const month = pairAt(buffer, from + 4);
    const dayOfMonth = pairAt(buffer, from + 6);
    const hour = pairAt(buffer, from + 9);
    const minute = pairAt(buffer, from + 12);
    const second = pairAt(buffer, from + 15);
    let malformed = century | year | month | dayOfMonth | hour | minute | second;
    let separators = (buffer[from + 8]! ^ 0x2d) | (buffer[from + 11]! ^ 0x3a) | (buffer[from + 14]! ^ 0x3a);
    let ms = 0;
    if (length !== WHOLE_SECOND_BYTES) {
      const hundreds = digitAt(buffer, from + 18);
      const rest = pairAt(buffer, from + 19);
      malformed |= hundreds | rest;
      separators |= buffer[from + WHOLE_SECOND_BYTES]! ^ 0x2e;
      ms = (hundreds * 100 + rest) | 0;
    }
    if (malformed < 0 || separators !== 0 || hour > 23 || minute > 59 || second > 60) return null;
    const day = (century * 1_000_000 + year * 10_000 + month * 100 + dayOfMonth) | 0;
    if (day !== this.lastDay) {
      const midnight = parseUtcTimestamp(`${latin1(buffer, from, from + 8)}-00:00:00`);
      if (midnight === null) return null;
      this.lastDay = day;
      this.lastDayMs = midnight;
    }
    return this.lastDayMs + (hour * 3_600_000 + minute * 60_000 + second * 1000 + ms);
  }

  /** Value of field `i` as a UTCTimestamp, in ns since 1970; digits finer than that are cut. Null if malformed. */
  utcTimestampNsAt(i: number): bigint | null {
    const ms = this.utcTimestampAt(i);
    if (ms === null) return null;
    // Digits behind the milliseconds, if there are any; those that are missing are 0.
    const from = this.starts[i]! + WHOLE_SECOND_BYTES + 4;
    let ns = 0;
    for (let k = 0; k < 6; k++) ns = ns * 10 + (from + k < this.ends[i]! ? this.buffer[from + k]! - 0x30 : 0);
    return BigInt(ms) * 1_000_000n + BigInt(ns);
  }

  /** Value of field `i` as a UTCDateOnly or LocalMktDate, in ms of its midnight in UTC. Null if malformed. */
  dateAt(i: number): EpochMs | null {
    if (this.ends[i]! - this.starts[i]! !== DATE_BYTES) return null;
    return parseUtcTimestamp(`${this.stringAt(i)}-00:00:00`);
  }

  /** Bytes of the value of field `i`, not copied: the way to read a data field. */
  bytesAt(i: number): Uint8Array {
    return this.buffer.subarray(this.starts[i]!, this.ends[i]!);
  }

  /** Whether the value of field `i` is exactly `text`, without making a string. */
  equalsAt(i: number, text: string): boolean {
    const from = this.starts[i]!;
    const length = text.length;
    if (this.ends[i]! - from !== length) return false;
    const buffer = this.buffer;
    for (let k = 0; k < length; k++) if (buffer[from + k] !== text.charCodeAt(k)) return false;
    return true;
  }

  /** First value of the tag, or null if absent. */
  string(tag: number): string | null {
    const i = this.find(tag);
    return i === -1 ? null : this.stringAt(i);
  }

  /** First value of the tag as an integer: null if absent, NaN if malformed or beyond the safe range. */
  int(tag: number): number | null {
    const i = this.find(tag);
    return i === -1 ? null : this.intAt(i);
  }

  /** First value of the tag as an exact decimal: null if absent or malformed (`has` separates the two). */
  decimal(tag: number): Decimal | null {
    const i = this.find(tag);
    return i === -1 ? null : this.decimalAt(i);
  }

  /** First value of the tag, `Y` or `N`: null if absent or neither. */
  boolean(tag: number): boolean | null {
    const i = this.find(tag);
    return i === -1 ? null : this.booleanAt(i);
  }

  /** First value of the tag as a UTCTimestamp, in ms: null if absent or malformed. */
  utcTimestamp(tag: number): EpochMs | null {
    const i = this.find(tag);
    return i === -1 ? null : this.utcTimestampAt(i);
  }

  /** First value of the tag as a UTCTimestamp, in ns since 1970: null if absent or malformed. */
  utcTimestampNs(tag: number): bigint | null {
    const i = this.find(tag);
    return i === -1 ? null : this.utcTimestampNsAt(i);
  }

  /** First value of the tag as a date, in ms of its midnight in UTC: null if absent or malformed. */
  date(tag: number): EpochMs | null {
    const i = this.find(tag);
    return i === -1 ? null : this.dateAt(i);
  }

  /** First value of the tag as one character: null if absent, or if it has none or more. */
  char(tag: number): string | null {
    const i = this.find(tag);
    return i === -1 ? null : this.charAt(i);
  }

  /** The values that spaces separate in the first field with this tag: null if absent. */
  values(tag: number): string[] | null {
    const i = this.find(tag);
    return i === -1 ? null : this.valuesAt(i);
  }

  /** Whether the tag is present and its first value is exactly `text`. */
  equals(tag: number, text: string): boolean {
    const i = this.find(tag);
    return i !== -1 && this.equalsAt(i, text);
  }

  /**
   * Entries of the repeating group that this NumInGroup tag opens; [] if it is absent or 0, null if the count is malformed or
   * differs from the entries found. An entry begins at each repetition of the group's first tag. The dictionary says where the
   * last one ends; without one that knows the group it ends with the message.
   */
  groupEntries(countTag: number): GroupEntry[] | null {
    return entriesOf(this, countTag, { first: 0, end: this.fieldCount, depth: 0 });
  }

  /** Append the first field with this tag to a message, as it stands; nothing if there is none. */
  copyTo(draft: FieldBytes, tag: number): void {
    const i = this.find(tag);
    if (i !== -1) draft.addBytes(tag, this.buffer, this.starts[i]!, this.ends[i]!);
  }

  /** The frame's bytes, not copied. */
  bytes(): Uint8Array {
    const { buffer, start, end } = this;
    // A message that came alone is the whole of its chunk.
    return start === 0 && end === buffer.length ? buffer : buffer.subarray(start, end);
  }

  /** The frame's bytes in a buffer of their own. */
  copyBytes(): Buffer {
    return Buffer.from(this.bytes());
  }
}

/** The decimal of at most nine digits in [from, to), with its first byte after a sign at `first`; null if malformed. */
function shortDecimal(buffer: Buffer, from: number, first: number, to: number): Decimal | null {
  let value = 0;
  let point = -1;
  for (let at = first | 0; at < to; at = (at + 1) | 0) {
    const digit = (buffer[at]! - ZERO) | 0;
    if (digit >>> 0 <= 9) value = (Math.imul(value, 10) + digit) | 0;
    else if (digit === POINT_DIGIT && point === -1) point = at;
    else return null;
  }
  const digits = (to - first - (point === -1 ? 0 : 1)) | 0;
  if (digits === 0) return null;
  if (digits > INT32_DIGITS) return Decimal.parse(latin1(buffer, from, to));
  return new Decimal(first === from ? value : -value, point === -1 ? 0 : to - point - 1);
}

/** The digit at `at`; negative if it is none. */
function digitAt(buffer: Buffer, at: number): number {
  const digit = (buffer[at]! - ZERO) | 0;
  return digit >>> 0 > 9 ? -1 : digit;
}

/** The number in two digits at `at`; negative if one of them is none. */
function pairAt(buffer: Buffer, at: number): number {
  const tens = (buffer[at]! - ZERO) | 0;
  const ones = (buffer[at + 1]! - ZERO) | 0;
  return tens >>> 0 > 9 || ones >>> 0 > 9 ? -1 : (tens * 10 + ones) | 0;
}
