// `certification serve` ends at once where it cannot play, and names its scorecard by the OMS.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LineProcess } from '../../support/processes/line-process.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const serve = (...args: string[]): LineProcess =>
  new LineProcess(process.execPath, [MAIN, 'certification', 'serve', ...args]);

test('certification serve ends with 1 for a case that does not exist', async () => {
  const run = serve('--port', '0', '--case', 'nonsense');
  await run.line(/there is no case nonsense.*XG_NOT_FOUND/);
  expect(await run.ended()).toBe(1);
});

test('certification serve ends for a port that is in use', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as { port: number };
  const run = serve('--port', String(port));
  await run.line(/is in use|EADDRINUSE/);
  expect(await run.ended()).not.toBe(0);
  taken.close();
});

test('certification serve titles the scorecard with the CompID of the OMS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crossgate-serve-'));
  const page = join(folder, 'card.html');
  const run = serve('--port', '0', '--oms', 'MY_OMS', '--html', page, '--connect-within', '0');
  await run.line(/^Certification MY_OMS: FIX\.4\.4/);
  expect(await run.ended()).toBe(1);
  expect(await readFile(page, 'utf8')).toContain('<title>Certification of MY_OMS</title>');
  await rm(folder, { recursive: true, force: true });
});
