// How far the heap grows is set for the whole process: told here in processes of their own.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import process from 'node:process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MODULE = join(import.meta.dirname, '../../src/engine/heap-growth.ts');
/** V8's own figure for the flags that it works with. */
const PROGRAM = `
  import { cachedDataVersionTag } from 'node:v8';
  import { letHeapGrow } from ${JSON.stringify(MODULE)};
  const flags = cachedDataVersionTag();
  letHeapGrow();
  console.log(flags === cachedDataVersionTag() ? 'as before' : 'set');
`;

/** Whether it was set, and what V8 complained of: of a flag that it does not know. */
async function started(args: readonly string[]): Promise<string> {
  const all = [...args, '--input-type=module', '--eval', PROGRAM];
  const { stdout, stderr } = await promisify(execFile)(process.execPath, all);
  return `${stdout}${stderr}`.trim();
}

test('a gateway lets its heap grow further between two collections of the whole, unless somebody set how far', async () => {
  expect(await started([])).toBe('set');
  expect(await started(['--heap-growing-percent=50'])).toBe('as before');
  expect(await started(['--heap_growing_percent=50'])).toBe('as before');
});
