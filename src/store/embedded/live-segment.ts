// The segment file that the journal appends to: where its end is, what of it is on disk, room reserved ahead.
// Leaves to embedded-journal.ts when to roll, when to sync and what to do with errors.

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../../base/time.ts';
import type { Disk } from '../disk/disk.ts';
import type { FrameBatch } from '../segments/frame-batch.ts';
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES, segmentFileName } from '../segments/segment.ts';
import { SessionNames } from '../session-names.ts';
import { PAGE_BYTES, ZEROS_BYTES } from './zero-file.ts';

/** Zeros written ahead at a time: short enough not to be felt, long enough that a sync seldom has to record a new size. */
const STEP_BYTES = 4_194_304;
const ZEROS = Buffer.alloc(ZEROS_BYTES);
/**
 * Pages brought into memory at a time by records that are shorter than one: a new one makes such a write take three times as
 * long, four of them hardly more than one.
 */
const AHEAD_BYTES = 4 * PAGE_BYTES;

interface Origin {
  readonly segment: number;
  readonly journalId: string;
  readonly firstFrame: number;
  readonly createdAt: EpochMs;
  readonly previousEnd: number;
}

/** Size at which a segment is full, and room that is always kept ahead. */
export interface Size {
  readonly segmentBytes: number;
  readonly reserveBytes: number;
}

/** A segment file as it was created or found. */
interface OpenedSegment {
  readonly path: string;
  readonly fd: number;
  readonly from: { readonly segment: number; readonly journalId: string; readonly seed: number };
  readonly names: SessionNames;
  readonly position: number;
  /** Written when the segment is published; null of one that was. */
  readonly header: Buffer | null;
}

export class LiveSegment {
  readonly segment: number;
  readonly journalId: string;
  readonly path: string;
  readonly seed: number;
  readonly names: SessionNames;
  readonly fd: number;
  /** End of what was handed to the operating system, or to the thread of the disk. */
  position: number;
  /** End of what is known to be on disk. */
  syncedUpTo: number;
  readonly #disk: Disk;
  readonly #header: Buffer | null;
  #preallocated: number;
  /** Pages before this one are in memory. Where it was filled beside the traffic, the others are not. */
  #cachedUpTo = Number.POSITIVE_INFINITY;

  private constructor(disk: Disk, { path, fd, from, names, position, header }: OpenedSegment) {
    this.#disk = disk;
    this.#header = header;
    this.path = path;
    this.fd = fd;
    this.segment = from.segment;
    this.journalId = from.journalId;
    this.seed = from.seed;
    this.names = names;
    this.position = position;
    this.syncedUpTo = position;
    this.#preallocated = position;
  }

  /**
   * Create a segment file with free space, and make its directory entry durable. It does not count until `publish`. If
   * its owner dies before that, or continues the segment before, readers do not take it for the end of that one.
   * @param spare a file of zeros of the whole size to use for it, or null
   * @throws the disk's error, leaving no open file
   */
  static create(disk: Disk, directory: string, origin: Origin, size: Size, spare: string | null): LiveSegment {
    const path = join(directory, segmentFileName(origin.segment));
    const { bytes, seed } = encodeSegmentHeader(origin);
    if (spare !== null) renameSync(spare, path);
    const fd = disk.open(path);
    try {
      // A file of this number can only be the remains of an attempt that failed before it was published.
      if (spare === null) disk.truncate(fd, 0);
      const from = { ...origin, seed };
      const names = new SessionNames();
      const segment = new LiveSegment(disk, { path, fd, from, names, position: SEGMENT_HEADER_BYTES, header: bytes });
      if (spare !== null) {
        segment.#preallocated = size.segmentBytes;
        segment.#cachedUpTo = 0;
      } else {
        segment.reserve(size.reserveBytes, size.segmentBytes);
        disk.syncBlocking(fd);
      }
      disk.syncDirectory(directory);
      return segment;
    } catch (error) {
      closeQuietly(disk, fd);
      throw error;
    }
  }

