// Writes files that somebody goes on with by hand: all of them or none, and none over one that is there unless that was asked for.

import { existsSync, realpathSync } from 'node:fs';
import { CrossgateError } from '../../base/errors.ts';
import { makeFolder } from '../../store/mod.ts';
import { type Content, writeDurably } from './durable-files.ts';

/** As the user's umask leaves it. */
const MODE = 0o666;
const FOLDER_MODE = 0o777;

/**
 * Write files of a folder, which is made if it is not there. @throws CrossgateError XG_USAGE if one is there and `force` is false;
 * nothing is written then
 */
export async function writeNewFiles(
  folder: string,
  files: readonly (readonly [path: string, content: Content])[],
  force: boolean,
): Promise<void> {
  makeFolder(folder, FOLDER_MODE);
  if (!force) refuseToReplace(files.map(([path]) => path));
  await writeDurably(
    // The target of a link is replaced, not the link.
    files.map(([path, content]) => [existsSync(path) ? realpathSync(path) : path, content] as const),
    MODE,
  );
}

/** Content older than the existing file would itself exist the next time. */
function refuseToReplace(paths: readonly string[]): void {
  const [first, ...more] = paths.filter((path) => existsSync(path));
  if (first === undefined) return;
  const which = more.length === 0 ? `${first} is` : `${first}, and ${more.length} more, are`;
  throw new CrossgateError(
    'XG_USAGE',
    `${which} there already, and nothing is written: use --force, or another place with --out`,
  );
}
