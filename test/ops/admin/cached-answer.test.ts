// An answer for everybody: how often it is made.

import { expect, test } from 'vitest';
import { SharedAnswer } from '../../../src/ops/admin/cached-answer.ts';

test('reuses an answer of 10 ms for 200 ms unless an action came; a free one is made each time', () => {
  let now = 0;
  let takes = 10;
  let made = 0;
  const shared = new SharedAnswer(
    () => {
      now += takes;
      return { made: ++made };
    },
    () => now,
  );
  expect(shared.text()).toBe('{"made":1}');
  now = 209;
  expect(shared.text()).toBe('{"made":1}');
  now = 210;
  takes = 0;
  expect(shared.text()).toBe('{"made":2}');
  expect(shared.text()).toBe('{"made":3}');
  takes = 10;
  expect([shared.text(), shared.text()]).toEqual(['{"made":4}', '{"made":4}']);
  shared.forget();
  expect(shared.text()).toBe('{"made":5}');
});

test('reports a failed answer to its caller, and retries with the next', () => {
  let fails = true;
  const shared = new SharedAnswer(() => {
    if (fails) throw new Error('not now');
    return [];
  });
  expect(() => shared.text()).toThrow('not now');
  fails = false;
  expect(shared.text()).toBe('[]');
});
