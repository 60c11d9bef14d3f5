// Nonces of commands, per key: inside the day's range, each used once, rising or within the window (exchange reference §2.4).

import type { EpochMs } from '../../base/time.ts';
import { NONCE_WINDOW, type NonceRange, nonceRangeOfDay } from '../../exchange/mod.ts';

interface Used {
  highest: bigint;
  /** Nonces used at or above the low end of the window. */
  readonly recent: Set<bigint>;
}

/** Scope per key is **assumed** (exchange reference §10). A nonce is used up when the signature was right. */
export class NonceGuard {
  private readonly used = new Map<string, Used>();

  range(now: EpochMs): NonceRange {
    return nonceRangeOfDay(now);
  }

  /** Why a nonce cannot be accepted, or null if it can. */
  refusal(keyName: string, nonce: string, window: boolean, now: EpochMs): string | null {
    if (!/^\d{1,20}$/.test(nonce)) return 'nonce is not an unsigned 64-bit integer';
    const value = BigInt(nonce);
    if (value > 0xffff_ffff_ffff_ffffn) return 'nonce is not an unsigned 64-bit integer';
    const { lowerBound, upperBound } = this.range(now);
    if (value < lowerBound || value > upperBound) return 'nonce is outside the current range';
    const used = this.used.get(keyName);
    if (used === undefined) return null;
    if (used.highest > upperBound) {
      // The clock was in another day and is set right: nonces taken there mean nothing here.
      this.used.delete(keyName);
      return null;
    }
    if (used.recent.has(value)) return 'nonce was used before';
    if (!window) return value > used.highest ? null : 'nonce is not greater than the last one';
    return used.highest - value > NONCE_WINDOW ? 'nonce is below the window' : null;
  }

  use(keyName: string, nonce: string): void {
    const value = BigInt(nonce);
    let used = this.used.get(keyName);
    if (used === undefined) {
      used = { highest: value, recent: new Set() };
      this.used.set(keyName, used);
    }
    used.recent.add(value);
    if (value <= used.highest) return;
    used.highest = value;
    if (used.recent.size <= Number(NONCE_WINDOW)) return;
    for (const old of used.recent) if (used.highest - old > NONCE_WINDOW) used.recent.delete(old);
  }
}
