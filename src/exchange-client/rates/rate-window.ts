// One limit of the exchange, kept exactly: at most so many requests in any window of its length, for fixed or sliding
// windows and any transit time. It keeps two counts, neither ever too low, and the lower one holds: one by time alone,
// one from the exchange's own count in an answer. rate-budget.ts shares it out.

import { assert } from '../../base/assert.ts';

/** Answers that fit at first; most limits are never used up. */
const RING_FIRST = 64;
/** Answers kept, as so many times the limit: where the exchange's count allows more, more than the limit fall into a window. */
const KEPT_PER_LIMIT = 16;
/** For so long after a refusal for the rate the exchange's own count is not built upon. */
const DISTRUSTED_MS = 60_000;

/** A request that counts. */
export interface Counted {
  /** How many had been settled when it left. */
  readonly settledBefore: number;
}

/**
 * Counts each request from its departure until one window after its answer. The exchange saw it in between, so none of
 * its windows can hold more than this one. An answer with the exchange's count is more exact: only requests that may
 * have arrived after it are added, which are those unsettled when it left.
 */
export class RateWindow {
  #limit: number;
  readonly #windowMs: number;
  #inFlight = 0;
  /** When answered requests stop counting; a ring, rising. */
  #until: Float64Array;
  #head = 0;
  #answered = 0;
  /** Requests of others that the exchange says it has counted. */
  #foreign = 0;
  #foreignUntil = Number.NEGATIVE_INFINITY;
  /** Ever sent, ever settled. */
  #sent = 0;
  #settled = 0;
  /**
   * Upper bound of the exchange's count, by its own words, for everything sent up to `#toldAt`; later requests are
   * added.
   */
  #told = Number.POSITIVE_INFINITY;
  #toldAt = 0;
  /** Earlier figures are not trusted: unanswered requests may still arrive. */
  #believedFrom = Number.NEGATIVE_INFINITY;

  constructor(limit: number, windowMs: number) {
    assert(Number.isInteger(limit) && limit > 0, 'a limit is a whole number of requests');
    this.#limit = limit;
    this.#windowMs = windowMs;
    this.#until = new Float64Array(Math.min(limit, RING_FIRST));
  }

  get limit(): number {
    return this.#limit;
  }

  /** Another limit from now on; requests that count go on counting. */
  resize(limit: number): void {
    assert(Number.isInteger(limit) && limit > 0, 'a limit is a whole number of requests');
    this.#limit = limit;
  }

  /** Requests that may be in the exchange's present window. */
  used(now: number): number {
    // Others will repeat their recent use: it is not in the exchange's count yet.
    return Math.min(this.#usedByTime(now), this.#told + this.#sent - this.#toldAt + this.#usedByOthers(now));
  }

  #usedByOthers(now: number): number {
    return now < this.#foreignUntil ? this.#foreign : 0;
  }

  #usedByTime(now: number): number {
    while (this.#answered > 0 && this.#until[this.#head]! <= now) {
      this.#head = (this.#head + 1) % this.#until.length;
      this.#answered--;
    }
    return this.#inFlight + this.#answered + this.#usedByOthers(now);
  }

  /**
   * Milliseconds until one more fits with `reserved` left untouched; 0 for now. Infinity where only an answer can make room:
   * ask again when one came.
   */
  waitMs(now: number, reserved: number): number {
    const most = Math.max(1, this.limit - reserved);
    if (this.used(now) < most) return 0;
    // An answer may bring good news at any time; by time alone:
    const excess = this.#usedByTime(now) + 1 - most;
    if (this.#usedByOthers(now) >= excess) return this.#foreignUntil - now;
    if (excess > this.#answered) return Number.POSITIVE_INFINITY;
    return Math.max(1, Math.ceil(this.#until[(this.#head + excess - 1) % this.#until.length]! - now));
  }

  take(): Counted {
    this.#inFlight++;
    this.#sent++;
    return { settledBefore: this.#settled };
  }

  /** A request that was taken has its answer, or (`arrived` false) will never have one: it may still be on its way. */
  settle(now: number, arrived = true): void {
    this.#inFlight--;
    this.#settled++;
    if (!arrived) {
      this.#told = Number.POSITIVE_INFINITY;
      this.#believedFrom = Math.max(this.#believedFrom, now + this.#windowMs);
    }
    if (this.#answered >= KEPT_PER_LIMIT * this.limit) return;
    if (this.#answered === this.#until.length) this.#grow();
    this.#until[(this.#head + this.#answered) % this.#until.length] = now + this.#windowMs;
    this.#answered++;
  }

  /**
   * The exchange stated, for a request of ours settled just now, its limit and the rest. Use beyond our own came from
   * others, and a smaller limit than expected is real: both count for one window. Use below our estimate has left its
   * window; a null `request` omits that.
   */
  correct(limit: number, remaining: number, request: Counted | null, now: number): void {
    if (request !== null) this.#believe(limit, remaining, request, now);
    const known = this.#usedByOthers(now);
    const own = this.#usedByTime(now) - known;
    const foreign = Math.min(
      this.limit,
      Math.max(0, this.limit - limit) + Math.max(0, Math.min(limit, limit - remaining) - own),
    );
    if (foreign <= 0 || foreign < known) return;
    this.#foreign = foreign;
    this.#foreignUntil = now + this.#windowMs;
  }

  /** The exchange refused a request for its rate: its words were misread, or others are at it too. */
  distrust(now: number): void {
    this.#told = Number.POSITIVE_INFINITY;
    this.#believedFrom = Math.max(this.#believedFrom, now + DISTRUSTED_MS);
  }

  #believe(limit: number, remaining: number, { settledBefore }: Counted, now: number): void {
    if (limit !== this.limit || remaining < 0 || remaining > limit || now < this.#believedFrom) return;
    // Requests settled before it left are in the exchange's count, or have left the window.
    const perhapsLater = this.#inFlight + (this.#settled - 1 - settledBefore);
    // The latest word holds, also where it is a higher one: others may be at it too.
    this.#told = limit - remaining + perhapsLater;
    this.#toldAt = this.#sent;
  }

  #grow(): void {
    const { length } = this.#until;
    const larger = new Float64Array(length * 2);
    for (let i = 0; i < length; i++) larger[i] = this.#until[(this.#head + i) % length]!;
    this.#until = larger;
    this.#head = 0;
  }
}
