// Session ids and the numbers that records of one segment have in their place.

import { expect, test } from 'vitest';
import { isUnnamed, SessionNames } from '../../src/store/session-names.ts';
import { OTHER, SESSION } from './records.ts';

test('a number that was never named is an error, unless the name may have been in a frame that is lost', () => {
  const names = new SessionNames();
  expect([names.add(SESSION), names.add(OTHER), names.add(SESSION)]).toEqual([0, 1, 0]);
  expect([names.numberOf(OTHER), names.numberOf(SESSION), names.numberOf('nobody')]).toEqual([1, 0, undefined]);
  expect(() => names.nameOf(2)).toThrow(RangeError);
  names.damaged();
  expect(isUnnamed(names.nameOf(2))).toBe(true);
  names.set(3, 'FIX.4.4:XGATE->LATE');
  expect([names.nameOf(0), names.nameOf(3), isUnnamed(names.nameOf(3))]).toEqual([
    SESSION,
    'FIX.4.4:XGATE->LATE',
    false,
  ]);
  expect(names.all().map(isUnnamed)).toEqual([false, false, true, false]);
});
