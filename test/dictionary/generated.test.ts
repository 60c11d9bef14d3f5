import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles } from '../support/generated.ts';

for (const [path, text] of generatedFiles()) {
  test(`${basename(path)} agrees with dictionaries and tables (else: node test/support/generated.ts)`, () => {
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
}
