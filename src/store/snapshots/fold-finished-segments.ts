// Folds finished segments, in order, into the content of a snapshot.

import { OrderTexts } from '../order-texts.ts';
import { BlockReader, type ScanStart } from '../segments/block-reader.ts';
import { placeInWords } from '../segments/damage.ts';
import type { FoldTarget } from '../segments/fold.ts';
import { foldBlock } from './recovery.ts';

/** How far was folded. */
export interface FoldedUpTo {
  /** Where a scan goes on. */
  readonly start: ScanStart;
  /** Offset of the last group of the last segment; null if that has none. */
  readonly lastFrameAt: number | null;
}

/**
 * Fold the segments behind `start` (null: from the first) up to number `through`. Null if that one is not known to be finished.
 * @param notes takes what was found damaged, in words
 * @throws XG_JOURNAL_CORRUPT if the text of an order is damaged
 */
export async function foldFinishedSegments(
  directory: string,
  into: Omit<FoldTarget, 'texts'>,
  start: ScanStart | null,
  through: number,
  notes: string[],
): Promise<FoldedUpTo | null> {
  const target = { ...into, texts: new OrderTexts(directory, into.state) };
  const reader = new BlockReader(directory, { start, through, onDamage: 'pass' });
  let lastFrameAt: number | null = null;
  for await (const block of reader.blocks()) {
    if (block.damage !== null) notes.push(`${placeInWords(block.damage)}; run \`crossgate store verify\``);
    foldBlock(target, block, 'pass');
    lastFrameAt = block.segment === through ? (block.frames.at(-1)?.offset ?? null) : null;
  }
  const { end } = reader;
  // The successor's header may not be there yet: what is read of its predecessor then is not final.
  if (end === null || end.header.segment !== through || !end.isStated) return null;
  target.texts.settle();
  const { header, names, nextFrame } = end;
  const reached = { journalId: header.journalId, segment: through, end: end.end, nextFrame, names: [...names.all()] };
  return { start: reached, lastFrameAt };
}
