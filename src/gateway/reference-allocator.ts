// Allocation of the numeric reference under which an order goes to the exchange (rule O5): a counter per trading
// account, its position derived from the orders themselves. Leaves journaling to the order's record.

import { assert } from '../base/assert.ts';

/** Largest reference that the exchange takes: 1e17 (exchange reference §3.4). */
export const REFERENCE_LIMIT = 100_000_000_000_000_000n;

/** References outside the allocator's range that are remembered per account, so that none is given out again. */
const OBSERVED_MAX = 100_000;

interface AccountPosition {
  next: bigint;
  readonly used: Set<string>;
}

/** Hands out references from a configured range, each at most once per trading account. */
export class ReferenceAllocator {
  private readonly first: bigint;
  private readonly last: bigint;
  private readonly accounts = new Map<string, AccountPosition>();

  constructor(range: { readonly first: string; readonly last: string }) {
    this.first = BigInt(range.first);
    this.last = BigInt(range.last);
    assert(this.first > 0n && this.first <= this.last, 'the reference range is not empty and positive');
    assert(this.last <= REFERENCE_LIMIT, 'the reference range ends at 1e17');
  }

  /** The next free reference of an account, or null when the range is used up. */
  allocate(tradingAccountId: string): string | null {
    const position = this.position(tradingAccountId);
    // Bounded by the references in use: each probe beyond them would have found a free one.
    for (let probes = position.used.size; probes >= 0; probes--) {
      if (position.next > this.last) position.next = this.first;
      const candidate = position.next.toString();
      position.next += 1n;
      if (!position.used.has(candidate)) {
        position.used.add(candidate);
        return candidate;
      }
    }
    return null;
  }

  /** Note a reference that is in use: of a recovered order, of a passed-through ClOrdID, or seen on the exchange. */
  observe(tradingAccountId: string, reference: string): void {
    const position = this.position(tradingAccountId);
    if (!this.owns(reference)) {
      if (position.used.size < OBSERVED_MAX) position.used.add(reference);
      return;
    }
    position.used.add(reference);
    const value = BigInt(reference);
    if (value >= position.next) position.next = value + 1n;
  }

  /** Whether the reference is in use on the account as far as is known. */
  isUsed(tradingAccountId: string, reference: string): boolean {
    return this.position(tradingAccountId).used.has(reference);
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
      position = { next: this.first, used: new Set() };
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
