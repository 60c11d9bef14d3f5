// One limit of the exchange, kept exactly: at most so many requests in any window of its length, however the exchange lays
// its windows (fixed or sliding) and however long requests are on their way. Who may use how much of it is rate-budget.ts.

import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';

/** Answers that fit at first; most limits are never used up. */
const RING_FIRST = 64;

/**
 * Counts requests from when they leave until one window after their answer: the exchange saw each at some time between, so
 * that no window of its own can hold more of them than this one does.
 */
export class RateWindow {
  readonly limit: number;
  readonly #windowMs: number;
  #inFlight = 0;
  /** When answered requests stop counting; a ring, rising. */
  #until: Float64Array;
  #head = 0;
  #answered = 0;
  /** Requests of others that the exchange says it has counted. */
  #foreign = 0;
  #foreignUntil: EpochMs = 0;

  constructor(limit: number, windowMs: number) {
    assert(Number.isInteger(limit) && limit > 0, 'a limit is a whole number of requests');
    this.limit = limit;
    this.#windowMs = windowMs;
    this.#until = new Float64Array(Math.min(limit, RING_FIRST));
  }

  /** Requests that may be in the exchange's present window. */
  used(now: EpochMs): number {
    while (this.#answered > 0 && this.#until[this.#head]! <= now) {
      this.#head = (this.#head + 1) % this.#until.length;
      this.#answered--;
    }
    return this.#inFlight + this.#answered + (now < this.#foreignUntil ? this.#foreign : 0);
  }

  /**
   * Milliseconds until one more fits with `reserved` left untouched; 0 for now. Infinity where only an answer can make room:
   * ask again when one came.
   */
  waitMs(now: EpochMs, reserved: number): number {
    const excess = this.used(now) + 1 - Math.max(1, this.limit - reserved);
    if (excess <= 0) return 0;
    if (now < this.#foreignUntil && this.#foreign >= excess) return this.#foreignUntil - now;
    if (excess > this.#answered) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.ceil(this.#until[(this.#head + excess - 1) % this.#until.length]! - now));
  }

  take(): void {
    this.#inFlight++;
  }

  /** A request that was taken has its answer, or will never have one. */
  settle(now: EpochMs): void {
    this.#inFlight--;
    if (this.#answered >= this.limit) return;
    if (this.#answered === this.#until.length) this.#grow();
    // A clock that was set back must not make the ring fall.
    const { length } = this.#until;
    const last = this.#answered === 0 ? 0 : this.#until[(this.#head + this.#answered - 1) % length]!;
    this.#until[(this.#head + this.#answered) % length] = Math.max(last, now + this.#windowMs);
    this.#answered++;
  }

  /**
   * The exchange said, of a request of ours, how large its limit is and how much of it was left. What it counted beyond our
   * own was used by others, what it allows less than we thought is not to be had: both count for one window.
   */
  correct(limit: number, remaining: number, now: EpochMs): void {
    const known = now < this.#foreignUntil ? this.#foreign : 0;
    const own = this.used(now) - known;
    const foreign = Math.min(
      this.limit,
      Math.max(0, this.limit - limit) + Math.max(0, Math.min(limit, limit - remaining) - own),
    );
    if (foreign <= 0 || foreign < known) return;
    this.#foreign = foreign;
    this.#foreignUntil = now + this.#windowMs;
  }

  #grow(): void {
    const { length } = this.#until;
    const larger = new Float64Array(Math.min(this.limit, length * 2));
    for (let i = 0; i < length; i++) larger[i] = this.#until[(this.#head + i) % length]!;
    this.#until = larger;
    this.#head = 0;
  }
}
