// Damage to the files of a journal: what was never durable is cut off with a note, what was durable is never given up silently.

import {
  copyFileSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import type { EmbeddedJournal } from '../../../src/store/embedded/embedded-journal.ts';
import { readJournal, verifyJournal } from '../../../src/store/mod.ts';
import {
  decodeSegmentHeader,
  encodeSegmentHeader,
  SEGMENT_HEADER_BYTES,
  type SegmentHeader,
  segmentFileName,
} from '../../../src/store/segments/segment.ts';
import { archiveNext } from '../../../src/store/snapshots/archive.ts';
import { archivedPath } from '../../../src/store/snapshots/archive-files.ts';
import { recoverJournal } from '../../../src/store/snapshots/recovery.ts';
import { FailingDisk, flipByte } from '../failing-disk.ts';
import { copyAsLeftBehind, openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, OTHER, outbound, SESSION } from '../records.ts';

async function expectedNumber(directory: string): Promise<{ next: number; notes: readonly string[] }> {
  const journal = await openIn(directory);
  const next = journal.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum ?? 1;
  const { notes } = journal.recovered;
  await journal.close();
  return { next, notes };
}

/** Three frames, each synced on its own, then a copy as a power loss would leave it. Returns where frames end. */
async function threeFrames(): Promise<{ directory: string; path: string; ends: number[] }> {
  const live = temporaryDirectory();
  const journal = await openIn(live);
  const ends: number[] = [];
  for (let n = 1; n <= 3; n++) {
    journal.append([inbound(n), outbound(n)], n);
    await journal.sync();
    const used = readFileSync(join(live, segmentNames(live)[0]!));
    let end = used.length;
    while (used[end - 1] === 0) end--;
    ends.push(end);
  }
  const directory = copyAsLeftBehind(live);
  await journal.close();
  const path = join(directory, segmentNames(directory)[0]!);
  // Without most of the room reserved ahead, which only makes copying slow.
  truncateSync(path, ends[2]! + 200);
  return { directory, path, ends };
}

/** A start's view, without the start: reads only. */
async function found(directory: string): Promise<{ next: number; end: number; clean: boolean }> {
  const { state, end } = await recoverJournal(directory);
  const next = state.sessions().get(SESSION)?.numbers.nextTargetMsgSeqNum ?? 1;
  return { next, end: end!.end, clean: end!.tail.clean };
}

test('finds a tail torn at any byte of the last frame, with whole frames before it', async () => {
  const { directory, path, ends } = await threeFrames();
  const whole = readFileSync(path);
  const second = (await found(directory)).end;
  expect(second).toBeGreaterThan(ends[1]!);
  for (let cut = ends[1]! + 1; cut < ends[2]!; cut += cut < ends[1]! + 64 ? 1 : 5) {
    for (const size of [cut, whole.length]) {
      const torn = Buffer.from(whole.subarray(0, size));
      torn.fill(0, cut);
      writeFileSync(path, torn);
      const { next, end, clean } = await found(directory);
      expect(next).toBe(3);
      expect(end).toBeLessThan(cut);
      // A frame of zeros looks like reserved space.
      expect(clean).toBe(torn.subarray(end).every((byte) => byte === 0));
    }
  }
});

test('a start cuts a torn tail off with a note and goes on from the frame before it', async () => {
  const { directory, path, ends } = await threeFrames();
  const whole = readFileSync(path);
  for (let cut = ends[1]! + 5; cut < ends[2]!; cut += 31) {
    writeFileSync(path, whole.subarray(0, cut));
    const { next, notes } = await expectedNumber(directory);
    expect(next).toBe(3);
    expect(notes.join()).toMatch(/cut off at offset \d+: the last frame was torn/);
    expect(statSync(path).size).toBeLessThan(ends[1]! + 100);
  }
});

test('rejects a frame with any wrong byte', async () => {
  const { directory, path, ends } = await threeFrames();
  const whole = readFileSync(path);
  for (let at = ends[1]!; at < ends[2]!; at++) {
    writeFileSync(path, whole);
    flipByte(path, at, 1 << (at % 8));
    expect((await found(directory)).next).toBe(3);
  }
});

test('stops at a damaged durable frame with file, offset and remedy, and changes no byte', async () => {
  const { directory, path, ends } = await threeFrames();
  const whole = readFileSync(path);
  for (let at = 64; at < ends[1]!; at += 31) {
    writeFileSync(path, whole);
    flipByte(path, at, 1 << (at % 8));
    const damaged = readFileSync(path);
    const offset = at < ends[0]! ? 64 : ends[0]!;
    await expect(openIn(directory)).rejects.toMatchObject({
      code: 'XG_JOURNAL_CORRUPT',
      message: expect.stringMatching(
        new RegExp(`00000001\\.xgj: a frame is damaged .* at offset ${offset}\\..*backup`),
      ),
    });
    expect(readFileSync(path).equals(damaged)).toBe(true);
  }
});

test('after a clean close even the last frame counts as durable', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  journal.append([inbound(1)], 1);
  await journal.close();
  flipByte(join(directory, segmentNames(directory)[0]!), 64 + 50);
  await expect(openIn(directory)).rejects.toMatchObject({ code: 'XG_JOURNAL_CORRUPT' });
});

