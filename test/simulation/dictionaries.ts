// The dictionaries that every message of a simulated day has to agree with, in both directions: those of the standard, with
// nothing of the exchange's own in them (rule D1).

import { readFileSync } from 'node:fs';
import { loadDictionary, Validator } from '../../src/dictionary/mod.ts';

function load(file: string): Validator {
  const url = new URL(`../../dictionaries/${file}`, import.meta.url);
  return new Validator(loadDictionary(readFileSync(url, 'utf8'), file));
}

const VALIDATORS: Readonly<Record<string, Validator>> = {
  'FIX.4.2': load('FIX42.xml'),
  'FIX.4.4': load('FIX44.xml'),
};

export function validatorOf(beginString: string): Validator {
  return VALIDATORS[beginString]!;
}
