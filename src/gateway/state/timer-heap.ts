// The earliest of many timers, in logarithmic time: a binary heap of (time, owner) with skipped stale entries. Owners
// with the same time come in the order of their waits, independent of skips, so that a replayed day has the same order.
// Its user acts when one is due; the heap knows no clock.

import type { EpochMs } from '../../base/time.ts';
import { type OrderRun, runOf } from '../book/order-runtime.ts';

interface Timed {
  run: Readonly<OrderRun>;
}

interface Entry<T> {
  readonly at: EpochMs;
  /** The owner's place among those of the same time. */
  readonly place: number;
  readonly owner: T;
}

/** Timers of owners that keep their one due time in `run.dueAt`; an entry that no longer agrees with `run` is stale. */
export class TimerHeap<T extends Timed> {
  private entries: Entry<T>[] = [];
  private places = 0;

  /** Queue the owner's due time; call it whenever that changed and is not null. */
  push(owner: T): void {
    const at = owner.run.dueAt;
    if (at === null) return;
    const run = runOf(owner);
    if (run.duePlace === 0) run.duePlace = ++this.places;
    const entries = this.entries;
    let i = entries.length;
    entries.push({ at, place: run.duePlace, owner });
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (!isBefore(entries[i]!, entries[parent]!)) break;
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
    this.entries = this.entries.map(({ at, place, owner }) => {
      if (owner.run.dueAt !== null) owners.add(owner);
      return { at: at - byMs, place, owner };
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
    while (this.entries.length > 0 && isStale(this.entries[0]!)) this.removeTop();
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
      const child = right < entries.length && isBefore(entries[right]!, entries[left]!) ? right : left;
      if (!isBefore(entries[child]!, entries[i]!)) return;
      const swap = entries[child]!;
      entries[child] = entries[i]!;
      entries[i] = swap;
      i = child;
    }
  }
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.at === b.at ? a.place < b.place : a.at < b.at;
}

function isStale<T extends Timed>({ at, place, owner }: Entry<T>): boolean {
  return owner.run.dueAt !== at || owner.run.duePlace !== place;
}
