// Logs in gzip, Zstandard and zip: read whole from any pieces, and up to where they are cut or damaged.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, describe, expect, test } from 'vitest';
import { logText } from '../../../src/replay/text/log-text.ts';
import { describeWith, tool } from '../../support/requirement.ts';

const folder = mkdtempSync(join(tmpdir(), 'crossgate-unpack-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const LINES = Array.from({ length: 3_000 }, (_, i) => `line ${i} ${(i * 7919) % 1000}`).join('\n');
const LOG = Buffer.from(LINES);

async function read(bytes: Buffer, piece = 10_000): Promise<{ readonly text: string; readonly faults: string[] }> {
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += piece) yield bytes.subarray(at, at + piece);
  }
  const faults: string[] = [];
  let text = '';
  for await (const part of logText(chunks(), (why) => faults.push(why))) text += part;
  return { text, faults };
}

interface Entry {
  readonly name: string;
  readonly bytes: Buffer;
  readonly isStored?: boolean;
  /** Sizes and checksum stand behind it: with or without a signature, of 32 or 64 bits. */
  readonly behind?: 'signed' | 'bare' | 'long';
  readonly flags?: number;
  readonly method?: number;
  readonly sum?: number;
}

function zip(entries: readonly Entry[]): Buffer {
  const parts = entries.flatMap(({ name, bytes, isStored = false, behind, flags = 0, method, sum = crc32(bytes) }) => {
    const packed = isStored ? bytes : deflateRawSync(bytes);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x04034b50, 0);
    head.writeUInt16LE(flags | (behind === undefined ? 0 : 8), 6);
    head.writeUInt16LE(method ?? (isStored ? 0 : 8), 8);
    if (behind === undefined) {
      head.writeUInt32LE(sum, 14);
      head.writeUInt32LE(packed.length, 18);
      head.writeUInt32LE(bytes.length, 22);
    }
    head.writeUInt16LE(name.length, 26);
    const tail = Buffer.alloc(behind === 'long' ? 24 : behind === undefined ? 0 : 16);
    if (behind !== undefined) {
      tail.writeUInt32LE(0x08074b50, 0);
      tail.writeUInt32LE(sum, 4);
    }
    return [head, Buffer.from(name), packed, behind === 'bare' ? tail.subarray(4) : tail];
  });
  // The table at the end is not read: its signature ends the entries.
  return Buffer.concat([...parts, Buffer.from('504b0102', 'hex'), Buffer.alloc(42)]);
}

describe('a log', () => {
  test.each([
    ['gzip', gzipSync(LOG)],
    ['Zstandard', zstdCompressSync(LOG)],
    ['gzip in Zstandard', zstdCompressSync(gzipSync(LOG))],
  ])('compressed by %s is read from any pieces', async (_, bytes) => {
    for (const piece of [3, 1_000, 1_000_000]) expect(await read(bytes, piece)).toEqual({ text: LINES, faults: [] });
  });

  test.each([
    ['gzip', gzipSync(LOG)],
    ['Zstandard', zstdCompressSync(LOG)],
  ])('compressed by %s and cut is read up to there, and says so', async (_, bytes) => {
    const { text, faults } = await read(bytes.subarray(0, bytes.length - 500));
    expect(LINES.startsWith(text)).toBe(true);
    expect(faults).toEqual(['the compressed file ends early, the rest is missing']);
  });

  test('compressed by Zstandard and damaged says so', async () => {
    const bytes = zstdCompressSync(LOG);
    bytes.fill(0xff, 4, 60);
    expect((await read(bytes)).faults).toEqual(['the compressed file is damaged, the rest cannot be read']);
  });
});

describe('a zip archive', () => {
  const entry = (name: string, more: Partial<Entry> = {}): Entry => ({ name, bytes: LOG, ...more });

  test.each([
    ['deflated', {}],
    ['stored', { isStored: true }],
    ['with its sizes behind it', { behind: 'signed' }],
    ['with its sizes behind it, unsigned', { behind: 'bare' }],
    ['with its sizes behind it, of 64 bits', { behind: 'long' }],
  ] as const)('has its files one behind the other, each %s', async (_, more) => {
    const bytes = zip([
      entry('a.log', more),
      entry('folder/', { bytes: Buffer.alloc(0), isStored: true }),
      entry('b.log', more),
    ]);
    for (const piece of [1, 5_000]) {
      expect(await read(bytes, piece)).toEqual({ text: `${LINES}\n${LINES}\n`, faults: [] });
    }
  });

  test('may hold compressed files; those that are encrypted, or of another method, are named', async () => {
    const bytes = zip([
      entry('x.log', { flags: 1 }),
      entry('y.log', { method: 14 }),
      entry('z.log.gz', { bytes: gzipSync(LOG), isStored: true }),
      entry('s.log', { isStored: true, behind: 'signed' }),
    ]);
    expect(await read(bytes)).toEqual({
      text: `${LINES}\n`,
      faults: [
        'x.log in the archive is encrypted and not read',
        'y.log in the archive is compressed by method 14, which is not read',
        's.log in the archive is stored without its length and not read',
      ],
    });
  });

  test('that is cut or has a wrong checksum says so', async () => {
    const whole = zip([entry('a.log')]);
    expect((await read(whole.subarray(0, 3_000))).faults).toEqual([
      'the compressed file ends early, the rest is missing',
    ]);
    expect((await read(zip([entry('a.log', { sum: 1 })]))).faults).toEqual([
      'a.log in the archive has a wrong checksum',
    ]);
  });
});

describeWith(await tool('zip', ['-v'], 'zip'), 'an archive of Info-ZIP', () => {
  test('is read, written to a file or to a pipe', async () => {
    const log = join(folder, 'a.log');
    writeFileSync(log, LOG);
    execFileSync('zip', ['-q', '-j', join(folder, 'a.zip'), log]);
    const piped = execFileSync('zip', ['-q', '-j', '-', log], { maxBuffer: 10_000_000 });
    for (const bytes of [readFileSync(join(folder, 'a.zip')), piped]) {
      expect(await read(bytes)).toEqual({ text: `${LINES}\n`, faults: [] });
    }
  });
});
