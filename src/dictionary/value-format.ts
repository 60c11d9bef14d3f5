// The FIX data types as checks on bytes (FIX 4.4 vol. 1, "Data types"), and enumerations as lookups on bytes.
// Leaves where a value may stand to validator.ts.

/** Kinds of check; several FIX types share one. */
export const Format = {
  Any: 0,
  Integer: 1,
  NonNegative: 2,
  Decimal: 3,
  Character: 4,
  Boolean: 5,
  UtcTimestamp: 6,
  UtcTime: 7,
  Date: 8,
  MonthYear: 9,
  MultipleValues: 10,
  DayOfMonth: 11,
  TzTime: 12,
  TzTimestamp: 13,
  /** ISO 3166 and ISO 639-1: two letters. */
  TwoLetters: 14,
  MultipleCharacters: 15,
  /** From here on: what a type allows beside the values that the field enumerates. */
  Tenor: 16,
  Reserved100: 17,
  Reserved1000: 18,
  Reserved4000: 19,
} as const;

/** Whether a type adds values to those that its field enumerates (FIX 5.0 SP2, "Pattern"). */
export function addsToEnumeration(format: number): boolean {
  return format >= Format.Tenor;
}

const FORMATS: Readonly<Record<string, number>> = {
  INT: Format.Integer,
  LENGTH: Format.NonNegative,
  SEQNUM: Format.NonNegative,
  NUMINGROUP: Format.NonNegative,
  TAGNUM: Format.NonNegative,
  FLOAT: Format.Decimal,
  QTY: Format.Decimal,
  QUANTITY: Format.Decimal,
  PRICE: Format.Decimal,
  PRICEOFFSET: Format.Decimal,
  AMT: Format.Decimal,
  PERCENTAGE: Format.Decimal,
  CHAR: Format.Character,
  BOOLEAN: Format.Boolean,
  UTCTIMESTAMP: Format.UtcTimestamp,
  TIME: Format.UtcTimestamp,
  UTCTIMEONLY: Format.UtcTime,
  UTCDATEONLY: Format.Date,
  UTCDATE: Format.Date,
  LOCALMKTDATE: Format.Date,
  DATE: Format.Date,
  MONTHYEAR: Format.MonthYear,
  'MONTH-YEAR': Format.MonthYear,
  MULTIPLEVALUESTRING: Format.MultipleValues,
  MULTIPLESTRINGVALUE: Format.MultipleValues,
  MULTIPLECHARVALUE: Format.MultipleCharacters,
  DAYOFMONTH: Format.DayOfMonth,
  'DAY-OF-MONTH': Format.DayOfMonth,
  LOCALMKTTIME: Format.UtcTime,
  TZTIMEONLY: Format.TzTime,
  TZTIMESTAMP: Format.TzTimestamp,
  COUNTRY: Format.TwoLetters,
  LANGUAGE: Format.TwoLetters,
  TENOR: Format.Tenor,
  RESERVED100PLUS: Format.Reserved100,
  RESERVED1000PLUS: Format.Reserved1000,
  RESERVED4000PLUS: Format.Reserved4000,
};

/** Types of text and of data. */
const TEXTS: ReadonlySet<string> = new Set([
  ...['STRING', 'DATA', 'XMLDATA', 'CURRENCY', 'EXCHANGE', 'XID', 'XIDREF', 'PATTERN'],
]);

/** Whether FIX, in any version, has such a data type. */
export function isDataType(type: string): boolean {
  return TEXTS.has(type) || FORMATS[type] !== undefined;
}

/** Check for a FIX data type. CURRENCY and EXCHANGE are free text: USDC has no ISO code. */
export function formatOf(type: string, version: string): number {
  // FIX.4.0 and FIX.4.1 call text of any length CHAR.
  if (type === 'CHAR' && (version === 'FIX.4.0' || version === 'FIX.4.1')) return Format.Any;
  return FORMATS[type] ?? Format.Any;
}

/** Whether the bytes [from, to), at least one, are a value of this format. */
export function isWellFormed(format: number, bytes: Uint8Array, from: number, to: number): boolean {
  switch (format) {
    case Format.Integer:
      return isDigits(bytes, bytes[from] === 0x2d ? from + 1 : from, to);
    case Format.NonNegative:
      return isDigits(bytes, from, to);
    case Format.Decimal:
      return isDecimal(bytes, bytes[from] === 0x2d ? from + 1 : from, to);
    case Format.Character:
      return to - from === 1;
    case Format.Boolean:
      return to - from === 1 && (bytes[from] === 0x59 || bytes[from] === 0x4e);
    case Format.UtcTimestamp:
      return (
        to - from >= 17 && isDate(bytes, from, from + 8) && bytes[from + 8] === 0x2d && isTime(bytes, from + 9, to)
      );
    case Format.UtcTime:
      return isTime(bytes, from, to);
    case Format.Date:
      return isDate(bytes, from, to);
    case Format.MonthYear:
      return isMonthYear(bytes, from, to);
    case Format.DayOfMonth:
      return to - from <= 2 && isDigits(bytes, from, to) && isBetween(bytes, from, to, 1, 31);
    case Format.MultipleValues:
      return isList(bytes, from, to, false);
    case Format.MultipleCharacters:
      return isList(bytes, from, to, true);
    default:
      return isOfLaterType(format, bytes, from, to);
  }
}

