// A message that repeats one of the journal, recorded as a reference to that one and the fields that differ (rule S2): a loop of
// resets would multiply the journal otherwise. Leaves where records lie to index/outbound-index.ts.
//
// The difference is a list of steps, numbers in 7 bits a byte: bytes to copy from the earlier message, bytes of it to pass over,
// bytes that stand here, and those.

import type { Location } from './index/outbound-index.ts';

const SOH = 0x01;
/** Fields looked at to find where the two agree again. */
const FIELDS_AHEAD_MAX = 8;
/** A difference is recorded if it is shorter than the message by this much: a reference costs a read. */
const SAVED_BYTES_MIN = 64;

/** A whole message that lies in the journal, for a record that repeats it. */
export class StoredMessage {
  readonly location: Location;
  readonly raw: Uint8Array;

  constructor(location: Location, raw: Uint8Array) {
    this.location = location;
    this.raw = raw;
  }
}

/** The bytes of a message as the difference to one that lies in the journal, whole. */
export class RepeatedBytes {
  readonly location: Location;
  readonly difference: Uint8Array;

  constructor(location: Location, difference: Uint8Array) {
    this.location = location;
    this.difference = difference;
  }
}

/** How to record `raw`, which repeats `stored`; null: whole. */
export function repeatedBytes(stored: object | undefined, raw: Uint8Array): RepeatedBytes | null {
  if (stored instanceof RepeatedBytes) return stored;
  if (!(stored instanceof StoredMessage)) return null;
  const difference = differenceOf(raw, stored.raw);
  return difference.length + SAVED_BYTES_MIN <= raw.length ? new RepeatedBytes(stored.location, difference) : null;
}

/** The position behind the field that begins there. */
function fieldEnd(bytes: Uint8Array, from: number): number {
  const at = bytes.indexOf(SOH, from);
  return at === -1 ? bytes.length : at + 1;
}

function isSame(a: Uint8Array, aFrom: number, aEnd: number, b: Uint8Array, bFrom: number): boolean {
  if (bFrom + aEnd - aFrom > b.length) return false;
  for (let k = 0; k < aEnd - aFrom; k++) if (a[aFrom + k] !== b[bFrom + k]) return false;
  return true;
}

/** Where in `base` the field of `raw` stands, from `position` on and not far behind; -1 if it does not. */
function findField(raw: Uint8Array, from: number, end: number, base: Uint8Array, position: number): number {
  for (let fields = 0, at = position; fields < FIELDS_AHEAD_MAX && at < base.length; fields++) {
    if (isSame(raw, from, end, base, at)) return at;
    at = fieldEnd(base, at);
  }
  return -1;
}

/** The steps that make `raw` of `base`. */
export function differenceOf(raw: Uint8Array, base: Uint8Array): Uint8Array {
  const steps: number[] = [];
  /** The step under way, and how far `base` is used up. */
  let [position, copied, insertedFrom, insertedEnd, passed] = [0, 0, 0, 0, 0];
  const push = (): void => {
    putNumber(steps, copied);
    putNumber(steps, passed);
    putNumber(steps, insertedEnd - insertedFrom);
    for (let k = insertedFrom; k < insertedEnd; k++) steps.push(raw[k]!);
    copied = 0;
    passed = 0;
    insertedFrom = insertedEnd;
  };
  for (let from = 0; from < raw.length; ) {
    const end = fieldEnd(raw, from);
    const found = findField(raw, from, end, base, position);
    if (found === -1) {
      if (insertedEnd === insertedFrom) insertedFrom = from;
      insertedEnd = end;
    } else {
      passed += found - position;
      if (insertedEnd > insertedFrom || passed > 0) push();
      copied += end - from;
      position = found + end - from;
    }
    from = end;
  }
  push();
  return Uint8Array.from(steps);
}

/** Make the message again. @throws RangeError if the difference is none of `base` */
export function applyDifference(difference: Uint8Array, base: Uint8Array): Buffer {
  const parts: Uint8Array[] = [];
  let at = 0;
  let position = 0;
  const number = (): number => {
    let value = 0;
    for (let shift = 0; shift < 28; shift += 7) {
      const byte = difference[at++];
      if (byte === undefined) break;
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new RangeError('the difference to an earlier message makes no sense');
  };
  const slice = (bytes: Uint8Array, from: number, count: number): Uint8Array => {
    if (from + count > bytes.length) throw new RangeError('the difference is not of this earlier message');
    return bytes.subarray(from, from + count);
  };
  while (at < difference.length) {
    const copied = number();
    const passed = number();
    const inserted = number();
    parts.push(slice(base, position, copied));
    position += copied + passed;
    parts.push(slice(difference, at, inserted));
    at += inserted;
  }
  return Buffer.concat(parts);
}

function putNumber(steps: number[], value: number): void {
  let left = value;
  for (; left >= 0x80; left >>>= 7) steps.push((left & 0x7f) | 0x80);
  steps.push(left);
}
