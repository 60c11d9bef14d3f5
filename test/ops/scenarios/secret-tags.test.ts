// `secretTags` of a session: what people see of its messages is masked, what a counterparty is sent again is not.

import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { Tag } from '../../../src/wire/mod.ts';
import { ACCOUNT, eventually, GATEWAY, runningGateway, sessionFile } from '../running-gateway.ts';

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts');

function cli(command: string, input: string, ...args: string[]): string {
  const done = spawnSync(process.execPath, [MAIN, command, ...args], { input, encoding: 'utf8' });
  return done.stdout + done.stderr;
}

test('a secret tag is masked in console and log, and is resent as it was sent', async () => {
  const gateway = await runningGateway({
    'gateway.yaml': GATEWAY,
    'OMS.yaml': `${sessionFile('OMS')}secretTags: [1, 55]\n`,
  });
  const fix = await gateway.logOn('OMS');
  const now = new Date().toISOString().replaceAll('-', '').replace('T', '-').replace('Z', '');
  fix.send(`35=D|11=first|1=${ACCOUNT}|55=BTCUSDC|54=1|60=${now}|38=0.1|40=2|44=1000|59=1`);
  const report = await fix.expect('a report', (view) => view.msgType === '8');
  expect(report.string(Tag.Account)).toBe(ACCOUNT);

  let seen = '';
  await eventually('the report among the messages', async () => {
    seen = JSON.stringify((await gateway.ask('/api/sessions/OMS/messages')).body);
    return seen.includes('"msgType":"8"');
  });
  expect(seen).not.toContain(ACCOUNT);
  expect(seen).not.toContain('BTCUSDC');
  expect(seen).toContain('55=*******');

  const number = Number(report.string(Tag.MsgSeqNum));
  fix.send(`35=2|7=${number}|16=${number}`);
  const again = await fix.expect('the resend', (view) => view.string(Tag.PossDupFlag) === 'Y');
  expect([again.string(Tag.Account), again.string(Tag.Symbol)]).toEqual([ACCOUNT, 'BTCUSDC']);

  const shown = cli('log', '', '--state', gateway.stateDirectory, '--sessions', join(gateway.folder.path, 'sessions'));
  expect(shown).toContain('ClOrdID=first');
  expect(shown).not.toContain(ACCOUNT);
  const folder = ['--sessions', join(gateway.folder.path, 'sessions'), '--to', gateway.folder.path];
  const day = new Date(Date.now()).toISOString().slice(0, 10);
  cli('store', '', 'daily', '--state', gateway.stateDirectory, '--date', day, ...folder);
  const csv = readdirSync(gateway.folder.path).find((name) => name.endsWith(`${day}-orders.csv`))!;
  const lines = readFileSync(join(gateway.folder.path, csv), 'utf8');
  expect(lines).toContain('first');
  expect(lines).toContain('***');
  expect(lines).not.toMatch(new RegExp(`${ACCOUNT}|BTCUSDC`));
  expect(gateway.logged.join('\n')).not.toContain(ACCOUNT);
});

test('decode and log mask the tags of the command line, and refuse a word that is no tag', () => {
  const text = '8=FIX.4.4|9=5|35=D|49=OMS|56=GATE|34=2|52=20261121-10:11:12.345|11=o-1|5001=hush|58=a text|10=000|\n';
  const none = ['--sessions', 'no such folder'];
  expect(cli('decode', text, ...none)).toContain('hush');
  for (const [command, ...args] of [
    ['decode', '--json'],
    ['log', '-', '--raw'],
  ] as const) {
    const masked = cli(command, text, ...args, ...none, '--secret-tags', '5001,58');
    expect(masked).toContain('o-1');
    expect(masked).not.toContain('hush');
    expect(masked).not.toContain('a text');
  }
  expect(cli('decode', text, '--secret-tags', '5001,x')).toContain('--secret-tags takes tags with commas between');
});

test('a tag by which messages or orders are found is refused as a secret one', async () => {
  const { configurationFolder, SESSION } = await import('../configuration-folder.ts');
  const { problems } = configurationFolder({ 'OMS.yaml': `${SESSION}secretTags: [5001, 11, 0]\n` }).load();
  expect(
    problems.filter(({ key }) => key.startsWith('secretTags')).map(({ key, problem }) => `${key}: ${problem}`),
  ).toEqual([
    'secretTags[1]: by this field messages, sessions or orders are found in every log',
    'secretTags[2]: must be at least 1 and at most 999999',
  ]);
});
