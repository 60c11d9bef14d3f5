// `crossgate status` and `--watch` against a running gateway, as processes of their own.

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { Tag } from '../../../src/wire/mod.ts';
import { ACCOUNT, runningGateway } from '../../ops/running-gateway.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const start = (...args: string[]): LineProcess => new LineProcess(process.execPath, ['src/cli/main.ts', ...args]);

async function run(...args: string[]): Promise<{ code: number | string; text: string }> {
  const command = start(...args);
  return { code: await command.ended(), text: command.lines.join('\n') };
}

test('status shows sessions, exchange, journal and alarms of a gateway on one screen', {}, async () => {
  const gateway = await runningGateway();
  const state = ['--state', gateway.stateDirectory];
  const fix = await gateway.logOn();
  fix.send(`35=D|11=k-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0');
  const { code, text } = await run('status', ...state);
  expect(code).toBe(0);
  expect(text).toMatch(/^gateway +ready for orders$/m);
  expect(text).toMatch(/^exchange +a simulated exchange: primary up$/m);
  expect(text).toMatch(/^journal +healthy, (all written|\d+ bytes not written yet)$/m);
  expect(text).toMatch(/^open orders +0 pending, 1 new, 0 partially filled$/m);
  expect(text).toMatch(/^kill switches +none is on$/m);
  expect(text).toMatch(/^1 of 1 sessions are logged on$/m);
  expect(text).toMatch(/^OMS +loggedOn +\d+ +\d+ +1 +0$/m);
  expect(text).toMatch(/^No alarm is open\.$/m);
  expect(text.split('\n').length).toBeLessThan(24);

  gateway.engine.administration.alarm('reconciliation-difference', 'one order too many');
  await gateway.ask('/api/kill-switches/throw', { scope: 'session', name: 'OMS', why: 'a drill' });
  const after = await run('status', ...state);
  expect(after.text).toMatch(/^kill switches +session FIX\.4\.4:GATE->OMS \(a drill\)$/m);
  expect(after.text).toMatch(/^reconciliation-difference +\w+ +1 +[\d:]{8} +one order too many$/m);
  const json = JSON.parse((await run('status', '--json', ...state)).text) as Record<string, unknown>;
  expect(json).toMatchObject({ health: { ready: true }, journal: { healthy: true }, alarms: [{}, {}] });
});

test('--watch shows a list again and again until Ctrl-C, and waits for a gateway that is gone', {}, async () => {
  const gateway = await runningGateway();
  const state = ['--state', gateway.stateDirectory];
  const table = start('sessions', 'list', '--watch', '1', ...state);
  const json = start('orders', 'find', '--open', '--json', '--watch', '1', ...state);
  await table.line(/^OMS +disconnected/);
  await json.line(/^\{"orders":\[\],"more":false\}$/);
  const fix = await gateway.logOn();
  await table.line(/^OMS +loggedOn/);
  await table.line(/^every 1 s, \d\d:\d\d:\d\d UTC$/);
  fix.send(`35=D|11=k-1|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`);
  await json.line(/"clOrdID":"k-1"/);
  // As a gateway that stops does.
  rmSync(join(gateway.stateDirectory, 'admin.json'));
  await table.line(/^no gateway is running/);
  await json.line(/^\{"error":/);
  expect(await Promise.all([table.kill('SIGINT'), json.kill('SIGINT')])).toEqual([0, 0]);

  const late = await run('alarms', 'list', '--watch', 'often', ...state);
  expect([late.code, late.text]).toEqual([2, expect.stringContaining('--watch')]);
});
