// A bar on a terminal while something long goes on; nothing at all where the output is no terminal.

import type { WriteStream } from 'node:tty';

const WIDTH = 30;
/** Redrawn at most this often. */
const EVERY_MS = 50;

export class ProgressBar {
  private readonly stream: WriteStream;
  private readonly total: number;
  private shownAt = 0;
  private note = '';
  private shownLength = 0;

  constructor(stream: WriteStream, total: number) {
    this.stream = stream;
    this.total = total;
  }

  /** `note`: what it waits for. */
  show(done: number, note = ''): void {
    if (!this.stream.isTTY) return;
    const now = Date.now();
    if (now - this.shownAt < EVERY_MS && done < this.total && note === this.note) return;
    this.note = note;
    this.shownAt = now;
    const counts = `${done}/${this.total}${note === '' ? '' : `, ${note}`}`;
    // A line that is wrapped would be left behind by the next one. The last column stays free: some wrap behind it already.
    const width = Math.max(0, Math.min(WIDTH, (this.stream.columns || 80) - counts.length - 4));
    const filled = this.total === 0 ? width : Math.round((done / this.total) * width);
    const bar = `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${counts}`;
    // A shorter line leaves the end of the one before.
    this.stream.write(`\r${bar.length < this.shownLength ? '\x1b[K' : ''}${bar}`);
    this.shownLength = bar.length;
  }

  /** Leave the line as if nothing had been there. */
  end(): void {
    if (this.stream.isTTY && this.shownAt > 0) this.stream.write('\r\x1b[K');
  }
}
