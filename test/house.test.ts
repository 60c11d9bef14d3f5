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
  });
});

describe('pure rooms', () => {
  const files = ['base', 'wire', 'dictionary', 'session', 'scenario', 'exchange', 'gateway'].flatMap((room) =>
    sources(`src/${room}`),
  );
  // Sources of non-determinism.
  const impure =
    /\b(?:new Date|Date\.now|Date\.UTC|Math\.random|setTimeout|setInterval|setImmediate|queueMicrotask|process\.|console\.|fetch\(|new Promise|async )/;

  test.each(files)('%s takes time and answers as inputs', (file) => {
    const code = readFileSync(join(root, file), 'utf8')
      .split('\n')
      .filter((line) => !/^\s*(?:\/\/|\*|\/\*)/.test(line));
    expect(code.filter((line) => impure.test(line))).toEqual([]);
  });
});

test('every source file states its responsibility at its head', () => {
  const headless = sources('src').filter((file) => {
    const text = readFileSync(join(root, file), 'utf8').replace(/^#!.*\n/, '');
    return !/^(?:\/\/|\/\*)/.test(text);
  });
  expect(headless).toEqual([]);
});

describe('the dependencies', () => {
  const { dependencies, optionalDependencies, devDependencies, allowScripts } = JSON.parse(
    readFileSync(join(root, 'package.json'), 'utf8'),
  );

  test('are all in the page of dependencies, each with its reason, and nothing else is', () => {
    const section = readFileSync(join(root, 'docs/contribute/dependencies.md'), 'utf8').split('## Scripts')[0]!;
    const rows = [...section.matchAll(/^\| (?:\*development:\* )?(`.*?) \| .+ \|$/gm)].map(([, names]) => names!);
    const named = rows.flatMap((names) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
    const all = Object.keys({ ...dependencies, ...optionalDependencies, ...devDependencies });
    const untyped = all.filter((name) => !name.startsWith('@types/'));
    expect(named.filter((name) => name !== '@types/…').sort()).toEqual(untyped.sort());
  });

  test('with an install script are each allowed or denied by name: npm from 12 on runs no other', () => {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
    const scripted = Object.keys(packages).filter((path) => packages[path].hasInstallScript === true);
    const names = new Set(
      scripted.map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
    );
    expect(Object.keys(allowScripts).sort()).toEqual([...names].sort());
    expect(allowScripts.node).toBe(true);
  });
});

test('the test files that are to run first are there', () => {
  expect(LONGEST.filter((name) => !existsSync(join(root, `test/${name}.test.ts`)))).toEqual([]);
});

test('shared test files register no hook on import, because files share a process', () => {
  const shared = sources('test').filter((file) => !file.endsWith('.test.ts'));
  const hooked = shared.filter((file) =>
    /^(?:before|after)(?:Each|All)\(/m.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(hooked).toEqual([]);
});

test('the files that may have longer functions or more parameters exist, and their lists only shrink', () => {
  const {
    overrides,
  }: { overrides: { includes: string[]; linter: { rules: { complexity?: Record<string, unknown> } } }[] } = JSON.parse(
    readFileSync(join(root, 'biome.json'), 'utf8'),
  );
  const exempt = (rule: string): string[] =>
    overrides.filter(({ linter }) => linter.rules.complexity?.[rule] === 'off').flatMap(({ includes }) => includes);
  for (const rule of ['useMaxParams', 'noExcessiveLinesPerFunction']) {
    expect(exempt(rule).length, rule).toBeLessThanOrEqual(8);
    expect(exempt(rule).filter((file) => !existsSync(join(root, file)))).toEqual([]);
  }
});
