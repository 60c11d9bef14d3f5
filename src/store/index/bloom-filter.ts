// Bloom filters before indexes of keys: most requested keys are new, and the filter rejects them without reading a page
// or asking the database. A filter is bytes; `hash` and the odd `step` of a key choose its bits.
// sorted-file.ts places `keyFilter` in a file.

const BITS_PER_KEY = 10;
/** Bits that each key sets: with ten per key, one new key in fifty seems known. */
const PROBES = 3;
/** An index with more keys has no filter: it is kept in memory, and would be 25 MB. */
const KEYS_MAX = 20_000_000;

/**
 * A filter of the keys with their two numbers at the beginning of every `stride` numbers; empty if there are too many.
 */
export function keyFilter(numbers: Uint32Array, stride: number): Uint8Array {
  const count = numbers.length / stride;
  const filter = new Uint8Array(count > KEYS_MAX ? 0 : Math.ceil((count * BITS_PER_KEY) / 8));
  if (filter.length === 0) return filter;
  for (let at = 0; at < numbers.length; at += stride) addKey(filter, numbers[at + 1]!, numbers[at]! | 1, PROBES);
  return filter;
}

/** Whether a key may be among those of a `keyFilter`; false is certain. An empty one knows nothing. */
export function mayHold(filter: Uint8Array, hi: number, lo: number): boolean {
  return filter.length === 0 || mayHoldKey(filter, lo, hi | 1, PROBES);
}

/** @param probes bits that each key sets; the same for adding and asking */
export function addKey(filter: Uint8Array, hash: number, step: number, probes: number): void {
  for (let probe = 0; probe < probes; probe++) {
    const bit = bitOf(filter, hash, step, probe);
    filter[bit >>> 3]! |= 1 << (bit & 7);
  }
}

/** Whether a key may have been added; false is certain. */
export function mayHoldKey(filter: Uint8Array, hash: number, step: number, probes: number): boolean {
  for (let probe = 0; probe < probes; probe++) {
    const bit = bitOf(filter, hash, step, probe);
    if ((filter[bit >>> 3]! & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function bitOf(filter: Uint8Array, hash: number, step: number, probe: number): number {
  return ((hash + Math.imul(probe, step)) >>> 0) % (filter.length * 8);
}
