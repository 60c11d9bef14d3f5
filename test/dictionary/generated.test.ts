import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles, leftPages } from '../support/generated.ts';

const root = join(import.meta.dirname, '../..');

for (const [path, text] of await generatedFiles()) {
  test(`${path} agrees with the code that it is made from (else: npm run docs:reference)`, () => {
    const file = join(root, path);
    expect(existsSync(file) ? readFileSync(file, 'utf8') : null).toBe(text);
  });
}

test('no generated page is left of a command or setting that is gone (else: npm run docs:reference)', async () => {
  expect(await leftPages()).toEqual([]);
});
