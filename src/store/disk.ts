// The few system calls of the embedded journal, as a port: tests put a failing disk behind it (rule J2).

import fs from 'node:fs';
import { promisify } from 'node:util';
import { DiskThread, type DurableThread } from './disk-thread.ts';
import { type Filled, writeZeroFile } from './zero-file.ts';

export interface Disk {
  /** Open for reading and writing, creating it. */
  open(path: string): number;
  close(fd: number): void;
  /** Write all of `bytes[0, length)` at `position`. @throws on any shortfall */
  write(fd: number, bytes: Uint8Array, length: number, position: number): void;
  truncate(fd: number, length: number): void;
  /** Cut a file and close it, beside the event loop. Where absent, both are done on the spot. */
  finish?(fd: number, length: number): Promise<void>;
  /** Make a file of zeros, durably, beside the event loop, unless `isUnwanted` becomes true. Where absent, none is made. */
  fill?(path: string, bytes: number, isUnwanted: () => boolean): Promise<Filled>;
  sync(fd: number): Promise<void>;
  syncBlocking(fd: number): void;
  /** A thread that writes and syncs. Where absent, both are done here. @throws if there can be none */
  thread?(onEnded: (reason: string) => void): DurableThread;
  /** Make creations and removals of files in a directory durable. */
  syncDirectory(path: string): void;
}

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
  async finish(fd, length) {
    try {
      await promisify(fs.ftruncate)(fd, length);
    } finally {
      await promisify(fs.close)(fd);
    }
  },
  fill: writeZeroFile,
  sync: (fd) =>
    new Promise((resolve, reject) => {
      fs.fdatasync(fd, (error) => (error === null ? resolve() : reject(error)));
    }),
  syncBlocking: (fd) => fs.fdatasyncSync(fd),
  thread: (onEnded) => new DiskThread(onEnded),
  syncDirectory(path) {
    const fd = fs.openSync(path, fs.constants.O_RDONLY);
    try {
      fs.fsyncSync(fd);
    } finally {
      fs.closeSync(fd);
    }
  },
};
