// Properties of every calendar. A failure prints fast-check's seed.

import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, test } from 'vitest';
import {
  overlappingWindows,
  Schedule,
  type ScheduleSettings,
  WEEKDAYS,
  type Weekday,
} from '../../../src/session/mod.ts';
import { checkProperty } from '../../support/random/seeded-property.ts';

const DAY_MS = 86_400_000;
const ZONES = ['UTC', 'Europe/London', 'America/New_York', 'Asia/Kolkata', 'Australia/Lord_Howe', 'America/Santiago'];

const time = fc
  .tuple(fc.integer({ min: 0, max: 23 }), fc.integer({ min: 0, max: 59 }))
  .map(([hour, minute]) => `${`${hour}`.padStart(2, '0')}:${`${minute}`.padStart(2, '0')}`);
const days = fc.subarray([...WEEKDAYS], { minLength: 1 });
const zone = fc.option(fc.constantFrom(...ZONES), { freq: 1 });
const zones = { fromTimeZone: zone, toTimeZone: zone };
const window = fc.oneof(
  fc.record({ days, from: time, to: time, toDay: fc.constant(null), ...zones }),
  fc.record({
    days: fc.constantFrom(...WEEKDAYS).map((day): Weekday[] => [day]),
    from: time,
    to: time,
    toDay: fc.constantFrom(...WEEKDAYS),
    ...zones,
  }),
);
const date = fc
  .integer({ min: 0, max: 400 })
  .map((day) => new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10));
const settings: fc.Arbitrary<ScheduleSettings> = fc.record({
  timeZone: fc.constantFrom(...ZONES),
  windows: fc.array(window, { maxLength: 3 }).filter((windows) => overlappingWindows(windows) === null),
  holidays: fc.uniqueArray(date, { maxLength: 4 }),
  resets: fc.array(fc.record({ days, at: time, timeZone: zone }), { maxLength: 2 }),
});
const inOneZone = settings.map((chosen) => ({
  ...chosen,
  windows: chosen.windows
    .map(({ fromTimeZone: _, toTimeZone: __, ...one }) => one)
    .filter((_one, index, all) => index === 0 || overlappingWindows(all) === null),
}));
const instant = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
const RUNS = 150;

test('open and closed alternate, boundaries only rise, and each is where the answer changes', () => {
  checkProperty(
    fc.property(settings, instant, (chosen, from) => {
      const schedule = new Schedule(chosen);
      let { open } = schedule.span(from);
      let latest = from;
      for (const { at, kind } of schedule.boundaries(from, from + 15 * DAY_MS, 1000)) {
        expect(at).toBeGreaterThanOrEqual(latest);
        latest = at;
        if (kind === 'resets') continue;
        expect(kind).toBe(open ? 'closes' : 'opens');
        expect(schedule.span(at - 1).open).toBe(open);
        open = !open;
        expect(schedule.span(at).open).toBe(open);
      }
    }),
    RUNS,
  );
});

test('a span holds its instant, and says the same at both its ends', () => {
  checkProperty(
    fc.property(settings, instant, (chosen, at) => {
      const schedule = new Schedule(chosen);
      const span = schedule.span(at);
      expect(span.from).toBeLessThanOrEqual(at);
      expect(span.until).toBeGreaterThan(at);
      if (!Number.isFinite(span.until)) return;
      expect(schedule.span(span.until - 1).open).toBe(span.open);
      expect(schedule.span(span.from).open).toBe(span.open);
    }),
    RUNS,
  );
});

