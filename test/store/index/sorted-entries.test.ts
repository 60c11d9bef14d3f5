// Entries of index files, sorted and merged: as by comparing, and of two with the same first numbers the later one stays.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ENTRY_NUMBERS, mergeEntries, sortEntries } from '../../../src/store/index/sorted-file.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

/** Entries with few different first numbers, so that some are equal, and some that need all 32 bits. */
const entry = fc.tuple(fc.constantFrom(0, 1, 65_535, 65_536, 0x8000_0001, 0xffff_ffff), fc.nat({ max: 40 }));

function flat(pairs: readonly (readonly [number, number])[], from = 0): number[] {
  return pairs.flatMap(([hi, lo], k) => [hi, lo * 0x0605_0403, from + k, 7, 9]);
}

/** A reader's expectation: a Map filled in order. */
function expected(entries: readonly number[]): number[] {
  const last = new Map<string, number[]>();
  for (let k = 0; k < entries.length; k += ENTRY_NUMBERS) {
    last.set(`${entries[k]} ${entries[k + 1]}`, entries.slice(k, k + ENTRY_NUMBERS));
  }
  return [...last.values()].sort((a, b) => a[0]! - b[0]! || a[1]! - b[1]!).flat();
}

test('entries are sorted, and of equal ones the last given stays', () => {
  checkProperty(
    fc.property(fc.array(entry, { maxLength: 60 }), (pairs) => {
      expect([...sortEntries(flat(pairs))]).toEqual(expected(flat(pairs)));
    }),
  );
});

test('very many entries are sorted to the same', () => {
  let state = 12_345;
  const below = (max: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
  const pairs = Array.from({ length: 9000 }, () => [below(4) * 0x3fff_ffff, below(42)] as const);
  for (let k = 0; k < 6000; k++) pairs[k] = [below(2 ** 32), below(42)];
  expect([...sortEntries(flat(pairs))]).toEqual(expected(flat(pairs)));
});

test('merged, the entries of the newer file stay', () => {
  checkProperty(
    fc.property(fc.array(entry, { maxLength: 30 }), fc.array(entry, { maxLength: 30 }), (a, b) => {
      const older = flat(a);
      const newer = flat(b, 1000);
      const merged = mergeEntries(sortEntries(older), sortEntries(newer));
      expect([...merged]).toEqual(expected([...older, ...newer]));
    }),
  );
});
