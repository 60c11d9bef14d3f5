// Permissions of each user of the admin API on any route: a watcher stops nothing. And the shared token, which names no
// person: it can be switched off.

import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { LineProcess } from '../../support/processes/line-process.ts';
import { configurationFolder, inShort } from '../configuration-folder.ts';
import { GATEWAY, type RunningGateway, runningGateway, sessionFile } from '../running-gateway.ts';

const token = (name: string): string => `${name}-has-a-token-that-nobody-else-has`;
const NAMES = {
  ann: '[operate]',
  stopper: '[kill]',
  nobody: '[]',
  looker: '[look]',
  prometheus: '[metrics]',
} as const;
const ENVIRONMENT = Object.fromEntries(Object.keys(NAMES).map((name) => [name.toUpperCase(), token(name)]));

function usersWith(roles: Readonly<Record<string, string>>): string {
  const users = Object.entries(roles).map(
    ([name, of]) => `    - { name: ${name}, token: "env:${name.toUpperCase()}", roles: ${of} }\n`,
  );
  return GATEWAY.replace('admin: { port: 0 }\n', `admin:\n  port: 0\n  users:\n${users.join('')}`);
}

/** The answers to each of them, by name. */
async function answers(gateway: RunningGateway, path: string, body?: unknown): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const name of Object.keys(NAMES)) {
    const response = await fetch(new URL(path, gateway.url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token(name)}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await response.text();
    found[name] = response.status;
  }
  return found;
}

test('a user throws a kill switch by the role kill, only looks by look, and sees nothing without a role', async () => {
  const gateway = await runningGateway({ 'gateway.yaml': usersWith(NAMES) }, ENVIRONMENT);
  const everything = { ann: 200, stopper: 200, nobody: 403, looker: 200, prometheus: 200 };
  expect(await answers(gateway, '/metrics')).toEqual(everything);
  const headers = { authorization: `Bearer ${token('prometheus')}` };
  expect((await fetch(new URL('/metrics', gateway.url), { method: 'HEAD', headers })).status).toBe(200);
  expect(await answers(gateway, '/api/overview')).toEqual({ ...everything, prometheus: 403 });
  expect(await answers(gateway, '/api/sessions/OMS/messages')).toEqual({ ...everything, prometheus: 403 });
  const why = { why: 'drill' };
  const none = { ann: 200, stopper: 403, nobody: 403, looker: 403, prometheus: 403 };
  const unseen = await gateway.ask('/api/overview', undefined, token('nobody'));
  expect(unseen.body.detail).toContain('Your token has no role and may see and do nothing');
  expect(await answers(gateway, '/api/reconcile', {})).toEqual(none);
  const all = { scope: 'all', name: '', ...why };
  const stopped = await gateway.ask('/api/kill-switches/throw', all, token('looker'));
  expect(stopped).toMatchObject({ status: 403, body: { detail: 'Your token may look only: its role is `look`.' } });
  const scraped = await gateway.ask('/api/kill-switches/throw', all, token('prometheus'));
  expect(scraped.body.detail).toBe('Your token may read /metrics only: its role is `metrics`.');
  expect((await gateway.ask('/api/kill-switches')).body).toEqual({ killSwitches: [] });
  expect(await answers(gateway, '/api/kill-switches/throw', all)).toEqual({ ...none, stopper: 200 });
  expect(await answers(gateway, '/api/kill-switches/lift', all)).toEqual({ ...none, ann: 403 });
});

test('a role that stands alone stands alone: beside others it would be read either way', () => {
  const problemsWith = (roles: string): string[] => {
    const folder = configurationFolder({ 'gateway.yaml': usersWith({ ann: roles }), 'OMS.yaml': sessionFile('OMS') });
    return inShort(folder.load({ environment: ENVIRONMENT })).map((text) => text.replace(/^\S+ /, ''));
  };
  expect(problemsWith('[look, operate]')).toEqual([
    'admin.users[0].roles: `look` stands alone: it takes everything else away',
  ]);
  expect(problemsWith('[lift, metrics]')).toEqual([
    'admin.users[0].roles: `metrics` stands alone: it takes everything else away',
  ]);
  expect(problemsWith('[look]')).toEqual([]);
});

const SHARED = 'a-shared-token-of-the-time-before-it-was-off';
const withoutShared = (text: string): string => text.replace('admin:\n', 'admin:\n  sharedToken: false\n');

