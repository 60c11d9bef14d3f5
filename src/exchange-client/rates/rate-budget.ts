// Our share of the exchange's rate limits: one window per category and login, one per address shared by all logins,
// corrected by the exchange's own figures. Cancels always find room (rule C3), orders come before reads, reads before
// the bridge (rule B4), and reads of a whole account before those of its orders one by one. Unending cancels leave a
// little to the queries about their orders (rule U2). After a 429 nothing leaves until the exchange said, and longer
// each time it says it again.

import type { EpochMs } from '../../base/time.ts';
import { askedMs, headerNumber } from '../../exchange/mod.ts';
import { isBlockPage } from '../commands/outcome.ts';
import type { HttpAnswer, HttpResult } from '../reads/http.ts';
import { LookupTurns, POLL_MS } from '../reads/lookup-turns.ts';
import { type Counted, RateWindow } from './rate-window.ts';

export type RateCategory = 'orders' | 'other' | 'public' | 'custody';
/** First the most urgent; `lookup` is a read of a single order. */
export type RatePriority = 'cancel' | 'order' | 'read' | 'lookup' | 'bridge';

/** Requests per second and shares (exchange reference §6). */
export interface ClientRates {
  /** `/orders` endpoints with a login. */
  readonly ordersPerSecond: number;
  /** Other endpoints with a login, `/command` among them (**assumed**). */
  readonly otherPerSecond: number;
  readonly publicPerSecond: number;
  /** Of one address, in ten seconds; above it the exchange blocks the address for a minute. */
  readonly addressPer10Seconds: number;
  /** `/wallets` endpoints of one address, in a minute. */
  readonly custodyPerMinute: number;
  /** Share of the limits counting cancels that only they may use (rule C3). */
  readonly cancelShare: number;
  /** Share that reads leave to orders and cancels (rule B4): those of single orders half of it more, the bridge twice this. */
  readonly orderShare: number;
}

