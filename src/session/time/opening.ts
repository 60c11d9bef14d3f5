// The schedule at work in one session: the present state, kept until it ends, so that a message costs two comparisons.
// schedule.ts has calendars; session.ts and logon.ts act at a boundary.

import { type EpochMs, formatIso } from '../../base/time.ts';
import { Schedule, type ScheduleSettings, type Span } from './schedule.ts';

/** A session's schedule for the console. Times are null if none lies within 400 days. */
export interface OpeningStatus {
  readonly open: boolean;
  /** When it closes, or opens if it is closed. */
  readonly changesAt: EpochMs | null;
  readonly resetsAt: EpochMs | null;
}

/** A reset is not kept again when the clock is set back by less than this behind it; one that comes so late comes by a clock set forward. */
const KEPT_MS = 600_000;

export class Opening {
  readonly #schedule: Schedule;
  readonly #countedAt: EpochMs | null;
  /** Resets up to then were kept by a clock that may have been right and was set back since, or that this process never saw. */
  #keptUntil: EpochMs | null;
  #span: Span | null = null;
  #changesAt: EpochMs | null = null;
  #resetsAt: EpochMs | null = null;

  /**
   * @param countedAt when the session last counted a message, for the reset that a stopped process missed; null if no
   * reset is to be made up for
   */
  constructor(settings: ScheduleSettings, countedAt: EpochMs | null) {
    this.#schedule = new Schedule(settings);
    this.#countedAt = countedAt;
    this.#keptUntil = countedAt;
  }

  /** Open before the first `advance`. */
  get open(): boolean {
    return this.#span?.open ?? true;
  }

  get status(): OpeningStatus | null {
    if (this.#span === null) return null;
    return { open: this.#span.open, changesAt: this.#changesAt, resetsAt: this.#resetsAt };
  }

  /** The state at that time, even without a call of `advance`: a session without a connection is not polled. */
  statusAt(now: EpochMs): OpeningStatus | null {
    if (this.#span === null || !this.isDue(now)) return this.status;
    const { open } = this.#schedule.span(now);
    const changesAt = this.#schedule.next(open ? 'closes' : 'opens', now);
    return { open, changesAt, resetsAt: this.#resetsAt };
  }

  /** Why no Logon is taken now, for Text(58). */
  get closedText(): string {
    const at = this.#changesAt;
    if (at === null) return 'This session is closed and no opening is scheduled';
    return `This session is closed until ${formatIso(at).slice(0, 19)}Z`;
  }

  /** When `advance` wants to be called; a session without a connection does not care when it opens and closes. */
  deadline(connected: boolean): EpochMs | null {
    // Nothing was looked at yet: at once.
    if (this.#span === null) return 0;
    const closes = connected && this.#span.open ? this.#span.until : Number.POSITIVE_INFINITY;
    const at = Math.min(closes, this.#resetsAt ?? Number.POSITIVE_INFINITY);
    return at === Number.POSITIVE_INFINITY ? null : at;
  }

  /** True if the known period has ended; a clock that was set back counts too. */
  isDue(now: EpochMs): boolean {
    const span = this.#span;
    return span === null || now >= span.until || now < span.from || (this.#resetsAt !== null && now >= this.#resetsAt);
  }

  /**
   * Compute the present state. @returns the reset time that has come since the last call, the latest of several, or
   * null
   */
  advance(now: EpochMs): EpochMs | null {
    const schedule = this.#schedule;
    const reset = this.#resetSince(now);
    const isPassed = this.#resetsAt !== null && now >= this.#resetsAt;
    if (this.#span === null || isPassed) this.#resetsAt = schedule.nextReset(now);
    this.#span = schedule.span(now);
    this.#changesAt = schedule.next(this.#span.open ? 'closes' : 'opens', now);
    return reset;
  }

  /**
   * The clock was set back, from `before`. One that was far ahead has kept resets of days to come, here or before a restart: the
   * counterparty keeps them when it is really their time, and so do we.
   */
  setBack(now: EpochMs, before: EpochMs): void {
    const keptAt = this.#resetsAt === null ? null : this.#schedule.lastReset(this.#resetsAt - 1);
    if (keptAt === null || keptAt - now < KEPT_MS) return;
    this.#resetsAt = this.#schedule.nextReset(now);
    this.#keptUntil = Math.max(before, this.#keptUntil ?? before);
  }

  #resetSince(now: EpochMs): EpochMs | null {
    if (this.#span !== null) {
      if (this.#resetsAt === null || now < this.#resetsAt) return null;
      const reset = this.#schedule.lastReset(now);
      return reset !== null && this.#wasKept(reset, now) ? null : reset;
    }
    const last = this.#countedAt === null ? null : this.#schedule.lastReset(now);
    return last !== null && last > this.#countedAt! ? last : null;
  }

  /** True if a clock that was far behind was only corrected: its earlier and present times were after this reset. */
  #wasKept(reset: EpochMs, now: EpochMs): boolean {
    const until = this.#keptUntil;
    return until !== null && reset <= until && until <= now && now - reset >= KEPT_MS;
  }
}
