// Virtual time: what is to happen, in order of its time; time jumps from one happening to the next.

import type { EpochMs } from '../../src/base/time.ts';

/** Something that may die and take with it what it had planned. */
export interface Life {
  alive: boolean;
}

interface Happening {
  readonly at: EpochMs;
  readonly order: number;
  readonly life: Life | null;
  readonly run: () => void;
}

export class Scheduler {
  now: EpochMs;
  readonly #heap: Happening[] = [];
  #order = 0;

  constructor(now: EpochMs) {
    this.now = now;
  }

  /** Plan something after `ms`; of two for the same time the first planned comes first. Nothing happens for the dead. */
  after(ms: number, run: () => void, life: Life | null = null): void {
    this.at(this.now + ms, run, life);
  }

  at(at: EpochMs, run: () => void, life: Life | null = null): void {
    const heap = this.#heap;
    const happening = { at: Math.max(at, this.now), order: this.#order++, life, run };
    let i = heap.push(happening) - 1;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(happening, heap[parent]!)) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = happening;
  }

  /** Let the next thing happen. False if nothing is planned. */
  step(): boolean {
    for (;;) {
      const next = this.#take();
      if (next === null) return false;
      if (next.life !== null && !next.life.alive) continue;
      this.now = next.at;
      next.run();
      return true;
    }
  }

  #take(): Happening | null {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined) return null;
    if (heap.length === 0) return first;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++;
      if (!isBefore(heap[child]!, last)) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(a: Happening, b: Happening): boolean {
  return a.at < b.at || (a.at === b.at && a.order < b.order);
}
