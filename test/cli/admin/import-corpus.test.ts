// Settings files as people publish them, through import, check and start: each ends good, or with exactly its errors.

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { Command } from 'commander';
import { expect, test, vi } from 'vitest';
import { addSessionImportCommand } from '../../../src/cli/admin/sessions-import.ts';
import { runToExit } from '../../../src/cli/output/exit.ts';
import { checkDictionaries } from '../../../src/ops/whole-ops.ts';
import { configurationFolder, type Folder } from '../../ops/configuration-folder.ts';
import { CORPUS } from '../../ops/quickfix-cfg/corpus.ts';
import { ACCOUNT, GATEWAY, runningGateway } from '../../ops/running-gateway.ts';

interface Imported {
  readonly problems: readonly { line: number; key: string; problem: string }[];
  readonly sessions: readonly { settings: readonly { line: number; key: string; caution?: string }[] }[];
}

async function importInto(folder: string, text: string): Promise<{ found: string[]; code: unknown; said: string }> {
  const program = new Command('crossgate').exitOverride();
  addSessionImportCommand(program);
  const cfg = join(folder, 'published.cfg');
  writeFileSync(cfg, text);
  const log = vi.spyOn(console, 'log').mockImplementation(() => {});
  const before = process.exitCode;
  process.exitCode = 0;
  await runToExit(() =>
    program.parseAsync(['import', cfg, '--out', join(folder, 'sessions'), '--json'], { from: 'user' }),
  );
  const code = process.exitCode;
  process.exitCode = before;
  const said = log.mock.calls.map(([line]) => `${line}\n`).join('');
  log.mockRestore();
  rmSync(cfg);
  const { problems, sessions } = JSON.parse(said) as Imported;
  const cautions = sessions.flatMap(({ settings }) =>
    settings.flatMap(({ line, key, caution }) => (caution === undefined ? [] : [`${line} ${key} ${caution}`])),
  );
  return {
    found: [...problems.map(({ line, key, problem }) => `${line} ${key}: ${problem}`), ...new Set(cautions)],
    code,
    said,
  };
}

/** Parts that such a file lacks, and secrets for the references in it. */
function complete(folder: Folder): void {
  const sessions = join(folder.path, 'sessions');
  for (const name of readdirSync(sessions)) {
    if (name === 'gateway.yaml') continue;
    const path = join(sessions, name);
    const own = `accounts: [{ account: "${ACCOUNT}" }]
limits: { orderQtyMax: "1", notionalMax: "1", openOrdersMax: 1, priceBandPercent: "off" }
durability: process
`;
    const written = readFileSync(path, 'utf8');
    const secret = `file:secrets/${name.replace('.yaml', '.password')}`;
    const password = /^(password|role: initiator)/m.test(written)
      ? ''
      : `password: ${secret.replace('TEMPLATE', '{compID}')}\n`;
    writeFileSync(path, written.replace(/file:\/etc\/fix\//g, 'file:') + own + password);
    for (const [, reference] of `${written}${password}`.matchAll(/file:([\w./-]+)(?![\w./{-])/g)) {
      const place = join(folder.path, 'state', reference!.replace('/etc/fix/', ''));
      mkdirSync(dirname(place), { recursive: true });
      writeFileSync(place, 'x\n', { mode: 0o600 });
    }
  }
}

test.each(CORPUS)('$shape', async ({ text, imported, checked }) => {
  const folder = configurationFolder({ 'gateway.yaml': GATEWAY });
  rmSync(join(folder.path, 'sessions', 'OMS.yaml'));
  const { found, code, said } = await importInto(folder.path, text);
  expect(found).toEqual(imported);
  expect(code).toBe(imported.some((each) => !each.endsWith(' warning')) ? 1 : 0);
  expect(said).not.toContain('hunter2');
  if (said.includes('"sessions": []')) return;
  complete(folder);
  const { config, problems } = folder.load();
  const told = problems
    .filter(({ file }) => file !== 'sessions/gateway.yaml')
    .map(({ key, problem }) => `${key}: ${problem}`);
  expect(told).toEqual(checked);
  if (config !== null) expect(await checkDictionaries(config)).toMatchObject({ problems: [] });
});

test('every session of the corpus that the check takes runs in one gateway', async () => {
  const gathered = configurationFolder({ 'gateway.yaml': GATEWAY });
  rmSync(join(gathered.path, 'sessions', 'OMS.yaml'));
  const good = CORPUS.filter(
    ({ imported, checked }) => checked.length === 0 && imported.every((each) => each.endsWith(' warning')),
  );
  expect(good.length).toBeGreaterThan(15);
  for (const { text } of good) await importInto(gathered.path, text);
  complete(gathered);
  const sessions = join(gathered.path, 'sessions');
  const names = readdirSync(sessions).filter((name) => name !== 'gateway.yaml');
  const files = Object.fromEntries(names.map((name) => [name, readFileSync(join(sessions, name), 'utf8')]));
  expect(gathered.load().problems).toEqual([]);
  const secrets = (path: string): void =>
    cpSync(join(gathered.path, 'state'), join(path, 'state'), { recursive: true });
  const gateway = await runningGateway(files, {}, secrets);
  const { body } = await gateway.ask('/api/sessions');
  const shown = (body.sessions as { name: string }[]).map(({ name }) => name);
  expect(shown).toEqual(
    expect.arrayContaining(names.map((name) => name.replace('.yaml', '')).filter((name) => name !== 'TEMPLATE')),
  );
});
