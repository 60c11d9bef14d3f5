// Holds what a gateway sends against dictionaries: those of this repository and the stock ones of jspurefix.

import { readFileSync } from 'node:fs';
import { DEFAULT_SWITCHES, type Dictionary, loadDictionary, Validator } from '../../src/dictionary/mod.ts';
import { fromPrintable, viewOf } from '../../src/wire/mod.ts';

/** Folder of the stock dictionaries. */
export const STOCK = 'node_modules/jspurefix/data';

/** A dictionary by its path in the repository. */
export function load(path: string): Dictionary {
  return loadDictionary(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'), path);
}

/** What checks messages of a version with a dictionary of its own. */
export function plain(path: string): Validator {
  return new Validator(load(path), DEFAULT_SWITCHES);
}

/** What checks messages of FIXT.1.1 with this dictionary of an application version. */
export function overFixt(path: string): Validator {
  return new Validator({ transport: load('dictionaries/FIXT11.xml'), applications: [load(path)] }, DEFAULT_SWITCHES);
}

/** What is wrong with a message of the gateway, as text without a header, or null. */
export function faultIn(text: string, beginString: string, validator: Validator, msgSeqNum = 1): string | null {
  const [msgType, ...rest] = text.split('|').filter((part) => part !== '');
  const isHeader = (part: string): boolean => /^(57|128)=/.test(part);
  const head = [msgType, '49=XG', '56=OMS', `34=${msgSeqNum}`, '52=20260105-12:00:00.000', ...rest.filter(isHeader)];
  const body = rest.filter((part) => !isHeader(part));
  const view = viewOf(fromPrintable(`${[...head, ...body].join('|')}|`, beginString));
  return view === null ? 'not a frame' : (validator.validate(view)?.text ?? null);
}
