// A Bloom filter before an index of keys: most requested keys are new, and the filter rejects them without reading a
// page. fingerprint.ts makes the numbers of a key; sorted-file.ts places the filter.

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
  const bits = filter.length * 8;
  for (let at = 0; at < numbers.length && bits > 0; at += stride) {
    for (let probe = 0; probe < PROBES; probe++) {
      const bit = bitOf(numbers[at]!, numbers[at + 1]!, probe, bits);
      filter[bit >>> 3]! |= 1 << (bit & 7);
    }
  }
  return filter;
}

/** Whether a key may be among those of a filter; false is certain. An empty one knows nothing. */
export function mayHold(filter: Uint8Array, hi: number, lo: number): boolean {
  const bits = filter.length * 8;
  if (bits === 0) return true;
  for (let probe = 0; probe < PROBES; probe++) {
    const bit = bitOf(hi, lo, probe, bits);
    if ((filter[bit >>> 3]! & (1 << (bit & 7))) === 0) return false;
  }
  return true;
}

function bitOf(hi: number, lo: number, probe: number, bits: number): number {
  return ((lo + Math.imul(probe, hi | 1)) >>> 0) % bits;
}
