// Records of what happened, for the history endpoints: bounded lists, oldest first.

import type { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';
import type { MmpRequestView, MmpTriggerView } from '../products/mmp-configuration.ts';
import type { SettlementView } from './position.ts';
import type { PublicTrade } from './venue-view.ts';

/** A list that forgets its oldest entries beyond `most`. */
export class BoundedList<T> {
  private items: T[] = [];
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  push(item: T): void {
    this.items.push(item);
    // Cut in larger pieces, so that a full list costs little per entry.
    if (this.items.length > this.most * 1.1) this.items = this.items.slice(-this.most);
  }

  /** Entries, oldest first. */
  get all(): readonly T[] {
    return this.items;
  }

  replace(items: readonly T[]): void {
    this.items = [...items];
  }
}

/** Interest of one hour on what one account borrowed of one asset. */
export interface InterestView {
  readonly tradingAccountId: string;
  readonly asset: string;
  readonly borrowed: Decimal;
  readonly interest: Decimal;
  readonly at: EpochMs;
}

/** Funding rate of one hour in one perpetual market, as a ratio. */
export interface FundingView {
  readonly symbol: string;
  readonly rate: Decimal;
  readonly at: EpochMs;
}

/** A fill in an option market; `otcTradeId` is set where it was agreed elsewhere. */
export interface OptionTradeView {
  readonly trade: PublicTrade;
  readonly otcTradeId: string | null;
}

const ENTRIES_MAX = 20_000;
const MMP_MAX = 200;

export class Histories {
  readonly settlements = new BoundedList<SettlementView>(ENTRIES_MAX);
  readonly interest = new BoundedList<InterestView>(ENTRIES_MAX);
  readonly funding = new BoundedList<FundingView>(ENTRIES_MAX);
  readonly mmpRequests = new BoundedList<MmpRequestView>(MMP_MAX);
  readonly mmpTriggers = new BoundedList<MmpTriggerView>(MMP_MAX);
  readonly optionTrades = new BoundedList<OptionTradeView>(ENTRIES_MAX);
}
