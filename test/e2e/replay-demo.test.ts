// The demonstration recorded at one gateway and replayed at another of the same configuration: nothing differs, whichever
// phase the auction is in when the replay begins.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayHome, type GatewayProcess } from '../support/processes/gateway-process.ts';
import { LineProcess } from '../support/processes/line-process.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const homes: GatewayHome[] = [];

/** A gateway with a state of its own and short auctions. */
async function gatewayIn(): Promise<{ home: GatewayHome; gateway: GatewayProcess; passwordFile: string }> {
  const home = await GatewayHome.create();
  homes.push(home);
  await home.configure('gateway.yaml', {
    'simulator.auctions': { coolingMs: 1_500, accumulationMs: 3_000, lockdownMs: 1_000 },
  });
  return { home, gateway: await home.start(null), passwordFile: join(home.secrets, 'ACME_OMS.password') };
}

function crossgate(...args: string[]): LineProcess {
  return new LineProcess(process.execPath, ['src/cli/main.ts', ...args], { cwd: ROOT });
}

let log = '';
let target: string[] = [];
beforeAll(async () => {
  const first = await gatewayIn();
  const where = ['--port', String(first.gateway.fixPort), '--exchange', first.gateway.exchangeUrl];
  expect(await crossgate('demo', ...where, '--password-file', first.passwordFile).ended()).toBe(0);
  expect(await first.gateway.interrupt()).toBe(0);
  const exported = crossgate('log', first.home.state, '--raw', '--session', 'ACME_OMS');
  expect(await exported.ended()).toBe(0);
  log = join(first.home.folder, 'demo.log');
  await writeFile(log, exported.lines.join('\n'));
  const second = await gatewayIn();
  target = ['--target', `127.0.0.1:${second.gateway.fixPort}`, '--password', `file:${second.passwordFile}`];
});
afterAll(async () => {
  for (const home of homes) await home.remove();
});

test.each([1, 2])(
  'the demo replays without a difference by default settings, run %i',
  async () => {
    const replay = crossgate('replay', log, ...target);
    const code = await replay.ended();
    expect([code, ...replay.lines]).toEqual([
      0,
      expect.stringMatching(
        /^6 requests sent as \S+: 6 answered as in the log, 0 differently(; \d+ messages came .*)?$/,
      ),
    ]);
  },
  60_000,
);
