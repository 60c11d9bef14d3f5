// Program of the thread that hashes passwords, one after another. The side that began it sets its priority.

import { scryptSync } from 'node:crypto';
import { readlinkSync } from 'node:fs';
import { parentPort } from 'node:worker_threads';
import { type HashJob, scryptOptions } from './hash-job.ts';
import type { HashAnswer } from './hash-thread.ts';

/** Of this thread, for the system; null where it has none of its own. */
function ownNumber(): number | null {
  try {
    return Number(/\d+$/.exec(readlinkSync('/proc/thread-self')) ?? Number.NaN) || null;
  } catch {
    return null;
  }
}

function answer(said: HashAnswer): void {
  parentPort?.postMessage(said);
}

answer({ kind: 'thread', number: ownNumber() });
parentPort?.on('message', ({ id, password, salt, cost, bytes }: HashJob & { readonly id: number }) => {
  try {
    answer({ kind: 'done', id, key: scryptSync(password, salt, bytes, scryptOptions(cost)) });
  } catch (error) {
    answer({ kind: 'failed', id, reason: (error as Error).message });
  }
});