test('frames behind a torn one that were never synced go with it, and the note counts them', async () => {
  const live = temporaryDirectory();
  const journal = await openIn(live);
  journal.append([inbound(1)], 1);
  await journal.sync();
  const path = join(live, segmentNames(live)[0]!);
  const start = readFileSync(path).findLastIndex((byte) => byte !== 0) + 1;
  for (let n = 2; n <= 4; n++) {
    journal.append([inbound(n)], n);
    journal.write();
  }
  const directory = copyAsLeftBehind(live);
  flipByte(join(directory, segmentNames(directory)[0]!), start + 60);
  const { next, notes } = await expectedNumber(directory);
  expect(next).toBe(2);
  expect(notes.join()).toContain('2 whole one(s) behind it');
});

test('records appended after a torn tail was cut are found by the next start', async () => {
  const { directory, path, ends } = await threeFrames();
  truncateSync(path, ends[2]! - 1);
  const journal = await openIn(directory);
  journal.append([inbound(3), inbound(4)], 9);
  await journal.close();
  expect((await expectedNumber(directory)).next).toBe(5);
  const frames: number[] = [];
  for await (const { frame } of readJournal(directory)) frames.push(frame);
  expect(frames).toEqual([1, 1, 2, 2, 3, 3]);
});

async function manySegments(): Promise<string> {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  for (let n = 1; n <= 2500; n++) {
    journal.append([inbound(n)], n);
    if (n % 50 === 0) await journal.sync();
  }
  await journal.close();
  return directory;
}

/** Record on, a message a millisecond from then on. Returns the number expected next. */
async function moreSegments(
  directory: string,
  from: number,
  until: (names: readonly string[]) => boolean,
): Promise<number> {
  let now = from;
  const journal = await openIn(directory, { segmentBytes: 65_536, now: () => now });
  let next = journal.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum ?? 1;
  do {
    now++;
    journal.append([inbound(next)], now);
    next++;
    await journal.sync();
  } while (!until(segmentNames(directory)));
  await journal.close();
  return next;
}

test('J3 refuses a newest segment that was missing at a start and returns behind later records', async () => {
  for (const goesOn of [3, 600]) {
    const directory = temporaryDirectory();
    await moreSegments(directory, 1_000_000, (names) => names.length === 3);
    const newest = join(directory, segmentNames(directory).at(-1)!);
    const kept = `${newest}.kept`;
    renameSync(newest, kept);
    let count = 0;
    const next = await moreSegments(directory, 2_000_000, () => ++count === goesOn);
    expect((await found(directory)).next).toBe(next);
    // Over the one that was begun meanwhile, if there is one.
    renameSync(kept, newest);
    const words =
      /00000003\.xgj: the journal went on without this file, .*00000002\.xgj has records of 1970-01-01T00:33:20/;
    await expect(openIn(directory)).rejects.toThrow(words);
    await expect(openIn(directory, { onDamage: 'pass' })).rejects.toThrow(words);
    const { problems } = await verifyJournal(directory, 1_700_000_000_000);
    expect(problems.map(({ problem }) => problem).join()).toMatch(words);
  }
});

