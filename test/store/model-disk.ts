// A disk with known content on it and in memory at any moment, and a thread that works at will. Calls fail at random, a
// failed sync's data is lost, and the power can be cut.

import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Disk, DurableJob, DurableThread } from '../../src/store/disk/disk.ts';
import { realDisk } from '../../src/store/disk/real-disk.ts';
import { copyAsLeftBehind } from './journal-place.ts';

interface ModelFile {
  readonly path: string;
  /** Content of the disk. */
  bytes: Buffer;
  /** Places that differ in memory. */
  dirty: { from: number; to: number }[];
}

const SECTOR_BYTES = 512;

/** Then it is written as a whole or not at all, as the header of a segment is. */
function isInOneSector(position: number, length: number): boolean {
  return Math.floor(position / SECTOR_BYTES) === Math.floor((position + length - 1) / SECTOR_BYTES);
}

/** Numbers that follow from a seed. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(n: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return (this.#state >>> 8) % n;
  }

  oneIn(n: number): boolean {
    return this.below(n) === 0;
  }
}

export class ModelDisk implements Disk {
  readonly #chance: Chance;
  readonly #files = new Map<string, ModelFile>();
  readonly #byFd = new Map<number, ModelFile>();
  readonly thread: () => ModelThread;
  readonly #threads: ModelThread[] = [];
  /** Of so many calls one fails; 0 for none. */
  failOneIn = 0;
  failures = 0;
  isFree = false;

  constructor(chance: Chance) {
    this.#chance = chance;
    this.thread = () => {
      const thread = new ModelThread(this, chance);
      this.#threads.push(thread);
      return thread;
    };
  }

  /** From now on the thread does at once what it is asked for, and nothing fails. */
  release(): void {
    this.failOneIn = 0;
    this.isFree = true;
    for (const thread of this.#threads) thread.finish();
  }

  /** Let the thread do something, if it has to. */
  step(): void {
    for (const thread of this.#threads) thread.step();
  }

  get isBusy(): boolean {
    return this.#threads.some((thread) => thread.isBusy);
  }

  #mayFail(syscall: string): void {
    if (this.failOneIn === 0 || !this.#chance.oneIn(this.failOneIn)) return;
    this.failures++;
    const code = this.#chance.oneIn(2) ? 'EIO' : 'ENOSPC';
    throw Object.assign(new Error(`${code}: ${syscall} failed`), { code });
  }

  open(path: string): number {
    this.#mayFail('open');
    const fd = realDisk.open(path);
    const file = this.#files.get(path) ?? { path, bytes: readFileSync(path), dirty: [] };
    this.#files.set(path, file);
    this.#byFd.set(fd, file);
    return fd;
  }

  close(fd: number): void {
    this.#byFd.delete(fd);
    realDisk.close(fd);
  }

  write(fd: number, bytes: Uint8Array, length: number, position: number): void {
    const { dirty } = this.#byFd.get(fd)!;
    try {
      this.#mayFail('write');
    } catch (error) {
      const part = isInOneSector(position, length) ? 0 : this.#chance.below(length + 1);
      realDisk.write(fd, bytes, part, position);
      dirty.push({ from: position, to: position + part });
      throw error;
    }
    realDisk.write(fd, bytes, length, position);
    dirty.push({ from: position, to: position + length });
  }

  /** In time for some of the segments. */
  async fill(path: string, bytes: number): Promise<'cached' | 'unfinished'> {
    if (this.#chance.oneIn(2)) return 'unfinished';
    writeFileSync(path, Buffer.alloc(bytes));
    return 'cached';
  }

  truncate(fd: number, length: number): void {
    this.#mayFail('truncate');
    realDisk.truncate(fd, length);
    const file = this.#byFd.get(fd)!;
    const bytes = Buffer.alloc(length);
    file.bytes.copy(bytes);
    file.bytes = bytes;
    file.dirty = file.dirty.filter(({ from }) => from < length);
  }

  async sync(fd: number): Promise<void> {
    this.syncBlocking(fd);
  }

  syncBlocking(fd: number): void {
    const file = this.#byFd.get(fd)!;
    try {
      this.#mayFail('fdatasync');
      file.bytes = this.#onDisk(file, () => true);
    } finally {
      // A kernel says an error once, and takes what is in memory for written from then on.
      file.dirty = [];
    }
  }

  syncDirectory(): void {
    this.#mayFail('fsync');
  }

  /** Content of the disk with some of the dirty pages. */
  #onDisk({ path, bytes, dirty }: ModelFile, isWritten: () => boolean): Buffer {
    const memory = readFileSync(path);
    const after = Buffer.alloc(memory.length);
    bytes.copy(after);
    for (const { from, to } of dirty) {
      for (let at = from; at < Math.min(to, memory.length); ) {
        const next = Math.min(to, at - (at % 4096) + 4096, memory.length);
        if (isWritten()) memory.copy(after, at, at, next);
        at = next;
      }
    }
    return after;
  }

  /** The next process's view after a power cut at this moment. */
  afterPowerLoss(directory: string): string {
    const copy = copyAsLeftBehind(directory);
    for (const file of this.#files.values()) {
      writeFileSync(
        join(copy, basename(file.path)),
        this.#onDisk(file, () => this.#chance.oneIn(2)),
      );
    }
    return copy;
  }
}

/** One job at a time, in two steps. */
class ModelThread implements DurableThread {
  readonly #disk: ModelDisk;
  readonly #chance: Chance;
  readonly bytes = Buffer.alloc(1_048_576);
  isBroken = false;
  #write: (() => void) | null = null;
  #sync: (() => void) | null = null;

  constructor(disk: ModelDisk, chance: Chance) {
    this.#disk = disk;
    this.#chance = chance;
  }

  get isBusy(): boolean {
    return this.#write !== null || this.#sync !== null;
  }

  step(): void {
    const next = this.#write ?? this.#sync;
    next?.();
  }

  begin(fd: number, length: number, position: number): DurableJob {
    if (this.isBusy) throw new Error('one job at a time');
    let [isWritten, isDone] = [length === 0, false];
    let failure: Error | null = null;
    let tell = (): void => {};
    const failed = (error: unknown): void => {
      failure = error as Error;
      this.#sync = null;
      isDone = true;
      tell();
    };
    this.#write = () => {
      this.#write = null;
      try {
        if (length > 0) this.#disk.write(fd, this.bytes, length, position);
        isWritten = true;
      } catch (error) {
        failed(error);
      }
    };
    this.#sync = () => {
      this.#sync = null;
      try {
        this.#disk.syncBlocking(fd);
      } catch (error) {
        return failed(error);
      }
      isDone = true;
      tell();
    };
    if (this.#disk.isFree) this.finish();
    return {
      waitWritten: () => {
        if (this.#write !== null && this.#chance.oneIn(2)) this.step();
        return isWritten;
      },
      wait: () => {
        for (let steps = this.#chance.below(4); steps > 0 && !isDone; steps--) this.step();
        if (failure !== null) throw failure;
        return isDone;
      },
      ended: () =>
        new Promise((resolve, reject) => {
          tell = () => (failure === null ? resolve() : reject(failure));
          if (isDone) tell();
        }),
    };
  }

  finish(): void {
    while (this.isBusy) this.step();
  }

  async close(): Promise<void> {
    this.finish();
  }
}
