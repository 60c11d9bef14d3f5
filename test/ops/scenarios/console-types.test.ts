// The console's modules pass the type checker, with what they take from the gateway.

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const CONSOLE = join(ROOT, 'src/ops/console');

test('the modules of the console pass the type checker', async () => {
  const tsc = [
    join(ROOT, 'node_modules/typescript-native/bin/tsc'),
    '-p',
    CONSOLE,
    '--noEmit',
    '--incremental',
    'false',
  ];
  const said = await new Promise<string>((resolve) => {
    execFile(process.execPath, [...tsc, '--listFiles'], (_error, stdout, stderr) => resolve(stdout + stderr));
  });
  const lines = said.split('\n').filter((line) => line !== '');
  const files = lines.filter((line) => line.startsWith('/'));
  expect(lines.filter((line) => !line.startsWith('/'))).toEqual([]);
  const checked = files.filter((file) => file.startsWith(CONSOLE));
  expect(checked.length).toBe(
    readdirSync(CONSOLE, { recursive: true }).filter((name) => String(name).endsWith('.js')).length,
  );
});
