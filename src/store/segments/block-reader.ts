// Reads the good frames of the segments of a journal directory in order, as its owner at start-up and as a bystander of a live
// one. Never changes a file; what recovery cuts off is cut by open-journal.ts. Leaves records to journal-reader.ts and fold.ts.

import { join } from 'node:path';
import { CrossgateError } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import { missingTarget } from '../folder.ts';
import { SessionNames } from '../session-names.ts';
import { archivedPath, listSegments } from '../snapshots/archive-files.ts';
import type { DamagedPlace } from './damage.ts';
import { mustEndThere } from './orphaned-tail.ts';
import { type Frame, SEGMENT_HEADER_BYTES, type SegmentHeader, segmentFileName } from './segment.ts';
import { corrupt, foreign, frameWithoutHeader, misnamed, SegmentReader, type Tail } from './segment-reader.ts';

/** Good frames of one block, with what is needed to decode them. */
export interface Block {
  readonly path: string;
  readonly segment: number;
  readonly names: SessionNames;
  readonly frames: readonly Frame[];
  /** Frames before this number were read already, from a segment that was abandoned while it was read. */
  readonly firstWanted: number;
  /** Frames are lost before these, which may be none. */
  readonly damage: DamagedPlace | null;
}

/** Where a journal ends. */
export interface JournalEnd {
  readonly path: string;
  readonly header: SegmentHeader;
  /** Offset behind the last good frame of the newest segment. */
  readonly end: number;
  readonly names: SessionNames;
  readonly nextFrame: number;
  readonly tail: Tail;
  /** Newer segment files, in order, that were created but never got their header; they hold nothing. */
  readonly emptyPaths: readonly string[];
  /** A newer segment says that it ends there: nothing can be added to it any more. */
  readonly isStated: boolean;
  /** Frames of this segment are lost: nothing is added to it. */
  readonly isDamaged: boolean;
}

/** Effect of damage in the middle: an error that stops reading, or a reported place that is skipped. */
export type OnDamage = 'stop' | 'pass';

/** Where a scan begins, if not with the first record: behind what a snapshot covers. */
export interface ScanStart {
  readonly journalId: string;
  readonly segment: number;
  /** Offset in that segment, and the number of the frame there. */
  readonly end: number;
  readonly nextFrame: number;
  readonly names: readonly string[];
}

/** Description of a missing segment. */
export const MISSING = 'this segment file is missing: records are absent';

const NOTHING_BEHIND: Tail = { clean: true, framesBehind: 0, provenBy: null };

export interface BlockReaderOptions {
  /** Where to begin; null, the default, for the first record there is. */
  readonly start?: ScanStart | null;
  /** Last segment to read. Default: the last there is. */
  readonly through?: number;
  /** Leading segments that were finished before that time are left out. Default: none. */
  readonly since?: EpochMs;
  /** Default `stop`. */
  readonly onDamage?: OnDamage;
  /** Called for missing segments, and reading continues after them; null, the default, stops there. */
  readonly onMissing?: ((path: string) => void) | null;
}

/** Good frames of the segments of a directory, in order. */
export class BlockReader {
  readonly #directory: string;
  #nextFrame = 0;
  #journalId: string | null = null;
  #end: JournalEnd | null = null;
  readonly #start: ScanStart | null;
  readonly #through: number;
  readonly #since: EpochMs;
  readonly #onDamage: OnDamage;
  readonly #onMissing: ((path: string) => void) | null;
  #first: number | null = null;
  /** Segments before the next one are missing, so the number of its first frame is unknown. */
  #isBehindGap = false;
  /** The segment that was opened last is in the archive. */
  #lastIsArchived = false;

