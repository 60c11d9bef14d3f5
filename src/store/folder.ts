// Makes the folder of a journal, or of whatever a node keeps. Leaves what goes wrong to its callers, to be told in their words.

import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

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
    const above = dirname(folder);
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT' && above !== folder && !isFolder(above);
    if (!isMissing) throw error;
    makeFolder(above, mode);
    mkdirSync(folder, { mode });
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
