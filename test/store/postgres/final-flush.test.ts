// For how long a node that stops tries to record what is left, over writes that the test gives.

import { afterEach, expect, test, vi } from 'vitest';
import { Block } from '../../../src/store/postgres/block.ts';
import { recordLast } from '../../../src/store/postgres/final-flush.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

/** Each write does one of these, with the rows that are left; the last one again and again. */
function last(rows: Block[], writes: ((left: Block[]) => void)[], failed: string | null = 'away'): Promise<void> {
  let n = 0;
  return recordLast({
    rows,
    requestTimeoutMs: 250,
    mustBeHeld: () => {},
    write: async () => writes[Math.min(n++, writes.length - 1)]!(rows),
    failedFor: () => failed,
  });
}

const refused = (): never => {
  throw new Error('ECONNREFUSED');
};

test('U5 a database that refuses every try at once is given up after the time of one answer', async () => {
  await expect(last([new Block(1)], [refused])).rejects.toThrow('ECONNREFUSED');
});

test('J1 a row behind one that was recorded late has its own time', async () => {
  let now = performance.now();
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const late = (left: Block[]): void => {
    left.shift();
    now += 1_000;
    refused();
  };
  const rows = [new Block(1), new Block(2)];
  await last(rows, [late, refused, (left) => void left.shift()]);
  expect(rows).toEqual([]);
});
