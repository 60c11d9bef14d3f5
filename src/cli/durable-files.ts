// Writes files that somebody relies on when the command has said that they are there.

import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

/** What a file is to hold; what is long comes piece by piece. */
export type Content = string | Buffer | Iterable<string | Buffer> | AsyncIterable<string | Buffer>;

/**
 * Write files of one folder, for their owner only unless `mode` says otherwise, and return once they survive power loss. Whoever
 * looks meanwhile finds each whole or as it was before; the last is replaced last. Where one cannot be written none is.
 */
export async function writeDurably(
  files: Iterable<readonly [path: string, content: Content]>,
  mode: number = OWNER_ONLY,
): Promise<void> {
  const paths: string[] = [];
  try {
    for (const [path, content] of files) {
      paths.push(path);
      await writeFile(draftOf(path), content, { mode, flush: true }).catch((error: unknown) => named(error, path));
    }
    for (const path of paths) renameSync(draftOf(path), path);
  } catch (error) {
    for (const path of paths) rmSync(draftOf(path), { force: true });
    throw error;
  }
  if (paths.length === 0) return;
  const folder = openSync(dirname(paths[0]!), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** A full disk does not say what it has no room for. @throws what was caught, with the file */
function named(error: unknown, path: string): never {
  const { syscall, path: known } = error as NodeJS.ErrnoException;
  if (error instanceof Error && syscall !== undefined && known === undefined) error.message += ` '${path}'`;
  throw error;
}

const draftOf = (path: string): string => `${path}.draft`;
