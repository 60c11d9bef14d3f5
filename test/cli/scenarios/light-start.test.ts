// Tests that commands do not load the parts of a running gateway. A look at a session, and a program that uses the FIX
// engine alone, would else wait for two web servers, an HTTP client and a database driver.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../../..');
const OF_THE_COMPILER = 'typebox';
const OF_A_GATEWAY = ['@fastify/websocket', 'fastify', 'pg', 'prom-client', 'undici', 'ws'];

/** Parts for reading a configuration, or for an own log. */
const OF_A_CONFIGURATION = ['ajv', 'pino', 'yaml'];

const LIGHT = [
  'src/mod.ts',
  ...['admin/orders', 'admin/sessions', 'admin/kill-switch', 'journal/store', 'log/log', 'log/decode'].map(
    (name) => `src/cli/${name}.ts`,
  ),
];
const HEAVY: ReadonlySet<string> = new Set([...OF_A_GATEWAY, ...OF_A_CONFIGURATION]);

/** Packages that had been read when each of the files was read in turn. */
async function packagesWith(files: readonly string[]): Promise<Record<string, string[]>> {
  const program = `
    import { registerHooks } from 'node:module';
    const packages = new Set();
    registerHooks({
      resolve(name, context, next) {
        const resolved = next(name, context);
        const found = /\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(resolved.url);
        if (found !== null) packages.add(found[1]);
        return resolved;
      },
    });
    const read = {};
    for (const file of ${JSON.stringify(files)}) {
      await import(${JSON.stringify(`${root}/`)} + file);
      read[file] = [...packages];
    }
    console.log(JSON.stringify(read));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  return JSON.parse(stdout) as Record<string, string[]>;
}

test('the library and the commands that look read no package that only a running gateway needs', async () => {
  const read = await packagesWith([...LIGHT, 'src/runtime/gateway-engine.ts', 'src/ops/whole-ops.ts']);
  for (const file of LIGHT) {
    expect(read[file], file).toContain('luxon');
    expect(
      read[file]?.filter((name) => name === OF_THE_COMPILER || HEAVY.has(name)),
      file,
    ).toEqual([]);
  }
  // The measure measures: a gateway reads them.
  expect(read['src/runtime/gateway-engine.ts']).toContain('undici');
  expect(read['src/ops/whole-ops.ts']).toEqual(expect.arrayContaining(OF_A_CONFIGURATION));
});

test('a gateway reads nothing for the types of its schemas, which only the compiler looks at', async () => {
  const read = await packagesWith([
    'src/cli/gateway/start.ts',
    'src/ops/whole-ops.ts',
    'src/bridge/mod.ts',
    'src/simulator/mod.ts',
  ]);
  expect(read['src/simulator/mod.ts']).toContain('fastify');
  expect(read['src/simulator/mod.ts']).not.toContain(OF_THE_COMPILER);
});
