// The exchange's limits shared among sessions (rule S7): a busy sender waits longer, and delays no other.

import { expect, test } from 'vitest';
import { FairQueue, type Obstacle } from '../../../src/exchange-client/commands/fair-queue.ts';

interface Entry {
  readonly sharer: string;
  readonly giveUpAt: number;
  readonly id: string;
  readonly isHeld?: boolean;
}

/** A queue before an exchange that takes `budget` commands. */
function rig() {
  const queue = new FairQueue<Entry>((entry) => entry.giveUpAt);
  const sent: string[] = [];
  const expired: string[] = [];
  const state = { now: 0, budget: 0 };
  const attempt = (entry: Entry): Obstacle | null => {
    if (entry.isHeld === true) return { ms: 50, reason: 'own order', ownOrderOnly: true };
    if (state.budget === 0) return { ms: 20, reason: 'rate', ownOrderOnly: false };
    state.budget--;
    sent.push(entry.id);
    return null;
  };
  const pump = (): number =>
    queue.pump(
      () => state.now,
      attempt,
      ({ id }, reason) => expired.push(`${id} ${reason}`),
    );
  const add = (id: string, more: Partial<Entry> = {}): void =>
    queue.push({ sharer: id[0]!, giveUpAt: 1_000, id, ...more });
  return { queue, sent, expired, state, pump, add };
}

test('S7 a session that floods does not hold up another one: they take turns', () => {
  const { sent, state, pump, add } = rig();
  for (let i = 1; i <= 5; i++) add(`a${i}`);
  for (let i = 1; i <= 2; i++) add(`b${i}`);
  add('c1');
  state.budget = 6;
  expect(pump()).toBe(20);
  expect(sent).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
});

test('S7 turns go on where they stopped when the rate allows one command at a time', () => {
  const { sent, state, pump, add } = rig();
  for (const id of ['a1', 'a2', 'a3', 'b1', 'b2']) add(id);
  for (let i = 0; i < 5; i++) {
    state.budget = 1;
    pump();
  }
  expect(sent).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
});

test('X3 a command that waits for its own order is passed by others of its session, not vice versa', () => {
  const { sent, state, pump, add, queue } = rig();
  add('a1', { isHeld: true });
  add('a2');
  add('b1');
  state.budget = 5;
  expect(pump()).toBe(50);
  expect(sent).toEqual(['a2', 'b1']);
  expect(queue.size).toBe(1);
});

test('expires waiting entries of every session in time while the rate is used up', () => {
  const { expired, state, pump, add, queue } = rig();
  add('a1', { giveUpAt: 100 });
  add('b1', { giveUpAt: 60 });
  expect(pump()).toBe(20);
  state.now = 60;
  expect(pump()).toBe(20);
  expect(expired).toEqual(['b1 rate']);
  state.now = 95;
  expect(pump()).toBe(5);
  state.now = 100;
  pump();
  expect(expired).toEqual(['b1 rate', 'a1 rate']);
  expect(queue.size).toBe(0);
});
