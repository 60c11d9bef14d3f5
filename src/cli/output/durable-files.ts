// Writes files that somebody relies on when the command has said that they are there.

import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const OWNER_ONLY = 0o600;
/** A draft without writes for this long belongs to a killed process. */
const DRAFT_AGE_MS = 86_400_000;
/** Ends the name of a draft; releases before this one wrote no number. */
const DRAFT_END = /\.(?:[0-9a-f]{12}\.)?draft$/;

/** Content of a file; long content comes in pieces. */
export type Content = string | Buffer | Iterable<string | Buffer> | AsyncIterable<string | Buffer>;

/**
 * Write files of one folder, for their owner only unless `mode` differs, and return once they survive power loss. A
 * reader meanwhile finds each file whole or as before; the last is replaced last. If one cannot be written, none is.
 */
export async function writeDurably(
  files: Iterable<readonly [path: string, content: Content]>,
  mode: number = OWNER_ONLY,
): Promise<void> {
  await write(files, mode, false);
}

/**
 * The same for files that are valid only together and written by one process at a time. The last existing one is
 * removed before another is replaced, so that no reader mixes old and new files.
 */
export async function writeAsOne(files: readonly (readonly [path: string, content: Content])[]): Promise<void> {
  // Before: leftovers of a killed process occupy a full disk.
  removeDrafts(
    files.map(([path]) => path),
    Number.POSITIVE_INFINITY,
  );
  await write(files, OWNER_ONLY, true);
}

async function write(
  files: Iterable<readonly [path: string, content: Content]>,
  mode: number,
  asOne: boolean,
): Promise<void> {
  const paths: string[] = [];
  // A name of its own: another process may be writing the same file, and each renames a whole one.
  const draftEnd = `.${randomBytes(6).toString('hex')}.draft`;
  try {
    for (const [path, content] of files) {
      paths.push(path);
      const options = { mode, flush: true };
      await writeFile(path + draftEnd, content, options).catch((error: unknown) => named(error, path));
    }
    if (asOne) removeDurably(paths.at(-1)!);
    for (const path of paths) renameSync(path + draftEnd, path);
  } catch (error) {
    for (const path of paths) rmSync(path + draftEnd, { force: true });
    throw error;
  }
  if (paths.length === 0) return;
  removeDrafts(paths, Date.now() - DRAFT_AGE_MS);
  syncFolderOf(paths[0]!);
}

function removeDurably(path: string): void {
  if (!existsSync(path)) return;
  rmSync(path);
  syncFolderOf(path);
}

function syncFolderOf(path: string): void {
  const folder = openSync(dirname(path), 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** A full disk does not name the file without room. @throws the caught error, with the file */
function named(error: unknown, path: string): never {
  const { syscall, path: known } = error as NodeJS.ErrnoException;
  if (error instanceof Error && syscall !== undefined && known === undefined) error.message += ` '${path}'`;
  throw error;
}

/**
 * Remove the leftovers of killed processes for these files, in the folder of the first: drafts without writes since
 * `before`.
 */
function removeDrafts(paths: readonly string[], before: number): void {
  const names = new Set(paths.map((path) => basename(path)));
  const directory = dirname(paths[0]!);
  for (const name of readdirSync(directory)) {
    const of = name.replace(DRAFT_END, '');
    if (of === name || !names.has(of)) continue;
    const path = join(directory, name);
    if ((statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? before) < before) rmSync(path, { force: true });
  }
}
