// Damage in the middle of a journal that goes on in spite of it: real files, bytes flipped in them; which sessions it concerns,
// what is still read, and how an operator's word ends it.

import { mkdirSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import type { EmbeddedJournal } from '../../../src/store/embedded/embedded-journal.ts';
import { JournalState } from '../../../src/store/journal-state.ts';
import {
  type DamagedPlace,
  type JournalRecord,
  type RecoveredJournal,
  readJournal,
  verifyJournal,
} from '../../../src/store/mod.ts';
import { RecordKind } from '../../../src/store/record-codec.ts';
import { DamageWatch } from '../../../src/store/segments/damage.ts';
import {
  decodeSegmentHeader,
  encodeSegmentHeader,
  groupLength,
  segmentFileName,
} from '../../../src/store/segments/segment.ts';
import { recoverJournal } from '../../../src/store/snapshots/recovery.ts';
import { flipByte } from '../failing-disk.ts';
import { copyAsLeftBehind, openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, OTHER, outbound, reset, SESSION } from '../records.ts';

const THIRD = 'FIX.4.4:XGATE->LATE';
const PASS = { onDamage: 'pass', segmentBytes: 65_536 } as const;

/** A start's view, without the start: reads only. */
async function found(directory: string): Promise<RecoveredJournal> {
  const { state, ended } = await recoverJournal(directory, 'pass');
  ended.close();
  return state.recovered(false, []);
}

/** Each list of records a frame of its own, synced; then a copy as a kill leaves it, and where each frame begins. */
async function framesOf(
  frames: readonly (readonly JournalRecord[])[],
  options: { readonly onDamage: 'pass'; readonly segmentBytes: number } = PASS,
): Promise<{ directory: string; starts: number[] }> {
  const live = temporaryDirectory();
  const journal = await openIn(live, options);
  const starts: number[] = [];
  const path = join(live, segmentNames(live)[0]!);
  for (const [k, records] of frames.entries()) {
    journal.append(records, k + 1);
    await journal.sync();
    starts.push(endOf(path));
  }
  const directory = copyAsLeftBehind(live);
  await journal.close();
  truncateSync(join(directory, segmentNames(directory)[0]!), starts.at(-1)! + 4096);
  return { directory, starts: [64, ...starts] };
}

function endOf(path: string): number {
  return readFileSync(path).findLastIndex((byte) => byte !== 0) + 1;
}

const accepted = (sessionId: string | null): JournalRecord => ({
  kind: 'damageAccepted',
  sessionId,
  who: 'ops',
  why: 'compared with the counterparty',
});

/** Frame 3 is the one that the tests damage. */
const day = (lost: readonly JournalRecord[]): JournalRecord[][] => [
  [inbound(1), outbound(1)],
  [inbound(1, OTHER), outbound(1, OTHER)],
  [...lost],
  [inbound(2, OTHER), outbound(2, OTHER)],
];

async function damaged(frames: JournalRecord[][]): Promise<{ directory: string; path: string; starts: number[] }> {
  const { directory, starts } = await framesOf(frames);
  const path = join(directory, segmentNames(directory)[0]!);
  flipByte(path, starts[2]! + 60);
  return { directory, path, starts };
}

test('clears a session continuing after the damage; one that lost a message is concerned', async () => {
  const { directory, path, starts } = await damaged([...day([inbound(2), outbound(2)]), [inbound(3), outbound(3)]]);
  const recovered = await found(directory);
  const place = { path, offset: starts[2], bytes: starts[3]! - starts[2]!, firstFrame: 3, lastFrame: 3 };
  expect(recovered.damage?.places).toEqual([place]);
  expect(recovered.damage?.concerning(OTHER)).toBeNull();
  expect(recovered.damage?.concerning(SESSION)).toEqual(place);
  expect(recovered.damage?.concerning(THIRD)).toEqual(place);
  // The numbers are those of the last records, which were read.
  expect(recovered.sessions.get(SESSION)?.numbers).toEqual({
    series: 1,
    nextSenderMsgSeqNum: 4,
    nextTargetMsgSeqNum: 4,
  });
});

test('proves nothing without a record after the damage: an earlier session is concerned', async () => {
  const { directory } = await damaged(day([inbound(2, OTHER), outbound(2, OTHER)]));
  const { damage } = await found(directory);
  expect(damage?.concerning(SESSION)).not.toBeNull();
});

test('one direction alone proves nothing; a change of numbers shows both of before', async () => {
  const numbers = (nextSenderMsgSeqNum: number): JournalRecord => ({
    kind: 'numbers',
    sessionId: SESSION,
    from: { series: 1, nextSenderMsgSeqNum, nextTargetMsgSeqNum: 2 },
    to: { series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 },
    who: 'counterparty',
    why: 'ResetSeqNumFlag(141)=Y',
  });
  for (const [behind, isConcerned] of [
    [[outbound(2)], true],
    [[inbound(2)], true],
    [[inbound(2), outbound(3)], true],
    [[inbound(2), outbound(2)], false],
    [[numbers(2)], false],
    [[numbers(3)], true],
    [[inbound(1, SESSION, 2), outbound(1, SESSION, 2)], true],
  ] as const) {
    const { directory } = await damaged([...day([inbound(2, OTHER)]), [...behind]]);
    const { damage } = await found(directory);
    expect([behind, damage?.concerning(SESSION) !== null]).toEqual([behind, isConcerned]);
  }
});

test('S2 a session with owed reports may have lost one, whatever its new series shows', async () => {
  const reset: JournalRecord = {
    kind: 'numbers',
    sessionId: SESSION,
    from: { series: 1, nextSenderMsgSeqNum: 3, nextTargetMsgSeqNum: 2 },
    to: { series: 2, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 },
    who: 'counterparty',
    why: 'ResetSeqNumFlag(141)=Y',
  };
  const proven = (msgSeqNum: number): JournalRecord => ({ kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum });
  const goesOn = [inbound(1, SESSION, 2), outbound(1, SESSION, 2)];
  for (const [behind, isConcerned] of [
    [goesOn, true],
    [[...goesOn, proven(2)], true],
    [[...goesOn, outbound(3, SESSION, 1)], false],
    [[...goesOn, outbound(4, SESSION, 1)], true],
    [[...goesOn, proven(3), outbound(3, SESSION, 1)], true],
  ] as const) {
    const { directory } = await damaged([
      [inbound(1), outbound(1), outbound(2)],
      [reset, inbound(1, OTHER), outbound(1, OTHER)],
      [outbound(3, SESSION, 1)],
      [inbound(2, OTHER), outbound(2, OTHER), ...behind],
    ]);
    const { damage } = await found(directory);
    expect([behind, damage?.concerning(SESSION) !== null]).toEqual([behind, isConcerned]);
    expect(damage?.concerning(OTHER)).toBeNull();
  }
});

test('J1 a session with an unconfirmed reset may have lost an old-series message', () => {
  const from = { series: 1, nextSenderMsgSeqNum: 4, nextTargetMsgSeqNum: 3 };
  const to = { series: 2, nextSenderMsgSeqNum: 2, nextTargetMsgSeqNum: 1 };
  const numbers = { kind: 'numbers', sessionId: SESSION, from: to, who: 'counterparty', why: '' } as const;
  const takenBack = { ...numbers, to: { series: 3, nextSenderMsgSeqNum: 4, nextTargetMsgSeqNum: 3 } };
  for (const [behind, isConcerned] of [
    [[inbound(3)], false],
    [[inbound(3), inbound(1, SESSION, 2)], false],
    [[inbound(4)], true],
    [[inbound(1, SESSION, 2)], true],
    [[takenBack], true],
  ] as const) {
    const state = new JournalState();
    const loggedOn = { kind: 'state', sessionId: SESSION, loggedOn: true } as const;
    const proven = { kind: 'proven', sessionId: SESSION, series: 1, msgSeqNum: 3 } as const;
    const day = [inbound(2), outbound(3), proven, loggedOn, { ...reset(2), from }, outbound(1, SESSION, 2)];
    for (const record of day) state.apply(record, 1);
    state.damaged({ path: 'x.xgj', offset: 100, bytes: 50, firstFrame: 7, lastFrame: 7 });
    // Kept in a snapshot meanwhile.
    state.restoreDamage(JSON.parse(JSON.stringify(state.keptDamage())));
    for (const record of [...behind, outbound(2, SESSION, 2)]) state.apply(record, 2);
    const { damage } = state;
    expect([behind, damage?.concerning(SESSION) !== null]).toEqual([behind, isConcerned]);
  }
  // A session that began again at its end, and has sent nothing since, as overnight.
  const state = new JournalState();
  const end = [{ kind: 'state', sessionId: SESSION, loggedOn: false, end: 'logout' }] as const;
  for (const record of [inbound(2), ...end, { ...reset(2), from, who: 'settings' }]) state.apply(record, 1);
  state.damaged({ path: 'x.xgj', offset: 100, bytes: 50, firstFrame: 7, lastFrame: 7 });
  for (const record of [inbound(1, SESSION, 2), outbound(1, SESSION, 2)]) state.apply(record, 2);
  expect(state.damage?.concerning(SESSION)).toBeNull();
});

test('records of the start that found the damage prove nothing', async () => {
  const seen: JournalRecord = { kind: 'damageFound' };
  for (const [behind, isConcerned] of [
    [[inbound(2), outbound(2), seen], false],
    [[seen, inbound(2), outbound(2)], true],
    [[inbound(2), seen, outbound(2)], true],
  ] as const) {
    const { directory } = await damaged([...day([inbound(2, OTHER)]), [...behind]]);
    expect((await found(directory)).damage?.concerning(SESSION) !== null).toBe(isConcerned);
    // As a snapshot keeps it, and as the next start reads it.
    const { state, ended } = await recoverJournal(directory, 'pass');
    ended.close();
    const kept = new DamageWatch(JSON.parse(JSON.stringify(state.keptDamage())));
    kept.inbound(SESSION, 1, 2);
    kept.outbound(SESSION, 1, 2);
    expect(kept.concerning(SESSION) !== null).toBe(isConcerned);
    const journal = await openIn(directory, PASS);
    await journal.close();
    expect((await found(directory)).damage?.concerning(SESSION) !== null).toBe(isConcerned);
  }
});

test('a session proven in one direction before that start never is in the other by itself', () => {
  const place: DamagedPlace = { path: 'x', offset: 0, bytes: 1, firstFrame: 3, lastFrame: 3 };
  const known = { series: 1, nextSenderMsgSeqNum: 5, nextTargetMsgSeqNum: 7, ended: [] };
  for (const provenFirst of ['outbound', 'inbound'] as const) {
    const watch = new DamageWatch();
    watch.found(place, [[SESSION, known]]);
    if (provenFirst === 'outbound') watch.outbound(SESSION, 1, 5);
    else watch.inbound(SESSION, 1, 7);
    watch.noMoreProof();
    watch.outbound(SESSION, 1, 5);
    watch.inbound(SESSION, 1, 7);
    expect(watch.concerning(SESSION)).toBe(place);
  }
});

test("a name in the damaged frame stays unassigned: later records are not another session's", async () => {
  const frames = day([inbound(1, THIRD), outbound(1, THIRD)]);
  frames[3] = [inbound(2, THIRD), outbound(2, THIRD)];
  const { directory } = await damaged([
    ...frames,
    [inbound(1, 'FIX.4.4:XGATE->NEW')],
    [inbound(2, OTHER), outbound(2, OTHER)],
  ]);
  const recovered = await found(directory);
  expect([...recovered.sessions.keys()]).toEqual([SESSION, OTHER, 'FIX.4.4:XGATE->NEW']);
  expect(recovered.sessions.get(OTHER)?.numbers.nextTargetMsgSeqNum).toBe(3);
  expect(recovered.damage?.concerning(THIRD)).not.toBeNull();
  expect(recovered.damage?.concerning(OTHER)).toBeNull();
});

test('whatever byte of a frame is wrong, its length too, the reading goes on with the next whole frame', async () => {
  const { directory, starts } = await framesOf([...day([inbound(2), outbound(2)]), [inbound(3), outbound(3)]]);
  const path = join(directory, segmentNames(directory)[0]!);
  const whole = readFileSync(path);
  for (let at = starts[2]!; at < starts[3]!; at += 13) {
    writeFileSync(path, whole);
    flipByte(path, at, 1 << (at % 8));
    const places: DamagedPlace[] = [];
    const frames = new Set<number>();
    for await (const { frame } of readJournal(directory, 0, (place) => places.push(place))) frames.add(frame);
    expect(places.map(({ firstFrame, lastFrame }) => [firstFrame, lastFrame])).toEqual([[3, 3]]);
    expect([...frames]).toEqual([1, 2, 4, 5]);
  }
});

test('several frames at once: a hole of zeros across them is one place with all their numbers', async () => {
  const [first = [], ...others] = day([inbound(2)]);
  const { directory, starts } = await framesOf([
    [...first, { kind: 'state', sessionId: OTHER, loggedOn: true }],
    ...others,
    [inbound(3, OTHER), outbound(3, OTHER)],
  ]);
  const path = join(directory, segmentNames(directory)[0]!);
  const bytes = readFileSync(path);
  bytes.fill(0, starts[1]! + 20, starts[3]! + 5);
  writeFileSync(path, bytes);
  const { damage, sessions } = await found(directory);
  expect(damage?.places).toMatchObject([{ offset: starts[1], firstFrame: 2, lastFrame: 4 }]);
  expect(sessions.get(OTHER)?.numbers.nextSenderMsgSeqNum).toBe(4);
});

test('finds a whole frame across the reading edge after damage, and a longer one', async () => {
  const BLOCK = 1_048_576;
  const long = (bytes: number): JournalRecord => ({ kind: 'exchangeInput', json: 'x'.repeat(bytes) });
  for (const behind of [2000, 3 * BLOCK]) {
    const frames = [[inbound(1)], [outbound(1)], [long(BLOCK - 1000)], [inbound(2), long(behind)], [inbound(3)]];
    const { directory, starts } = await framesOf(frames, { ...PASS, segmentBytes: 16 * BLOCK });
    expect(starts[3]! - starts[2]!).toBeLessThan(BLOCK);
    expect(starts[4]! - starts[2]!).toBeGreaterThan(BLOCK);
    const path = join(directory, segmentNames(directory)[0]!);
    flipByte(path, starts[2]! + 60);
    const place = { path, offset: starts[2], bytes: starts[3]! - starts[2]!, firstFrame: 3, lastFrame: 3 };
    expect((await found(directory)).damage?.places).toEqual([place]);
  }
});

test('two damaged places keep their own sessions out, also from a snapshot', async () => {
  const frames = [...day([inbound(2)]), [inbound(3, OTHER)], [inbound(4, OTHER), outbound(3, OTHER)]];
  const { directory, path, starts } = await damaged([...frames, [inbound(3), outbound(2)]]);
  flipByte(path, starts[4]! + 60);
  const { state, ended } = await recoverJournal(directory, 'pass');
  ended.close();
  const first = { path, offset: starts[2], bytes: starts[3]! - starts[2]!, firstFrame: 3, lastFrame: 3 };
  const second = { path, offset: starts[4], bytes: starts[5]! - starts[4]!, firstFrame: 5, lastFrame: 5 };
  for (const damage of [state.damage, new DamageWatch(state.keptDamage())]) {
    expect(damage?.places).toEqual([first, second]);
    expect(damage?.lostBytes).toBe(first.bytes + second.bytes);
    expect(damage?.concerning(SESSION)).toEqual(first);
    expect(damage?.concerning(OTHER)).toEqual(second);
  }
});

test('continues in a new segment, and finds the place at each start until accepted', async () => {
  const { directory, path } = await damaged([...day([inbound(2)]), [inbound(3), outbound(2)]]);
  const before = readFileSync(path);
  let journal = await openIn(directory, PASS);
  journal.append([inbound(4), outbound(3)], 20);
  await journal.close();
  expect(segmentNames(directory)).toHaveLength(2);
  expect(readFileSync(path).subarray(0, before.length).equals(before)).toBe(true);

  journal = await openIn(directory, PASS);
  expect(journal.recovered.damage?.concerning(SESSION)).not.toBeNull();
  expect(journal.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(5);
  expect((await journal.loadOutbound(SESSION, 1, 1, 9)).map(({ msgSeqNum }) => msgSeqNum)).toEqual([1, 2, 3]);
  journal.append([accepted(SESSION)], 21);
  await journal.close();

  journal = await openIn(directory, PASS);
  expect(journal.recovered.damage?.concerning(SESSION)).toBeNull();
  expect(journal.recovered.damage?.concerning(THIRD)).not.toBeNull();
  journal.append([accepted(null)], 22);
  await journal.close();
  const { damage } = await found(directory);
  expect(damage?.concerning(THIRD)).toBeNull();
  expect(damage?.places).toEqual([]);
  // Lost records stay lost: a side that relies on them skips as much.
  expect(damage?.lostBytes).toBeGreaterThan(40);
});

/** Many small segments, with a session in turn in each frame. */
async function manySegments(): Promise<string> {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  for (let n = 1; n <= 1200; n++) {
    journal.append([inbound(n), outbound(n), inbound(n, OTHER), outbound(n, OTHER)], n);
    if (n % 50 === 0) await journal.sync();
  }
  await journal.close();
  return directory;
}

test('loses a segment with a damaged header whole; a later snapshot knows the affected sessions', async () => {
  const directory = await manySegments();
  const names = segmentNames(directory);
  expect(names.length).toBeGreaterThan(4);
  flipByte(join(directory, names[1]!), 3);
  let journal = await openIn(directory, { ...PASS, segmentBytes: 65_536, snapshotBytes: 65_536 });
  const { recovered } = journal;
  expect(recovered.damage?.places).toMatchObject([{ path: join(directory, names[1]!), offset: 0 }]);
  expect(recovered.damage?.concerning(SESSION)).not.toBeNull();
  expect(recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(1201);
  const { snapshotsIdle } = journal as unknown as { snapshotsIdle(): Promise<void> };
  await snapshotsIdle.call(journal);
  await journal.close();
  expect((await verifyJournal(directory, Date.now())).snapshots).toBeGreaterThan(0);
  journal = await openIn(directory, PASS);
  expect(journal.recovered.damage?.places).toEqual(recovered.damage?.places);
  expect(journal.recovered.damage?.concerning(SESSION)).not.toBeNull();
  await journal.close();
  await expect(openIn(directory)).rejects.toMatchObject({ code: 'XG_JOURNAL_CORRUPT' });
});

test('reads a restored damaged file, though a snapshot was made without it: all are admitted', async () => {
  for (const spoil of [flipByte, (path: string) => flipByte(path, 3)]) {
    const directory = await manySegments();
    const path = join(directory, segmentNames(directory)[1]!);
    const whole = readFileSync(path);
    spoil(path, 30_000);
    const options = { ...PASS, segmentBytes: 65_536, snapshotBytes: 65_536 };
    let journal = await openIn(directory, options);
    expect(journal.recovered.damage?.concerning(THIRD)).not.toBeNull();
    await (journal as EmbeddedJournal).snapshotsIdle();
    journal.append([inbound(1201), outbound(1201)], 1201);
    await journal.close();
    const { snapshots } = await verifyJournal(directory, Date.now());
    expect(snapshots).toBeGreaterThan(0);
    // Without the file put back the snapshot is believed, wherever the journal is now.
    const moved = join(temporaryDirectory(), 'moved');
    renameSync(directory, moved);
    expect((await found(moved)).damage?.places).toHaveLength(1);
    writeFileSync(join(moved, segmentNames(moved)[1]!), whole);
    journal = await openIn(moved, options);
    expect(journal.recovered.damage).toBeUndefined();
    expect(journal.recovered.notes.join()).toMatch(
      /this snapshot is passed over: .* was damaged when it was made, and is not now/,
    );
    expect(journal.recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(1202);
    expect(await journal.loadOutbound(SESSION, 1, 1, 2000)).toHaveLength(1201);
    await journal.close();
  }
});

test('loses a segment with a zeroed header whole; the others are read and continue', async () => {
  for (const zeros of [64, 4096, 65_536]) {
    const directory = await manySegments();
    const path = join(directory, segmentNames(directory)[1]!);
    const whole = readFileSync(path);
    writeFileSync(path, Buffer.concat([Buffer.alloc(Math.min(zeros, whole.length)), whole.subarray(zeros)]));
    const journal = await openIn(directory, PASS);
    const { recovered } = journal;
    expect(recovered.damage?.places).toMatchObject([{ path, offset: 0 }]);
    expect(recovered.damage?.concerning(SESSION)).not.toBeNull();
    expect(recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(1201);
    await journal.close();
    await expect(openIn(directory)).rejects.toThrow(/00000002\.xgj: the header of this segment is missing/);
  }
});

test('a damaged header of an unwritten segment loses nothing: no session is barred', async () => {
  const directory = await manySegments();
  const second = join(directory, segmentNames(directory)[1]!);
  // Abandoned at once: the segment behind it begins with the same frame, and says that it ended behind its header.
  const header = decodeSegmentHeader(readFileSync(second).subarray(0, 64));
  if (typeof header === 'string') throw new Error(header);
  const { segment, journalId, firstFrame, createdAt } = header;
  for (const name of segmentNames(directory).slice(2)) rmSync(join(directory, name));
  const behind = { segment: segment + 1, journalId, firstFrame, createdAt, previousEnd: 64 };
  writeFileSync(join(directory, segmentFileName(segment + 1)), encodeSegmentHeader(behind).bytes);
  truncateSync(second, 64);
  flipByte(second, 3);
  const journal = await openIn(directory, PASS);
  expect(journal.recovered.damage).toBeUndefined();
  expect(journal.recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBeGreaterThan(1);
  await journal.close();
});

test('a segment that the disk does not give is no damage to pass over: the start is refused', async () => {
  const directory = await manySegments();
  const path = join(directory, segmentNames(directory)[0]!);
  rmSync(path);
  mkdirSync(path);
  await expect(openIn(directory, PASS)).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.stringContaining('EISDIR'),
  });
});

test('verify names every place, with file, offset and frames, and reads on behind it', async () => {
  const directory = await manySegments();
  const names = segmentNames(directory);
  const paths = [names[0]!, names[2]!].map((name) => join(directory, name));
  for (const path of paths) flipByte(path, 30_000);
  const { problems, records } = await verifyJournal(directory, Date.now());
  expect(problems.map(({ path }) => path)).toEqual(paths);
  let lost = 0;
  for (const { problem } of problems) {
    const found = /^a frame is damaged at offset \d+: frames (\d+) to (\d+) are lost \((\d+) bytes\)$/.exec(problem);
    const [firstFrame, lastFrame, bytes] = (found ?? []).slice(1).map(Number) as [number, number, number];
    lost += lastFrame - firstFrame + 1;
    // Records written together share a CRC, up to a few kilobytes.
    expect(bytes).toBeLessThan(9000);
  }
  expect(records).toBe(4 * (1200 - lost));
});

test("skips a later version's record as such, reads all behind it, and writes nothing after it", async () => {
  const { directory, starts } = await framesOf([
    [inbound(1), outbound(1), inbound(1, OTHER), outbound(1, OTHER)],
    [inbound(2), { kind: 'audit', who: 'a', action: 'b', detail: 'c' }, outbound(2)],
    [inbound(2, OTHER), outbound(2, OTHER)],
    [inbound(3), outbound(3)],
  ]);
  const path = join(directory, segmentNames(directory)[0]!);
  const bytes = readFileSync(path);
  const header = decodeSegmentHeader(bytes.subarray(0, 64));
  if (typeof header === 'string') throw new Error(header);
  const at = starts[1]!;
  const length = groupLength(bytes, at, header.seed);
  // Its kind stands before the texts of the audit record.
  const audit = bytes.indexOf(Buffer.from([RecordKind.audit, 1, 0, 0, 0, 0x61]), at);
  bytes[audit] = 99;
  bytes.writeUInt32LE(crc32(bytes.subarray(at + 8, at + length), header.seed), at + 4);
  writeFileSync(path, bytes);

  const problems = (await verifyJournal(directory, 9)).problems.map(({ problem }) => problem);
  const whole = `the frame at offset ${at} is whole, and has a record that this version does not know`;
  const told = new RegExp(
    `^${whole}: frame 2 is left out \\(\\d+ bytes\\) until the version that wrote it is started again$`,
  );
  expect(problems).toEqual([expect.stringMatching(told)]);
  await expect(openIn(directory)).rejects.toMatchObject({ code: 'XG_JOURNAL_CORRUPT' });
  const journal = await openIn(directory, PASS);
  const { damage, sessions } = journal.recovered;
  expect(damage?.places).toMatchObject([{ path, offset: at, firstFrame: 2, lastFrame: 2 }]);
  expect([damage?.concerning(SESSION) !== null, damage?.concerning(OTHER)]).toEqual([true, null]);
  expect(sessions.get(SESSION)?.numbers).toMatchObject({ nextSenderMsgSeqNum: 4, nextTargetMsgSeqNum: 4 });
  expect(segmentNames(directory)).toHaveLength(2);
  await journal.close();
});
