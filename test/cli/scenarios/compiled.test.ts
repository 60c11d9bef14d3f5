// The compiled `crossgate` is kept from one command to the next.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const COMMAND = join(import.meta.dirname, '../../../src/cli/crossgate.js');

/** Sources that Node looked up among those that it translated before, and what came of each. */
async function lookedUp(): Promise<Map<string, string>> {
  const { NODE_COMPILE_CACHE: _, ...env } = process.env;
  const options = { env: { ...env, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' }, maxBuffer: 2 ** 26 };
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [COMMAND, 'sessions', '--help'], options);
  const lines = (stdout + stderr).matchAll(
    /retrieving transpile cache for StrippedTypeScript \S+\/(src\/\S+\.ts)\.\.\.(.*)/g,
  );
  return new Map([...lines].map(([, source = '', said = '']) => [source, said]));
}

test('compiles no source by a second command, because the compiler loads longer than it', async () => {
  await lookedUp();
  const sources = await lookedUp();
  expect([...sources.keys()]).toEqual(expect.arrayContaining(['src/cli/main.ts', 'src/cli/admin/sessions.ts']));
  expect(new Set(sources.values())).toEqual(new Set(['success']));
});
