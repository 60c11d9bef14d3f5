// How far a long reading is, on a terminal: a count that goes up, since the length of a journal or a pipe is not known.
// Nothing at all where the error stream is no terminal.

import process from 'node:process';
import type { WriteStream } from 'node:tty';

/** Redrawn at most this often; the clock is asked once in a while only. */
const EVERY_MS = 100;
const LOOK_EVERY = 500;

export class ReadingCount {
  private readonly stream: WriteStream;
  /** Such as `records read`. */
  private readonly what: string;
  private count = 0;
  private shownAt = 0;

  constructor(what: string, stream: WriteStream = process.stderr) {
    this.what = what;
    this.stream = stream;
  }

  /** One more. */
  add(): void {
    if (++this.count % LOOK_EVERY !== 0 || !this.stream.isTTY) return;
    const now = Date.now();
    if (now - this.shownAt < EVERY_MS) return;
    this.shownAt = now;
    this.stream.write(`\r\x1b[K${this.count.toLocaleString('en')} ${this.what}`);
  }

  /** Leave the line as if nothing had been there. */
  end(): void {
    if (this.stream.isTTY && this.shownAt > 0) this.stream.write('\r\x1b[K');
  }
}

/** Count items as they are read. `isBeside`: the output goes to the same terminal meanwhile, and shows progress enough. */
export function counted<T>(items: AsyncIterable<T>, what: string, isBeside = false): AsyncIterable<T> {
  return process.stderr.isTTY && !isBeside ? counting(items, new ReadingCount(what)) : items;
}

async function* counting<T>(items: AsyncIterable<T>, count: ReadingCount): AsyncGenerator<T> {
  try {
    for await (const item of items) {
      count.add();
      yield item;
    }
  } finally {
    count.end();
  }
}
