// Fills that wait for older ones: behind a gap of the private stream its snapshot shows the latest only, and what was before
// them is being read over REST. Bounded in number; how long they wait is their owner's. Leaves duplicates to the gateway.

import type { ExchangeEvent } from '../../exchange/mod.ts';

type TradeEvent = Extract<ExchangeEvent, { kind: 'trade' }>;

/** Per account; beyond the limit they are reported as they come. */
const KEPT_MAX = 1_000;

export class LaterTrades {
  /** By trading account. */
  private readonly kept = new Map<string, TradeEvent[]>();
  private readonly pass: (trade: TradeEvent) => void;

  constructor(pass: (trade: TradeEvent) => void) {
    this.pass = pass;
  }

  /** From now on the trades of an account wait. Returns what ends this wait, and no later one; null if they wait already. */
  begin(tradingAccountId: string): (() => void) | null {
    if (this.kept.has(tradingAccountId)) return null;
    const kept: TradeEvent[] = [];
    this.kept.set(tradingAccountId, kept);
    return () => {
      if (this.kept.get(tradingAccountId) === kept) this.release(tradingAccountId);
    };
  }

  /** Whether a trade was kept: it is passed on by `release`. */
  keeps(event: TradeEvent): boolean {
    const { tradingAccountId } = event.trade;
    const kept = this.kept.get(tradingAccountId);
    if (kept === undefined) return false;
    kept.push(event);
    if (kept.length >= KEPT_MAX) this.release(tradingAccountId);
    return true;
  }

  /** The missing data was reported, or takes too long. */
  release(tradingAccountId: string): void {
    const kept = this.kept.get(tradingAccountId) ?? [];
    this.kept.delete(tradingAccountId);
    for (const event of kept) this.pass(event);
  }

  /** The receiver can take nothing, and the kept data is to be read again. */
  forget(): void {
    this.kept.clear();
  }
}
