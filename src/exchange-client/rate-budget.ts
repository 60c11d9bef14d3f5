// Our share of the exchange's rate limits: token buckets per category and for the address, corrected by what the exchange
// says of them. Cancels always find room (rule C3), orders come before reads, reads before the bridge (rule B4).

import type { EpochMs } from '../base/time.ts';
import type { HttpAnswer } from './http.ts';
import type { ClientRates } from './options.ts';

export type RateCategory = 'orders' | 'other' | 'public';
/** First the most urgent. */
export type RatePriority = 'cancel' | 'order' | 'read' | 'bridge';

const ADDRESS_WINDOW_S = 10;
/** How long to keep still after a 429 that names no time. */
const PENALTY_MS = 1_000;

class Bucket {
  readonly #perSecond: number;
  readonly #capacity: number;
  #level: number;
  #at: EpochMs;
  #closedUntil: EpochMs = 0;

  constructor(perSecond: number, capacity: number, now: EpochMs) {
    this.#perSecond = perSecond;
    this.#capacity = capacity;
    this.#level = capacity;
    this.#at = now;
  }

  /** Milliseconds until one may be taken with `reserved` (a share of the capacity) left untouched; 0 for now. */
  waitMs(now: EpochMs, reserved: number): number {
    this.#refill(now);
    if (now < this.#closedUntil) return this.#closedUntil - now;
    const missing = 1 + Math.round(reserved * this.#capacity) - this.#level;
    return missing <= 0 ? 0 : Math.ceil((missing * 1000) / this.#perSecond);
  }

  take(): void {
    this.#level -= 1;
  }

  /** The exchange says how many are left. */
  correct(remaining: number): void {
    if (remaining < this.#level) this.#level = remaining;
  }

  close(until: EpochMs): void {
    if (until > this.#closedUntil) this.#closedUntil = until;
    this.#level = Math.min(this.#level, 0);
  }

  #refill(now: EpochMs): void {
    if (now <= this.#at) return;
    this.#level = Math.min(this.#capacity, this.#level + ((now - this.#at) * this.#perSecond) / 1000);
    this.#at = now;
  }
}

export class RateBudget {
  readonly #rates: ClientRates;
  readonly #now: () => EpochMs;
  readonly #categories: Readonly<Record<RateCategory, Bucket>>;
  readonly #address: Bucket;
  /** When the bridge's requests of the last second left: its burst and what comes back must not add up beyond its share. */
  readonly #bridgeLeft: Readonly<Record<RateCategory, EpochMs[]>> = { orders: [], other: [], public: [] };

  constructor(rates: ClientRates, now: () => EpochMs) {
    const at = now();
    this.#rates = rates;
    this.#now = now;
    this.#categories = {
      orders: new Bucket(rates.ordersPerSecond, rates.ordersPerSecond, at),
      other: new Bucket(rates.otherPerSecond, rates.otherPerSecond, at),
      public: new Bucket(rates.publicPerSecond, rates.publicPerSecond, at),
    };
    this.#address = new Bucket(rates.addressPer10Seconds / ADDRESS_WINDOW_S, rates.addressPer10Seconds, at);
  }

  /** Milliseconds until a request of this priority may leave; 0 for now. */
  waitMs(category: RateCategory, priority: RatePriority): number {
    const now = this.#now();
    const reserved = this.#reserved(priority);
    const wait = Math.max(this.#categories[category].waitMs(now, reserved), this.#address.waitMs(now, reserved));
    return priority === 'bridge' ? Math.max(wait, this.#bridgeWaitMs(category, now, reserved)) : wait;
  }

  /** A request leaves; `waitMs` was 0. */
  take(category: RateCategory, priority: RatePriority = 'order'): void {
    if (priority === 'bridge') this.#bridgeLeft[category].push(this.#now());
    this.#categories[category].take();
    this.#address.take();
  }

  /** Learn from an answer's x-ratelimit headers and from a 429 (exchange reference §6). */
  learn(category: RateCategory, answer: HttpAnswer): void {
    const remaining = numberOf(answer.headers['x-ratelimit-remaining']);
    if (remaining !== null) this.#categories[category].correct(remaining);
    if (answer.status !== 429) return;
    const now = this.#now();
    const reset = numberOf(answer.headers['x-ratelimit-reset']);
    const until = reset !== null && reset > now && reset < now + 60_000 ? reset : now + PENALTY_MS;
    this.#categories[category].close(until);
    if (answer.headers['x-ratelimit-global-breach'] === 'true') this.#address.close(until);
  }

  #bridgeWaitMs(category: RateCategory, now: EpochMs, reserved: number): number {
    const left = this.#bridgeLeft[category];
    while (left[0] !== undefined && left[0] <= now - 1_000) left.shift();
    const limit = this.#rates[`${category}PerSecond`];
    const share = Math.max(1, limit - Math.round(reserved * limit));
    return left.length < share ? 0 : left[0]! + 1_000 - now;
  }

  #reserved(priority: RatePriority): number {
    const { cancelShare, orderShare } = this.#rates;
    switch (priority) {
      case 'cancel':
        return 0;
      case 'order':
        return cancelShare;
      case 'read':
        return cancelShare + orderShare;
      case 'bridge':
        return cancelShare + 2 * orderShare;
    }
  }
}

function numberOf(value: string | string[] | undefined): number | null {
  const text = Array.isArray(value) ? value[0] : value;
  if (text === undefined || !/^\d{1,15}$/.test(text.trim())) return null;
  return Number(text);
}
