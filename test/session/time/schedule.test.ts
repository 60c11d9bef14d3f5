// Calendars: windows and resets in a time zone, where clocks change, over leap days, weeks and holidays.

import { describe, expect, test } from 'vitest';
import { type EpochMs, parseIso } from '../../../src/base/time.ts';
import {
  type ConnectWindow,
  isTimeZone,
  overlappingWindows,
  Schedule,
  type ScheduleSettings,
  WEEKDAYS,
  type Weekday,
} from '../../../src/session/mod.ts';

const WORKDAYS: readonly Weekday[] = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri'];
const at = (text: string): EpochMs => parseIso(`${text}:00Z`)!;

function window(from: string, to: string, days: readonly Weekday[] = WEEKDAYS, toDay?: Weekday): ConnectWindow {
  return { days, from, to, toDay: toDay ?? null };
}

function schedule(timeZone: string, windows: readonly ConnectWindow[], more: Partial<ScheduleSettings> = {}): Schedule {
  return new Schedule({ timeZone, windows, holidays: [], resets: [], ...more });
}

/** Boundaries as `opens 03-29 07:00`, in UTC. */
function happenings(calendar: Schedule, from: string, until: string): string[] {
  return calendar
    .boundaries(at(from), at(until), 1000)
    .map(({ kind, at: when }) => `${kind} ${new Date(when).toISOString().slice(5, 16).replace('T', ' ')}`);
}

describe('windows', () => {
  test('a session without windows, holidays and resets is open for ever', () => {
    const always = schedule('Europe/London', []);
    expect(always.span(0)).toEqual({ open: true, from: -Infinity, until: Infinity });
    expect(always.next('closes', at('2026-01-05T09:00'))).toBeNull();
    expect(always.nextReset(0)).toBeNull();
    expect(always.boundaries(0, at('2030-01-01T00:00'), 10)).toEqual([]);
  });

  test('a daily window opens at its first instant and is closed at its last', () => {
    const daily = schedule('UTC', [window('08:00', '17:30:15')]);
    expect(daily.span(at('2026-01-05T08:00') - 1).open).toBe(false);
    expect(daily.span(at('2026-01-05T08:00'))).toEqual({
      open: true,
      from: at('2026-01-05T08:00'),
      until: at('2026-01-05T17:30') + 15_000,
    });
    expect(daily.span(at('2026-01-05T17:30') + 15_000).open).toBe(false);
  });

  test('on weekdays it stays closed from Friday to Monday', () => {
    const weekdays = schedule('Asia/Tokyo', [window('09:00', '15:00', WORKDAYS)]);
    expect(happenings(weekdays, '2026-01-08T12:00', '2026-01-12T23:00')).toEqual([
      'opens 01-09 00:00',
      'closes 01-09 06:00',
      'opens 01-12 00:00',
      'closes 01-12 06:00',
    ]);
  });

  test('a weekly window wraps over the weekend', () => {
    const weekly = schedule('America/New_York', [window('17:00', '17:00', ['Sun'], 'Fri')]);
    expect(happenings(weekly, '2026-01-03T00:00', '2026-01-12T00:00')).toEqual([
      'opens 01-04 22:00',
      'closes 01-09 22:00',
      'opens 01-11 22:00',
    ]);
    expect(weekly.span(at('2026-01-07T12:00')).from).toBe(at('2026-01-04T22:00'));
  });

  test('a window may be open the whole week but for a minute', () => {
    const weekly = schedule('UTC', [window('00:01', '00:00', ['Thu'], 'Thu')]);
    expect(weekly.span(at('2026-03-17T00:00'))).toEqual({
      open: true,
      from: at('2026-03-12T00:01'),
      until: at('2026-03-19T00:00'),
    });
  });

  test('a window over midnight belongs to the day on which it opens', () => {
    const nights = schedule('UTC', [window('22:00', '02:00', ['Fri'])]);
    expect(happenings(nights, '2026-01-05T00:00', '2026-01-12T00:00')).toEqual([
      'opens 01-09 22:00',
      'closes 01-10 02:00',
    ]);
  });

  test('several windows a day; those that touch are one, and nothing happens between them', () => {
    const several = schedule('UTC', [window('08:00', '12:00'), window('12:00', '13:00'), window('14:00', '18:00')]);
    expect(happenings(several, '2026-01-05T00:00', '2026-01-05T23:00')).toEqual([
      'opens 01-05 08:00',
      'closes 01-05 13:00',
      'opens 01-05 14:00',
      'closes 01-05 18:00',
    ]);
    const whole = schedule('Europe/London', [window('00:00', '00:00')]);
    expect(happenings(whole, '2026-01-01T00:00', '2027-01-01T00:00')).toEqual([]);
    expect(whole.next('closes', at('2026-01-05T09:00'))).toBeNull();
  });

  test('a leap day is a day', () => {
    const daily = schedule('UTC', [window('10:00', '11:00')], { resets: [{ days: ['Tue'], at: '10:30' }] });
    expect(happenings(daily, '2028-02-28T12:00', '2028-03-01T00:00')).toEqual([
      'opens 02-29 10:00',
      'resets 02-29 10:30',
      'closes 02-29 11:00',
    ]);
  });
});

