// One Bloom filter of the keys of all ended orders, in memory shared by two threads: one fills it, the other asks. New
// keys are rejected without the database; possible ones are looked up there. Its size is bounded: beyond that, more and
// more keys seem known.

import { addKey, mayHoldKey } from '../index/bloom-filter.ts';

/** With twenty bits and four probes one new key in a thousand seems known. */
const BITS_PER_KEY = 20;
const PROBES = 4;
/** Room for keys that come later. */
const ROOM = 1.5;
const BITS_MIN = 1_048_576;
/** 64 MiB: 27 million keys, of some eight million orders, at twenty bits each. */
const BITS_MAX = 536_870_912;

export class EndedFilter {
  readonly memory: SharedArrayBuffer;
  readonly #bytes: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    this.memory = memory;
    this.#bytes = new Uint8Array(memory);
  }

  /** An empty one for so many keys. */
  static for(keys: number): EndedFilter {
    const bits = Math.min(BITS_MAX, Math.max(BITS_MIN, keys * ROOM * BITS_PER_KEY));
    return new EndedFilter(new SharedArrayBuffer(Math.ceil(bits / 8)));
  }

  /** Whether a larger one would do better with so many keys. */
  isTooSmallFor(keys: number): boolean {
    const bits = this.#bytes.length * 8;
    return bits < BITS_MAX && keys * BITS_PER_KEY > bits;
  }

  add(hash: number): void {
    addKey(this.#bytes, hash, stepOf(hash), PROBES);
  }

  /** False is certain. */
  mayHold(hash: number): boolean {
    return mayHoldKey(this.#bytes, hash, stepOf(hash), PROBES);
  }
}

function stepOf(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  return Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39) | 1;
}
