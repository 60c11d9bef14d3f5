// Marks for SOH in a text, and where a message begins in it.

export const SOH = '\u0001';
const TAB = '\t';

/**
 * Marks for SOH: escapes of programming languages, JSON and XML, the picture of SOH (here the three bytes of its
 * UTF-8), marks of log viewers. A message keeps to the one behind its BeginString(8).
 */
const SEPARATORS = [
  SOH,
  '|',
  ';',
  '^A',
  '<SOH>',
  '<soh>',
  '[SOH]',
  '%01',
  '\\\\u0001',
  '\\x01',
  '\\u0001',
  '\\001',
  '#001',
  '&#1;',
  '&#x1;',
  '\u00e2\u0090\u0081',
];
const MARKS = SEPARATORS.map((one) => one.replace(/[\\^|[\]]/g, '\\$&')).join('|');

/** The separators in words, for people. */
export const SEPARATORS_READ =
  'SOH, tab, |, ;, ^, ~, ^A, <SOH>, [SOH] and the escapes of SOH in JSON, XML, URLs and programming languages, with blanks around them or not';

/** A tab may end a column of a table; `^`, `~` and a mark with a blank behind may be part of a value: they separate before a field only. */
const BEGIN = new RegExp(
  `8=FIXT?\\.\\d\\.\\d(?:SP\\d)?( ?(?:${MARKS}|[\\^~]) (?=\\d+=)|${MARKS}|[${TAB}^~](?=\\d+=))`,
  'y',
);

/** A BeginString(8) and what stands behind it. */
export interface Begin {
  readonly from: number;
  readonly separator: string;
  /** Behind the separator. */
  readonly headEnd: number;
}

/** Offset of what may begin a message; -1 if nothing does. */
export const nextBegin = (text: string, from: number): number => text.indexOf('8=FIX', from);

/** The beginning of a message at `from`, or null. */
export function beginAt(text: string, from: number): Begin | null {
  BEGIN.lastIndex = from;
  const found = BEGIN.exec(text);
  return found === null ? null : { from, separator: found[1]!, headEnd: BEGIN.lastIndex };
}

/** Longest BeginString(8) with its separator: what may still become one at the end of a text. */
export const BEGIN_CHARACTERS_MAX = 32;

/** The separator as it stands behind the last field: nothing follows it there, not even its blank. */
export const withoutBlank = (separator: string): string =>
  separator.length > 1 ? separator.replace(/ $/, '') : separator;

/** Whether the separator may be part of a value, and separates only where a field follows or the message ends. */
const isAmbiguous = (separator: string): boolean => separator !== SOH;

/** Offset of the next separator before `limit`; `limit` if there is none. */
export function separatorIn(text: string, separator: string, from: number, limit: number): number {
  for (let at = text.indexOf(separator, from); at !== -1 && at < limit; at = text.indexOf(separator, at + 1)) {
    if (!isAmbiguous(separator) || fieldFollows(text, at + separator.length)) return at;
  }
  // The last one stands without its blank, and without a field behind.
  const last = withoutBlank(separator);
  let end = limit;
  while (end > from && (text[end - 1] === '\r' || text[end - 1] === ' ')) end--;
  return end - last.length >= from && text.startsWith(last, end - last.length) ? end - last.length : limit;
}

const FIELD = /[1-9]\d{0,8}=/y;

export function fieldFollows(text: string, at: number): boolean {
  FIELD.lastIndex = at;
  return FIELD.test(text);
}

/** The same for the marks of any separator: for lines that hold fields of a message without its beginning. */
export const ANY_SEPARATOR = `(?:${MARKS}|[${TAB}^~])`;
