// One timer for every machine: keeps the earliest deadline armed and says whose time has come.
// Leaves the clock to its owner: `due` is asked with the present time.

import type { EpochMs } from '../base/time.ts';

interface Entry {
  readonly at: EpochMs;
  readonly name: string;
}

/** Deadlines by name, at most one each, in a binary heap with lazy removal: O(log n) to set, O(1) to look. */
export class Deadlines {
  private readonly current = new Map<string, EpochMs>();
  private readonly heap: Entry[] = [];

  /** Set, move or (null) remove the deadline of `name`. */
  set(name: string, at: EpochMs | null): void {
    const known = this.current.get(name);
    if (at === null) {
      if (known !== undefined) this.current.delete(name);
      return;
    }
    if (known === at) return;
    this.current.set(name, at);
    this.push({ at, name });
    // Moved deadlines leave stale entries behind; rebuild before they outnumber the live ones by far.
    if (this.heap.length > 64 && this.heap.length > this.current.size * 4) this.rebuild();
  }

  /** The earliest deadline, or null. */
  next(): EpochMs | null {
    this.dropStale();
    return this.heap[0]?.at ?? null;
  }

  /** Remove and return one name whose deadline is at or before `now`, or null. */
  due(now: EpochMs): string | null {
    this.dropStale();
    const first = this.heap[0];
    if (first === undefined || first.at > now) return null;
    this.pop();
    this.current.delete(first.name);
    return first.name;
  }

  private dropStale(): void {
    for (;;) {
      const first = this.heap[0];
      if (first === undefined || this.current.get(first.name) === first.at) return;
      this.pop();
    }
  }

  private rebuild(): void {
    this.heap.length = 0;
    for (const [name, at] of this.current) this.push({ at, name });
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
