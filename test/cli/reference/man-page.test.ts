// The man page has every command, and groff formats it without a warning.

import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { flattened, tableOf } from '../../../src/cli/reference/command-table.ts';
import { manPage } from '../../../src/cli/reference/man-page.ts';
import { commandLine } from '../../support/documents/command-line.ts';
import { describeWith, tool } from '../../support/requirement.ts';

const program = tableOf(await commandLine());
const page = manPage(program);

test('no text of a command becomes a request of roff', () => {
  const odd = { ...program, children: [{ ...program.children[0]!, children: [], description: ".rm it's \\fI" }] };
  expect(manPage(odd)).toContain("\n\\&.rm it's \\efI.\n");
});

test('npm links the page of a global installation: only one in a list', () => {
  const { man } = JSON.parse(readFileSync(join(import.meta.dirname, '../../../package.json'), 'utf8')) as {
    man: unknown;
  };
  expect(man).toEqual(['./dist/crossgate.1']);
});

describeWith(await tool('groff', ['--version'], 'groff'), 'formatted by groff', () => {
  test('it has no warning, and shows every command with its options and an example', () => {
    const flags = ['-man', '-ww', '-Tascii', '-P-cbou', '-rLL=200n'];
    const { stdout: text, stderr } = spawnSync('groff', flags, { input: page, encoding: 'utf8' });
    expect(stderr).toBe('');
    for (const { words, children, options, examples } of flattened(program)) {
      if (children.length > 0) continue;
      expect(text).toContain(`crossgate ${words}`);
      for (const { long } of options) expect(text).toContain(long);
      expect(text).toContain(`crossgate ${examples[0]!.words}`);
    }
    expect(text).toMatch(/EXIT STATUS[\s\S]*70 +a bug of ours/);
  });
});
