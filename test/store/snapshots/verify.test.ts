// Findings of `crossgate store verify` besides damaged frames: damaged or missing snapshots, ended orders and archive.

import { mkdirSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onlyInSnapshot, openJournal, verifyJournal } from '../../../src/store/mod.ts';
import { archivedPath } from '../../../src/store/snapshots/archive-files.ts';
import { buildSnapshot } from '../../../src/store/snapshots/snapshot-builder.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { flipByte } from '../failing-disk.ts';
import { temporaryDirectory } from '../journal-place.ts';
import { outbound, SESSION } from '../records.ts';

const NOW = 1_700_000_000_000;
const ROOT = join(import.meta.dirname, '../../..');

/** A journal with snapshots, ended orders, and segments in the archive. */
async function archivedJournal(): Promise<string> {
  const directory = temporaryDirectory();
  const journal = await openJournal({ directory, segmentBytes: 65_536, snapshotBytes: 200_000, now: () => NOW });
  for (let n = 1; n < 1600; n++) {
    const record = JSON.stringify({ n, padding: 'x'.repeat(300) });
    journal.append([outbound(1, SESSION, n), { kind: 'proven', sessionId: SESSION, series: n, msgSeqNum: 1 }], NOW);
    journal.append([{ kind: 'order', key: `order-${n}`, record, ended: [`r|${n}`] }], NOW);
    if (n % 20 !== 0) continue;
    await journal.sync();
    await journal.snapshotsIdle();
  }
  await journal.close();
  return directory;
}

const named = (directory: string, ending: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith(ending))
    .sort();

/** verify's faults, a line each. */
async function problems(directory: string): Promise<string[]> {
  const found = await verifyJournal(directory, NOW);
  return found.problems.map(({ path, problem }) => `${path}: ${problem}`);
}

test('a journal with snapshots and an archive is whole', async () => {
  const directory = await archivedJournal();
  expect(await problems(directory)).toEqual([]);
  expect(named(directory, '.xgs')).toHaveLength(2);
  expect(named(join(directory, 'archive'), '.gz').length).toBeGreaterThan(1);
});

test('the snapshot that a start falls back to is read too, and the records of ended orders', async () => {
  const directory = await archivedJournal();
  const [older] = named(directory, '.xgs');
  const [damaged, gone] = named(directory, '.xgo');
  flipByte(join(directory, older!), 100);
  flipByte(join(directory, damaged!), 50);
  rmSync(join(directory, gone!));
  expect(await problems(directory)).toEqual([
    expect.stringContaining(`${older}: this snapshot cannot be used: it is damaged; crossgate store verify --rebuild`),
    expect.stringMatching(new RegExp(`${damaged}: .*the record of an ended order is damaged at offset 0.*--rebuild`)),
    expect.stringMatching(new RegExp(`${gone}: .*this file of ended orders cannot be read .*--rebuild`)),
  ]);
});

test('J4 reports a missing archive until its files can have expired', async () => {
  const emptied = await archivedJournal();
  const archived = named(join(emptied, 'archive'), '.gz').length;
  rmSync(join(emptied, 'archive'), { recursive: true });
  expect(await problems(emptied)).toEqual([
    expect.stringContaining(`${archived} segments from 1 to ${archived} are neither in the journal nor in its archive`),
  ]);
  const without = await archivedJournal();
  rmSync(archivedPath(without, 1));
  expect(await problems(without)).toEqual([
    expect.stringMatching(/archive: segment 1 is neither .*, and nothing is deleted before it was there for a year/),
  ]);
});

