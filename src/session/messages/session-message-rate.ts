// Limits messages per second outside the rate of application messages (message-rate.ts; rule S7): session messages, and
// repeated or unexpected ones. None is throttled, and who sends them without end is logged out: each costs an answer or
// a place in the journal, which all sessions share.

import type { EpochMs } from '../../base/time.ts';

const SECOND_MS = 1000;
/** All that was counted may come again so often without being asked for. */
const AGAIN_MS = 60_000;
/** Most messages of ours that a counterparty may refuse at once, because each costs as much as the refused one. */
const REFUSABLE_MAX = 100_000;

export class SessionMessageRate {
  #since: EpochMs = Number.NEGATIVE_INFINITY;
  #count = 0;
  #sentAgain = 0;
  #againSince: EpochMs = Number.NEGATIVE_INFINITY;
  #refusable = 0;

  /** Counts of this second keep counting: a loop of Logons gains nothing. */
  newConnection(): void {
    this.#sentAgain = 0;
    this.#refusable = 0;
  }

  /** Count one; how many it makes in this second. */
  count(now: EpochMs): number {
    if (now - this.#since >= SECOND_MS) {
      this.#since = now;
      this.#count = 0;
    }
    return ++this.#count;
  }

  /** Numbers from this one on were asked for: they may come again. */
  asked(beginSeqNo: number): void {
    this.#sentAgain = Math.min(this.#sentAgain, beginSeqNo - 1);
  }

  /** Whether a number that was counted before comes for the first time since it was asked for, or within a minute. */
  isNextAgain(msgSeqNum: number, now: EpochMs): boolean {
    const isNext = msgSeqNum > this.#sentAgain;
    const isAnew = now - this.#againSince >= AGAIN_MS;
    if (!isNext && !isAnew) return false;
    if (!isNext || this.#sentAgain === 0) this.#againSince = now;
    this.#sentAgain = msgSeqNum;
    return true;
  }

  /** An application message of ours goes out: the counterparty may refuse it. */
  sent(): void {
    if (this.#refusable < REFUSABLE_MAX) this.#refusable++;
  }

  /** Whether a refusal is of a message of ours that was not refused yet. */
  isOfOurs(): boolean {
    if (this.#refusable === 0) return false;
    this.#refusable--;
    return true;
  }
}
