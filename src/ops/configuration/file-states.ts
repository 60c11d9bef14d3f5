// As of when files are, in one word: whether somebody changed them since. Leaves what is in them to whoever reads them.

import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** Whether whoever reads it may wait for ever, and a whole gateway with him: a pipe into which nobody writes, a device without an end. */
function isEndless(found: Stats): boolean {
  return !found.isFile() && !found.isDirectory();
}

/** The bytes of a file that somebody wrote by hand, or why it is not read. @throws what the file system does */
export function handwritten(path: string, bytesMax = Number.POSITIVE_INFINITY): Buffer | 'endless' | 'too large' {
  const found = statSync(path);
  if (isEndless(found)) return 'endless';
  return found.size > bytesMax ? 'too large' : readFileSync(path);
}

/** Which files are there, and as of when. */
export function statesOf(files: readonly string[]): string {
  return files.map(stateOf).join('|');
}

/** The same of the files of a folder, and how they are called; empty where it cannot be read. */
export function filesState(folder: string): string {
  try {
    const names = readdirSync(folder).sort();
    return names.map((name) => `${name} ${stateOf(join(folder, name))}`).join('|');
  } catch {
    // Why it cannot be read is said by whoever reads it.
    return '';
  }
}

function stateOf(file: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(file);
    return `${dev} ${ino} ${size} ${mtimeMs}`;
  } catch {
    // Why it cannot be read is said by whoever reads it.
    return '';
  }
}
