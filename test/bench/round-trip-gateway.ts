// Entry script of a gateway under measurement: `crossgate start` in a process that notes when an order passes each stage. The
// notes are written at the end, into the file that CROSSGATE_STAGES names, one line per mark: microseconds by
// the clock, microseconds of processor time of this thread, and name.

import { channel } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import process from 'node:process';

const MARKS_MAX = 2_000_000;
const marks: string[] = [];
const times: number[] = [];
const cpuTimes: number[] = [];
const mark = (name: string): void => {
  if (times.length >= MARKS_MAX) return;
  times.push(performance.now() * 1000);
  const { user, system } = process.threadCpuUsage();
  cpuTimes.push(user + system);
  marks.push(name);
};

channel('crossgate:stage').subscribe((name) => mark(String(name)));
// Said by the HTTP client once headers and body are with the socket.
channel('undici:request:bodySent').subscribe(() => mark('request out'));
const file = process.env.CROSSGATE_STAGES ?? '';
process.on('exit', () =>
  writeFileSync(file, times.map((at, i) => `${at.toFixed(1)} ${cpuTimes[i]} ${marks[i]}\n`).join('')),
);

await import('../../src/cli/main.ts');
