// Looking for the next message without sleeping, for a while after each one.

import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { BusyPoll } from '../../src/engine/busy-poll.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setImmediate', 'performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

/** One turn of the event loop that takes so long; whether the next one would wait for input. */
function turn(ms: number): boolean {
  vi.advanceTimersByTime(ms);
  return vi.getTimerCount() === 0;
}

test('the event loop sleeps before the first message, and again once the time after the last one is over', () => {
  const busyPoll = new BusyPoll(2500);
  expect(turn(1)).toBe(true);
  busyPoll.stayAwake();
  expect([turn(1), turn(1), turn(1)]).toEqual([false, false, true]);
});

test('each message begins the time anew, and however many there are, the loop is kept awake once', () => {
  const busyPoll = new BusyPoll(2500);
  for (let i = 0; i < 10; i++) {
    busyPoll.stayAwake();
    busyPoll.stayAwake();
    expect(vi.getTimerCount()).toBe(1);
    expect([turn(1), turn(1)]).toEqual([false, false]);
  }
  expect(turn(1)).toBe(true);
});
