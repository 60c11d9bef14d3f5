// Order, trade, request, auction and instruction ids: 18 digits, rising, never used twice across restarts.

import type { EpochMs } from '../../base/time.ts';

const PER_MILLISECOND = 100_000n;
const SMALLEST = 100_000_000_000_000_000n;

/** One sequence for all ids of a venue: the millisecond times 100,000, or one more than the last id. */
export class IdentifierSequence {
  private last = SMALLEST;

  /** The last id given out. */
  get latest(): string {
    return this.last.toString();
  }

  /** Go on after an id that was given out before a restart. */
  resume(last: bigint): void {
    if (last > this.last) this.last = last;
  }

  next(now: EpochMs): string {
    const floor = BigInt(now) * PER_MILLISECOND;
    this.last = this.last >= floor ? this.last + 1n : floor;
    return this.last.toString();
  }
}
