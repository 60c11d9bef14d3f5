// The commands in the shell blocks of the task pages run against a real gateway, or say here why they do not.

import { globSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reconnect, report } from '../support/network/fix-connection.ts';
import { ACME, limitOrder } from '../support/processes/exchange-house.ts';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const TOKEN = 'a-token-of-one-person-0001';

/** Only these begin a line that runs here: others change the machine, or need a service manager, a container engine or a token. */
const RUNS = /^(?:crossgate |openssl (?:req|x509) |rm \.crossgate\/|mkdir -p reports$)/;
/** Commands that do not run here, and why. */
const ELSEWHERE: readonly (readonly [line: RegExp, reason: string])[] = [
  [/--state (?:\/|postgres:)/, 'names a backup or a database of the operator'],
  [/^crossgate store import/, 'runs below, with the store that was exported'],
  [/^crossgate proposals confirm/, 'test/ops/scenarios proposes and confirms'],
  [/^crossgate alarms (?:acknowledge|unsilence)/, 'needs an alarm: test/ops/scenarios/alarms.test.ts'],
  [/^crossgate exchange check/, 'test/e2e/newcomer.test.ts runs it'],
  [/^crossgate replay .*--target/, 'test/e2e/replay-demo.test.ts replays a day with all its waits'],
  [/^crossgate cluster /, 'needs several nodes: test/cluster/nodes'],
  [/--partition /, 'needs several partitions: test/cluster/view'],
  [/^crossgate conform /, 'test/cli/conform plays suites, and test/scenario the cases of the page'],
];
/** Commands that want the gateway stopped. */
const STOPPED = /^crossgate (?:store export|cancel-all)/;
/** Lines that answer with another exit code than 0 here, and with these words. */
const ANSWERS: readonly (readonly [line: RegExp, code: number, words: RegExp])[] = [
  [/^crossgate kill-switch status/, 1, /NORTH_OMS/],
  [/^crossgate log --diff/, 1, /only in/],
  [/^crossgate sessions logout/, 1, /not connected/],
  [/^crossgate sessions open/, 1, /keeps (?:sessions|this session) from logging on/],
  // The session of these pages is there already: test/cli/admin makes new ones.
  [/^crossgate sessions (?:new|secret) NORTH_OMS$/, 2, /is there already/],
  // The kill switch of an earlier page cancelled them.
  [/^crossgate orders find --open/, 1, /No order matches/],
];

interface Line {
  readonly page: string;
  readonly line: string;
}

/** The same command with the same options runs once. */
const shapeOf = (line: string): string =>
  line.replace(/"[^"]*"|'[^']*'/g, '').replace(/(?<= )(?!-)[^ ]*[A-Z0-9._/][^ ]*/g, '…');

