// Deadlines of all machines: the earliest, and the due ones. deadline-timer.ts has the timer; the owner passes the
// present time to `due`.

import { BinaryHeap } from '../../base/collections/binary-heap.ts';
import type { EpochMs } from '../../base/time.ts';

interface Entry {
  readonly at: EpochMs;
  readonly name: string;
}

/** One machine's deadline: where it is now, and the earliest time at which the heap will look at it. */
interface Deadline {
  at: EpochMs;
  lookAt: EpochMs;
}

/**
 * Deadlines by name, at most one each. Those of sessions move later with every message: a later one costs an assignment,
 * and its entry in the binary heap is put right when its turn comes. An earlier one is pushed at once.
 */
export class Deadlines {
  private readonly current = new Map<string, Deadline>();
  private readonly heap = new BinaryHeap<Entry>((a, b) => a.at < b.at);

  /** Set, move or (null) remove the deadline of `name`. */
  set(name: string, at: EpochMs | null): void {
    const known = this.current.get(name);
    if (at === null) {
      if (known !== undefined) this.current.delete(name);
      return;
    }
    if (known === undefined) {
      this.current.set(name, { at, lookAt: at });
      this.heap.push({ at, name });
    } else {
      known.at = at;
      if (at >= known.lookAt) return;
      known.lookAt = at;
      this.heap.push({ at, name });
    }
    // Removed and advanced deadlines leave stale entries; rebuild before they far outnumber the live ones.
    if (this.heap.size > 64 && this.heap.size > this.current.size * 4) this.rebuild();
  }

  /** A time before which nothing is due: cheap to ask, and not later than `next`. Infinity if there is no deadline. */
  get notBefore(): EpochMs {
    return this.heap.first?.at ?? Number.POSITIVE_INFINITY;
  }

  /** The earliest deadline, or null. */
  next(): EpochMs | null {
    this.settle();
    return this.heap.first?.at ?? null;
  }

  /** Names with a deadline. */
  names(): string[] {
    return [...this.current.keys()];
  }

  /** Remove and return one name with a deadline at or before `now`, or null. */
  due(now: EpochMs): string | null {
    this.settle();
    const first = this.heap.first;
    if (first === undefined || first.at > now) return null;
    this.heap.pop();
    this.current.delete(first.name);
    return first.name;
  }

  /** Correct the top: drop removed entries, move later ones down. */
  private settle(): void {
    for (;;) {
      const first = this.heap.first;
      if (first === undefined) return;
      const deadline = this.current.get(first.name);
      if (deadline === undefined || deadline.lookAt !== first.at) this.heap.pop();
      else if (deadline.at > first.at) {
        deadline.lookAt = deadline.at;
        this.heap.pop();
        this.heap.push({ at: deadline.at, name: first.name });
      } else return;
    }
  }

  private rebuild(): void {
    this.heap.clear();
    for (const [name, deadline] of this.current) {
      deadline.lookAt = deadline.at;
      this.heap.push({ at: deadline.at, name });
    }
  }
}
