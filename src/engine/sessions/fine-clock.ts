// Nanoseconds within the millisecond of the system's clock, which Node.js shows no finer. They come from the monotonic clock. Each
// reading compares it with the system's clock, and so follows a clock that is put right at once.

import { type EpochMs, NANOS_OF_MS } from '../../base/time.ts';

interface Readings {
  /** The system's clock, in whole milliseconds. */
  readonly wall: () => number;
  /** Milliseconds of a clock that only goes on, with decimals. */
  readonly steady: () => number;
}

const SYSTEM: Readings = { wall: Date.now, steady: () => performance.now() };

/** Gives the nanoseconds within a millisecond; within the same millisecond never fewer than before. */
export function fineClock({ wall, steady }: Readings = SYSTEM): (now: EpochMs) => number {
  // At `steadyAt` the system's clock showed `wallAt` or later, by as little as was ever seen.
  let [wallAt, steadyAt] = [wall(), steady()];
  let [latest, latestNanos] = [Number.NaN, 0];
  return (now) => {
    const [shown, ticks] = [wall(), steady()];
    const sinceMs = ticks - steadyAt - (shown - wallAt);
    // Below 0 a tick was seen closer than ever; from 1 on the clock was put back.
    if (sinceMs < 0 || sinceMs >= 1) [wallAt, steadyAt] = [shown, ticks];
    const withinMs = ticks - steadyAt - (now - wallAt);
    const nanos = Math.min(NANOS_OF_MS - 1, Math.max(0, Math.floor(withinMs * NANOS_OF_MS)));
    latestNanos = now === latest ? Math.max(latestNanos, nanos) : nanos;
    latest = now;
    return latestNanos;
  };
}

/** The same of a clock of the user's, which may have decimals of its own. */
export function fractionOf(clock: () => number): (now: EpochMs) => number {
  return (now) => Math.min(NANOS_OF_MS - 1, Math.max(0, Math.floor((clock() - now) * NANOS_OF_MS)));
}