function linesOfPages(): Line[] {
  const pages = globSync('docs/{start,operate}/**/*.md', { cwd: ROOT }).sort();
  const lines = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```/gm)]
      .flatMap(([, block]) => block!.replaceAll('\\\n', ' ').split('\n'))
      .filter((line) => line !== '')
      .map((line) => ({ page, line: line.replace(/npm run (?:--silent )?crossgate --/, 'crossgate') })),
  );
  const seen = new Set<string>();
  return lines.filter(({ line }) => !seen.has(shapeOf(line)) && seen.add(shapeOf(line)));
}

const lines = linesOfPages();
const here = lines.filter(({ line }) => RUNS.test(line) && !ELSEWHERE.some(([what]) => what.test(line)));

let home: GatewayHome;
let gateway: GatewayProcess;
let folder: string;

beforeAll(async () => {
  home = await GatewayHome.create();
  const people = ['anna', 'ben', 'risk', 'prometheus'];
  for (const [i, name] of people.entries())
    await writeFile(join(home.secrets, `${name}.token`), `${TOKEN}${i}`, { mode: 0o600 });
  const users = people.map((name) => ({ name, token: `file:secrets/${name}.token` }));
  await home.configure('gateway.yaml', { admin: { users } });
  await cp(join(home.sessions, 'ACME_OMS.yaml'), join(home.sessions, 'NORTH_OMS.yaml'));
  await home.configure('NORTH_OMS.yaml', { targetCompID: 'NORTH_OMS', password: 'file:secrets/NORTH_OMS.password' });
  gateway = await home.start(null);
  const { connection } = await reconnect(gateway.fixPort, ACME, { password: await home.password() });
  for (const id of ['A-1001', 'first-1']) {
    connection.send(limitOrder(id, '0.01', '50000'));
    await connection.expect(`New of ${id}`, report(id, '0'));
  }
  connection.destroy();
  folder = await mkdtemp(join(tmpdir(), 'crossgate-pages-'));
  await mkdir(join(folder, 'bin'));
  const program = `#!/bin/sh\nexec ${process.execPath} ${join(ROOT, 'src/cli/main.ts')} "$@"\n`;
  await writeFile(join(folder, 'bin/crossgate'), program, { mode: 0o755 });
  await symlink(home.state, join(folder, '.crossgate'));
  await symlink(home.sessions, join(folder, 'sessions'));
  await symlink(join(ROOT, 'dictionaries'), join(folder, 'dictionaries'));
  await symlink(join(home.secrets, 'anna.token'), join(folder, 'anna.token'));
  await symlink(join(home.secrets, 'ben.token'), join(folder, 'ben.token'));
  // The gateway makes sample passwords in clear; an operator's has a hash, which --replace keeps.
  await rm(join(home.secrets, 'NORTH_OMS.password'));
  await run('crossgate sessions secret NORTH_OMS');
  const log = await run('crossgate log --raw');
  for (const name of ['messages.txt', 'oms.txt', 'gateway.txt']) await writeFile(join(folder, name), log.output);
  await writeFile(join(folder, 'gateway.txt'), log.output.split('\n').slice(0, -2).join('\n'));
  const settings =
    '[DEFAULT]\nConnectionType=acceptor\nSenderCompID=EXCHANGE_TEST\n[SESSION]\nBeginString=FIX.4.4\nTargetCompID=SOUTH_OMS\n';
  await writeFile(join(folder, 'qf.cfg'), settings);
});
afterAll(async () => {
  await home?.remove();
  if (folder !== undefined) await rm(folder, { recursive: true });
});

async function run(line: string): Promise<{ code: number | string; output: string }> {
  const env = {
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
    CROSSGATE_STATE: home.state,
    CROSSGATE_SESSIONS: home.sessions,
  };
  const child = new LineProcess('sh', ['-c', line], { cwd: folder, env });
  return { code: await child.ended(), output: child.lines.join('\n') };
}

async function expectAnswer(line: string): Promise<void> {
  const [, code, words] = ANSWERS.find(([what]) => what.test(line)) ?? [line, 0, /^/];
  const answer = await run(line);
  expect(answer.code, answer.output).toBe(code);
  expect(answer.output).toMatch(words);
}

describe('while the gateway runs', () => {
  test.each(here.filter(({ line }) => !STOPPED.test(line)))(
    '$page: $line',
    async ({ line }) => await expectAnswer(line),
  );
});

describe('while it is stopped', () => {
  beforeAll(async () => {
    expect(await gateway.interrupt()).toBe(0);
    await mkdir(join(folder, 'export'), { recursive: true });
  });

  test.each(here.filter(({ line }) => STOPPED.test(line) && !line.includes('cancel-all')))(
    '$page: $line',
    async ({ line }) => await expectAnswer(line),
  );
});

test('a store that was exported comes in again', async () => {
  const [exported] = globSync('export/*.seqnums', { cwd: folder });
  expect(exported).toBeDefined();
  const prefix = exported!.replace(/\.seqnums$/, '');
  const line = `crossgate store import ${prefix} --session 'FIX.4.4:EXCHANGE_TEST->ACME_OMS' --replace --why "again"`;
  const { code, output } = await run(line);
  expect(code, output).toBe(0);
  expect(await readFile(join(folder, exported!), 'utf8')).toMatch(/\d+ : \d+/);
});

test('each reason is about a line of a page', () => {
  expect(here.length).toBeGreaterThan(35);
  expect(ELSEWHERE.filter(([what]) => !lines.some(({ line }) => what.test(line))).map(([, reason]) => reason)).toEqual(
    [],
  );
});
