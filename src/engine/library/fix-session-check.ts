// Faults in the options of a session of the library that only a caller without types can make, or that only a Logon
// would reveal. fix-engine-options.ts has the schema of each option; fix-options.ts checks the options of the engine.

import type { SchemaNode } from '../../base/schema-node.ts';
import {
  type ConnectWindow,
  dayOfDate,
  ianaZoneOf,
  isTimeOfDay,
  isTimeZone,
  overlappingWindows,
  WEEKDAYS,
} from '../../session/mod.ts';
import { type Charset, encodeText, LATIN1 } from '../../wire/mod.ts';
import { isNetwork } from '../logon/authentication.ts';
import { isBrokenHash } from '../logon/replaced-password.ts';
import { ANY } from '../sessions/templates.ts';
import { definedOnly, FIX_SESSION_DEFAULTS, SESSION_OPTIONS } from './fix-engine-options.ts';
import { isAmount, meantOf, wrong } from './fix-options.ts';
import { areLogonFields, LOGON_FIELDS } from './logon-fields.ts';

type Values = Readonly<Record<string, unknown>>;

/** An option with an invalid value. */
interface WrongOption {
  readonly option: string;
  readonly wanted: string;
}

const COMP_IDS = ['senderCompID', 'targetCompID'] as const;
const KEYS = Object.keys(SESSION_OPTIONS);
/** Texts that go into messages, or are compared with theirs. */
const TEXTS = Object.entries(SESSION_OPTIONS).flatMap(([option, { type, enum: words }]) =>
  type === 'string' && words === undefined ? [option] : [],
);
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

/**
 * Checks beyond the compiler's, for callers without types.
 * @throws CrossgateError XG_CONFIG_INVALID naming the option
 */
export function checkSessionOptions(sessions: unknown): void {
  if (!Array.isArray(sessions)) throw wrong('sessions', 'a list of sessions');
  for (const [at, session] of sessions.entries()) {
    const name = `sessions[${at}]`;
    if (!isObject(session)) throw wrong(name, 'an object with senderCompID and targetCompID');
    const fault = wrongOptionOf(session);
    if (fault !== null) throw wrong(`${name}.${fault.option}`, fault.wanted);
  }
}

function wrongOptionOf(session: Values): WrongOption | null {
  return (
    wrongCompID(session) ??
    strayOption(session) ??
    wrongAmount(session) ??
    unsupported(session) ??
    wrongIn(session, SESSION_OPTIONS, '') ??
    wrongTimes(session) ??
    wrongText(session) ??
    wrongPattern(session) ??
    wrongTemplate(session.template) ??
    wrongRate(session.messageRate) ??
    wrongAccess(session.access) ??
    wrongSchedule(session.schedule)
  );
}

function wrongCompID(session: Values): WrongOption | null {
  const option = COMP_IDS.find((key) => {
    const compID = session[key];
    return typeof compID !== 'string' || !/^[\x20-\x7e]+$/.test(compID);
  });
  return option === undefined ? null : { option, wanted: 'a text of printable characters' };
}

function strayOption(session: Values): WrongOption | null {
  const option = Object.keys(session).find((key) => !KEYS.includes(key));
  return option === undefined ? null : { option, wanted: `no setting of a session${meantOf(option, KEYS)}` };
}

/** A fault of the first plain value, in the order in which the caller wrote them; null replaces no default. */
function wrongAmount(session: Values): WrongOption | null {
  for (const [option, value] of Object.entries(session)) {
    const node = SESSION_OPTIONS[option as keyof typeof SESSION_OPTIONS];
    const isGiven = value !== undefined && (value !== null || node.default !== undefined);
    const wanted = isGiven ? wantedAsType(value, node) : null;
    if (wanted !== null) return { option, wanted };
  }
  return null;
}

function wantedAsType(value: unknown, { type }: SchemaNode): string | null {
  if (type === 'boolean') return typeof value === 'boolean' ? null : 'a boolean';
  if (type !== 'integer' && type !== 'number') return null;
  if (typeof value !== 'number') return 'a number';
  return isAmount(value) ? null : 'a number from 0';
}

