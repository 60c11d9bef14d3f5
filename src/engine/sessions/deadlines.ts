// Deadlines of all machines: the earliest, and the due ones. deadline-timer.ts has the timer; the owner passes the
// present time to `due`.

import type { EpochMs } from '../../base/time.ts';

interface Entry {
  at: EpochMs;
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
  private readonly heap: Entry[] = [];

  /** Set, move or (null) remove the deadline of `name`. */
  set(name: string, at: EpochMs | null): void {
    const known = this.current.get(name);
    if (at === null) {
      if (known !== undefined) this.current.delete(name);
      return;
    }
    if (known === undefined) {
      this.current.set(name, { at, lookAt: at });
      this.push({ at, name });
    } else {
      known.at = at;
      if (at >= known.lookAt) return;
      known.lookAt = at;
      this.push({ at, name });
    }
    // Removed and advanced deadlines leave stale entries; rebuild before they far outnumber the live ones.
    if (this.heap.length > 64 && this.heap.length > this.current.size * 4) this.rebuild();
  }

  /** A time before which nothing is due: cheap to ask, and not later than `next`. Infinity if there is no deadline. */
  get notBefore(): EpochMs {
    return this.heap[0]?.at ?? Number.POSITIVE_INFINITY;
  }

  /** The earliest deadline, or null. */
  next(): EpochMs | null {
    this.settle();
    return this.heap[0]?.at ?? null;
  }

  /** Names with a deadline. */
  names(): string[] {
    return [...this.current.keys()];
  }

  /** Remove and return one name with a deadline at or before `now`, or null. */
  due(now: EpochMs): string | null {
    this.settle();
    const first = this.heap[0];
    if (first === undefined || first.at > now) return null;
    this.pop();
    this.current.delete(first.name);
    return first.name;
  }

  /** Correct the top: drop removed entries, move later ones down. */
  private settle(): void {
    for (;;) {
      const first = this.heap[0];
      if (first === undefined) return;
      const deadline = this.current.get(first.name);
      if (deadline === undefined || deadline.lookAt !== first.at) this.pop();
      else if (deadline.at > first.at) {
        deadline.lookAt = deadline.at;
        this.pop();
        this.push({ at: deadline.at, name: first.name });
      } else return;
    }
  }

  private rebuild(): void {
    this.heap.length = 0;
    for (const [name, deadline] of this.current) {
      deadline.lookAt = deadline.at;
      this.push({ at: deadline.at, name });
    }
  }

  private push(entry: Entry): void {
    const heap = this.heap;
    let i = heap.length;
    heap.push(entry);
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (heap[parent]!.at <= entry.at) break;
      heap[i] = heap[parent]!;
      i = parent;
    }
    heap[i] = entry;
  }

  private pop(): void {
    const heap = this.heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let i = 0;
    for (;;) {
      let child = 2 * i + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && heap[child + 1]!.at < heap[child]!.at) child++;
      if (heap[child]!.at >= last.at) break;
      heap[i] = heap[child]!;
      i = child;
    }
    heap[i] = last;
  }
}
