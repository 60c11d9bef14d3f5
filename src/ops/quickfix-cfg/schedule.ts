// The schedule of a QuickFIX settings file as one of ours. There a session is a span of time and its numbers begin again
// with each; here windows and resets are separate, so that each span becomes a window and a reset at its start.

import { ianaZoneOf, isTimeZone } from '../../engine/mod.ts';
import type { OtherSetting, SettingVerdict } from './verdict.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
/** QuickFIX takes any abbreviation that names one day: `mo`, `mon`, `Mon.`, `Monday`. */
const DAY_LETTERS_MIN = 2;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s+(\S.*))?$/;

const AROUND_THE_CLOCK: SettingVerdict = {
  kind: 'translated',
  text: 'schedule: around the clock, numbers never reset by time',
};

/** The zone of a schedule, which holds for times that name none of their own. */
export function timeZoneOf(value: string, other: OtherSetting): SettingVerdict {
  const times = ['StartTime', 'EndTime', 'StartDay', 'EndDay', 'Weekdays'];
  if (isNonStop(other) || times.every((name) => other(name) === null)) return AROUND_THE_CLOCK;
  const schedule = scheduleOf(value, other);
  if (schedule.kind === 'invalid') return schedule;
  const [start, end] = [timeOf(other('StartTime')), timeOf(other('EndTime'))];
  if (start?.zone != null && end?.zone != null)
    return { kind: 'refused', text: 'StartTime and EndTime name a time zone of their own' };
  // It is the zone of the end alone, which stands with the window.
  if (start?.zone != null) return schedule;
  const zone = zoneOf(value);
  return zoneVerdict(zone, `schedule.timeZone: ${JSON.stringify(zone)}`, [[['schedule', 'timeZone'], zone]]);
}

/** QuickFIX/n asks Windows for a zone: of one of its names this is the IANA zone, of others the name itself. */
function zoneOf(name: string): string {
  return isTimeZone(name) ? name : (ianaZoneOf(name) ?? name);
}

/** `crossgate check` knows no zone but those of IANA. */
function zoneVerdict(zone: string, text: string, values: NonNullable<SettingVerdict['values']>): SettingVerdict {
  if (isTimeZone(zone)) return { kind: 'translated', text, values };
  const why = `which \`crossgate check\` refuses: ${zone} is no IANA time zone; write one such as \`Europe/London\``;
  return { kind: 'refused', text: `${text}, ${why}`, values };
}

function isNonStop(other: OtherSetting): boolean {
  return /^(y|yes|true)$/i.test(other('NonStopSession') ?? 'N');
}

/** Any of the settings of a schedule but its zone: they count together, and each says the same. */
export function scheduleOf(_value: string, other: OtherSetting): SettingVerdict {
  if (isNonStop(other)) return AROUND_THE_CLOCK;
  const [start, end] = [timeOf(other('StartTime')), timeOf(other('EndTime'))];
  if (start === null || end === null) {
    return { kind: 'invalid', text: 'StartTime and EndTime are needed both, as HH:MM:SS' };
  }
  const common = other('TimeZone') ?? other('TimeZoneID');
  const timeZone = zoneOf(start.zone ?? common ?? 'UTC');
  const endZone = zoneOf(end.zone ?? common ?? 'UTC');
  const inOne = timeZone === endZone;
  const startDay = dayOf(other('StartDay'));
  const endDay = dayOf(other('EndDay'));
  const weekdays = (other('Weekdays') ?? '')
    .split(/[\s,]+/)
    .filter((each) => each !== '')
    .map(dayOf);
  if (startDay === undefined || endDay === undefined || weekdays.includes(undefined)) {
    return { kind: 'invalid', text: 'days are written in English, whole or shortened: Monday, mon, mo' };
  }
  if ((startDay === null) !== (endDay === null))
    return { kind: 'invalid', text: 'StartDay and EndDay are needed both' };
  // A setting in [SESSION] does not undo one in [DEFAULT]; one of them would count unseen.
  if (startDay !== null && weekdays.length > 0) {
    return { kind: 'invalid', text: 'Weekdays, or StartDay and EndDay: a session has one of the two' };
  }
  const days = startDay !== null ? [startDay] : weekdays.length > 0 ? weekdays : null;
  const on = days === null ? {} : { days };
  // A span that ends where the next begins has no gap: only the reset is left of it.
  const isWhole = inOne && start.time === end.time && (startDay === null ? weekdays.length === 0 : startDay === endDay);
  const window = {
    ...on,
    from: start.time,
    to: end.time,
    ...(endDay === null ? {} : { toDay: endDay }),
    ...(inOne ? {} : { toTimeZone: endZone }),
  };
  const schedule = {
    timeZone,
    ...(isWhole ? {} : { windows: [window] }),
    resets: [{ ...on, at: start.time }],
  };
  // TimeZone has a line of its own, and sets it.
  const isElsewhere = start.zone === null && common !== null;
  const values = Object.entries(schedule)
    .filter(([key]) => key !== 'timeZone' || !isElsewhere)
    .map(([key, value]) => [['schedule', key], value] as const);
  const text = `schedule: ${JSON.stringify(schedule)}`;
  const zones = [...(isElsewhere ? [] : [timeZone]), ...(inOne ? [] : [endZone])];
  const unknown = zones.find((zone) => !isTimeZone(zone));
  return unknown === undefined ? { kind: 'translated', text, values } : zoneVerdict(unknown, text, values);
}

function timeOf(text: string | null): { readonly time: string; readonly zone: string | null } | null {
  const [, hours, minutes, seconds, zone] = TIME.exec(text ?? '') ?? [];
  if (hours === undefined || minutes === undefined) return null;
  return { time: `${hours.padStart(2, '0')}:${minutes}:${seconds ?? '00'}`, zone: zone ?? null };
}

/** Null if there is none, undefined if it is no day. */
function dayOf(text: string | null): string | null | undefined {
  if (text === null) return null;
  const written = text.trim().toLowerCase().replace(/\.$/, '');
  if (written.length < DAY_LETTERS_MIN) return undefined;
  return DAYS.find((day) => day.toLowerCase().startsWith(written))?.slice(0, 3);
}
