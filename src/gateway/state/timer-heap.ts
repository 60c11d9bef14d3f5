// The earliest of many timers: a heap of (time, owner) with skipped stale entries. Owners
// with the same time come in the order of their waits, independent of skips, so that a replayed day has the same order.
// Its user acts when one is due; the heap knows no clock.

import { BinaryHeap } from '../../base/collections/binary-heap.ts';
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
  private readonly entries = new BinaryHeap<Entry<T>>(isBefore);
  private places = 0;

  /** Queue the owner's due time; call it whenever that changed and is not null. */
  push(owner: T): void {
    const at = owner.run.dueAt;
    if (at === null) return;
    const run = runOf(owner);
    if (run.duePlace === 0) run.duePlace = ++this.places;
    this.entries.push({ at, place: run.duePlace, owner });
  }

  /** The earliest time that still holds, or null. */
  earliest(): EpochMs | null {
    this.dropStale();
    return this.entries.first?.at ?? null;
  }

  /** Remove and return an owner that is due at `now`, or null. The caller gives it a new due time. */
  takeDue(now: EpochMs): T | null {
    this.dropStale();
    const top = this.entries.first;
    if (top === undefined || top.at > now) return null;
    this.entries.pop();
    runOf(top.owner).dueAt = null;
    return top.owner;
  }

  private dropStale(): void {
    while (this.entries.first !== undefined && isStale(this.entries.first)) this.entries.pop();
  }
}

function isBefore<T>(a: Entry<T>, b: Entry<T>): boolean {
  return a.at === b.at ? a.place < b.place : a.at < b.at;
}

function isStale<T extends Timed>({ at, place, owner }: Entry<T>): boolean {
  return owner.run.dueAt !== at || owner.run.duePlace !== place;
}
