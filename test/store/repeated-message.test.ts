// Rule S2: a repeated message is recorded as a reference to the earlier one and the fields that differ.

import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Journal, type JournalRecord, readJournal } from '../../src/store/mod.ts';
import { applyDifference, differenceOf } from '../../src/store/repeated-message.ts';
import { archiveNext } from '../../src/store/snapshots/archive.ts';
import { archivedPath } from '../../src/store/snapshots/archive-files.ts';
import { checkProperty } from '../support/random/seeded-property.ts';
import { FailingDisk } from './failing-disk.ts';
import { openIn, segmentNames, temporaryDirectory } from './journal-place.ts';
import { outbound, rawMessage, reset, SESSION } from './records.ts';

const BODY =
  '37=1|11=order-1|17=exec-1|150=F|39=2|55=BTCUSDC|54=1|38=1|40=2|44=60000|31=60000|32=1|14=1|151=0|6=60000|';

function report(series: number, msgSeqNum: number, isRepeated = false): JournalRecord & { kind: 'outbound' } {
  const possResend = isRepeated ? '97=Y|' : '';
  const head = `8=FIX.4.4|9=200|35=8|34=${msgSeqNum}|49=XGATE|52=20261129-10:00:0${series}|56=OMS|${possResend}`;
  return { ...outbound(msgSeqNum, SESSION, series), raw: rawMessage(`${head}${BODY}10=00${series}|`) };
}

/** Record reports 1 to `count` of a series, then repeat each in the next one. */
async function repeatSeries(journal: Journal, series: number, count: number): Promise<void> {
  const loaded = await journal.loadOutbound(SESSION, series, 1, count);
  journal.append([reset(series + 1)], series);
  for (const { msgSeqNum, stored } of loaded) {
    const record = report(series + 1, msgSeqNum, true);
    journal.append([stored === undefined ? record : { ...record, repeats: stored }], series);
  }
  await journal.sync();
}

async function first(journal: Journal, count: number): Promise<void> {
  for (let n = 1; n <= count; n++) journal.append([report(1, n)], n);
  await journal.sync();
}

const rawOf = (record: { readonly raw: Uint8Array }): string => Buffer.from(record.raw).toString('latin1');

async function expectSeries(journal: Journal, series: number, count: number): Promise<void> {
  const loaded = await journal.loadOutbound(SESSION, series, 1, count);
  expect(loaded.map(rawOf)).toEqual(Array.from({ length: count }, (_, n) => rawOf(report(series, n + 1, series > 1))));
}

function bytesIn(directory: string): number {
  return segmentNames(directory).reduce((sum, name) => {
    const content = readFileSync(join(directory, name));
    let end = content.length;
    while (end > 0 && content[end - 1] === 0) end--;
    return sum + end;
  }, 0);
}

test('S2 a repeated message takes less than half the room and reads back whole, however often repeated', async () => {
  const directory = temporaryDirectory();
  const journal = await openIn(directory);
  await first(journal, 500);
  const once = bytesIn(directory);
  for (const series of [1, 2, 3]) await repeatSeries(journal, series, 500);
  expect((bytesIn(directory) - once) / 3).toBeLessThan(once / 2);
  for (const series of [1, 2, 3, 4]) await expectSeries(journal, series, 500);
  await journal.close();
  const again = await openIn(directory);
  for (const series of [1, 2, 3, 4]) await expectSeries(again, series, 500);
  const read: string[] = [];
  for await (const { record } of readJournal(directory)) {
    if (record.kind !== 'outbound') continue;
    expect(record).not.toHaveProperty('repeats');
    read.push(rawOf(record));
  }
  expect(read.length).toBe(2000);
  expect(read.at(-1)).toBe(rawOf(report(4, 500, true)));
  console.log(`  500 reports: ${once} bytes, repeated by reference ${Math.round((bytesIn(directory) - once) / 3)}`);
});

