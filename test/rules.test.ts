// The rulebook and the tests agree: every rule that is not planned has a test with its number at the begin of the
// title, and no test or comment names a missing rule.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');

function texts(folder: string, ending: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending))
    .map((name) => readFileSync(join(root, folder, name), 'utf8'));
}

const rules = new Map(
  [...readFileSync(join(root, 'dictionaries/RULES.md'), 'utf8').matchAll(/^\| ([A-Z]\d{1,2}) \| (.+) \|$/gm)].map(
    ([, number, text]) => [number!, text!] as const,
  ),
);
const titled = new Set(
  texts('test', '.test.ts').flatMap((text) =>
    [
      ...text.matchAll(
        /\b(?:test|it|describe)[\w.]*(?:\([^()]*\))?\(\s*['"`]((?:[OTUCSJDXBR]\d{1,2}(?:, | and )?)+)\b/g,
      ),
    ].flatMap(([, numbers]) => numbers!.match(/[A-Z]\d{1,2}/g)!),
  ),
);

test('every rule that is not planned has a test that carries its number', () => {
  expect(rules.size).toBeGreaterThan(60);
  const untested = [...rules].filter(([number, text]) => !titled.has(number) && !text.endsWith('*planned*'));
  expect(untested.map(([number]) => number)).toEqual([]);
});

test('no test carries the number of a rule that the book does not have', () => {
  expect([...titled].filter((number) => !rules.has(number))).toEqual([]);
});

test('comments in the sources name rules that the book has', () => {
  const named = texts('src', '.ts').flatMap((text) => text.match(/(?<=\brules? )[OTUCSJDXBR]\d{1,2}\b/g) ?? []);
  expect([...new Set(named)].filter((number) => !rules.has(number))).toEqual([]);
});
