// Request limits per login and per address, with the headers that tell of them (exchange reference §6).

import type { EpochMs } from '../../base/time.ts';
import { Refusal } from '../rest/refusal.ts';
import type { Limits } from '../settings.ts';

export type LimitCategory = 'orders' | 'other' | 'public' | 'custody' | 'none';

interface Window {
  endsAt: EpochMs;
  count: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const ADDRESS_WINDOW_MS = 10_000;
/** Windows and blocks kept at once; more means that somebody invents addresses. */
const WINDOWS_MAX = 10_000;

export class RateLimits {
  private readonly limits: Limits;
  private readonly windows = new Map<string, Window>();
  private readonly blockedUntil = new Map<string, EpochMs>();
  /** Answer every limited request with 429 and the global breach header. */
  globalBreach = false;

  constructor(limits: Limits) {
    this.limits = limits;
  }

  /**
   * Count a request. Returns the headers that its answer carries; `refusal` is set if it is one too many.
   * `who` is the login's key for authenticated categories, else the address.
   */
  count(
    category: LimitCategory,
    who: string,
    address: string,
    raised: boolean,
    now: EpochMs,
  ): { headers: Record<string, string>; refusal: Refusal | null } {
    if (category === 'none') return { headers: {}, refusal: null };
    const blocked = this.addressRefusal(address, now);
    if (blocked !== null) return { headers: {}, refusal: blocked };
    if (this.globalBreach) {
      const refusal = new Refusal(429, 96001, 'GLOBAL_RATE_LIMIT_EXCEEDED', 'Global rate limit exceeded');
      return { headers: { 'x-ratelimit-global-breach': 'true' }, refusal };
    }
    const base = this.limitOf(category);
    if (base === null) return { headers: {}, refusal: null };
    const limit = raised ? base * this.limits.tokenFactor : base;
    const isCustody = category === 'custody';
    const window = this.window(`${category} ${isCustody ? address : who}`, isCustody ? MINUTE_MS : SECOND_MS, now);
    window.count++;
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(Math.max(0, limit - window.count)),
      'x-ratelimit-reset': String(window.endsAt),
    };
    const refusal = window.count > limit ? new Refusal(429, 96000, 'RATE_LIMIT_EXCEEDED', 'Rate limit exceeded') : null;
    return { headers, refusal };
  }

  /** Count an upgrade to a stream, against its address only (**assumed**); false if it is one too many. */
  countUpgrade(address: string, now: EpochMs): boolean {
    return this.addressRefusal(address, now) === null;
  }

  /** Forget blocks and counts. */
  clear(): void {
    this.windows.clear();
    this.blockedUntil.clear();
    this.globalBreach = false;
  }

  private limitOf(category: Exclude<LimitCategory, 'none'>): number | null {
    const { ordersPerSecond, otherPerSecond, publicPerSecond, custodyPerMinute } = this.limits;
    if (category === 'custody') return custodyPerMinute;
    return category === 'orders' ? ordersPerSecond : category === 'other' ? otherPerSecond : publicPerSecond;
  }

  private addressRefusal(address: string, now: EpochMs): Refusal | null {
    const { addressPer10s, blockMs } = this.limits;
    if (addressPer10s === null) return null;
    const until = this.blockedUntil.get(address);
    if (until !== undefined && until > now) {
      return new Refusal(429, 96000, 'RATE_LIMIT_EXCEEDED', 'This address is blocked for a while');
    }
    this.blockedUntil.delete(address);
    const window = this.window(`address ${address}`, ADDRESS_WINDOW_MS, now);
    window.count++;
    if (window.count <= addressPer10s) return null;
    this.blockedUntil.set(address, now + blockMs);
    return new Refusal(429, 96000, 'RATE_LIMIT_EXCEEDED', 'Rate limit of this address exceeded');
  }

  private window(key: string, lengthMs: number, now: EpochMs): Window {
    let found = this.windows.get(key);
    if (found === undefined || found.endsAt <= now) {
      if (this.windows.size >= WINDOWS_MAX) this.windows.clear();
      found = { endsAt: now + lengthMs, count: 0 };
      this.windows.set(key, found);
    }
    return found;
  }
}
