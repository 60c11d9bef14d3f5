// Values of the library's options that the compiler cannot check, or not for callers without types: words, numbers, times and
// zones. Says the first that is wrong; which options there are is fix-options.ts's matter.

import { TIME_PRECISIONS } from '../../base/time.ts';
import {
  type ConnectWindow,
  dayOfDate,
  ianaZoneOf,
  isTimeOfDay,
  isTimeZone,
  overlappingWindows,
  WEEKDAYS,
} from '../../session/mod.ts';
import { CHARSETS, type Charset, encodeText, LATIN1 } from '../../wire/mod.ts';
import { isBrokenHash } from '../logon/password-hash.ts';
import { ANY } from '../sessions/templates.ts';
import type { WrongOption } from './fix-option-groups.ts';

type Values = Readonly<Record<string, unknown>>;

const VERSIONS = ['7', '8', '9'];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  environment: ['test', 'production', 'any'],
  durability: ['disk', 'process'],
  charset: CHARSETS,
  timestampPrecision: TIME_PRECISIONS,
  resendRequestTooLow: ['logout', 'answer'],
  testRequestAhead: ['answer', 'wait'],
  origSendingTimeFault: ['reject', 'logout'],
  unknownTagReason: ['3', '0'],
  afterWrongBodyLength: ['beginString', 'checkSum'],
  defaultApplVerID: VERSIONS,
};
const LISTS: Readonly<Record<string, readonly string[]>> = {
  resetOn: ['logon', 'logout', 'disconnect'],
  applVerIDs: VERSIONS,
};
/** Texts that go into messages, or are compared with theirs. */
const TEXTS = [
  ...['senderSubID', 'senderLocationID', 'targetSubID', 'targetLocationID', 'username', 'password', 'logonText'],
];
/** Numbers that are counts, or are written into messages, and the least of them. */
const WHOLE: Readonly<Record<string, number>> = {
  heartBtIntS: 0,
  heartBtIntMinS: 0,
  heartBtIntMaxS: 0,
  resendRequestChunk: 0,
  resendLoadChunk: 1,
  gapQueueMax: 0,
  seqNumMax: 1,
  sessionMessagesMax: 0,
  logonsPerMinute: 0,
};
/** Fields of a Logon that are the session's, or have a setting. */
const OF_LOGON: ReadonlySet<number> = new Set([
  ...[8, 9, 10, 34, 35, 43, 49, 50, 52, 56, 57, 97, 98, 108, 122, 141, 142, 143, 369, 464, 553, 554, 789, 1128, 1137],
]);
const ON_REFUSAL = ['auto', 'logout', 'silence'];
const ALGORITHMS = ['hmac-sha256', 'ed25519', 'ecdsa-p256'];
const OURS = ['senderCompID', 'senderSubID', 'senderLocationID'];
const COUNTERPARTYS = ['targetCompID', 'targetSubID', 'targetLocationID'];
/** SHA-256, as the TLS layer writes it. */
const FINGERPRINT = /^[0-9A-F]{2}(?::[0-9A-F]{2}){31}$/;
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
export function wrongValueOf(session: Values): WrongOption | null {
  for (const [option, words] of Object.entries(WORDS)) {
    if (!isAbsent(session[option]) && !isWord(words, session[option]))
      return { option, wanted: `one of ${words.join(', ')}` };
  }
  for (const [option, words] of Object.entries(LISTS)) {
    if (!isAbsent(session[option]) && !isList(session[option], (one) => isWord(words, one)))
      return { option, wanted: `a list of ${words.join(', ')}` };
  }
  const charset = (session.charset as Charset | undefined) ?? LATIN1;
  for (const option of TEXTS) {
    const value = session[option];
    if (option === 'password' && typeof value === 'function') continue;
    if (!isAbsent(value) && !(typeof value === 'string' && /^[^\p{Cc}]+$/u.test(value)))
      return { option, wanted: 'a text of printable characters' };
    if (typeof value === 'string' && encodeText(value, charset) === null)
      return { option, wanted: `a text that ${charset} has, or charset another one` };
  }
  for (const [option, least] of Object.entries(WHOLE)) {
    const value = session[option];
    if (!isAbsent(value) && !(Number.isSafeInteger(value) && (value as number) >= least))
      return { option, wanted: `a whole number from ${least}` };
  }
  const { logonFields, otherDefaultApplVerIDs, secretTags } = session;
  const isTag = (one: unknown): boolean => Number.isSafeInteger(one) && (one as number) > 0;
  if (!isAbsent(secretTags) && !isList(secretTags, isTag)) return { option: 'secretTags', wanted: 'a list of tags' };
  const isApplVerID = (one: unknown): boolean => typeof one === 'string' && /^\d{1,2}$/.test(one);
  if (!isAbsent(otherDefaultApplVerIDs) && !isList(otherDefaultApplVerIDs, isApplVerID))
    return { option: 'otherDefaultApplVerIDs', wanted: 'a list of values of DefaultApplVerID(1137), such as "10"' };
  if (!isAbsent(logonFields) && typeof logonFields !== 'function' && !areLogonFields(logonFields)) {
    return { option: 'logonFields', wanted: LOGON_FIELDS };
  }
  if (typeof session.password === 'string' && isBrokenHash(session.password)) {
    return { option: 'password', wanted: 'a password, or its hash as it was made: this one begins like a hash' };
  }
  return (
    wrongPattern(session) ??
    wrongTemplate(session.template) ??
    wrongRate(session.messageRate) ??
    wrongAccess(session.access) ??
    wrongSchedule(session.schedule)
  );
}

