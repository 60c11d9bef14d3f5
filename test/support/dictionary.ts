// The dictionaries of dictionaries/, by their file names.

import { readFileSync } from 'node:fs';
import type { Dictionary } from '../../src/dictionary/definition.ts';
import { loadDictionary } from '../../src/dictionary/quickfix-xml.ts';

/** A dictionary of dictionaries/, by its file name. */
export function dictionary(fileName: string): Dictionary {
  return loadDictionary(readFileSync(new URL(`../../dictionaries/${fileName}`, import.meta.url), 'utf8'), fileName);
}
