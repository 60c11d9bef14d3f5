// A flag of V8 that was given when the process was started stays as it was given.

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { LineProcess } from '../support/line-process.ts';

const PROGRAM = `
  import { cachedDataVersionTag } from 'node:v8';
  import { setFlag } from ${JSON.stringify(join(import.meta.dirname, '../../src/engine/v8-flag.ts'))};
  const before = cachedDataVersionTag();
  setFlag('--no-flush-bytecode');
  setFlag('--invocation-count-for-maglev=100');
  console.log(before === cachedDataVersionTag() ? 'as before' : 'changed');
`;

test.each([
  { given: [], becomes: 'changed' },
  { given: ['--flush-bytecode'], becomes: 'changed' },
  { given: ['--flush_bytecode', '--invocation_count_for_maglev=7'], becomes: 'as before' },
  { given: ['--no-flush-bytecode', '--invocation-count-for-maglev=100'], becomes: 'as before' },
])('a flag is set unless it was given: with $given it is $becomes', async ({ given, becomes }) => {
  const child = new LineProcess(process.execPath, [...given, '--input-type=module', '--eval', PROGRAM]);
  expect(await child.line(/as before|changed/)).toBe(becomes);
});
