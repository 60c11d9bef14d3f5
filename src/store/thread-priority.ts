// Lets the calling thread stand back: where processors are short, orders go before snapshots. Works where the system gives a
// thread a priority of its own (Linux); elsewhere nothing happens. How much a process itself stands back is its starter's
// business.

import { readlinkSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** About a third is left of what a thread of the process's own priority has: a burst must not leave too much to the next start. */
const STEPS = 5;

export function standBack(): void {
  const thread = ownNumber();
  if (thread === null) return;
  try {
    setPriority(thread, Math.min(constants.priority.PRIORITY_LOW, getPriority(thread) + STEPS));
  } catch {
    // There is no such thing here, or it is not permitted: then the scheduler alone decides.
  }
}

function ownNumber(): number | null {
  try {
    // `<pid>/task/<tid>`: the call takes the number of a thread like that of a process.
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self')) ?? Number.NaN) || null;
  } catch {
    return null;
  }
}
