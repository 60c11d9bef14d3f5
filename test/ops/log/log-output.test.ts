// Log lines on a standard error stream that takes none for a while: waiting ones, lost ones, and their report.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { LogOutput } from '../../../src/ops/log/log-output.ts';

const ROOT = join(import.meta.dirname, '../../..');

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A stream that takes so many bytes, and then none with that error. */
function output(room: number) {
  const place = { room, code: 'ENOSPC', text: '', tries: 0 };
  const write = (bytes: Uint8Array): number => {
    place.tries++;
    if (place.room === 0) throw Object.assign(new Error(place.code), { code: place.code });
    const taken = Math.min(place.room, bytes.length);
    place.room -= taken;
    place.text += Buffer.from(bytes.subarray(0, taken)).toString();
    return taken;
  };
  const lost: number[] = [];
  return { place, lost, lines: new LogOutput({ onLost: (count) => lost.push(count), write }) };
}

test('completes half-written lines once a full disk has room, in order, without new output', () => {
  const { place, lost, lines } = output(8);
  for (const line of ['first\n', 'second\n', 'third\n']) lines.write(line);
  expect(place.text).toBe('first\nse');
  place.room = 100;
  vi.advanceTimersByTime(200);
  expect([place.text, lost]).toEqual(['first\nsecond\nthird\n', []]);
  lines.write('fourth\n');
  expect(place.text).toMatch(/third\nfourth\n$/);
  expect(vi.getTimerCount()).toBe(0);
});

test('a long-full disk costs lines, not the log: it reports their number and continues', () => {
  const { place, lost, lines } = output(0);
  const line = `${'x'.repeat(1023)}\n`;
  for (let k = 0; k < 1030; k++) lines.write(line);
  expect(place.tries).toBe(1);
  place.room = 10_000_000;
  vi.advanceTimersByTime(200);
  expect([place.text.length, lost]).toEqual([1024 * 1024, [6]]);
  lines.write('after\n');
  expect(place.text.endsWith('\nafter\n')).toBe(true);
});

test('a reader that is gone is not written to again', () => {
  const { place, lost, lines } = output(0);
  place.code = 'EPIPE';
  for (let k = 0; k < 3; k++) lines.write('line\n');
  vi.advanceTimersByTime(1000);
  expect([place.tries, lost, vi.getTimerCount()]).toEqual([1, [], 0]);
});

test('a reader that is only slow has every line when the process ends at once', () => {
  const { place, lines } = output(4);
  place.code = 'EAGAIN';
  lines.write('the last\n');
  const [atExit] = process.listeners('exit').slice(-1);
  place.room = 100;
  atExit!(0);
  expect(place.text).toBe('the last\n');
});

test('a reader that stands still keeps the process from nothing, and has every line when it reads on', async () => {
  vi.useRealTimers();
  const script = `import { createLog } from './src/ops/log/log.ts';
    const log = createLog({ format: 'json' });
    for (let k = 0; k < 1000; k++) log('info', 'x'.repeat(200), { k });
    console.log('alive');
    process.stdin.resume();`;
  const args = ['--input-type=module', '-e', script];
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: 'pipe' });
  onTestFinished(() => void child.kill('SIGKILL'));
  // The log is not read until then: a pipe holds a third of it.
  await once(child.stdout, 'data');
  let text = '';
  for await (const chunk of child.stderr) {
    text += chunk;
    if (text.includes('"k":999,')) child.stdin.end();
  }
  const numbers = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).k);
  expect(numbers).toEqual(Array.from({ length: 1000 }, (_, k) => k));
});