describe('holidays', () => {
  test('close their whole local day, also the part of a window that began the day before', () => {
    const nights = schedule('America/New_York', [window('20:00', '04:00')], { holidays: ['2026-12-25'] });
    expect(happenings(nights, '2026-12-24T12:00', '2026-12-27T12:00')).toEqual([
      'opens 12-25 01:00',
      'closes 12-25 05:00',
      'opens 12-26 05:00',
      'closes 12-26 09:00',
      'opens 12-27 01:00',
      'closes 12-27 09:00',
    ]);
  });

  test('interrupt a session that is open around the clock, and suppress no reset', () => {
    const always = schedule('UTC', [], {
      holidays: ['2026-12-25', '2026-12-26'],
      resets: [{ days: WEEKDAYS, at: '12:00' }],
    });
    expect(happenings(always, '2026-12-24T13:00', '2026-12-27T13:00')).toEqual([
      'closes 12-25 00:00',
      'resets 12-25 12:00',
      'resets 12-26 12:00',
      'opens 12-27 00:00',
      'resets 12-27 12:00',
    ]);
    expect(always.next('closes', at('2026-11-01T00:00'))).toBe(at('2026-12-25T00:00'));
    expect(always.next('closes', at('2026-12-28T00:00'))).toBeNull();
  });

  test('a calendar that never opens says so and does not search for ever', () => {
    const holidays = Array.from({ length: 500 }, (_, i) =>
      new Date(at('2026-01-01T00:00') + i * 86_400_000).toISOString(),
    );
    const closed = schedule('UTC', [window('08:00', '09:00')], { holidays: holidays.map((date) => date.slice(0, 10)) });
    expect(closed.span(at('2026-01-05T09:00'))).toEqual({
      open: false,
      from: at('2026-01-04T00:00'),
      until: at('2027-02-09T00:00'),
    });
    expect(closed.next('opens', at('2026-01-05T09:00'))).toBeNull();
  });

  test('one that lies months ahead is known, and as far as 400 days', () => {
    const closes = (holiday: string) =>
      schedule('UTC', [], { holidays: [holiday] }).next('closes', at('2026-01-05T09:00'));
    for (const holiday of ['2026-05-01', '2027-02-09']) expect(closes(holiday)).toBe(at(`${holiday}T00:00`));
    expect(closes('2027-02-11')).toBeNull();
  });
});