test("accepts a library store's own retentionDays in verify, and says so if unknown", async () => {
  const DAY = 86_400_000;
  let now = NOW;
  const directory = temporaryDirectory();
  const sizes = { segmentBytes: 65_536, snapshotBytes: 100_000, retentionDays: 20 };
  const journal = await openJournal({ directory, now: () => now, ...sizes });
  for (let n = 1; n < 3000; n++) {
    journal.append([outbound(1, SESSION, n), { kind: 'proven', sessionId: SESSION, series: n, msgSeqNum: 1 }], now);
    journal.append([{ kind: 'exchangeInput', json: JSON.stringify('x'.repeat(500)) }], now);
    if (n % 20 !== 0) continue;
    now += DAY;
    await journal.sync();
    await journal.snapshotsIdle();
  }
  await journal.close();
  expect(named(join(directory, 'archive'), '00000001.xgj.gz')).toEqual([]);
  expect((await verifyJournal(directory, now, null, 20)).problems).toEqual([]);
  const [problem] = (await verifyJournal(directory, now)).problems;
  expect(problem?.problem).toMatch(/neither .*for a year; by a library .* `--retention-days N` says so/);
  const [later] = (await verifyJournal(directory, now, null, 200)).problems;
  expect(later?.problem).toMatch(/nothing is deleted before it was there for 200 days/);
});

test('a segment that a disk does not give is named, and the rest is looked at all the same', async () => {
  const directory = await archivedJournal();
  const [, unreadable] = named(directory, '.xgj');
  const [older] = named(directory, '.xgs');
  // It is opened, and fails when it is read.
  rmSync(join(directory, unreadable!));
  mkdirSync(join(directory, unreadable!));
  flipByte(join(directory, older!), 100);
  expect(await problems(directory)).toEqual([
    expect.stringMatching(new RegExp(`${unreadable}: it cannot be read, .*EISDIR.*, read '.*${unreadable}'`)),
    expect.stringContaining(`${older}: this snapshot cannot be used: it is damaged`),
  ]);
  for (const name of named(directory, '.xgs')) rmSync(join(directory, name));
  await expect(openJournal({ directory, now: () => NOW })).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.stringContaining(unreadable!),
  });
});

test("a disk error on a snapshot's last segment makes only that snapshot unusable", async () => {
  const directory = await archivedJournal();
  const newest = named(directory, '.xgs').at(-1)!;
  const unreadable = newest.replace('snapshot-', '').replace('.xgs', '.xgj');
  rmSync(join(directory, unreadable));
  mkdirSync(join(directory, unreadable));
  expect(await problems(directory)).toEqual([
    expect.stringMatching(new RegExp(`${unreadable}: it cannot be read, .*EISDIR`)),
    expect.stringMatching(
      new RegExp(`${newest}: this snapshot cannot be used: .*${unreadable} cannot be read .*EISDIR`),
    ),
  ]);
});

test('does not assign a snapshot with a header-less segment to another journal', async () => {
  const directory = await archivedJournal();
  const newest = named(directory, '.xgs').at(-1)!;
  const segment = `${newest.slice('snapshot-'.length, -'.xgs'.length)}.xgj`;
  truncateSync(join(directory, segment), 0);
  expect((await problems(directory)).join('\n')).toMatch(
    new RegExp(`${newest}: .*: the header of .*${segment} cannot be read`),
  );
});

test('reads the parts before and after a missing segment', async () => {
  const directory = await archivedJournal();
  const whole = await verifyJournal(directory, NOW);
  const segments = named(directory, '.xgj');
  rmSync(archivedPath(directory, 2));
  flipByte(join(directory, segments.at(-2)!), 4000);
  const found = await verifyJournal(directory, NOW);
  expect(found.problems.map(({ path, problem }) => `${path}: ${problem}`)).toEqual([
    expect.stringMatching(/00000002\.xgj: this segment file is missing: records are absent$/),
    expect.stringMatching(new RegExp(`${segments.at(-2)}: a frame is damaged at offset`)),
    expect.stringMatching(/segment 2 is neither in the journal nor in its archive/),
  ]);
  const perSegment = whole.records / whole.segments;
  expect(whole.records - found.records).toBeLessThan(2 * perSegment);
});

