// Tests: what a test run that was killed leaves behind stops none after it (support/run-folder.ts).

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { describeWith } from '../../support/requirement.ts';
import { removeOrphans } from '../../support/run-folder.ts';
import { temporaryDirectory } from '../journal-place.ts';
import { LoopDisk, loopDiskRequirement } from '../loop-disk.ts';

describeWith(loopDiskRequirement(), 'a test run that was killed', () => {
  test("leaves a folder with a mounted disk: the next run removes both, but not a live run's", async () => {
    const { pid } = spawnSync('true');
    const place = temporaryDirectory();
    const killed = join(place, `crossgate-run-${pid}-abcdef`);
    const running = join(place, `crossgate-run-${process.pid}-abcdef`);
    mkdirSync(running);
    const disk = new LoopDisk();
    const base = dirname(disk.mount);
    try {
      // The mount goes with the folder that it is in.
      renameSync(base, killed);
      expect(await removeOrphans(place)).toEqual([]);
      expect(existsSync(killed)).toBe(false);
      expect(existsSync(running)).toBe(true);
    } finally {
      await disk.remove();
    }
  });
});
