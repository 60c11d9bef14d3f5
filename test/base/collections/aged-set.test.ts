// The set that knows its oldest member, against one that is asked plainly.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AgedSet } from '../../../src/base/collections/aged-set.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

test('members leave in the order in which they were added last, whatever was removed in between', () => {
  const step = fc.record({ what: fc.constantFrom('add', 'add', 'add', 'delete', 'take'), member: fc.nat(40) });
  checkProperty(
    fc.property(fc.array(step, { minLength: 3_000, maxLength: 3_000 }), (steps) => {
      const aged = new AgedSet<number>();
      const plain = new Set<number>();
      const heard: unknown[] = [];
      const right: unknown[] = [];
      for (const { what, member } of steps) {
        const [oldest] = plain;
        if (what === 'add') {
          heard.push(aged.add(member));
          right.push(!plain.delete(member));
          plain.add(member);
        } else if (what === 'delete') {
          heard.push(aged.delete(member));
          right.push(plain.delete(member));
        } else {
          heard.push(aged.takeOldest());
          right.push(oldest);
          if (oldest !== undefined) plain.delete(oldest);
        }
        heard.push(aged.size, aged.has(member));
        right.push(plain.size, plain.has(member));
      }
      while (aged.size > 0) heard.push(aged.takeOldest());
      expect(heard).toEqual([...right, ...plain]);
      expect(aged.takeOldest()).toBeUndefined();
    }),
    5,
  );
});

test('an emptied set begins anew', () => {
  const aged = new AgedSet<string>();
  aged.add('a');
  aged.clear();
  aged.add('b');
  expect([aged.size, aged.takeOldest(), aged.takeOldest()]).toEqual([1, 'b', undefined]);
});
