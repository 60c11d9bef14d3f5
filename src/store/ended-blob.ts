// Orders that ended, many of them in one run of bytes: each record compressed, found by any of its keys with a search among
// sorted fingerprints. What a database keeps of them per snapshot, and what its node holds in memory.
//
//   bytes = number of keys 4 · per key (fingerprint 8, offset 4), ascending · records as (length 4, compressed JSON of keys and text)

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { fingerprint } from './fingerprint.ts';

export interface EndedOrder {
  readonly keys: readonly string[];
  readonly text: string;
}

const KEY_BYTES = 12;

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
    const packed = deflateRawSync(JSON.stringify([order.keys, order.text]), { level: 1 });
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
    const at = bytes.readUInt32LE(4 + low * KEY_BYTES + 8);
    const packed = bytes.subarray(at + 4, at + 4 + bytes.readUInt32LE(at));
    const [keys, text] = JSON.parse(inflateRawSync(packed).toString('utf8')) as [string[], string];
    if (keys.includes(key)) return text;
  }
  return null;
}
