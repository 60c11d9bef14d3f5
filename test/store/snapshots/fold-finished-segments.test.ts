// Finished segments as a snapshot takes them: damaged places are noted, unreadable orders named with their file.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutboundIndex } from '../../../src/store/index/outbound-index.ts';
import { JournalState } from '../../../src/store/journal-state.ts';
import type { JournalRecord } from '../../../src/store/mod.ts';
import { FrameBatch } from '../../../src/store/segments/frame-batch.ts';
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES, segmentFileName } from '../../../src/store/segments/segment.ts';
import { SessionNames } from '../../../src/store/session-names.ts';
import { type FoldedUpTo, foldFinishedSegments } from '../../../src/store/snapshots/fold-finished-segments.ts';
import { flipByte } from '../failing-disk.ts';
import { temporaryDirectory } from '../journal-place.ts';
import { inbound, outbound, SESSION } from '../records.ts';

const JOURNAL_ID = '0123456789abcdef0123456789abcdef';
const SEGMENTS = 4;
const TURNS = 120;

/** Segment files as a journal writes them, the last one without frames. */
function writeSegments(directory: string, turn: (frame: number) => JournalRecord[]): void {
  let frame = 1;
  let previousEnd = 0;
  for (let segment = 1; segment <= SEGMENTS + 1; segment++) {
    const origin = { segment, journalId: JOURNAL_ID, firstFrame: frame, createdAt: 1, previousEnd };
    const { bytes, seed } = encodeSegmentHeader(origin);
    const batch = new FrameBatch();
    const target = { seed, names: new SessionNames(), position: SEGMENT_HEADER_BYTES, syncedUpTo: 0 };
    for (let k = 0; segment <= SEGMENTS && k < TURNS; k++) batch.add(turn(frame), 1000 + frame, frame++, target);
    batch.seal();
    previousEnd = SEGMENT_HEADER_BYTES + batch.length;
    const path = join(directory, segmentFileName(segment));
    writeFileSync(path, Buffer.concat([bytes, batch.bytes.subarray(0, batch.length)]));
  }
}

async function fold(
  directory: string,
  from: FoldedUpTo | null = null,
  through = SEGMENTS,
  state = new JournalState(),
): Promise<{ upTo: FoldedUpTo | null; state: JournalState; notes: string[] }> {
  const notes: string[] = [];
  const into = { state, index: new OutboundIndex(directory), ended: { note: (): void => {} } };
  const upTo = await foldFinishedSegments(directory, into, from?.start ?? null, through, notes);
  return { upTo, state, notes };
}

const BOTH_WAYS = (n: number): JournalRecord[] => [inbound(n), outbound(n)];

test('folds segments in two steps as in one', async () => {
  const directory = temporaryDirectory();
  writeSegments(directory, BOTH_WAYS);
  const whole = await fold(directory);
  const half = await fold(directory, null, 2);
  const rest = await fold(directory, half.upTo, SEGMENTS, half.state);
  expect(rest.upTo).toEqual(whole.upTo);
  expect(rest.state.kept()).toEqual(whole.state.kept());
  expect(whole.upTo?.start.nextFrame).toBe(SEGMENTS * TURNS + 1);
  expect(whole.state.kept().map(([id]) => id)).toEqual([SESSION]);
});

test('notes a damaged frame with its file, and goes on behind it', async () => {
  const directory = temporaryDirectory();
  writeSegments(directory, BOTH_WAYS);
  flipByte(join(directory, segmentFileName(2)), 3000);
  const { upTo, notes } = await fold(directory);
  expect(notes.join()).toMatch(/00000002\.xgj: a frame is damaged/);
  expect(upTo?.start.nextFrame).toBe(SEGMENTS * TURNS + 1);
});

test('the last segment is not finished before another states its end', async () => {
  const directory = temporaryDirectory();
  writeSegments(directory, BOTH_WAYS);
  expect((await fold(directory, null, SEGMENTS + 1)).upTo).toBeNull();
});
