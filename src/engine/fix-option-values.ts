// Values of the library's options that the compiler cannot check, or not for callers without types: words, numbers, times and
// zones. Says the first that is wrong; which options there are is fix-options.ts's matter.

import {
  type ConnectWindow,
  dayOfDate,
  isTimeOfDay,
  isTimeZone,
  overlappingWindows,
  WEEKDAYS,
} from '../session/mod.ts';
import { isBrokenHash } from './passwords.ts';

/** What is wrong with an option, and what it must be. */
export interface WrongValue {
  readonly option: string;
  readonly wanted: string;
}

type Values = Readonly<Record<string, unknown>>;

const VERSIONS = ['7', '8', '9'];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  environment: ['test', 'production', 'any'],
  durability: ['disk', 'process'],
  defaultApplVerID: VERSIONS,
};
const LISTS: Readonly<Record<string, readonly string[]>> = {
  resetOn: ['logon', 'logout', 'disconnect'],
  applVerIDs: VERSIONS,
};
const ON_REFUSAL = ['auto', 'logout', 'silence'];
const ALGORITHMS = ['hmac-sha256', 'ed25519', 'ecdsa-p256'];
const DAYS: readonly string[] = WEEKDAYS;

const isWord = (words: readonly string[], value: unknown): boolean => words.includes(value as string);
const isList = (value: unknown, isOne: (one: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(isOne);
const isAbsent = (value: unknown): boolean => value === undefined || value === null;
const isObject = (value: unknown): value is Values => typeof value === 'object' && value !== null;

/** Whether a setting that is a number may be this one. */
export function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/** The first value of a session that is none of those it may have; null if all are. */
export function wrongValueOf(session: Values): WrongValue | null {
  for (const [option, words] of Object.entries(WORDS)) {
    if (!isAbsent(session[option]) && !isWord(words, session[option]))
      return { option, wanted: `one of ${words.join(', ')}` };
  }
  for (const [option, words] of Object.entries(LISTS)) {
    if (!isAbsent(session[option]) && !isList(session[option], (one) => isWord(words, one)))
      return { option, wanted: `a list of ${words.join(', ')}` };
  }
  if (!isAbsent(session.sessionMessagesMax) && !isAmount(session.sessionMessagesMax))
    return { option: 'sessionMessagesMax', wanted: 'a number from 0' };
  if (typeof session.password === 'string' && isBrokenHash(session.password)) {
    return { option: 'password', wanted: 'a password, or its hash as it was made: this one begins like a hash' };
  }
  return wrongRate(session.messageRate) ?? wrongAccess(session.access) ?? wrongSchedule(session.schedule);
}

function wrongRate(rate: unknown): WrongValue | null {
  if (isAbsent(rate)) return null;
  const { messagesMax, perMs, holdMsMax, refusalsMax } = rate as Values;
  for (const [option, value, least] of [
    ['messagesMax', messagesMax, 1],
    ['perMs', perMs, 1],
    ['holdMsMax', holdMsMax, 0],
    ['refusalsMax', refusalsMax, 0],
  ] as const) {
    if (!Number.isSafeInteger(value) || (value as number) < least)
      return { option: `messageRate.${option}`, wanted: `a whole number from ${least}` };
  }
  return null;
}

/** What only a Logon would come upon. */
function wrongAccess(access: unknown): WrongValue | null {
  if (!isObject(access)) return null;
  const { onRefusal, signature, certificate } = access;
  if (!isAbsent(onRefusal) && !isWord(ON_REFUSAL, onRefusal)) {
    return { option: 'access.onRefusal', wanted: `one of ${ON_REFUSAL.join(', ')}` };
  }
  if (!isAbsent(signature)) {
    const { algorithm, key, windowMs } = signature as Values;
    if (!isWord(ALGORITHMS, algorithm)) {
      return { option: 'access.signature.algorithm', wanted: `one of ${ALGORITHMS.join(', ')}` };
    }
    if (!isObject(key) || typeof key.read !== 'function') {
      return { option: 'access.signature.key', wanted: 'an object with reference and read()' };
    }
    if (!isAmount(windowMs)) return { option: 'access.signature.windowMs', wanted: 'a number from 0' };
  }
  if (isAbsent(certificate)) return null;
  const { fingerprints } = certificate as Values;
  if (isList(fingerprints, (one) => typeof one === 'string')) return null;
  return { option: 'access.certificate.fingerprints', wanted: 'a list of SHA-256 fingerprints, AB:CD:…' };
}

function wrongSchedule(schedule: unknown): WrongValue | null {
  if (isAbsent(schedule)) return null;
  const { timeZone, windows, holidays, resets } = schedule as Values;
  const wrong = (option: string, wanted: string): WrongValue => ({ option: `schedule.${option}`, wanted });
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone)) {
    return wrong('timeZone', 'an IANA name such as Europe/London');
  }
  if (!Array.isArray(windows)) return wrong('windows', 'a list of windows');
  for (const [at, window] of (windows as Values[]).entries()) {
    const { days, from, to, toDay } = window;
    const name = `windows[${at}]`;
    if (!areDays(days)) return wrong(`${name}.days`, `a list of ${DAYS.join(', ')}`);
    if (!isTime(from)) return wrong(`${name}.from`, 'a time of day, HH:MM or HH:MM:SS');
    if (!isTime(to)) return wrong(`${name}.to`, 'a time of day, HH:MM or HH:MM:SS');
    if (toDay !== null && !(isWord(DAYS, toDay) && (days as unknown[]).length === 1)) {
      return wrong(`${name}.toDay`, 'null, or a day where the window opens on one day');
    }
  }
  if (!isList(holidays, (one) => typeof one === 'string' && dayOfDate(one) !== null)) {
    return wrong('holidays', 'a list of dates, YYYY-MM-DD');
  }
  if (!isList(resets, (one) => isObject(one) && areDays(one.days) && isTime(one.at))) {
    return wrong('resets', 'a list of { days, at }, with times of day HH:MM or HH:MM:SS');
  }
  const overlap = overlappingWindows(windows as ConnectWindow[]);
  return overlap === null ? null : wrong(`windows[${overlap[1]}]`, `apart from window ${overlap[0]}: they overlap`);
}

function areDays(days: unknown): boolean {
  return isList(days, (one) => isWord(DAYS, one)) && (days as unknown[]).length > 0;
}

function isTime(time: unknown): boolean {
  return typeof time === 'string' && isTimeOfDay(time);
}