test('reports no existing frames as lost for a damaged header after a missing segment', async () => {
  const directory = temporaryDirectory();
  const journal = await openJournal({ directory, segmentBytes: 65_536, snapshotBytes: 1e12, now: () => NOW });
  const raw = Buffer.alloc(1000);
  for (let n = 1; n <= 300; n++) {
    journal.append([{ kind: 'unsequenced', sessionId: null, direction: 'in', raw, note: '' }], NOW);
    await journal.sync();
  }
  await journal.close();
  rmSync(join(directory, '00000002.xgj'));
  flipByte(join(directory, '00000003.xgj'), 20);
  const [missing, lost] = await problems(directory);
  expect(missing).toContain('00000002.xgj: this segment file is missing');
  expect(lost).toMatch(/00000003\.xgj: a frame is damaged at offset 0: frames (?!1 )\d+ to \d+ are lost/);
});

test('J1 --rebuild keeps a snapshot that cannot be made again without the archive', async () => {
  const directory = await archivedJournal();
  flipByte(join(directory, named(directory, '.xgs')[1]!), 100);
  rmSync(join(directory, 'archive'), { recursive: true });
  expect((await problems(directory)).join()).not.toContain('--rebuild');
  const before = readdirSync(directory).sort();
  const arguments_ = ['src/cli/main.ts', 'store', 'verify', '--rebuild', '--state', directory];
  const child = new LineProcess(process.execPath, arguments_, { cwd: ROOT });
  expect(await child.ended()).toBe(2);
  expect(child.lines.join()).toMatch(/cannot be rebuilt, so none was deleted; put the archive back first/);
  expect(readdirSync(directory).sort()).toEqual(before);
  await (await openJournal({ directory, now: () => NOW })).close();
});

test("J1 --rebuild keeps a snapshot that has damaged files' content whole", async () => {
  const directory = temporaryDirectory();
  const journal = await openJournal({ directory, segmentBytes: 65_536, snapshotBytes: 1e12, now: () => NOW });
  for (let n = 1; n <= 500; n++) {
    const record = JSON.stringify({ n, padding: 'x'.repeat(500) });
    journal.append([{ kind: 'order', key: `order-${n}`, record }, outbound(n)], NOW);
    await journal.sync();
  }
  await journal.close();
  for (const through of [2, 4]) await buildSnapshot({ directory, through });
  const [older] = named(directory, '.xgs');
  const rebuild = async (): Promise<readonly [number | string, string]> => {
    const arguments_ = ['src/cli/main.ts', 'store', 'verify', '--rebuild', '--state', directory];
    const child = new LineProcess(process.execPath, arguments_, { cwd: ROOT });
    return [await child.ended(), child.lines.join()];
  };
  const damaged = join(directory, '00000002.xgj');
  flipByte(damaged, 1000);
  flipByte(join(directory, older!), 100);
  const told = await problems(directory);
  expect(told).toContainEqual(expect.stringContaining(`${older}: this snapshot cannot be used: it is damaged`));
  expect(told.join()).not.toContain('--rebuild');
  expect(await rebuild()).toEqual([
    2,
    expect.stringMatching(/none was deleted; put that file back .*00000002\.xgj: a frame is/),
  ]);
  expect(named(directory, '.xgs')).toHaveLength(2);
  const again = await openJournal({ directory, now: () => NOW, onDamage: 'pass' });
  expect([again.recovered.orders.size, again.recovered.damage]).toEqual([500, undefined]);
  await again.close();
  flipByte(damaged, 1000);
  expect((await rebuild())[0]).toBe(0);
  expect(named(directory, '.xgs')).toEqual([]);
});

test('--rebuild deletes files made from a damaged one: nothing else is lost', async () => {
  const directory = temporaryDirectory();
  const options = { directory, segmentBytes: 65_536, snapshotBytes: 1e12, now: () => NOW, onDamage: 'pass' } as const;
  const journal = await openJournal(options);
  for (let n = 1; n <= 500; n++) {
    journal.append([{ kind: 'unsequenced', sessionId: null, direction: 'in', raw: Buffer.alloc(500), note: '' }], NOW);
    await journal.sync();
  }
  await journal.close();
  flipByte(join(directory, '00000002.xgj'), 1000);
  await buildSnapshot({ directory, through: 3 });
  expect(named(directory, '.xgs')).toHaveLength(1);
  expect(await onlyInSnapshot(directory)).toBeNull();
});