/** Settings that only a gateway can serve, and networks: their schema says less than their check. */
function unsupported({ access, messageRate }: Values): WrongOption | null {
  const { allowFrom = [], passwordOverlapMs = null } = (access ?? {}) as Values;
  if (!isList(allowFrom ?? [], (one) => typeof one === 'string' && isNetwork(one)))
    return { option: 'access.allowFrom', wanted: 'a list of addresses or networks such as 10.0.0.0/8' };
  if (passwordOverlapMs !== null) {
    const wanted = 'null: a library keeps no passwords that NewPassword(925) changed';
    return { option: 'access.passwordOverlapMs', wanted };
  }
  const { excess } = (messageRate ?? {}) as Values;
  if ((excess ?? 'refuse') === 'refuse') return null;
  return { option: 'messageRate.excess', wanted: 'refuse: a library has no queue for messages beyond the rate' };
}

/** The first key that a group does not have, or value that its schema excludes; texts have checks of their own. */
function wrongIn(holder: Values, nodes: Readonly<Record<string, SchemaNode>>, path: string): WrongOption | null {
  for (const [name, node] of Object.entries(nodes)) {
    const value = holder[name];
    const option = `${path}${name}`;
    const fault = isAbsent(value) ? null : wrongBySchema(value, node, option);
    if (fault !== null) return fault;
  }
  return null;
}

function wrongBySchema(value: unknown, node: SchemaNode, option: string): WrongOption | null {
  const { items, properties } = node;
  if (properties !== undefined) return wrongGroup(value, properties, option);
  if (items?.properties !== undefined && Array.isArray(value)) {
    for (const [at, one] of value.entries()) {
      const fault = wrongGroup(one, items.properties, `${option}[${at}]`);
      if (fault !== null) return fault;
    }
    return null;
  }
  const wanted = items === undefined ? wantedBy(value, node) : wantedAsList(value, items);
  return wanted === null ? null : { option, wanted };
}

function wrongGroup(
  value: unknown,
  properties: Readonly<Record<string, SchemaNode>>,
  option: string,
): WrongOption | null {
  const names = Object.keys(properties);
  if (!isObject(value)) return { option, wanted: `an object with ${names.join(', ')}` };
  const stray = Object.keys(value).find((key) => !names.includes(key));
  if (stray !== undefined) return { option: `${option}.${stray}`, wanted: `no option: there are ${names.join(', ')}` };
  return wrongIn(value, properties, `${option}.`);
}

/** The permitted values in words, if this is none of them. */
function wantedBy(value: unknown, node: SchemaNode): string | null {
  const { type, enum: words, minimum = 0, libraryMinimum = minimum } = node;
  if (words !== undefined) return isWord(words, value) ? null : `one of ${words.join(', ')}`;
  const asType = wantedAsType(value, node);
  if (asType !== null) return asType;
  const isWhole = type === 'integer' && !(Number.isSafeInteger(value) && (value as number) >= libraryMinimum);
  if (isWhole) return `a whole number from ${libraryMinimum}`;
  return type === 'number' && (value as number) < minimum ? `a number from ${minimum}` : null;
}

function wantedAsList(value: unknown, items: SchemaNode): string | null {
  const { type, enum: words, kind, pattern } = items;
  if (words !== undefined) return isList(value, (one) => isWord(words, one)) ? null : `a list of ${words.join(', ')}`;
  if (type === 'integer') return isList(value, (one) => wantedBy(one, items) === null) ? null : 'a list of numbers';
  if (kind !== 'quoted' || pattern === undefined) return null;
  const isOne = (one: unknown): boolean => typeof one === 'string' && new RegExp(pattern).test(one);
  return isList(value, isOne) ? null : `a list of texts that match ${pattern}`;
}

function wrongTimes(session: Values): WrongOption | null {
  const settings = { ...FIX_SESSION_DEFAULTS, ...definedOnly(session) };
  const { testRequestAfter, lostAfter, heartBtIntMinS, heartBtIntMaxS, logonTimeoutMs } = settings;
  if (logonTimeoutMs === 0) return { option: 'logonTimeoutMs', wanted: 'above 0: otherwise no Logon is possible' };
  if (lostAfter <= testRequestAfter) return { option: 'lostAfter', wanted: 'more than testRequestAfter' };
  return heartBtIntMaxS < heartBtIntMinS ? { option: 'heartBtIntMaxS', wanted: 'heartBtIntMinS or more' } : null;
}

