// Throttles alarms that come for thousands of orders at once, as when the exchange lost its book or is silent. The
// first ones are raised one by one, the others as a count every few seconds. Each order remembers its own.

import type { EpochMs } from '../../base/time.ts';

/** Alarms that one trouble of the exchange raises for every order of an account. */
const OF_MANY: ReadonlySet<string> = new Set([
  'cancel-incomplete',
  'cancel-on-disconnect-incomplete',
  'order-not-found',
  'order-pending',
  'own-reference-unknown',
  'trades-missing',
  'unknown-outcome',
  'outcome-open',
]);

/** Alarms raised singly per kind and account; restarts once a window was quiet. */
const TOLD_MAX = 5;
const WINDOW_MS = 10_000;
/** Orders named with their number. */
const NAMED_MAX = 20;

/** Alarms of one kind and account that were only counted. */
export interface UntoldAlarms {
  readonly alarm: string;
  readonly tradingAccountId: string;
  readonly count: number;
  /** ClOrdIDs(11) of the first of them; for external orders, their references. */
  readonly clOrdIDs: readonly string[];
}

interface Window {
  readonly alarm: string;
  readonly tradingAccountId: string;
  told: number;
  untold: number;
  clOrdIDs: string[];
  endsAt: EpochMs;
}

export class AlarmPace {
  private readonly windows = new Map<string, Window>();

  /** True if an alarm of an order is raised singly; otherwise it is counted. */
  takes(alarm: string, order: { readonly tradingAccountId: string; readonly clOrdID: string }, now: EpochMs): boolean {
    if (!OF_MANY.has(alarm)) return true;
    const { tradingAccountId, clOrdID } = order;
    const key = `${alarm} ${tradingAccountId}`;
    let window = this.windows.get(key);
    if (window === undefined) {
      window = { alarm, tradingAccountId, told: 0, untold: 0, clOrdIDs: [], endsAt: now + WINDOW_MS };
      this.windows.set(key, window);
    }
    if (window.told < TOLD_MAX) {
      window.told++;
      return true;
    }
    window.untold++;
    if (window.clOrdIDs.length < NAMED_MAX) window.clOrdIDs.push(clOrdID);
    return false;
  }

  /** Time to report the next count, or to forget a reported one; null if nothing is counted. */
  dueAt(): EpochMs | null {
    let at: EpochMs | null = null;
    for (const { endsAt } of this.windows.values()) if (at === null || endsAt < at) at = endsAt;
    return at;
  }

  /** Counts of finished windows. */
  takeDue(now: EpochMs): UntoldAlarms[] {
    const due: UntoldAlarms[] = [];
    for (const [key, window] of this.windows) {
      if (window.endsAt > now) continue;
      const { alarm, tradingAccountId, untold, clOrdIDs } = window;
      if (untold === 0) {
        this.windows.delete(key);
        continue;
      }
      due.push({ alarm, tradingAccountId, count: untold, clOrdIDs });
      Object.assign(window, { untold: 0, clOrdIDs: [], endsAt: now + WINDOW_MS });
    }
    return due;
  }

  /** The count so far. */
  takeAll(): UntoldAlarms[] {
    for (const window of this.windows.values()) window.endsAt = 0;
    const all = this.takeDue(0);
    this.windows.clear();
    return all;
  }
}
