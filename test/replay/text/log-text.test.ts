// Logs as they lie about: compressed, in UTF-16, growing, rotated.

import { appendFileSync, mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { followedText, logFileText, logText } from '../../../src/replay/mod.ts';

const LINE = '8=FIX.4.4\u00019=5\u000135=0\u000110=000\u0001 Zürich\n';
const AS_BYTES = Buffer.from(LINE, 'utf8').toString('latin1');

function place(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, 'messages.log');
}

async function textOf(bytes: Buffer, tellCut: (why: string) => void = expect.fail): Promise<string> {
  const path = place();
  writeFileSync(path, bytes);
  let text = '';
  for await (const chunk of logFileText(path, tellCut)) text += chunk;
  return text;
}

test('a log is read compressed or not, in UTF-8 or UTF-16, with or without a byte order mark', async () => {
  const many = LINE.repeat(20_000);
  const expected = AS_BYTES.repeat(20_000);
  const utf16 = Buffer.from(many, 'utf16le');
  const mark = Buffer.from('\uFEFF', 'utf16le');
  for (const bytes of [
    Buffer.from(many),
    gzipSync(many),
    Buffer.concat([gzipSync(many.slice(0, 80)), gzipSync(many.slice(80))]),
    utf16,
    Buffer.concat([mark, utf16]),
    gzipSync(Buffer.concat([mark, utf16]).swap16()),
  ]) {
    expect((await textOf(bytes)) === expected).toBe(true);
  }
  expect(await textOf(Buffer.alloc(0))).toBe('');
});

test('a log that a pipe brings byte by byte is read as one that comes at once', async () => {
  const utf16 = Buffer.from(LINE, 'utf16le');
  for (const bytes of [Buffer.from(LINE), gzipSync(LINE), utf16, Buffer.from(utf16).swap16(), gzipSync(utf16)]) {
    let text = '';
    for await (const chunk of logText(oneByOne(bytes), expect.fail)) text += chunk;
    expect(text).toBe(AS_BYTES);
  }
  let short = '';
  for await (const chunk of logText(oneByOne(Buffer.from('8')), expect.fail)) short += chunk;
  expect(short).toBe('8');
});

async function* oneByOne(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let i = 0; i < bytes.length; i++) yield bytes.subarray(i, i + 1);
}

test('reads the part before the damage of a compressed log, and then reports it', async () => {
  const lines = Array.from({ length: 20_000 }, (_, i) => `${i} ${LINE}`);
  const text = Buffer.from(lines.join('')).toString('latin1');
  const whole = gzipSync(lines.join(''));
  const half = whole.subarray(0, whole.length >> 1);
  const many = Buffer.concat([gzipSync(lines.slice(0, 9000).join('')), gzipSync(lines.slice(9000).join(''))]);
  const broken: [Buffer, number, number, RegExp][] = [
    [whole.subarray(0, whole.length - 9), 0.99, 1, /ends early/],
    [half, 0.4, 0.6, /ends early/],
    [many.subarray(0, many.length - 9), 0.99, 1, /ends early/],
    [whole.subarray(0, 5), 0, 0, /ends early/],
    [Buffer.concat([whole.subarray(0, -8), Buffer.alloc(8, 7)]), 0.9, 1, /is damaged/],
    [Buffer.concat([whole.subarray(0, 10), Buffer.alloc(500, 7)]), 0, 0, /is damaged/],
  ];
  for (const [bytes, atLeast, atMost, problem] of broken) {
    const told: string[] = [];
    const read = await textOf(bytes, (why) => told.push(why));
    expect(told).toEqual([expect.stringMatching(problem)]);
    expect(text.startsWith(read.slice(0, -300))).toBe(true);
    expect(read.length / text.length).toBeGreaterThanOrEqual(atLeast);
    expect(read.length / text.length).toBeLessThanOrEqual(atMost);
  }
});

test('a followed log continues in its successor file, after the rest, and when truncated', async () => {
  const path = place();
  writeFileSync(path, 'one\n');
  const text = followedText(path);
  const next = async (): Promise<string> => String((await text.next()).value);
  expect(await next()).toBe('one\n');
  renameSync(path, `${path}.1`);
  appendFileSync(`${path}.1`, 'rest');
  expect(await next()).toBe('rest');
  writeFileSync(path, 'a second file that is longer than the first\n');
  expect([await next(), await next()]).toEqual(['\n', 'a second file that is longer than the first\n']);
  const cut = next();
  truncateSync(path, 0);
  expect(await cut).toBe('\n');
  appendFileSync(path, 'three\n');
  expect(await next()).toBe('three\n');
  await text.return(undefined);
});

test('a compressed log is not followed', async () => {
  const path = place();
  writeFileSync(path, gzipSync(LINE));
  await expect(followedText(path).next()).rejects.toThrow('it is read, not followed');
});
