// Two session machines over a cutting link, many more times than `npm test` does; the seeds of a failure are printed.

import { spawn } from 'node:child_process';
import process from 'node:process';

const FILE = 'test/session/scenarios/two-machines.test.ts';

/** `[runs]`: how often each property is checked; 20,000 unless given. */
export async function run([runs = '20000']: readonly string[]): Promise<boolean> {
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', FILE], {
    stdio: 'inherit',
    env: { ...process.env, CROSSGATE_RUNS: runs },
  });
  return (await new Promise((resolve) => child.once('exit', resolve))) === 0;
}
