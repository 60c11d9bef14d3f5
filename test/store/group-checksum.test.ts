// Checksums of groups: XXH64 as its authors publish it, by the kernel and without one, and what it finds.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CRC32, checksumOf, PIECE_BYTES, pieceByIntegers, WRITTEN, XXH64 } from '../../src/store/group-checksum.ts';
import { checkProperty } from '../support/seeded-property.ts';

/** Lower halves of XXH64, as the reference implementation gives them. */
const PUBLISHED: readonly (readonly [text: string, checksum: number])[] = [
  ['', 0x51d8e999],
  ['abc', 0xad770999],
  ['Nobody inspects the spammish repetition', 0x8a378bf1],
];

describe('the checksum of a group', () => {
  test.each(PUBLISHED)('of %j is that of the reference implementation', (text, checksum) => {
    expect(XXH64.of(Buffer.from(text), 0)).toBe(checksum);
    expect(pieceByIntegers(Buffer.from(text), 0)).toBe(checksum);
  });

  test('is written where there is WebAssembly, and known by its marker like the CRC of older groups', () => {
    expect(WRITTEN).toBe(XXH64);
    for (const checksum of [XXH64, CRC32]) expect(checksumOf(checksum.marker)).toBe(checksum);
    expect(checksumOf(0)).toBeNull();
  });

  test('is the same without WebAssembly, for every length and seed', () => {
    checkProperty(
      fc.property(
        fc.uint8Array({ maxLength: 200 }),
        fc.nat({ max: 7 }),
        fc.integer({ min: 0, max: 0xffff_ffff }),
        (bytes, skipped, seed) => {
          const piece = Buffer.from(bytes).subarray(skipped);
          expect(XXH64.of(piece, seed)).toBe(pieceByIntegers(piece, seed));
        },
      ),
      300,
    );
  });

  test('of a group beyond a piece depends on every piece and their order', () => {
    const group = Buffer.alloc(2 * PIECE_BYTES + 5, 'x');
    const whole = XXH64.of(group, 7);
    expect(whole).toBe(
      [group.subarray(0, PIECE_BYTES), group.subarray(0, PIECE_BYTES), Buffer.from('xxxxx')].reduce(
        (seed, piece) => XXH64.of(piece, seed),
        7,
      ),
    );
    for (const at of [0, PIECE_BYTES - 1, PIECE_BYTES, group.length - 1]) {
      const changed = Buffer.from(group);
      changed[at] = changed[at]! ^ 1;
      expect(XXH64.of(changed, 7)).not.toBe(whole);
    }
  });

  test('changes with every bit of a group', () => {
    const group = Buffer.from(
      '8=FIX.4.4|9=65|35=D|34=2|49=OMS|52=20261121-12:00:00.000|56=XGATE|11=1|10=000|'.repeat(7),
    );
    const whole = XXH64.of(group, 1);
    for (let bit = 0; bit < 8 * group.length; bit++) {
      group[bit >> 3]! ^= 1 << (bit & 7);
      if (XXH64.of(group, 1) === whole) throw new Error(`bit ${bit} is not covered`);
      group[bit >> 3]! ^= 1 << (bit & 7);
    }
    expect(XXH64.of(group, 1)).toBe(whole);
    expect(XXH64.of(group, 2)).not.toBe(whole);
  });
});
