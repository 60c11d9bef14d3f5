// A time that never goes back, made from a clock that an operator or NTP may set back. A machine measures waits and ages by
// it, and keeps times of day by the clock itself. A clock set forward moves both.

import type { EpochMs } from './time.ts';

/** A clock that goes back by less than this in one step only makes timers late by as much. */
export const CLOCK_SET_BACK_MS = 1_000;

export class SteadyTime {
  #aheadMs = 0;
  #last: EpochMs = Number.NEGATIVE_INFINITY;

  /** How far the steady time is ahead of the clock: all steps back so far. */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** The steady time of a clock that shows `clock`: at least that of the call before. */
  advance(clock: EpochMs): EpochMs {
    const backMs = this.#last - clock - this.#aheadMs;
    if (backMs >= CLOCK_SET_BACK_MS) this.#aheadMs += backMs;
    this.#last = this.peek(clock);
    return this.#last;
  }

  /** The same without a change. */
  peek(clock: EpochMs): EpochMs {
    return Math.max(this.#last, clock + this.#aheadMs);
  }

  /** Time of the clock at a steady time. */
  clockAt(steady: EpochMs): EpochMs {
    return steady - this.#aheadMs;
  }

  /** Go on from another one. */
  continueFrom(other: SteadyTime): void {
    this.#aheadMs = other.#aheadMs;
    this.#last = other.#last;
  }
}
