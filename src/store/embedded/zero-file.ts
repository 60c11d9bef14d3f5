// Makes a file of zeros, durably, beside the event loop and with as little as possible in the way of records that are synced
// meanwhile: past the page cache where the file system can do that, so that nothing piles up in memory that a sync of others
// would have to wait behind, and with one sync at the end. Leaves what the file is for to next-segment.ts.

import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { giveToOwnerOfFolder } from '../folder.ts';

/** Pages of memory and of files: past the page cache everything begins and ends at one. */
export const PAGE_BYTES = 4096;
/**
 * Zeros written by one call past the page cache: what a sync of records has to wait behind at most. In smaller pieces more
 * syncs wait behind one, each about as long: at a quarter of it four times as many took over two milliseconds.
 */
const DIRECT_BYTES = 1_048_576;
/** Zeros written through the page cache between two syncs, for the same reason. */
const SYNC_BYTES = 2_097_152;
/**
 * Zeros written through the page cache by one call. The kernel keeps what one call wrote in pieces of up to that size, and
 * every later write of a few hundred bytes walks through all blocks of its piece: behind zeros of 1 MB at a time it takes
 * four times as long.
 */
export const ZEROS_BYTES = 65_536;
const ZEROS = Buffer.alloc(ZEROS_BYTES);
const WASM_PAGE_BYTES = 65_536;

/** What is used of it; the types of the runtime leave it to those of browsers. */
declare const WebAssembly: { readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer } };

/** What became of a file to be filled; `unfinished` if it was not wanted any more. */
export type Filled = 'direct' | 'cached' | 'unfinished';

/** Fill a new file with zeros. @throws the disk's error */
export async function writeZeroFile(path: string, bytes: number, isUnwanted: () => boolean): Promise<Filled> {
  if (bytes % PAGE_BYTES === 0) {
    const filled = await fillDirectly(path, bytes, isUnwanted);
    if (filled !== null) return filled;
  }
  const file = await open(path, 'w', 0o600);
  try {
    giveToOwnerOfFolder(path);
    for (let position = 0; position < bytes; position += ZEROS_BYTES) {
      if (isUnwanted()) return 'unfinished';
      await writeAll(file, ZEROS, Math.min(ZEROS_BYTES, bytes - position), position);
      if ((position + ZEROS_BYTES) % SYNC_BYTES === 0) await file.datasync();
    }
    await file.datasync();
    return 'cached';
  } finally {
    await file.close();
  }
}

/** Null where the file system, or the memory, does not allow it. */
async function fillDirectly(path: string, bytes: number, isUnwanted: () => boolean): Promise<Filled | null> {
  let file: FileHandle;
  let zeros: Uint8Array;
  try {
    const { O_WRONLY, O_CREAT, O_TRUNC, O_DIRECT } = constants;
    if (O_DIRECT === undefined) return null;
    zeros = alignedZeros();
    file = await open(path, O_WRONLY | O_CREAT | O_TRUNC | O_DIRECT, 0o600);
  } catch {
    return null;
  }
  try {
    giveToOwnerOfFolder(path);
    for (let position = 0; position < bytes; position += DIRECT_BYTES) {
      if (isUnwanted()) return 'unfinished';
      await writeAll(file, zeros, Math.min(DIRECT_BYTES, bytes - position), position);
    }
    await file.datasync();
    return 'direct';
  } catch (error) {
    // Some file systems open such a file and refuse the first write.
    if ((error as NodeJS.ErrnoException).code === 'EINVAL') return null;
    throw error;
  } finally {
    await file.close();
  }
}

/** Zeros that begin at a page of memory: a Buffer may begin anywhere, the memory of WebAssembly never does. */
function alignedZeros(): Uint8Array {
  return new Uint8Array(new WebAssembly.Memory({ initial: DIRECT_BYTES / WASM_PAGE_BYTES }).buffer);
}

async function writeAll(file: FileHandle, bytes: Uint8Array, length: number, position: number): Promise<void> {
  const { bytesWritten } = await file.write(bytes, 0, length, position);
  if (bytesWritten !== length) throw new Error('the operating system wrote only a part of the zeros');
}
