// The map of the keys added last, against a plain one.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentMap } from '../../../src/base/collections/recent-map.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

const KEYS = Array.from({ length: 41 }, (_, key) => key);

test('a new key replaces the oldest; a known key changes its value only', () => {
  checkProperty(
    fc.property(
      fc.array(fc.nat(KEYS.length - 1), { minLength: 500, maxLength: 500 }),
      fc.integer({ min: 1, max: 20 }),
      (keys, max) => {
        const recent = new RecentMap<number, number>(max);
        const plain = new Map<number, number>();
        for (const [value, key] of keys.entries()) {
          const [oldest] = plain.keys();
          if (!plain.has(key) && plain.size === max) plain.delete(oldest!);
          plain.set(key, value);
          recent.set(key, value);
          const differs = KEYS.filter(
            (each) => recent.has(each) !== plain.has(each) || recent.get(each) !== plain.get(each),
          );
          expect(differs).toEqual([]);
        }
      },
    ),
    20,
  );
});
