// `crossgate sessions import` as it is run: session files written, every key reported, no secret anywhere.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Command } from 'commander';
import { expect, onTestFinished, test, vi } from 'vitest';
import { parse } from 'yaml';
import { addSessionImportCommand } from '../../../src/cli/admin/sessions-import.ts';
import { runToExit } from '../../../src/cli/output/exit.ts';
import { configurationFolder } from '../../ops/configuration-folder.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const MAIN = join(import.meta.dirname, '../../../src/cli/main.ts');

const CFG = `[DEFAULT]
ConnectionType=acceptor
SenderCompID=GATE
FileStorePath=store
StartTime=08:00:00
EndTime=17:00:00
TimeZone=Europe/London
[SESSION]
BeginString=FIX.4.4
TargetCompID=DESK1
Password=hunter2-very-secret
`;

async function importFile(file: string, ...args: string[]): Promise<{ out: string; error: string; code: unknown }> {
  const program = new Command('crossgate').exitOverride();
  addSessionImportCommand(program);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  const before = process.exitCode;
  process.exitCode = 0;
  await runToExit(() => program.parseAsync(['import', file, ...args], { from: 'user' }));
  const [out, said] = [log, error].map((spy) => spy.mock.calls.map(([line]) => `${line}\n`).join(''));
  const code = process.exitCode;
  process.exitCode = before;
  log.mockRestore();
  error.mockRestore();
  return { out: out!, error: said!, code };
}

