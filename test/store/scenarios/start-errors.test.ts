// A disk that fails while a journal is opened: the start is refused in words, nothing is lost, and the next one works.

import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openJournal } from '../../../src/store/mod.ts';
import { FailingDisk, flipByte } from '../failing-disk.ts';
import { copyAsLeftBehind, openIn, segmentNames, temporaryDirectory } from '../journal-place.ts';
import { inbound, outbound, SESSION } from '../records.ts';

const SMALL = { segmentBytes: 65_536, onDamage: 'pass', now: () => 1 } as const;

/** A killed process's leftovers: frames 1 to 4, the third damaged on request. */
async function leftBehind(damaged: boolean): Promise<string> {
  const live = temporaryDirectory();
  const journal = await openIn(live, SMALL);
  for (let n = 1; n <= 4; n++) {
    journal.append([inbound(n), outbound(n)], n);
    await journal.sync();
  }
  const directory = copyAsLeftBehind(live);
  if (damaged) flipByte(join(directory, segmentNames(directory)[0]!), 450);
  return directory;
}

test.for([
  ['an empty directory', async () => temporaryDirectory(), 1],
  ['a journal of a killed process', () => leftBehind(false), 5],
  ['a journal with damage in the middle', () => leftBehind(true), 5],
] as const)(
  'ENOSPC and EIO at each disk call while %s is opened: refused, and the next start is whole',
  async ([, make, next]) => {
    const healthy = new FailingDisk();
    const opened = await openJournal({ ...SMALL, directory: await make(), disk: healthy });
    const calls = healthy.total;
    await opened.close();
    for (let call = 1; call <= calls; call++) {
      for (const code of ['ENOSPC', 'EIO']) {
        const directory = await make();
        const disk = new FailingDisk();
        disk.failAt = { call, code };
        const failed = await openJournal({ ...SMALL, directory, disk }).then(
          // Space ahead is no condition of a start: it is taken later, or reported.
          async (journal) => {
            await journal.close();
            return null;
          },
          (error: unknown) => error,
        );
        if (failed !== null) {
          expect(failed).toMatchObject({ code: 'XG_JOURNAL_WRITE_FAILED' });
          expect(String(failed)).toContain(code);
        }
        const journal = await openJournal({ ...SMALL, directory });
        expect(journal.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum ?? 1).toBe(next);
        journal.append([inbound(next), outbound(next)], next);
        await journal.sync();
        await journal.close();
        const again = await openJournal({ ...SMALL, directory });
        expect(again.recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(next + 1);
        await again.close();
      }
    }
    expect(calls).toBeGreaterThan(0);
  },
);

test('a segment that cannot be read refuses the start and says so; once it can be, everything is there', async () => {
  const directory = await leftBehind(false);
  const path = join(directory, segmentNames(directory)[0]!);
  renameSync(path, `${path}.aside`);
  mkdirSync(path);
  await expect(openJournal({ ...SMALL, directory })).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.stringMatching(/cannot be opened: EISDIR/),
  });
  rmSync(path, { recursive: true });
  renameSync(`${path}.aside`, path);
  expect((await openIn(directory, SMALL)).recovered.sessions.get(SESSION)?.numbers.nextTargetMsgSeqNum).toBe(5);
});

test('refuses an unusable folder, as below /proc, at once, and creates missing parents', async () => {
  const refused = { code: 'XG_JOURNAL_WRITE_FAILED' };
  await expect(openJournal({ ...SMALL, directory: '/proc/nothing/here' })).rejects.toMatchObject(refused);
  const above = temporaryDirectory();
  const journal = await openJournal({ ...SMALL, directory: join(above, 'some', 'way', 'down') });
  await journal.close();
  await (await openJournal({ ...SMALL, directory: join(above, 'some', 'way', 'down') })).close();
});

test('names a folder that links to an unmounted volume as such', async () => {
  const above = temporaryDirectory();
  const directory = join(above, 'journal');
  symlinkSync(join(above, 'volume'), directory);
  await expect(openJournal({ ...SMALL, directory })).rejects.toMatchObject({
    code: 'XG_JOURNAL_WRITE_FAILED',
    message: expect.stringMatching(/\/journal is a link to \S+\/volume, which is not there$/),
  });
  mkdirSync(join(above, 'volume'));
  await (await openJournal({ ...SMALL, directory })).close();
});
