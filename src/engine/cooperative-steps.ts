// Work cut into steps. A command runs it in one go; a running gateway runs a little in each turn of the event loop, so
// that orders proceed in between.

import { setImmediate as nextTurn } from 'node:timers/promises';

/** Yields after each step; its return value is the result. */
export type Steps<T> = Generator<void, T, void>;

/** Of one turn. An order passes through some six of them before it is answered. */
const TURN_MS = 2;

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** @param isUrgent whether nothing gives way any more */
export async function inTurns<T>(steps: Steps<T>, isUrgent = (): boolean => false): Promise<T> {
  for (;;) {
    const until = performance.now() + TURN_MS;
    do {
      const step = steps.next();
      if (step.done === true) return step.value;
    } while (isUrgent() || performance.now() < until);
    await nextTurn();
  }
}
