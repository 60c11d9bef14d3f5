// Candles of one market: trades gathered by the minute, joined into longer buckets when asked.

import type { Decimal } from '../../base/decimal.ts';
import type { EpochMs } from '../../base/time.ts';

const MINUTE_MS = 60_000;
/** Minutes with trades that are kept: a week of them. */
const MINUTES_MAX = 10_080;

/** Lengths by the names that the API gives them (exchange catalogue, TimeBucket). */
export const TIME_BUCKETS: ReadonlyMap<string, number> = new Map([
  ['1m', MINUTE_MS],
  ['5m', 5 * MINUTE_MS],
  ['30m', 30 * MINUTE_MS],
  ['1h', 60 * MINUTE_MS],
  ['6h', 360 * MINUTE_MS],
  ['12h', 720 * MINUTE_MS],
  ['1d', 1_440 * MINUTE_MS],
]);

export interface Candle {
  readonly startsAt: EpochMs;
  readonly open: Decimal;
  high: Decimal;
  low: Decimal;
  close: Decimal;
  volume: Decimal;
  /** Sum of price × quantity. */
  quoteVolume: Decimal;
}

export class CandleSeries {
  private readonly minutes: Candle[] = [];

  /** Count a trade; times never go back by more than the clock does. */
  record(price: Decimal, quantity: Decimal, at: EpochMs): void {
    const startsAt = at - (at % MINUTE_MS);
    const quoteVolume = price.multiply(quantity);
    const last = this.minutes.at(-1);
    if (last !== undefined && last.startsAt >= startsAt) {
      extend(last, { high: price, low: price, close: price, volume: quantity, quoteVolume });
      return;
    }
    this.minutes.push({ startsAt, open: price, high: price, low: price, close: price, volume: quantity, quoteVolume });
    if (this.minutes.length > MINUTES_MAX) this.minutes.shift();
  }

  /** Everything traded since `from` as one candle, or null. */
  since(from: EpochMs): Candle | null {
    let sum: Candle | null = null;
    for (let i = this.firstSince(from); i < this.minutes.length; i++) {
      const minute = this.minutes[i]!;
      if (sum === null) sum = { ...minute };
      else extend(sum, minute);
    }
    return sum;
  }

  private firstSince(from: EpochMs): number {
    let i = this.minutes.length;
    while (i > 0 && this.minutes[i - 1]!.startsAt > from) i--;
    return i;
  }

  /** All minutes with trades, oldest first, and their replacement after a restart. */
  get all(): readonly Candle[] {
    return this.minutes;
  }

  restore(minutes: readonly Candle[]): void {
    this.minutes.splice(0, this.minutes.length, ...minutes);
  }

  /** Candles of `lengthMs` with trades between the two times, newest first; no trades, no candle. */
  read(lengthMs: number, from: EpochMs, to: EpochMs): Candle[] {
    const found: Candle[] = [];
    for (const minute of this.minutes) {
      if (minute.startsAt < from || minute.startsAt > to) continue;
      const startsAt = minute.startsAt - (minute.startsAt % lengthMs);
      const last = found.at(-1);
      if (last !== undefined && last.startsAt === startsAt) {
        extend(last, minute);
      } else found.push({ ...minute, startsAt });
    }
    return found.reverse();
  }
}

function extend(candle: Candle, more: Omit<Candle, 'startsAt' | 'open'>): void {
  if (more.high.compare(candle.high) > 0) candle.high = more.high;
  if (more.low.compare(candle.low) < 0) candle.low = more.low;
  candle.close = more.close;
  candle.volume = candle.volume.add(more.volume);
  candle.quoteVolume = candle.quoteVolume.add(more.quoteVolume);
}
