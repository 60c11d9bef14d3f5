import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/support/longest-first.ts';
import { PATIENCE_MS } from './test/support/patience.ts';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/run-folder.ts'],
    reporters: ['default', './test/support/stuck-file.ts'],
    // A machine that others keep busy takes its time; a test waits for what it expects, not for a time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: PATIENCE_MS } },
    // Twice as many as there are cores where tests were measured: files with real processes spend half of their time waiting for
    // a lease, a retry or a disk. With three the cores rested for a seventh of the time, with four for a twentieth.
    maxWorkers: 4,
    // Files share a process: most of a file's CPU would go into starting one and loading the same modules again. What a test
    // leaves behind in it (environment, listeners of the process) it cleans up itself.
    isolate: false,
    sequence: { sequencer: LongestFirst },
  },
});
