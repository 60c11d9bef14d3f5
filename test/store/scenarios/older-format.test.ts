// A journal that an earlier version wrote, each frame under a CRC of its own: it is read as before, and what follows is
// written in a segment of the present format.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { type JournalRecord, readJournal, verifyJournal } from '../../../src/store/mod.ts';
import { RecordWriter } from '../../../src/store/record-bytes.ts';
import { encodeRecord } from '../../../src/store/record-codec.ts';
import { SessionNames } from '../../../src/store/session-names.ts';
import { flipByte } from '../failing-disk.ts';
import { openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, outbound, SESSION } from '../records.ts';

/** Bytes of a first segment of format 1, and where each frame begins. */
function formatOne(frames: readonly (readonly JournalRecord[])[]): { bytes: Buffer; starts: number[] } {
  const header = Buffer.alloc(64);
  header.write('XGATEJNL', 'latin1');
  header.writeUInt32LE(1, 8);
  header.writeUInt32LE(1, 12);
  header.write('00112233445566778899aabbccddeeff', 16, 16, 'hex');
  header.writeDoubleLE(1, 32);
  header.writeDoubleLE(1_700_000_000_000, 40);
  const seed = crc32(header.subarray(0, 60));
  header.writeUInt32LE(seed, 60);
  const names = new SessionNames();
  const parts = [header];
  const starts: number[] = [];
  let position = header.length;
  for (const [k, records] of frames.entries()) {
    const writer = new RecordWriter(1024);
    for (const record of records) encodeRecord(writer, names, record, k + 1);
    const frame = Buffer.alloc(40 + writer.length);
    writer.bytes.copy(frame, 40, 0, writer.length);
    Buffer.from([0xf7, 0x58, 0x47, 0xf9]).copy(frame);
    frame.writeUInt32LE(frame.length, 8);
    frame.writeUInt32LE(records.length, 12);
    frame.writeDoubleLE(k + 1, 16);
    frame.writeDoubleLE(k + 1, 24);
    // All before it was on disk.
    frame.writeDoubleLE(position, 32);
    frame.writeUInt32LE(crc32(frame.subarray(8), seed), 4);
    parts.push(frame);
    starts.push(position);
    position += frame.length;
  }
  return { bytes: Buffer.concat(parts), starts };
}

function place(frames: readonly (readonly JournalRecord[])[]): { directory: string; path: string; starts: number[] } {
  const directory = temporaryDirectory();
  const path = join(directory, '00000001.xgj');
  const { bytes, starts } = formatOne(frames);
  writeFileSync(path, bytes);
  return { directory, path, starts };
}

async function framesOf(directory: string): Promise<number[]> {
  const frames: number[] = [];
  for await (const { frame } of readJournal(directory)) frames.push(frame);
  return frames;
}

test('a journal of format 1 is recovered, goes on in a segment of the present one, and a resend reads both', async () => {
  const { directory } = place([
    [inbound(1), outbound(1)],
    [inbound(2), outbound(2)],
  ]);
  let journal = await openIn(directory);
  expect(journal.recovered.sessions.get(SESSION)?.numbers).toEqual({
    series: 1,
    nextSenderMsgSeqNum: 3,
    nextTargetMsgSeqNum: 3,
  });
  expect(journal.recovered.notes).toEqual([]);
  journal.append([inbound(3), outbound(3)], 3);
  await journal.sync();
  const loaded = await journal.loadOutbound(SESSION, 1, 1, 9);
  expect(loaded.map(({ msgSeqNum, at }) => [msgSeqNum, at])).toEqual([
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  await journal.close();
  expect(segmentNames(directory)).toHaveLength(2);
  expect(await framesOf(directory)).toEqual([1, 1, 2, 2, 3, 3]);
  expect((await verifyJournal(directory, Date.now())).problems).toEqual([]);
  journal = await openIn(directory);
  expect(journal.recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(4);
  await journal.close();
});

test('skips a torn tail of format 1, but not a damaged durable frame before it', async () => {
  const frames = [[inbound(1)], [inbound(2)], [inbound(3)]];
  const torn = place(frames);
  flipByte(torn.path, torn.starts[2]! + 50);
  const journal = await openIn(torn.directory);
  expect(journal.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(3);
  expect(journal.recovered.notes.join()).toContain('torn');
  journal.append([inbound(3)], 9);
  await journal.close();
  expect(await framesOf(torn.directory)).toEqual([1, 2, 3]);

  const damaged = place(frames);
  flipByte(damaged.path, damaged.starts[1]! + 50);
  await expect(openIn(damaged.directory)).rejects.toMatchObject({
    code: 'XG_JOURNAL_CORRUPT',
    message: expect.stringContaining(`at offset ${damaged.starts[1]}.`),
  });
});
