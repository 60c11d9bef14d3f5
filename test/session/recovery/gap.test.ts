// Messages kept ahead of a gap are bounded for any counterparty; others are requested again.

import { expect, test } from 'vitest';
import { InboundGap } from '../../../src/session/recovery/gap.ts';

const MIB = 1_048_576;

test('keeps large messages ahead of a gap up to 16 MiB, always one, and requests the others again', () => {
  const gap = new InboundGap(2000);
  const message = (mib: number) => ({ raw: Buffer.alloc(mib * MIB), processed: false });
  const kept = Array.from({ length: 20 }, (_, n) => gap.keep(n + 3, message(1)));
  expect(kept).toEqual(kept.map((_, n) => n < 16));
  gap.ask({ beginSeqNo: 2, endSeqNo: 2 }, 0);
  for (let expected = 3; expected < 19; expected++) expect(gap.take(expected)).not.toBeNull();
  expect(gap.nextRange(19, 0)).toEqual({ beginSeqNo: 19, endSeqNo: 22 });
  // There is room again, and a second copy takes none.
  for (let n = 0; n < 3; n++) expect(gap.keep(30, message(10))).toBe(true);
  expect(gap.keep(31, message(6))).toBe(true);
  expect(gap.keep(32, message(1))).toBe(false);
  gap.clear();
  expect([gap.keep(40, message(20)), gap.keep(41, message(1))]).toEqual([true, false]);
});

test('where none is to be kept one is all the same, from the beginning and behind a change of settings', () => {
  const message = { raw: Buffer.alloc(1), processed: false };
  const changed = new InboundGap(10);
  changed.limit(0);
  for (const gap of [new InboundGap(0), changed])
    expect([gap.keep(3, message), gap.keep(4, message)]).toEqual([true, false]);
  changed.limit(2);
  expect([changed.keep(4, message), changed.keep(5, message)]).toEqual([true, false]);
});

test('the gap ends before the lowest number here, in any order of arrival', () => {
  const gap = new InboundGap(10);
  for (const n of [9, 7, 5]) gap.keep(n, { raw: Buffer.alloc(1), processed: false });
  expect([gap.lowest(), gap.nextRange(2, 0), gap.below(9)]).toEqual([5, { beginSeqNo: 2, endSeqNo: 4 }, [5, 7]]);
  // The last of them is known as the highest, whatever came after it.
  gap.clear();
  for (const n of [9, 5]) gap.keep(n, { raw: Buffer.alloc(1), processed: false });
  gap.ask({ beginSeqNo: 2, endSeqNo: 4 }, 0);
  gap.take(5);
  expect([gap.advance(6, 0), gap.nextRange(6, 0)]).toEqual([false, { beginSeqNo: 6, endSeqNo: 8 }]);
});

test('forgets a gap completely: no number, room or repeated request remains', () => {
  const gap = new InboundGap(10);
  const message = (mib: number) => ({ raw: Buffer.alloc(mib * MIB), processed: false });
  const askAndMiss = () => {
    gap.ask({ beginSeqNo: 2, endSeqNo: 2 }, 0);
    gap.askedBy(4);
    return [gap.isUnheard(4), gap.isUnheard(4)];
  };
  gap.keep(9, message(10));
  expect(askAndMiss()).toEqual([true, false]);
  expect([gap.advance(3, 0), gap.isUnheard(4), gap.isUnheard(4)]).toEqual([false, true, false]);
  gap.clear();
  expect([gap.queued, gap.asked, gap.nextRange(2, 0)]).toEqual([0, null, null]);
  expect([gap.keep(3, message(8)), gap.keep(4, message(8))]).toEqual([true, true]);
  expect(askAndMiss()).toEqual([true, false]);
});

test('a range for one ResendRequest(2) has so many numbers at most, one at least', () => {
  const gap = new InboundGap(10);
  gap.keep(9, { raw: Buffer.alloc(1), processed: false });
  const ends = [0, 1, 3, 100].map((chunk) => gap.nextRange(2, chunk)?.endSeqNo);
  expect(ends).toEqual([8, 2, 4, 8]);
});

test('a request that 789 announced, or none, is not one that a counterparty has not heard', () => {
  const gap = new InboundGap(10);
  gap.keep(9, { raw: Buffer.alloc(1), processed: false });
  gap.askedBy(4);
  expect(gap.isUnheard(4)).toBe(false);
  gap.ask({ beginSeqNo: 2, endSeqNo: 8 }, 0, true);
  expect(gap.isUnheard(4)).toBe(false);
  gap.ask({ beginSeqNo: 2, endSeqNo: 8 }, 0);
  expect(gap.isUnheard(4)).toBe(true);
});
