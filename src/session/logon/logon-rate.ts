// Limits successful Logons per minute. Each costs records, a reset and what is repeated after it; a counterparty that logs
// on, drops the connection and logs on again would multiply them. Leaves the answer to logon.ts.

import { SlidingWindow } from '../../base/collections/sliding-window.ts';
import type { EpochMs } from '../../base/time.ts';

const MINUTE_MS = 60_000;

export class LogonRate {
  readonly max: number;
  readonly #window: SlidingWindow;
  #lastAt: EpochMs = Number.NEGATIVE_INFINITY;
  #resets = 0;
  /** When a refusal was reported last. */
  #toldAt: EpochMs = Number.NEGATIVE_INFINITY;

  /** @param max successful Logons in any minute */
  constructor(max: number) {
    this.max = max;
    this.#window = new SlidingWindow(max, MINUTE_MS);
  }

  /** The same Logons under another limit. */
  withMax(max: number): LogonRate {
    const rate = new LogonRate(max);
    rate.#window.continueFrom(this.#window);
    rate.#lastAt = this.#lastAt;
    rate.#resets = this.#resets;
    rate.#toldAt = this.#toldAt;
    return rate;
  }

  /** Milliseconds until one more is taken; 0 for now. */
  waitMs(now: EpochMs): number {
    // A clock that was set back must not keep the counterparty out for as long.
    if (now < this.#lastAt) this.#window.clear();
    this.#lastAt = now;
    return this.#window.waitMs(now);
  }

  /** Count a successful Logon. */
  take(now: EpochMs, isReset: boolean): void {
    this.#resets = isReset ? this.#resets + 1 : 0;
    this.#window.take(now);
  }

  /** Last Logons in a row with ResetSeqNumFlag(141)=Y, at most as many as the limit. */
  get resets(): number {
    return Math.min(this.#resets, this.max);
  }

  /** True if a refusal is to be reported and recorded: once a minute. */
  tells(now: EpochMs): boolean {
    if (now >= this.#toldAt && now - this.#toldAt < MINUTE_MS) return false;
    this.#toldAt = now;
    return true;
  }
}