test('J4 a journal with only its archive left does not start, and the archive stays unchanged', async () => {
  const directory = temporaryDirectory();
  await moreSegments(directory, 1_000_000, (names) => names.length === 4);
  for (let k = 0; k < 2; k++) archiveNext({ directory, retentionDays: null, now: 3_000_000, before: 3 });
  const archived = [1, 2].map((segment) => readFileSync(archivedPath(directory, segment)));
  for (const name of readdirSync(directory)) if (name !== 'archive') rmSync(join(directory, name), { recursive: true });
  for (const onDamage of ['stop', 'pass'] as const) {
    await expect(openIn(directory, { onDamage })).rejects.toThrow(/00000003\.xgj: this segment file is missing/);
  }
  expect([1, 2].map((segment) => readFileSync(archivedPath(directory, segment)))).toEqual(archived);
  const { problems } = await verifyJournal(directory, 3_000_000);
  expect(problems.map(({ path }) => path)).toEqual([join(directory, '00000003.xgj')]);
});

test('a segment of a later version is not called damaged: the start names that version as the remedy', async () => {
  const directory = await manySegments();
  const path = join(directory, segmentNames(directory).at(-1)!);
  const bytes = readFileSync(path);
  bytes.writeUInt32LE(3, 8);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 60)), 60);
  writeFileSync(path, bytes);
  for (const onDamage of ['stop', 'pass'] as const) {
    await expect(openIn(directory, { onDamage })).rejects.toThrow(/a later version of Crossgate wrote this segment/);
  }
  expect(readFileSync(path)).toEqual(bytes);
});

test('names a file of another journal, and not the whole one before it', async () => {
  const directory = temporaryDirectory();
  const other = temporaryDirectory();
  for (const [place, bytes] of [
    [directory, 900],
    [other, 700],
  ] as const) {
    const journal = await openIn(place, { segmentBytes: 65_536 });
    const raw = Buffer.alloc(bytes);
    for (let n = 1; n <= 300; n++) {
      journal.append([{ kind: 'unsequenced', sessionId: null, direction: 'in', raw, note: '' }], n);
      await journal.sync();
    }
    await journal.close();
  }
  const [, , third] = segmentNames(directory);
  writeFileSync(join(directory, third!), readFileSync(join(other, third!)));
  const told =
    /00000003\.xgj: this segment belongs to another journal than the files before it: .* Remove files of other journals/;
  for (const onDamage of ['stop', 'pass'] as const) {
    await expect(openIn(directory, { onDamage })).rejects.toThrow(told);
  }
  const { problems } = await verifyJournal(directory, 1_700_000_000_000);
  expect(problems.map(({ problem }) => problem)).toEqual([expect.stringMatching(told)]);
});

test('a damaged frame in an older segment, a missing segment, a foreign one: the start is refused', async () => {
  const directory = await manySegments();
  const names = segmentNames(directory);
  expect(names.length).toBeGreaterThan(3);
  const path = join(directory, names[1]!);
  const whole = readFileSync(path);
  flipByte(path, whole.length - 5);
  await expect(openIn(directory)).rejects.toThrow(/00000002\.xgj: a frame is damaged at offset \d+/);
  writeFileSync(path, whole.subarray(0, whole.length - 1));
  await expect(openIn(directory)).rejects.toThrow(/00000002\.xgj: a frame is damaged/);
  rmSync(path);
  await expect(openIn(directory)).rejects.toThrow(/00000002\.xgj: this segment file is missing/);
  // On a volume that is not mounted.
  symlinkSync('/nowhere/2.xgj', path);
  await expect(openIn(directory)).rejects.toThrow(
    /00000002\.xgj: this is a link to \/nowhere\/2\.xgj, which is not there,/,
  );
  rmSync(path);
  writeFileSync(path, readFileSync(join(await manySegments(), names[1]!)));
  await expect(openIn(directory)).rejects.toThrow(/00000002\.xgj: this segment belongs to another journal/);
  writeFileSync(path, whole);
  flipByte(path, 3);
  await expect(openIn(directory)).rejects.toThrow(/00000002\.xgj: the header of this segment is damaged/);
  writeFileSync(path, whole);
  expect((await expectedNumber(directory)).next).toBe(2501);
});

