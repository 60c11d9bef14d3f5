// Gives a complete file its exclusive name. Callers write it and remove its draft.

import { constants, copyFileSync, linkSync } from 'node:fs';

/** Errors of file systems without hard links, such as FAT and some network shares. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Give a file a second name permanently. Without hard links it is copied, and a reader at that moment may find it
 * empty. @throws EEXIST if the name exists
 */
export function giveName(draft: string, path: string, link: typeof linkSync = linkSync): void {
  try {
    link(draft, path);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}
