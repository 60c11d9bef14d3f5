// The hardest calendars: a week over the end of the year, a day that a zone skips, clocks set back by half an hour.
// Further a week cut by holidays, and a reset while the session is closed.

import { expect, test } from 'vitest';
import { parseIso } from '../../../src/base/time.ts';
import { overlappingWindows, Schedule, type ScheduleSettings, WEEKDAYS } from '../../../src/session/mod.ts';

const at = (text: string): number => parseIso(`${text}:00Z`)!;
const shown = (instant: number | null): string | null =>
  instant === null ? null : new Date(instant).toISOString().slice(0, 16);

function schedule(settings: Partial<ScheduleSettings>): Schedule {
  return new Schedule({ timeZone: 'UTC', windows: [], holidays: [], resets: [], ...settings });
}

const week = { days: ['Sun'], from: '17:00', toDay: 'Fri', to: '17:00' } as const;
const daily = (from: string, to: string) => ({ days: WEEKDAYS, from, to, toDay: null });

test('a week that begins in the old year ends in the new one, without a boundary at midnight', () => {
  const year = schedule({ timeZone: 'America/New_York', windows: [week], resets: [{ days: ['Sun'], at: '16:55' }] });
  for (const now of ['2026-12-27T22:00', '2026-12-31T23:59', '2027-01-01T04:59', '2027-01-01T05:00']) {
    const { open, from, until } = year.span(at(now));
    expect([open, shown(from), shown(until)]).toEqual([true, '2026-12-27T22:00', '2027-01-01T22:00']);
  }
  expect(shown(year.next('opens', at('2027-01-01T22:00')))).toBe('2027-01-03T22:00');
  // Of a week that is open the next opening is the one behind its end, and the other way round.
  expect(shown(year.next('opens', at('2026-12-28T00:00')))).toBe('2027-01-03T22:00');
  expect(shown(year.next('closes', at('2027-01-02T00:00')))).toBe('2027-01-08T22:00');
  expect(shown(year.lastReset(at('2027-01-01T00:00')))).toBe('2026-12-27T21:55');
  expect(shown(year.nextReset(at('2027-01-01T00:00')))).toBe('2027-01-03T21:55');
});

test('a window that ends when it opens lasts a whole week, with no other boundary', () => {
  const whole = schedule({ windows: [{ ...week, toDay: 'Sun' }] });
  for (const now of ['2026-12-27T16:59', '2026-12-27T17:00', '2026-12-31T00:00'])
    expect(whole.span(at(now)).open).toBe(true);
  expect(overlappingWindows([{ ...week, toDay: 'Sun' }])).toBeNull();
  expect(overlappingWindows([{ ...week, toDay: 'Sun' }, daily('01:00', '02:00')])).toEqual([0, 1]);
});

test('a day that the zone leaves out has no window, and its reset comes when the day is skipped', () => {
  const apia = schedule({
    timeZone: 'Pacific/Apia',
    windows: [daily('09:00', '17:00')],
    resets: [{ days: WEEKDAYS, at: '08:00' }],
  });
  const found = apia.boundaries(at('2011-12-29T18:30'), at('2011-12-31T03:30'), 20);
  expect(found.map(({ at: instant, kind }) => `${shown(instant)} ${kind}`)).toEqual([
    '2011-12-29T19:00 opens',
    '2011-12-30T03:00 closes',
    '2011-12-30T10:00 resets',
    '2011-12-30T18:00 resets',
    '2011-12-30T19:00 opens',
    '2011-12-31T03:00 closes',
  ]);
});

test('clocks put back by half an hour: a reset shown twice happens once, at the first of the two', () => {
  const island = schedule({ timeZone: 'Australia/Lord_Howe', resets: [{ days: WEEKDAYS, at: '01:45' }] });
  expect(shown(island.nextReset(at('2027-04-03T00:00')))).toBe('2027-04-03T14:45');
  expect(shown(island.nextReset(at('2027-04-03T14:45')))).toBe('2027-04-04T15:15');
});

test('a holiday in the middle cuts a week in two, and its reset happens all the same', () => {
  const cut = schedule({ windows: [week], holidays: ['2026-12-25'], resets: [{ days: ['Fri'], at: '12:00' }] });
  const found = cut.boundaries(at('2026-12-24T00:00'), at('2026-12-28T00:00'), 20);
  expect(found.map(({ at: instant, kind }) => `${shown(instant)} ${kind}`)).toEqual([
    '2026-12-25T00:00 closes',
    '2026-12-25T12:00 resets',
    '2026-12-27T17:00 opens',
  ]);
});

test('touching windows are one across the hour that is shown twice, and across the one that is skipped', () => {
  const touching = schedule({
    timeZone: 'Europe/London',
    windows: [daily('08:00', '01:30'), daily('01:30', '07:00')],
  });
  for (const [opens, closes] of [
    ['2026-10-24T07:00', '2026-10-25T07:00'],
    ['2026-03-28T08:00', '2026-03-29T06:00'],
  ] as const) {
    const { open, from, until } = touching.span(at(opens) + 3_600_000);
    expect([open, shown(from), shown(until)]).toEqual([true, opens, closes]);
  }
});

test('clocks put back over midnight show the end of a day again, behind the reset of the next one', () => {
  // From 00:01 on Sunday to 23:01 on Saturday, at 02:31 UTC.
  const newfoundland = schedule({ timeZone: 'America/St_Johns', resets: [{ days: ['Sun'], at: '00:00' }] });
  for (const [now, last, next] of [
    ['2010-11-07T02:29', '2010-10-31T02:30', '2010-11-07T02:30'],
    ['2010-11-07T02:30', '2010-11-07T02:30', '2010-11-14T03:30'],
    ['2010-11-07T03:00', '2010-11-07T02:30', '2010-11-14T03:30'],
  ] as const)
    expect([shown(newfoundland.lastReset(at(now))), shown(newfoundland.nextReset(at(now)))]).toEqual([last, next]);
});
