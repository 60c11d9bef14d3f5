// In which order connections that proved nothing make way.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { KnownOrigins } from '../../../src/base/places/known-origins.ts';
import { Strangers } from '../../../src/base/places/strangers.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

test('the origin with most connections gives way first, of these the oldest, and a known origin last', () => {
  const known = new KnownOrigins();
  known.add('desk');
  const strangers = new Strangers<string>(known);
  for (const [member, origin] of [
    ['d1', 'desk'],
    ['d2', 'desk'],
    ['d3', 'desk'],
    ['a1', 'a'],
    ['b1', 'b'],
    ['b2', 'b'],
  ] as const)
    strangers.add(member, origin);
  const gone: string[] = [];
  for (let next = strangers.firstUnknown(); next !== undefined; next = strangers.firstUnknown()) {
    gone.push(next);
    strangers.delete(next);
  }
  // Of two that are as many, the one that has been so for longer.
  expect(gone).toEqual(['b1', 'a1', 'b2']);
  expect([strangers.firstKnown(), strangers.oldestOf('desk'), strangers.size]).toEqual(['d1', 'd1', 3]);
});

test('an origin that became known meanwhile moves behind the others with all its connections', () => {
  const known = new KnownOrigins();
  const strangers = new Strangers<string>(known);
  for (const member of ['a1', 'a2']) strangers.add(member, 'a');
  strangers.add('b1', 'b');
  expect(strangers.firstUnknown()).toBe('a1');
  known.add('a');
  expect([strangers.firstUnknown(), strangers.firstKnown()]).toEqual(['b1', 'a1']);
  strangers.add('a3', 'a');
  expect(strangers.delete('a1')).toBe(true);
  expect(strangers.firstKnown()).toBe('a2');
});

test('as many origins are remembered as there is room for, the one that logged on last longest', () => {
  const known = new KnownOrigins(2);
  expect([known.add('a'), known.add('b'), known.add('a'), known.add('c')]).toEqual([true, true, false, true]);
  expect(['a', 'b', 'c'].map((origin) => known.has(origin))).toEqual([true, false, true]);
});

test('whatever comes and goes, the first to give way is of an origin that no other outnumbers', () => {
  const step = fc.record({ origin: fc.integer({ min: 0, max: 4 }), adds: fc.boolean(), pick: fc.nat(20) });
  checkProperty(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const strangers = new Strangers<number>(new KnownOrigins());
      const model = new Map<number, number>();
      let next = 0;
      for (const { origin, adds, pick } of steps) {
        if (adds) {
          model.set(next, origin);
          strangers.add(next++, String(origin));
        } else {
          const gone = [...model.keys()][pick % Math.max(1, model.size)];
          if (gone !== undefined) expect(strangers.delete(gone)).toBe(model.delete(gone));
        }
        const counts = new Map<number, number>();
        for (const of of model.values()) counts.set(of, (counts.get(of) ?? 0) + 1);
        const first = strangers.firstUnknown();
        expect(strangers.size).toBe(model.size);
        if (first === undefined) expect(model.size).toBe(0);
        else {
          const of = model.get(first)!;
          expect(counts.get(of)).toBe(Math.max(...counts.values()));
          expect(first).toBe([...model].find(([, other]) => other === of)![0]);
        }
      }
    }),
  );
});
