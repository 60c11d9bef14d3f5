// State of files in one word, to see whether they changed since. Readers examine the content.

import { readdirSync, readFileSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';

/** True if reading could block forever, and the gateway with it: a pipe without a writer, a device without an end. */
function isEndless(found: Stats): boolean {
  return !found.isFile() && !found.isDirectory();
}

/** The bytes of a file that somebody wrote by hand, or why it is not read. @throws the file system's error */
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
    // Its reader reports why it cannot be read.
    return '';
  }
}

function stateOf(file: string): string {
  try {
    const { dev, ino, size, mtimeMs } = statSync(file);
    return `${dev} ${ino} ${size} ${mtimeMs}`;
  } catch {
    // Its reader reports why it cannot be read.
    return '';
  }
}
