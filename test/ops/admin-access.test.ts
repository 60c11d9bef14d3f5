// The note of where the admin API listens, on a disk that has no room for it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { configurationFolder } from './configuration-folder.ts';

// Files share a process, and with it modules that others have read: they are read anew with the mock, and again behind it.
vi.resetModules();
vi.doMock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  const writeFile = async (path: string): Promise<never> => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path });
  };
  return { ...fs, writeFile };
});

const { readAdminAddress, writeAdminAddress } = await import('../../src/ops/admin-access.ts');

afterAll(() => {
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

test('a full disk keeps no gateway from running: its note takes the room of the one before, or is missing and that is said', async () => {
  const { path } = configurationFolder();
  const file = join(path, 'admin.json');
  const said: string[] = [];
  const log = (level: string, text: string): unknown => said.push(`${level} ${text}`);
  const note = { url: 'http://127.0.0.1:1', process: '2 birth place', sharedToken: true };
  await writeAdminAddress(path, note, log);
  expect(said).toEqual([`error commands do not find this gateway: there is no room for ${file}`]);
  writeFileSync(file, `${JSON.stringify({ ...note, url: 'http://127.0.0.1:12345', process: '1 earlier place' })}\n`);
  await writeAdminAddress(path, note, log);
  expect(await readAdminAddress(path)).toEqual(note);
  expect(readFileSync(file, 'utf8')).toBe(`${JSON.stringify(note)}\n`);
  expect(said).toHaveLength(1);
});
