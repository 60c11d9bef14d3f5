// A 64-bit fingerprint of a key: two multiply-and-xor lanes over its UTF-16 units. Not a cryptographic hash: compare
// the keys after a match.

/** The two halves, unsigned, and both folded into one exact double of 53 bits. */
export interface Fingerprint {
  readonly hi: number;
  readonly lo: number;
  readonly short: number;
}

const mix = (lane: number): number => {
  let h = lane;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
};

/** Both halves of the fingerprints of several keys, one behind the other. */
export function fingerprintsOf(keys: readonly string[]): Uint32Array {
  const prints = new Uint32Array(2 * keys.length);
  for (let k = 0; k < keys.length; k++) {
    const { hi, lo } = fingerprint(keys[k]!);
    prints[2 * k] = hi;
    prints[2 * k + 1] = lo;
  }
  return prints;
}

export function fingerprint(key: string): Fingerprint {
  let a = 0x2545f491;
  let b = 0x51ed270b ^ key.length;
  for (let k = 0; k < key.length; k++) {
    const unit = key.charCodeAt(k);
    a = Math.imul(a ^ unit, 0x01000193) + 0x6b43a9b5;
    b = Math.imul(b + unit, 0x2c1b3c6d) ^ (b >>> 13);
  }
  return folded(a, b);
}

/** That of a text in Latin-1, out of its bytes. */
export function fingerprintOfBytes(bytes: Uint8Array, from: number, to: number): Fingerprint {
  let a = 0x2545f491;
  let b = 0x51ed270b ^ (to - from);
  for (let k = from; k < to; k++) {
    const unit = bytes[k]!;
    a = Math.imul(a ^ unit, 0x01000193) + 0x6b43a9b5;
    b = Math.imul(b + unit, 0x2c1b3c6d) ^ (b >>> 13);
  }
  return folded(a, b);
}

function folded(a: number, b: number): Fingerprint {
  const lo = mix(a ^ Math.imul(b, 0x297a2d39)) >>> 0;
  const hi = mix(b + Math.imul(a, 0x1b56c4e9)) >>> 0;
  return { hi, lo, short: hi * 2_097_152 + (lo >>> 11) };
}
