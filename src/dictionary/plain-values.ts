// Whether the values of a message are good at first sight, for messages with the tags of an earlier one: one loop a kind of
// value. A value that is not plain is not wrong yet; quick-values.ts then goes through the whole message in wire order.
//
// The loops call nothing, so that the compiler knows that the arrays stay the same; arithmetic is in 32 bits.

import type { MessageView } from '../wire/mod.ts';
import { Look, type LookTables } from './quick-values.ts';

const POINT = 0x2e;
const BODY_LENGTH_INDEX = 1;

/** The checks of one sequence of tags, sorted by kind. */
export class PlainValues {
  /** Indexes of the fields that always need a full check. */
  readonly others: number[] = [];
  /** Fields that have any bytes, but some. */
  private readonly texts: Int32Array;
  /** Fields with an enumeration, and where the eight words of each begin in `oneByteValues`. */
  private readonly oneByte: Int32Array;
  private readonly words: Int32Array;
  private readonly oneByteValues: Uint32Array;
  /** Numbers, and how many points each may have. */
  private readonly numbers: Int32Array;
  private readonly points: Int32Array;
  private readonly timestamps: Int32Array;
  /** The last day of a timestamp, its eight bytes in two words: consecutive timestamps share it. */
  private yearBytes = 0x31393730;
  private dayBytes = 0x30313031;

  /** From a message with the tags in question. */
  constructor(view: MessageView, { lookByTag, ordinalByTag, oneByteValues }: LookTables) {
    const texts: number[] = [];
    const oneByte: number[] = [];
    const numbers: number[] = [];
    const timestamps: number[] = [];
    const looks = Array.from({ length: view.fieldCount }, (_, i) => lookByTag[view.tagAt(i)] ?? Look.None);
    for (const [i, look] of looks.entries()) {
      if (look === Look.OneByte && view.valueEnd(i) - view.valueStart(i) === 1) oneByte.push(i);
      else if (look === Look.Digits || look === Look.Decimal) {
        // The framer has proved BodyLength(9).
        if (i !== BODY_LENGTH_INDEX) numbers.push(i);
      } else if (look === Look.Any) texts.push(i);
      else if (look === Look.Timestamp) timestamps.push(i);
      else if (look === Look.OneByte || look === Look.Close) this.others.push(i);
    }
    this.texts = Int32Array.from(texts);
    this.oneByte = Int32Array.from(oneByte);
    this.words = Int32Array.from(oneByte, (i) => 8 * ordinalByTag[view.tagAt(i)]!);
    this.oneByteValues = oneByteValues;
    this.numbers = Int32Array.from(numbers);
    this.points = Int32Array.from(numbers, (i) => (looks[i] === Look.Decimal ? 1 : 0));
    this.timestamps = Int32Array.from(timestamps);
  }

  /** True if all values but the `others` are plain: none is empty, and each is what `firstDoubtful` accepts. */
  arePlain(view: MessageView): boolean {
    if (view.dataFaultAt !== -1) return false;
    const { starts, ends } = view;
    const { texts } = this;
    for (let k = 0; k < texts.length; k = (k + 1) | 0) if (starts[texts[k]!] === ends[texts[k]!]) return false;
    return this.enumeratedArePlain(view) && this.numbersArePlain(view) && this.timestampsArePlain(view);
  }

  private enumeratedArePlain({ starts, ends, buffer }: MessageView): boolean {
    const { oneByte, words, oneByteValues } = this;
    for (let k = 0; k < oneByte.length; k = (k + 1) | 0) {
      const i = oneByte[k]!;
      const at = starts[i]! | 0;
      if (ends[i]! - at !== 1) return false;
      const c = buffer[at]! | 0;
      if (((oneByteValues[(words[k]! + (c >> 5)) | 0]! >>> (c & 31)) & 1) === 0) return false;
    }
    return true;
  }

  /** Digits, with at most as many points as allowed, none of them the first byte. */
  private numbersArePlain({ starts, ends, buffer }: MessageView): boolean {
    const { numbers, points } = this;
    for (let k = 0; k < numbers.length; k = (k + 1) | 0) {
      const i = numbers[k]!;
      let at = starts[i]! | 0;
      const to = ends[i]! | 0;
      if ((buffer[at]! - 0x30) >>> 0 > 9) return false;
      let left = points[k]! | 0;
      for (at = (at + 1) | 0; at < to; at = (at + 1) | 0) {
        const c = buffer[at]! | 0;
        if ((c - 0x30) >>> 0 <= 9) continue;
        if (c !== POINT || left === 0) return false;
        left = 0;
      }
    }
    return true;
  }

  /** To the second or the millisecond, on days 1 to 28. */
  private timestampsArePlain({ starts, ends, buffer }: MessageView): boolean {
    const { timestamps } = this;
    for (let k = 0; k < timestamps.length; k = (k + 1) | 0) {
      const i = timestamps[k]!;
      const at = starts[i]! | 0;
      const length = (ends[i]! - at) | 0;
      if (length !== 21 && length !== 17) return false;
      const year = (buffer[at]! << 24) | (buffer[at + 1]! << 16) | (buffer[at + 2]! << 8) | buffer[at + 3]!;
      const day = (buffer[at + 4]! << 24) | (buffer[at + 5]! << 16) | (buffer[at + 6]! << 8) | buffer[at + 7]!;
      if ((year !== this.yearBytes || day !== this.dayBytes) && !this.takesDay(year, day)) return false;
      const h1 = (buffer[at + 9]! - 0x30) | 0;
      const h2 = (buffer[at + 10]! - 0x30) | 0;
      const m1 = (buffer[at + 12]! - 0x30) | 0;
      const m2 = (buffer[at + 13]! - 0x30) | 0;
      const s1 = (buffer[at + 15]! - 0x30) | 0;
      const s2 = (buffer[at + 16]! - 0x30) | 0;
      // Negative as soon as a part is: a byte below 0, one above 9, or a number out of its range.
      let outside = h1 | h2 | m1 | m2 | s1 | s2 | (9 - h2) | (9 - m2) | (9 - s2);
      outside |= (23 - h1 * 10 - h2) | (5 - m1) | (60 - s1 * 10 - s2);
      let separators = (buffer[at + 8]! ^ 0x2d) | (buffer[at + 11]! ^ 0x3a) | (buffer[at + 14]! ^ 0x3a);
      if (length === 21) {
        const f1 = (buffer[at + 18]! - 0x30) | 0;
        const f2 = (buffer[at + 19]! - 0x30) | 0;
        const f3 = (buffer[at + 20]! - 0x30) | 0;
        outside |= f1 | f2 | f3 | (9 - f1) | (9 - f2) | (9 - f3);
        separators |= buffer[at + 17]! ^ POINT;
      }
      if (separators !== 0 || outside < 0) return false;
    }
    return true;
  }

  /** Whether the bytes `YYYY` and `MMDD` are a day from 1 to 28; notes it if so. */
  private takesDay(year: number, monthAndDay: number): boolean {
    if (!/^\d{4}(0[1-9]|1[0-2])(0[1-9]|1\d|2[0-8])$/.test(textOf(year) + textOf(monthAndDay))) return false;
    this.yearBytes = year;
    this.dayBytes = monthAndDay;
    return true;
  }
}

const textOf = (word: number): string =>
  String.fromCharCode(word >>> 24, (word >> 16) & 0xff, (word >> 8) & 0xff, word & 0xff);
