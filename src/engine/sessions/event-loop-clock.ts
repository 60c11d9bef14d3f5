// Times of the commit queue's work: at the end of the running code, at the end of the turn, later. commit-queue.ts does
// the work.

// The global one is looked up by a getter each time.
import { performance } from 'node:perf_hooks';
import process from 'node:process';

/** When things happen. The real one is the event loop; a simulation brings a virtual one. */
export interface CommitClock {
  /** Run as soon as the running code has returned. */
  atOnce(run: () => void): void;
  /** Run at the end of this turn. */
  soon(run: () => void): void;
  /** Run after a time; returns how to call it off. */
  later(ms: number, run: () => void): () => void;
  /** A time in milliseconds that only grows. */
  elapsedMs(): number;
}

/** A timer this late reveals that this process stood still, and proves nothing about others. */
const STOOD_STILL_MS = 1000;

/** Run once an answer is overdue. Where this process stood still meanwhile it may be there, unread: it is waited for anew. */
export function whenOverdue(clock: CommitClock, ms: number, run: () => void): () => void {
  let callOff = (): void => {};
  const wait = (): void => {
    const until = clock.elapsedMs() + ms;
    callOff = clock.later(ms, () => {
      if (clock.elapsedMs() - until >= STOOD_STILL_MS) wait();
      else run();
    });
  };
  wait();
  return () => callOff();
}

export const eventLoop: CommitClock = {
  atOnce: (run) => process.nextTick(run),
  soon: (run) => void setImmediate(run),
  later: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
  elapsedMs: () => performance.now(),
};
