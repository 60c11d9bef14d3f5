// UTC times given as options.

import { CrossgateError } from '../../base/errors.ts';
import { type EpochMs, parseTime } from '../../base/time.ts';

/** The time that an option was given, null if it was not. @throws CrossgateError XG_USAGE if it is none */
export function utcTime(option: string, text: string | undefined): EpochMs | null {
  if (text === undefined) return null;
  const at = parseTime(text);
  if (at === null) throw new CrossgateError('XG_USAGE', `${option} ${text}: write a UTC time as 2026-11-21T09:30:00`);
  return at;
}
