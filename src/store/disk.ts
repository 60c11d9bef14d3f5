// The few system calls of the embedded journal, as a port: tests put a failing disk behind it (rule J2).

import fs from 'node:fs';
import { open } from 'node:fs/promises';

export interface Disk {
  /** Open for reading and writing, creating it. */
  open(path: string): number;
  close(fd: number): void;
  /** Write all of `bytes[0, length)` at `position`. @throws on any shortfall */
  write(fd: number, bytes: Uint8Array, length: number, position: number): void;
  truncate(fd: number, length: number): void;
  /** Make a file of zeros, durably, beside the event loop. False if `isUnwanted` became true. Where absent, none is made. */
  fill?(path: string, bytes: number, isUnwanted: () => boolean): Promise<boolean>;
  sync(fd: number): Promise<void>;
  syncBlocking(fd: number): void;
  /** Make creations and removals of files in a directory durable. */
  syncDirectory(path: string): void;
}

/** Zeros written between two syncs of a file being filled: what a sync of records has to wait behind at most. */
const FILL_BYTES = 2_097_152;
/**
 * Zeros written by one call. The kernel keeps what one call wrote in pieces of up to that size, and every later write of a
 * few hundred bytes walks through all blocks of its piece: behind zeros of 1 MB at a time it takes four times as long.
 */
export const ZEROS_BYTES = 65_536;
const ZEROS = Buffer.alloc(ZEROS_BYTES);

/** A write that makes no progress this often is given up. */
const SHORT_WRITES_MAX = 1000;

/** The operating system's file calls. */
export const realDisk: Disk = {
  open: (path) => fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600),
  close: (fd) => fs.closeSync(fd),
  write(fd, bytes, length, position) {
    let done = 0;
    for (let round = 0; done < length; round++) {
      if (round === SHORT_WRITES_MAX) throw new Error('the operating system keeps writing only a part');
      done += fs.writeSync(fd, bytes, done, length - done, position + done);
    }
  },
  truncate: (fd, length) => fs.ftruncateSync(fd, length),
  async fill(path, bytes, isUnwanted) {
    const file = await open(path, 'w', 0o600);
    try {
      for (let position = 0; position < bytes; position += ZEROS_BYTES) {
        if (isUnwanted()) return false;
        await file.write(ZEROS, 0, Math.min(ZEROS_BYTES, bytes - position), position);
        if ((position + ZEROS_BYTES) % FILL_BYTES === 0) await file.datasync();
      }
      await file.datasync();
      return true;
    } finally {
      await file.close();
    }
  },
  sync: (fd) =>
    new Promise((resolve, reject) => {
      fs.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    }),
  syncBlocking: (fd) => fs.fdatasyncSync(fd),
  syncDirectory(path) {
    const fd = fs.openSync(path, fs.constants.O_RDONLY);
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
};
