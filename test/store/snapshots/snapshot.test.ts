// Snapshots: a start that uses one finds exactly what a reading of the whole journal finds; one that is damaged gives way.

import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { EmbeddedJournal } from '../../../src/store/embedded/embedded-journal.ts';
import {
  inspectJournal,
  type JournalEntry,
  type JournalRecord,
  openJournal,
  readJournal,
} from '../../../src/store/mod.ts';
import { SEGMENT_HEADER_BYTES } from '../../../src/store/segments/segment.ts';
import { verifyArchive } from '../../../src/store/snapshots/archive.ts';
import { archiveDirectory, archivedPath } from '../../../src/store/snapshots/archive-files.ts';
import { recoverJournal, usableSnapshot } from '../../../src/store/snapshots/recovery.ts';
import { buildSnapshot } from '../../../src/store/snapshots/snapshot-builder.ts';
import { readSnapshot, type Snapshot } from '../../../src/store/snapshots/snapshot-file.ts';
import { FailingDisk, flipByte } from '../failing-disk.ts';
import { copyAsLeftBehind, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, OTHER, outbound, reset, SESSION } from '../records.ts';

const SMALL = { segmentBytes: 65_536, snapshotBytes: 300_000, now: () => 1_700_000_000_000 };

function open(directory: string, more: Partial<Parameters<typeof openJournal>[0]> = {}): Promise<EmbeddedJournal> {
  return openJournal({ directory, ...SMALL, ...more });
}

/** A generator from a seed: a small one is enough to vary what is written. */
function generator(seed: number): (max: number) => number {
  let state = seed >>> 0;
  return (max) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * max);
  };
}

const order = (n: number, ended: boolean, what: string): JournalRecord => ({
  kind: 'order',
  key: `order-${n}`,
  record: JSON.stringify({ n, what, padding: 'x'.repeat(300) }),
  ...(ended ? { ended: [`c|${SESSION}|order-${n}`, `r|${n}`] } : {}),
});

/** Where each session is: what is written further goes on from there, as series never go back. */
const beginning = () => new Map([SESSION, OTHER].map((id) => [id, { series: 1, sender: 1, target: 1 }]));

/** Write turns of everything that a journal holds; what was asked to be ended, by number. */
async function write(
  journal: EmbeddedJournal,
  seed: number,
  turns: number,
  resets = true,
  at = beginning(),
): Promise<Map<number, string>> {
  const below = generator(seed);
  const ended = new Map<number, string>();
  for (let turn = 0; turn < turns; turn++) {
    const sessionId = below(4) === 0 ? OTHER : SESSION;
    const place = at.get(sessionId)!;
    const records: JournalRecord[] = [
      { ...inbound(place.target++, sessionId), series: place.series } as JournalRecord,
      outbound(place.sender++, sessionId, place.series, below(5) > 0),
    ];
    const n = below(turns / 3);
    const isEnded = below(3) > 0;
    records.push(order(n, isEnded, `turn ${turn}`));
    if (isEnded) ended.set(n, `turn ${turn}`);
    if (below(20) === 0) records.push({ kind: 'nonce', credential: 'main', nonce: String(turn) });
    if (below(30) === 0) {
      records.push({
        kind: 'proven',
        sessionId,
        series: place.series,
        msgSeqNum: Math.max(1, place.sender - 1 - below(3)),
      });
    }
    if (below(40) === 0) {
      const logout = outbound(place.sender++, sessionId, place.series, false);
      records.push({ ...logout, msgType: '5' } as JournalRecord);
    }
    if (below(50) === 0) {
      const end = below(2) === 0 ? 'logout' : 'disconnect';
      records.push(
        below(2) === 0
          ? { kind: 'state', sessionId, loggedOn: true }
          : { kind: 'state', sessionId, loggedOn: false, end },
      );
    }
    if (below(60) === 0) {
      const keep = { nextSenderMsgSeqNum: null, nextTargetMsgSeqNum: place.target + 5 };
      const input = { kind: 'setNumbers', ...keep, reset: false, who: 'ops', why: `turn ${turn}` };
      records.push({ kind: 'exchangeInput', json: JSON.stringify({ machine: sessionId, input }) });
    }
    journal.append(records, 1_700_000_000_000 + turn);
    if (resets && below(150) === 0 && sessionId === SESSION) {
      journal.append([reset(++place.series)], 1_700_000_000_000 + turn);
      place.sender = 1;
      place.target = 1;
    }
    if (below(10) === 0) {
      await journal.sync();
      await journal.snapshotsIdle();
    }
  }
  return ended;
}

