// A steady time of a clock that is set back, forward, or jitters.

import { expect, test } from 'vitest';
import { CLOCK_SET_BACK_MS, SteadyTime } from '../../src/base/steady-time.ts';

test('follows a clock that goes forward, however far', () => {
  const time = new SteadyTime();
  expect([1_000, 1_001, 9_000_000].map((clock) => time.advance(clock))).toEqual([1_000, 1_001, 9_000_000]);
  expect([time.aheadMs, time.clockAt(9_000_000)]).toEqual([0, 9_000_000]);
});

test('goes on from its last time when the clock is set back, and knows what the clock shows', () => {
  const time = new SteadyTime();
  time.advance(10_000_000);
  expect([time.advance(6_400_000), time.advance(6_400_500)]).toEqual([10_000_000, 10_000_500]);
  expect([time.aheadMs, time.clockAt(10_000_500)]).toEqual([3_600_000, 6_400_500]);
  expect([time.advance(1_000_000), time.clockAt(10_000_500)]).toEqual([10_000_500, 1_000_000]);
});

test('stands still for a step back of less than a second, and is not ahead after it', () => {
  const time = new SteadyTime();
  time.advance(10_000);
  const back = 10_000 - CLOCK_SET_BACK_MS + 1;
  expect([time.advance(back), time.advance(9_999), time.advance(10_001)]).toEqual([10_000, 10_000, 10_001]);
  expect(time.aheadMs).toBe(0);
});

test('a look changes nothing, and a copy goes on from the same time', () => {
  const time = new SteadyTime();
  time.advance(10_000_000);
  expect([time.peek(6_400_000), time.peek(10_000_001)]).toEqual([10_000_000, 10_000_001]);
  time.advance(6_400_000);
  const copy = new SteadyTime();
  copy.continueFrom(time);
  expect([copy.advance(6_400_001), time.advance(6_400_002)]).toEqual([10_000_001, 10_000_002]);
});
