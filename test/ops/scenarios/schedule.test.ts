// The schedule of a session file: what is taken, what is refused and in which words.

import { expect, test } from 'vitest';
import { WEEKDAYS } from '../../../src/session/mod.ts';
import { configurationFolder, inShort, SESSION } from '../configuration-folder.ts';

const load = (schedule: string, defaults?: string) =>
  configurationFolder({
    'OMS.yaml': `${SESSION}${schedule}`,
    ...(defaults === undefined ? {} : { 'defaults.yaml': defaults }),
  }).load();
const scheduleOf = (loaded: ReturnType<typeof load>) => loaded.config?.sessions[0]?.session.schedule;

test('without one a session is open around the clock and never reset', () => {
  const loaded = load('');
  expect(loaded.problems).toEqual([]);
  expect(scheduleOf(loaded)).toBeNull();
  expect(scheduleOf(load('schedule: { timeZone: Asia/Tokyo }\n'))).toBeNull();
});

test('windows, holidays and resets are taken, quoted or not, and every day is the default', () => {
  const loaded = load(`schedule:
  timeZone: America/New_York
  windows:
    - { days: [Sun], from: "17:00", toDay: Fri, to: 17:00 }
  holidays: [2026-12-25, "2028-02-29"]
  resets:
    - { at: 16:55:30 }
`);
  expect(loaded.problems).toEqual([]);
  expect(scheduleOf(loaded)).toEqual({
    timeZone: 'America/New_York',
    windows: [{ days: ['Sun'], from: '17:00', to: '17:00', toDay: 'Fri' }],
    holidays: ['2026-12-25', '2028-02-29'],
    resets: [{ days: [...WEEKDAYS], at: '16:55:30' }],
  });
});

test('the calendar of all sessions may stand in defaults.yaml, and a session adds its own windows', () => {
  const loaded = load(
    'schedule: { windows: [{ from: "08:00", to: "09:00" }] }\n',
    'schedule: { timeZone: Europe/London, holidays: [2026-12-25] }\n',
  );
  expect(loaded.problems).toEqual([]);
  expect(scheduleOf(loaded)).toMatchObject({
    timeZone: 'Europe/London',
    holidays: ['2026-12-25'],
    windows: [{ toDay: null }],
  });
});

test('an unknown zone, with the probable one', () => {
  const { problems } = load('schedule:\n  timeZone: Europe/Lundon\n');
  expect(problems).toMatchObject([
    {
      line: 12,
      key: 'schedule.timeZone',
      problem: 'there is no such time zone',
      remedy: 'did you mean Europe/London?',
    },
  ]);
});

test('a Windows zone name gets its IANA zone suggested, for any zone', () => {
  const text = `schedule:
  timeZone: Eastern Standard Time
  windows: [{ from: "08:00", to: "17:00", toTimeZone: GMT Standard Time }]
  resets: [{ at: "07:00", timeZone: eastern standard time }]
`;
  const told = load(text).problems.map(({ key, problem, remedy }) => `${key}: ${problem}; ${remedy}`);
  expect(told).toEqual([
    'schedule.timeZone: this is the name of a time zone on Windows; write America/New_York',
    'schedule.windows[0].toTimeZone: this is the name of a time zone on Windows; write Europe/London',
    'schedule.resets[0].timeZone: there is no such time zone; write an IANA name such as Europe/London or America/New_York',
  ]);
});

test('dates that do not exist, and dates twice', () => {
  expect(inShort(load('schedule:\n  holidays:\n    - 2026-02-29\n'))).toEqual([
    'sessions/OMS.yaml:13 schedule.holidays[0]: there is no such date',
  ]);
  expect(inShort(load('schedule: { holidays: [2026-12-25, 2026-12-25] }\n'))[0]).toMatch(
    /the same value stands at positions/,
  );
});

test('windows that overlap, counted as a person counts', () => {
  const text = `schedule:
  windows:
    - { from: "08:00", to: "12:00" }
    - { from: "12:00", to: "13:00" }
    - { days: [Wed], from: "11:00", to: "11:30" }
`;
  expect(load(text).problems).toMatchObject([
    {
      line: 15,
      key: 'schedule.windows[2]',
      value: '11:00 to 11:30',
      problem: 'overlaps the window 08:00 to 12:00 of this list',
    },
  ]);
});

test('a window of several days opens on one day', () => {
  expect(inShort(load('schedule: { windows: [{ from: "08:00", to: "09:00", toDay: Fri }] }\n'))).toEqual([
    'sessions/OMS.yaml:11 schedule.windows[0].toDay: a window up to one day of the week that opens on 7 of them',
  ]);
});

test('times and days that are none, and half a window', () => {
  expect(inShort(load('schedule: { windows: [{ from: "24:00", to: "09:00" }] }\n'))[0]).toMatch(
    /windows\[0\].from: has a form/,
  );
  expect(inShort(load('schedule: { resets: [{ at: "9:00" }] }\n'))[0]).toMatch(/resets\[0\].at: has a form/);
  expect(inShort(load('schedule: { resets: [{ days: [Monday], at: "09:00" }] }\n'))[0]).toMatch(
    /days\[0\]: must be one of/,
  );
  expect(inShort(load('schedule: { windows: [{ from: "08:00" }] }\n'))[0]).toMatch(
    /windows\[0\].to: required, but missing/,
  );
});
