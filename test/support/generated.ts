// The files of this project that are made from dictionaries/: `node test/support/generated.ts` writes them, and
// test/dictionary/generated.test.ts says when they are stale.

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { renderConstants } from '../../src/dictionary/constants.ts';
import type { Dictionary } from '../../src/dictionary/definition.ts';
import { loadDictionary } from '../../src/dictionary/quickfix-xml.ts';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** A dictionary of dictionaries/, by its file name. */
export function dictionary(fileName: string): Dictionary {
  return loadDictionary(readFileSync(join(root, 'dictionaries', fileName), 'utf8'), fileName);
}

/** Every generated file: absolute path → text as it should be. */
export function generatedFiles(): Map<string, string> {
  const names = ['FIX44.xml', 'FIX42.xml', 'FIXT11.xml', 'FIX50SP2.xml'];
  const dictionaries = names.filter((name) => existsSync(join(root, 'dictionaries', name))).map(dictionary);
  return new Map([...renderConstants(dictionaries)].map(([name, text]) => [join(root, 'src/wire', name), text]));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of generatedFiles()) writeFileSync(path, text);
}
