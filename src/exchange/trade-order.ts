// Sorts trades by time, oldest first. The exchange lists the latest first; reports need the reverse.

import type { EpochMs } from '../base/time.ts';

interface Dated {
  readonly tradeId: string;
  readonly createdAt: EpochMs | null;
}

/** The trades in a new list, oldest first; ids of one market rise with time and decide between trades of one millisecond. */
export function oldestFirst<T extends Dated>(trades: readonly T[]): T[] {
  return trades.toSorted((a, b) => (a.createdAt ?? 0) - (b.createdAt ?? 0) || byDigits(a.tradeId, b.tradeId));
}

/** Order of two ids of digits, which may be longer than a number holds. */
function byDigits(a: string, b: string): number {
  if (a.length !== b.length) return a.length - b.length;
  return a < b ? -1 : a > b ? 1 : 0;
}
