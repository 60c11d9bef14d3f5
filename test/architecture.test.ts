// docs/ARCHITECTURE.md agrees with the house: its table of rooms with the import rules that `npm run check` applies, its
// shelves and the files on the two ways with the folders of src.

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const page = readFileSync(join(root, 'docs/ARCHITECTURE.md'), 'utf8');
const rows = (section: string): string[][] =>
  page
    .split(/^## /m)
    .find((part) => part.startsWith(section))!
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

interface Rule {
  readonly name: string;
  readonly comment?: string;
}
const { forbidden }: { forbidden: Rule[] } = createRequire(import.meta.url)('../.dependency-cruiser.cjs');
const rules = new Map(
  forbidden
    .filter(({ name }) => name.endsWith('-imports'))
    .map(({ name, comment }) => [name.replace('-imports', ''), comment!.replace(/^.*: /, '').replace('nothing', '')]),
);

test('the table of rooms names the imports that the check permits', () => {
  const above: string[] = [];
  for (const [cell, , imports] of rows('The house')) {
    const room = cell!.replaceAll('`', '');
    if (imports !== 'anything') {
      const named = imports === 'all above' ? above : imports!.replace('–', '').replace(' (types)', '').split(', ');
      expect([room, [...named].filter(Boolean).sort()]).toEqual([
        room,
        rules.get(room)!.split(', ').filter(Boolean).sort(),
      ]);
    }
    if (!['engine', 'runtime'].includes(room)) above.push(room);
    else if (room === 'engine') above.push(room);
  }
  expect(rows('The house')).toHaveLength(rules.size + 1);
});

test('every shelf of src has its line, and every line its shelf', () => {
  const shelves = readdirSync(join(root, 'src')).flatMap((room) =>
    statSync(join(root, 'src', room)).isDirectory()
      ? readdirSync(join(root, 'src', room), { withFileTypes: true })
          .filter((entry) => entry.isDirectory())
          .map((entry) => `${room}/${entry.name}`)
      : [],
  );
  const named = rows('The shelves').flatMap(([cell]) => cell!.replaceAll('`', '').split(', '));
  expect(named.toSorted()).toEqual(shelves.toSorted());
});

test('the ways of an order and of a report name files that exist', () => {
  const ways = page.split(/^## /m).filter((part) => part.startsWith('The way of'));
  const files = ways.flatMap((part) => [...part.matchAll(/`([\w/-]+\.ts)`/g)].map(([, file]) => file!));
  expect(files.length).toBeGreaterThan(10);
  expect(files.filter((file) => !existsSync(join(root, 'src', file)))).toEqual([]);
});

test('no folder of src but store/postgres holds more than 24 files', () => {
  const crowded = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(root, 'src', path)).isDirectory() && path !== join('store', 'postgres'))
    .filter(
      (path) => readdirSync(join(root, 'src', path), { withFileTypes: true }).filter((e) => e.isFile()).length > 24,
    );
  expect(crowded).toEqual([]);
});
