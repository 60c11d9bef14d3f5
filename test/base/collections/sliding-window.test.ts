// At most so many in any stretch of time.

import { describe, expect, test } from 'vitest';
import { SlidingWindow } from '../../../src/base/collections/sliding-window.ts';

describe('a window of three in a second', () => {
  function taken(...times: number[]): SlidingWindow {
    const window = new SlidingWindow(3, 1_000);
    for (const at of times) window.take(at);
    return window;
  }

  test('takes three at once, and the fourth a second after the first', () => {
    expect(taken(5_000, 5_100).waitMs(5_200)).toBe(0);
    const full = taken(5_000, 5_100, 5_200);
    expect([full.waitMs(5_300), full.waitMs(5_999), full.waitMs(6_000)]).toEqual([700, 1, 0]);
  });

  test('never takes more than three in any second, whenever they come', () => {
    const window = taken();
    const times: number[] = [];
    for (let now = 0; now < 20_000; now += 37) {
      if (window.waitMs(now) > 0) continue;
      window.take(now);
      times.push(now);
    }
    for (const [i, at] of times.entries()) if (i >= 3) expect(at - times[i - 3]!).toBeGreaterThanOrEqual(1_000);
    expect(times.length).toBeGreaterThan(55);
  });

  test('counts those that wait for their turn', () => {
    const window = taken(5_000, 5_000, 5_000);
    window.take(6_000);
    expect(window.waitMs(5_500)).toBe(500);
  });

  test('forgets all when it is cleared', () => {
    const window = taken(5_000, 5_100, 5_200);
    window.clear();
    expect(window.waitMs(5_300)).toBe(0);
  });

  test.each([
    [2, 800],
    [3, 700],
    [4, 0],
  ])('goes on in a window of %i where it was', (max, waitMs) => {
    const next = new SlidingWindow(max, 1_000);
    next.continueFrom(taken(5_000, 5_100, 5_200));
    expect(next.waitMs(5_300)).toBe(waitMs);
  });
});
