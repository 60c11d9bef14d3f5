// A disk that does not answer (fsfreeze, as a snapshot of a virtual machine does it): the process goes on, its journal waits.

import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeWith } from '../../support/requirement.ts';
import { openIn } from '../journal-place.ts';
import { LoopDisk, loopDiskRequirement } from '../loop-disk.ts';
import { inbound } from '../records.ts';

describeWith(loopDiskRequirement(), 'a disk that stands still', () => {
  test('J2 blocks no caller on a silent disk: waiting records arrive with it', async () => {
    const loop = new LoopDisk();
    try {
      const journal = await openIn(`${loop.mount}/journal`);
      let n = 1;
      const append = (): void => journal.append([inbound(n++)], 1);
      append();
      await journal.sync();
      loop.freeze();
      append();
      expect(journal.syncNow?.()).toBe(false);
      const synced = journal.sync();
      let arrived = false;
      void synced.then(() => {
        arrived = true;
      });
      // That this line is reached is the point; the turns are those of everybody else.
      while (journal.canWrite?.() === true) await setImmediate();
      append();
      expect(journal.syncNow?.()).toBe(false);
      const next = journal.sync();
      await setImmediate();
      expect(arrived).toBe(false);
      await loop.thaw();
      await synced;
      await next;
      expect(journal.canWrite?.()).toBe(true);
      await journal.close();
      const again = await openIn(`${loop.mount}/journal`);
      const read: number[] = [];
      for await (const { record } of again.entries()) if (record.kind === 'inbound') read.push(record.msgSeqNum);
      expect(read).toEqual([1, 2, 3]);
      await again.close();
    } finally {
      await loop.remove();
    }
  });
});