describe('where clocks are changed', () => {
  test.each([
    ['Europe/London', '2026-03-28T18:00', ['opens 03-29 07:00', 'closes 03-29 16:00'], '2026-03-29T23:00'],
    ['Europe/London', '2026-10-24T18:00', ['opens 10-25 08:00', 'closes 10-25 17:00'], '2026-10-25T23:00'],
    ['America/New_York', '2026-03-07T23:00', ['opens 03-08 12:00', 'closes 03-08 21:00'], '2026-03-08T23:00'],
    ['America/New_York', '2026-10-31T23:00', ['opens 11-01 13:00', 'closes 11-01 22:00'], '2026-11-01T23:00'],
  ])('%s: after %s a window keeps its local time', (zone, from, expected, until) => {
    expect(happenings(schedule(zone, [window('08:00', '17:00')]), from, until)).toEqual(expected);
  });

  test.each([
    // Clocks go from 01:00 to 02:00, at 01:00 UTC; from 02:00 to 03:00, at 07:00 UTC.
    ['Europe/London', '01:30', '2026-03-29', '01:00'],
    ['America/New_York', '02:30', '2026-03-08', '07:00'],
  ])('%s: %s, which clocks skip on %s, is the moment at which they skip it', (zone, time, date, utc) => {
    const calendar = schedule(zone, [window(time, '12:00')], { resets: [{ days: WEEKDAYS, at: time }] });
    const instant = at(`${date}T${utc}`);
    expect(calendar.next('opens', at(`${date}T00:00`))).toBe(instant);
    expect(calendar.nextReset(at(`${date}T00:00`))).toBe(instant);
  });

  test.each([
    // Clocks go from 02:00 back to 01:00, at 01:00 UTC; at 06:00 UTC.
    ['Europe/London', '2026-10-25', '00:30'],
    ['America/New_York', '2026-11-01', '05:30'],
  ])('%s: 01:30, which clocks show twice on %s, is the first of the two', (zone, date, utc) => {
    const calendar = schedule(zone, [window('23:00', '01:30')], { resets: [{ days: ['Sun'], at: '01:30' }] });
    const instant = at(`${date}T${utc}`);
    expect(calendar.boundaries(instant - 1, instant + 7_200_000, 10)).toEqual([
      { at: instant, kind: 'closes' },
      { at: instant, kind: 'resets' },
    ]);
    const opens = schedule(zone, [window('01:30', '03:00')]);
    expect(opens.span(instant)).toEqual({ open: true, from: instant, until: instant + 9_000_000 });
  });

  test('a window wholly within the skipped hour does not open', () => {
    const calendar = schedule('Europe/London', [window('01:15', '01:45')]);
    expect(happenings(calendar, '2026-03-28T12:00', '2026-03-30T12:00')).toEqual([
      'opens 03-30 00:15',
      'closes 03-30 00:45',
    ]);
  });

  test('windows that touch by the clock touch there too', () => {
    for (const zone of ['Europe/London', 'America/New_York', 'America/Santiago', 'Australia/Lord_Howe']) {
      const halves = schedule(zone, [window('01:30', '13:30'), window('13:30', '01:30')]);
      expect(happenings(halves, '2026-01-01T00:00', '2027-01-01T00:00'), zone).toEqual([]);
    }
  });

  test('a date that a zone skipped whole has no window, and the next day has its own', () => {
    // Apia left out 30 December 2011 and went from UTC-10 to UTC+14.
    const apia = schedule('Pacific/Apia', [window('08:00', '09:00')]);
    expect(happenings(apia, '2011-12-29T12:00', '2011-12-31T12:00')).toEqual([
      'opens 12-29 18:00',
      'closes 12-29 19:00',
      'opens 12-30 18:00',
      'closes 12-30 19:00',
    ]);
  });

  test('local times are written with the offset that holds', () => {
    const london = schedule('Europe/London', []);
    expect(london.localTime(at('2026-03-29T00:59'))).toBe('Sun 2026-03-29 00:59:00 +00:00');
    expect(london.localTime(at('2026-03-29T01:00'))).toBe('Sun 2026-03-29 02:00:00 +01:00');
    expect(schedule('America/St_Johns', []).localTime(at('2026-01-05T01:00'))).toBe('Sun 2026-01-04 21:30:00 -03:30');
  });
});

describe('resets', () => {
  test('the last and the next one, several a week, at their instant included in the last', () => {
    const twice = schedule('UTC', [], {
      resets: [
        { days: ['Sun'], at: '22:00' },
        { days: ['Wed'], at: '06:00:30' },
      ],
    });
    const wednesday = at('2026-01-07T06:00') + 30_000;
    expect(twice.nextReset(at('2026-01-05T09:00'))).toBe(wednesday);
    expect(twice.lastReset(at('2026-01-05T09:00'))).toBe(at('2026-01-04T22:00'));
    expect(twice.lastReset(wednesday)).toBe(wednesday);
    expect(twice.lastReset(wednesday - 1)).toBe(at('2026-01-04T22:00'));
    expect(twice.nextReset(wednesday)).toBe(at('2026-01-11T22:00'));
  });

  test('at one instant the session closes, then resets, then opens', () => {
    const days = schedule('UTC', [window('08:00', '17:00')], {
      resets: [
        { days: WEEKDAYS, at: '08:00' },
        { days: WEEKDAYS, at: '17:00' },
      ],
    });
    expect(happenings(days, '2026-01-05T00:00', '2026-01-05T23:00')).toEqual([
      'resets 01-05 08:00',
      'opens 01-05 08:00',
      'closes 01-05 17:00',
      'resets 01-05 17:00',
    ]);
  });
});