test('refuses a renamed or copied segment with its right name, as does verify', async () => {
  const directory = await manySegments();
  const names = segmentNames(directory);
  const path = (k: number): string => join(directory, names[k]!);
  const wholes = names.map((_, k) => readFileSync(path(k)));
  for (const [to, from] of [
    [2, 1],
    [1, 2],
    [0, names.length - 1],
    [names.length - 1, 0],
  ] as const) {
    for (const isSwapped of [false, true]) {
      writeFileSync(path(to), wholes[from]!);
      if (isSwapped) writeFileSync(path(from), wholes[to]!);
      const told = new RegExp(`this is the segment that belongs into (${names[from]}|${names[to]}), by its header`);
      for (const onDamage of ['stop', 'pass'] as const)
        await expect(openIn(directory, { onDamage })).rejects.toThrow(told);
      const { problems } = await verifyJournal(directory, 0);
      expect(problems.map(({ problem }) => problem)).toContainEqual(expect.stringMatching(told));
      for (const k of [to, from]) writeFileSync(path(k), wholes[k]!);
    }
  }
  expect((await expectedNumber(directory)).next).toBe(2501);
});

test('refuses a segment of another copy that ends its predecessor ahead of a snapshot', async () => {
  const live = temporaryDirectory();
  const journal = await openIn(live, { segmentBytes: 65_536, snapshotBytes: 100_000 });
  for (let n = 1; n <= 2500; n++) {
    journal.append([inbound(n)], n);
    if (n % 50 === 0) await journal.sync();
    if (n === 2000) await (journal as EmbeddedJournal).snapshotsIdle();
  }
  const directory = copyAsLeftBehind(live);
  const snapshot = readdirSync(directory)
    .filter((name) => name.endsWith('.xgs'))
    .sort()
    .at(-1)!;
  const path = join(directory, segmentFileName(Number(/\d+/.exec(snapshot)![0]) + 1));
  const whole = readFileSync(path);
  const header = decodeSegmentHeader(whole) as SegmentHeader;
  const { bytes } = encodeSegmentHeader({ ...header, previousEnd: SEGMENT_HEADER_BYTES + 32 });
  writeFileSync(path, Buffer.concat([bytes, whole.subarray(bytes.length)]));
  await expect(openIn(directory)).rejects.toThrow(/ends before its part in a snapshot/);
  writeFileSync(path, whole);
  expect((await expectedNumber(directory)).next).toBe(2501);
});

test('S3 a resend out of a segment that another one was copied over sends nothing of that one', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536, snapshotBytes: 100_000 });
  for (let n = 1; n <= 2500; n++) {
    journal.append([outbound(n, n <= 1250 ? SESSION : OTHER, 1), inbound(n)], n);
    if (n % 50 === 0) await journal.sync();
  }
  const names = segmentNames(directory);
  const [first, last] = [names[0]!, names.at(-2)!].map((name) => join(directory, name)) as [string, string];
  writeFileSync(first, readFileSync(last));
  await expect(journal.loadOutbound(SESSION, 1, 1, 3)).rejects.toThrow(
    /00000001\.xgj: this is the segment that belongs into/,
  );
  await journal.close();
});

test('a segment that was created but never written, as a power loss leaves it, is removed with a note', async () => {
  const directory = await manySegments();
  const next = join(directory, `0000000${segmentNames(directory).length + 1}.xgj`);
  for (const content of [Buffer.alloc(0), Buffer.alloc(4096)]) {
    writeFileSync(next, content);
    const { next: number, notes } = await expectedNumber(directory);
    expect(number).toBe(2501);
    expect(notes.join()).toMatch(/removed, it was created but nothing was written to it yet/);
  }
});

test('detects any wrong bit in a segment header', () => {
  const header = {
    segment: 2,
    journalId: 'a'.repeat(32),
    firstFrame: 10,
    createdAt: 1_700_000_000_000,
    previousEnd: 4096,
  };
  const { bytes } = encodeSegmentHeader(header);
  expect(decodeSegmentHeader(bytes)).toMatchObject(header);
  for (let bit = 0; bit < 8 * SEGMENT_HEADER_BYTES; bit++) {
    const wrong = Buffer.from(bytes);
    wrong[bit >> 3]! ^= 1 << (bit & 7);
    expect(decodeSegmentHeader(wrong), `bit ${bit}`).toBe('damaged');
  }
});

