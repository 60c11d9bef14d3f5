// A journal that is followed while its owner writes: every record once, in order, across segments.

import { expect, test } from 'vitest';
import { followJournal } from '../../../src/store/mod.ts';
import { openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, outbound } from '../records.ts';

test('gives records as they come, across segments, each once', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  const write = async (from: number, to: number): Promise<void> => {
    for (let n = from; n <= to; n++) {
      journal.append([inbound(n), outbound(n)], n);
      if (n % 50 === 0) await journal.sync();
    }
    await journal.sync();
  };
  await write(1, 10);
  const ends = [12, 12, 400, 1_500, 1_501];
  const seen: string[] = [];
  const looks: number[] = [];
  let last = 10;
  const more = async (): Promise<boolean> => {
    looks.push(seen.length);
    const end = ends.shift();
    if (end === undefined) return false;
    await write(last + 1, end);
    last = end;
    return true;
  };
  for await (const { record } of followJournal(directory, 0, () => {}, more)) {
    if (record.kind === 'inbound' || record.kind === 'outbound') seen.push(`${record.kind} ${record.msgSeqNum}`);
  }
  expect(segmentNames(directory).length).toBeGreaterThan(2);
  expect(looks).toEqual([20, 24, 24, 800, 3_000, 3_002]);
  expect(seen).toEqual(Array.from({ length: 1_501 }, (_, i) => [`inbound ${i + 1}`, `outbound ${i + 1}`]).flat());
});
