// The file of ended orders: every record is found by its block and place, in files of older versions too, and damage is
// reported.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { fingerprintsOf } from '../../../src/store/fingerprint.ts';
import { EndedFileWriter, endedFileName, readEnded } from '../../../src/store/index/ended-file.ts';
import { ENTRY_NUMBERS } from '../../../src/store/index/sorted-file.ts';
import { flipByte } from '../failing-disk.ts';
import { temporaryDirectory } from '../journal-place.ts';

/** Texts of every length that matters: empty, of several bytes a character, longer than a block. */
const TEXTS = Array.from({ length: 200 }, (_, n) => `{"n":${n},"text":"${'價'.repeat((n * 7) % 90)}"}`);
TEXTS.push('', 'x'.repeat(40_000), 'last');

function written(directory: string): readonly number[] {
  const file = new EndedFileWriter(directory, 7);
  for (const [n, text] of TEXTS.entries()) file.record(fingerprintsOf([`c|${n}`, `r|${n}`]), Buffer.from(text));
  file.finish();
  return file.entries;
}

test('a record is found by each of its keys, whichever block it shares with others', () => {
  const directory = temporaryDirectory();
  const entries = written(directory);
  expect(entries.length).toBe(TEXTS.length * 2 * ENTRY_NUMBERS);
  const blocks = new Set<number>();
  for (let k = 0; k * ENTRY_NUMBERS < entries.length; k++) {
    const [, , file, offset, place] = entries.slice(k * ENTRY_NUMBERS) as [number, number, number, number, number];
    blocks.add(offset);
    expect(readEnded(directory, file, offset, place)).toBe(TEXTS[k >> 1]);
  }
  expect(blocks.size).toBeGreaterThan(2);
  expect(blocks.size).toBeLessThan(TEXTS.length / 10);
});

test('without an order that ended there is no file', () => {
  const directory = temporaryDirectory();
  new EndedFileWriter(directory, 7).finish();
  expect(() => readEnded(directory, 7, 0, 1)).toThrow(/ENOENT/);
});

test('a record of an older version, compressed by itself, is read', () => {
  const directory = temporaryDirectory();
  const blocks = ['{"first":"é"}', '{"second":2}'].map((text) => {
    const packed = deflateRawSync(text);
    const head = Buffer.alloc(8);
    head.writeUInt32LE(packed.length, 0);
    head.writeUInt32LE(crc32(packed), 4);
    return Buffer.concat([head, packed]);
  });
  writeFileSync(join(directory, endedFileName(3)), Buffer.concat(blocks));
  expect(readEnded(directory, 3, 0, 0)).toBe('{"first":"é"}');
  expect(readEnded(directory, 3, blocks[0]!.length, 0)).toBe('{"second":2}');
});

test('reports a damaged block with file, offset and command', () => {
  const directory = temporaryDirectory();
  written(directory);
  flipByte(join(directory, endedFileName(7)), 30);
  expect(() => readEnded(directory, 7, 0, 1)).toThrow(/orders-00000007\.xgo: .* offset 0\. .*verify --rebuild/);
});
