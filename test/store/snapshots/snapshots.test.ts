// Work beside a live journal, in order: the due snapshot, then the archive, one segment at a time.

import { expect, test } from 'vitest';
import type { SnapshotMeta } from '../../../src/store/snapshots/snapshot-file.ts';
import { Snapshots } from '../../../src/store/snapshots/snapshots.ts';

const DUE = 100;

/** A thread that writes down what it is asked for; `left` segments wait for the archive after the first snapshot. */
function house(
  left: number,
  found = 0,
  withoutIds = 0,
): {
  snapshots: Snapshots;
  asked: string[];
  made: number[];
  lines: string[];
  told: string[];
  failing: { archive: boolean; snapshot: boolean };
  more: { segments: number };
} {
  const asked: string[] = [];
  const made: number[] = [];
  const lines: string[] = [];
  const told: string[] = [];
  const failing = { archive: false, snapshot: false };
  const more = { segments: 0 };
  let waiting = left;
  const meta = { start: { segment: 1 } } as SnapshotMeta;
  const thread = {
    make: async ({ through }: { through: number | null }) => {
      asked.push(`snapshot ${through}`);
      await Promise.resolve();
      if (failing.snapshot) throw new Error('EROFS');
      if (more.segments-- > 0) snapshots.finished(through! + 1, DUE);
      return { meta, archivable: { before: 9, left: waiting }, notes: [] };
    },
    archive: async ({ before }: { before: number | null }) => {
      asked.push('archive');
      if (failing.archive) throw new Error('ENOSPC: no room');
      if (waiting > 0) waiting--;
      return { before: before ?? 7, left: waiting, notes: waiting === 0 ? [`all before ${before}`] : [] };
    },
    ids: async () => {
      made.push(made.length);
      await Promise.resolve();
      return { left: Math.max(0, withoutIds - made.length) };
    },
    close: async () => {},
  };
  const options = {
    directory: 'journal',
    everyBytes: DUE,
    retentionDays: null,
    now: () => 1,
    log: (_: string, text: string) => void lines.push(text),
    onUpkeep: (text: string) => void told.push(text),
    adopt: () => {},
  };
  const snapshots = new Snapshots(options, 0, { count: found, uncoveredBytes: 0 }, thread);
  return { snapshots, asked, made, lines, told, failing, more };
}

test('segments go to the archive one by one, and a snapshot that is due goes before the next of them', async () => {
  const { snapshots, asked, lines } = house(3);
  snapshots.finished(1, DUE);
  snapshots.finished(2, DUE);
  snapshots.finished(3, DUE - 1);
  await snapshots.idle();
  expect(asked).toEqual(['snapshot 1', 'snapshot 3', 'archive', 'archive', 'archive']);
  expect(lines).toEqual(['all before 9']);
  await snapshots.close();
});

test('where too many wait for the archive, every other step is one of them, however many snapshots are due', async () => {
  const { snapshots, asked, more } = house(34);
  more.segments = 4;
  snapshots.finished(1, DUE);
  await snapshots.idle();
  // 34 and 33 are too many.
  const first = ['snapshot 1', 'archive', 'snapshot 2', 'archive', 'snapshot 3', 'snapshot 4', 'snapshot 5'];
  expect(asked.slice(0, first.length)).toEqual(first);
  expect(asked.filter((one) => one === 'archive')).toHaveLength(34);
  await snapshots.close();
});

test('reports a segment that cannot be archived, and retries after the next snapshot', async () => {
  const { snapshots, asked, lines, failing } = house(1);
  failing.archive = true;
  snapshots.finished(1, DUE);
  await snapshots.idle();
  // The archive may be on another disk than the journal.
  const why =
    'no segment could be archived; the next snapshot tries again. Make room, or give the rights that are missing; of';
  expect(lines).toEqual([expect.stringMatching(new RegExp(`^journal/archive: ${why} .* tell more: ENOSPC: no room$`))]);
  failing.archive = false;
  snapshots.finished(2, DUE);
  await snapshots.idle();
  expect(asked).toEqual(['snapshot 1', 'archive', 'snapshot 2', 'archive']);
  await snapshots.close();
});

test('reports a failed snapshot with the retry, its dependents and the remedy', async () => {
  const { snapshots, asked, lines, failing } = house(0);
  failing.snapshot = true;
  snapshots.finished(1, DUE);
  await snapshots.idle();
  expect(lines).toEqual([
    expect.stringMatching(
      /^journal: no snapshot could be made; .* no file of it goes to the archive, until one is: it is tried again after as much traffic\. Make room, .*: EROFS$/,
    ),
  ]);
  failing.snapshot = false;
  snapshots.finished(2, DUE);
  await snapshots.idle();
  expect(asked.slice(0, 2)).toEqual(['snapshot 1', 'snapshot 2']);
  await snapshots.close();
});

test("reports to the journal's owner once that nothing can be archived, until something was", async () => {
  const { snapshots, lines, told, failing } = house(3);
  const saidBehind = async (segment: number): Promise<number[]> => {
    snapshots.finished(segment, DUE);
    await snapshots.idle();
    return [lines.filter((line) => line.includes('no room')).length, told.length];
  };
  failing.archive = true;
  expect([await saidBehind(1), await saidBehind(2)]).toEqual([
    [1, 1],
    [2, 1],
  ]);
  failing.archive = false;
  expect(await saidBehind(3)).toEqual([2, 1]);
  failing.archive = true;
  expect(await saidBehind(4)).toEqual([3, 2]);
  await snapshots.close();
});

test("archives the last process's leftovers from the start on, but not a few segments", async () => {
  const { snapshots, asked, lines } = house(2, 8);
  await snapshots.idle();
  expect(asked).toEqual(['archive', 'archive']);
  expect(lines).toEqual(['all before 7']);
  const quiet = house(2, 7);
  await quiet.snapshots.idle();
  expect(quiet.asked).toEqual([]);
  await snapshots.close();
  await quiet.snapshots.close();
});

test('ids are made of every finished segment, one at a time, and a snapshot that is due goes before', async () => {
  const { snapshots, asked, made } = house(0, 3, 3);
  snapshots.finished(4, DUE);
  await snapshots.idle();
  expect([made.length, asked]).toEqual([3, ['snapshot 4', 'archive']]);
  snapshots.finished(5, 1);
  await snapshots.idle();
  expect(made.length).toBe(4);
  await snapshots.close();
});
