// The next segment file, filled with zeros ahead of time and beside the traffic: beginning a segment then costs a rename
// and a header, and no sync of records has to write zeros as well. Whoever finds it missing makes a segment as usual.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from './disk.ts';

const SPARE = 'spare.xgj-draft';

export class SpareSegment {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #bytes: number;
  #state: 'none' | 'filling' | 'ready' = 'none';
  #filled: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(disk: Disk, directory: string, bytes: number) {
    this.#disk = disk;
    this.#directory = directory;
    this.#bytes = bytes;
    // Of a process that ended: nobody knows how far it came.
    if (readdirSync(directory).includes(SPARE)) rmSync(join(directory, SPARE), { force: true });
  }

  /** Begin to fill one, unless it is there. A failure is no news: the disk says it again when a segment is made. */
  prepare(): void {
    if (this.#state !== 'none' || this.#closed || this.#disk.fill === undefined) return;
    this.#state = 'filling';
    this.#filled = this.#disk
      .fill(join(this.#directory, SPARE), this.#bytes, () => this.#closed)
      .then(
        (filled) => {
          this.#state = filled === 'unfinished' ? 'none' : 'ready';
        },
        () => {
          this.#state = 'none';
          rmSync(join(this.#directory, SPARE), { force: true });
        },
      );
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Path of a filled file, which is the caller's from now on; null if there is none. */
  take(): string | null {
    if (this.#state !== 'ready') return null;
    this.#state = 'none';
    return join(this.#directory, SPARE);
  }

  /** Remove it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#filled;
    rmSync(join(this.#directory, SPARE), { force: true });
  }
}
