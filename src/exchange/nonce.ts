// Nonces of signed commands: epoch microseconds inside the day's range, strictly increasing, never below a nonce that
// an earlier process may have used. Reading the range, keeping the ceiling durable and waiting belong to
// exchange-client.

import { assert } from '../base/assert.ts';
import { type EpochMs, endOfUtcDay, startOfUtcDay } from '../base/time.ts';

/** In window mode a nonce is valid if unused and not more than this below the highest used (exchange reference §2.3). */
export const NONCE_WINDOW = 100n;
/** How far ahead of the others a nonce is that must be the highest yet: so many may be handed out below it meanwhile. */
const HEADROOM = 50n;
/** How far above the nonce in use the persisted ceiling is set: 10 s of microseconds, so it is written rarely. */
const CEILING_STEP = 10_000_000n;
/**
 * How far a refused nonce sends the next one ahead: at first beyond the reserve of another process's start, each time
 * four times as far. Never further ahead of the clock than the longest: two processes of one key would else use up the
 * day.
 */
const AHEAD_FIRST = 11_000_000n;
const AHEAD_FACTOR = 4n;
const AHEAD_LEAST = 1_000_000n;
const AHEAD_MAX = 3_600_000_000n;

/** Nonces accepted by the exchange now, both ends included, in epoch microseconds. */
export interface NonceRange {
  readonly lowerBound: bigint;
  readonly upperBound: bigint;
}

/** `window`: any unused nonce near the highest. `serial`: strictly increasing, so one command at a time (rule X3). */
export type NonceMode = 'window' | 'serial';

/** Outcome of an allocation. */
export type NonceAllocation =
  | {
      readonly kind: 'nonce';
      readonly nonce: bigint;
      /** A new ceiling to make durable before the nonce is used, or null if the present one covers it. */
      readonly ceiling: bigint | null;
    }
  /** Too many commands are unanswered: try again when one of them is released. */
  | { readonly kind: 'full' }
  /** The range is over or used up: read it again. */
  | { readonly kind: 'exhausted' };

/** The range that contains `now` by the documented rule: the UTC day in microseconds (trading-api.md, Nonce range). */
export function nonceRangeOfDay(now: EpochMs): NonceRange {
  return { lowerBound: BigInt(startOfUtcDay(now)) * 1000n, upperBound: BigInt(endOfUtcDay(now)) * 1000n + 999n };
}

/** Read the answer of `GET /nonce`; bounds may be numbers or digit strings. Null if it is not a range. */
export function decodeNonceRange(json: unknown): NonceRange | null {
  if (typeof json !== 'object' || json === null) return null;
  const { lowerBound, upperBound } = json as Record<string, unknown>;
  const lower = toNonce(lowerBound);
  const upper = toNonce(upperBound);
  return lower === null || upper === null || lower > upper ? null : { lowerBound: lower, upperBound: upper };
}

function toNonce(value: unknown): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) && value >= 0 ? BigInt(value) : null;
  return typeof value === 'string' && /^\d{1,20}$/.test(value) ? BigInt(value) : null;
}

/**
 * Hands out the nonces of one credential. While commands are unanswered, nonces are consecutive and stay inside the
 * window in any order of arrival; otherwise they follow the clock. A command outside the window needs the highest nonce
 * so far. Later commands stay below it while there is room.
 */
export class NonceAllocator {
  readonly #mode: NonceMode;
  #range: NonceRange | null = null;
  /** The highest nonce handed out in ranges before the present one; -1 if none was. */
  #lastBefore = -1n;
  #last: bigint;
  /** From here up to the latest nonce none is handed out as yet; itself where that left no room. */
  #below: bigint;
  #ceiling: bigint;
  #highestAcknowledged = -1n;
  #ahead = AHEAD_FIRST;
  /** Those without an outcome, and when each was handed out; those with a window, rising. */
  readonly #inFlight = new Map<bigint, EpochMs>();
  /** Those that must be the highest yet. */
  readonly #highestInFlight = new Set<bigint>();

  /** `ceiling` is the highest nonce that an earlier process may have used, null if there was none. */
  constructor(mode: NonceMode, ceiling: bigint | null) {
    this.#mode = mode;
    this.#last = ceiling ?? -1n;
    this.#below = this.#last;
    this.#ceiling = ceiling ?? -1n;
  }

  /** The highest nonce handed out, or the ceiling of an earlier process; -1 if there is neither. */
  get last(): bigint {
    return this.#last;
  }

  /** The highest nonce that the exchange certainly took; -1 if there is none. */
  get highestAcknowledged(): bigint {
    return this.#highestAcknowledged;
  }

  get inFlight(): number {
    return this.#inFlight.size + this.#highestInFlight.size;
  }

