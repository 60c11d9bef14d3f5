// Successor of the live segment: the next one when it is full or has failed (rule J2), and the closing of the old one.
// embedded-journal.ts decides when; segment-room.ts manages free space.

import type { EpochMs } from '../../base/time.ts';
import type { Disk } from '../disk/disk.ts';
import type { OutboundIndex } from '../index/outbound-index.ts';
import type { StoreLog } from '../log.ts';
import { FrameBatch } from '../segments/frame-batch.ts';
import type { Snapshots } from '../snapshots/snapshots.ts';
import { LiveSegment, type Size } from './live-segment.ts';
import type { SpareSegment } from './next-segment.ts';

export interface SuccessionOptions {
  readonly directory: string;
  readonly disk: Disk;
  readonly size: Size;
  readonly spare: SpareSegment;
  readonly snapshots: Snapshots;
  readonly index: OutboundIndex;
  readonly now: () => EpochMs;
  readonly log: StoreLog | undefined;
}

export class SegmentSuccession {
  readonly #options: SuccessionOptions;
  /** Segments that were left are cut to their size until then. */
  #finishing: Promise<unknown> = Promise.resolve();

  constructor(options: SuccessionOptions) {
    this.#options = options;
  }

  /** Open the segment after a full one that is entirely on disk. @throws the disk's error; the old one goes on then */
  next(old: LiveSegment, nextFrame: number): LiveSegment {
    const next = this.#create(old, nextFrame, old.position);
    next.publish(null);
    this.#options.snapshots.finished(old.segment, old.position);
    this.finish(old);
    return next;
  }

  /**
   * The one after a segment that failed: that ends with what is surely on disk, the rest is encoded anew. @throws the disk's
   * error, with nothing changed
   */
  afterFailure(
    old: LiveSegment,
    batches: readonly FrameBatch[],
    nextFrame: number,
  ): { readonly next: LiveSegment; readonly moved: FrameBatch } {
    const moved = new FrameBatch();
    const next = this.#create(old, batches[0]?.firstFrame ?? nextFrame, old.syncedUpTo);
    for (const batch of batches) {
      for (const { number, at, records } of batch.decode(old.seed, old.names)) moved.add(records, at, number, next);
    }
    next.publish(moved);
    old.abandon();
    this.#options.snapshots.finished(old.segment, old.syncedUpTo);
    this.#options.log?.(
      'warn',
      `${old.path}: abandoned at offset ${old.syncedUpTo} after an error of the disk; ${moved.frames} frame(s) go to ${next.path}`,
    );
    return { next, moved };
  }

  /** Close a segment that is entirely on disk: a failure costs only space. */
  finish(old: LiveSegment): void {
    const { log } = this.#options;
    const finished = old.finish().catch((error) => log?.('warn', `${old.path}: not cut to its size: ${String(error)}`));
    this.#finishing = Promise.all([this.#finishing, finished]);
  }

  /** Resolves when every segment that was left is closed. */
  async finished(): Promise<void> {
    await this.#finishing;
  }

  #create(old: LiveSegment, firstFrame: number, previousEnd: number): LiveSegment {
    const { disk, directory, size, spare, now } = this.#options;
    const origin = { segment: old.segment + 1, journalId: old.journalId, firstFrame, createdAt: now(), previousEnd };
    return LiveSegment.create(disk, directory, origin, size, spare.take());
  }
}
