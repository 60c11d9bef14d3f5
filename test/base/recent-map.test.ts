// The set of the members added last, against a plain one.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RecentSet } from '../../src/base/recent-set.ts';

test('a new member takes the place of the one added longest ago, a known one changes nothing', () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(40), { minLength: 500, maxLength: 500 }),
      fc.integer({ min: 1, max: 20 }),
      (members, max) => {
        const recent = new RecentSet<number>(max);
        const plain = new Set<number>();
        for (const member of members) {
          const isNew = !plain.has(member);
          const [oldest] = plain;
          const goes = isNew && plain.size === max ? oldest : undefined;
          expect(recent.add(member)).toBe(goes);
          if (goes !== undefined) plain.delete(goes);
          plain.add(member);
          for (let each = 0; each <= 40; each++) expect(recent.has(each)).toBe(plain.has(each));
        }
      },
    ),
    { numRuns: 20 },
  );
});
