// Where outbound messages lie: what is in memory of segments that a snapshot has taken over.

import { expect, test } from 'vitest';
import { OutboundIndex } from '../../../src/store/index/outbound-index.ts';
import { SESSION } from '../records.ts';

test('segments that a snapshot covers are in memory no more, those behind it are', () => {
  const index = new OutboundIndex('nowhere');
  for (const segment of [1, 2, 3]) index.set(SESSION, 1, segment, segment, 32, 8);
  index.adopt([], 2);
  const [, number, segment] = index.entries(() => 0).get(SESSION)!;
  expect([index.entries(() => 0).get(SESSION)!.length, number, segment]).toEqual([5, 3, 3]);
  index.set(SESSION, 1, 4, 3, 64, 8);
  expect(index.range(SESSION, 1, 1, 9).map(({ msgSeqNum }) => msgSeqNum)).toEqual([3, 4]);
});
