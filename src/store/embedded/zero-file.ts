// Makes a file of zeros durably, beside the event loop and without delaying concurrent syncs. Where the file system
// allows, it bypasses the page cache, so that no other sync waits behind it, and syncs once at the end. next-segment.ts
// uses the file.

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
 * Zeros written through the page cache by one call. The kernel keeps them in folios of up to that size. Every later
 * small write walks through all blocks of its folio: after zeros of 1 MB at a time it takes four times as long.
 */
export const ZEROS_BYTES = 65_536;
const ZEROS = Buffer.alloc(ZEROS_BYTES);
const WASM_PAGE_BYTES = 65_536;

/** The members in use; the runtime's types leave them to those of browsers. */
declare const WebAssembly: { readonly Memory: new (size: { initial: number }) => { readonly buffer: ArrayBuffer } };

/** Outcome of filling a file; `unfinished` if it was no longer wanted. */
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
