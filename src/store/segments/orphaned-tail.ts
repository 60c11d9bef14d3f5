// Whether a segment was written on although another one follows it: that one was missing at a start, the journal went on without
// it, and somebody put it back. The frames of both have the same numbers, and only one of them can be what happened next.

import { CrossgateError } from '../../base/errors.ts';
import { formatIso } from '../../base/time.ts';
import type { Frame, SegmentHeader } from './segment.ts';
import type { SegmentReader } from './segment-reader.ts';

/**
 * Examine the bytes after the end that the next segment states. Abandoned frames there (rule J2) are older than that
 * segment, or stand in it again. Leaves the reader at any position.
 * @param openNext opens the next segment
 * @throws XG_JOURNAL_CORRUPT if the journal continued there
 */
export async function mustEndThere(
  reader: SegmentReader,
  next: SegmentHeader,
  openNext: () => Promise<SegmentReader | 'empty'>,
): Promise<void> {
  reader.seek(next.previousEnd);
  for (let frames = await reader.nextFrames(); frames !== null; frames = await reader.nextFrames()) {
    // A clock that was set back meanwhile proves nothing.
    const later = frames.find(({ at }) => at > next.createdAt);
    if (later === undefined) continue;
    const other = await openNext();
    if (other === 'empty') return;
    try {
      if (!(await has(other, later))) throw wentOnWithout(other.path, reader.path, later);
    } finally {
      await other.close();
    }
    return;
  }
}

/** Whether a segment holds a frame that was moved there. */
async function has(reader: SegmentReader, { number, at }: Frame): Promise<boolean> {
  for (let frames = await reader.nextFrames(); frames !== null; frames = await reader.nextFrames()) {
    const same = frames.find((frame) => frame.number === number);
    if (same !== undefined) return same.at === at;
  }
  return false;
}

function wentOnWithout(path: string, before: string, { offset, at }: Frame): CrossgateError {
  return new CrossgateError(
    'XG_JOURNAL_CORRUPT',
    `${path}: the journal went on without this file, which was put back: ${before} has records of ${formatIso(at)} at offset ${offset}, ` +
      'under the numbers of those in this file. The last messages to counterparties and exchange are there: keep a copy of the whole ' +
      'journal directory, take this file out of it, and start again.',
  );
}
