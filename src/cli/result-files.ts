// Files that a replay writes its result into (`--json`, `--junit`): asked for before it begins, since a place that cannot be written
// to would lose what was sent to a counterparty for, hours long.

import { open } from 'node:fs/promises';
import { CrossgateError } from '../base/errors.ts';

export interface ResultFiles {
  readonly json?: string | undefined;
  readonly junit?: string | undefined;
}

/** What is in them stays until the result is there. @throws CrossgateError XG_USAGE if one cannot be written */
export async function mustBeWritable({ json, junit }: ResultFiles): Promise<void> {
  for (const [option, path] of Object.entries({ json, junit })) {
    if (path === undefined) continue;
    try {
      await (await open(path, 'a')).close();
    } catch (cause) {
      const text = `--${option}: ${path} cannot be written, and nothing was replayed: ${(cause as Error).message}`;
      throw new CrossgateError('XG_USAGE', text, { cause });
    }
  }
}
