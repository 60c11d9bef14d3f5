// Whether values are good at first sight, as almost all are: one loop over the fields of a message, in wire order. A value
// that is not plain is not wrong yet; validator.ts looks closer. Leaves the whole of each data type to value-format.ts, and
// messages with the tags of an earlier one to plain-values.ts.
//
// Nothing is called, so that the compiler knows that the arrays stay the same; arithmetic is in 32 bits.

import type { MessageView } from '../wire/mod.ts';
import { Format } from './value-format.ts';

/** How a value is looked at first, by tag. */
export const Look = {
  /** Of no dictionary: not looked at. */
  None: 0,
  /** Any bytes, but some. */
  Any: 1,
  Digits: 2,
  Decimal: 3,
  Timestamp: 4,
  /** One byte that the enumeration has. */
  OneByte: 5,
  /** Always closely. */
  Close: 6,
} as const;

// Constants of this module: the compiler takes one that stands in an object for a variable.
const LOOK_ANY = Look.Any;
const LOOK_DIGITS = Look.Digits;
const LOOK_DECIMAL = Look.Decimal;
const LOOK_TIMESTAMP = Look.Timestamp;
const LOOK_ONE_BYTE = Look.OneByte;

/** The first look for values of this format. */
export function lookFor(format: number, enumerated: boolean): number {
  if (enumerated) return Look.OneByte;
  switch (format) {
    case Format.Any:
      return Look.Any;
    case Format.Decimal:
      return Look.Decimal;
    case Format.NonNegative:
      return Look.Digits;
    case Format.UtcTimestamp:
      return Look.Timestamp;
    default:
      return Look.Close;
  }
}

/** The parts of a dictionary's tables (layout.ts) that a first look needs. */
export interface LookTables {
  /** By tag: a {@link Look}. */
  readonly lookByTag: Uint8Array;
  /** By tag; 0 if the tag is in no dictionary. */
  readonly ordinalByTag: Uint16Array;
  /** By ordinal eight words: a bit for each value of one byte that an enumerated field may have. */
  readonly oneByteValues: Uint32Array;
}

/**
 * Index of the first field in [from, end) with a value that needs a full check, or `end`. The pass accepts unsigned
 * decimals and integers, and timestamps on days 1 to 28, to the second or the millisecond.
 */
export function firstDoubtful(view: MessageView, tables: LookTables, from: number, end: number): number {
  const { tags, starts, ends, buffer, dataFaultAt } = view;
  const { lookByTag, ordinalByTag, oneByteValues } = tables;
  const tagEnd = lookByTag.length | 0;
  for (let i = from | 0; i < end; i = (i + 1) | 0) {
    const tag = tags[i]!;
    if (tag >= tagEnd) continue;
    const look = lookByTag[tag]!;
    if (look === 0) continue;
    let at = starts[i]! | 0;
    const to = ends[i]! | 0;
    if (at === to || i === dataFaultAt) return i;
    if (look === LOOK_ANY) continue;
    const c = buffer[at]! | 0;
    if (look === LOOK_ONE_BYTE) {
      if (to - at !== 1) return i;
      if (((oneByteValues[8 * ordinalByTag[tag]! + (c >> 5)]! >>> (c & 31)) & 1) === 0) return i;
    } else if (look === LOOK_DIGITS || look === LOOK_DECIMAL) {
      // Digits; of a decimal, one point that is not its first byte.
      if ((c - 0x30) >>> 0 > 9) return i;
      let points = look === LOOK_DECIMAL ? 1 : 0;
      for (at = (at + 1) | 0; at < to; at = (at + 1) | 0) {
        const d = buffer[at]! | 0;
        if ((d - 0x30) >>> 0 <= 9) continue;
        if (d !== 0x2e || points === 0) return i;
        points = 0;
      }
    } else if (look === LOOK_TIMESTAMP) {
      const length = (to - at) | 0;
      if (length !== 21 && length !== 17) return i;
      const y1 = (c - 0x30) | 0;
      const y2 = (buffer[at + 1]! - 0x30) | 0;
      const y3 = (buffer[at + 2]! - 0x30) | 0;
      const y4 = (buffer[at + 3]! - 0x30) | 0;
      const o1 = (buffer[at + 4]! - 0x30) | 0;
      const o2 = (buffer[at + 5]! - 0x30) | 0;
      const d1 = (buffer[at + 6]! - 0x30) | 0;
      const d2 = (buffer[at + 7]! - 0x30) | 0;
      const h1 = (buffer[at + 9]! - 0x30) | 0;
      const h2 = (buffer[at + 10]! - 0x30) | 0;
      const m1 = (buffer[at + 12]! - 0x30) | 0;
      const m2 = (buffer[at + 13]! - 0x30) | 0;
      const s1 = (buffer[at + 15]! - 0x30) | 0;
      const s2 = (buffer[at + 16]! - 0x30) | 0;
      const month = (o1 * 10 + o2) | 0;
      const day = (d1 * 10 + d2) | 0;
      // Negative as soon as a part is: a byte below 0, one above 9, or a number out of its range.
      let outside = y1 | y2 | y3 | y4 | o1 | o2 | d1 | d2 | h1 | h2 | m1 | m2 | s1 | s2;
      outside |= (9 - y1) | (9 - y2) | (9 - y3) | (9 - y4) | (9 - o2) | (9 - d2) | (9 - h2) | (9 - m2) | (9 - s2);
      outside |= (month - 1) | (12 - month) | (day - 1) | (28 - day) | (23 - h1 * 10 - h2) | (5 - m1);
      outside |= 60 - s1 * 10 - s2;
      let separators = (buffer[at + 8]! ^ 0x2d) | (buffer[at + 11]! ^ 0x3a) | (buffer[at + 14]! ^ 0x3a);
      if (length === 21) {
        const f1 = (buffer[at + 18]! - 0x30) | 0;
        const f2 = (buffer[at + 19]! - 0x30) | 0;
        const f3 = (buffer[at + 20]! - 0x30) | 0;
        outside |= f1 | f2 | f3 | (9 - f1) | (9 - f2) | (9 - f3);
        separators |= buffer[at + 17]! ^ 0x2e;
      }
      if (separators !== 0 || outside < 0) return i;
    } else return i;
  }
  return end;
}
