// Makes the folder of a journal or of a node's files, and sets its owner. Callers report failures in their own words.

import { existsSync, lchownSync, lstatSync, mkdirSync, readlinkSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import process from 'node:process';

/**
 * Make a folder, for its owner only unless `mode` says otherwise, and those above it that are missing. Node's own way to do so
 * (`recursive`) never ends where nothing can be made and the system says that nothing is there, as below /proc.
 * @throws what the system says
 */
export function makeFolder(folder: string, mode = 0o700): void {
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    if (isFolder(folder)) return;
    const elsewhere = missingTarget(folder);
    if (elsewhere !== null) {
      const told = `ENOENT: ${folder} is a link to ${elsewhere}, which is not there`;
      throw Object.assign(new Error(told, { cause: error }), { code: 'ENOENT', syscall: 'mkdir' });
    }
    const above = dirname(folder);
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && above !== folder && !isFolder(above);
    if (!isMissing) throw error;
    makeFolder(above, mode);
    mkdirSync(folder, { mode });
  }
  giveToOwner(dirname(folder), [folder]);
}

/** Where a link leads if nothing is there, as on a volume that is not mounted; null of anything else. */
export function missingTarget(path: string): string | null {
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  return isLink && !existsSync(path) ? readlinkSync(path) : null;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/**
 * A folder that root makes in another user's folder is given to that user. Otherwise that user's gateway could not open
 * it, and would not notice that root's command holds the journal. @throws the system's error
 */
export function giveToOwner(folder: string, paths: Iterable<string>): void {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid === 0) return;
  for (const path of paths) lchownSync(path, uid, gid);
}

/** The same of a file that was just made: its maker may be killed before it comes to the end of its work. */
export function giveToOwnerOfFolder(path: string): void {
  giveToOwner(dirname(path), [path]);
}
