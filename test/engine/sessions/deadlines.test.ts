// Deadlines: the earliest first, moved and removed ones never fire.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Deadlines } from '../../../src/engine/sessions/deadlines.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

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

test('any sequence of changes and of times that pass agrees with a plain map, of few machines and of many', () => {
  const at = fc.integer({ min: 0, max: 50 });
  const change = fc.tuple(fc.nat(99), fc.option(at));
  const step = fc.oneof({ weight: 8, arbitrary: change }, { weight: 1, arbitrary: at });
  checkProperty(
    fc.property(fc.constantFrom(4, 100), fc.array(step, { maxLength: 400, size: 'max' }), (machines, steps) => {
      const deadlines = new Deadlines();
      const model = new Map<string, number>();
      const first = (): number | null => (model.size === 0 ? null : Math.min(...model.values()));
      const passTo = (now: number): void => {
        for (let name = deadlines.due(now); name !== null; name = deadlines.due(now)) {
          expect(model.get(name)).toBe(first());
          model.delete(name);
        }
        expect(first() ?? 51).toBeGreaterThan(now);
      };
      for (const one of steps) {
        if (typeof one === 'number') passTo(one);
        else {
          const name = `machine ${one[0] % machines}`;
          deadlines.set(name, one[1]);
          if (one[1] === null) model.delete(name);
          else model.set(name, one[1]);
        }
        expect(deadlines.notBefore).toBeLessThanOrEqual(first() ?? Number.POSITIVE_INFINITY);
        expect(deadlines.next()).toBe(first());
        expect(deadlines.names().sort()).toEqual([...model.keys()].sort());
      }
      passTo(50);
      expect(model.size).toBe(0);
    }),
    100,
  );
});
