// Places found by fingerprints, as a Map would find them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PlaceTable } from '../../../src/store/index/fingerprint-table.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

const half = fc.oneof(fc.nat({ max: 3 }), fc.constantFrom(64, 128, 0x8000_0000, 0xffff_ffff));
const place = fc.tuple(half, half, fc.integer({ min: 1, max: 0xffff_ffff }), half);

test('a table finds the entries of a Map, while growing and after clearing', () => {
  checkProperty(
    fc.property(fc.array(place, { maxLength: 400 }), fc.array(place, { maxLength: 20 }), (before, after) => {
      const table = new PlaceTable();
      for (const places of [before, after]) {
        const known = new Map<string, readonly [number, number]>();
        for (const [hi, lo, a, b] of places) {
          table.set(hi, lo, a, b);
          known.set(`${hi} ${lo}`, [a, b]);
        }
        expect(table.size).toBe(known.size);
        for (const [hi, lo] of [...before, ...after]) {
          expect(table.get(hi, lo)).toEqual(known.get(`${hi} ${lo}`) ?? null);
        }
        table.clear();
        expect(table.size).toBe(0);
      }
    }),
  );
});

test('finds thousands of places with equal fingerprint ends', () => {
  const table = new PlaceTable();
  for (let n = 0; n < 3000; n++) table.set(n, 64 * (n % 7), n + 1, n);
  for (let n = 0; n < 3000; n++) expect(table.get(n, 64 * (n % 7))).toEqual([n + 1, n]);
  expect(table.get(3000, 0)).toBeNull();
});
