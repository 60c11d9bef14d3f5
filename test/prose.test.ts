// The prose check of `npm run check` (.ci/prose.mjs) finds planted offences.

import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const script = join(import.meta.dirname, '../.ci/prose.mjs');

function check(path: string, text: string): { status: number | null; said: string } {
  const folder = mkdtempSync(join(tmpdir(), 'crossgate-prose-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), text);
  const { status, stderr } = spawnSync(process.execPath, [script, path], { cwd: folder, encoding: 'utf8' });
  return { status, said: stderr };
}

const LONG = `The gateway ${'rejects the order and '.repeat(9)}stops.`;

test.each([
  ['a sentence above 35 words', 'src/a.ts', `// ${LONG}\nexport const a = 1;\n`, '39 words in a sentence'],
  ['an opening with what', 'src/a.ts', '/** What is refused is logged. */\nexport const a = 1;\n', 'opens with “What”'],
  ['an idiom word', 'src/a.ts', '// The caller is told once.\nexport const a = 1;\n', '“told”'],
  ['a title above 100 characters', 'test/a.test.ts', `test('${'rejects '.repeat(13)}', () => {});\n`, '104 characters'],
  ['a page with an idiom word', 'docs/a.md', '# A\n\nThe gateway tells the counterparty.\n', '“tells”'],
])('finds %s', (_, path, text, fault) => {
  const { status, said } = check(path, text);
  expect(said).toContain(fault);
  expect(status).toBe(1);
});

test('passes plain sentences, code in comments and strings of the program', () => {
  const text = "// The gateway rejects the order. See `whoever` in the log.\nexport const a = 'nobody is told what';\n";
  expect(check('src/a.ts', text)).toEqual({ status: 0, said: '' });
});
