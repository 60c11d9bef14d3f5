// A recurring event is reported now and then, with its count.

import { expect, test } from 'vitest';
import { Seldom } from '../../src/base/seldom.ts';

test('reports one of a kind, counts those within the interval, and adds the count to the next', () => {
  const seldom = new Seldom(1000);
  expect([0, 1, 999, 1000, 1001].map((at) => seldom.due('token', at))).toEqual([0, null, null, 2, null]);
  expect(seldom.due('token', 2000)).toBe(1);
  expect(seldom.due('token', 9000)).toBe(0);
});

test('one kind never suppresses another', () => {
  const seldom = new Seldom(1000);
  expect([seldom.due('token', 0), seldom.due('frame', 1), seldom.due('token', 2)]).toEqual([0, 0, null]);
});
