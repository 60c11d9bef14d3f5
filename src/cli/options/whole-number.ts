// Whole numbers given as options.

import { CrossgateError } from '../../base/errors.ts';

/** The number that an option was given. @throws CrossgateError XG_USAGE if it is none, or out of bounds */
export function wholeNumber(option: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value >= least && value <= most) return value;
  const bounds = most === Number.MAX_SAFE_INTEGER ? `from ${least} on` : `from ${least} to ${most}`;
  throw new CrossgateError('XG_USAGE', `${option} takes a whole number ${bounds}, not "${text}"`);
}
