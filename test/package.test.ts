// Contents of the package and the image: the shipped samples and dictionaries, never an operator's own files beside
// them.

import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const STRAY = [
  'sessions/MY_OMS.yaml',
  'sessions/house.cfg',
  'dictionaries/HOUSE.xml',
  'dictionaries/FIX44.overlay.xml',
];

/** Files of a folder that the repository has. */
function shipped(folder: string): string[] {
  return execFileSync('git', ['ls-files', folder], { cwd: root, encoding: 'utf8' }).trim().split('\n').sort();
}

test('npm pack takes the shipped samples and dictionaries, and no file of an operator', () => {
  const copy = mkdtempSync(join(tmpdir(), 'crossgate-pack-'));
  for (const name of ['package.json', 'LICENSE', 'README.md', 'sessions', 'dictionaries', 'src/cli/crossgate.js']) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  for (const name of STRAY) writeFileSync(join(copy, name), 'own');
  const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: copy, encoding: 'utf8' }),
  ) as {
    files: { path: string }[];
  }[];
  const taken = packed!.files.map(({ path }) => path);
  for (const folder of ['sessions', 'dictionaries']) {
    expect(taken.filter((path) => path.startsWith(`${folder}/`)).sort()).toEqual(shipped(folder));
  }
});

test('the image is built from the same samples and dictionaries', () => {
  const kept = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n');
  expect(kept[0]).toBe('*');
  const named = kept.slice(1).map((line) => line.slice(1));
  const matches = (path: string): boolean =>
    named.some((one) =>
      one.includes('*') ? path.endsWith('.md') && path.startsWith(one.slice(0, -4)) : path.startsWith(one),
    );
  for (const path of [...shipped('sessions'), ...shipped('dictionaries')])
    expect([path, matches(path)]).toEqual([path, true]);
  for (const path of STRAY) expect([path, matches(path)]).toEqual([path, false]);
});
