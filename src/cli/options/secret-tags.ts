// The commands that show messages mask the values of further tags: those named on the command line, and those of every session in
// the configuration folder, if there is one.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { CrossgateError } from '../../base/errors.ts';
import { wholeOps } from '../../ops/mod.ts';
import { SESSIONS_DEFAULT } from './environment.ts';

export interface SecretTagOptions {
  readonly secretTags?: string;
  readonly sessions: string;
}

export const SECRET_TAGS = ['--secret-tags <tags>', 'mask the values of these tags too, such as 96,5001'] as const;
export const SECRET_TAGS_OF = [
  '--sessions <directory>',
  'mask what `secretTags` of the sessions in this configuration folder names too',
  SESSIONS_DEFAULT,
] as const;

/** @throws CrossgateError XG_USAGE for what is no list of tags */
export async function secretTagsOf({ secretTags = '', sessions }: SecretTagOptions): Promise<ReadonlySet<number>> {
  const tags = new Set<number>();
  for (const text of secretTags.split(',').filter((one) => one !== '')) {
    if (!/^[1-9]\d{0,5}$/.test(text)) {
      throw new CrossgateError(
        'XG_USAGE',
        `--secret-tags takes tags with commas between, such as 96,5001, not "${text}"`,
      );
    }
    tags.add(Number(text));
  }
  if (!isNamedIn(sessions)) return tags;
  const { loadConfiguration } = await wholeOps();
  // Whatever else is wrong there: what is named as secret is masked.
  for (const { values } of loadConfiguration({ directory: sessions, environment: process.env }).effective.values()) {
    const configured: unknown = values.secretTags;
    for (const tag of Array.isArray(configured) ? configured : []) if (Number.isSafeInteger(tag)) tags.add(Number(tag));
  }
  return tags;
}

/** Whether any file there names the setting: the whole configuration takes longer to load than a message to decode. */
function isNamedIn(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const files = readdirSync(folder).filter((name) => /\.(yaml|cfg)$/.test(name));
  return files.some((name) => readFileSync(join(folder, name)).includes('secretTags'));
}
