// The clocks of one IANA time zone, as pure arithmetic: an instant to local time, and back. The one place that uses
// luxon, and of it only a zone's offset at a given instant: neither the system's clock nor its zone.

import { IANAZone } from 'luxon';
import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';

export const DAY_MS = 86_400_000;

/** Whether the runtime knows a time zone of that name. */
export function isTimeZone(name: string): boolean {
  // Kept by name: a thousand sessions name the same few, and asking the runtime takes some 40 µs.
  return IANAZone.create(name).isValid;
}

export class ZoneClock {
  readonly timeZone: string;
  readonly #zone: IANAZone;

  /** @throws AssertionError for an unknown zone: settings are checked before */
  constructor(timeZone: string) {
    assert(isTimeZone(timeZone), `a known time zone: ${timeZone}`);
    this.timeZone = timeZone;
    this.#zone = IANAZone.create(timeZone);
  }

  /** Minutes east of UTC. */
  offset(at: EpochMs): number {
    return this.#zone.offset(at);
  }

  /** Days since 1970-01-01 of the date that clocks show. */
  localDay(at: EpochMs): number {
    return Math.floor((at + this.#zone.offset(at) * 60_000) / DAY_MS);
  }

  /**
   * The instant at which clocks show a local time, given as if it were UTC. A time that they skip is the instant at which they skip
   * it, one that they show twice the first of the two.
   */
  toInstant(local: number): EpochMs {
    // No zone is a day or more from UTC: these two lie before and after the instant looked for.
    const before = this.#zone.offset(local - DAY_MS) * 60_000;
    const after = this.#zone.offset(local + DAY_MS) * 60_000;
    const early = local - before;
    if (before === after || this.#zone.offset(early) * 60_000 === before) return early;
    const late = local - after;
    if (this.#zone.offset(late) * 60_000 === after) return late;
    // Skipped: the change lies between the two. Changes of clocks happen on whole seconds.
    let [low, high] = [Math.floor(late / 1000), Math.ceil(early / 1000)];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (this.#zone.offset(middle * 1000) * 60_000 === before) low = middle;
      else high = middle;
    }
    return high * 1000;
  }
}
