import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal, readJournal } from '../../../src/store/mod.ts';
import { journalContract } from '../journal-contract.ts';
import { copyAsLeftBehind, openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, outbound, SESSION } from '../records.ts';

for (const segmentBytes of [65_536, 67_108_864]) {
  journalContract(`embedded, segments of ${segmentBytes} bytes`, async () => {
    let directory = temporaryDirectory();
    return {
      open: () => openJournal({ directory, segmentBytes, now: () => 1_700_000_000_000 }),
      crash: async (journal) => {
        directory = copyAsLeftBehind(directory);
        await journal.close();
      },
      remove: async () => {},
    };
  });
}

async function frames(directory: string): Promise<number[]> {
  const numbers: number[] = [];
  for await (const { frame } of readJournal(directory)) numbers.push(frame);
  return numbers;
}

test('segments follow each other without a gap, and a resend reads across them', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  for (let n = 1; n <= 3000; n++) {
    journal.append([inbound(n), outbound(n)], n);
    if (n % 100 === 0) await journal.sync();
  }
  expect(segmentNames(directory).length).toBeGreaterThan(5);
  expect(await journal.loadOutbound(SESSION, 1, 1, 3000)).toHaveLength(3000);
  await journal.close();
  expect(await frames(directory)).toEqual(Array.from({ length: 6000 }, (_, k) => (k >> 1) + 1));
  const again = await openIn(directory, { segmentBytes: 65_536 });
  expect(again.recovered.notes).toEqual([]);
  const messages = await again.loadOutbound(SESSION, 1, 1, 3000);
  expect(messages.map(({ msgSeqNum }) => msgSeqNum)).toEqual(Array.from({ length: 3000 }, (_, k) => k + 1));
});

test('closing gives back the space that was reserved ahead', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  journal.append([inbound(1)], 1);
  await journal.close();
  expect(statSync(join(directory, segmentNames(directory)[0]!)).size).toBeLessThan(1000);
});

test('opening and closing without a record leaves the journal as it is', async () => {
  const directory = temporaryDirectory();
  const first = await openIn(directory);
  first.append([inbound(1)], 1);
  await first.close();
  const before = readdirSync(directory).map((name) => [
    name.replace(/^lock.*/, 'lock'),
    statSync(join(directory, name)).size,
  ]);
  for (let k = 0; k < 3; k++) await (await openIn(directory)).close();
  const after = readdirSync(directory).map((name) => [
    name.replace(/^lock.*/, 'lock'),
    statSync(join(directory, name)).size,
  ]);
  expect(after).toEqual(before);
});

test('a live journal can be read meanwhile by another process', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  let appended = 0;
  const write = (count: number): void => {
    for (let k = 0; k < count; k++) journal.append([inbound(++appended)], appended);
    journal.write();
  };
  write(2000);
  let last = 0;
  for await (const { frame } of readJournal(directory)) {
    expect(frame).toBe(last + 1);
    last = frame;
    if (frame % 500 === 0 && appended < 10_000) write(500);
  }
  expect(last).toBeGreaterThanOrEqual(2000);
});

test('a reader at the end of a live journal continues after newly filled segments', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  let appended = 0;
  const writeUntil = (segments: number): void => {
    do {
      journal.append([inbound(++appended)], appended);
      journal.write();
    } while (segmentNames(directory).length < segments);
  };
  writeUntil(1);
  const read: number[] = [];
  for await (const { frame } of readJournal(directory)) {
    read.push(frame);
    if (read.length === 1) writeUntil(3);
  }
  expect(read).toEqual(Array.from({ length: appended }, (_, k) => k + 1));
});

test('reads records synced while a live journal is read to its end, without damage', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  const record = async (n: number): Promise<void> => {
    journal.append([inbound(n)], n);
    await journal.sync();
  };
  await record(1);
  const read: number[] = [];
  for await (const { frame } of readJournal(directory)) {
    read.push(frame);
    // The second of them proves that the first was on disk, which was not there when its place was looked at.
    if (frame === 1) for (const n of [2, 3]) await record(n);
  }
  expect(read).toEqual([1, 2, 3]);
});

test('reading does not change a byte: no lock, no cut, no seal', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  journal.append([inbound(1)], 1);
  await journal.sync();
  const copy = copyAsLeftBehind(directory);
  expect(await frames(copy)).toEqual([1]);
  expect(readdirSync(copy)).toEqual(segmentNames(copy));
});

test('durability `process` writes and never waits for the disk', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { durability: 'process' });
  journal.append([inbound(1)], 1);
  await journal.sync();
  const copy = copyAsLeftBehind(directory);
  expect((await openIn(copy)).recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(2);
});

test('C1 records sixty thousand cancelled orders of a Logout in one frame larger than a segment', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  const text = `{"order":"${'x'.repeat(1_350)}"}`;
  const orders = Array.from({ length: 60_000 }, (_, n) => ({ kind: 'order', key: `o-${n}`, record: text }) as const);
  journal.append(orders, 1);
  // The next one must not find the journal full.
  journal.append([inbound(1), outbound(1)], 2);
  await journal.sync();
  journal.append([inbound(2)], 3);
  await journal.close();
  expect(await frames(directory)).toHaveLength(60_003);
  const again = await openIn(directory);
  expect([again.recovered.notes, again.recovered.orders.size]).toEqual([[], 60_000]);
  expect(again.recovered.orders.get('o-59999')).toBe(text);
  expect(await again.loadOutbound(SESSION, 1, 1, 1)).toHaveLength(1);
  await again.close();
});