const snapshots = (directory: string): string[] =>
  readdirSync(directory)
    .filter((name) => name.endsWith('.xgs'))
    .sort();

/** Everything that a start would know, as something to compare. */
async function known(directory: string, endedMax: number): Promise<unknown> {
  const { state, index, ended, end } = await recoverJournal(directory);
  const outbounds = [];
  for (const { sessionId, numbers, ended: owed } of state.sessions().values()) {
    for (const series of [numbers.series, ...(owed ?? []).map((one) => one.series)]) {
      outbounds.push([sessionId, series, index.range(sessionId, series, 1, 1_000_000)]);
    }
  }
  const found = Array.from({ length: endedMax }, (_, n) => [
    ended.find(`c|${SESSION}|order-${n}`),
    ended.find(`r|${n}`),
  ]);
  ended.close();
  return {
    sessions: [...state.sessions()].sort(),
    orders: [...state.orders].sort(),
    nonces: [...state.nonces],
    nextFrame: end!.nextFrame,
    end: end!.end,
    outbounds: outbounds.sort(),
    found,
  };
}

function withoutSnapshots(directory: string): string {
  const copy = copyAsLeftBehind(directory);
  for (const name of readdirSync(copy)) if (/\.xg[sxko]$/.test(name)) rmSync(join(copy, name));
  return copy;
}

for (const round of [1, 2]) {
  test(`a start from a snapshot equals a reading of all records, round ${round}`, async () => {
    const seed = (Number(process.env.CROSSGATE_SEED ?? Date.now()) + round) % 1_000_000;
    console.log(`seed ${seed}: CROSSGATE_SEED=${seed - round} repeats it`);
    const directory = temporaryDirectory();
    const journal = await open(directory);
    await write(journal, seed, 1800);
    await journal.sync();
    await journal.snapshotsIdle();
    const left = copyAsLeftBehind(directory);
    expect(snapshots(left).length).toBe(2);
    expect(await known(left, 1000)).toEqual(await known(withoutSnapshots(left), 1000));
    const again = await open(left);
    expect(again.recovered.notes).toEqual([]);
    const { numbers } = again.recovered.sessions.get(SESSION)!;
    const messages = await again.loadOutbound(SESSION, numbers.series, 1, 1_000_000);
    expect(messages.at(-1)?.msgSeqNum ?? 0).toBeLessThan(numbers.nextSenderMsgSeqNum);
    for (const { msgSeqNum, raw } of messages) {
      expect(Buffer.from(raw)).toEqual(Buffer.from(outbound(msgSeqNum, SESSION, numbers.series).raw));
    }
    await again.close();
    await journal.close();
  });
}

test('J2 a snapshot over abandoned segments equals a reading of all records', async () => {
  const seed = Number(process.env.CROSSGATE_SEED ?? Date.now()) % 1_000_000;
  console.log(`seed ${seed}: CROSSGATE_SEED=${seed} repeats it`);
  const below = generator(seed);
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const abandoned: string[] = [];
  const log = (_: string, text: string): void => void (/abandoned at/.test(text) && abandoned.push(text));
  const journal = await open(directory, { disk, log });
  const at = beginning();
  for (let round = 0; round < 60; round++) {
    disk.failAt = { call: disk.total + 1 + below(14), code: below(4) === 0 ? 'ENOSPC' : 'EIO' };
    // A failed write is reported; everything is still written, as soon as the disk takes it.
    await write(journal, seed + round, 60, true, at).catch(() => {});
    disk.heal();
    await journal.sync();
    await journal.snapshotsIdle();
  }
  expect(abandoned.length).toBeGreaterThan(3);
  const left = copyAsLeftBehind(directory);
  expect(snapshots(left).length).toBe(2);
  expect(await known(left, 100)).toEqual(await known(withoutSnapshots(left), 100));
  await journal.close();
});