test('a segment that was abandoned before its header reached the disk is passed over', async () => {
  const live = temporaryDirectory();
  const disk = new FailingDisk();
  const journal = await openIn(live, { segmentBytes: 65_536, disk });
  let n = 0;
  while (segmentNames(live).length < 2) {
    journal.append([inbound(++n)], n);
    await journal.sync();
  }
  journal.append([inbound(++n)], n);
  disk.failAt = { call: disk.total + 2, code: 'EIO' };
  await journal.sync();
  expect(segmentNames(live)).toHaveLength(3);
  const directory = copyAsLeftBehind(live);
  writeFileSync(join(directory, segmentNames(directory)[1]!), Buffer.alloc(8192));
  expect(await expectedNumber(directory)).toEqual({ next: n + 1, notes: [] });
});

test('a journal with a header-less very first segment is fresh', async () => {
  const directory = temporaryDirectory();
  writeFileSync(join(directory, '00000001.xgj'), Buffer.alloc(100));
  const journal = await openIn(directory);
  expect(journal.recovered.fresh).toBe(true);
  journal.append([inbound(1)], 1);
  await journal.close();
  expect((await expectedNumber(directory)).next).toBe(2);
});

test('J1 refuses a start on a newest segment with a lost header that was on disk', async () => {
  const { directory: alone } = await threeFrames();
  const behindOthers = await manySegments();
  for (const [directory, zeros, isBehindBegun] of [
    [alone, 64, false],
    // A segment that was begun behind it holds nothing yet.
    [alone, 64, true],
    [behindOthers, 64, false],
    [behindOthers, 4096, true],
  ] as const) {
    const names = segmentNames(directory);
    const path = join(directory, names.at(-1)!);
    const begun = join(directory, `${String(names.length + 1).padStart(8, '0')}.xgj`);
    const whole = readFileSync(path);
    const spoilt = Buffer.concat([Buffer.alloc(zeros), whole.subarray(zeros)]);
    writeFileSync(path, spoilt);
    if (isBehindBegun) writeFileSync(begun, Buffer.alloc(4096));
    for (const onDamage of ['stop', 'pass'] as const) {
      await expect(openIn(directory, { onDamage })).rejects.toMatchObject({
        code: 'XG_JOURNAL_CORRUPT',
        message: expect.stringMatching(
          /the header of this segment is missing, and was on disk before the frame at \d+/,
        ),
      });
      expect(readFileSync(path).equals(spoilt)).toBe(true);
    }
    const { problems } = await verifyJournal(directory, Date.now());
    expect(problems.map(({ problem }) => problem).join()).toContain(`${path}: the header of this segment is missing`);
    writeFileSync(path, whole);
    rmSync(begun, { force: true });
  }
});

test('bytes of a message that look like a frame are not taken for one', async () => {
  const { directory, path, ends } = await threeFrames();
  const stolen = readFileSync(path).subarray(ends[0]!, ends[1]!);
  const journal = await openIn(directory);
  const raw = Buffer.concat([stolen, stolen]);
  journal.append([{ kind: 'unsequenced', sessionId: null, direction: 'in', raw, note: 'garbled' }], 4);
  await journal.sync();
  const copy = copyAsLeftBehind(directory);
  const file = join(copy, segmentNames(copy)[0]!);
  // Tear the new frame in its head: its payload holds what once were good frames of this very segment.
  flipByte(file, ends[2]! + 5);
  const { next, notes } = await expectedNumber(copy);
  expect(next).toBe(4);
  expect(notes.join()).toContain('torn');
});

test('S3 names a file of another journal copied over one of this before a resend', async () => {
  const [directory, other] = [temporaryDirectory(), temporaryDirectory()];
  for (const [place, letter] of [
    [directory, 'a'],
    [other, 'b'],
  ] as const) {
    const journal = await openIn(place, { segmentBytes: 65_536 });
    for (let n = 1; n <= 300; n++) {
      journal.append([inbound(n), { ...outbound(n), raw: Buffer.alloc(500, letter) }], n);
      await journal.sync();
    }
    await journal.close();
  }
  // One that is running: a start looks at files that no snapshot covers.
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  const name = segmentNames(directory)[0]!;
  copyFileSync(join(other, name), join(directory, name));
  await expect(journal.loadOutbound(SESSION, 1, 1, 9)).rejects.toThrow(
    /00000001\.xgj: this segment belongs to another journal/,
  );
  await journal.close();
});