describe('settings', () => {
  test('time zones are known by name', () => {
    expect(isTimeZone('Europe/London')).toBe(true);
    expect(isTimeZone('UTC')).toBe(true);
    expect(isTimeZone('Europe/Lundon')).toBe(false);
    expect(() => schedule('Europe/Lundon', [])).toThrow('known time zone');
  });

  test('overlaps are found within a day, over midnight and over the end of the week', () => {
    expect(overlappingWindows([window('08:00', '12:00'), window('12:00', '13:00')])).toBeNull();
    expect(overlappingWindows([window('08:00', '12:00'), window('11:59:59', '13:00')])).toEqual([0, 1]);
    expect(overlappingWindows([window('01:00', '03:00'), window('22:00', '02:00')])).toEqual([0, 1]);
    expect(overlappingWindows([window('01:00', '03:00', ['Mon']), window('22:00', '02:00', ['Sun'])])).toEqual([0, 1]);
    expect(overlappingWindows([window('01:00', '03:00', ['Sun']), window('22:00', '02:00', ['Sun'])])).toBeNull();
    const week = window('17:00', '17:00', ['Sun'], 'Fri');
    expect(overlappingWindows([window('20:00', '21:00', ['Sat']), week])).toBeNull();
    expect(overlappingWindows([window('20:00', '21:00', ['Thu']), window('10:00', '11:00', ['Sat']), week])).toEqual([
      0, 2,
    ]);
  });
});

describe('two time zones', () => {
  const between = (windows: readonly ConnectWindow[], more: Partial<ScheduleSettings> = {}) =>
    schedule('America/New_York', windows, more);

  test('a window from New York to London follows both clocks over their changes', () => {
    const daily = between([{ ...window('08:00', '17:00', WORKDAYS), toTimeZone: 'Europe/London' }]);
    // New York puts its clocks on on 2026-03-08, London on 2026-03-29.
    expect(happenings(daily, '2026-03-06T00:00', '2026-03-07T00:00')).toEqual([
      'opens 03-06 13:00',
      'closes 03-06 17:00',
    ]);
    expect(happenings(daily, '2026-03-09T00:00', '2026-03-10T00:00')).toEqual([
      'opens 03-09 12:00',
      'closes 03-09 17:00',
    ]);
    expect(happenings(daily, '2026-03-30T00:00', '2026-03-31T00:00')).toEqual([
      'opens 03-30 12:00',
      'closes 03-30 16:00',
    ]);
    // And back: London on 2026-10-25, New York on 2026-11-01.
    expect(happenings(daily, '2026-10-26T00:00', '2026-10-27T00:00')).toEqual([
      'opens 10-26 12:00',
      'closes 10-26 17:00',
    ]);
  });

  test('a week that opens on Sunday in Sydney closes on Friday in Chicago', () => {
    const zones = { fromTimeZone: 'Australia/Sydney', toTimeZone: 'America/Chicago' };
    const weekly = between([{ ...window('17:00', '16:00', ['Sun'], 'Fri'), ...zones }]);
    expect(happenings(weekly, '2026-01-09T00:00', '2026-01-17T12:00')).toEqual([
      'closes 01-09 22:00',
      'opens 01-11 06:00',
      'closes 01-16 22:00',
    ]);
  });

  test('an end that clocks of the other zone show at the opening itself is that of the next day', () => {
    const daily = between([{ ...window('17:00', '22:00', ['Tue']), toTimeZone: 'Europe/London' }]);
    expect(happenings(daily, '2026-01-13T00:00', '2026-01-16T00:00')).toEqual([
      'opens 01-13 22:00',
      'closes 01-14 22:00',
    ]);
    // Between the changes of March London is four hours ahead.
    expect(happenings(daily, '2026-03-10T00:00', '2026-03-12T00:00')).toEqual([
      'opens 03-10 21:00',
      'closes 03-10 22:00',
    ]);
  });

  test('a holiday is that of the zone of the schedule, and a reset may have a zone of its own', () => {
    const daily = between([{ ...window('08:00', '17:00'), toTimeZone: 'Europe/London' }], {
      timeZone: 'America/New_York',
      holidays: ['2026-01-13'],
      resets: [{ days: ['Tue'], at: '00:30', timeZone: 'Asia/Tokyo' }],
    });
    expect(happenings(daily, '2026-01-12T00:00', '2026-01-15T00:00')).toEqual([
      'opens 01-12 13:00',
      'resets 01-12 15:30',
      'closes 01-12 17:00',
      'opens 01-14 13:00',
      'closes 01-14 17:00',
    ]);
  });

  test('windows of two zones overlap by their instants, and touch without doing so', () => {
    const first = { ...window('08:00', '17:00'), toTimeZone: 'Europe/London' };
    const second = (from: string) => ({ ...window(from, '20:00'), fromTimeZone: 'Europe/London', toTimeZone: null });
    expect(overlappingWindows([first, second('17:00')], 'America/New_York')).toBeNull();
    expect(overlappingWindows([first, second('16:59')], 'America/New_York')).toEqual([0, 1]);
  });
});