test('an order that ended is not recovered, and is found by each of its keys wherever its record lies', async () => {
  const directory = temporaryDirectory();
  let journal = await open(directory);
  const found = (n: number): unknown => JSON.parse(journal.endedOrders.find(`r|${n}`) ?? 'null')?.what ?? null;
  journal.append([order(1, false, 'open')], 1);
  expect(found(1)).toBeNull();
  journal.append([order(1, true, 'ended')], 1);
  expect(found(1)).toBe('ended');
  await journal.sync();
  expect(found(1)).toBe('ended');
  journal.append([order(1, true, 'late fill')], 1);
  expect(found(1)).toBe('late fill');
  const ended = await write(journal, 7, 1500);
  ended.set(1, ended.get(1) ?? 'late fill');
  await journal.sync();
  await journal.snapshotsIdle();
  for (const [n, what] of ended) expect(found(n)).toBe(what);
  expect(journal.endedOrders.find('r|no such order')).toBeNull();
  await journal.close();
  journal = await open(directory);
  for (const [n, what] of ended) expect(found(n)).toBe(what);
  expect(journal.endedOrders.find(`c|${SESSION}|order-1`)).toContain(ended.get(1));
  for (const key of journal.recovered.orders.keys()) expect(key).toMatch(/^order-\d+$/);
  await journal.close();
});

test('a damaged snapshot gives way to the one before it, and that to the whole journal, each with a line', async () => {
  const directory = temporaryDirectory();
  const journal = await open(directory);
  await write(journal, 11, 1800);
  await journal.close();
  const expected = await known(withoutSnapshots(directory), 900);
  const [older, newer] = snapshots(directory) as [string, string];
  for (const [damaged, lines] of [
    [[newer], 1],
    [[newer, older], 2],
  ] as const) {
    const copy = copyAsLeftBehind(directory);
    for (const name of damaged) {
      const size = readFileSync(join(copy, name)).length;
      for (const at of [9, 40, size - 3]) flipByte(join(copy, name), at);
    }
    const { notes } = await recoverJournal(copy);
    expect(notes).toHaveLength(lines);
    expect(notes[0]).toMatch(new RegExp(`${newer}: this snapshot is passed over: .*more of the journal is read`));
    expect(await known(copy, 900)).toEqual(expected);
    // The next ones are made from what was found.
    const again = await open(copy);
    await write(again, 12, 10);
    await again.close();
  }
});

test('refuses a snapshot with a damaged or missing index file, or of another journal', async () => {
  const directory = temporaryDirectory();
  const journal = await open(directory);
  await write(journal, 13, 1800);
  await journal.close();
  const expected = await known(withoutSnapshots(directory), 900);
  for (const spoil of ['outbound', 'keys', 'gone']) {
    const copy = copyAsLeftBehind(directory);
    for (const name of readdirSync(copy)) {
      if (spoil === 'gone' && /^keys/.test(name)) rmSync(join(copy, name));
      else if (name.startsWith(spoil)) flipByte(join(copy, name), 100);
    }
    const { notes } = await recoverJournal(copy);
    expect(notes.join()).toMatch(/its index file .* is missing or damaged/);
    expect(await known(copy, 900)).toEqual(expected);
  }
  const foreign = temporaryDirectory();
  const other = await open(foreign);
  await write(other, 13, 200);
  await other.close();
  for (const name of snapshots(directory)) writeFileSync(join(foreign, name), readFileSync(join(directory, name)));
  const { notes } = await recoverJournal(foreign);
  expect(notes).toHaveLength(2);
});

test('a snapshot has the numbers of every session, however many speak in one segment', async () => {
  const directory = temporaryDirectory();
  const journal = await open(directory);
  const sessions = Array.from({ length: 150 }, (_, k) => `FIX.4.4:XGATE->OMS${k}`);
  for (let n = 1; n <= 20; n++) {
    for (const sessionId of sessions) journal.append([inbound(n, sessionId), outbound(n, sessionId)], n);
    await journal.sync();
    await journal.snapshotsIdle();
  }
  await journal.close();
  const { state, ended, snapshotSegment } = await recoverJournal(directory);
  ended.close();
  expect(snapshotSegment).toBeGreaterThan(0);
  const numbers = sessions.map((sessionId) => state.sessions().get(sessionId)?.numbers);
  const all = { series: 1, nextSenderMsgSeqNum: 21, nextTargetMsgSeqNum: 21 };
  expect(numbers).toEqual(sessions.map(() => all));
  // The snapshot's own content, without later records.
  const { meta } = readSnapshot(
    join(
      directory,
      readdirSync(directory)
        .filter((name) => name.endsWith('.xgs'))
        .sort()
        .at(-1)!,
    ),
  ) as Snapshot;
  const kept = new Map(meta.sessions);
  for (const sessionId of sessions) expect(kept.get(sessionId)?.nextSenderMsgSeqNum).toBeGreaterThan(10);
});

