// Names and places of the archive: finished segments of older series, compressed, and the chain that makes a change of any
// of them show. Leaves writing to archive.ts.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { segmentFileName, segmentOfFileName } from '../segments/segment.ts';

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

/** Numbers of the segments there are, those in the archive included, ascending. */
export async function listSegments(directory: string): Promise<number[]> {
  const numbers = new Set<number>();
  for (const name of await readdir(directory)) {
    const segment = segmentOfFileName(name);
    if (segment !== null) numbers.add(segment);
  }
  // After that: one that its owner archives meanwhile is there before it is here no more.
  for (const segment of await listArchived(directory)) numbers.add(segment);
  return [...numbers].sort((a, b) => a - b);
}

/** Numbers of the segments before the last one that are neither in the journal nor in its archive, ascending. */
export async function absentSegments(directory: string): Promise<number[]> {
  const present = new Set(await listSegments(directory));
  const all = Array.from({ length: Math.max(0, ...present) }, (_, k) => k + 1);
  return all.filter((segment) => !present.has(segment));
}

export function absentInWords(absent: readonly number[]): string {
  const [first, last] = [absent[0]!, absent.at(-1)!];
  if (absent.length === 1) return `segment ${first} is neither in the journal nor in its archive`;
  return `${absent.length} segments from ${first} to ${last} are neither in the journal nor in its archive`;
}