export const DEFAULT_RATES: ClientRates = {
  ordersPerSecond: 50,
  otherPerSecond: 50,
  publicPerSecond: 50,
  addressPer10Seconds: 500,
  custodyPerMinute: 40,
  cancelShare: 0.2,
  orderShare: 0.2,
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const ADDRESS_WINDOW_MS = 10_000;
/** How long to keep still after a 429 that names no time; doubled while the next answer is one again. */
const PENALTY_FIRST_MS = 1_000;
const PENALTY_MAX_MS = 60_000;
/** Share of each limit that our reads, and upgrades of streams, are sure of while one waits. */
const QUESTION_SHARE = 0.1;

/** Nothing leaves for a while. */
class Pause {
  #until = Number.NEGATIVE_INFINITY;
  #penaltyMs = PENALTY_FIRST_MS;

  waitMs(now: number): number {
    return Math.max(0, this.#until - now);
  }

  /** `askedMs`: how long the exchange asks for, null if it does not say. */
  begin(now: number, askedMs: number | null): void {
    // An answer in flight when the pause began says nothing new.
    if (this.#until > now) {
      if (askedMs !== null) this.#until = Math.max(this.#until, now + askedMs);
      return;
    }
    this.#until = now + Math.max(askedMs ?? this.#penaltyMs, 1);
    this.#penaltyMs = Math.min(this.#penaltyMs * 2, PENALTY_MAX_MS);
  }

  /** An answer that is no refusal for its rate. */
  end(now: number): void {
    if (this.#until <= now) this.#penaltyMs = PENALTY_FIRST_MS;
  }
}

/**
 * One limit, and the share of queries: cancels alone could use it up for good, and their outcomes would stay unknown.
 */
class Limit {
  readonly window: RateWindow;
  /** Queries alone, up to their guaranteed share. */
  readonly #questions: RateWindow;
  /** Questions that wait for room here. */
  questionsWaiting = 0;

  constructor(limit: number, windowMs: number) {
    this.window = new RateWindow(limit, windowMs);
    this.#questions = new RateWindow(Math.ceil(limit * QUESTION_SHARE), windowMs);
  }

  /** Milliseconds until a request may leave that leaves this share to those more urgent; as of a RateWindow. */
  waitMs(now: number, reservedShare: number, isQuestion: boolean): number {
    const reserved = Math.round(reservedShare * this.window.limit);
    if (isQuestion) {
      const assured = Math.max(this.window.waitMs(now, 0), this.#questions.waitMs(now, 0));
      return Math.min(this.window.waitMs(now, reserved), assured);
    }
    // No more than those who wait can take: a cancel has the rest.
    const kept = Math.min(this.questionsWaiting, this.#questions.limit - this.#questions.used(now));
    return this.window.waitMs(now, Math.max(reserved, kept));
  }

  resize(limit: number): void {
    this.window.resize(limit);
    this.#questions.resize(Math.ceil(limit * QUESTION_SHARE));
  }

  take(isQuestion: boolean): Counted {
    if (isQuestion) this.#questions.take();
    return this.window.take();
  }

  settle(now: number, isQuestion: boolean, arrived = true): void {
    if (isQuestion) this.#questions.settle(now);
    this.window.settle(now, arrived);
  }
}

/**
 * Requests that one network address may send, over all logins: one per exchange, shared by its clients. Other processes behind the
 * address have parts of their own.
 */
export class AddressBudget {
  readonly limit: Limit;
  readonly custody: Limit;
  readonly pause = new Pause();
  /** A waiter that goes before every `lookup`, because those can be thousands. */
  goingFirst = 0;
  readonly lookups = new LookupTurns();
  readonly #rates: Pick<ClientRates, 'addressPer10Seconds' | 'custodyPerMinute'>;

  constructor(rates: Pick<ClientRates, 'addressPer10Seconds' | 'custodyPerMinute'>) {
    this.#rates = rates;
    this.limit = new Limit(rates.addressPer10Seconds, ADDRESS_WINDOW_MS);
    this.custody = new Limit(rates.custodyPerMinute, MINUTE_MS);
  }

  /** Take one of so many equal parts of the address's limits; within it cancels keep their share. At least one request. */
  shareWith(parts: number): void {
    const { addressPer10Seconds, custodyPerMinute } = this.#rates;
    this.limit.resize(partOf(addressPer10Seconds, parts));
    this.custody.resize(partOf(custodyPerMinute, parts));
  }

  /**
   * Wait for room for a question that counts against the address alone, and take it; null if there is none within
   * `withinMs`. Call the returned function when the request was answered, or can no longer be.
   */
  room(elapsedMs: () => number, reservedShare: number, withinMs: number): Promise<(() => void) | null> {
    const waitMs = (): number => {
      const now = elapsedMs();
      return Math.max(this.pause.waitMs(now), this.limit.waitMs(now, reservedShare, true));
    };
    const take = (): (() => void) => {
      this.limit.take(true);
      let isSettled = false;
      return () => {
        if (!isSettled) this.limit.settle(elapsedMs(), true);
        isSettled = true;
      };
    };
    return asking([this.limit], () => waited(waitMs, withinMs, take));
  }
}

function partOf(limit: number, parts: number): number {
  return Math.max(1, Math.floor(limit / parts));
}

/** Others leave room in these limits while a question waits. */
async function asking<T>(limits: readonly Limit[], wait: () => Promise<T>): Promise<T> {
  for (const limit of limits) limit.questionsWaiting++;
  try {
    return await wait();
  } finally {
    for (const limit of limits) limit.questionsWaiting--;
  }
}

/**
 * Wait until `waitMs` is 0, and take the place before any other waiter; null if that is more than `withinMs` away, by a
 * monotonic clock.
 */
async function waited<T>(waitMs: () => number, withinMs: number, take: () => T): Promise<T | null> {
  for (const until = performance.now() + withinMs; ; ) {
    const wait = waitMs();
    if (wait === 0) return take();
    const left = until - performance.now();
    if (left <= 0 || (wait > left && wait !== Number.POSITIVE_INFINITY)) return null;
    await new Promise((resolve) => setTimeout(resolve, Math.min(wait, POLL_MS)));
  }
}

/** One request that counts; settle it when its answer is there, or can no longer come. */
export interface RateTicket {
  settle(result: HttpResult): void;
}

/**
 * Clocks of the rates: limits by a monotonic time, so that a clock set back delays no cancel; dates by the wall clock.
 */
export interface RateClock {
  readonly elapsedMs: () => number;
  readonly now: () => EpochMs;
}

/** How the exchange says that it wants fewer requests. */
export type RateRefusal = 'rate-limited' | 'address-blocked';

export class RateBudget {
  readonly #rates: ClientRates;
  readonly #clock: RateClock;
  readonly #limits: Readonly<Record<RateCategory, Limit>>;
  readonly #pauses: Readonly<Record<RateCategory, Pause>> = {
    orders: new Pause(),
    other: new Pause(),
    public: new Pause(),
    custody: new Pause(),
  };
  readonly #address: AddressBudget;
  readonly #cancelsAmongOrders: boolean;
  readonly #onRefused: (kind: RateRefusal) => void;

  /**
   * @param cancelsAmongOrders cancels go to an `/orders` endpoint too, and count like new orders
   * @param onRefused called for each request refused for its rate
   */
  constructor(
    rates: ClientRates,
    clock: RateClock,
    address: AddressBudget,
    cancelsAmongOrders = false,
    onRefused: (kind: RateRefusal) => void = () => {},
  ) {
    this.#onRefused = onRefused;
    this.#rates = rates;
    this.#cancelsAmongOrders = cancelsAmongOrders;
    this.#clock = clock;
    this.#address = address;
    this.#limits = {
      orders: new Limit(rates.ordersPerSecond, SECOND_MS),
      other: new Limit(rates.otherPerSecond, SECOND_MS),
      public: new Limit(rates.publicPerSecond, SECOND_MS),
      custody: address.custody,
    };
  }

  /** Milliseconds until a request of this priority may leave; 0 for now, Infinity until an answer came. */
  waitMs(category: RateCategory, priority: RatePriority): number {
    const now = this.#clock.elapsedMs();
    const { cancelShare } = this.#rates;
    const ofAddress = this.#reserved(priority, cancelShare);
    // A limit that counts no cancel keeps no share for them: all of it is for orders.
    const ofCategory = this.#hasCancels(category) ? ofAddress : this.#reserved(priority, 0);
    const { limit: address, pause } = this.#address;
    const paused = Math.max(this.#pauses[category].waitMs(now), pause.waitMs(now));
    if (paused > 0) return paused;
    const isQuestion = isOfQuestions(priority);
    return Math.max(
      this.#limits[category].waitMs(now, ofCategory, isQuestion),
      address.waitMs(now, ofAddress, isQuestion),
    );
  }

  /**
   * Wait for a share of the rate and take it; null if there is none within `withinMs`. `turn`: of the look-up; `isWanted`: whether
   * it is still to be asked when that comes.
   */
  async room(
    category: RateCategory,
    priority: RatePriority,
    withinMs: number,
    turn = 0,
    isWanted?: () => boolean,
  ): Promise<RateTicket | null> {
    const address = this.#address;
    const take = (): RateTicket => this.take(category, priority);
    const waitMs = (): number => this.waitMs(category, priority);
    const limits = isOfQuestions(priority) ? [this.#limits[category], address.limit] : [];
    if (priority === 'lookup') {
      const behind = (): number => (address.goingFirst > 0 ? Math.max(POLL_MS, waitMs()) : waitMs());
      const room = { limit: this.#limits[category], owner: this, waitMs: behind, take, withinMs, isWanted };
      return await asking(limits, () => address.lookups.room(turn, room));
    }
    if (priority === 'bridge') return await waited(waitMs, withinMs, take);
    address.goingFirst++;
    try {
      return await asking(limits, () => waited(waitMs, withinMs, take));
    } finally {
      address.goingFirst--;
    }
  }

  /** No look-up waits any more. */
  close(): void {
    this.#address.lookups.giveUp(this);
  }

  /** A request leaves; `waitMs` was 0. */
  take(category: RateCategory, priority: RatePriority = 'order'): RateTicket {
    const limit = this.#limits[category];
    const address = this.#address.limit;
    const isQuestion = isOfQuestions(priority);
    const counted = limit.take(isQuestion);
    address.take(isQuestion);
    return {
      settle: (result) => {
        const now = this.#clock.elapsedMs();
        limit.settle(now, isQuestion, result.kind !== 'broken');
        address.settle(now, isQuestion);
        if (result.kind === 'answer') this.#learn(category, result, counted);
      },
    };
  }

  /** Meaning of an answer's x-ratelimit headers and of a 429 (exchange reference §6). */
  #learn(category: RateCategory, answer: HttpAnswer, counted: Counted): void {
    const now = this.#clock.elapsedMs();
    const { headers, status } = answer;
    const { window } = this.#limits[category];
    const remaining = headerNumber(headers['x-ratelimit-remaining']);
    if (remaining !== null && status !== 429) {
      // A repeated header may describe two limits and is ambiguous.
      const isOne = typeof headers['x-ratelimit-remaining'] === 'string';
      window.correct(
        headerNumber(headers['x-ratelimit-limit']) ?? window.limit,
        remaining,
        isOne ? counted : null,
        now,
      );
    }
    const isBlocked = isBlockPage(answer);
    if (status !== 429 && !isBlocked) {
      this.#pauses[category].end(now);
      this.#address.pause.end(now);
      return;
    }
    this.#onRefused(isBlocked ? 'address-blocked' : 'rate-limited');
    const asked = askedMs(headers, this.#clock.now());
    window.distrust(now);
    // Without the headers of a category it is the address that is blocked.
    const isAddress = isBlocked || headers['x-ratelimit-global-breach'] === 'true' || remaining === null;
    if (isAddress) this.#address.pause.begin(now, asked);
    else this.#pauses[category].begin(now, asked);
  }

  #hasCancels(category: RateCategory): boolean {
    return category === 'other' || (category === 'orders' && this.#cancelsAmongOrders);
  }

  /** The share that this priority leaves to those more urgent; `cancelShare` of it to cancels. */
  #reserved(priority: RatePriority, cancelShare: number): number {
    const { orderShare } = this.#rates;
    switch (priority) {
      case 'cancel':
        return 0;
      case 'order':
        return cancelShare;
      case 'read':
        return cancelShare + orderShare;
      case 'lookup':
        return cancelShare + 1.5 * orderShare;
      case 'bridge':
        return cancelShare + 2 * orderShare;
    }
  }
}

/** Our own queries; cancels leave no share to the bridge's. */
function isOfQuestions(priority: RatePriority): boolean {
  return priority === 'read' || priority === 'lookup';
}
