// For how long a node that stops tries to record what is left, over writes that the test gives.

import { afterEach, expect, test, vi } from 'vitest';
import { Batch } from '../../../src/store/postgres/batch.ts';
import { recordLast } from '../../../src/store/postgres/final-flush.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const batch = (commit: number): Batch =>
  new Batch({ commit, firstFrame: commit, firstEntry: commit, previousHash: '' });

/** Each write does one of these, with the batches that are left; the last one again and again. */
function last(batches: Batch[], writes: ((left: Batch[]) => void)[], failed: string | null = 'away'): Promise<void> {
  let n = 0;
  return recordLast({
    batches,
    requestTimeoutMs: 250,
    mustBeHeld: () => {},
    write: async () => writes[Math.min(n++, writes.length - 1)]!(batches),
    failedFor: () => failed,
  });
}

const refused = (): never => {
  throw new Error('ECONNREFUSED');
};

test('U5 a database that refuses every try at once is given up after the time of one answer', async () => {
  await expect(last([batch(1)], [refused])).rejects.toThrow('ECONNREFUSED');
});

test('J1 a batch behind one that was recorded late has its own time', async () => {
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const late = (left: Batch[]): void => {
    left.shift();
    now += 1_000;
    refused();
  };
  const batches = [batch(1), batch(2)];
  await last(batches, [late, refused, (left) => void left.shift()]);
  expect(batches).toEqual([]);
});
