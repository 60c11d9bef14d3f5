// Collects the ids of a segment while it is read: those of messages and of orders. Looks at the bytes of a record as they lie there,
// because decoding each would take ten times as long.

import type { EpochMs } from '../../base/time.ts';
import { fingerprintOfBytes } from '../fingerprint.ts';
import { filterOf, type SegmentIds } from './segment-ids.ts';

const SOH = 0x01;
const EQUALS = 0x3d;
const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** A power of two. */
const RECENT = 1_024;
/** `clOrdID` and `exchangeOrderId` in the JSON of an order, with the quote before each. */
const CL_ORD_ID = Buffer.from('"clOrdID');
const EXCHANGE_ORDER_ID = Buffer.from('"exchangeOrderId":"');

export class IdCollector {
  readonly #seen = new Set<number>();
  readonly #recent = new Float64Array(RECENT);
  readonly #prints: number[] = [];
  #earliest = Number.POSITIVE_INFINITY;
  #latest = Number.NEGATIVE_INFINITY;

  /** A frame of that time. */
  at(at: EpochMs): void {
    this.#earliest = Math.min(this.#earliest, at);
    this.#latest = Math.max(this.#latest, at);
  }

  ids(firstFrame: number, end: number): SegmentIds {
    const filter = filterOf(this.#prints);
    return { filter, earliest: this.#earliest, latest: this.#latest, firstFrame, end };
  }

  /** The ids of a message in these bytes, which may have other bytes around it. */
  message(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      if (bytes[at] !== SOH) continue;
      const start = valueOfId(bytes, at + 1);
      if (start === 0) continue;
      let end = start;
      while (end < to && bytes[end] !== SOH) end++;
      this.#note(bytes, start, end);
      // The next field begins with the SOH that ends this one.
      at = end - 1;
    }
  }

  /** The names of an order in the bytes of its record. */
  order(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      if (bytes[at] !== QUOTE) continue;
      const first = bytes[at + 1];
      if (first === CL_ORD_ID[1] && stands(CL_ORD_ID, bytes, at)) this.#clOrdIDs(bytes, at + CL_ORD_ID.length, to);
      else if (first === EXCHANGE_ORDER_ID[1] && stands(EXCHANGE_ORDER_ID, bytes, at))
        this.#quoted(bytes, at + EXCHANGE_ORDER_ID.length, to);
    }
  }

  /** Behind the name: `":"A-1"`, or `s":["A-1","A-2"]`. */
  #clOrdIDs(bytes: Uint8Array, from: number, to: number): void {
    if (bytes[from] === QUOTE) {
      if (bytes[from + 2] === QUOTE) this.#quoted(bytes, from + 3, to);
      return;
    }
    for (let at = from + 4; bytes[at] === QUOTE && at < to; at++) {
      at = this.#quoted(bytes, at + 1, to) + 1;
      if (bytes[at] !== COMMA) return;
    }
  }

  /** A text up to its quote; the place of that. One with an escape is searched for without the filter. */
  #quoted(bytes: Uint8Array, start: number, to: number): number {
    let end = start;
    while (end < to && bytes[end] !== QUOTE) {
      if (bytes[end] === BACKSLASH) return to;
      end++;
    }
    this.#note(bytes, start, end);
    return end;
  }

  #note(bytes: Uint8Array, start: number, end: number): void {
    const { hi, lo, short } = fingerprintOfBytes(bytes, start, end);
    // The records of an order follow each other: its ids were mostly just seen.
    const place = lo & (RECENT - 1);
    if (this.#recent[place] === short) return;
    this.#recent[place] = short;
    if (this.#seen.has(short)) return;
    this.#seen.add(short);
    this.#prints.push(hi, lo);
  }
}

/** Where the value begins if one of the tags 11, 17, 37, 41 and 198 stands at `at`; else 0. */
function valueOfId(bytes: Uint8Array, at: number): number {
  const [first, second, third] = [bytes[at], bytes[at + 1], bytes[at + 2]];
  if (third === EQUALS) {
    const isId =
      (first === 0x31 && (second === 0x31 || second === 0x37)) ||
      (first === 0x33 && second === 0x37) ||
      (first === 0x34 && second === 0x31);
    return isId ? at + 3 : 0;
  }
  return first === 0x31 && second === 0x39 && third === 0x38 && bytes[at + 3] === EQUALS ? at + 4 : 0;
}

function stands(needle: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let k = 1; k < needle.length; k++) if (bytes[at + k] !== needle[k]) return false;
  return true;
}
