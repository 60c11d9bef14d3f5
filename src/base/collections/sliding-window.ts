// At most so many of something in any stretch of time: when the next one may come. Its user decides the unit and the
// treatment of excess; the window knows no clock.

import { assert } from '../assert.ts';
import type { EpochMs } from '../time.ts';

/** The times of the last `max` that were taken. */
export class SlidingWindow {
  readonly max: number;
  readonly #perMs: number;
  /** In a ring; the oldest is at `#next`. */
  readonly #times: Float64Array;
  #next = 0;

  /** Never more than `max` within `perMs` milliseconds. */
  constructor(max: number, perMs: number) {
    assert(Number.isInteger(max) && max > 0, 'a window holds at least one');
    this.max = max;
    this.#perMs = perMs;
    this.#times = new Float64Array(max).fill(Number.NEGATIVE_INFINITY);
  }

  /** Milliseconds until one more may be taken; 0 for now. */
  waitMs(now: EpochMs): number {
    return Math.max(0, this.#times[this.#next]! + this.#perMs - now);
  }

  /** How many were taken within the stretch that ends now. */
  taken(now: EpochMs): number {
    let count = 0;
    for (const at of this.#times) if (at + this.#perMs > now) count++;
    return count;
  }

  /** One is taken, now or at a time to come. */
  take(at: EpochMs): void {
    this.#times[this.#next] = at;
    this.#next = (this.#next + 1) % this.max;
  }

  /** Whatever was taken for a time to come counts as taken now. */
  notAfter(now: EpochMs): void {
    for (let i = 0; i < this.max; i++) if (this.#times[i]! > now) this.#times[i] = now;
  }

  /** Forget all that were taken. */
  clear(): void {
    this.#times.fill(Number.NEGATIVE_INFINITY);
  }

  /** Continue counting from another window of any size. */
  continueFrom(other: SlidingWindow): void {
    const times = [...other.#times.subarray(other.#next), ...other.#times.subarray(0, other.#next)];
    for (const at of times.slice(-this.max)) this.take(at);
  }
}