  constructor(directory: string, options: BlockReaderOptions = {}) {
    const { start = null, through = Number.POSITIVE_INFINITY, since = 0 } = options;
    const { onDamage = 'stop', onMissing = null } = options;
    this.#directory = directory;
    this.#onDamage = onDamage;
    this.#onMissing = onMissing;
    this.#start = start;
    this.#through = through;
    this.#since = since;
    this.#nextFrame = start?.nextFrame ?? 0;
    this.#journalId = start?.journalId ?? null;
  }

  /** Number of the first segment that was there, once `blocks` has begun. */
  get first(): number | null {
    return this.#first;
  }

  /** Where the journal ended, once `blocks` is exhausted; null if it has no segment. */
  get end(): JournalEnd | null {
    return this.#end;
  }

  async *blocks(): AsyncGenerator<Block> {
    let last = this.#start === null ? 0 : this.#start.segment - 1;
    for (;;) {
      const segments = (await listSegments(this.#directory)).filter((segment) => segment > last);
      if (segments.length === 0) {
        // An archived segment had others after it.
        if (this.#lastIsArchived) this.#missing(last + 1);
        return;
      }
      if (segments[0]! > this.#through) return;
      const first = segments[0]!;
      this.#first ??= first;
      if (last !== 0 && first !== last + 1) this.#missing(last + 1);
      let next = segments[1];
      if (next !== undefined && next !== first + 1) {
        if (this.#onMissing === null) this.#missing(first + 1);
        // Its end is unknown; the missing successor is reported next.
        next = undefined;
      }
      // Only in front: where a clock was set back meanwhile, what it says behind what was read makes no hole.
      if (next !== undefined && this.#since > 0 && this.#nextFrame === 0 && (await this.#isBefore(next))) {
        last = first;
        continue;
      }
      const reader = await this.#openOrLose(first, next);
      if (reader instanceof LostSegment) {
        yield reader.block;
        last = first;
        continue;
      }
      if (reader === 'empty') {
        const lost = await this.#withoutHeader(first, next);
        if (lost !== null) yield lost.block;
        last = first;
        continue;
      }
      try {
        if (reader.header.segment !== first) throw misnamed(reader.path, reader.header.segment);
        yield* this.#segment(reader, next);
      } finally {
        await reader.close();
      }
      last = first;
    }
  }

  #path(segment: number): string {
    return join(this.#directory, segmentFileName(segment));
  }

  /** Open a segment, in the archive if it is there no more. */
  async #open(segment: number): Promise<SegmentReader | 'empty'> {
    try {
      const reader = await SegmentReader.open(this.#path(segment));
      this.#lastIsArchived = false;
      return reader;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      const elsewhere = missingTarget(this.#path(segment));
      if (elsewhere !== null)
        throw corrupt(this.#path(segment), 0, `this is a link to ${elsewhere}, which is not there,`);
      this.#lastIsArchived = true;
      return await SegmentReader.openArchived(archivedPath(this.#directory, segment));
    }
  }

  /** Whether a segment was begun before the time asked for: then all of the one before it is older. */
  async #isBefore(segment: number): Promise<boolean> {
    const reader = await this.#open(segment);
    if (reader === 'empty') return false;
    await reader.close();
    return reader.header.createdAt < this.#since;
  }

  /** A segment is missing. The next one begins with any number. */
  #missing(segment: number): void {
    const path = this.#path(segment);
    if (this.#onMissing === null) throw corrupt(path, 0, MISSING);
    this.#onMissing(path);
    this.#isBehindGap = true;
  }

  /**
   * A segment has no header. One that was abandoned before that reached the disk, or that nothing was written to, holds nothing,
   * as its successor says if it has one itself. Any other is lost as a whole, if that says where it ends.
   */
  async #withoutHeader(segment: number, next: number | undefined): Promise<LostSegment | null> {
    const path = this.#path(segment);
    const after = await this.#successor(next);
    if (after !== null && after.previousEnd !== SEGMENT_HEADER_BYTES) {
      const error = corrupt(path, 0, 'the header of this segment is missing');
      return this.#lose(segment, this.#onDamage === 'pass' ? after : null, error);
    }
    const frame = after === null ? await frameWithoutHeader(path) : null;
    // The owner of a live journal may have begun it meanwhile.
    if (frame !== null && (await this.#successor(segment)) === null) {
      throw corrupt(path, 0, `the header of this segment is missing, and was on disk before the frame at ${frame}`);
    }
    if (this.#end !== null) this.#end = { ...this.#end, emptyPaths: [...this.#end.emptyPaths, path] };
    return null;
  }

  /** Open a segment. One with a damaged header is lost as a whole if its successor states its end. */
  async #openOrLose(segment: number, next: number | undefined): Promise<SegmentReader | LostSegment | 'empty'> {
    try {
      return await this.#open(segment);
    } catch (error) {
      const after = isCorrupt(error) && this.#onDamage === 'pass' ? await this.#successor(next) : null;
      // It was abandoned before anything was written to it.
      if (after?.previousEnd === SEGMENT_HEADER_BYTES) return 'empty';
      return this.#lose(segment, after, error);
    }
  }

  /** Skip a segment with a successor that states its end. @throws `error` without one */
  #lose(segment: number, after: SegmentHeader | null, error: unknown): LostSegment {
    if (after === null) throw error;
    const firstFrame = Math.max(1, this.#nextFrame);
    this.#nextFrame = after.firstFrame;
    this.#isBehindGap = false;
    const path = this.#path(segment);
    const place = { path, offset: 0, bytes: after.previousEnd, firstFrame, lastFrame: after.firstFrame - 1 };
    return new LostSegment(path, segment, place);
  }

  /** Header of a segment, which says where the one before ends; null if it has nothing to say yet, or cannot. */
  async #successor(next: number | undefined): Promise<SegmentHeader | null> {
    if (next === undefined) return null;
    let reader: SegmentReader | 'empty';
    try {
      reader = await this.#open(next);
    } catch (error) {
      if (this.#onDamage === 'pass' && isCorrupt(error)) return null;
      throw error;
    }
    if (reader === 'empty') return null;
    await reader.close();
    const { header, path } = reader;
    if (header.segment !== next) throw misnamed(path, header.segment);
    // Its statement of an end does not concern this one.
    if (this.#journalId !== null && header.journalId !== this.#journalId) throw foreign(path);
    return header;
  }

  /**
   * Header of the segment behind what was the newest one: the owner of a live journal may have filled that one, and begun the
   * next, after its end was looked for.
   */
  async #begunSince(segment: number): Promise<SegmentHeader | null> {
    const next = segment + 1;
    return (await listSegments(this.#directory)).includes(next) ? await this.#successor(next) : null;
  }

  async *#segment(reader: SegmentReader, next: number | undefined): AsyncGenerator<Block> {
    const { header, path } = reader;
    this.#journalId ??= header.journalId;
    if (header.journalId !== this.#journalId) throw foreign(path);
    const start = this.#start?.segment === header.segment ? this.#start : null;
    const wasBehindGap = this.#isBehindGap;
    this.#isBehindGap = false;
    if (!wasBehindGap && this.#nextFrame !== 0 && header.firstFrame > this.#nextFrame) {
      throw corrupt(path, 32, `frames ${this.#nextFrame} to ${header.firstFrame - 1} are missing before this segment`);
    }
    let after = await this.#successor(next);
    if (after !== null) {
      await mustEndThere(reader, after, () => this.#open(next!));
      reader.seek(SEGMENT_HEADER_BYTES);
      reader.resume();
      reader.limitTo(after.previousEnd);
    }
    const names = new SessionNames();
    let number = header.firstFrame;
    if (start !== null) {
      for (const name of start.names) names.add(name);
      number = start.nextFrame;
      if (after !== null && after.previousEnd < start.end) {
        throw corrupt(path, after.previousEnd, 'by the next segment this one ends before its part in a snapshot');
      }
      reader.seek(start.end);
    }
    const firstWanted = this.#nextFrame;
    let damage: DamagedPlace | null = null;
    let isDamaged = false;
    for (;;) {
      const frames = await this.#nextFrames(reader, after);
      if (frames === null) {
        const begun: SegmentHeader | null = after === null ? await this.#begunSince(header.segment) : null;
        if (begun === null || begun.previousEnd <= reader.position) break;
        after = begun;
        reader.limitTo(begun.previousEnd);
        reader.resume();
        continue;
      }
      if (frames === 'damaged') {
        damage = await this.#passDamage(reader, number, names, after);
        isDamaged = true;
        number = damage.lastFrame + 1;
        continue;
      }
      for (const frame of frames) {
        if (frame.number !== number) throw corrupt(path, frame.offset, `frame ${number} is missing`);
        number++;
      }
      yield { path, segment: header.segment, names, frames, firstWanted, damage };
      damage = null;
    }
    if (damage !== null) yield { path, segment: header.segment, names, frames: [], firstWanted, damage };
    if (number > this.#nextFrame) this.#nextFrame = number;
    const tail = after === null ? await reader.tail() : NOTHING_BEHIND;
    this.#end = {
      path,
      header,
      end: reader.position,
      names,
      nextFrame: number,
      tail,
      emptyPaths: [],
      isStated: after !== null,
      isDamaged,
    };
  }

  /**
   * Continue at the next whole frame. Without one, or if the owners of its records cannot be known, continue at the
   * segment's end.
   */
  async #passDamage(
    reader: SegmentReader,
    expected: number,
    names: SessionNames,
    after: SegmentHeader | null,
  ): Promise<DamagedPlace> {
    const { path } = reader;
    const offset = reader.position;
    const next = names.counts ? null : await reader.nextWhole(expected);
    if (next === null && after === null)
      throw corrupt(path, offset, 'a frame is damaged, and nothing behind it is whole');
    const end = next?.offset ?? after!.previousEnd;
    const lastFrame = (next?.firstFrame ?? after!.firstFrame) - 1;
    names.damaged();
    reader.seek(end);
    reader.resume();
    return { path, offset, bytes: end - offset, firstFrame: expected, lastFrame };
  }

  async #nextFrames(reader: SegmentReader, after: SegmentHeader | null): Promise<Frame[] | 'damaged' | null> {
    const frames = await reader.nextFrames();
    if (frames !== null) return frames;
    if (after !== null) {
      if (reader.position === after.previousEnd) return null;
      if (this.#onDamage === 'pass') return 'damaged';
      throw corrupt(reader.path, reader.position, 'a frame is damaged');
    }
    const { provenBy } = await reader.tail();
    if (provenBy === null) return null;
    // The owner may have finished this very frame since it was read: look once more before calling it damage.
    reader.resume();
    const again = await reader.nextFrames();
    if (again !== null) return again;
    if (this.#onDamage === 'pass') return 'damaged';
    throw corrupt(reader.path, reader.position, `a frame is damaged that was on disk before the one at ${provenBy}`);
  }
}

function isCorrupt(error: unknown): boolean {
  return error instanceof CrossgateError && error.code === 'XG_JOURNAL_CORRUPT';
}

/** An unreadable segment. */
class LostSegment {
  readonly block: Block;

  constructor(path: string, segment: number, damage: DamagedPlace) {
    this.block = { path, segment, names: new SessionNames(), frames: [], firstWanted: 0, damage };
  }
}

/** The place of a frame that cannot be understood, or only in part. */
export function placeOf({ path }: Block, { offset, number, payload }: Frame): DamagedPlace {
  return { path, offset, bytes: payload.length, firstFrame: number, lastFrame: number, isOfLaterVersion: true };
}

export function notUnderstood({ path }: Block, { offset }: Frame, cause: unknown): CrossgateError {
  const error = corrupt(path, offset, 'a record is not understood by this version');
  error.cause = cause;
  return error;
}
