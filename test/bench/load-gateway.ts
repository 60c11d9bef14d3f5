// Entry script of a gateway with watched garbage collection: `crossgate start` in a process that writes a file at its
// end, named by CROSSGATE_GC. It holds the collection time since SIGUSR2, the longest pause and the processor time.

import { writeFileSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import process from 'node:process';

export interface CollectionFigures {
  readonly seconds: number;
  readonly collectedMs: number;
  readonly longestMs: number;
  readonly cpuMs: number;
}

let begun = performance.now();
let cpu = process.cpuUsage();
let collectedMs = 0;
let longestMs = 0;
new PerformanceObserver((list) => {
  for (const { startTime, duration } of list.getEntries()) {
    if (startTime < begun) continue;
    collectedMs += duration;
    longestMs = Math.max(longestMs, duration);
  }
}).observe({ entryTypes: ['gc'] });
process.on('SIGUSR2', () => {
  begun = performance.now();
  cpu = process.cpuUsage();
  collectedMs = 0;
  longestMs = 0;
});
process.on('exit', () => {
  const { user, system } = process.cpuUsage(cpu);
  const seconds = (performance.now() - begun) / 1_000;
  const figures: CollectionFigures = { seconds, collectedMs, longestMs, cpuMs: (user + system) / 1_000 };
  writeFileSync(process.env.CROSSGATE_GC ?? '', JSON.stringify(figures));
});

if (process.argv[1] === import.meta.filename) await import('../../src/cli/main.ts');
