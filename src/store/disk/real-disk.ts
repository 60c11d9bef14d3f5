// The operating system's file calls behind the port of disk.ts.

import fs from 'node:fs';
import { promisify } from 'node:util';
import { writeZeroFile } from '../embedded/zero-file.ts';
import { giveToOwnerOfFolder } from '../folder.ts';
import type { Disk } from './disk.ts';
import { DiskThread } from './disk-thread.ts';

/** A write that makes no progress this often is given up. */
const SHORT_WRITES_MAX = 1000;

/** The operating system's file calls. */
export const realDisk: Disk = {
  open(path) {
    const fd = fs.openSync(path, fs.constants.O_RDWR | fs.constants.O_CREAT, 0o600);
    giveToOwnerOfFolder(path);
    return fd;
  },
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
