// A bar on a terminal while something long goes on; nothing at all where the output is no terminal.

import type { WriteStream } from 'node:tty';

const WIDTH = 30;
/** Redrawn at most this often. */
const EVERY_MS = 50;

export class ProgressBar {
  private readonly stream: WriteStream;
  private readonly total: number;
  private shownAt = 0;

  constructor(stream: WriteStream, total: number) {
    this.stream = stream;
    this.total = total;
  }

  show(done: number): void {
    if (!this.stream.isTTY) return;
    const now = Date.now();
    if (now - this.shownAt < EVERY_MS && done < this.total) return;
    this.shownAt = now;
    const filled = this.total === 0 ? WIDTH : Math.round((done / this.total) * WIDTH);
    this.stream.write(`\r[${'#'.repeat(filled)}${'.'.repeat(WIDTH - filled)}] ${done}/${this.total}`);
  }

  /** Leave the line as if nothing had been there. */
  end(): void {
    if (this.stream.isTTY && this.shownAt > 0) this.stream.write('\r\x1b[K');
  }
}