test('S2 a repetition that a failed sync moves to the next segment refers to the same message', async () => {
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const journal = await openIn(directory, { disk, onTheSpotBytesMax: 0 });
  await first(journal, 20);
  disk.fail('EIO', 'sync');
  await expect(repeatSeries(journal, 1, 20)).rejects.toThrow('EIO');
  await expectSeries(journal, 2, 20);
  disk.heal();
  await journal.sync();
  await repeatSeries(journal, 2, 20);
  await journal.close();
  const again = await openIn(directory);
  for (const series of [1, 2, 3]) await expectSeries(again, series, 20);
});

test('S2 nothing refers to a message that no sync has made durable', async () => {
  const directory = temporaryDirectory();
  const disk = new FailingDisk();
  const journal = await openIn(directory, { disk, onTheSpotBytesMax: 0 });
  journal.append([report(1, 1)], 1);
  journal.write();
  expect((await journal.loadOutbound(SESSION, 1, 1, 1))[0]).not.toHaveProperty('stored');
  await journal.sync();
  expect((await journal.loadOutbound(SESSION, 1, 1, 1))[0]).toHaveProperty('stored');
});

/** A journal with one repetition, in another segment than the message that it repeats. */
async function twoSegments(): Promise<string> {
  const directory = temporaryDirectory();
  const journal = await openIn(directory, { segmentBytes: 65_536 });
  await first(journal, 1);
  const filler = { kind: 'audit', who: 'test', action: 'fill', detail: 'x'.repeat(1_000) } as const;
  while (segmentNames(directory).length < 2) {
    journal.append([filler], 2);
    journal.write();
  }
  await repeatSeries(journal, 1, 1);
  await journal.close();
  return directory;
}

const lastReport = async (directory: string, onDamage?: () => void): Promise<JournalRecord | undefined> => {
  let last: JournalRecord | undefined;
  for await (const { record } of readJournal(directory, 0, onDamage)) if (record.kind === 'outbound') last = record;
  return last;
};

test('S2 J4 a repetition reads on from an archived segment, and without bytes once that is deleted', async () => {
  const directory = await twoSegments();
  archiveNext({ directory, retentionDays: null, now: 1_700_000_000_000, before: 2 });
  const isWhole = rawOf(report(2, 1, true));
  expect(rawOf((await lastReport(directory)) as { raw: Uint8Array })).toBe(isWhole);
  const again = await openIn(directory);
  await expectSeries(again, 2, 1);
  await again.close();
  // As after its years.
  renameSync(archivedPath(directory, 1), join(temporaryDirectory(), 'away'));
  const left = (await lastReport(directory)) as { raw: Uint8Array; msgSeqNum: number };
  expect([left.msgSeqNum, left.raw.length]).toEqual([1, 0]);
});

test('S2 J4 damage of the earlier message is named when the repetition is read', async () => {
  const directory = await twoSegments();
  const path = join(directory, segmentNames(directory)[0]!);
  const bytes = readFileSync(path);
  bytes[bytes.indexOf('exec-1')]! ^= 1;
  writeFileSync(path, bytes);
  await expect(lastReport(directory)).rejects.toThrow(/damaged/);
  let places = 0;
  await lastReport(directory, () => places++);
  expect(places).toBeGreaterThanOrEqual(2);
  rmSync(directory, { recursive: true });
});

test('S2 a difference makes every message again, of any fields and bytes', () => {
  const field = fc.oneof(
    fc.constantFrom('8=FIX.4.4', '35=8', '97=Y', '11=a', '55=BTCUSDC', '', '34=1', '34=2'),
    fc.string({ unit: 'binary', maxLength: 200 }),
  );
  const message = fc.array(field, { maxLength: 30 }).map((fields) => Buffer.from(fields.join('\x01'), 'utf8'));
  checkProperty(
    fc.property(message, message, fc.nat(40), (raw, other, cut) => {
      for (const base of [other, raw, raw.subarray(cut), Buffer.concat([other, raw]), Buffer.alloc(0)]) {
        expect(applyDifference(differenceOf(raw, base), base).equals(raw)).toBe(true);
      }
    }),
    500,
  );
});

test('S2 a difference that makes no sense throws a RangeError', () => {
  checkProperty(
    fc.property(fc.uint8Array({ maxLength: 40 }), fc.uint8Array({ maxLength: 40 }), (difference, base) => {
      try {
        applyDifference(difference, base);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
    500,
  );
});
