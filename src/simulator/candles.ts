// Candles of one market: trades gathered by the minute, joined into longer buckets when asked.

import type { Decimal } from '../base/decimal.ts';
import type { EpochMs } from '../base/time.ts';

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
}

export class CandleSeries {
  private readonly minutes: Candle[] = [];

  /** Count a trade; times never go back by more than the clock does. */
  record(price: Decimal, quantity: Decimal, at: EpochMs): void {
    const startsAt = at - (at % MINUTE_MS);
    const last = this.minutes.at(-1);
    if (last !== undefined && last.startsAt >= startsAt) {
      extend(last, price, price, price, quantity);
      return;
    }
    this.minutes.push({ startsAt, open: price, high: price, low: price, close: price, volume: quantity });
    if (this.minutes.length > MINUTES_MAX) this.minutes.shift();
  }

  /** Candles of `lengthMs` whose trades lie between the two times, newest first; without trades there is none. */
  read(lengthMs: number, from: EpochMs, to: EpochMs): Candle[] {
    const found: Candle[] = [];
    for (const minute of this.minutes) {
      if (minute.startsAt < from || minute.startsAt > to) continue;
      const startsAt = minute.startsAt - (minute.startsAt % lengthMs);
      const last = found.at(-1);
      if (last !== undefined && last.startsAt === startsAt) {
        extend(last, minute.high, minute.low, minute.close, minute.volume);
      } else found.push({ ...minute, startsAt });
    }
    return found.reverse();
  }
}

function extend(candle: Candle, high: Decimal, low: Decimal, close: Decimal, volume: Decimal): void {
  if (high.compare(candle.high) > 0) candle.high = high;
  if (low.compare(candle.low) < 0) candle.low = low;
  candle.close = close;
  candle.volume = candle.volume.add(volume);
}
