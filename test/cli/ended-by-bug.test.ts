// What an error that nobody caught leaves behind: a line in the log, an exit code, and a journal that the next start takes over.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { GatewayHome } from '../support/gateway-process.ts';

const BUG = `process.once('SIGUSR2', () => { throw new Error('a bug beside 554=correct horse'); });`;
let home: GatewayHome;

beforeAll(async () => {
  home = await GatewayHome.create();
});
afterAll(async () => await home?.remove());

test('a bug is told in the log, without secrets, and ends the process with 70; the next start takes over', async () => {
  const preload = `--import data:text/javascript,${encodeURIComponent(BUG)}`;
  const gateway = await home.start(null, { NODE_OPTIONS: preload });
  process.kill(gateway.process.pid, 'SIGUSR2');
  expect(await gateway.process.ended()).toBe(70);
  const told = JSON.parse(gateway.process.lines.find((line) => line.includes('a bug in crossgate')) ?? '{}');
  expect(told).toMatchObject({ level: 'error', stack: expect.stringContaining('Error: a bug beside 554=') });
  expect(gateway.process.lines.join('\n')).not.toContain('correct horse');
  const again = await home.start(null);
  expect(again.process.lines.join('\n')).not.toContain('damaged');
  await again.interrupt();
});
