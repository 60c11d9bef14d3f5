// A folder that all files of one test run share, for what is expensive and the same for each: programs compiled for a test.
// Named by CROSSGATE_TEST_RUN; a program run by hand (a benchmark, a campaign) has none.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';

/** Vitest's global set-up: make the folder before the first file, remove it after the last. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-run-'));
  process.env.CROSSGATE_TEST_RUN = folder;
  return async () => {
    await rm(folder, { recursive: true, force: true });
  };
}

/** The folder of this run; null outside one. */
export function runFolder(): string | null {
  return process.env.CROSSGATE_TEST_RUN ?? null;
}
