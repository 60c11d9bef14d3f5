// The admin token of a state folder, and the note of where the admin API listens, on a disk that has no room for it.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { configurationFolder } from '../configuration-folder.ts';

const unreadable = new Set<string>();

// Files share a process, and with it modules that others have read: they are read anew with the mock, and again behind it.
vi.resetModules();
vi.doMock('node:fs/promises', async (original) => {
  const fs = await original<typeof import('node:fs/promises')>();
  const writeFile = async (path: string): Promise<never> => {
    throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', path });
  };
  // Root may read every file.
  const readFile = async (path: string, encoding: 'utf8'): Promise<string> => {
    if (!unreadable.has(path)) return await fs.readFile(path, encoding);
    throw Object.assign(new Error('EACCES: permission denied, open'), { code: 'EACCES', path });
  };
  return { ...fs, writeFile, readFile };
});

const { adminTokenFile, readAdminAddress, readAdminToken, writeAdminAddress } = await import(
  '../../../src/ops/admin/admin-access.ts'
);

test('reports a token file with text that fits no request, and the remedy', async () => {
  const { path, write } = configurationFolder();
  const no = {
    message: `${adminTokenFile(path)} holds no admin token, which has 32 to 256 printable characters: delete the file, and a gateway that runs makes another within seconds, or the next start does`,
  };
  for (const text of ['', 'x'.repeat(300), `${'x'.repeat(30)} ${'y'.repeat(30)}`, `\0${'é'.repeat(40)}`]) {
    write('secrets/admin.token', text);
    await expect(readAdminToken(path)).rejects.toMatchObject(no);
  }
  write('secrets/admin.token', `${'x'.repeat(43)}\n`);
  expect(await readAdminToken(path)).toBe('x'.repeat(43));
});

test('names the user to run a command as, or the alternative, if the token is unreadable', async () => {
  const { path } = configurationFolder();
  const file = adminTokenFile(path);
  unreadable.add(file);
  onTestFinished(() => void unreadable.delete(file));
  const message = `the admin token cannot be read from ${file}: EACCES: permission denied, open; run this as the owner of the file, or with a token of your own (\`admin.users\` in gateway.yaml, \`--token-file\`)`;
  await expect(readAdminToken(path)).rejects.toMatchObject({ message });
});

test('names the owner of an unreadable state folder', async () => {
  const { path } = configurationFolder();
  const file = join(path, 'admin.json');
  unreadable.add(file);
  onTestFinished(() => void unreadable.delete(file));
  const message = `${file} cannot be read: EACCES: permission denied, open; run this as the gateway's user, or have others find it with \`chmod 711\` on the state folder and a token of their own`;
  await expect(readAdminAddress(path)).rejects.toMatchObject({ message });
});

test('the running gateway makes a deleted admin token anew', async () => {
  const { path } = configurationFolder();
  const file = adminTokenFile(path);
  const message = `the admin token cannot be read from ${file}: it is not there; a gateway that runs makes another within seconds, or the next start does`;
  await expect(readAdminToken(path)).rejects.toMatchObject({ message });
});

afterAll(() => {
  vi.doUnmock('node:fs/promises');
  vi.resetModules();
});

test('a full disk stops no gateway: its note reuses the old space, or its absence is reported', async () => {
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
