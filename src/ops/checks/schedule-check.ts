// Checks of a schedule beyond the schema: existing zones and dates, windows without overlap. Part of cross-checks.ts;
// the session room has calendars.

import { didYouMean } from '../../base/did-you-mean.ts';
import { dayOfDate, ianaZoneOf, isTimeZone, overlappingWindows, type ScheduleSettings } from '../../engine/mod.ts';
import type { Report } from '../configuration/config-problem.ts';
import type { Path } from '../configuration/layers.ts';
import type { SessionSettings } from '../schema/session-schema.ts';

/** The schedule as the machine takes it, or null for one that never closes and never resets. */
export function scheduleSettings({ schedule }: SessionSettings): ScheduleSettings | null {
  const { timeZone, windows, holidays, resets } = schedule;
  if (windows.length === 0 && holidays.length === 0 && resets.length === 0) return null;
  return {
    timeZone,
    windows: windows.map(({ toDay, ...window }) => ({ ...window, toDay: toDay ?? null })),
    holidays,
    resets,
  };
}

export function checkSchedule(settings: SessionSettings, report: Report): void {
  const { windows, holidays } = settings.schedule;
  const zonesAreKnown = checkZones(settings, report);
  for (const [index, date] of holidays.entries()) {
    if (dayOfDate(date) === null) {
      report(['schedule', 'holidays', index], date, 'there is no such date', 'correct or remove it');
    }
  }
  let sound = zonesAreKnown;
  for (const [index, { days, toDay }] of windows.entries()) {
    if (toDay === undefined || days.length === 1) continue;
    sound = false;
    const problem = `a window up to one day of the week that opens on ${days.length} of them`;
    report(['schedule', 'windows', index, 'toDay'], toDay, problem, 'write the one day on which it opens in `days`');
  }
  const schedule = sound ? scheduleSettings(settings) : null;
  const overlap = schedule === null ? null : overlappingWindows(schedule.windows, schedule.timeZone);
  if (overlap === null) return;
  const [first, second] = overlap;
  const { from, to } = windows[second]!;
  const other = windows[first]!;
  const problem = `overlaps the window ${other.from} to ${other.to} of this list`;
  report(
    ['schedule', 'windows', second],
    `${from} to ${to}`,
    problem,
    'let each begin where the other ends, or join them',
  );
}

/** Whether every zone that is named exists. */
function checkZones({ schedule: { timeZone, windows, resets } }: SessionSettings, report: Report): boolean {
  const named: (readonly [path: Path, zone: string | undefined])[] = [
    [['timeZone'], timeZone],
    ...windows.flatMap(({ fromTimeZone, toTimeZone }, index) => [
      [['windows', index, 'fromTimeZone'], fromTimeZone] as const,
      [['windows', index, 'toTimeZone'], toTimeZone] as const,
    ]),
    ...resets.map((reset, index) => [['resets', index, 'timeZone'], reset.timeZone] as const),
  ];
  let known = true;
  for (const [path, zone] of named) {
    if (zone === undefined || isTimeZone(zone)) continue;
    known = false;
    const iana = ianaZoneOf(zone);
    const problem = iana === null ? 'there is no such time zone' : 'this is the name of a time zone on Windows';
    report(['schedule', ...path], zone, problem, iana === null ? remedyFor(zone) : `write ${iana}`);
  }
  return known;
}

function remedyFor(zone: string): string {
  const meant = didYouMean(zone, Intl.supportedValuesOf('timeZone'));
  return meant === null ? 'write an IANA name such as Europe/London or America/New_York' : `did you mean ${meant}?`;
}