test('a disabled shared token is refused, and commands ask for a personal one', {}, async () => {
  const files = { 'gateway.yaml': withoutShared(usersWith({ ann: '[operate]' })) };
  const gateway = await runningGateway(files, ENVIRONMENT, (path) => {
    mkdirSync(join(path, 'state', 'secrets'), { recursive: true });
    writeFileSync(join(path, 'state', 'secrets', 'admin.token'), SHARED, { mode: 0o600 });
  });
  const refused = await gateway.ask('/api/overview', undefined, SHARED);
  expect(refused).toMatchObject({ status: 401, body: { detail: expect.stringContaining('Send a token of your own') } });
  const run = async (more: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const args = ['src/cli/main.ts', 'sessions', 'list', '--state', gateway.stateDirectory, ...more];
    const cwd = join(import.meta.dirname, '../../..');
    const command = new LineProcess(process.execPath, args, { cwd, env: environment });
    return { code: await command.ended(), text: command.lines.join('\n') };
  };
  expect(await run([])).toEqual({
    code: 1,
    text: expect.stringContaining(
      'takes no shared token (admin.sharedToken): name the file of your own with --token-file',
    ),
  });
  const file = join(gateway.stateDirectory, 'ann.token');
  writeFileSync(file, token('ann'), { mode: 0o600 });
  for (const { code, text } of [await run(['--token-file', file]), await run([], { CROSSGATE_TOKEN_FILE: file })])
    expect([code, text]).toEqual([0, expect.stringContaining('OMS')]);
  // Nor is it taken when the configuration is read again.
  expect((await gateway.ask('/api/configuration/apply', {}, token('ann'))).body).toMatchObject({ renewed: [] });
  expect((await gateway.ask('/api/overview', undefined, SHARED)).status).toBe(401);
});

test('an unusable shared token is a problem, before a start would end at it', () => {
  const problemsWith = (text: string, shared: string): string[] => {
    const folder = configurationFolder({ 'gateway.yaml': text, 'OMS.yaml': sessionFile('OMS') });
    folder.write('state/secrets/admin.token', shared);
    return inShort(folder.load()).map((each) => each.replace(/\/\S+\//, ''));
  };
  const told = (why: string) => [
    expect.stringMatching(new RegExp(`^sessions/gateway.yaml:\\d+ admin.sharedToken: .*${why}`)),
  ];
  expect(problemsWith(GATEWAY, 'chosen-by-a-person\n')).toEqual(
    told('admin.token holds no admin token, which has 32 to 256 printable characters$'),
  );
  expect(problemsWith(GATEWAY, '')).toEqual(told('it is empty$'));
  expect(problemsWith(GATEWAY, SHARED)).toEqual([]);
  expect(problemsWith(GATEWAY.replace('admin: { port: 0 }', 'admin: { enabled: false }'), 'of before')).toEqual([]);
});

test('check warns of the shared token beside personal operators, and requires one without it', () => {
  const checked = (text: string) => {
    const folder = configurationFolder({ 'gateway.yaml': text, 'OMS.yaml': sessionFile('OMS') });
    folder.write('state/secrets/admin.token', token('ann'));
    const loaded = folder.load({ environment: ENVIRONMENT });
    const warned = loaded.warnings.filter(({ key }) => key === 'admin.sharedToken').map(({ problem }) => problem);
    return [warned, loaded.problems.map(({ key, problem }) => `${key}: ${problem}`)];
  };
  const still = expect.stringContaining('the shared token is still accepted');
  expect(checked(usersWith({ looker: '[look]' }))).toEqual([[], []]);
  expect(checked(GATEWAY)).toEqual([[], []]);
  expect(checked(usersWith({ nobody: '[operate]' }))).toEqual([[still], []]);
  // An unused token may become a user's.
  expect(checked(withoutShared(usersWith({ ann: '[operate]' })))).toEqual([[], []]);
  for (const roles of [{ looker: '[look]' }, {}]) {
    const none = withoutShared(usersWith(roles)).replace(/users:\n(?! )/, 'users: []\n');
    expect(checked(none)).toEqual([
      [],
      ['admin.sharedToken: without the shared token no one could operate: no user has the role `operate`'],
    ]);
  }
});

test('a request under a name that is none of the admin API is refused with 421, but for health', async () => {
  const text = GATEWAY.replace('admin: { port: 0 }', 'admin: { port: 0, hosts: ["ops.example.com"] }');
  const gateway = await runningGateway({ 'gateway.yaml': text });
  const statusAt = (host: string, path: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { host, authorization: `Bearer ${gateway.token}` };
      const sent = request(new URL(path, gateway.url), { headers }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      });
      sent.on('error', reject).end();
    });
  expect(await statusAt('attacker.example', '/api/overview')).toBe(421);
  expect(await statusAt('attacker.example', '/')).toBe(421);
  expect(await statusAt('attacker.example', '/metrics')).toBe(421);
  expect(await statusAt('attacker.example', '/healthz')).toBe(200);
  for (const host of ['ops.example.com:8470', 'localhost', '[::1]:8470', '10.0.0.1']) {
    expect([host, await statusAt(host, '/api/overview')]).toEqual([host, 200]);
  }
});
