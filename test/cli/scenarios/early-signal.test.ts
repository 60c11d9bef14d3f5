// Tests: a signal that comes while a start still reads its own program.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { expect, onTestFinished, test } from 'vitest';
import { GatewayHome } from '../../support/processes/gateway-process.ts';

const root = join(import.meta.dirname, '../../..');

/** Sends itself the signal when what only a gateway needs is about to be read. */
const stopper = (signal: string): string => `data:text/javascript,
  import { registerHooks } from 'node:module';
  registerHooks({
    resolve(name, context, next) {
      if (name.endsWith('/start.ts')) process.kill(process.pid, '${signal}');
      return next(name, context);
    },
  });`;

test('a start hears SIGTERM and Ctrl-C before it has loaded its parts', async () => {
  const home = await GatewayHome.create();
  onTestFinished(() => home.remove());
  const env = { ...process.env, CROSSGATE_SESSIONS: home.sessions, CROSSGATE_STATE: home.state };
  const ends = ['SIGTERM', 'SIGINT'].map(async (signal) => {
    const args = ['--import', stopper(signal), 'src/cli/main.ts', 'start'];
    const [code, by] = await once(spawn(process.execPath, args, { cwd: root, env, stdio: 'ignore' }), 'exit');
    return code ?? by;
  });
  expect(await Promise.all(ends)).toEqual([143, 130]);
});
