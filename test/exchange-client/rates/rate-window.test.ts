// One limit of the exchange by itself: when there is room again, and which words of the exchange are built upon.

import { expect, test } from 'vitest';
import { RateWindow } from '../../../src/exchange-client/rates/rate-window.ts';

/** A limit in a window of a second. */
const window = (limit: number): RateWindow => new RateWindow(limit, 1_000);

/** One request that is answered at once; the answer says how much is left. */
function answered(of: RateWindow, now: number, remaining: number | null = null, limit = of.limit): void {
  const request = of.take();
  of.settle(now);
  if (remaining !== null) of.correct(limit, remaining, request, now);
}

test("finds room when the window of others' use is over, without an answer of ours", () => {
  const of = window(10);
  of.correct(10, 0, null, 5_000);
  expect([of.waitMs(5_000, 0), of.waitMs(5_400, 0), of.waitMs(6_000, 0)]).toEqual([1_000, 600, 0]);
});

test("the larger figure of others' use holds for its window, and restarts when repeated", () => {
  const of = window(100);
  of.correct(100, 60, null, 0);
  of.correct(100, 90, null, 500);
  expect([of.used(500), of.used(999), of.used(1_000)]).toEqual([40, 40, 0]);
  of.correct(100, 60, null, 2_000);
  of.correct(100, 60, null, 2_500);
  expect([of.used(3_499), of.used(3_500)]).toEqual([40, 0]);
});

test.each([
  ['of another limit', 20, 20],
  ['of more left than there is', 11, 10],
])('a word %s makes no room', (_what, remaining, limit) => {
  const of = window(10);
  for (let i = 0; i < 5; i++) answered(of, 0);
  answered(of, 0, remaining, limit);
  expect(of.used(0)).toBeGreaterThanOrEqual(6);
});

test('does not count possible arrivals as counted by the exchange', () => {
  const of = window(10);
  for (let i = 0; i < 5; i++) answered(of, 0);
  answered(of, 0, 10);
  expect(of.used(0)).toBe(0);
  of.take();
  of.settle(100, false);
  expect(of.used(100)).toBe(7);
  answered(of, 500, 10);
  expect(of.used(500)).toBe(8);
  answered(of, 1_100, 10);
  expect(of.used(1_100)).toBe(0);
});

test('each of many answers leaves the window in its own time, also of more than it had room for at first', () => {
  const of = window(1_000);
  for (let now = 0; now < 64; now++) answered(of, now);
  // The first of them are over, and the others stand in two pieces when room is made for more.
  expect(of.used(1_031)).toBe(32);
  for (let now = 1_031; now < 1_131; now++) answered(of, now);
  for (const [now, used] of [
    [1_063, 100],
    [2_030, 100],
    [2_031, 99],
    [2_129, 1],
    [2_130, 0],
  ] as const)
    expect(of.used(now), String(now)).toBe(used);
});