/** Description of `logonFields`, in words. */
export const LOGON_FIELDS = 'a list of [tag, text] without the fields that a Logon has by itself';

/** Whether they can be further fields of a Logon. */
export function areLogonFields(fields: unknown): fields is readonly (readonly [tag: number, value: string])[] {
  return isList(fields, isLogonField);
}

function isLogonField(field: unknown): boolean {
  if (!Array.isArray(field) || field.length !== 2) return false;
  const [tag, value] = field as readonly unknown[];
  const isFree = Number.isSafeInteger(tag) && (tag as number) > 0 && !OF_LOGON.has(tag as number);
  return isFree && typeof value === 'string' && value !== '' && !value.includes('\x01');
}

/** A `*` outside a template: no Logon would ever find the session. */
function wrongPattern(session: Values): WrongOption | null {
  const ours = OURS.find((option) => session[option] === ANY);
  if (ours !== undefined) return { option: ours, wanted: 'ours: `*` stands for counterparties only' };
  const option = isAbsent(session.template) ? COUNTERPARTYS.find((key) => session[key] === ANY) : undefined;
  return option === undefined
    ? null
    : { option, wanted: "one counterparty's: `*` stands for any, which only a session with `template` has" };
}

function wrongTemplate(template: unknown): WrongOption | null {
  if (!isObject(template)) return null;
  const { sessionsMax = 1, passwordOf } = template;
  if (!Number.isSafeInteger(sessionsMax) || (sessionsMax as number) < 1)
    return { option: 'template.sessionsMax', wanted: 'a whole number from 1' };
  // Null, which is absent elsewhere, is no way to say that anybody may log on.
  if (passwordOf === undefined || typeof passwordOf === 'function') return null;
  return { option: 'template.passwordOf', wanted: 'a function that gives the password of a counterparty' };
}

function wrongRate(rate: unknown): WrongOption | null {
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

/** Faults that only a Logon would reveal. */
function wrongAccess(access: unknown): WrongOption | null {
  if (!isObject(access)) return null;
  const { onRefusal, answersUnproved, signature, certificate } = access;
  if (!isAbsent(answersUnproved) && typeof answersUnproved !== 'boolean')
    return { option: 'access.answersUnproved', wanted: 'true or false' };
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
  const { commonName, fingerprints } = certificate as Values;
  if (!isList(fingerprints, (one) => FINGERPRINT.test(String(one)))) {
    return { option: 'access.certificate.fingerprints', wanted: 'a list of SHA-256 fingerprints, AB:CD:…' };
  }
  if (commonName === null || (typeof commonName === 'string' && commonName !== '')) return null;
  return { option: 'access.certificate.commonName', wanted: 'a name, or null where any is taken' };
}

function wrongSchedule(schedule: unknown): WrongOption | null {
  if (isAbsent(schedule)) return null;
  const { timeZone, windows, holidays, resets } = schedule as Values;
  const wrong = (option: string, wanted: string): WrongOption => ({ option: `schedule.${option}`, wanted });
  if (!isZone(timeZone)) return wrong('timeZone', zoneNeeded(timeZone));
  if (!Array.isArray(windows)) return wrong('windows', 'a list of windows');
  for (const [at, window] of (windows as Values[]).entries()) {
    const { days, from, to, toDay, fromTimeZone, toTimeZone } = window;
    const name = `windows[${at}]`;
    if (!areDays(days)) return wrong(`${name}.days`, `a list of ${DAYS.join(', ')}`);
    if (!isTime(from)) return wrong(`${name}.from`, 'a time of day, HH:MM or HH:MM:SS');
    if (!isTime(to)) return wrong(`${name}.to`, 'a time of day, HH:MM or HH:MM:SS');
    if (toDay !== null && !(isWord(DAYS, toDay) && (days as unknown[]).length === 1)) {
      return wrong(`${name}.toDay`, 'null, or a day where the window opens on one day');
    }
    for (const [key, zone] of Object.entries({ fromTimeZone, toTimeZone })) {
      if (!isAbsent(zone) && !isZone(zone)) return wrong(`${name}.${key}`, zoneNeeded(zone));
    }
  }
  if (!isList(holidays, (one) => typeof one === 'string' && dayOfDate(one) !== null)) {
    return wrong('holidays', 'a list of dates, YYYY-MM-DD');
  }
  if (!isList(resets, (one) => isObject(one) && areDays(one.days) && isTime(one.at))) {
    return wrong('resets', 'a list of { days, at }, with times of day HH:MM or HH:MM:SS');
  }
  const stray = (resets as Values[]).findIndex((one) => !isAbsent(one.timeZone) && !isZone(one.timeZone));
  if (stray !== -1) return wrong(`resets[${stray}].timeZone`, zoneNeeded((resets as Values[])[stray]!.timeZone));
  const overlap = overlappingWindows(windows as ConnectWindow[], timeZone);
  return overlap === null ? null : wrong(`windows[${overlap[1]}]`, `apart from window ${overlap[0]}: they overlap`);
}

/** A name on Windows has its own message. */
function zoneNeeded(zone: unknown): string {
  return `an IANA name such as ${ianaZoneOf(String(zone)) ?? 'Europe/London'}`;
}

function isZone(zone: unknown): zone is string {
  return typeof zone === 'string' && isTimeZone(zone);
}

function areDays(days: unknown): boolean {
  return isList(days, (one) => isWord(DAYS, one)) && (days as unknown[]).length > 0;
}

function isTime(time: unknown): boolean {
  return typeof time === 'string' && isTimeOfDay(time);
}
