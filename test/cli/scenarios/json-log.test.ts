// With --log json the gateway writes one stream: each line is a JSON object, those at the start too.

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { GatewayHome } from '../../support/processes/gateway-process.ts';
import { LineProcess } from '../../support/processes/line-process.ts';
import { START_FLAGS } from '../../support/processes/start-flags.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

test('writes every line as JSON from start to stop with --log json', async () => {
  const home = await GatewayHome.create();
  onTestFinished(() => home.remove());
  const ports = ['FIX', 'FIX_TLS', 'ADMIN', 'BRIDGE', 'SIMULATOR'].map((name) => [`CROSSGATE_${name}_PORT`, '0']);
  const env = { ...Object.fromEntries(ports), CROSSGATE_SESSIONS: home.sessions, CROSSGATE_STATE: home.state };
  const gateway = new LineProcess(process.execPath, [...START_FLAGS, MAIN, 'start', '--log', 'json'], { env });
  onTestFinished(async () => void (await gateway.kill('SIGKILL')));
  await gateway.line(/Ctrl-C logs every session out/);
  expect(await gateway.kill('SIGTERM')).toBe(0);
  const texts = gateway.lines.map((line) => (JSON.parse(line) as { text: string }).text);
  expect(texts).toContain('Crossgate is ready for orders.');
  expect(texts.filter((text) => /^FIX: 127\.0\.0\.1:\d+$/.test(text))).toHaveLength(1);
});
