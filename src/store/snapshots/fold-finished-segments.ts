// Folds finished segments in order into the content of a snapshot. It uses their writer's digests, and reads the
// others: segments of another process, abandoned ones (rule J2), and all if there is damage.

import { OrderTexts } from '../order-texts.ts';
import { BlockReader, type ScanStart } from '../segments/block-reader.ts';
import { placeInWords } from '../segments/damage.ts';
import { DigestFold, type HandedSegment } from '../segments/digest-fold.ts';
import type { FoldTarget } from '../segments/fold.ts';
import { foldBlock } from './recovery.ts';

/** How far was folded. */
export interface FoldedUpTo {
  /** Where a scan goes on. */
  readonly start: ScanStart;
  /** Offset of the last group of the last segment; null if that has none. */
  readonly lastFrameAt: number | null;
}

export class FinishedSegments {
  readonly #directory: string;
  readonly #target: FoldTarget;
  readonly #handed: ReadonlyMap<number, HandedSegment>;
  readonly #notes: string[];
  readonly #digests: DigestFold;

  /** @param notes takes what was found damaged, in words */
  constructor(directory: string, into: Omit<FoldTarget, 'texts'>, handed: readonly HandedSegment[], notes: string[]) {
    const target = { ...into, texts: new OrderTexts(directory, into.state) };
    this.#directory = directory;
    this.#target = target;
    this.#handed = new Map(handed.map((one) => [one.digest.segment, one]));
    this.#notes = notes;
    this.#digests = new DigestFold(directory, target);
  }

  /**
   * Fold the segments behind `start`, or all there are, up to number `through`. Null if the last one is not known to be
   * finished. @throws XG_JOURNAL_CORRUPT
   */
  async fold(start: ScanStart | null, through: number): Promise<FoldedUpTo | null> {
    let upTo: FoldedUpTo | null = start === null ? null : { start, lastFrameAt: null };
    try {
      for (let segment = (start?.segment ?? 0) + 1; segment <= through; segment = upTo.start.segment + 1) {
        const handed = this.#usable(segment, upTo);
        upTo = handed === null ? await this.#read(upTo?.start ?? null, segment, through) : this.#take(handed);
        if (upTo === null) return null;
      }
      this.#target.texts.settle();
      return upTo;
    } finally {
      this.#digests.close();
    }
  }

  /** The digest of a segment, if it continues the ones before. */
  #usable(segment: number, upTo: FoldedUpTo | null): HandedSegment | null {
    const handed = this.#handed.get(segment);
    // Behind a damaged place the first messages of every session count, not the last (damage.ts).
    if (handed === undefined || this.#target.state.damage !== null) return null;
    const { journalId, firstFrame } = handed.digest;
    if (upTo === null) return firstFrame === 1 ? handed : null;
    return journalId === upTo.start.journalId && firstFrame === upTo.start.nextFrame ? handed : null;
  }

  #take(handed: HandedSegment): FoldedUpTo {
    this.#digests.fold(handed);
    const { journalId, segment, end, nextFrame, names, lastGroupAt } = handed.digest;
    return { start: { journalId, segment, end, nextFrame, names }, lastFrameAt: lastGroupAt };
  }

  /** Read segments from number `from` on, up to the next one that was handed over. */
  async #read(start: ScanStart | null, from: number, through: number): Promise<FoldedUpTo | null> {
    let last = from;
    while (last < through && !this.#handed.has(last + 1)) last++;
    const reader = new BlockReader(this.#directory, start, last, undefined, 'pass');
    let lastFrameAt: number | null = null;
    for await (const block of reader.blocks()) {
      if (block.damage !== null) this.#notes.push(`${placeInWords(block.damage)}; run \`crossgate store verify\``);
      foldBlock(this.#target, block, 'pass');
      lastFrameAt = block.segment === last ? (block.frames.at(-1)?.offset ?? null) : null;
    }
    const { end } = reader;
    // The successor's header may not be there yet: what is read of its predecessor then is not final.
    if (end === null || end.header.segment !== last || !end.isStated) return null;
    const { header, names, nextFrame } = end;
    const reached = { journalId: header.journalId, segment: last, end: end.end, nextFrame, names: [...names.all()] };
    return { start: reached, lastFrameAt };
  }
}
