// UTC time arithmetic on integers: FIX UTCTimestamp and ISO 8601 text to and from epoch milliseconds.
// Leaves time zones and schedules to session/time and the clock itself to the engine.

/** Milliseconds since 1970-01-01T00:00:00Z, an integer. Every `now` in the pure rooms is one. */
export type EpochMs = number;

const DAY_MS = 86_400_000;
/** 9999-12-31T23:59:59.999Z, the last instant that four-digit years can write. */
const EPOCH_MS_MAX = 253_402_300_799_999;

/** Days since the epoch of a civil date (proleptic Gregorian); month 1–12. */
function daysFromCivil(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

function civilFromDays(days: number): { year: number; month: number; day: number } {
  const z = days + 719_468;
  const era = Math.floor(z / 146_097);
  const dayOfEra = z - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const mp = Math.floor((5 * dayOfYear + 2) / 153);
  const month = mp < 10 ? mp + 3 : mp - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return { year, month, day: dayOfYear - Math.floor((153 * mp + 2) / 5) + 1 };
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

const pad2 = (n: number): string => (n < 10 ? `0${n}` : `${n}`);
const pad3 = (n: number): string => (n < 10 ? `00${n}` : n < 100 ? `0${n}` : `${n}`);
const pad4 = (n: number): string => `${n}`.padStart(4, '0');

// The date and second of the last call are kept: consecutive messages share them.
let cachedSecond = Number.NaN;
let cachedFix = '';

/** Format as FIX UTCTimestamp with milliseconds, `YYYYMMDD-HH:MM:SS.sss` (FIX 4.4 vol. 1, data types). */
export function formatUtcTimestamp(at: EpochMs): string {
  const second = Math.floor(at / 1000);
  if (second !== cachedSecond) {
    const days = Math.floor(at / DAY_MS);
    const { year, month, day } = civilFromDays(days);
    const inDay = second - days * 86_400;
    const time = `${pad2(Math.floor(inDay / 3600))}:${pad2(Math.floor(inDay / 60) % 60)}:${pad2(inDay % 60)}`;
    cachedFix = `${pad4(year)}${pad2(month)}${pad2(day)}-${time}.`;
    cachedSecond = second;
  }
  return cachedFix + pad3(at - second * 1000);
}

/** How finely a time is written. */
export const TIME_PRECISIONS = ['seconds', 'milliseconds', 'microseconds', 'nanoseconds'] as const;
export type TimePrecision = (typeof TIME_PRECISIONS)[number];

/** True if the precision needs more than the milliseconds of the machine's clock. */
export function isFinerThanMs(precision: TimePrecision): boolean {
  return precision === 'microseconds' || precision === 'nanoseconds';
}

/** Nanoseconds of a millisecond. */
export const NANOS_OF_MS = 1_000_000;

/** Format as FIX UTCTimestamp of a precision; `nanos` are those within the millisecond, 0 to 999,999. */
export function formatTimestampAs(at: EpochMs, precision: TimePrecision, nanos = 0): string {
  const text = formatUtcTimestamp(at);
  if (precision === 'milliseconds') return text;
  if (precision === 'seconds') return text.slice(0, 17);
  return precision === 'microseconds' ? text + pad3(Math.floor(nanos / 1000)) : `${text}${`${nanos}`.padStart(6, '0')}`;
}

/** Format as ISO 8601 with milliseconds and `Z`. */
export function formatIso(at: EpochMs): string {
  const t = formatUtcTimestamp(at);
  return `${t.slice(0, 4)}-${t.slice(4, 6)}-${t.slice(6, 8)}T${t.slice(9)}Z`;
}

function toEpochMs(y: number, mo: number, d: number, h: number, mi: number, s: number, ms: number): EpochMs | null {
  if (mo < 1 || mo > 12 || d < 1 || d > daysInMonth(y, mo)) return null;
  // FIX permits second 60 for leap seconds; it lands on the next minute.
  if (h > 23 || mi > 59 || s > 60) return null;
  return daysFromCivil(y, mo, d) * DAY_MS + h * 3_600_000 + mi * 60_000 + s * 1000 + ms;
}

const FIX_TIMESTAMP = /^(\d{4})(\d\d)(\d\d)-(\d\d):(\d\d):(\d\d)(?:\.(\d+))?$/;

/** Parse a FIX UTCTimestamp with any number of decimals; digits finer than a millisecond are cut. Null if malformed. */
export function parseUtcTimestamp(text: string): EpochMs | null {
  const m = FIX_TIMESTAMP.exec(text);
  return m === null ? null : toEpochMs(+m[1]!, +m[2]!, +m[3]!, +m[4]!, +m[5]!, +m[6]!, milliseconds(m[7]));
}

const ISO_TIMESTAMP = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z$/;

/** Parse ISO 8601 in UTC (`…Z`), as the exchange writes its `…Datetime` fields. Null if malformed. */
export function parseIso(text: string): EpochMs | null {
  const m = ISO_TIMESTAMP.exec(text);
  return m === null ? null : toEpochMs(+m[1]!, +m[2]!, +m[3]!, +m[4]!, +m[5]!, +m[6]!, milliseconds(m[7]));
}

/** Decimals of a second as milliseconds, the finer ones cut. */
function milliseconds(decimals = ''): number {
  return +decimals.padEnd(3, '0').slice(0, 3);
}

/** A time as people and logs write it: FIX UTCTimestamp, or ISO 8601 with or without `Z`; UTC. Null if it is none. */
export function parseTime(text: string): EpochMs | null {
  const fix = parseUtcTimestamp(text);
  if (fix !== null) return fix;
  const day = /^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00:00` : text;
  const iso = day.replace(' ', 'T').replace(',', '.').replace(/Z$/, '');
  return parseIso(`${/T\d\d:\d\d$/.test(iso) ? `${iso}:00` : iso}Z`);
}

/** First millisecond of the UTC day that contains `at`. */
export function startOfUtcDay(at: EpochMs): EpochMs {
  return Math.floor(at / DAY_MS) * DAY_MS;
}

/** Last millisecond of the UTC day that contains `at`. */
export function endOfUtcDay(at: EpochMs): EpochMs {
  return startOfUtcDay(at) + DAY_MS - 1;
}

/** Whether `at` can be written with a four-digit year. */
export function isEpochMs(at: number): boolean {
  return Number.isInteger(at) && at >= 0 && at <= EPOCH_MS_MAX;
}
