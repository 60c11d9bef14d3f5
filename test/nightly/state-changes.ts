// Every order state change of Appendix D through the running gateway, in order and with the exchange's frames repeated and
// out of order; `npm test` repeats the frames of every fifth script only.

import { spawn } from 'node:child_process';
import process from 'node:process';

const FILE = 'test/e2e/state-changes.test.ts';

/** `[rounds]`: how often all scripts are played; 1 unless given. */
export async function run([rounds = '1']: readonly string[]): Promise<boolean> {
  for (let round = 1; round <= Number(rounds); round++) {
    console.log(`round ${round} of ${rounds}`);
    const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', FILE], {
      stdio: 'inherit',
      env: { ...process.env, STATE_CHANGES: 'all' },
    });
    const code = await new Promise((resolve) => child.once('exit', resolve));
    if (code !== 0) return false;
  }
  return true;
}
