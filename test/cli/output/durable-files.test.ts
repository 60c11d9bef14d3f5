// Files that others rely on: whole or absent, with concurrent writers, and without leftovers of a killed process.

import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { writeDurably } from '../../../src/cli/output/durable-files.ts';
import { temporaryDirectory } from '../../store/journal-place.ts';

test('two that write the same files at once both come to their end, and each file is that of one of them', async () => {
  const folder = temporaryDirectory();
  const paths = ['day-orders.csv', 'day-trades.csv'].map((name) => join(folder, name));
  async function* text(of: string): AsyncGenerator<string> {
    for (let line = 0; line < 50; line++) {
      await setImmediate();
      yield `${of}\n`;
    }
  }
  const write = (of: string): Promise<void> => writeDurably(paths.map((path) => [path, text(of)] as const));
  await Promise.all([write('first'), write('second')]);
  expect(readdirSync(folder).sort()).toEqual(['day-orders.csv', 'day-trades.csv']);
  for (const path of paths) expect(['first\n'.repeat(50), 'second\n'.repeat(50)]).toContain(readFileSync(path, 'utf8'));
});

test("removes a killed process's leftovers of a file with the next one, but not another's draft", async () => {
  const folder = temporaryDirectory();
  const [old, older, recent, other] = [
    'day.csv.0123456789ab.draft',
    'day.csv.draft',
    'day.csv.ba9876543210.draft',
    'b.draft',
  ];
  for (const name of [old, older, recent, other]) writeFileSync(join(folder, name), 'a part');
  const before = Date.now() / 1000 - 2 * 86_400;
  for (const name of [old, older, other]) utimesSync(join(folder, name), before, before);
  await writeDurably([[join(folder, 'day.csv'), 'whole']]);
  expect(readdirSync(folder).sort()).toEqual([other, 'day.csv', recent]);
});
