// Limits successful Logons per minute. Each costs records, a reset and what is repeated after it; a counterparty that logs
// on, drops the connection and logs on again would multiply them. Leaves the answer to logon.ts.

import { SlidingWindow } from '../../base/collections/sliding-window.ts';
import type { EpochMs } from '../../base/time.ts';

const MINUTE_MS = 60_000;
/** Refusals answered with a Logout(5) in any minute: each is about 0.5 kB of the journal, and the next ones say the same. */
const ANSWERED_REFUSALS_MAX = 10;

export class LogonRate {
  readonly max: number;
  readonly #window: SlidingWindow;
  #resets = 0;
  readonly #answered = new SlidingWindow(ANSWERED_REFUSALS_MAX, MINUTE_MS);
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
    rate.#answered.continueFrom(this.#answered);
    rate.#resets = this.#resets;
    rate.#toldAt = this.#toldAt;
    return rate;
  }

  /** Milliseconds until one more is taken; 0 for now. */
  waitMs(now: EpochMs): number {
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

  /** True if a refusal is answered with a Logout(5), and counts it; else the closed connection alone answers. */
  answers(now: EpochMs): boolean {
    if (this.#answered.waitMs(now) > 0) return false;
    this.#answered.take(now);
    return true;
  }

  /** True if a Logon would be refused without an answer and without a report: it need not be heard at all. */
  drops(now: EpochMs): boolean {
    return this.#window.waitMs(now) > 0 && this.#answered.waitMs(now) > 0 && now - this.#toldAt < MINUTE_MS;
  }

  /** True if a refusal is to be reported and recorded: once a minute. */
  tells(now: EpochMs): boolean {
    if (now - this.#toldAt < MINUTE_MS) return false;
    this.#toldAt = now;
    return true;
  }
}