  /**
   * Make it the end of the journal: its first frames are written, if there are any, then its header. @throws the disk's error;
   * the segment is given up then
   */
  publish(first: FrameBatch | null): void {
    try {
      if (first !== null) this.writeBatch(first);
      if (this.#header !== null) this.#disk.write(this.fd, this.#header, this.#header.length, 0);
    } catch (error) {
      this.#discard();
      throw error;
    }
  }

  /** Give up a segment that could not be published. */
  #discard(): void {
    try {
      this.#disk.truncate(this.fd, 0);
    } catch {
      // The next attempt begins with the same truncation.
    }
    this.abandon();
  }

  /** Go on in a segment that was read up to `end`; everything behind that is cut off, durably. */
  static resume(
    disk: Disk,
    path: string,
    from: { readonly segment: number; readonly journalId: string; readonly seed: number },
    names: SessionNames,
    end: number,
  ): LiveSegment {
    const fd = disk.open(path);
    try {
      disk.truncate(fd, end);
      disk.syncBlocking(fd);
      return new LiveSegment(disk, { path, fd, from, names, position: end, header: null });
    } catch (error) {
      closeQuietly(disk, fd);
      throw error;
    }
  }

  /** Whether zeros were written up to the whole size: a sync need record nothing but what was written. */
  isPreallocated(segmentBytes: number): boolean {
    return this.#preallocated >= segmentBytes;
  }

  /** Write what of a batch was not handed over. @throws the disk's error; the position is unchanged then */
  writeBatch(batch: FrameBatch): void {
    batch.seal();
    const length = batch.length - batch.handed;
    const zeros = this.#zerosBehind(length);
    this.#disk.write(this.fd, batch.unhanded(zeros), length + zeros, this.position);
    this.#advance(length, zeros);
  }

  /** True if the part of a batch in `bytes` that was not handed over can be written where zeros stand already. */
  hasRoomFor(batch: FrameBatch, bytes: number): boolean {
    const length = batch.length - batch.handed;
    return this.position + length <= this.#preallocated && length + AHEAD_BYTES <= bytes;
  }

  /** Lay what of a batch was not handed over into `bytes`, to be written at the present position. Returns how much that is. */
  stageBatch(batch: FrameBatch, bytes: Buffer): number {
    batch.seal();
    const length = batch.length - batch.handed;
    const zeros = this.#zerosBehind(length);
    bytes.set(batch.unhanded(zeros).subarray(0, length + zeros));
    this.#advance(length, zeros);
    return length + zeros;
  }

  #advance(length: number, zeros: number): void {
    this.position += length;
    if (this.position + zeros > this.#cachedUpTo) this.#cachedUpTo = this.position + zeros;
  }

  /**
   * Number of zeros to write after `length` bytes over existing zeros, up to the end of the last page or a few more.
   * Writing part of a page that is not in memory would first read the rest from disk.
   */
  #zerosBehind(length: number): number {
    const end = this.position + length;
    if (end <= this.#cachedUpTo) return 0;
    const unit = length < PAGE_BYTES ? AHEAD_BYTES : PAGE_BYTES;
    return Math.max(0, Math.min(Math.ceil(end / unit) * unit, this.#preallocated) - end);
  }

  /** Have zeros written for `bytes` behind the position, in steps up to `limit`. @throws the disk's error, usually ENOSPC */
  reserve(bytes: number, limit: number): void {
    if (this.#preallocated < this.position) this.#preallocated = this.position;
    const wanted = this.position + bytes;
    if (wanted <= this.#preallocated) return;
    const target = Math.max(wanted, Math.min(limit, this.#preallocated + STEP_BYTES));
    while (this.#preallocated < target) {
      const count = Math.min(ZEROS.length, target - this.#preallocated);
      this.#disk.write(this.fd, ZEROS, count, this.#preallocated);
      this.#preallocated += count;
    }
  }

  /** Give back what was reserved and not used, and close the file. A file system may think about it for milliseconds. */
  async finish(): Promise<void> {
    if (this.#disk.finish !== undefined) return await this.#disk.finish(this.fd, this.position);
    try {
      this.#disk.truncate(this.fd, this.position);
    } finally {
      this.#disk.close(this.fd);
    }
  }

  /** Close the file and leave it as it is: it was abandoned (rule J2). */
  abandon(): void {
    closeQuietly(this.#disk, this.fd);
  }
}

/** An error of closing says nothing new: the file is given up anyway. */
function closeQuietly(disk: Disk, fd: number): void {
  try {
    disk.close(fd);
  } catch {
    // Nothing was promised about this file.
  }
}
