// Allocates the numeric reference under which an order goes to the exchange (rule O5): a counter per trading account,
// never derived from the ClOrdID. Its ceiling is recorded before use, so that a restart continues after it. In a large
// range it continues after the highest number that any journal can have reached by then. The registry maps references
// to orders.

import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';

/** Largest reference that the exchange takes: 1e17 (exchange reference §3.4). */
export const REFERENCE_LIMIT = 100_000_000_000_000_000n;

/** References put on record at a time; a small range is recorded one by one, so that a restart skips none. */
const AHEAD = 1_000n;
const AHEAD_FROM_RANGE = 1_000_000n;

/**
 * References that the time itself takes up, in a range that has room for so many in each millisecond of three centuries: more
 * than any account enters. A journal that is new, or older than the exchange, so gives out none of those of long ago, which
 * no list of the exchange shows any more (rule J3).
 */
const PER_MS_MAX = 1_000n;
const CENTURIES_MS = 2n ** 43n;

/** References seen at the exchange that no order here has, remembered per account so that none is given out. */
const OBSERVED_MAX = 100_000;

/** References tried before the range counts as used up, once the counter has been all the way round. */
const PROBES_MAX = 65_536;

/** Where the counter of an account stands. */
interface AccountPosition {
  next: bigint;
  /** References below it may have been given out; the record says so. */
  ceiling: bigint;
  /** The counter has been round once: references ahead may be in use. */
  wrapped: boolean;
  readonly observed: Set<string>;
  /** References of the own range that only the exchange has (rule J3). */
  readonly strays: Set<string>;
  /** Strays that an operator adopted. */
  readonly adopted: Set<string>;
  /** References below it had been given out as far as the journal goes. */
  recorded: bigint;
  /** This process gave out one. */
  hasBegun: boolean;
}

/** The record required before references below `ceiling` are used. */
export interface ReferenceCeiling {
  readonly tradingAccountId: string;
  readonly ceiling: string;
  readonly wrapped: boolean;
}

/** Hands out references from a configured range, each at most once per trading account. */
export class ReferenceAllocator {
  private readonly first: bigint;
  private readonly last: bigint;
  private readonly ahead: bigint;
  private readonly perMs: bigint;
  private readonly isTaken: (tradingAccountId: string, reference: string) => boolean;
  private readonly accounts = new Map<string, AccountPosition>();
  /** Where the counter of an account begins that the journal does not know. */
  private begin: bigint;

  /** @param isTaken whether an order of the account, open or ended, has the reference */
  constructor(
    range: { readonly first: string; readonly last: string },
    isTaken: (tradingAccountId: string, reference: string) => boolean,
  ) {
    this.first = BigInt(range.first);
    this.last = BigInt(range.last);
    this.isTaken = isTaken;
    this.begin = this.first;
    assert(this.first > 0n && this.first <= this.last, 'the reference range is not empty and positive');
    assert(this.last <= REFERENCE_LIMIT, 'the reference range ends at 1e17');
    this.ahead = this.last - this.first >= AHEAD_FROM_RANGE ? AHEAD : 1n;
    const perMs = (this.last - this.first) / CENTURIES_MS;
    this.perMs = perMs < PER_MS_MAX ? perMs : PER_MS_MAX;
  }

  /**
   * The next free reference of an account, or null when the range is used up.
   * @param now the first of a process goes by it
   * @param onCeiling gets the record that must accompany the order with the reference
   */
  allocate(tradingAccountId: string, now: EpochMs, onCeiling: (ceiling: ReferenceCeiling) => void): string | null {
    const position = this.position(tradingAccountId);
    if (!position.hasBegun) this.beginAt(position, now);
    for (let probes = 0; probes < PROBES_MAX && BigInt(probes) <= this.last - this.first; probes++) {
      if (position.next > this.last) {
        position.next = this.first;
        position.ceiling = this.first;
        position.wrapped = true;
      }
      const candidate = position.next.toString();
      position.next += 1n;
      if (position.observed.has(candidate) || position.strays.has(candidate) || position.adopted.has(candidate))
        continue;
      if (position.wrapped && this.isTaken(tradingAccountId, candidate)) continue;
      if (position.next > position.ceiling) {
        position.ceiling = position.next + this.ahead - 1n;
        const { ceiling, wrapped } = position;
        onCeiling({ tradingAccountId, ceiling: ceiling.toString(), wrapped });
      }
      return candidate;
    }
    return null;
  }

