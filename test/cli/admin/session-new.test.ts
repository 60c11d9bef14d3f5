// `crossgate sessions new`: a session that `crossgate check` accepts, or nothing.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { LineProcess } from '../../support/processes/line-process.ts';
import { describeWith, tool } from '../../support/requirement.ts';

const ROOT = join(import.meta.dirname, '../../..');
const MAIN = join(ROOT, 'src/cli/main.ts');
const LIMITS = ['--order-qty-max', '10', '--notional-max', '500000.50'];
const ACCOUNT = ['--account', '111000000000001'];
let folder = '';
let sessions = '';
let state = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crossgate-new-'));
  [sessions, state] = [join(folder, 'sessions'), join(folder, 'state')];
  await cp(join(ROOT, 'sessions'), sessions, { recursive: true });
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const variables = (): Record<string, string> => ({ CROSSGATE_SESSIONS: sessions, CROSSGATE_STATE: state });
const run = (...args: string[]): LineProcess =>
  new LineProcess(process.execPath, [MAIN, 'sessions', 'new', ...args], { env: variables() });
const written = (name: string): unknown => parse(readFileSync(join(sessions, `${name}.yaml`), 'utf8'));

test('writes a session with its password, amounts exact', async () => {
  const command = run('NORTH_OMS', ...ACCOUNT, ...LIMITS, '--fix', 'FIX.4.2');
  expect(await command.ended(), command.lines.join('\n')).toBe(0);
  expect(written('NORTH_OMS')).toEqual({
    targetCompID: 'NORTH_OMS',
    beginString: 'FIX.4.2',
    dialect: 'standard',
    password: 'file:secrets/NORTH_OMS.password',
    accounts: [{ account: '111000000000001' }],
    limits: { orderQtyMax: '10', notionalMax: '500000.50', openOrdersMax: 50, priceBandPercent: '20' },
  });
  const password = readFileSync(join(state, 'secrets', 'NORTH_OMS.password.handover'), 'utf8').trim();
  expect(command.lines.join('\n')).not.toContain(password);
});

test('binds a session to a listener and to the certificate of its client', async () => {
  const options = ['--listener', 'tls', '--certificate', 'NORTH'];
  const gateway = join(sessions, 'gateway.yaml');
  const text = readFileSync(gateway, 'utf8');
  writeFileSync(gateway, text.replace(/( +)selfSigned: true\n/, '$&$1clientAuthority: file:secrets/client-ca.pem\n'));
  const command = run('NORTH_OMS', ...ACCOUNT, ...LIMITS, ...options);
  await command.ended();
  expect(written('NORTH_OMS'), command.lines.join('\n')).toMatchObject({
    listeners: ['tls'],
    logon: { certificate: { commonName: 'NORTH' } },
  });
});

test('writes nothing that the gateway would refuse, and says why', async () => {
  const command = run('NORTH_OMS', ...ACCOUNT, ...LIMITS, '--fix', 'FIX.9.9');
  expect(await command.ended()).not.toBe(0);
  expect(command.lines.join('\n')).toMatch(/beginString/);
  expect(existsSync(join(sessions, 'NORTH_OMS.yaml'))).toBe(false);
});

test('replaces no session that is there', async () => {
  const before = readFileSync(join(sessions, 'ACME_OMS.yaml'), 'utf8');
  expect(await run('ACME_OMS', ...ACCOUNT, ...LIMITS).ended()).not.toBe(0);
  expect(readFileSync(join(sessions, 'ACME_OMS.yaml'), 'utf8')).toBe(before);
  expect(existsSync(join(state, 'secrets'))).toBe(false);
});

describeWith(await tool('script', ['--version'], 'script (util-linux)'), 'at a terminal', () => {
  test('asks for what no option gave, and takes what is in brackets on Enter', async () => {
    const words = [process.execPath, MAIN, 'sessions', 'new', 'COPY', ...ACCOUNT];
    const asked = new LineProcess('script', ['-qec', words.join(' '), '/dev/null'], { env: variables() });
    for (const answer of ['THEIR_COPY', 'dropCopy', '', '']) asked.say(answer);
    await asked.line(/COPY\.yaml {2}the session/);
    expect(written('COPY')).toMatchObject({ targetCompID: 'THEIR_COPY', kind: 'dropCopy', beginString: 'FIX.4.4' });
  });
});
