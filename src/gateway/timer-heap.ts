// The earliest of many timers, in logarithmic time: a binary heap of (time, owner) whose stale entries are skipped.
// Leaves to its user what falls due; knows no clock.

import type { EpochMs } from '../base/time.ts';
import { type OrderRun, runOf } from './order-run.ts';

interface Timed {
  run: Readonly<OrderRun>;
}

interface Entry<T> {
  readonly at: EpochMs;
  readonly owner: T;
}

/** Timers of owners that keep their one due time in `run.dueAt`; an entry that no longer agrees with it is stale. */
export class TimerHeap<T extends Timed> {
  private entries: Entry<T>[] = [];

  /** Queue the owner's due time; call it whenever that changed and is not null. */
  push(owner: T): void {
    const at = owner.run.dueAt;
    if (at === null) return;
    const entries = this.entries;
    let i = entries.length;
    entries.push({ at, owner });
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (entries[parent]!.at <= entries[i]!.at) break;
      const swap = entries[parent]!;
      entries[parent] = entries[i]!;
      entries[i] = swap;
      i = parent;
    }
  }

  /** The earliest time that still holds, or null. */
  earliest(): EpochMs | null {
    this.dropStale();
    return this.entries[0]?.at ?? null;
  }

  /** The clock was set back: all that is queued comes as much sooner. `setOwnerBack` does the same to an owner's own times. */
  setBack(byMs: number, setOwnerBack: (owner: T) => void): void {
    const owners = new Set<T>();
    // All moved alike they keep their order, and those that are stale stay so.
    this.entries = this.entries.map(({ at, owner }) => {
      if (owner.run.dueAt !== null) owners.add(owner);
      return { at: at - byMs, owner };
    });
    for (const owner of owners) setOwnerBack(owner);
  }

  /** Remove and return an owner that is due at `now`, or null. The caller gives it a new due time. */
  takeDue(now: EpochMs): T | null {
    this.dropStale();
    const top = this.entries[0];
    if (top === undefined || top.at > now) return null;
    this.removeTop();
    runOf(top.owner).dueAt = null;
    return top.owner;
  }

  private dropStale(): void {
    while (this.entries.length > 0 && this.entries[0]!.owner.run.dueAt !== this.entries[0]!.at) this.removeTop();
  }

  private removeTop(): void {
    const entries = this.entries;
    const last = entries.pop()!;
    if (entries.length === 0) return;
    entries[0] = last;
    for (let i = 0; ; ) {
      const left = 2 * i + 1;
      if (left >= entries.length) return;
      const right = left + 1;
      const child = right < entries.length && entries[right]!.at < entries[left]!.at ? right : left;
      if (entries[i]!.at <= entries[child]!.at) return;
      const swap = entries[child]!;
      entries[child] = entries[i]!;
      entries[i] = swap;
      i = child;
    }
  }
}