test('away from a change of clocks, a session is open when the clock on the wall is within a window', () => {
  checkProperty(
    fc.property(inOneZone, instant, (chosen, at) => {
      const { timeZone, windows, holidays } = chosen;
      const clock = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
      const local = (when: number): number => Date.parse(`${clock.format(when).replace(' ', 'T')}Z`);
      const now = local(at);
      const steady = [-8, -4, -2, -1, 1].every((day) => local(at + day * DAY_MS) === now + day * DAY_MS);
      if (!steady) return;
      const inWindow = windows.some((one) => {
        const ms = (text: string): number => Date.parse(`1970-01-01T${text}:00Z`);
        const midnight = Math.floor(now / DAY_MS) * DAY_MS;
        for (let back = 0; back <= 8; back++) {
          const opens = midnight - back * DAY_MS + ms(one.from);
          const name = new Date(opens).toUTCString().slice(0, 3) as Weekday;
          if (!one.days.includes(name)) continue;
          let closes = midnight - back * DAY_MS + ms(one.to);
          const wanted = (): boolean => one.toDay === null || new Date(closes).toUTCString().startsWith(one.toDay);
          while (closes <= opens || !wanted()) closes += DAY_MS;
          if (opens <= now && now < closes) return true;
        }
        return false;
      });
      const holiday = holidays.includes(new Date(now).toISOString().slice(0, 10));
      expect(new Schedule(chosen).span(at).open).toBe((windows.length === 0 || inWindow) && !holiday);
    }),
    RUNS,
  );
});

test('between the last reset and the next there is none', () => {
  checkProperty(
    fc.property(settings, instant, (chosen, at) => {
      const schedule = new Schedule(chosen);
      const last = schedule.lastReset(at);
      const next = schedule.nextReset(at);
      expect(next === null).toBe(chosen.resets.length === 0);
      if (last === null || next === null) return;
      expect(last).toBeLessThanOrEqual(at);
      expect(next).toBeGreaterThan(at);
      expect(schedule.nextReset(last)).toBe(next);
      expect(schedule.lastReset(next)).toBe(next);
      expect(schedule.lastReset(next - 1)).toBe(last);
    }),
    RUNS,
  );
});

/** The first time after an instant, as luxon counts it, at which clocks show a time of day, on that day of the week if one is given. */
function luxonsNext(after: number, timeZone: string, time: string, weekday: Weekday | null): number {
  const [hour, minute] = time.split(':').map(Number) as [number, number];
  let day = DateTime.fromMillis(after, { zone: timeZone }).startOf('day');
  for (;;) {
    const shown = day.set({ hour, minute });
    const wanted = weekday === null || WEEKDAYS[day.weekday - 1] === weekday;
    if (wanted && shown.toMillis() > after) return shown.toMillis();
    day = day.plus({ days: 1 });
  }
}

test("a window between two zones is open from its start to the next end by luxon's clocks", () => {
  const other = fc.constantFrom(...ZONES);
  const from = Date.UTC(2026, 0, 1);
  checkProperty(
    fc.property(window, other, other, fc.integer({ min: 0, max: 340 }), (one, fromTimeZone, toTimeZone, start) => {
      fc.pre(fromTimeZone !== toTimeZone);
      const chosen = { ...one, fromTimeZone, toTimeZone };
      const schedule = new Schedule({ timeZone: 'Asia/Tokyo', windows: [chosen], holidays: [], resets: [] });
      const [hour, minute] = one.from.split(':').map(Number) as [number, number];
      let day = DateTime.fromMillis(from + start * DAY_MS, { zone: fromTimeZone }).startOf('day');
      for (let i = 0; i < 20; i++, day = day.plus({ days: 1 })) {
        const opens = day.set({ hour, minute });
        // Where clocks skip that time, or show it twice, luxon has rules of its own.
        const isOnce = opens.hour === hour && opens.minute === minute && opens.getPossibleOffsets().length === 1;
        if (!isOnce || !one.days.includes(WEEKDAYS[day.weekday - 1]!)) continue;
        const closes = luxonsNext(opens.toMillis(), toTimeZone, one.to, one.toDay);
        const end = DateTime.fromMillis(closes, { zone: toTimeZone });
        if (end.toFormat('HH:mm') !== one.to || end.getPossibleOffsets().length !== 1) continue;
        expect(schedule.span(opens.toMillis()).open).toBe(true);
        expect(schedule.span(closes - 1).open).toBe(true);
        const { until } = schedule.span(opens.toMillis());
        // Another one that has opened before this end may prolong it.
        expect(until).toBeGreaterThanOrEqual(closes);
        if (until === closes) expect(schedule.span(closes).open).toBe(false);
        if (one.days.length === 1 && one.toDay === null) expect(until).toBe(closes);
      }
    }),
    RUNS,
  );
});
