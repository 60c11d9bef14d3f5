// Decides when a session may be connected and when its numbers restart: calendars in IANA time zones, as pure
// arithmetic from an instant to an answer. zone-clock.ts knows the clocks of a zone, windows.ts the windows between them;
// opening.ts acts at the boundaries.

import { assert } from '../../base/assert.ts';
import { type EpochMs, formatIso, parseIso } from '../../base/time.ts';
import {
  type ConnectWindow,
  clocksOf,
  daysOf,
  type Interval,
  type Opening,
  openingOf,
  timeOfDay,
  WEEKDAYS,
  type Weekday,
  weekdayOf,
} from './windows.ts';
import { DAY_MS, type ZoneClock } from './zone-clock.ts';

/** Local times at which both numbers begin again at 1. */
export interface ResetTime {
  readonly days: readonly Weekday[];
  readonly at: string;
  /** That of the schedule if absent. */
  readonly timeZone?: string | null;
}

/** When a session may be connected, and when its numbers begin again by time. */
export interface ScheduleSettings {
  /** IANA name, for example `Europe/London`. */
  readonly timeZone: string;
  /** Empty: open without end, but for holidays. */
  readonly windows: readonly ConnectWindow[];
  /** Local dates, `YYYY-MM-DD`, on which the session is closed from midnight to midnight. */
  readonly holidays: readonly string[];
  /** Independent of windows and holidays; empty: numbers are never reset by time. */
  readonly resets: readonly ResetTime[];
}

/** Whether the session is open, and from when to when that answer holds; `until` is exclusive. */
export interface Span {
  readonly open: boolean;
  readonly from: EpochMs;
  readonly until: EpochMs;
}

export interface Boundary {
  readonly at: EpochMs;
  readonly kind: 'opens' | 'closes' | 'resets';
}