test('skips a snapshot with a changed segment, and uses the one before', async () => {
  const directory = temporaryDirectory();
  const journal = await open(directory);
  await write(journal, 5, 2000);
  await journal.close();
  const notes: string[] = [];
  const newest = usableSnapshot(directory, notes)!;
  const { start, lastFrameAt } = newest.meta;
  expect(notes).toEqual([]);
  const path = join(directory, `${String(start.segment).padStart(8, '0')}.xgj`);
  flipByte(path, lastFrameAt! + 40);
  expect(usableSnapshot(directory, notes)?.meta.start.segment).toBeLessThan(start.segment);
  expect(notes).toEqual([expect.stringContaining(`${path} was changed since`)]);
});

test('J1 nothing of a present series leaves the journal; older series go to the archive and are still read', async () => {
  const directory = temporaryDirectory();
  const journal = await open(directory);
  const far = (n: number): JournalRecord => outbound(n, OTHER, 1);
  journal.append([far(1)], 1);
  await write(journal, 17, 1500);
  // OTHER never began again: its first message holds everything back.
  expect(segmentNames(directory)[0]).toBe('00000001.xgj');
  await journal.snapshotsIdle();
  const { kept } = await inspectJournal(directory);
  expect(kept).toEqual({ segments: expect.any(Number), from: 1, sessions: expect.arrayContaining([OTHER]) });
  expect(kept!.segments).toBeGreaterThan(1);
  journal.append([{ kind: 'proven', sessionId: OTHER, series: 1, msgSeqNum: 1_000_000 }], 1);
  for (const sessionId of [SESSION, OTHER]) {
    journal.append([{ kind: 'proven', sessionId, series: 99, msgSeqNum: 0 }], 1);
    for (let k = 1; k < 99; k++) journal.append([{ kind: 'proven', sessionId, series: k, msgSeqNum: 1_000_000 }], 1);
  }
  const mark = segmentNames(directory).length;
  for (let n = 1; n < 1500; n++) {
    journal.append([outbound(n, SESSION, 99), order(n, true, 'later')], 1);
    if (n % 20 === 0) {
      await journal.sync();
      await journal.snapshotsIdle();
    }
  }
  await journal.sync();
  const archived = readdirSync(archiveDirectory(directory)).filter((name) => name.endsWith('.gz'));
  expect(archived.length).toBeGreaterThanOrEqual(mark - 1);
  expect((await journal.loadOutbound(SESSION, 99, 1, 1_000_000)).length).toBe(1499);
  await journal.close();
  const [oldest] = segmentNames(directory);
  expect((await inspectJournal(directory)).kept?.from).toBe(Number.parseInt(oldest!, 10));
  // Of the index files no more is kept than the two snapshots name.
  const snapshots = readdirSync(directory).filter((name) => name.endsWith('.xgs'));
  const named = snapshots.flatMap((name) => {
    const { outbound: messages, keys } = (readSnapshot(join(directory, name)) as Snapshot).meta;
    return [...messages, ...keys].map((file) => file.name);
  });
  expect(snapshots).toHaveLength(2);
  expect(readdirSync(directory).filter((name) => /\.xg[xk]$/.test(name))).toEqual([...new Set(named)].sort());
  expect(await verifyArchive(directory, SMALL.now())).toEqual({ segments: archived.length, problems: [] });
  const frames: number[] = [];
  for await (const { frame } of readJournal(directory) as AsyncIterable<JournalEntry>) frames.push(frame);
  expect(frames[0]).toBe(1);
  expect(frames.every((frame, k) => k === 0 || frame - frames[k - 1]! <= 1)).toBe(true);
  const bare = withoutSnapshots(directory);
  const lines: string[] = [];
  await (await open(bare, { log: (_, text) => lines.push(text) })).close();
  expect(lines.join()).toMatch(/a new one is made from journal and archive/);
  const reread = (await known(bare, 900)) as object;
  expect(reread).toEqual({ ...((await known(directory, 900)) as object), end: expect.any(Number) });

  await J4tampering(directory, archived.length);
});

