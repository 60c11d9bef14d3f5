// The built-in suites against our gateway with its embedded exchange and short auctions: every case passes.

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayHome, type GatewayProcess } from '../../support/processes/gateway-process.ts';
import { LineProcess } from '../../support/processes/line-process.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

let home: GatewayHome;
let gateway: GatewayProcess;

beforeAll(async () => {
  home = await GatewayHome.create();
  await home.writePasswords('correct horse battery staple');
  await home.configure('gateway.yaml', {
    'simulator.auctions': { coolingMs: 500, accumulationMs: 700, lockdownMs: 500 },
  });
  gateway = await home.start(null);
});
afterAll(async () => {
  await home.remove();
});

/** The last lines of a run of the command. */
async function conform(...args: string[]): Promise<{ failed: string[]; summary: string; code: number | string }> {
  const command = new LineProcess(process.execPath, [
    ...[MAIN, 'conform', '--target', `127.0.0.1:${gateway.fixPort}`],
    ...['--sender-comp-id', 'ACME_OMS', '--target-comp-id', 'EXCHANGE_TEST'],
    ...['--password', `file:${home.secrets}/ACME_OMS.password`, ...args],
  ]);
  const code = await command.ended();
  const failed = command.lines.filter((line) => line.startsWith('✗'));
  return { failed, summary: command.lines.at(-1) ?? '', code };
}

test('the gateway passes the suite orders', async () => {
  expect(await conform('--suite', 'orders')).toEqual({
    failed: [],
    summary: '21 cases: 21 passed, 0 failed',
    code: 0,
  });
});

test('the gateway passes the suite auctions', async () => {
  expect(await conform('--suite', 'auctions')).toEqual({
    failed: [],
    summary: '7 cases: 7 passed, 0 failed',
    code: 0,
  });
});
