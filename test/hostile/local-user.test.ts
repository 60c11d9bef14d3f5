// A local user who can write one file or folder of the gateway, against a real process: no start, and no use of it later.

import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { GatewayHome } from '../support/processes/gateway-process.ts';
import { House } from './house.ts';

const NAMED = /every user of this machine may (?:change|replace)/;

describe.runIf(process.platform !== 'win32')('a path that every user may change', () => {
  test.each([
    'sessions',
    'sessions/gateway.yaml',
    'sessions/ACME_OMS.yaml',
    'state',
    'state/secrets/ACME_OMS.password',
  ])(
    '%s keeps a gateway from starting, and is named',
    async (path) => {
      const home = await GatewayHome.create();
      onTestFinished(() => home.remove());
      await home.writePasswords('password-of-a-local-user-test');
      await chmod(join(home.folder, path), 0o777);
      const child = home.begin(null);
      const end = await child.ended();
      expect(end).not.toBe(0);
      const said = child.lines.join('\n');
      expect(said).toMatch(NAMED);
      expect(said).toContain(path.split('/').at(-1));
    },
    60_000,
  );

  test('a session file that becomes so is not used by a running gateway, and an alarm names it', async () => {
    const house = await House.open([{ compID: 'VICTIM' }]);
    onTestFinished(() => house.close());
    const path = join(house.home.sessions, 'VICTIM.yaml');
    await writeFile(path, 'targetCompID: VICTIM\nlimits: { orderQtyMax: "1000000" }\n');
    await chmod(path, 0o666);
    const line = await house.gateway.process.line(
      /"alarm":"configuration-invalid".*every user|every user.*"alarm":"configuration-invalid"/,
      20_000,
    );
    expect(line).toContain('VICTIM.yaml');
    const delays = await house.probe({ senderCompID: 'VICTIM', everyMs: 20, seconds: 1 });
    expect(delays.unanswered).toBe(0);
  });
});
