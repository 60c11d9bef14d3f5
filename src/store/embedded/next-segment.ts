// Prepares the next segment file, filled with zeros ahead of time and beside the traffic. A new segment then costs a
// rename and a header, and no sync of records has to write zeros too. Without a prepared file a segment is made as
// usual.

import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Disk } from '../disk/disk.ts';

export const SPARE = 'spare.xgj-draft';

export class SpareSegment {
  readonly #disk: Disk;
  readonly #directory: string;
  readonly #bytes: number;
  #state: 'none' | 'filling' | 'ready' | 'failed' = 'none';
  #filled: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(disk: Disk, directory: string, bytes: number) {
    this.#disk = disk;
    this.#directory = directory;
    this.#bytes = bytes;
    // Left by an ended process at an unknown stage.
    if (readdirSync(directory).includes(SPARE)) rmSync(join(directory, SPARE), { force: true });
  }

  /**
   * Begin to fill one, unless it is there. A failure is no news: the disk says it again when a segment is made. It is not tried
   * again before that: on a disk with less room than a segment, zeros would be written and removed for ever.
   */
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
          this.#state = 'failed';
          this.#remove();
        },
      );
  }

  get isReady(): boolean {
    return this.#state === 'ready';
  }

  /** Path of a filled file, which is the caller's from now on; null if there is none. */
  take(): string | null {
    if (this.#state === 'failed') this.#state = 'none';
    if (this.#state !== 'ready') return null;
    this.#state = 'none';
    return join(this.#directory, SPARE);
  }

  /** Remove it. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#filled;
    this.#remove();
  }

  /** The next process removes files that a failing disk holds. */
  #remove(): void {
    try {
      rmSync(join(this.#directory, SPARE), { force: true });
    } catch {
      // The disk says it again, to the records.
    }
  }
}