test('makes a useless snapshot, of a file with a wrong byte, once', async () => {
  const directory = temporaryDirectory();
  const journal = await open(directory, { snapshotBytes: 1e12 });
  await write(journal, 5, 500);
  await journal.close();
  const path = join(directory, segmentNames(directory).at(-2)!);
  const bytes = readFileSync(path);
  // The rest is whole, and its last frame reaches beyond the next file's statement.
  const slipped = [bytes.subarray(0, SEGMENT_HEADER_BYTES), Buffer.alloc(1), bytes.subarray(SEGMENT_HEADER_BYTES)];
  writeFileSync(path, Buffer.concat(slipped));
  const { meta } = await buildSnapshot({ directory, through: null });
  expect(meta?.start.segment).toBe(segmentNames(directory).length - 1);
  expect(usableSnapshot(directory, [])).toBeNull();
});

/** Every kind of change in the archive shows. */
async function J4tampering(directory: string, segments: number): Promise<void> {
  const chain = join(archiveDirectory(directory), 'chain.jsonl');
  const lines = readFileSync(chain, 'utf8');
  writeFileSync(chain, lines.replace(/"bytes":\d+/, '"bytes":1'));
  expect((await verifyArchive(directory, SMALL.now())).problems[0]?.problem).toMatch(
    /the chain is broken at segment 1/,
  );
  writeFileSync(chain, lines.split('\n').slice(1).join('\n'));
  expect((await verifyArchive(directory, SMALL.now())).problems.map(({ problem }) => problem).join()).toMatch(
    /broken.*does not know it/,
  );
  for (const line of ['null', '{}', '7', '{"segment":1}', 'no JSON']) {
    writeFileSync(chain, `${line}\n${lines}`);
    expect((await verifyArchive(directory, SMALL.now())).problems).toEqual([
      { path: chain, problem: expect.stringMatching(/line 1 of the chain is none that was written there/) },
    ]);
  }
  writeFileSync(chain, lines);
  const second = readFileSync(archivedPath(directory, 2));
  writeFileSync(archivedPath(directory, 2), readFileSync(archivedPath(directory, 3)));
  expect((await verifyArchive(directory, SMALL.now())).problems).toEqual([
    { path: archivedPath(directory, 2), problem: 'it is segment 3' },
  ]);
  flipByte(archivedPath(directory, 3), second.length >> 1);
  expect((await verifyArchive(directory, SMALL.now())).problems).toHaveLength(2);
  expect((await verifyArchive(directory, SMALL.now())).segments).toBe(segments);
}

test('J4 archived segments are deleted after their years, and their lines stay', async () => {
  const directory = temporaryDirectory();
  let day = 0;
  const options = { now: () => 1_700_000_000_000 + day * 86_400_000, retentionDays: 366, snapshotBytes: 60_000 };
  const journal = await open(directory, options);
  for (let n = 1; n < 3000; n++) {
    if (n % 150 === 0) day += 31;
    journal.append([outbound(1, SESSION, n), { kind: 'proven', sessionId: SESSION, series: n, msgSeqNum: 1 }], 1);
    journal.append([order(n, true, 'x')], 1);
    if (n % 20 === 0) {
      await journal.sync();
      await journal.snapshotsIdle();
    }
  }
  expect(journal.endedOrders.find('r|1')).toContain('"n":1');
  await journal.close();
  const kept = readdirSync(archiveDirectory(directory)).filter((name) => name.endsWith('.gz'));
  const lines = readFileSync(join(archiveDirectory(directory), 'chain.jsonl'), 'utf8')
    .trim()
    .split('\n');
  expect(kept.length).toBeGreaterThan(0);
  expect(lines.length).toBeGreaterThan(kept.length);
  expect((await verifyArchive(directory, options.now())).problems).toEqual([]);
  const again = await open(directory, options);
  expect(again.recovered.notes).toEqual([]);
  await again.close();
});
