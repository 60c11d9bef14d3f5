// A gateway that connects to a counterparty with a changing password: read when needed, and never recorded.

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type FixEngine, startAcceptor } from '../../src/mod.ts';
import { GatewayHome } from '../support/processes/gateway-process.ts';

const FIRST = 'first secret';
const SECOND = 'the second secret, which is longer';

/** A hub with one session; resolves when it is logged on. */
async function hub(port: number, password: string): Promise<{ engine: FixEngine; up: Promise<void> }> {
  const up = Promise.withResolvers<void>();
  const engine = await startAcceptor({
    port,
    sessions: [{ senderCompID: 'ACME_OMS', targetCompID: 'EXCHANGE_TEST', password, resetOnLogonAllowed: true }],
    limits: { failedLogonsPerMinute: 1000 },
    application: { onMessage: () => {}, onLogon: () => up.resolve() },
  });
  return { engine, up: up.promise };
}

test("a counterparty's new password counts for the next Logon; the journal replays it masked", async () => {
  const home = await GatewayHome.create();
  const first = await hub(0, FIRST);
  const { port } = first.engine;
  try {
    await home.writePasswords(FIRST);
    await home.configure('ACME_OMS.yaml', {
      role: 'initiator',
      resetOn: ['logon'],
      connect: { addresses: [`127.0.0.1:${port}`], reconnectFirstMs: 100, reconnectLargestMs: 100 },
    });
    const gateway = await home.start(null);
    await first.up;
    await first.engine.close();
    await home.writePasswords(SECOND);
    const second = await hub(port, SECOND);
    try {
      await second.up;
    } finally {
      await second.engine.close();
    }
    expect(await gateway.interrupt()).toBe(0);
    const args = ['src/cli/main.ts', 'replay', '--pure', '--state', home.state];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(stdout).toMatch(/^identical: /);
  } finally {
    await first.engine.close();
    await home.remove();
  }
});
