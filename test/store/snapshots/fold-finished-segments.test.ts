// Segments handed over as digests: the result equals a reading of their records, for any content, any take-over by
// reading, and without a file if no order's text is wanted.

import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OutboundIndex } from '../../../src/store/index/outbound-index.ts';
import { JournalState } from '../../../src/store/journal-state.ts';
import type { JournalRecord } from '../../../src/store/mod.ts';
import type { HandedSegment } from '../../../src/store/segments/digest-fold.ts';
import type { FoldTarget } from '../../../src/store/segments/fold.ts';
import { FrameBatch } from '../../../src/store/segments/frame-batch.ts';
import { encodeSegmentHeader, SEGMENT_HEADER_BYTES, segmentFileName } from '../../../src/store/segments/segment.ts';
import { SegmentDigest } from '../../../src/store/segments/segment-digest.ts';
import { SessionNames } from '../../../src/store/session-names.ts';
import { FinishedSegments, type FoldedUpTo } from '../../../src/store/snapshots/fold-finished-segments.ts';
import { flipByte } from '../failing-disk.ts';
import { temporaryDirectory } from '../journal-place.ts';
import { inbound, OTHER, outbound, reset, SESSION } from '../records.ts';

const JOURNAL_ID = '0123456789abcdef0123456789abcdef';
const SEGMENTS = 4;
const TURNS = 120;
const THIRD = 'FIX.4.2:XGATE->ALGO';

