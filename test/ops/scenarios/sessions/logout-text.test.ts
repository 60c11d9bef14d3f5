// An operator's words in a Logout(5), from the console's address and from the command line, in each session's character set.

import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { decodeText, Tag } from '../../../../src/wire/mod.ts';
import { eventually, runningGateway, sessionFile } from '../../running-gateway.ts';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const WORDS = 'Börse zu, 取引停止';

test.each([
  ['UTF-8', WORDS],
  ['Shift_JIS', 'B?rse zu, 取引停止'],
  ['ISO-8859-1', 'Börse zu, ????'],
] as const)(
  'on a session of %s the Logout(5) of console and command line has the words that the set has',
  { timeout: 60_000 },
  async (charset, expected) => {
    const gateway = await runningGateway({ 'OMS.yaml': `${sessionFile('OMS')}charset: ${charset}\n` });
    const first = await gateway.logOn();
    expect((await gateway.ask('/api/sessions/OMS/logout', { why: WORDS })).status).toBe(200);
    const byConsole = await first.expect('the Logout', (view) => view.msgType === '5');
    expect(decodeText(byConsole.string(Tag.Text)!, charset)).toBe(expected);

    first.send('35=5|');
    await eventually('its end', async () => {
      const { status } = (await gateway.ask('/api/sessions/OMS')).body as { status: { state: string } };
      return status.state === 'disconnected';
    });
    const second = await gateway.logOn();
    const where = ['--why', WORDS, '--state', gateway.stateDirectory];
    await promisify(execFile)(process.execPath, ['src/cli/main.ts', 'sessions', 'logout', 'OMS', ...where], {
      cwd: ROOT,
    });
    const byCommand = await second.expect('the Logout', (view) => view.msgType === '5');
    expect(byCommand.string(Tag.Text)).toBe(byConsole.string(Tag.Text));
  },
);
