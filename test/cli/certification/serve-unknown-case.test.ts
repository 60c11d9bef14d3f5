// A typing error in a vendor's continuous integration ends the run at once.

import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { LineProcess } from '../../support/line-process.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));

test('certification serve ends with 1 for a case that does not exist', async () => {
  const serve = new LineProcess(process.execPath, [
    MAIN,
    'certification',
    'serve',
    '--port',
    '0',
    '--case',
    'nonsense',
  ]);
  await serve.line(/there is no case nonsense.*XG_NOT_FOUND/, 30_000);
  expect(await serve.ended()).toBe(1);
});
