// Power loss: a file system of our own is shut down so that everything not yet on disk is gone (EXT4_IOC_SHUTDOWN).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeWith } from '../../support/requirement.ts';
import { openIn } from '../journal-place.ts';
import { LoopDisk, loopDiskRequirement } from '../loop-disk.ts';
import { SESSION } from '../records.ts';

const child = fileURLToPath(new URL('../writing-child.ts', import.meta.url));
const CUTS = Number(process.env.CROSSGATE_POWER_CUTS ?? 3);

describeWith(loopDiskRequirement(), 'power loss', () => {
  test(`J1 power cut ${CUTS} times while messages are recorded: everything synced is there, in one piece`, async () => {
    const seed = Number(process.env.CROSSGATE_SEED ?? Date.now() % 1_000_000);
    console.log(`seed ${seed}: CROSSGATE_SEED=${seed} repeats it`);
    const loop = new LoopDisk();
    try {
      const directory = join(loop.mount, 'journal');
      for (let cut = 0; cut < CUTS; cut++) {
        const process_ = spawn(process.execPath, [child, directory, 'disk', String(seed + cut)], {
          stdio: ['ignore', 'pipe', 'ignore'],
        });
        const exited = once(process_, 'exit');
        const wanted = 5 + ((seed + cut * 37) % 60);
        let last = { series: 0, sender: 0 };
        let seen = 0;
        for await (const line of createInterface(process_.stdout)) {
          const [, series, sender] = line.split(' ').map(Number) as [number, number, number];
          // Once the power is gone its syncs fail: only lines from before count, and those were written before.
          last = { series, sender };
          if (++seen === wanted) {
            loop.cutPower();
            process_.kill('SIGKILL');
          }
        }
        await exited;
        loop.restart();
        const journal = await openIn(directory);
        const { numbers } = journal.recovered.sessions.get(SESSION)!;
        const reached = numbers.series * 1e9 + numbers.nextSenderMsgSeqNum;
        expect(reached).toBeGreaterThanOrEqual(last.series * 1e9 + last.sender);
        expect(numbers.nextSenderMsgSeqNum).toBe(numbers.nextTargetMsgSeqNum);
        expect(await journal.loadOutbound(SESSION, numbers.series, 1, 1e8)).toHaveLength(
          numbers.nextSenderMsgSeqNum - 1,
        );
        await journal.close();
      }
    } finally {
      await loop.remove();
    }
  });
});