/** How far a boundary is looked for, in days: first near, then further; beyond the last there is none. */
const HORIZONS = [2, 9, 64, 400];
const ALWAYS: Span = { open: true, from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

/** Days since 1970-01-01 of a date `YYYY-MM-DD`, or null if there is no such date. */
export function dayOfDate(date: string): number | null {
  const at = parseIso(`${date}T00:00:00Z`);
  return at === null ? null : at / DAY_MS;
}

/**
 * A calendar of one session. Times of day are those of clocks in the zone; where clocks are put on or back:
 * - a time that clocks skip is the instant at which they skip it, so a window wholly within the gap does not open;
 * - a time that clocks show twice is the first of the two, for openings, closings and resets alike. A day of 23 or 25
 *   hours makes the windows over the change shorter or longer; windows that touch by the clock always touch.
 *
 * A window between two zones closes when clocks of the second next show its end after it has opened.
 *
 * Windows that touch are one: nothing happens between them. A holiday closes its whole local day in the zone of the schedule, also
 * the part of a window that began the day before; it suppresses no reset.
 */
export class Schedule {
  readonly settings: ScheduleSettings;
  readonly #clock: ZoneClock;
  readonly #openings: readonly Opening[];
  /** Of the openings, each once. */
  readonly #clocks: readonly ZoneClock[];
  readonly #holidays: ReadonlySet<number>;
  readonly #resets: readonly { readonly clock: ZoneClock; readonly days: ReadonlySet<number>; readonly atMs: number }[];
  /** Days that the longest window reaches beyond the day on which it opens. */
  readonly #reachDays: number;
  readonly #always: boolean;

  /** @throws AssertionError for an unknown zone, a time or a date that does not exist: settings are checked before */
  constructor(settings: ScheduleSettings) {
    this.settings = settings;
    const clockOf = clocksOf(settings.timeZone);
    this.#clock = clockOf(null);
    this.#always = settings.windows.length === 0 && settings.holidays.length === 0;
    const windows =
      settings.windows.length > 0 ? settings.windows : [{ days: WEEKDAYS, from: '00:00', to: '00:00', toDay: null }];
    this.#openings = windows.map((window) => openingOf(window, clockOf));
    this.#clocks = [...new Set(this.#openings.map(({ clock }) => clock))];
    this.#reachDays = Math.max(...this.#openings.map(({ reachDays }) => reachDays));
    this.#holidays = new Set(
      settings.holidays.map((date) => {
        const day = dayOfDate(date);
        assert(day !== null, `a date that exists: ${date}`);
        return day;
      }),
    );
    this.#resets = settings.resets.map(({ days, at, timeZone = null }) => ({
      clock: clockOf(timeZone),
      days: daysOf(days),
      atMs: timeOfDay(at),
    }));
  }

  /**
   * True if the session is open at an instant, and the time until which that is known: the next boundary, or the
   * horizon of 400 days. Costs some calendar arithmetic: keep the answer until it ends.
   */
  span(at: EpochMs): Span {
    if (this.#always) return ALWAYS;
    const today = this.#clock.localDay(at);
    const first = today - this.#reachDays;
    // Windows that opened before `first` had closed by then.
    let before = this.#clock.toInstant((today - 1) * DAY_MS);
    for (const horizon of HORIZONS) {
      const edge = this.#firstOf(today + horizon);
      // Up to here each window that opens is among them, whatever its zone.
      const complete = this.#firstOf(today + horizon + 1);
      for (const { from, to } of this.#intervals(first, today + horizon)) {
        if (at < from && from > complete) break;
        if (at < from) return { open: false, from: before, until: from };
        if (at >= to) {
          before = to;
          continue;
        }
        if (to < edge || horizon === HORIZONS.at(-1)) return { open: true, from, until: to };
        // An opening beyond the horizon may prolong it.
        break;
      }
    }
    return { open: false, from: before, until: this.#firstOf(today + HORIZONS.at(-1)!) };
  }

  /** When the first of the clocks shows a date. */
  #firstOf(day: number): EpochMs {
    return Math.min(...this.#clocks.map((clock) => clock.toInstant(day * DAY_MS)));
  }

  /** The next instant after `at` at which the session opens or closes, or null if there is none within 400 days. */
  next(kind: 'opens' | 'closes', at: EpochMs): EpochMs | null {
    const now = this.span(at);
    const boundary = this.#boundary(now);
    if (boundary === null || now.open === (kind === 'closes')) return boundary;
    return this.#boundary(this.span(boundary));
  }

  /** The end of a span if the session changes there. */
  #boundary(span: Span): EpochMs | null {
    return this.span(span.until).open === span.open ? null : span.until;
  }

  /** The first reset after an instant, or null if none is configured. */
  nextReset(at: EpochMs): EpochMs | null {
    // Where clocks are put back over midnight, the reset of the day to come may be over.
    return this.#resetsAround(at, 0, 8).find((reset) => reset > at) ?? null;
  }

  /** The last reset at or before an instant, or null if none is configured. */
  lastReset(at: EpochMs): EpochMs | null {
    return this.#resetsAround(at, 7, 1).findLast((reset) => reset <= at) ?? null;
  }

  /** Every boundary after `from` up to `until`, in order, `max` at most; at one instant closing, reset, opening. */
  boundaries(from: EpochMs, until: EpochMs, max: number): Boundary[] {
    const found: Boundary[] = [];
    let span = this.span(from);
    let reset = this.nextReset(from);
    while (found.length < max) {
      const at = Math.min(span.until, reset ?? Number.POSITIVE_INFINITY);
      if (at > until || at === Number.POSITIVE_INFINITY) break;
      if (at === span.until) {
        const after = this.span(at);
        if (reset === at && after.open) found.push({ at, kind: 'resets' });
        if (after.open !== span.open) found.push({ at, kind: after.open ? 'opens' : 'closes' });
        if (reset === at && !after.open) found.push({ at, kind: 'resets' });
        span = after;
      } else found.push({ at, kind: 'resets' });
      if (reset === at) reset = this.nextReset(at);
    }
    return found.slice(0, max);
  }

  /** `Fri 2026-03-27 17:00:00 +00:00`: the local time in the zone, with its offset from UTC. */
  localTime(at: EpochMs): string {
    const offset = this.#clock.offset(at);
    const [date, time] = formatIso(at + offset * 60_000).split('T');
    const minutes = Math.abs(offset);
    const two = (n: number): string => `${n}`.padStart(2, '0');
    const sign = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    return `${WEEKDAYS[weekdayOf(this.#clock.localDay(at))]} ${date} ${time!.slice(0, 8)} ${sign}`;
  }

  /** Open intervals of the windows that open on the local days `first` to `last`, as instants: in order, apart. */
  #intervals(first: number, last: number): Interval[] {
    const found: Interval[] = [];
    for (const { clock, days, fromMs, closes } of this.#openings) {
      for (let day = first; day <= last; day++) {
        if (!days.has(weekdayOf(day))) continue;
        const opens = clock.toInstant(day * DAY_MS + fromMs);
        this.#withoutHolidays(opens, closes(day, opens), found);
      }
    }
    found.sort((a, b) => a.from - b.from);
    const intervals: Interval[] = [];
    for (const { from, to } of found) {
      const latest = intervals.at(-1);
      if (latest !== undefined && from <= latest.to) latest.to = Math.max(latest.to, to);
      else intervals.push({ from, to });
    }
    return intervals;
  }

  #withoutHolidays(opens: EpochMs, closes: EpochMs, out: Interval[]): void {
    let start = opens;
    // A day more on either side: clocks may be put back over midnight.
    const first = this.#clock.localDay(opens) - 1;
    for (let day = first; this.#holidays.size > 0 && day <= this.#clock.localDay(closes) + 1; day++) {
      if (!this.#holidays.has(day)) continue;
      const from = this.#clock.toInstant(day * DAY_MS);
      if (start < Math.min(from, closes)) out.push({ from: start, to: Math.min(from, closes) });
      start = Math.max(start, this.#clock.toInstant((day + 1) * DAY_MS));
    }
    if (start < closes) out.push({ from: start, to: closes });
  }

  /** Resets of so many days before and behind an instant, by the dates of each one's zone. */
  #resetsAround(at: EpochMs, daysBefore: number, daysBehind: number): EpochMs[] {
    const found = new Set<EpochMs>();
    for (const { clock, days, atMs } of this.#resets) {
      const today = clock.localDay(at);
      for (let day = today - daysBefore; day <= today + daysBehind; day++) {
        if (days.has(weekdayOf(day))) found.add(clock.toInstant(day * DAY_MS + atMs));
      }
    }
    return [...found].sort((a, b) => a - b);
  }
}
