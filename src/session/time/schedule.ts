// Decides when a session may be connected and when its numbers restart: calendars in an IANA time zone, as pure
// arithmetic from an instant to an answer. The only user of luxon, and only for a zone's offset at a given instant:
// never the system's clock or zone. opening.ts acts at the boundaries.

import { IANAZone } from 'luxon';
import { assert } from '../../base/assert.ts';
import { type EpochMs, formatIso, parseIso } from '../../base/time.ts';

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;
export type Weekday = (typeof WEEKDAYS)[number];

/** A time in which the session may be connected: from `from` on each of `days` to the next `to`, local times of day. */
export interface ConnectWindow {
  /** Days on which it opens. */
  readonly days: readonly Weekday[];
  /** `HH:MM` or `HH:MM:SS`. */
  readonly from: string;
  /** Not after `from`: on the next day. */
  readonly to: string;
  /** The day on which it closes, for a window of several days; the window then opens on one day of the week. */
  readonly toDay: Weekday | null;
}

/** Local times at which both numbers begin again at 1. */
export interface ResetTime {
  readonly days: readonly Weekday[];
  readonly at: string;
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

interface LocalWindow {
  readonly days: ReadonlySet<number>;
  readonly fromMs: number;
  /** Milliseconds after midnight of the day on which it opens. */
  readonly toMs: number;
}

interface Interval {
  from: number;
  to: number;
}

const DAY_MS = 86_400_000;
const WEEK_MS = 7 * DAY_MS;
/** How far a boundary is looked for, in days: first near, then further; beyond the last there is none. */
const HORIZONS = [2, 9, 64, 400];
const ALWAYS: Span = { open: true, from: Number.NEGATIVE_INFINITY, until: Number.POSITIVE_INFINITY };

/** Whether the runtime knows a time zone of that name. */
export function isTimeZone(name: string): boolean {
  return IANAZone.isValidZone(name);
}

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/** Whether a text is a time of day, `HH:MM` or `HH:MM:SS`. */
export function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}

/** Milliseconds after midnight of `HH:MM` or `HH:MM:SS`. */
function timeOfDay(text: string): number {
  const match = TIME_OF_DAY.exec(text);
  assert(match !== null, `a time of day is HH:MM or HH:MM:SS: ${text}`);
  return (Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0)) * 1000;
}

/** Days since 1970-01-01 of a date `YYYY-MM-DD`, or null if there is no such date. */
export function dayOfDate(date: string): number | null {
  const at = parseIso(`${date}T00:00:00Z`);
  return at === null ? null : at / DAY_MS;
}

/** Monday is 0; 1970-01-01 was a Thursday. */
function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

function daysOf(names: readonly Weekday[]): ReadonlySet<number> {
  return new Set(names.map((name) => WEEKDAYS.indexOf(name)));
}

function localWindow({ days, from, to, toDay }: ConnectWindow): LocalWindow {
  const fromMs = timeOfDay(from);
  const toMs = timeOfDay(to);
  if (toDay === null) return { days: daysOf(days), fromMs, toMs: toMs > fromMs ? toMs : toMs + DAY_MS };
  assert(days.length === 1, 'a window of several days opens on one day of the week');
  const later = (WEEKDAYS.indexOf(toDay) - WEEKDAYS.indexOf(days[0]!) + 7) % 7;
  const end = later * DAY_MS + toMs;
  return { days: daysOf(days), fromMs, toMs: end > fromMs ? end : end + WEEK_MS };
}

/** The first two windows that overlap by the clock, as indices, or null. Windows that touch do not. */
export function overlappingWindows(windows: readonly ConnectWindow[]): readonly [number, number] | null {
  const found: { from: number; to: number; index: number }[] = [];
  windows.forEach((window, index) => {
    const { days, fromMs, toMs } = localWindow(window);
    // The week before and after too: a window may reach over Sunday.
    for (const week of [-1, 0, 1]) {
      for (const day of days) {
        const midnight = (week * 7 + day) * DAY_MS;
        found.push({ from: midnight + fromMs, to: midnight + toMs, index });
      }
    }
  });
  found.sort((a, b) => a.from - b.from);
  let latest = found[0];
  for (const next of found.slice(1)) {
    if (next.from < latest!.to) return [Math.min(latest!.index, next.index), Math.max(latest!.index, next.index)];
    if (next.to > latest!.to) latest = next;
  }
  return null;
}

/**
 * A calendar of one session. Times of day are those of clocks in the zone; where clocks are put on or back:
 * - a time that clocks skip is the instant at which they skip it, so a window wholly within the gap does not open;
 * - a time that clocks show twice is the first of the two, for openings, closings and resets alike. A day of 23 or 25
 *   hours makes the windows over the change shorter or longer; windows that touch by the clock always touch.
 *
 * Windows that touch are one: nothing happens between them. A holiday closes its whole local day, also the part of a
 * window that began the day before; it suppresses no reset.
 */
