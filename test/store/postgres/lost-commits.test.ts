// Reports of commits that were confirmed and are gone. With a database it is in journal.test.ts.

import { expect, test } from 'vitest';
import { lossObjection } from '../../../src/store/postgres/lost-commits.ts';

test('J3 accepts a journal with every confirmed frame, and objects if the last is missing', () => {
  const noted = (text: string | null) => ({ read: () => text, write: () => Promise.resolve() });
  expect([lossObjection(noted(null), 0), lossObjection(noted('7'), 7), lossObjection(noted('7'), 8)]).toEqual([
    null,
    null,
    null,
  ]);
  expect(lossObjection(noted('7'), 6)).toMatch(/^the journal ends with frame 6, but frame 7 was confirmed/);
});