/** The types that came with FIX 5.0 SP2. */
function isOfLaterType(format: number, bytes: Uint8Array, from: number, to: number): boolean {
  switch (format) {
    case Format.TzTime:
      return isTzTime(bytes, from, to);
    case Format.TzTimestamp:
      return isDate(bytes, from, Math.min(to, from + 8)) && bytes[from + 8] === 0x2d && isTzTime(bytes, from + 9, to);
    case Format.TwoLetters:
      return to - from === 2 && isLetter(bytes[from]!) && isLetter(bytes[from + 1]!);
    case Format.Tenor:
      return isTenor(bytes, from, to);
    case Format.Reserved100:
      return isReserved(bytes, from, to, 100);
    case Format.Reserved1000:
      return isReserved(bytes, from, to, 1000);
    case Format.Reserved4000:
      return isReserved(bytes, from, to, 4000);
    default:
      return true;
  }
}

const isLetter = (byte: number): boolean => (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;

/** Values with one space between them, each of one character if so. */
function isList(bytes: Uint8Array, from: number, to: number, singles: boolean): boolean {
  let start = from;
  for (let i = from; i <= to; i++) {
    if (i !== to && bytes[i] !== 0x20) continue;
    if (i === start || (singles && i - start !== 1)) return false;
    start = i + 1;
  }
  return true;
}

/** Digits of a plain number; its size is bounded by the field. */
function isReserved(bytes: Uint8Array, from: number, to: number, least: number): boolean {
  return isDigits(bytes, from, to) && numberAt(bytes, from, to) >= least;
}

/** `D5`, `W13`, `M3`, `Y1`: a number of days, weeks, months or years above 0. */
function isTenor(bytes: Uint8Array, from: number, to: number): boolean {
  const unit = bytes[from]!;
  const isUnit = unit === 0x44 || unit === 0x57 || unit === 0x4d || unit === 0x59;
  return isUnit && isReserved(bytes, from + 1, to, 1);
}

/** Hours that a zone is from UTC at most: the specification has 12, and the Line Islands have 14. */
const OFFSET_HOURS_MAX = 14;

/** `HH:MM[:SS[.sss]]`, then `Z`, an offset `+hh` or `-hh:mm`, or nothing for local time. */
function isTzTime(bytes: Uint8Array, from: number, to: number): boolean {
  let end = from;
  while (end < to && bytes[end] !== 0x5a && bytes[end] !== 0x2b && bytes[end] !== 0x2d) end++;
  if (!(end - from === 5 ? isHoursAndMinutes(bytes, from, end, 23) : isTime(bytes, from, end))) return false;
  if (end === to) return true;
  if (bytes[end] === 0x5a) return end + 1 === to;
  if (to - end === 3) return isDigits(bytes, end + 1, to) && numberAt(bytes, end + 1, to) <= OFFSET_HOURS_MAX;
  return isHoursAndMinutes(bytes, end + 1, to, OFFSET_HOURS_MAX);
}

function isHoursAndMinutes(bytes: Uint8Array, from: number, to: number, hoursMax: number): boolean {
  return (
    to - from === 5 &&
    bytes[from + 2] === 0x3a &&
    isDigits(bytes, from, from + 2) &&
    isDigits(bytes, from + 3, to) &&
    numberAt(bytes, from, from + 2) <= hoursMax &&
    numberAt(bytes, from + 3, to) <= 59
  );
}

/** Whether [from, to) is one digit or more, and nothing else. */
function isDigits(bytes: Uint8Array, from: number, to: number): boolean {
  if (from === to) return false;
  for (let i = from; i < to; i++) {
    const c = bytes[i]!;
    if (c < 0x30 || c > 0x39) return false;
  }
  return true;
}

function isDecimal(bytes: Uint8Array, from: number, to: number): boolean {
  let digits = 0;
  let points = 0;
  for (let i = from; i < to; i++) {
    const c = bytes[i]!;
    if (c >= 0x30 && c <= 0x39) digits++;
    else if (c === 0x2e) points++;
    else return false;
  }
  return digits > 0 && points <= 1;
}

/** The integer at [from, to), digits only. */
function numberAt(bytes: Uint8Array, from: number, to: number): number {
  let value = 0;
  for (let i = from; i < to; i++) value = value * 10 + bytes[i]! - 0x30;
  return value;
}

function isBetween(bytes: Uint8Array, from: number, to: number, low: number, high: number): boolean {
  const value = numberAt(bytes, from, to);
  return value >= low && value <= high;
}

/** `YYYYMMDD`, a day that exists. */
function isDate(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from !== 8 || !isDigits(bytes, from, to)) return false;
  const month = numberAt(bytes, from + 4, from + 6);
  const day = numberAt(bytes, from + 6, to);
  if (month < 1 || month > 12 || day < 1 || day > 31) return false;
  if (day < 29) return true;
  if (month === 2) {
    const year = numberAt(bytes, from, from + 4);
    return day === 29 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  }
  return day < 31 || !(month === 4 || month === 6 || month === 9 || month === 11);
}

