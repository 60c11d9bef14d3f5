// Frames of a journal from their append until they are on disk: the open batch, perhaps already partly handed to the
// operating system, and the closed batches before it. They are kept because a failed sync leaves everything since the
// last good one in doubt (rule J2). embedded-journal.ts writes, syncs and moves them.

import { assert } from '../../base/assert.ts';
import type { DurableJob } from '../disk/disk.ts';
import type { EndedOrderFiles } from '../index/ended-orders.ts';
import type { OutboundIndex } from '../index/outbound-index.ts';
import { FrameBatch } from '../segments/frame-batch.ts';
import type { LiveSegment } from './live-segment.ts';

/** A batch that was handed over and is this long takes no more: half of what its buffer begins with. */
const BATCH_BYTES = 32_768;
/** Emptied batches kept for reuse: more than are ever in use while the disk keeps up. */
const FREE_BATCHES_MAX = 128;

type HandedTo = Pick<LiveSegment, 'segment' | 'names'>;

/** Closed batches on their way to the disk. */
export interface LeavingFrames {
  readonly live: LiveSegment;
  /** End of them in their segment. */
  readonly upTo: number;
  /** So many batches, the first ones. */
  readonly count: number;
  readonly begun: number;
  readonly job: DurableJob;
}

export class UnsyncedFrames {
  /** Takes new frames. */
  open = new FrameBatch();
  #closed: FrameBatch[] = [];
  readonly #free: FrameBatch[] = [];
  /** Bytes that were handed over and are not known to be on disk. */
  handedBytes = 0;

  /** Bytes that are kept. */
  get bytes(): number {
    return this.handedBytes + this.unwrittenBytes;
  }

  get unwrittenBytes(): number {
    return this.open.length - this.open.handed;
  }

  /** Batches with frames in them. */
  get batches(): number {
    return this.#closed.length + (this.open.frames === 0 ? 0 : 1);
  }

  /** All batches with frames in them, in order. */
  all(): readonly FrameBatch[] {
    return this.open.frames === 0 ? this.#closed : [...this.#closed, this.open];
  }

  /**
   * Everything appended so far was handed over, the last of it at `position` of a segment: note where messages lie. They may
   * be read there once it is written.
   */
  handed({ segment, names }: HandedTo, position: number, index: OutboundIndex, ended: EndedOrderFiles): void {
    const batch = this.open;
    assert(batch.start + batch.handed === position, 'frames lie where they were encoded for');
    batch.handOutbound(segment, names, index);
    for (const { prints, group, record } of batch.ended) ended.note(prints, segment, batch.start + group, record);
    batch.ended.length = 0;
    this.handedBytes += batch.length - batch.handed;
    batch.handed = batch.length;
    if (batch.length >= BATCH_BYTES) this.close();
  }

  /** Let the batch that takes new frames take no more; all of it was handed over. Returns how many are closed then. */
  close(): number {
    if (this.open.frames > 0) {
      this.#closed.push(this.open);
      this.open = this.#free.pop() ?? new FrameBatch();
    }
    return this.#closed.length;
  }

  /** The first `count` closed batches are on disk. Returns the number of their last frame, or null if there were none. */
  synced(count: number): number | null {
    const batches = this.#closed.splice(0, count);
    for (const batch of batches) this.handedBytes -= batch.length;
    const last = batches.at(-1);
    const lastFrame = last === undefined ? null : last.firstFrame + last.frames - 1;
    for (const batch of batches) {
      if (batch.clear() && this.#free.length < FREE_BATCHES_MAX) this.#free.push(batch);
    }
    return lastFrame;
  }

  /** Go on with these frames, encoded anew for another segment, instead of all that were kept. */
  replace(batch: FrameBatch): void {
    this.#closed = [];
    this.open = batch;
    this.handedBytes = 0;
  }
}
