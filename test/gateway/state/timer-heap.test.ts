// The timers of many orders, against a plain look at all of them.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { EpochMs } from '../../../src/base/time.ts';
import { AT_REST, type OrderRun, rest, runOf } from '../../../src/gateway/book/order-runtime.ts';
import { TimerHeap } from '../../../src/gateway/state/timer-heap.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

interface Owner {
  readonly name: number;
  run: Readonly<OrderRun>;
}

/** A new due time for one of the owners (null: none), or time goes on. */
const steps = fc.array(
  fc.oneof(
    fc.record({ owner: fc.nat(11), at: fc.option(fc.nat(1_000), { freq: 6 }) }),
    fc.record({ wait: fc.integer({ min: 1, max: 120 }) }),
  ),
  { minLength: 60, maxLength: 200 },
);

test('falls due in order of time, once, despite postponed and cancelled timers', () => {
  checkProperty(
    fc.property(steps, (all) => {
      const owners = Array.from({ length: 12 }, (_, name): Owner => ({ name, run: AT_REST }));
      const heap = new TimerHeap<Owner>();
      const due = new Map<number, EpochMs>();
      let now = 0;
      for (const step of all) {
        if ('wait' in step) {
          now += step.wait;
          for (
            let last = Number.NEGATIVE_INFINITY, owner = heap.takeDue(now);
            owner !== null;
            owner = heap.takeDue(now)
          ) {
            const at = due.get(owner.name);
            expect(at).toBeLessThanOrEqual(now);
            expect(at).toBeGreaterThanOrEqual(last);
            last = at!;
            due.delete(owner.name);
          }
          expect([...due.values()].filter((at) => at <= now)).toEqual([]);
          continue;
        }
        const owner = owners[step.owner]!;
        const at = step.at === null ? null : now + step.at;
        runOf(owner).dueAt = at;
        if (at === null) due.delete(owner.name);
        else due.set(owner.name, at);
        heap.push(owner);
        expect(heap.earliest()).toBe(due.size === 0 ? null : Math.min(...due.values()));
      }
    }),
    100,
  );
});

test('orders timers of equal time independent of earlier queries', () => {
  const few = fc.array(
    fc.record({ owner: fc.nat(11), at: fc.option(fc.nat(4), { freq: 6 }), asks: fc.boolean(), takes: fc.boolean() }),
    { minLength: 20, maxLength: 200 },
  );
  checkProperty(
    fc.property(few, (all) => {
      const machine = (isAsked: boolean): string[] => {
        const owners = Array.from({ length: 12 }, (_, name): Owner => ({ name, run: AT_REST }));
        const heap = new TimerHeap<Owner>();
        const taken: string[] = [];
        for (const [now, step] of all.entries()) {
          const owner = owners[step.owner]!;
          runOf(owner).dueAt = step.at === null ? null : Math.floor(now / 10) * 10 + step.at;
          heap.push(owner);
          rest(owner);
          if (isAsked && step.asks) heap.earliest();
          if (!step.takes) continue;
          for (let due = heap.takeDue(now); due !== null; due = heap.takeDue(now)) taken.push(`${now}: ${due.name}`);
        }
        return taken;
      };
      expect(machine(true)).toEqual(machine(false));
    }),
    300,
  );
});
