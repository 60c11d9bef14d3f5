// Room in the live segment: kept ahead, so that records find some on a disk that is full (rule J2), and the place where the next
// segment is to begin. Leaves beginning it to embedded-journal.ts.

import type { DiskTrouble } from '../disk/disk-health.ts';
import type { LiveSegment, Size } from './live-segment.ts';
import type { SpareSegment } from './next-segment.ts';

/** Written to the first segment of a process before it is worth having a filled one; little traffic never is. */
const BUSY_BYTES = 262_144;

export class SegmentRoom {
  readonly #size: Size;
  readonly #spare: SpareSegment;
  readonly #trouble: DiskTrouble;

  constructor(size: Size, spare: SpareSegment, trouble: DiskTrouble) {
    this.#size = size;
    this.#spare = spare;
    this.#trouble = trouble;
  }

  /** Have room ahead for `length` bytes. A disk that has none is no error yet: the reserve takes what must go in. */
  reserve(live: LiveSegment, length: number): void {
    const { segmentBytes, reserveBytes } = this.#size;
    const left = segmentBytes - live.position;
    if (left <= 0) return;
    try {
      live.reserve(Math.min(left, length + reserveBytes), segmentBytes);
      if (this.isAtEnd(live)) return;
      this.#trouble.roomFailed = false;
      this.#trouble.endIfOver();
    } catch (error) {
      this.#trouble.roomFailed = true;
      this.#trouble.began(error);
    }
  }

  /**
   * Whether the next segment is to begin: at the end of this one, or as soon as there is one filled with zeros and this one,
   * the first of this process, is not. Has the next one filled in time.
   */
  isUsedUp(live: LiveSegment): boolean {
    const { segmentBytes } = this.#size;
    const isFilled = live.isPreallocated(segmentBytes);
    if (live.position > (isFilled ? segmentBytes >>> 3 : BUSY_BYTES)) this.#spare.prepare();
    return this.isAtEnd(live) || (!isFilled && this.#spare.isReady);
  }

  /** Whether it has only its reserve left. */
  isAtEnd(live: LiveSegment): boolean {
    return live.position + this.#size.reserveBytes > this.#size.segmentBytes;
  }
}