/** `HH:MM:SS` with any number of decimals; second 60 is a leap second. */
function isTime(bytes: Uint8Array, from: number, to: number): boolean {
  const length = to - from;
  if (length < 8 || !isHoursAndMinutes(bytes, from, from + 5, 23) || bytes[from + 5] !== 0x3a) return false;
  if (!isDigits(bytes, from + 6, from + 8) || numberAt(bytes, from + 6, from + 8) > 60) return false;
  if (length === 8) return true;
  return length > 9 && bytes[from + 8] === 0x2e && isDigits(bytes, from + 9, to);
}

/** `YYYYMM`, `YYYYMMDD` or `YYYYMMwN` (week 1 to 5). */
function isMonthYear(bytes: Uint8Array, from: number, to: number): boolean {
  if (to - from === 8 && bytes[from + 6] === 0x77) {
    const week = bytes[from + 7]! - 0x30;
    return week >= 1 && week <= 5 && isMonthYear(bytes, from, from + 6);
  }
  if (to - from === 8) return isDate(bytes, from, to);
  return to - from === 6 && isDigits(bytes, from, to) && isBetween(bytes, from + 4, to, 1, 12);
}

/** Longest value that is looked up as a number: six bytes behind a 1 are an exact integer in a double. */
const PACKED_MAX = 6;

/** The values of one enumeration. */
export class EnumerationTable {
  /** One bit per one-byte value. */
  private readonly single = new Uint32Array(8);
  /** Longer values packed into numbers, sorted. */
  private readonly packed: Float64Array;
  private readonly long: ReadonlySet<string>;

  constructor(values: readonly string[]) {
    const packed: number[] = [];
    const long = new Set<string>();
    for (const value of values) {
      if (value.length > PACKED_MAX) long.add(value);
      else if (value.length > 1) packed.push(pack(Buffer.from(value, 'latin1'), 0, value.length));
      else {
        const c = value.charCodeAt(0);
        this.single[c >> 5]! |= 1 << (c & 31);
      }
    }
    this.packed = Float64Array.from(packed).sort();
    this.long = long;
  }

  /** Whether the bytes [from, to) are one of the values. */
  has(bytes: Uint8Array, from: number, to: number): boolean {
    const length = to - from;
    if (length === 1) {
      const c = bytes[from]!;
      return (this.single[c >> 5]! & (1 << (c & 31))) !== 0;
    }
    if (length <= PACKED_MAX) return this.hasPacked(pack(bytes, from, to));
    return this.long.size > 0 && this.long.has(Buffer.from(bytes.subarray(from, to)).toString('latin1'));
  }

  /** Whether every space-separated part of [from, to) is one of the values (MultipleValueString). */
  hasEach(bytes: Uint8Array, from: number, to: number): boolean {
    let start = from;
    for (let i = from; i <= to; i++) {
      if (i !== to && bytes[i] !== 0x20) continue;
      if (i === start || !this.has(bytes, start, i)) return false;
      start = i + 1;
    }
    return true;
  }

  private hasPacked(value: number): boolean {
    const packed = this.packed;
    let low = 0;
    let high = packed.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      const found = packed[middle]!;
      if (found === value) return true;
      if (found < value) low = middle + 1;
      else high = middle - 1;
    }
    return false;
  }
}

/** The 1 before the bytes distinguishes leading NUL bytes from none. */
function pack(bytes: Uint8Array, from: number, to: number): number {
  let value = 1;
  for (let i = from; i < to; i++) value = value * 256 + bytes[i]!;
  return value;
}
