// Stopping trading by hand, as processes of their own against a running gateway and its simulated exchange: the kill switch
// (rule O12), cancel-all without a gateway (rule C4), comparing with the exchange on request.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { Tag } from '../../src/wire/mod.ts';
import { ACCOUNT, runningGateway } from './running-gateway.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

function crossgate(...args: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(process.execPath, ['src/cli/main.ts', ...args], { cwd: ROOT }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });
}

const order = (id: string): string =>
  `35=D|11=${id}|1=${ACCOUNT}|55=BTCUSDC|54=1|38=0.01|40=2|44=50000|59=1|60=20260105-12:00:00.000`;

test('O12 the kill switch over the command line and the admin API: cancels, blocks, takes two to lift, is audited', {
  timeout: 60_000,
}, async () => {
  const gateway = await runningGateway();
  const state = ['--state', gateway.stateDirectory];
  const fix = await gateway.logOn();
  fix.send(order('k-1'));
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0');
  expect((await crossgate('kill-switch', 'status', ...state)).out).toBe('No kill switch is on.\n');
  const thrown = await crossgate('kill-switch', 'throw', '--session', 'OMS', '--why', 'runaway model', ...state);
  expect([thrown.code, thrown.err]).toEqual([0, '']);
  const cancelled = await fix.expect('Canceled', (view) => view.string(Tag.ExecType) === '4');
  expect(cancelled.string(Tag.Text)).toBe('Cancelled by the kill switch of operations');
  fix.send(order('k-2'));
  const refused = await fix.expect('Rejected', (view) => view.string(Tag.ExecType) === '8');
  expect(refused.string(Tag.Text)).toContain('runaway model');
  const status = await crossgate('kill-switch', 'status', '--json', ...state);
  expect(status.code).toBe(1);
  expect(JSON.parse(status.out)).toMatchObject({ killSwitches: [{ scope: 'session', openOrders: 0 }] });

  const overview = await gateway.ask('/api/overview');
  expect(overview.body).toMatchObject({ killSwitches: [{ scope: 'session', why: 'runaway model' }] });
  const lift = { scope: 'session', name: 'OMS', why: 'fixed' };
  expect((await gateway.ask('/api/kill-switches/lift', lift)).body).toMatchObject({ done: true });
  expect((await gateway.ask('/api/kill-switches/lift', lift)).status).toBe(409);
  const second = await crossgate('kill-switch', 'lift', '--session', 'OMS', '--why', 'agreed', ...state);
  expect([second.code, second.out]).toEqual([0, 'Lifted: orders are taken again.\n']);
  fix.send(order('k-3'));
  await fix.expect('New again', (view) => view.string(Tag.ExecType) === '0' && view.string(Tag.ClOrdID) === 'k-3');
  expect(gateway.logged.filter((line) => line.includes('audit: kill switch'))).toHaveLength(4);
  expect((await gateway.ask('/api/kill-switches/throw', { scope: 'account', name: '9', why: 'x' })).status).toBe(404);
  expect((await gateway.ask('/api/reconcile', {})).body).toMatchObject({ done: true });
});

test('C4 cancel-all works from the credential alone, and refuses while the gateway runs', {
  timeout: 60_000,
}, async () => {
  const gateway = await runningGateway();
  const fix = await gateway.logOn();
  fix.send(order('k-1'));
  await fix.expect('New', (view) => view.string(Tag.ExecType) === '0');
  const { path } = gateway.folder;
  // The command resolves the state folder from where it is called.
  const run = (...args: readonly string[]): Promise<{ code: number; out: string; err: string }> =>
    new Promise((resolve) => {
      const main = join(ROOT, 'src/cli/main.ts');
      const all = [main, 'cancel-all', '--account', ACCOUNT, '--url', gateway.engine.simulator!.url, ...args];
      execFile(process.execPath, all, { cwd: path }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  const running = await run();
  expect(running.code).toBe(2);
  expect(running.err).toContain('kill-switch throw --account');
  // The simulated exchange of this very gateway stands in for one that has no gateway any more.
  const done = await run('--force', '--json');
  expect([done.err, done.code]).toEqual(['', 0]);
  expect(JSON.parse(done.out)).toMatchObject({ outcome: 'accepted', openBefore: 1, openAfter: 0 });
  const report = await fix.expect('Canceled', (view) => view.string(Tag.ExecType) === '4');
  expect(report.string(Tag.ExecRestatementReason)).toBe('8');
});
