// The commands at a gateway of another version, which answers less than they look for, or what they cannot know.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../../store/journal-place.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const ROOT = join(import.meta.dirname, '../../..');
const OWN = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version;
const SESSIONS = [{ name: 'OMS', sessionId: 'FIX.4.4:GATE->OMS', status: { state: 'loggedOn' } }];
/** The gateway's stated version; null: too old to state one. */
let version: string | null = null;
let status = 200;
const answers: Record<string, unknown> = { '/api/sessions': { sessions: SESSIONS } };
const server = createServer((request, response) => {
  response.statusCode = status;
  response.setHeader('content-type', 'application/json');
  if (version !== null) response.setHeader('x-crossgate-version', version);
  response.end(JSON.stringify(answers[request.url ?? ''] ?? {}));
});
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => void server.close());
beforeEach(() => {
  version = null;
  status = 200;
});

/** Exit code and all lines of a command at that gateway. */
async function run(command: string): Promise<[code: number | string, text: string]> {
  const state = temporaryDirectory();
  mkdirSync(join(state, 'secrets'));
  writeFileSync(join(state, 'secrets', 'admin.token'), 'x'.repeat(43), { mode: 0o600 });
  const { port } = server.address() as AddressInfo;
  writeFileSync(join(state, 'admin.json'), JSON.stringify({ url: `http://127.0.0.1:${port}` }));
  const args = ['src/cli/main.ts', ...command.split(' '), '--state', state];
  const child = new LineProcess(process.execPath, args, { cwd: ROOT });
  const code = await child.ended();
  return [code, child.lines.join('\n')];
}

const COMMANDS = [
  'sessions list',
  'sessions show OMS',
  'sessions logout OMS --why drill',
  'sessions reset OMS --why drill',
  'sessions open --why drill',
  'orders find',
  'orders reconcile',
  'orders resolve --session OMS --cl-ord-id a --why drill',
  'kill-switch status',
  'kill-switch throw --all --why drill',
  'config apply',
];

test.each(COMMANDS)('%s says that the answer is not understood, not that the command is broken', async (command) => {
  const [code, text] = await run(command);
  // Exit code 1 says that a switch is on.
  expect(code).toBe(command === 'kill-switch status' ? 3 : 1);
  expect(text).not.toContain('undefined');
  expect(text).toMatch(/answer is not understood .* of another version.*\[XG_ADMIN_REFUSED\]$/);
});

test.each(['sessions list', 'sessions logout OMS --why drill'])('%s names both versions then', async (command) => {
  version = '9.9.9';
  const [code, text] = await run(command);
  expect(code).toBe(1);
  expect(text).toContain(`the gateway is of version 9.9.9, this command of ${OWN}`);
});

test('an answer of the same version that is not understood is a bug', async () => {
  version = OWN;
  const [code, text] = await run('sessions logout OMS --why drill');
  expect(code).toBe(1);
  expect(text).toMatch(/answer is not understood .*: this is a bug.*\[XG_ADMIN_REFUSED\]$/);
});

test('a refusal by a gateway of another version says that the function may be missing', async () => {
  version = '9.9.9';
  status = 404;
  answers['/api/reconcile'] = { detail: 'There is nothing at this address.' };
  const [code, text] = await run('orders reconcile');
  expect(code).toBe(1);
  expect(text).toContain('There is nothing at this address.');
  expect(text).toContain(`the gateway is of version 9.9.9, this command of ${OWN}`);
});

test('a gateway that does not know the token says nothing of its version, and nothing is made of that', async () => {
  status = 401;
  answers['/api/kill-switches'] = { detail: 'Send the admin token.' };
  expect(await run('kill-switch status')).toEqual([3, 'crossgate: Send the admin token. [XG_ADMIN_REFUSED]']);
});

test('a command notes beside its output that the gateway is of another version', async () => {
  answers['/api/kill-switches'] = { killSwitches: [] };
  version = '9.9.9';
  const [code, text] = await run('kill-switch status');
  expect([code, text.split('\n').sort()]).toEqual([
    0,
    ['No kill switch is on.', expect.stringContaining(`the gateway is of version 9.9.9, this command of ${OWN}`)],
  ]);
  version = OWN;
  expect(await run('kill-switch status')).toEqual([0, 'No kill switch is on.']);
});

test("the gateway's text has no terminal control", async () => {
  version = OWN;
  answers['/api/reconcile'] = { done: true, text: 'done \u001b[31m\u009b1m\u202e now\nand then' };
  expect(await run('orders reconcile')).toEqual([0, 'done ?[31m?1m? now\nand then']);
  status = 409;
  answers['/api/reconcile'] = { detail: 'no \u001b[31m now' };
  expect(await run('orders reconcile')).toEqual([1, 'crossgate: no ?[31m now [XG_ADMIN_REFUSED]']);
});