  /** Give out nothing that a process before `now` may have given out, whatever the journal says. */
  private beginAt(position: AccountPosition, now: EpochMs): void {
    position.hasBegun = true;
    const first = this.first + this.perMs * BigInt(now);
    if (position.wrapped || first <= position.next || first > this.last) return;
    position.next = first;
    position.ceiling = first;
  }

  /** Go on where an earlier process may have come to. */
  recover({ tradingAccountId, ceiling, wrapped }: ReferenceCeiling): void {
    const position = this.position(tradingAccountId);
    const value = BigInt(ceiling);
    position.wrapped ||= wrapped;
    position.recorded = value;
    if (value < this.first || value > this.last + 1n || (!wrapped && value < position.next)) return;
    position.next = value;
    position.ceiling = value;
  }

  /**
   * Continue after references that may have been given out in lost records: at most so many. Called once, when
   * everything that could be read was recovered.
   */
  skip(count: number): void {
    const skipped = (from: bigint): bigint => {
      const to = from + BigInt(count);
      return to > this.last ? this.last + 1n : to;
    };
    this.begin = skipped(this.first);
    for (const position of this.accounts.values()) {
      position.next = skipped(position.next);
      position.ceiling = position.next;
    }
  }

  /** True if a reference is beyond those that the journal shows as given out. */
  isBeyondRecord(tradingAccountId: string, reference: string): boolean {
    const { recorded, wrapped } = this.position(tradingAccountId);
    return !wrapped && BigInt(reference) >= recorded;
  }

  /** Note a reference that is in use: of a recovered order, or seen on the exchange. */
  observe(tradingAccountId: string, reference: string): void {
    const position = this.position(tradingAccountId);
    if (!this.owns(reference)) {
      if (position.observed.size < OBSERVED_MAX) position.observed.add(reference);
      return;
    }
    const value = BigInt(reference);
    if (position.wrapped) {
      if (position.observed.size < OBSERVED_MAX) position.observed.add(reference);
    } else if (value >= position.next) {
      position.next = value + 1n;
      if (position.ceiling < position.next) position.ceiling = position.next;
    }
  }

  /** Whether the reference is in use on the account as far as is known. */
  isUsed(tradingAccountId: string, reference: string): boolean {
    const { observed, strays, adopted } = this.position(tradingAccountId);
    if (observed.has(reference) || strays.has(reference) || adopted.has(reference)) return true;
    return this.isTaken(tradingAccountId, reference);
  }

  /** Note a reference of the own range that the exchange has and no record here (rule J3). */
  stray(tradingAccountId: string, reference: string): void {
    const { strays } = this.position(tradingAccountId);
    if (strays.size < OBSERVED_MAX) strays.add(reference);
  }

  strays(tradingAccountId: string): readonly string[] {
    const strays = this.accounts.get(tradingAccountId)?.strays;
    return strays === undefined ? [] : [...strays];
  }

  /** Take the strays of an account as used; returns all that were ever adopted there. */
  adoptStrays(tradingAccountId: string): readonly string[] {
    const { strays, adopted } = this.position(tradingAccountId);
    for (const reference of strays) adopted.add(reference);
    strays.clear();
    return [...adopted];
  }

  /** Recognise references that an operator adopted. */
  recoverAdopted(tradingAccountId: string, references: readonly string[]): void {
    const { adopted } = this.position(tradingAccountId);
    for (const reference of references) {
      this.observe(tradingAccountId, reference);
      adopted.add(reference);
    }
  }

  /** Whether a text is a reference of the allocator's own range. */
  owns(reference: string): boolean {
    if (!isReference(reference)) return false;
    const value = BigInt(reference);
    return value >= this.first && value <= this.last;
  }

  private position(tradingAccountId: string): AccountPosition {
    let position = this.accounts.get(tradingAccountId);
    if (position === undefined) {
      position = {
        next: this.begin,
        ceiling: this.begin,
        wrapped: false,
        observed: new Set(),
        strays: new Set(),
        adopted: new Set(),
        recorded: this.first,
        hasBegun: false,
      };
      this.accounts.set(tradingAccountId, position);
    }
    return position;
  }
}

/** Whether a text is an integer that the exchange takes as a reference: 1 to 1e17 without leading zeros. */
export function isReference(text: string): boolean {
  if (text.length === 0 || text.length > 18 || text.charCodeAt(0) === 0x30) return false;
  for (let i = 0; i < text.length; i++) {
    const c = text.charCodeAt(i);
    if (c < 0x30 || c > 0x39) return false;
  }
  return BigInt(text) <= REFERENCE_LIMIT;
}
