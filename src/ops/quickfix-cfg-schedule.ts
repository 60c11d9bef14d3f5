// The schedule of a QuickFIX settings file as one of ours. There a session is a span of time and its numbers begin again
// with each; here windows and resets are separate, so that each span becomes a window and a reset at its start.

import type { OtherSetting, SettingVerdict } from './quickfix-cfg-keys.ts';

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const;
/** QuickFIX takes any abbreviation that names one day: `mo`, `mon`, `Mon.`, `Monday`. */
const DAY_LETTERS_MIN = 2;
const TIME = /^(\d{1,2}):(\d{2})(?::(\d{2}))?(?:\s+(\S+))?$/;

/** Any of the settings of a schedule: they count together, and each says the same. */
export function scheduleOf(_value: string, other: OtherSetting): SettingVerdict {
  if (/^(y|yes|true)$/i.test(other('NonStopSession') ?? 'N')) {
    return { kind: 'translated', text: 'schedule: around the clock, numbers never reset by time' };
  }
  const [start, end] = [timeOf(other('StartTime')), timeOf(other('EndTime'))];
  const timeZone = other('TimeZone') ?? other('TimeZoneID') ?? start?.zone ?? 'UTC';
  if (start === null || end === null) {
    return { kind: 'invalid', text: 'StartTime and EndTime are needed both, as HH:MM:SS' };
  }
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
  const days = startDay !== null ? [startDay] : weekdays.length > 0 ? weekdays : null;
  const on = days === null ? {} : { days };
  // A span that ends where the next begins has no gap: only the reset is left of it.
  const isWhole = start.time === end.time && (startDay === null ? weekdays.length === 0 : startDay === endDay);
  const window = { ...on, from: start.time, to: end.time, ...(endDay === null ? {} : { toDay: endDay }) };
  const schedule = {
    timeZone,
    ...(isWhole ? {} : { windows: [window] }),
    resets: [{ ...on, at: start.time }],
  };
  return {
    kind: 'translated',
    text: `schedule: ${JSON.stringify(schedule)}`,
    values: Object.entries(schedule).map(([key, value]) => [['schedule', key], value] as const),
  };
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
