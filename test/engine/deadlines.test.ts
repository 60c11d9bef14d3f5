// Deadlines: the earliest first, moved and removed ones never fire.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Deadlines } from '../../src/engine/deadlines.ts';

test('the earliest deadline is next, and each fires once', () => {
  const deadlines = new Deadlines();
  deadlines.set('b', 20);
  deadlines.set('a', 10);
  expect(deadlines.next()).toBe(10);
  expect(deadlines.due(9)).toBeNull();
  expect(deadlines.due(25)).toBe('a');
  expect(deadlines.due(25)).toBe('b');
  expect(deadlines.due(25)).toBeNull();
  expect(deadlines.next()).toBeNull();
});

test('a moved deadline fires at its new time only, a removed one never', () => {
  const deadlines = new Deadlines();
  deadlines.set('a', 10);
  deadlines.set('a', 30);
  deadlines.set('b', 15);
  deadlines.set('b', null);
  expect(deadlines.due(20)).toBeNull();
  expect(deadlines.next()).toBe(30);
  expect(deadlines.due(30)).toBe('a');
});

test('any sequence of changes agrees with a plain map', () => {
  const change = fc.tuple(fc.constantFrom('a', 'b', 'c', 'd'), fc.option(fc.integer({ min: 0, max: 50 })));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 400 }), (changes) => {
      const deadlines = new Deadlines();
      const model = new Map<string, number>();
      for (const [name, at] of changes) {
        deadlines.set(name, at);
        if (at === null) model.delete(name);
        else model.set(name, at);
        expect(deadlines.next()).toBe(model.size === 0 ? null : Math.min(...model.values()));
      }
      const fired: string[] = [];
      for (let name = deadlines.due(25); name !== null; name = deadlines.due(25)) fired.push(name);
      expect(fired.sort()).toEqual(
        [...model]
          .filter(([, at]) => at <= 25)
          .map(([name]) => name)
          .sort(),
      );
    }),
  );
});
