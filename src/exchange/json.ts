// Reads JSON without losing digits, and picks fields without trusting the shape. event-decoding.ts and market.ts
// interpret the fields.

import { Decimal, DIGITS_MAX } from '../base/decimal.ts';
import { type EpochMs, isEpochMs, parseIso } from '../base/time.ts';

/**
 * A fraction, an exponent or more digits than a double holds, where a value begins. The colons inside a time of day do not
 * count: nearly every frame has one, and the reviver costs ten times the parse. Looked for from the colon, which is rarer than
 * the quote before it.
 */
const INEXACT_NUMBER = /(?:(?<="\s*):|[,[])\s*-?\d+(?:[.eE]|\d{15})/;

type Reviver = (key: string, value: unknown, context: { readonly source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, { source }) =>
  typeof value === 'number' && source !== undefined && !/^-?\d{1,15}$/.test(source) ? source : value;

/**
 * Parse JSON so that no digit is lost: a number of more than 15 digits, or written with a point or exponent,
 * becomes its text. Undefined if malformed.
 */
export function parseExactJson(text: string): unknown {
  try {
    if (!INEXACT_NUMBER.test(text)) return JSON.parse(text);
    return JSON.parse(text, keepDigits as (key: string, value: unknown) => unknown);
  } catch {
    // Malformed JSON from a peer is a value to the caller, never an exception.
    return undefined;
  }
}

/** A JSON object, fields not yet looked at. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The value as an object, or null if it is anything else (an array included). */
export function toObject(json: unknown): JsonObject | null {
  return typeof json === 'object' && json !== null && !Array.isArray(json) ? (json as JsonObject) : null;
}

/** A text or safe integer as text; null for anything else and for the empty text. */
export function toText(value: unknown): string | null {
  if (typeof value === 'string') return value === '' ? null : value;
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : null;
}

/** Longest id of the exchange: ids are parts of ExecIDs and of the keys of records. Its own have some twenty characters. */
const ID_MAX = 255;

/** An id as text; null if it is absent or none that can be. */
export function toId(value: unknown): string | null {
  const text = toText(value);
  return text === null || text.length > ID_MAX ? null : text;
}

/** A decimal amount as text, as received, but without exponent; null if absent or no decimal. */
export function toAmount(value: unknown): string | null {
  const text = toText(value);
  if (text === null) return null;
  return Decimal.parse(text) === null ? withoutExponent(text) : text;
}

/** As JSON may have numbers, and as some programs write small ones and zeros with decimals: `1E-8`, `0E-8`. */
const WITH_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?[eE]([+-]?\d{1,3})$/;

function withoutExponent(text: string): string | null {
  const [, sign, whole = '', fraction = '', exponent] = WITH_EXPONENT.exec(text) ?? [];
  const digits = (whole + fraction).replace(/^0+(?=\d)/, '');
  const scale = fraction.length - Number(exponent);
  if (sign === undefined || digits.length + Math.abs(scale) > DIGITS_MAX) return null;
  if (scale <= 0) return `${sign}${digits}${'0'.repeat(-scale)}`;
  const padded = digits.padStart(scale + 1, '0');
  return `${sign}${padded.slice(0, -scale)}.${padded.slice(-scale)}`;
}

/** A boolean, also where it came as `"true"` or `"false"`; null for anything else. */
export function toBoolean(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  return value === 'true' ? true : value === 'false' ? false : null;
}

/** A time: epoch milliseconds as number or digits, or ISO 8601 in UTC. Null if it is none of them. */
export function toEpochMs(value: unknown): EpochMs | null {
  if (typeof value === 'number') return isEpochMs(value) ? value : null;
  if (typeof value !== 'string') return null;
  if (/^\d{1,15}$/.test(value)) return toEpochMs(Number(value));
  return parseIso(value.endsWith('+00:00') ? `${value.slice(0, -6)}Z` : value);
}
