// The house itself: the import table is really checked against the sources, and the rules of the pure rooms hold.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractDepcruiseOptions from 'dependency-cruiser/config-utl/extract-depcruise-options';
import { describe, expect, test } from 'vitest';
import { LONGEST } from './support/longest-first.ts';

const root = join(import.meta.dirname, '..');

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `${folder}/${name}`)
    .sort();
}

describe('the import table', () => {
  test('reads every source file, and finds their imports', async () => {
    const options = await extractDepcruiseOptions(join(root, '.dependency-cruiser.cjs'));
    const result = (await cruise(['src'], { ...options, baseDir: root })).output as ICruiseResult;
    const cruised = result.modules.map((module) => module.source).filter((source) => /^src\/.*\.ts$/.test(source));
    expect(cruised.sort()).toEqual(sources('src'));
    expect(result.summary.totalDependenciesCruised).toBeGreaterThan(cruised.length);
    expect(result.summary.violations).toEqual([]);
  }, 60_000);
});

describe('pure rooms', () => {
  const files = ['base', 'wire', 'dictionary', 'session', 'exchange', 'gateway'].flatMap((room) =>
    sources(`src/${room}`),
  );
  // What would make the same input give another answer tomorrow.
  const impure =
    /\b(?:new Date|Date\.now|Date\.UTC|Math\.random|setTimeout|setInterval|setImmediate|queueMicrotask|process\.|console\.|fetch\(|new Promise|async )/;

  test.each(files)('%s takes time and answers as inputs', (file) => {
    const code = readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line));
    expect(code.filter((line) => impure.test(line))).toEqual([]);
  });
});

test('every source file says at its head what it is responsible for', () => {
  const headless = sources('src').filter((file) => {
    const text = readFileSync(join(root, file), 'utf8').replace(/^#!.*\n/, '');
    return !/^(?:\/\/|\/\*)/.test(text);
  });
  expect(headless).toEqual([]);
});

test('the test files that are to run first are there', () => {
  expect(LONGEST.filter((name) => !existsSync(join(root, `test/${name}.test.ts`)))).toEqual([]);
});
