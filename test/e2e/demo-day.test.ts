// The demonstration's own day, with a kill -9 of gateway and exchange in its middle: run again from the journal alone.

import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
let home: GatewayHome;

beforeAll(async () => {
  home = await GatewayHome.create();
  await home.configure('gateway.yaml', {
    'simulator.auctions': { coolingMs: 1_000, accumulationMs: 3_000, lockdownMs: 1_000 },
  });
});
afterAll(async () => await home.remove());

function crossgate(...args: string[]): LineProcess {
  return new LineProcess(process.execPath, ['src/cli/main.ts', ...args], { cwd: ROOT });
}

function demo(gateway: GatewayProcess): LineProcess {
  const where = ['--port', String(gateway.fixPort), '--exchange', gateway.exchangeUrl];
  return crossgate('demo', ...where, '--password-file', join(home.secrets, 'ACME_OMS.password'));
}

test("the demo's day comes out identical to the byte, kill -9 included", async () => {
  let gateway = await home.start(null);
  const cutOff = demo(gateway);
  await cutOff.line(/OrdStatus=1\(|ExecType=F\(/);
  await gateway.kill();
  await cutOff.kill();
  gateway = await home.start(null);
  expect(await demo(gateway).ended()).toBe(0);
  expect(await gateway.interrupt()).toBe(0);

  const replay = crossgate('replay', '--pure', '--state', home.state);
  const end = await replay.ended();
  expect(replay.lines).toEqual([
    expect.stringMatching(/^identical: \d+ messages out, \d+ in, \d+ order records; .* 2 starts$/),
  ]);
  expect(end).toBe(0);
  const log = crossgate('log', home.state, '--chain');
  expect(await log.ended()).toBe(0);
  expect(log.lines.filter((line) => line.startsWith('Order ')).length).toBeGreaterThan(5);
}, 180_000);
