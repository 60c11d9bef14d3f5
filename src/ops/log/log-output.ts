// Lines on the standard error stream of a process that must go on without its reader. Output that a full disk or
// stalled reader does not take waits in memory up to a bound; further lines are lost and counted.

import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import process from 'node:process';

const STANDARD_ERROR = 2;
/** Lines that were not taken wait up to so many bytes; further ones are lost. */
const WAITING_BYTES_MAX = 1_048_576;
/** Pause before waiting output is retried. */
const RETRY_MS = 100;
/** At the end of the process, waiting lines are tried for this long if a reader remains. */
const END_MS = 1000;

export interface LogOutputOptions {
  /** Called when lines are taken again, with the number of those that were lost meanwhile. */
  readonly onLost: (lines: number) => void;
  /** As `writeSync`, which the default is; it returns how many bytes were taken. */
  readonly write?: (bytes: Uint8Array) => number;
}

/** Fate of bytes: all taken, some to retry, or never to be taken. */
type Outcome = 'taken' | 'full' | 'slow' | 'gone';

export class LogOutput {
  readonly #onLost: (lines: number) => void;
  readonly #write: (bytes: Uint8Array) => number;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #lost = 0;
  #timer: NodeJS.Timeout | null = null;
  #isGone = false;

  constructor({ onLost, write = (bytes) => writeSync(STANDARD_ERROR, bytes) }: LogOutputOptions) {
    this.#onLost = onLost;
    this.#write = write;
  }

  write(line: string): void {
    if (this.#isGone) return;
    const bytes = Buffer.from(line);
    if (this.#waitingBytes + bytes.length > WAITING_BYTES_MAX) {
      this.#lost++;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    // Earlier output goes first.
    if (this.#timer === null && this.#drain() !== 'taken') this.#retryLater();
  }

  #drain(): Outcome {
    let rest: Uint8Array = this.#waiting.length === 1 ? this.#waiting[0]! : Buffer.concat(this.#waiting);
    let outcome: Outcome = 'taken';
    try {
      while (rest.length > 0) rest = rest.subarray(this.#write(rest));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      outcome = code === 'EPIPE' ? 'gone' : code === 'EAGAIN' ? 'slow' : 'full';
    }
    this.#isGone = outcome === 'gone';
    this.#waiting = outcome === 'taken' || this.#isGone ? [] : [rest];
    this.#waitingBytes = this.#waiting[0]?.length ?? 0;
    return outcome;
  }

  #retryLater(): void {
    if (this.#isGone) return;
    this.#timer = setInterval(() => this.#retry(), RETRY_MS).unref();
    process.once('exit', this.#end);
  }

  #retry(): void {
    const outcome = this.#drain();
    if (outcome === 'full' || outcome === 'slow') return;
    clearInterval(this.#timer!);
    this.#timer = null;
    process.off('exit', this.#end);
    this.#tellLost();
  }

  #tellLost(): void {
    const lost = this.#lost;
    this.#lost = 0;
    if (lost > 0) this.#onLost(lost);
  }

  /** The process ends: wait a moment for a reader that is only slow. */
  #end = (): void => {
    const pause = new Int32Array(new SharedArrayBuffer(4));
    for (let waited = 0; this.#drain() === 'slow' && waited < END_MS; waited += 10) Atomics.wait(pause, 0, 0, 10);
  };
}