export class Schedule {
  readonly settings: ScheduleSettings;
  readonly #zone: IANAZone;
  readonly #windows: readonly LocalWindow[];
  readonly #holidays: ReadonlySet<number>;
  readonly #resets: readonly { readonly days: ReadonlySet<number>; readonly atMs: number }[];
  /** Days that the longest window reaches beyond the day on which it opens. */
  readonly #reachDays: number;
  readonly #always: boolean;

  /** @throws AssertionError for an unknown zone, a time or a date that does not exist: settings are checked before */
  constructor(settings: ScheduleSettings) {
    assert(isTimeZone(settings.timeZone), `a known time zone: ${settings.timeZone}`);
    this.settings = settings;
    this.#zone = IANAZone.create(settings.timeZone);
    this.#always = settings.windows.length === 0 && settings.holidays.length === 0;
    const windows =
      settings.windows.length > 0 ? settings.windows : [{ days: WEEKDAYS, from: '00:00', to: '00:00', toDay: null }];
    this.#windows = windows.map(localWindow);
    this.#reachDays = Math.max(...this.#windows.map(({ toMs }) => Math.ceil(toMs / DAY_MS)));
    this.#holidays = new Set(
      settings.holidays.map((date) => {
        const day = dayOfDate(date);
        assert(day !== null, `a date that exists: ${date}`);
        return day;
      }),
    );
    this.#resets = settings.resets.map(({ days, at }) => ({ days: daysOf(days), atMs: timeOfDay(at) }));
  }

  /**
   * Whether the session is open at an instant, and until when that is known to hold: the next boundary, or the end of what
   * was looked at, 400 days. Costs some calendar arithmetic: keep the answer until it ends.
   */
  span(at: EpochMs): Span {
    if (this.#always) return ALWAYS;
    const today = this.#localDay(at);
    const first = today - this.#reachDays;
    // Windows that opened before `first` had closed by then.
    let before = this.#toInstant((today - 1) * DAY_MS);
    for (const horizon of HORIZONS) {
      const edge = this.#toInstant((today + horizon) * DAY_MS);
      for (const { from, to } of this.#intervals(first, today + horizon)) {
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
    return { open: false, from: before, until: this.#toInstant((today + HORIZONS.at(-1)!) * DAY_MS) };
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
    const day = this.#localDay(at);
    // Where clocks are put back over midnight, the reset of the day to come may be over.
    return this.#resetsOf(day, day + 8).find((reset) => reset > at) ?? null;
  }

  /** The last reset at or before an instant, or null if none is configured. */
  lastReset(at: EpochMs): EpochMs | null {
    const day = this.#localDay(at);
    return this.#resetsOf(day - 7, day + 1).findLast((reset) => reset <= at) ?? null;
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

  /** `Fri 2026-03-27 17:00:00 +00:00`: what clocks in the zone show, with their offset from UTC. */
  localTime(at: EpochMs): string {
    const offset = this.#zone.offset(at);
    const [date, time] = formatIso(at + offset * 60_000).split('T');
    const minutes = Math.abs(offset);
    const two = (n: number): string => `${n}`.padStart(2, '0');
    const sign = `${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
    return `${WEEKDAYS[weekdayOf(this.#localDay(at))]} ${date} ${time!.slice(0, 8)} ${sign}`;
  }

  #localDay(at: EpochMs): number {
    return Math.floor((at + this.#zone.offset(at) * 60_000) / DAY_MS);
  }

  /** Open intervals of the windows that open on the local days `first` to `last`, as instants: in order, apart. */
  #intervals(first: number, last: number): Interval[] {
    const local: Interval[] = [];
    for (let day = first; day <= last; day++) {
      for (const { days, fromMs, toMs } of this.#windows) {
        if (days.has(weekdayOf(day))) this.#withoutHolidays(day * DAY_MS + fromMs, day * DAY_MS + toMs, local);
      }
    }
    local.sort((a, b) => a.from - b.from);
    const intervals: Interval[] = [];
    for (const { from, to } of local) {
      const opens = this.#toInstant(from);
      const closes = this.#toInstant(to);
      if (opens >= closes) continue;
      const latest = intervals.at(-1);
      if (latest !== undefined && opens <= latest.to) latest.to = Math.max(latest.to, closes);
      else intervals.push({ from: opens, to: closes });
    }
    return intervals;
  }

  #withoutHolidays(from: number, to: number, out: Interval[]): void {
    let start = from;
    for (let day = Math.floor(from / DAY_MS); day * DAY_MS < to; day++) {
      if (!this.#holidays.has(day)) continue;
      if (start < day * DAY_MS) out.push({ from: start, to: day * DAY_MS });
      start = (day + 1) * DAY_MS;
    }
    if (start < to) out.push({ from: start, to });
  }

  #resetsOf(first: number, last: number): EpochMs[] {
    const found = new Set<EpochMs>();
    for (let day = first; day <= last; day++) {
      for (const { days, atMs } of this.#resets) {
        if (days.has(weekdayOf(day))) found.add(this.#toInstant(day * DAY_MS + atMs));
      }
    }
    return [...found].sort((a, b) => a - b);
  }

  /** The instant at which clocks show a local time, given as if it were UTC; by the class's rule where they do not. */
  #toInstant(local: number): EpochMs {
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
