// One Bloom filter of the keys of all ended orders, in memory shared by two threads: one fills it from the database, the other adds
// and asks. New keys are rejected without the database; possible ones are looked up there. Its size is bounded: with more than
// thirteen million keys, more and more new ones seem known.

import { fingerprint } from '../fingerprint.ts';

/** 32 MiB, in pages that the system gives as they are written: twenty bits for each of thirteen million keys. */
const BITS = 268_435_456;
const PROBES = 4;

export class EndedFilter {
  readonly memory: SharedArrayBuffer;
  readonly #bytes: Uint8Array;

  constructor(memory = new SharedArrayBuffer(BITS / 8)) {
    this.memory = memory;
    this.#bytes = new Uint8Array(memory);
  }

  add(key: string): void {
    const { hi, lo } = fingerprint(key);
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = (hi + Math.imul(probe, lo | 1)) >>> 0;
      // Both threads write: a plain write would lose a bit of the other's.
      Atomics.or(this.#bytes, (bit % BITS) >>> 3, 1 << (bit & 7));
    }
  }

  /** False is certain. */
  mayHold(key: string): boolean {
    const { hi, lo } = fingerprint(key);
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = (hi + Math.imul(probe, lo | 1)) >>> 0;
      if ((this.#bytes[(bit % BITS) >>> 3]! & (1 << (bit & 7))) === 0) return false;
    }
    return true;
  }
}
