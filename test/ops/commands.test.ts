// The commands that operations uses, as processes of their own against a running gateway: tables, JSON, exit codes.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { ACCOUNT, runningGateway, sessionFile } from './running-gateway.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Run the command line; never rejects. */
function crossgate(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['src/cli/main.ts', ...args], { cwd: ROOT }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

test('sessions and orders are shown as tables and as JSON, and steered', { timeout: 60_000 }, async () => {
  const gateway = await runningGateway();
  const state = ['--state', gateway.stateDirectory];
  const fix = await gateway.logOn();
  fix.send(`35=D|11=k-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0');

  const table = (await crossgate('sessions', 'list', ...state)).out.trimEnd().split('\n');
  expect(table).toHaveLength(2);
  expect(table[1]).toMatch(/^OMS {3,}loggedOn .* FIX\.4\.4:GATE->OMS$/);
  expect(table[1]!.indexOf('loggedOn')).toBe(table[0]!.indexOf('STATE'));
  const json = JSON.parse((await crossgate('sessions', 'list', '--json', ...state)).out) as { sessions: unknown[] };
  expect(json.sessions).toMatchObject([{ name: 'OMS', openOrders: 1 }]);

  const one = await crossgate('orders', 'find', '--cl-ord-id', 'k-1', ...state);
  expect([one.code, one.err]).toEqual([0, '']);
  expect(one.out).toMatch(/report New \(150=0\)/);
  expect(await crossgate('orders', 'find', '--status', 'filled', ...state)).toMatchObject({
    code: 1,
    out: 'No order matches.\n',
  });
  const unknown = await crossgate('sessions', 'logout', 'NOBODY', ...state);
  expect([unknown.code, unknown.out]).toEqual([1, '']);
  expect(unknown.err).toContain('[XG_ADMIN_REFUSED]');
  gateway.folder.write('sessions/OMS.yaml', sessionFile('OMS', 'much'));
  const refused = await crossgate('config', 'apply', ...state);
  expect([refused.code, refused.out]).toEqual([1, '']);
  expect(refused.err).toMatch(/OMS\.yaml:6:\d+ {2}limits\.orderQtyMax = much/);
});

test('wrong usage is told from a refusal by its exit code', async () => {
  const { code, err } = await crossgate('sessions', 'reset', 'OMS');
  expect([code, err]).toEqual([2, expect.stringContaining('--why')]);
  expect((await crossgate('sessions', '--help')).code).toBe(0);
});

test('a command for a gateway that does not run says so', async () => {
  const { code, err } = await crossgate('sessions', 'list', '--state', '/nonexistent');
  expect(code).toBe(1);
  expect(err).toContain('no gateway is running');
  expect(err).toContain('[XG_ADMIN_UNREACHABLE]');
});
