// A start on a disk that has no room left, behind a process that was killed.

import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { copyAsLeftBehind, temporaryDirectory } from '../journal-place.ts';
import { inbound, outbound, SESSION } from '../records.ts';

/** While one of these lies there, the disk has no room for a lock. */
const LEFT = ['spare.xgj-draft', 'snapshot-00000003.xgs.draft'];

// Files share a process, and with it modules that others have read: they are read anew with the mock, and again behind it.
vi.resetModules();
vi.doMock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const full = (path: string): boolean =>
    /lock-draft/.test(path) && LEFT.some((name) => fs.existsSync(join(dirname(path), name)));
  const write: typeof fs.writeFileSync = (path, data, options) => {
    if (full(String(path))) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
    fs.writeFileSync(path, data, options);
  };
  return { ...fs, writeFileSync: write };
});

const { openJournal } = await import('../../../src/store/mod.ts');

afterAll(() => {
  vi.doUnmock('node:fs');
  vi.resetModules();
});

test("J2 a killed process's unfinished files block no start on a full disk", async () => {
  const live = temporaryDirectory();
  const journal = await openJournal({ directory: live, now: () => 1 });
  journal.append([inbound(1), outbound(1)], 1);
  await journal.sync();
  const directory = copyAsLeftBehind(live);
  for (const folder of [live, directory]) for (const name of LEFT) writeFileSync(join(folder, name), 'zeros');
  const again = await openJournal({ directory, now: () => 1 });
  expect(again.recovered.sessions.get(SESSION)?.numbers.nextSenderMsgSeqNum).toBe(2);
  expect(LEFT.filter((name) => existsSync(join(directory, name)))).toEqual([]);
  await again.close();
  await expect(openJournal({ directory: live, now: () => 1 })).rejects.toThrow(/ENOSPC/);
  expect(LEFT.filter((name) => existsSync(join(live, name)))).toEqual(LEFT);
  await journal.close();
});