function wrongText(session: Values): WrongOption | null {
  const charset = (session.charset as Charset | undefined) ?? LATIN1;
  for (const option of TEXTS) {
    const value = session[option];
    if (option === 'password' && typeof value === 'function') continue;
    if (!isAbsent(value) && !(typeof value === 'string' && /^[^\p{Cc}]+$/u.test(value)))
      return { option, wanted: 'a text of printable characters' };
    if (typeof value === 'string' && encodeText(value, charset) === null)
      return { option, wanted: `a text that ${charset} has, or charset another one` };
  }
  const { logonFields, password } = session;
  if (!isAbsent(logonFields) && typeof logonFields !== 'function' && !areLogonFields(logonFields))
    return { option: 'logonFields', wanted: LOGON_FIELDS };
  if (typeof password !== 'string' || !isBrokenHash(password)) return null;
  return { option: 'password', wanted: 'a password, or its hash as it was made: this one begins like a hash' };
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

/** Null, which is absent elsewhere, is no way to say that anybody may log on. */
function wrongTemplate(template: unknown): WrongOption | null {
  if (!isObject(template) || template.passwordOf === undefined || typeof template.passwordOf === 'function')
    return null;
  return { option: 'template.passwordOf', wanted: 'a function that gives the password of a counterparty' };
}

function wrongRate(rate: unknown): WrongOption | null {
  if (!isObject(rate)) return null;
  const missing = ['messagesMax', 'perMs', 'holdMsMax', 'refusalsMax'].find((key) => isAbsent(rate[key]));
  return missing === undefined ? null : { option: `messageRate.${missing}`, wanted: 'a whole number' };
}

/** Faults that only a Logon would reveal. */
function wrongAccess(access: unknown): WrongOption | null {
  if (!isObject(access)) return null;
  const { signature, certificate } = access;
  if (isObject(signature)) {
    const { algorithm, key, windowMs } = signature;
    if (isAbsent(algorithm)) return { option: 'access.signature.algorithm', wanted: 'one of the algorithms' };
    if (!isObject(key) || typeof key.read !== 'function')
      return { option: 'access.signature.key', wanted: 'an object with reference and read()' };
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
  const fault = (option: string, wanted: string): WrongOption => ({ option: `schedule.${option}`, wanted });
  if (!isZone(timeZone)) return fault('timeZone', zoneNeeded(timeZone));
  if (!Array.isArray(windows)) return fault('windows', 'a list of windows');
  for (const [at, window] of (windows as Values[]).entries()) {
    const { days, from, to, toDay, fromTimeZone, toTimeZone } = window;
    const name = `windows[${at}]`;
    if (!areDays(days)) return fault(`${name}.days`, `a list of ${DAYS.join(', ')}`);
    if (!isTime(from)) return fault(`${name}.from`, 'a time of day, HH:MM or HH:MM:SS');
    if (!isTime(to)) return fault(`${name}.to`, 'a time of day, HH:MM or HH:MM:SS');
    if (toDay !== null && !(isWord(DAYS, toDay) && (days as unknown[]).length === 1)) {
      return fault(`${name}.toDay`, 'null, or a day where the window opens on one day');
    }
    for (const [key, zone] of Object.entries({ fromTimeZone, toTimeZone })) {
      if (!isAbsent(zone) && !isZone(zone)) return fault(`${name}.${key}`, zoneNeeded(zone));
    }
  }
  if (!isList(holidays, (one) => typeof one === 'string' && dayOfDate(one) !== null)) {
    return fault('holidays', 'a list of dates, YYYY-MM-DD');
  }
  if (!isList(resets, (one) => isObject(one) && areDays(one.days) && isTime(one.at))) {
    return fault('resets', 'a list of { days, at }, with times of day HH:MM or HH:MM:SS');
  }
  const stray = (resets as Values[]).findIndex((one) => !isAbsent(one.timeZone) && !isZone(one.timeZone));
  if (stray !== -1) return fault(`resets[${stray}].timeZone`, zoneNeeded((resets as Values[])[stray]!.timeZone));
  const overlap = overlappingWindows(windows as ConnectWindow[], timeZone);
  return overlap === null ? null : fault(`windows[${overlap[1]}]`, `apart from window ${overlap[0]}: they overlap`);
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
