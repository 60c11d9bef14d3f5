// Marks along an order's way inside a measured process: kept in memory, and written at its end into the file that
// CROSSGATE_STAGES names. The first line is the start of the process in epoch milliseconds. Then follow microseconds
// since by the clock, microseconds of processor time of this thread, and the name.

import { channel } from 'node:diagnostics_channel';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import process from 'node:process';

const MARKS_MAX = 4_000_000;

export interface Mark {
  readonly at: number;
  readonly name: string;
}

/**
 * Begin to keep marks, those of `crossgate:stage` among them; returns how to add others. A mark costs a look at the clock and
 * three stores: what it costs counts as the work of the process. Processor time is a system call more, and zero unless asked for.
 */
export function keepMarks({ withProcessorTime = false } = {}): (name: string) => void {
  const names: string[] = [];
  const known = new Map<string, number>();
  // Untouched space takes no memory.
  const [times, cpuTimes, kinds] = [
    new Float64Array(MARKS_MAX),
    new Float64Array(MARKS_MAX),
    new Uint8Array(MARKS_MAX),
  ];
  let count = 0;
  const mark = (name: string): void => {
    if (count >= MARKS_MAX) return;
    times[count] = performance.now() * 1000;
    if (withProcessorTime) {
      const { user, system } = process.threadCpuUsage();
      cpuTimes[count] = user + system;
    }
    let kind = known.get(name);
    if (kind === undefined) {
      kind = names.push(name) - 1;
      known.set(name, kind);
    }
    kinds[count++] = kind;
  };
  channel('crossgate:stage').subscribe((name) => mark(String(name)));
  const file = process.env.CROSSGATE_STAGES ?? '';
  process.on('exit', () => {
    const lines = Array.from(
      { length: count },
      (_, i) => `${times[i]!.toFixed(1)} ${cpuTimes[i]} ${names[kinds[i]!]}\n`,
    );
    writeFileSync(file, `${performance.timeOrigin}\n${lines.join('')}`);
  });
  return mark;
}

/** By the clock, and the same by the processor time of the thread. */
export interface KeptMarks {
  /** When the process began, in epoch milliseconds. */
  readonly origin: number;
  readonly clock: readonly Mark[];
  readonly cpu: readonly Mark[];
}

/** The marks of a process that has ended. */
export async function readMarks(file: string): Promise<KeptMarks> {
  const [origin, ...rest] = (await readFile(file, 'utf8')).trimEnd().split('\n');
  const lines = rest.map((line) => line.split(' '));
  const by = (column: number): Mark[] =>
    lines.map((words) => ({ at: Number(words[column]), name: words.slice(2).join(' ') }));
  return { origin: Number(origin), clock: by(0), cpu: by(1) };
}

/** The value below which this share of a list in order lies. */
export function percentile(sorted: readonly number[], p: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))] ?? Number.NaN;
}
