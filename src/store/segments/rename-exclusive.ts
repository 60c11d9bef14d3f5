// Gives a file that is whole its name, which nobody else may have taken. Leaves writing it, and removing its draft, to callers.

import { constants, copyFileSync, linkSync } from 'node:fs';

/** What a file system says that has no hard links, as FAT and some shares of a network do not. */
const NO_LINKS: ReadonlySet<string> = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

/**
 * Let a file have a second name, for good. On a file system without hard links it is copied, so that whoever looks in that
 * moment may find it empty. @throws EEXIST if there is something of that name
 */
export function giveName(draft: string, path: string, link: typeof linkSync = linkSync): void {
  try {
    link(draft, path);
  } catch (error) {
    if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
    copyFileSync(draft, path, constants.COPYFILE_EXCL);
  }
}