function temporary(): string {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-import-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('a session file per [SESSION], a report per setting, a reference instead of the password', async () => {
  const folder = temporary();
  const cfg = join(folder, 'house.cfg');
  writeFileSync(cfg, CFG);
  const out = join(folder, 'sessions');
  const done = await importFile(cfg, '--out', out);
  expect(done).toMatchObject({ code: 0, error: '' });
  const text = readFileSync(join(out, 'DESK1.yaml'), 'utf8');
  expect(parse(text)).toEqual({
    role: 'acceptor',
    senderCompID: 'GATE',
    schedule: {
      timeZone: 'Europe/London',
      windows: [{ from: '08:00:00', to: '17:00:00' }],
      resets: [{ at: '08:00:00' }],
    },
    beginString: 'FIX.4.4',
    targetCompID: 'DESK1',
    password: 'file:secrets/DESK1.password',
  });
  expect(text).toContain('# accounts:');
  expect(`${done.out}${text}`).not.toContain('hunter2');
  expect(done.out).toMatch(/^ +4 {2}FileStorePath=store +refused +messages and numbers are kept/m);
  expect(done.out).toMatch(/^ +10 {2}TargetCompID=DESK1 +taken +targetCompID: "DESK1"/m);
  expect(done.out).toMatch(
    /^ +11 {2}Password=\[redacted\] +translated +password: "file:secrets\/DESK1\.password"; put/m,
  );

  expect((await importFile(cfg, '--out', out)).code).toBe(2);
  const json = JSON.parse((await importFile(cfg, '--out', out, '--force', '--json')).out);
  expect(json.sessions[0]).toMatchObject({ name: 'DESK1', file: join(out, 'DESK1.yaml') });
});

test('reports two [SESSION]s with one identity, as by SessionQualifier, before `crossgate check`', async () => {
  const folder = temporary();
  const cfg = join(folder, 'house.cfg');
  const twin = (name: string, more = ''): string =>
    `[SESSION]\nBeginString=FIX.4.4\nTargetCompID=DESK1\nSessionQualifier=${name}\n${more}`;
  writeFileSync(cfg, `${CFG}${twin('second')}${twin('third', 'TargetSubID=ALGO\n')}`);
  const { out, code } = await importFile(cfg, '--out', join(folder, 'sessions'));
  expect(code).toBe(0);
  expect(out.match(/has the same identity/g)).toHaveLength(1);
  expect(out).toMatch(
    /^ +14 {2}TargetCompID=DESK1 +refused +targetCompID: "DESK1", which `crossgate check` refuses: session DESK1 has the same identity, FIX\.4\.4:GATE->DESK1; /m,
  );
});

test('where one of the session files is there already none is written', async () => {
  const folder = temporary();
  const cfg = join(folder, 'house.cfg');
  writeFileSync(cfg, `${CFG}[SESSION]\nBeginString=FIX.4.4\nTargetCompID=DESK2\n`);
  const out = join(folder, 'sessions');
  mkdirSync(out);
  writeFileSync(join(out, 'DESK2.yaml'), '# ours\n');
  const { error, code } = await importFile(cfg, '--out', out);
  expect(code).toBe(2);
  expect(error).toContain('DESK2.yaml is there already, and nothing is written: use --force');
  expect(readdirSync(out)).toEqual(['DESK2.yaml']);
});

test('where one of the session files finds no room none is left', async () => {
  const folder = temporary();
  const cfg = join(folder, 'house.cfg');
  writeFileSync(cfg, `${CFG}[SESSION]\nBeginString=FIX.4.4\nTargetCompID=DESK2\nUsername=${'x'.repeat(20_000)}\n`);
  const out = join(folder, 'sessions');
  const command = [process.execPath, MAIN, 'sessions', 'import', cfg, '--out', out];
  // No file may become longer than 16 kB.
  const child = new LineProcess('bash', ['-c', 'ulimit -f 16; exec "$@"', 'bash', ...command]);
  expect([await child.ended(), child.lines.at(-1)]).toEqual([1, expect.stringMatching(/ulimit -f.*EFBIG/)]);
  expect(readdirSync(out)).toEqual([]);
});

test('writes the sessions in spite of a key that every engine ignores, and reports the key', async () => {
  const folder = temporary();
  const cfg = join(folder, 'house.cfg');
  writeFileSync(cfg, `${CFG.replace('FileStorePath', 'FileStorPath')}ResetSeqNumFlag=Y\n`);
  const { out, error, code } = await importFile(cfg, '--out', join(folder, 'sessions'));
  expect({ error, code }).toEqual({ error: '', code: 0 });
  expect(out).toMatch(/^ +4 {2}FileStorPath=store +refused +.*did you mean FileStorePath\?/m);
  expect(out).toMatch(/ResetSeqNumFlag=Y +refused +numbers are reset where `resetOn`/);
  expect(readdirSync(join(folder, 'sessions'))).toEqual(['DESK1.yaml']);
  expect((await importFile(join(folder, 'none.cfg'))).code).toBe(2);
});

test('a demand for client certificates that is lost fails the command with line, key and mend', async () => {
  const folder = temporary();
  const cfg = join(folder, 'house.cfg');
  writeFileSync(cfg, CFG.replace('FileStorePath=store', 'NeedClientAuth=Y'));
  const { error, code } = await importFile(cfg, '--out', join(folder, 'sessions'));
  expect(code).toBe(1);
  expect(error).toMatch(/house\.cfg:4: security error: NeedClientAuth: .*`clientAuthority`/);
  expect(readdirSync(join(folder, 'sessions'))).toEqual(['DESK1.yaml']);
});

test('writes files that the gateway takes unchanged: no aliases, and an acceptor connects nowhere', async () => {
  const folder = temporary();
  const cfg = join(folder, 'house.cfg');
  const more = 'StartDay=Sunday\nEndDay=Friday\nReconnectInterval=60\nSocketConnectTimeout=5\n';
  writeFileSync(cfg, CFG.replace('StartTime', `${more}StartTime`));
  const own =
    'accounts: [{ account: "111" }]\nlimits: { orderQtyMax: "1", notionalMax: "1", openOrdersMax: 1, priceBandPercent: "off" }\n';
  expect((await importFile(cfg, '--out', folder)).code).toBe(0);
  const text = readFileSync(join(folder, 'DESK1.yaml'), 'utf8');
  const loaded = configurationFolder({ 'DESK1.yaml': text + own }).load();
  expect(loaded.problems).toEqual([]);
  expect(loaded.config!.sessions[0]!.session.schedule).toMatchObject({ timeZone: 'Europe/London' });
});

test.each([
  ['BeginString=FIX.4.3', 'BeginString', /check` refuses: must be one of: FIX\.4\.2, FIX\.4\.4, FIXT\.1\.1; /],
  [
    'HeartBtInt=100000',
    'HeartBtInt',
    /heartBtIntS: 100000, which `crossgate check` refuses: must be at least 1 s and at most 3600 s/,
  ],
  ['SocketConnectHost=a host', 'SocketConnectHost', /connect\.addresses.*refuses: has a form that is not accepted/],
])('reports %s, which the gateway will refuse, by its setting', async (line, key, said) => {
  const folder = temporary();
  const cfg = join(folder, 'house.cfg');
  const initiator = CFG.replace('=acceptor', '=initiator').replace('FIX.4.4', 'FIX.4.4\nSocketConnectPort=5001');
  const base = line.startsWith('Socket') ? initiator : CFG.replace(/^BeginString.*\n/m, '');
  writeFileSync(cfg, `${base}${line}\n`);
  const { out, code } = await importFile(cfg, '--out', folder, '--json');
  expect(code).toBe(0);
  const { settings } = JSON.parse(out).sessions[0];
  expect(settings.filter((each: { text: string }) => each.text.includes('crossgate check'))).toHaveLength(1);
  expect(settings.find((each: { key: string }) => each.key === key)).toMatchObject({
    kind: 'refused',
    text: expect.stringMatching(said),
  });
});

test('the password that a template still needs is one for each counterparty', async () => {
  const folder = temporary();
  const cfg = join(folder, 'house.cfg');
  writeFileSync(cfg, CFG.replace('DESK1\nPassword=hunter2-very-secret', '*\nAcceptorTemplate=Y'));
  expect(await importFile(cfg, '--out', folder)).toMatchObject({ code: 0, error: '' });
  expect(readFileSync(join(folder, 'TEMPLATE.yaml'), 'utf8')).toContain('# password: file:secrets/{compID}.password');
});

test('an initiator needs no password, and its report says so', async () => {
  const folder = temporary();
  const cfg = join(folder, 'hub.cfg');
  const where = 'ConnectionType=initiator\nSocketConnectHost=hub.example\nSocketConnectPort=9876\n';
  writeFileSync(cfg, `[SESSION]\nBeginString=FIX.4.4\nSenderCompID=GATE\nTargetCompID=HUB\n${where}`);
  expect(await importFile(cfg, '--out', folder)).toMatchObject({ code: 0 });
  const text = readFileSync(join(folder, 'HUB.yaml'), 'utf8');
  expect(text).toContain('if the counterparty wants one:\n# password: file:secrets/HUB.password\n');
  expect(text).not.toContain('required unless');
});
