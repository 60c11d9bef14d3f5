// How much the compiler joins is set for the whole process: told here in processes of their own.

import { mkdtemp, readdir, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LineProcess } from '../support/line-process.ts';

const LIBRARY = join(import.meta.dirname, '../../src/mod.ts');
/** V8's own figure for the flags that it works with. */
const PROGRAM = `
  import { cachedDataVersionTag } from 'node:v8';
  import { startAcceptor } from ${JSON.stringify(LIBRARY)};
  const before = cachedDataVersionTag();
  const sessions = [{ senderCompID: 'SERVER', targetCompID: 'CLIENT' }];
  const engine = await startAcceptor({ port: 0, sessions, application: { onMessage() {} } });
  console.log(before === cachedDataVersionTag() ? 'flags as before' : 'flags set');
  await engine.close();
`;

/** What it says of the flags once its engine has started. */
async function started(args: readonly string[], env: Record<string, string> = {}): Promise<string> {
  const child = new LineProcess(process.execPath, [...args, '--input-type=module', '--eval', PROGRAM], { env });
  const line = await child.line(/^flags/);
  expect(await child.ended()).toBe(0);
  return line;
}

test('an engine that has started has V8 join more of the path of a message, unless somebody set how much', async () => {
  expect(await started([])).toBe('flags set');
  expect(await started(['--max-inlined-bytecode-size-cumulative=920'])).toBe('flags as before');
  expect(await started(['--max_inlined_bytecode_size_cumulative=4000'])).toBe('flags as before');
});

test('what Node keeps of compiled files stays good for the next start: none is compiled and written again', async () => {
  const env = { NODE_COMPILE_CACHE: await mkdtemp(join(tmpdir(), 'crossgate-inlining-')) };
  const written = async (): Promise<string[]> => {
    const files = await readdir(env.NODE_COMPILE_CACHE, { recursive: true, withFileTypes: true });
    const of = async (path: string): Promise<string> => `${path} ${(await stat(path)).mtimeMs}`;
    return await Promise.all(files.filter((file) => file.isFile()).map((file) => of(join(file.parentPath, file.name))));
  };
  await started([], env);
  const first = await written();
  expect(first.length).toBeGreaterThan(100);
  await started([], env);
  expect((await written()).toSorted()).toEqual(first.toSorted());
});
