// Names and places of the archive: finished segments of older series, compressed, and the chain that makes a change of any
// of them show. Leaves writing to archive.ts.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { segmentFileName, segmentOfFileName } from './segment.ts';

/** Folder of the archive in a journal directory. */
export function archiveDirectory(directory: string): string {
  return join(directory, 'archive');
}

export function archivedPath(directory: string, segment: number): string {
  return join(archiveDirectory(directory), `${segmentFileName(segment)}.gz`);
}

/** Numbers of the archived segments, in no order. */
export async function listArchived(directory: string): Promise<number[]> {
  let names: string[];
  try {
    names = await readdir(archiveDirectory(directory));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  const numbers: number[] = [];
  for (const name of names) {
    const segment = name.endsWith('.gz') ? segmentOfFileName(name.slice(0, -3)) : null;
    if (segment !== null) numbers.push(segment);
  }
  return numbers;
}
