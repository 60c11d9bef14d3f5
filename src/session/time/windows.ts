// Windows in which a session may be connected: by local times of day, between the clocks of one zone or of two, and
// whether they overlap. schedule.ts has holidays, resets and the state at an instant.

import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import { DAY_MS, ZoneClock } from './zone-clock.ts';

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
  /** Zone of `from` and `days`, and of `to` and `toDay`; that of the schedule if absent. */
  readonly fromTimeZone?: string | null;
  readonly toTimeZone?: string | null;
}

interface LocalWindow {
  readonly days: ReadonlySet<number>;
  readonly fromMs: number;
  /** Milliseconds after midnight of the day on which it opens. */
  readonly toMs: number;
}

/** A window by the clocks of its zones. */
export interface Opening {
  readonly clock: ZoneClock;
  readonly days: ReadonlySet<number>;
  readonly fromMs: number;
  /** Whole days that it reaches beyond the day on which it opens, at most. */
  readonly reachDays: number;
  /** The instant at which it closes that opened on a local day, at an instant. */
  readonly closes: (day: number, opens: EpochMs) => EpochMs;
}

export interface Interval {
  from: number;
  to: number;
}

const WEEK_MS = 7 * DAY_MS;

const TIME_OF_DAY = /^([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/** Whether a text is a time of day, `HH:MM` or `HH:MM:SS`. */
export function isTimeOfDay(text: string): boolean {
  return TIME_OF_DAY.test(text);
}

/** Milliseconds after midnight of `HH:MM` or `HH:MM:SS`. */
export function timeOfDay(text: string): number {
  const match = TIME_OF_DAY.exec(text);
  assert(match !== null, `a time of day is HH:MM or HH:MM:SS: ${text}`);
  return (Number(match[1]) * 3600 + Number(match[2]) * 60 + Number(match[3] ?? 0)) * 1000;
}

/** Monday is 0; 1970-01-01 was a Thursday. */
export function weekdayOf(day: number): number {
  return (((day + 3) % 7) + 7) % 7;
}

export function daysOf(names: readonly Weekday[]): ReadonlySet<number> {
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

/** Longest reach of a window between two zones that closes within a day, or a week, of its opening. */
const REACH_DAYS = { day: 3, week: 9 };
/** Dates of two zones differ so much at most. */
const ZONES_APART_DAYS = 2;

/** @param clockOf the clocks of a zone; of the schedule's for null */
export function openingOf(window: ConnectWindow, clockOf: (timeZone: string | null) => ZoneClock): Opening {
  const { days, fromMs, toMs } = localWindow(window);
  const [clock, closing] = [clockOf(window.fromTimeZone ?? null), clockOf(window.toTimeZone ?? null)];
  const apart = clock === clockOf(null) ? 0 : ZONES_APART_DAYS;
  if (clock === closing) {
    const reachDays = Math.ceil(toMs / DAY_MS) + apart;
    return { clock, days, fromMs, reachDays, closes: (day) => clock.toInstant(day * DAY_MS + toMs) };
  }
  const weekday = window.toDay === null ? null : WEEKDAYS.indexOf(window.toDay);
  const reachDays = (weekday === null ? REACH_DAYS.day : REACH_DAYS.week) + ZONES_APART_DAYS;
  const closes = (_day: number, opens: EpochMs): EpochMs => firstAfter(opens, closing, timeOfDay(window.to), weekday);
  return { clock, days, fromMs, reachDays, closes };
}

/** When clocks next show a time of day, on that day of the week if one is given. */
function firstAfter(opens: EpochMs, clock: ZoneClock, timeMs: number, weekday: number | null): EpochMs {
  const today = clock.localDay(opens);
  for (let day = today; day <= today + 15; day++) {
    if (weekday !== null && weekdayOf(day) !== weekday) continue;
    const at = clock.toInstant(day * DAY_MS + timeMs);
    if (at > opens) return at;
  }
  throw new RangeError(`clocks of ${clock.timeZone} show a time of day within two weeks`);
}

/** The first two windows that overlap by the clock, as indices, or null. Windows that touch do not. */
export function overlappingWindows(
  windows: readonly ConnectWindow[],
  timeZone = 'UTC',
): readonly [number, number] | null {
  const inOneZone = windows.every(({ fromTimeZone, toTimeZone }) => (fromTimeZone ?? toTimeZone ?? null) === null);
  if (inOneZone) return overlapIn(windows.flatMap(byClock));
  // By their instants, in a week of winter and one of summer: about changes of clocks, two zones may overlap for a day.
  const clockOf = clocksOf(timeZone);
  const openings = windows.map((window) => openingOf(window, clockOf));
  for (const monday of SAMPLE_MONDAYS) {
    const found = overlapIn(openings.flatMap((opening, index) => inWeeks(opening, index, monday)));
    if (found !== null && found[0] !== found[1]) return found;
  }
  return null;
}

/** 2026-01-12 and 2026-07-13, as days since 1970-01-01: clocks of no zone change within a week of them. */
const SAMPLE_MONDAYS = [20_465, 20_647];

interface Indexed extends Interval {
  readonly index: number;
}

/** The week before and after too: a window may reach over Sunday. */
const WEEKS = [-1, 0, 1];

function byClock(window: ConnectWindow, index: number): Indexed[] {
  const { days, fromMs, toMs } = localWindow(window);
  return WEEKS.flatMap((week) =>
    [...days].map((day) => {
      const midnight = (week * 7 + day) * DAY_MS;
      return { from: midnight + fromMs, to: midnight + toMs, index };
    }),
  );
}

function inWeeks({ clock, days, fromMs, closes }: Opening, index: number, monday: number): Indexed[] {
  return WEEKS.flatMap((week) =>
    [...days].map((weekday) => {
      const day = monday + week * 7 + weekday;
      const from = clock.toInstant(day * DAY_MS + fromMs);
      return { from, to: closes(day, from), index };
    }),
  );
}

function overlapIn(found: Indexed[]): readonly [number, number] | null {
  found.sort((a, b) => a.from - b.from);
  let latest = found[0];
  for (const next of found.slice(1)) {
    if (next.from < latest!.to) return [Math.min(latest!.index, next.index), Math.max(latest!.index, next.index)];
    if (next.to > latest!.to) latest = next;
  }
  return null;
}

/** One clock for each zone. @throws AssertionError for an unknown zone */
export function clocksOf(timeZone: string): (name: string | null) => ZoneClock {
  const clocks = new Map<string, ZoneClock>();
  return (name) => {
    const zone = name ?? timeZone;
    const clock = clocks.get(zone) ?? new ZoneClock(zone);
    clocks.set(zone, clock);
    return clock;
  };
}
