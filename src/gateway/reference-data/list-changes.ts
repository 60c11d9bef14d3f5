// Differences between two readings of the exchange's markets. Whether a market trades now is no difference: that is
// SecurityStatus(f).

import { isSameMarket } from '../../exchange/mod.ts';
import type { MarketRules } from '../vocabulary/market-board.ts';

export interface ListChange {
  /** SecurityUpdateAction(980): added, deleted, modified. */
  readonly action: 'A' | 'D' | 'M';
  readonly rules: MarketRules;
}

/** Changes from one list to the next: deletions first, each list in its own order. */
export function changesSince(before: readonly MarketRules[], after: readonly MarketRules[]): ListChange[] {
  const old = new Map(before.map((rules) => [rules.market.symbol, rules]));
  const changes: ListChange[] = [];
  for (const rules of after) {
    const { symbol } = rules.market;
    const was = old.get(symbol);
    old.delete(symbol);
    if (was === undefined) changes.push({ action: 'A', rules });
    else if (!isSameInstrument(was, rules)) changes.push({ action: 'M', rules });
  }
  return [...Array.from(old.values(), (rules): ListChange => ({ action: 'D', rules })), ...changes];
}

function isSameInstrument({ market: one }: MarketRules, { market: other }: MarketRules): boolean {
  const { marketEnabled, createOrderEnabled, cancelOrderEnabled } = one;
  return one === other || isSameMarket(one, { ...other, marketEnabled, createOrderEnabled, cancelOrderEnabled });
}
