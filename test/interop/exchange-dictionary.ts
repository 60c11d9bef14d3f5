// The data dictionary that the exchange publishes for its own FIX, which is no part of this package: read from the file that
// EXCHANGE_DICTIONARY names, else from the folder beside this one.

import { existsSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import type { Requirement } from '../support/requirement.ts';

const path =
  process.env.EXCHANGE_DICTIONARY ??
  fileURLToPath(new URL('../../../shared/exchange/fix-dictionary.xml', import.meta.url));

/** Is the file there? */
export function exchangeDictionary(): Requirement {
  const missing = existsSync(path) ? null : `there is no ${path} (EXCHANGE_DICTIONARY names the file)`;
  return { missing, demandedBy: 'REQUIRE_EXCHANGE_DICTIONARY' };
}

/** The file with TimeInForce(59)=5, which is newer than it. */
export function exchangeDictionaryText(): string {
  return readFileSync(path, 'utf8').replace(
    /(<field number="59"[^>]*>)/,
    '$1\n            <value enum="5" description="GTX"/>',
  );
}
