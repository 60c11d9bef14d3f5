// Nanoseconds within a millisecond of the system's clock, and of a clock of the user's.

import { expect, test } from 'vitest';
import { fineClock, fractionOf } from '../../../src/engine/sessions/fine-clock.ts';

/** A clock that shows whole milliseconds of a true time that the test moves, beside one that only goes on. */
function clocks(from: number) {
  const state = { true: from, put: 0, steady: 5_000.25 };
  return {
    pass: (ms: number) => {
      state.true += ms;
      state.steady += ms;
    },
    put: (ms: number) => {
      state.put += ms;
    },
    wall: () => Math.floor(state.true + state.put),
    steady: () => state.steady,
  };
}

test('decimals of a millisecond come out as true once a tick was seen closely, and never go back', () => {
  const clock = clocks(1_700_000_000_000.4);
  const nanosWithin = fineClock(clock);
  for (let i = 0; i < 1000; i++) {
    clock.pass(0.137);
    nanosWithin(clock.wall());
  }
  let before = 0;
  for (let i = 0; i < 2000; i++) {
    clock.pass(0.0421);
    const now = clock.wall();
    const nanos = nanosWithin(now);
    expect(nanos).toBeGreaterThanOrEqual(0);
    expect(nanos).toBeLessThan(1_000_000);
    const stamp = (now - 1_700_000_000_000) * 1_000_000 + nanos;
    expect(stamp).toBeGreaterThanOrEqual(before);
    before = stamp;
  }
});

test('a time that was read before stays within its millisecond, and a clock that is put is followed', () => {
  const clock = clocks(1_700_000_000_000);
  const nanosWithin = fineClock(clock);
  clock.pass(0.5);
  expect(nanosWithin(1_700_000_000_000)).toBe(500_000);
  clock.pass(3);
  expect(nanosWithin(1_700_000_000_000)).toBe(999_999);
  clock.put(-3_600_000);
  expect(nanosWithin(clock.wall())).toBeLessThan(1_000_000);
  clock.pass(0.6);
  clock.put(7_200_000);
  const now = clock.wall();
  const first = nanosWithin(now);
  clock.pass(0.3);
  expect(nanosWithin(now)).toBeGreaterThanOrEqual(first);
});

test('a clock of the user with decimals gives its own', () => {
  let time = 1_700_000_000_000.25;
  const nanosWithin = fractionOf(() => time);
  expect(nanosWithin(1_700_000_000_000)).toBe(250_000);
  time = 1_700_000_000_002;
  expect(nanosWithin(1_700_000_000_000)).toBe(999_999);
  expect(nanosWithin(1_700_000_000_003)).toBe(0);
});