  /** A nonce beyond the range came from a fast clock and was refused by the exchange. It blocks no other command. */
  setRange(range: NonceRange): void {
    if (this.#last > range.upperBound) {
      this.#last = this.#lastBefore > range.upperBound ? -1n : this.#lastBefore;
      this.#ceiling = this.#last;
      this.#highestAcknowledged = -1n;
    } else if (this.#last < range.lowerBound) this.#lastBefore = this.#last;
    if (this.#below < range.lowerBound || this.#below > this.#last) this.#below = this.#last;
    this.#range = range;
  }

  /** Whether the range must be read (again): there is none, or the clock has left it, at either end. */
  needsRange(now: EpochMs): boolean {
    const clock = BigInt(now) * 1000n;
    return this.#range === null || clock > this.#range.upperBound || clock < this.#range.lowerBound;
  }

  /**
   * Hand out the next nonce; `above` asks for one that is greater than this, for fencing. Release it with `settle`.
   * With `above`, commands still in flight may fall out of the window: let them settle first. `mustBeHighest`: the command takes
   * no window, and is refused where a higher nonce arrives before it.
   */
  allocate(now: EpochMs, above: bigint | null = null, mustBeHighest = false): NonceAllocation {
    const range = this.#range;
    if (range === null) return { kind: 'exhausted' };
    const ahead = mustBeHighest && this.#mode === 'window';
    if (!ahead && above === null && this.#below < this.#last && this.inFlight > 0) {
      const nonce = this.#below++;
      this.#inFlight.set(nonce, now);
      return { kind: 'nonce', nonce, ceiling: null };
    }
    const clock = BigInt(now) * 1000n;
    // A clock ahead of the exchange at the end of the day: the rest of the range is used one by one.
    let floor = clock > range.upperBound || clock < range.lowerBound ? range.lowerBound : clock;
    let lowest: bigint | null = null;
    if (this.#inFlight.size > 0 && above === null) {
      if (this.#mode === 'serial') return { kind: 'full' };
      lowest = this.#lowestInFlight(range);
      if (lowest !== null) {
        if (this.#last + 1n - lowest >= NONCE_WINDOW) return { kind: 'full' };
        floor = this.#last + 1n;
      }
    }
    if (above !== null && above >= floor) floor = above + 1n;
    const next = floor > this.#last ? floor : this.#last + 1n;
    if (next > range.upperBound) return { kind: 'exhausted' };
    assert(next > this.#last, 'a nonce is never handed out twice');
    this.#below = next;
    this.#last = next;
    if (ahead) {
      const inWindow = lowest === null ? range.upperBound : lowest + NONCE_WINDOW - 1n;
      this.#last = least(next + HEADROOM, least(inWindow, range.upperBound));
    }
    return this.#handOut(now, above !== null, ahead);
  }

  /** The latest one is handed out: the commands that its fence pushes out, and its ceiling. */
  #handOut(now: EpochMs, isFence: boolean, ahead: boolean): NonceAllocation {
    const nonce = this.#last;
    // A command that a fence pushed out of the window blocks no other: each later command would need one more fence.
    if (isFence) {
      for (const other of this.#inFlight.keys()) if (this.fenceAbove(other) < nonce) this.#inFlight.delete(other);
      this.#highestInFlight.clear();
    }
    if (ahead) this.#highestInFlight.add(nonce);
    else this.#inFlight.set(nonce, now);
    if (nonce <= this.#ceiling) return { kind: 'nonce', nonce, ceiling: null };
    this.#ceiling = least(nonce + CEILING_STEP, this.#range!.upperBound);
    return { kind: 'nonce', nonce, ceiling: this.#ceiling };
  }

  /** The command with this nonce has its outcome; `acknowledged` if the exchange certainly took the nonce. */
  settle(nonce: bigint, acknowledged: boolean): void {
    if (!this.#inFlight.delete(nonce)) this.#highestInFlight.delete(nonce);
    if (!acknowledged) return;
    this.#ahead = AHEAD_FIRST;
    if (nonce > this.#highestAcknowledged) this.#highestAcknowledged = nonce;
  }

  /**
   * The exchange refused the latest nonce: an earlier process with an unknown ceiling was ahead. The next nonce goes
   * further ahead inside the range and leaves half of the rest. Returns true if it could.
   */
  stepAhead(now: EpochMs): boolean {
    const range = this.#range;
    if (range === null) return false;
    const clock = BigInt(now) * 1000n;
    const from = this.#last > clock ? this.#last : clock;
    const step = least(least(this.#ahead, clock + AHEAD_MAX - from), (range.upperBound - from) / 2n);
    if (step < AHEAD_LEAST) return false;
    this.#ahead *= AHEAD_FACTOR;
    this.#last = from + step;
    this.#below = this.#last;
    return true;
  }

  /**
   * Stop waiting for a command that was given its nonce before this time and has no outcome although a later one has.
   * It may leave the window and is refused then if it still arrives. Returns true if there was one; never in serial
   * mode.
   */
  leaveBehind(before: EpochMs): boolean {
    if (this.#mode === 'serial') return false;
    const [oldest] = this.#inFlight;
    if (oldest === undefined || oldest[0] > this.#highestAcknowledged || oldest[1] > before) return false;
    return this.#inFlight.delete(oldest[0]);
  }

  /** The smallest nonce that makes `nonce` impossible once acknowledged (rule U2; scope per key is **assumed**). */
  fenceAbove(nonce: bigint): bigint {
    return this.#mode === 'serial' ? nonce : nonce + NONCE_WINDOW;
  }

  /** Whether the exchange can no longer accept `nonce`: a later one was acknowledged, or its day is over (rule U2). */
  isFenced(nonce: bigint): boolean {
    if (this.#range !== null && nonce < this.#range.lowerBound) return true;
    return this.#highestAcknowledged > this.fenceAbove(nonce);
  }

  /** Those of another day are accepted there or nowhere: no window holds them together with those of this one. */
  #lowestInFlight({ lowerBound, upperBound }: NonceRange): bigint | null {
    // Handed out rising, kept in that order.
    for (const nonce of this.#inFlight.keys()) if (nonce >= lowerBound && nonce <= upperBound) return nonce;
    return null;
  }
}

function least(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
