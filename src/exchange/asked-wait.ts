// How long the exchange asks to wait, by the headers of an answer (exchange reference §6). Leaves who waits to its readers.

import type { EpochMs } from '../base/time.ts';

/** Longest wait that an answer may ask for. */
const ASKED_MAX_MS = 300_000;
const MINUTE_MS = 60_000;

/** How long an answer asks to wait: Retry-After in seconds or as a date, else the end of the exchange's window. */
export function askedMs(headers: Readonly<Record<string, string | string[] | undefined>>, now: EpochMs): number | null {
  const after = textOf(headers['retry-after']);
  if (after !== null) {
    // A date is of the clock that the answer names: ours may be off.
    const answeredAt = Date.parse(textOf(headers.date) ?? '') || now;
    const asked = /^\d{1,6}$/.test(after) ? Number(after) * 1_000 : Date.parse(after) - answeredAt;
    if (asked > 0) return Math.min(asked, ASKED_MAX_MS);
  }
  const reset = headerNumber(headers['x-ratelimit-reset']);
  // A reset that is over, or far away, comes from another clock.
  return reset !== null && reset > now && reset < now + MINUTE_MS ? reset - now : null;
}

function textOf(value: string | string[] | undefined): string | null {
  return (Array.isArray(value) ? value[0] : value)?.trim() ?? null;
}

/** A header that is a whole number; null where it is none. */
export function headerNumber(value: string | string[] | undefined): number | null {
  const text = textOf(value);
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}
