// The exchange's time: our clock with its measured offset. Signed requests carry that time, because beyond its
// tolerance the exchange refuses all of them, including cancels (exchange reference §2.3, §5: 9014). Nonces follow our
// own clock: they only have to rise within the range of the day (§2.4). The operator sets clocks.

import type { EpochMs } from '../base/time.ts';
import { decodeTime, parseExactJson } from '../exchange/mod.ts';
import type { ResolvedOptions } from './options.ts';
import type { RateBudget } from './rates/rate-budget.ts';
import type { HttpAnswer, HttpOrigin } from './reads/http.ts';

/** Longest wait for a share of the rate. */
const RATE_WAIT_MAX_MS = 10_000;
/** How long commands wait for the exchange's time where our clock was set: longer than that, no cancel is held back (rule X3). */
const HELD_MAX_MS = 1_000;
/** A command that was refused as such has the clocks compared, this often at most. */
const DOUBT_INTERVAL_MS = 250;
/** Age of an answer out of a cache counts whole seconds. */
const AGE_UNIT_MS = 1_000;

export class ExchangeClock {
  readonly #options: ResolvedOptions;
  readonly #http: HttpOrigin;
  readonly #budget: RateBudget;
  #timer: NodeJS.Timeout | null = null;
  #isClosed = false;
  #offsetMs = 0;
  /** Our clock against the monotonic time at the last look: a change means that the clock was set. */
  #ours: number;
  #comparing: Promise<void> | null = null;
  #comparedAt = Number.NEGATIVE_INFINITY;
  /** The exchange's time as it was heard last, and when that was first: once more it is a copy, and as old as that. */
  #heard: { readonly time: EpochMs; readonly at: number } | null = null;
  #heldUntil = Number.NEGATIVE_INFINITY;

  constructor(options: ResolvedOptions, http: HttpOrigin, budget: RateBudget) {
    this.#options = options;
    this.#http = http;
    this.#budget = budget;
    this.#ours = options.now() - options.elapsedMs();
  }

  /** Compare now, and from now on again and again. */
  start(): void {
    void this.compare();
    this.#timer = setInterval(() => void this.compare(), this.#options.timeouts.clockCheckMs);
    this.#timer.unref();
  }

  close(): void {
    this.#isClosed = true;
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** Milliseconds to add to our clock to agree with the exchange's; 0 while both agree. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** The exchange's time as well as it is known. */
  now(): EpochMs {
    return this.#options.now() + this.#offsetMs;
  }

  /** Whether our clock was set since it was compared: then it is compared again, and commands wait a moment for that. */
  isInDoubt(): boolean {
    const { now, elapsedMs, settings } = this.#options;
    const elapsed = elapsedMs();
    if (this.#comparing === null && Math.abs(now() - elapsed - this.#ours) > settings.clockOffsetMaxMs) {
      this.#heldUntil = elapsed + HELD_MAX_MS;
      void this.compare();
    }
    return this.#comparing !== null && elapsed < this.#heldUntil;
  }

  /** The exchange refused something for a reason that may be its time: compare, unless that was done just now. */
  doubt(): void {
    if (this.#options.elapsedMs() - this.#comparedAt >= DOUBT_INTERVAL_MS) void this.compare();
  }

  /** Ask the exchange for its time; calls meanwhile share the question. Never rejects; without an answer all stays as it is. */
  compare(): Promise<void> {
    if (this.#comparing !== null || this.#isClosed) return this.#comparing ?? Promise.resolve();
    const { now, elapsedMs } = this.#options;
    this.#comparedAt = elapsedMs();
    this.#ours = now() - this.#comparedAt;
    this.#comparing = this.#ask().finally(() => {
      this.#comparing = null;
    });
    return this.#comparing;
  }

  async #ask(): Promise<void> {
    const { now, elapsedMs } = this.#options;
    // Cancels hang on it: it takes of their share.
    const ticket = await this.#budget.room('public', 'cancel', RATE_WAIT_MAX_MS);
    if (ticket === null) return;
    // Waiting for the rate is not travelling: the request is timed by itself.
    const sentAt = now();
    const headers = { 'cache-control': 'no-cache' };
    const question = { method: 'GET', target: '/trading-api/v1/time', headers, body: null } as const;
    const result = await this.#http.send(question);
    const receivedAt = now();
    ticket.settle(result);
    if (result.kind !== 'answer' || result.status !== 200) return;
    const time = decodeTime(parseExactJson(result.body));
    // A clock that was set while the question travelled measures nothing; that is seen by the next command.
    if (time === null || this.#isClosed || receivedAt < sentAt) return;
    const at = elapsedMs();
    if (this.#heard?.time !== time) this.#heard = { time, at };
    // Data from an intermediate cache was true this long ago.
    const age = Math.max(ageOf(result), Math.round(at - this.#heard.at));
    const earliest = sentAt - age - (age > 0 ? AGE_UNIT_MS : 0);
    // The exchange's clock was read between departure and arrival: only time outside that is certainly an offset.
    this.#learn(time < earliest ? time - earliest : Math.max(0, time - (receivedAt - age)));
  }

  #learn(offsetMs: number): void {
    const { now, settings, onAlarm, log } = this.#options;
    const wasOff = this.#offsetMs !== 0;
    const isOff = Math.abs(offsetMs) > settings.clockOffsetMaxMs;
    this.#offsetMs = isOff ? offsetMs : 0;
    if (isOff && !wasOff) {
      const is = `our clock is ${Math.abs(offsetMs)} ms ${offsetMs < 0 ? 'ahead of' : 'behind'} the exchange's`;
      onAlarm('clock-offset', `${is}; signed requests carry the exchange's time meanwhile`, { offsetMs, at: now() });
    }
    if (!isOff && wasOff) log('info', 'our clock agrees with the exchange again', { offsetMs });
  }
}

/** How long something in between has kept an answer, in milliseconds, as far as it says so. */
function ageOf({ headers: { age } }: HttpAnswer): number {
  return typeof age === 'string' && /^\d{1,9}$/.test(age) ? Number(age) * AGE_UNIT_MS : 0;
}
