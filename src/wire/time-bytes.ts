// A UTCTimestamp with milliseconds as bytes, rendered once for all fields that say the same moment. Leaves the field around it
// to its writers.

import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';

const ZERO = 0x30;
/** `YYYYMMDD-HH:MM:SS.` */
const SECOND_BYTES = 18;
/** And three digits. */
const TIME_BYTES = 21;

/**
 * The last time written, as the bytes of a UTCTimestamp: five 32-bit numbers and the last byte, and their sum. Messages
 * sent together mostly share one time, and the next ones the same second.
 */
const rendered = {
  time: Number.NaN,
  second: Number.NaN,
  a: 0,
  b: 0,
  c: 0,
  d: 0,
  e: 0,
  last: 0,
  sum: 0,
  tail: 0,
  secondSum: 0,
};

/**
 * True if {@link writeTime} can write this time, which is rendered now. A year without four digits cannot be written.
 */
export function hasRendered(time: EpochMs): boolean {
  return time === rendered.time || render(time);
}

/** Write the time that {@link hasRendered} was asked for last, to the millisecond, 21 bytes; returns their sum. */
export function writeTime(slab: Buffer, view: DataView, at: number): number {
  const { a, b, c, d, e, last, sum } = rendered;
  view.setInt32(at, a, true);
  view.setInt32(at + 4, b, true);
  view.setInt32(at + 8, c, true);
  view.setInt32(at + 12, d, true);
  view.setInt32(at + 16, e, true);
  slab[at + 20] = last;
  return sum;
}

function render(time: EpochMs): boolean {
  const second = Math.floor(time / 1000);
  if (second !== rendered.second && !renderSecond(second)) return false;
  const ms = (time - second * 1000) | 0;
  const hundreds = (ms / 100) | 0;
  const tens = (((ms / 10) | 0) - hundreds * 10) | 0;
  const ones = (ms - hundreds * 100 - tens * 10) | 0;
  rendered.e = rendered.tail | ((ZERO + hundreds) << 16) | ((ZERO + tens) << 24);
  rendered.last = ZERO + ones;
  rendered.sum = (rendered.secondSum + 3 * ZERO + hundreds + tens + ones) | 0;
  rendered.time = time;
  return true;
}

function renderSecond(second: number): boolean {
  const text = formatUtcTimestamp(second * 1000);
  if (text.length !== TIME_BYTES) return false;
  const bytes = Buffer.from(text, 'latin1');
  rendered.second = second;
  rendered.a = bytes.readInt32LE(0);
  rendered.b = bytes.readInt32LE(4);
  rendered.c = bytes.readInt32LE(8);
  rendered.d = bytes.readInt32LE(12);
  rendered.tail = bytes.readUInt16LE(16);
  rendered.secondSum = bytes.subarray(0, SECOND_BYTES).reduce((sum, byte) => sum + byte, 0);
  return true;
}
