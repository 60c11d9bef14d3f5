// An answer for everybody: how often it is made.

import { expect, test } from 'vitest';
import { sharedAnswer } from '../../src/ops/shared-answer.ts';

test('an answer that took 10 ms is given again for 200 ms, one that took no time is made each time', () => {
  let now = 0;
  let takes = 10;
  let made = 0;
  const answer = sharedAnswer(
    () => {
      now += takes;
      return { made: ++made };
    },
    () => now,
  );
  expect(answer()).toBe('{"made":1}');
  now = 209;
  expect(answer()).toBe('{"made":1}');
  now = 210;
  takes = 0;
  expect(answer()).toBe('{"made":2}');
  expect(answer()).toBe('{"made":3}');
});

test('one that cannot be made is told to whoever asks, and tried again with the next', () => {
  let fails = true;
  const answer = sharedAnswer(() => {
    if (fails) throw new Error('not now');
    return [];
  });
  expect(answer).toThrow('not now');
  fails = false;
  expect(answer()).toBe('[]');
});
