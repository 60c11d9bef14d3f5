// File modes: what others on the machine may change is refused at the start, and not used by a running gateway.

import { chmodSync, chownSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { readAdminAddress } from '../../../src/ops/admin/admin-access.ts';
import { configurationFolder, type Folder } from '../configuration-folder.ts';
import { eventually, GATEWAY, sessionFile, watchingGateway } from '../running-gateway.ts';

const isRoot = process.getuid?.() === 0;

function furnished(gateway = GATEWAY): Folder {
  const folder = configurationFolder({ 'gateway.yaml': gateway, 'OMS.yaml': sessionFile('OMS') });
  mkdirSync(join(folder.path, 'state', 'secrets'), { recursive: true, mode: 0o700 });
  writeFileSync(join(folder.path, 'state', 'secrets', 'oms.password'), 'a-password-of-the-oms\n', { mode: 0o600 });
  return folder;
}

const modesIn = (folder: Folder, kind: 'problems' | 'warnings'): string[] =>
  folder
    .load()
    [kind].filter(({ remedy }) => /^chmod [go]-w/.test(remedy) || /with mode 600/.test(remedy))
    .map(({ problem, remedy }) => `${problem}; ${remedy}`.replaceAll(folder.path, ''));

describe.runIf(process.platform !== 'win32')('a path that every user may change', () => {
  test.each(['sessions', 'sessions/gateway.yaml', 'sessions/OMS.yaml', 'state', 'state/secrets/oms.password'])(
    '%s is refused at the start, with the command that mends it',
    (name) => {
      const folder = furnished();
      expect(modesIn(folder, 'problems')).toEqual([]);
      const path = join(folder.path, name);
      chmodSync(path, statSync(path).mode | 0o002);
      expect(modesIn(folder, 'problems')).toContain(`every user of this machine may change it; chmod o-w "/${name}"`);
      expect(folder.load().config).toBeNull();
      chmodSync(path, statSync(path).mode & ~0o002);
      expect(folder.load().config).not.toBeNull();
    },
  );

  test('a folder above is refused unless it is sticky, or the setting says that its volume is so', () => {
    const folder = furnished();
    const named = `every user of this machine may replace the files in this folder; chmod o-w ""`;
    chmodSync(folder.path, 0o777);
    expect(modesIn(folder, 'problems')).toEqual([named]);
    chmodSync(folder.path, 0o1777);
    expect(modesIn(folder, 'problems')).toEqual([]);
    chmodSync(folder.path, 0o777);
    folder.write('sessions/gateway.yaml', `${GATEWAY}files: { parents: warn }\n`);
    expect(modesIn(folder, 'problems')).toEqual([]);
    expect(modesIn(folder, 'warnings')).toEqual([named]);
  });
});

test.runIf(isRoot)(
  'a path that its group may change is warned of, and refused by setting; a group of one is none',
  () => {
    const folder = furnished();
    const file = join(folder.path, 'sessions/OMS.yaml');
    chmodSync(file, 0o664);
    const named = 'its group may change it; chmod g-w "/sessions/OMS.yaml"';
    expect(modesIn(folder, 'warnings')).toEqual([named]);
    expect(modesIn(folder, 'problems')).toEqual([]);
    folder.write('sessions/gateway.yaml', `${GATEWAY}files: { groupWritable: refuse }\n`);
    expect(modesIn(folder, 'problems')).toEqual([named]);
    chownSync(file, 65_534, 65_534);
    expect(modesIn(folder, 'problems')).toEqual([]);
  },
);

test.runIf(process.platform !== 'win32')(
  'a running gateway does not use a file that every user may change',
  async () => {
    const gateway = await watchingGateway();
    const file = join(gateway.folder.path, 'sessions/OMS.yaml');
    chmodSync(file, 0o666);
    gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', '1'));
    const refused = (): boolean =>
      gateway.engine.administration
        .alarms(100)
        .some(({ alarm, text }) => alarm === 'configuration-invalid' && text.includes('every user of this machine'));
    await eventually('the alarm', refused);
    const effective = gateway.engine.config.sessions[0]!;
    expect(JSON.stringify(effective)).toContain('10');
    // A password that anybody may have put there proves nothing.
    chmodSync(join(gateway.stateDirectory, 'secrets/oms.password'), 0o666);
    expect(() => effective.password!.read()).toThrow(/every user of this machine may change/);
  },
);

describe.runIf(isRoot)('the note of where the admin API listens', () => {
  const note = JSON.stringify({ url: 'http://127.0.0.1:1', process: null, sharedToken: true });

  test('is believed if the gateway, root or the caller owns it, and of no other user', async () => {
    const { path } = configurationFolder();
    const file = join(path, 'admin.json');
    writeFileSync(file, note, { mode: 0o644 });
    expect(await readAdminAddress(path)).toMatchObject({ url: 'http://127.0.0.1:1' });
    chownSync(file, 65_534, 65_534);
    const message = `${file} is not believed: it belongs to user 65534, and the state folder to user 0`;
    await expect(readAdminAddress(path)).rejects.toMatchObject({ message });
    chownSync(path, 65_534, 65_534);
    expect(await readAdminAddress(path)).toMatchObject({ url: 'http://127.0.0.1:1' });
  });

  test('is not believed if every user may change it, or replace it', async () => {
    const { path } = configurationFolder();
    const file = join(path, 'admin.json');
    writeFileSync(file, note);
    chmodSync(file, 0o666);
    await expect(readAdminAddress(path)).rejects.toThrow(/every user of this machine may change it or its folder/);
    chmodSync(file, 0o644);
    chmodSync(path, 0o777);
    await expect(readAdminAddress(path)).rejects.toThrow(/every user of this machine may change it or its folder/);
  });
});