/** A generator from a seed: a small one is enough to vary what is written. */
function generator(seed: number): (max: number) => number {
  let state = seed >>> 0;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

type Turn = (turn: number) => JournalRecord[];

/** Turns with everything that a journal holds: Logouts, repeats of lower numbers, older series, orders that end and come back. */
function everything(seed: number): Turn {
  const below = generator(seed);
  const at = new Map([SESSION, OTHER, THIRD].map((id) => [id, { series: 1, sender: 1, target: 1 }]));
  return (turn) => {
    const sessionId = [SESSION, OTHER, THIRD][below(3)]!;
    const place = at.get(sessionId)!;
    // Segments end with Logouts: what counts in time came before them.
    const isLogout = below(12) === 0 || turn % TURNS > TURNS - 20;
    const logout = isLogout ? { msgType: '5' } : {};
    const series = below(9) === 0 ? Math.max(1, place.series - 1) : place.series;
    const number = below(9) === 0 ? Math.max(1, place.sender - 3) : place.sender++;
    const records: JournalRecord[] = [];
    const seriesIn = below(9) === 0 ? Math.max(1, place.series - 1) : place.series;
    if (below(3) > 0) records.push({ ...inbound(place.target++, sessionId, seriesIn), ...logout } as JournalRecord);
    if (below(3) > 0) records.push({ ...outbound(number, sessionId, series, below(5) > 0), ...logout });
    const n = below(40);
    const ended = below(3) === 0 ? { ended: [`c|${n}`, `r|${n}`] } : {};
    if (below(2) === 0) records.push({ kind: 'order', key: `order-${n}`, record: `{"turn":${turn}}`, ...ended });
    if (below(8) === 0) records.push({ kind: 'nonce', credential: `c${below(3)}`, nonce: String(below(1000)) });
    if (below(8) === 0) records.push({ kind: 'proven', sessionId, series, msgSeqNum: number });
    if (below(9) === 0) records.push({ kind: 'state', sessionId, loggedOn: below(2) === 0 });
    if (below(9) === 0) records.push({ kind: 'audit', who: 'Zoë', action: 'looks', detail: 'at “everything”' });
    if (below(20) === 0) records.push({ kind: 'damageAccepted', sessionId: null, who: 'Zoë', why: 'nothing is lost' });
    if (below(15) === 0) {
      records.push({
        ...reset(++place.series, sessionId),
        from: { series: place.series - 1, nextSenderMsgSeqNum: place.sender, nextTargetMsgSeqNum: place.target },
      } as JournalRecord);
      place.sender = 1;
      place.target = 1;
    }
    return records;
  };
}

/** Segment files as a journal writes them, and what it would hand over of them. */
function writeSegments(directory: string, turn: Turn): HandedSegment[] {
  const handed: HandedSegment[] = [];
  const index = new OutboundIndex(directory);
  let frame = 1;
  let previousEnd = 0;
  for (let segment = 1; segment <= SEGMENTS + 1; segment++) {
    const origin = { segment, journalId: JOURNAL_ID, firstFrame: frame, createdAt: 1, previousEnd };
    const { bytes, seed } = encodeSegmentHeader(origin);
    const batch = new FrameBatch();
    const digest = new SegmentDigest(origin);
    const names = new SessionNames();
    const target = { seed, names, position: SEGMENT_HEADER_BYTES, syncedUpTo: 0, digest };
    for (let k = 0; segment <= SEGMENTS && k < TURNS; k++) batch.add(turn(frame), 1000 + frame, frame++, target);
    batch.seal();
    previousEnd = SEGMENT_HEADER_BYTES + batch.length;
    writeFileSync(
      join(directory, segmentFileName(segment)),
      Buffer.concat([bytes, batch.bytes.subarray(0, batch.length)]),
    );
    batch.handOutbound(segment, names, index);
    const sealed = digest.seal(previousEnd, frame, names.all());
    if (segment <= SEGMENTS) handed.push({ digest: sealed!, outbound: index.pages(segment) });
  }
  return handed;
}

interface Folded {
  readonly upTo: FoldedUpTo | null;
  readonly known: unknown;
  readonly notes: readonly string[];
}

const bySession = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number => (a < b ? -1 : 1);

async function fold(
  directory: string,
  handed: readonly HandedSegment[],
  from: FoldedUpTo | null = null,
): Promise<Folded> {
  const notes: string[] = [];
  const ended: unknown[] = [];
  const target: Omit<FoldTarget, 'texts'> = {
    state: new JournalState(),
    index: new OutboundIndex(directory),
    ended: {
      note: (...place) => ended.push(place),
      record: (prints, text) => ended.push([prints, Buffer.from(text).toString()]),
    },
  };
  const upTo = await new FinishedSegments(directory, target, handed, notes).fold(from?.start ?? null, SEGMENTS);
  const { state, index } = target;
  const known = {
    sessions: state.kept().sort(bySession),
    orders: [...state.orders],
    nonces: [...state.nonces].sort(),
    damage: state.keptDamage().map((one) => ({ ...one, expectations: [...one.expectations].sort(bySession) })),
    first: state.firstNeededSegment(),
    ended,
    outbound: [...index.entries(() => 0)].sort(bySession),
  };
  return { upTo, known, notes };
}

for (const round of [1, 2, 3]) {
  test(`digests of segments equal a reading of them, round ${round}`, async () => {
    const seed = (Number(process.env.CROSSGATE_SEED ?? Date.now()) + round) % 1_000_000;
    console.log(`seed ${seed}: CROSSGATE_SEED=${seed - round} repeats it`);
    const directory = temporaryDirectory();
    const handed = writeSegments(directory, everything(seed));
    const read = await fold(directory, []);
    expect(read.upTo?.start.nextFrame).toBe(SEGMENTS * TURNS + 1);
    // All of them, and every choice of those that are missing.
    for (let missing = 0; missing < 2 ** SEGMENTS - 1; missing++) {
      const some = handed.filter((_, k) => (missing & (1 << k)) === 0);
      expect(await fold(directory, some), `missing ${missing.toString(2)}`).toEqual(read);
    }
  });
}

test('of messages alone nothing is read back: their segments need not even be there', async () => {
  const directory = temporaryDirectory();
  const handed = writeSegments(directory, (n) => [inbound(n), outbound(n)]);
  const read = await fold(directory, []);
  for (let segment = 1; segment <= SEGMENTS; segment++) rmSync(join(directory, segmentFileName(segment)));
  expect(await fold(directory, handed)).toEqual(read);
});

test('reads segments after a damaged place again, with or without digests', async () => {
  const directory = temporaryDirectory();
  const handed = writeSegments(directory, everything(5));
  flipByte(join(directory, segmentFileName(2)), 3000);
  const read = await fold(directory, []);
  expect(read.notes.join()).toMatch(/00000002\.xgj: a frame is damaged/);
  expect(await fold(directory, [handed[0]!, handed[2]!, handed[3]!])).toEqual(read);
});

test('a segment that does not go on where those before it end is read: it is of another journal', async () => {
  const directory = temporaryDirectory();
  const handed = writeSegments(directory, everything(6));
  const other = writeSegments(temporaryDirectory(), everything(7));
  const read = await fold(directory, []);
  const foreign = { ...other[2]!, digest: { ...other[2]!.digest, journalId: 'f'.repeat(32) } };
  expect(await fold(directory, [handed[0]!, foreign])).toEqual(read);
  const later = { ...handed[1]!, digest: { ...handed[1]!.digest, firstFrame: TURNS + 2 } };
  expect(await fold(directory, [later, handed[3]!])).toEqual(read);
});

test('reports the unreadable text of an order with its file', async () => {
  const directory = temporaryDirectory();
  const handed = writeSegments(directory, (n) => [{ kind: 'order', key: `order-${n}`, record: 'x'.repeat(500) }]);
  flipByte(join(directory, segmentFileName(3)), 3000);
  await expect(fold(directory, handed)).rejects.toThrow(/00000003\.xgj: a frame is damaged/);
});

test('a segment with too much to say says nothing', () => {
  const digest = new SegmentDigest({ segment: 1, journalId: JOURNAL_ID, firstFrame: 1 });
  const target = { seed: 1, names: new SessionNames(), position: 64, syncedUpTo: 0, digest };
  const key = 'k'.repeat(60_000);
  for (let n = 1; n < 300; n++) {
    const batch = new FrameBatch();
    batch.add([{ kind: 'order', key, record: '' }], n, n, target);
  }
  expect(digest.seal(1000, 300, [])).toBeNull();
});
