// Writes files that somebody relies on when the command has said that they are there.

import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Write files of one folder, for their owner only, and return once they survive power loss. Whoever looks meanwhile finds each
 * whole or as it was before; the last is replaced last.
 */
export function writeDurably(files: Iterable<readonly [path: string, content: Buffer | string]>): void {
  const paths: string[] = [];
  for (const [path, content] of files) {
    writeFileSync(`${path}.draft`, content, { mode: 0o600, flush: true });
    paths.push(path);
  }
  for (const path of paths) renameSync(`${path}.draft`, path);
  if (paths.length === 0) return;
  const folder = openSync(dirname(paths[0]!), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
