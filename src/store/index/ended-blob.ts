// Ended orders, many in one run of bytes: each record is compressed and found by any of its keys through a search among
// sorted fingerprints. A database keeps one per snapshot. With the keys' positions noted, records are read one by one.
//
//   bytes = number of keys 4 · per key (fingerprint 8, offset 4), ascending · records as (length 4, compressed JSON of keys and text)

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { fingerprint } from '../fingerprint.ts';

export interface EndedOrder {
  readonly keys: readonly string[];
  readonly text: string;
}

const KEY_BYTES = 12;
/**
 * Of one record, which is a kilobyte or two: the usual window and tables are a quarter of a megabyte that is cleared for each, and
 * what comes out keeps a whole chunk in memory.
 */
const PACKING = { level: 1, windowBits: 12, memLevel: 5, chunkSize: 1_024 };

/** Put orders into one run; of two with the same key the later one is found. */
export function encodeEndedOrders(orders: readonly EndedOrder[]): Buffer {
  const last = new Map<string, EndedOrder>();
  for (const order of orders) for (const key of order.keys) last.set(key, order);
  const head = Buffer.alloc(4 + last.size * KEY_BYTES);
  head.writeUInt32LE(last.size, 0);
  const offsets = new Map<EndedOrder, number>();
  const records: Buffer[] = [];
  let offset = head.length;
  for (const order of new Set(last.values())) {
    const packed = Buffer.from(deflateRawSync(JSON.stringify([order.keys, order.text]), PACKING));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(packed.length, 0);
    records.push(length, packed);
    offsets.set(order, offset);
    offset += 4 + packed.length;
  }
  const entries = Array.from(last, ([key, order]) => ({ short: fingerprint(key).short, at: offsets.get(order)! }));
  entries.sort((a, b) => a.short - b.short);
  for (const [k, { short, at }] of entries.entries()) {
    head.writeDoubleLE(short, 4 + k * KEY_BYTES);
    head.writeUInt32LE(at, 4 + k * KEY_BYTES + 8);
  }
  return Buffer.concat([head, ...records]);
}

/** The record of a key in a run, or null. */
export function findEnded(bytes: Buffer, key: string): string | null {
  const { short } = fingerprint(key);
  const count = bytes.readUInt32LE(0);
  const shortAt = (k: number): number => bytes.readDoubleLE(4 + k * KEY_BYTES);
  let low = 0;
  for (let high = count; low < high; ) {
    const middle = (low + high) >>> 1;
    if (shortAt(middle) < short) low = middle + 1;
    else high = middle;
  }
  for (; low < count && shortAt(low) === short; low++) {
    const found = endedIn(bytes.subarray(bytes.readUInt32LE(4 + low * KEY_BYTES + 8)), key);
    if (found !== null) return found;
  }
  return null;
}

/** The text of the record that begins here, if it is of this key. @throws if it makes no sense */
export function endedIn(record: Buffer, key: string): string | null {
  const packed = record.subarray(4, 4 + record.readUInt32LE(0));
  const [keys, text] = JSON.parse(inflateRawSync(packed).toString('utf8')) as [string[], string];
  return keys.includes(key) ? text : null;
}

/** Where a run has the record of a key. */
export interface EndedPlace {
  /** Fingerprint of the key, and which of those with the same one it is. */
  readonly print: number;
  readonly nth: number;
  /** Of the record. */
  readonly at: number;
  readonly bytes: number;
}

/** Places of all keys of a run, ascending by fingerprint. */
export function* placesIn(run: Buffer): Generator<EndedPlace> {
  const count = run.readUInt32LE(0);
  let last = Number.NaN;
  let nth = 0;
  for (let k = 0; k < count; k++) {
    const print = run.readDoubleLE(4 + k * KEY_BYTES);
    const at = run.readUInt32LE(4 + k * KEY_BYTES + 8);
    nth = print === last ? nth + 1 : 0;
    last = print;
    yield { print, nth, at, bytes: 4 + run.readUInt32LE(at) };
  }
}

/** A hash of each key of a run, four bytes each: what a filter is made of. */
export function hashesOf(run: Buffer): Buffer {
  const hashes = Buffer.allocUnsafe(4 * run.readUInt32LE(0));
  let at = 0;
  for (const { print } of placesIn(run)) at = hashes.writeUInt32LE(hashOf(print), at);
  return hashes;
}

/** Thirty-two bits of a fingerprint. */
export function hashOf(print: number): number {
  const upper = Math.floor(print / 2_097_152);
  const mixed = Math.imul((print % 2_097_152) + 1, 0x9e3779b1) ^ Math.imul(upper, 0x85ebca6b);
  return Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d) >>> 0;
}
