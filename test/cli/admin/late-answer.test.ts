// A gateway that answers too late: its action is not reported as undone.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { expect, onTestFinished, test, vi } from 'vitest';
import { askGateway } from '../../../src/cli/admin/admin-client.ts';
import { addOrderCommands } from '../../../src/cli/admin/orders.ts';

/** The state folder of a gateway that never answers. */
async function silentGateway(): Promise<{ state: string; url: string }> {
  const server = createServer(() => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const state = await mkdtemp(join(tmpdir(), 'crossgate-late-'));
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await rm(state, { recursive: true });
  });
  await writeFile(join(state, 'admin.json'), JSON.stringify({ url }));
  await writeFile(join(state, 'token'), 'x'.repeat(43));
  return { state, url };
}

/** Time is over as soon as somebody waits; how long that would have been. */
function noTime(): number[] {
  const waited: number[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    waited.push(ms);
    return AbortSignal.abort(new DOMException('late', 'TimeoutError'));
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return waited;
}

test('a client that waited its time learns that the action may have been done', async () => {
  const { state, url } = await silentGateway();
  noTime();
  await expect(askGateway({ state, tokenFile: join(state, 'token') }, 'POST', '/api/x', {})).rejects.toThrow(
    `the gateway has not answered at ${url} within 30 s: the action may have been done, or may still be done`,
  );
});

test('O11 an adoption of several orders waits for all results', async () => {
  const { state } = await silentGateway();
  const waited = noTime();
  const program = new Command('crossgate').exitOverride();
  addOrderCommands(program);
  const words = ['orders', 'adopt', '--session', 'OMS', '--why', 'moved', '--state', state];
  const asked = program.parseAsync([...words, '--token-file', join(state, 'token')], { from: 'user' });
  await expect(asked).rejects.toThrow('within 180 s');
  expect(waited).toEqual([180_000]);
});
