// Faults in the options of an engine of the library, reported with the option's name where they are given. Otherwise a
// caller without types would run it with a setting that does not exist. fix-session-check.ts checks those of its
// sessions; fix-engine.ts interprets the options.

import { isIP } from 'node:net';
import { didYouMean, editDistance } from '../../base/did-you-mean.ts';
import { CrossgateError } from '../../base/errors.ts';
import { CALLBACKS, TLS_KEYS } from './fix-engine-options.ts';

const PORT_MAX = 65_535;
const BUSY_POLL_MICROS_MAX = 1_000_000;
/** Longest time that a timer waits, with its jitter: Node's fire at once from 2^31 on. */
const TIMER_MS_MAX = 1_000_000_000;
/** Limits that may be 0; any other limit of 0 would let no connection or no message through. */
const MAY_BE_ZERO = ['shutdownWaitMs', 'failedLogonsPerMinute'];

/** Whether a setting that is a number may be this one. */
export function isAmount(value: unknown): boolean {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

/**
 * @param known every option that there is
 * @throws CrossgateError XG_CONFIG_INVALID for one that does not exist, which would have no effect
 */
export function checkKeys(options: object, known: readonly string[], group = ''): void {
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw wrong(`${group}${key}`, `no option${meantOf(key, known)}`);
  }
}

const TIMERS: readonly string[] = ['logonTimeoutMs', 'crowdedLogonTimeoutMs'];

/** @throws CrossgateError XG_CONFIG_INVALID for a limit that does not exist or limits nothing */
export function checkLimits(limits: object, known: object): void {
  checkKeys(limits, Object.keys(known), 'limits.');
  for (const [key, value] of Object.entries(limits)) {
    if (value !== undefined && !isAmount(value)) throw wrong(`limits.${key}`, 'a number from 0');
    if (value === 0 && !MAY_BE_ZERO.includes(key))
      throw wrong(`limits.${key}`, 'above 0: it would let nothing through');
    if (TIMERS.includes(key) && (value as number) > TIMER_MS_MAX)
      throw wrong(`limits.${key}`, `a number of milliseconds up to ${TIMER_MS_MAX}`);
  }
}

/**
 * Options of an engine besides its sessions and limits.
 * @throws CrossgateError XG_CONFIG_INVALID naming the unusable one
 */
export function checkParts(options: Readonly<Record<string, unknown>>): void {
  const { store, host, dictionaries } = options;
  // The function that opens one is async: the commonest mistake.
  if (store instanceof Promise) throw wrong('store', 'the value of the promise: `await fileStore(folder)`');
  if (store !== undefined && !isStore(store)) {
    throw wrong('store', 'the result of `await fileStore(folder)` or `memoryStore()`');
  }
  for (const [name, value] of Object.entries({ host, dictionaries })) {
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw wrong(name, 'a text, not an empty one');
  }
  for (const name of ['log', 'onAlarm', 'now']) {
    if (options[name] !== undefined && typeof options[name] !== 'function') throw wrong(name, 'a function');
  }
}

/** One that somebody wrote has no numbers to go on from, and would fail on that. */
function isStore(store: unknown): boolean {
  const { append, recovered } = (store ?? {}) as { append?: unknown; recovered?: { sessions?: unknown } | null };
  return typeof append === 'function' && recovered?.sessions instanceof Map;
}

/**
 * @param texts those of its keys that must be there
 * @throws CrossgateError XG_CONFIG_INVALID for TLS that would trust no peer, or demand less than intended
 */
export function checkTls(tls: unknown, role: 'acceptor' | 'initiator', texts: readonly string[]): void {
  if (tls === undefined) return;
  const keys = TLS_KEYS[role];
  if (typeof tls !== 'object' || tls === null) throw wrong('tls', `an object with ${keys.join(', ')}`);
  const stray = Object.keys(tls).find((key) => !keys.includes(key));
  if (stray !== undefined) throw wrong(`tls.${stray}`, `no option: there are ${keys.join(', ')}`);
  const {
    minVersion = 'TLSv1.2',
    serverName = 'any',
    ciphers = 'any',
    passphrase = 'any',
    ...rest
  } = tls as Readonly<Record<string, unknown>>;
  if (minVersion !== 'TLSv1.2' && minVersion !== 'TLSv1.3') throw wrong('tls.minVersion', 'TLSv1.2 or TLSv1.3');
  if (typeof serverName !== 'string' || serverName === '') throw wrong('tls.serverName', 'a name');
  if (typeof ciphers !== 'string' || ciphers === '') throw wrong('tls.ciphers', 'cipher suites as OpenSSL names them');
  if (typeof passphrase !== 'string' || passphrase === '') throw wrong('tls.passphrase', 'a text, not an empty one');
  if (rest.clientRevocations !== undefined && rest.clientAuthority === undefined)
    throw wrong('tls.clientAuthority', 'given where tls.clientRevocations is: else no client shows a certificate');
  const pair = (rest.certificate ?? rest.key) === undefined ? [] : ['certificate', 'key'];
  for (const key of new Set([...texts, ...pair, ...Object.keys(rest)])) {
    const value = rest[key];
    if (value === undefined && !texts.includes(key) && !pair.includes(key)) continue;
    const isPem = typeof value === 'string' && value.includes('-----BEGIN ');
    if (!isPem) throw wrong(`tls.${key}`, 'the text of a PEM file, not its path');
  }
}

/** @throws CrossgateError XG_CONFIG_INVALID if a session demands a certificate that its listener does not request */
export function checkCertificates(
  sessions: readonly { readonly access?: { readonly certificate?: unknown } }[],
  tls: { readonly clientAuthority?: string } | undefined,
): void {
  const at = sessions.findIndex(({ access }) => (access?.certificate ?? null) !== null);
  if (at === -1 || tls?.clientAuthority !== undefined) return;
  throw wrong('tls.clientAuthority', `given where sessions[${at}].access.certificate is: else no client shows one`);
}

/** @throws CrossgateError XG_CONFIG_INVALID for a store that would lie somewhere else, or keep something else, than was meant */
export function checkFileStore(
  directory: unknown,
  options: { readonly retentionDays?: unknown; readonly log?: unknown },
): void {
  if (typeof directory !== 'string' || directory === '') throw wrong('directory', 'the path of a folder');
  checkKeys(options, ['retentionDays', 'log']);
  const { retentionDays = 1, log } = options;
  checkCount(retentionDays, 'retentionDays');
  if (log !== undefined && typeof log !== 'function') throw wrong('log', 'a function');
}

/** @throws CrossgateError XG_CONFIG_INVALID if there is no address to connect to */
export function checkAddresses(addresses: unknown): void {
  if (!Array.isArray(addresses) || addresses.length === 0)
    throw wrong('addresses', 'a list of addresses, one at least');
  for (const [at, address] of addresses.entries()) {
    if (typeof address?.host !== 'string' || address.host === '') throw wrong(`addresses[${at}].host`, 'a host');
    checkPort(address.port, `addresses[${at}].port`, 1);
    checkKeys(address, ['host', 'port'], `addresses[${at}].`);
  }
}

/** @throws CrossgateError XG_CONFIG_INVALID for a way on which no connection could come about */
export function checkWay({ localAddress, localPort = 0, proxy }: Readonly<Record<string, unknown>>): void {
  const isAddress = typeof localAddress === 'string' && isIP(localAddress) !== 0;
  if (localAddress !== undefined && !isAddress) throw wrong('localAddress', 'an IP address of this machine');
  checkPort(localPort, 'localPort', 0);
  if (proxy === undefined) return;
  if (typeof proxy !== 'object' || proxy === null) throw wrong('proxy', 'an object with kind, host, port');
  checkKeys(proxy, ['kind', 'host', 'port', 'user', 'password'], 'proxy.');
  const { kind, host, port, user, password } = proxy as Readonly<Record<string, unknown>>;
  if (!['socks4', 'socks5', 'http'].includes(kind as string)) throw wrong('proxy.kind', 'socks4, socks5 or http');
  if (typeof host !== 'string' || host === '') throw wrong('proxy.host', 'a host');
  checkPort(port, 'proxy.port', 1);
  for (const [key, text] of Object.entries({ user, password })) {
    if (text !== undefined && !(typeof text === 'string' && /^[^\p{Cc}]{1,255}$/u.test(text)))
      throw wrong(`proxy.${key}`, 'a text of 1 to 255 printable characters');
  }
  if (password !== undefined && (user === undefined || kind === 'socks4'))
    throw wrong('proxy.password', 'left out where there is no user, and with socks4, which knows none');
}

/** @throws CrossgateError XG_CONFIG_INVALID for a pause that is none: attempts would follow each other without one */
export function checkPauses(reconnectFirstMs: unknown, reconnectLargestMs: unknown): void {
  for (const [option, value] of Object.entries({ reconnectFirstMs, reconnectLargestMs })) {
    if (!isAmount(value) || value === 0 || (value as number) > TIMER_MS_MAX)
      throw wrong(option, `a number of milliseconds up to ${TIMER_MS_MAX}`);
  }
}

/** @throws CrossgateError XG_CONFIG_INVALID if messages have no receiver, or if a callback would never be called */
export function checkApplication(application: unknown): void {
  const callback = (application as { readonly onMessage?: unknown } | null | undefined)?.onMessage;
  if (typeof callback !== 'function') throw wrong('application', 'an object with onMessage(message, session)');
  const callbacks = application as Readonly<Record<string, unknown>>;
  for (const name of CALLBACKS) {
    if (callbacks[name] !== undefined && typeof callbacks[name] !== 'function') {
      throw wrong(`application.${name}`, 'a function, or left out');
    }
  }
  const stray = strayCallback(callbacks);
  if (stray === null) return;
  const meant = didYouMean(stray, CALLBACKS);
  const help = meant === null ? `there are ${CALLBACKS.join(', ')}` : `did you mean ${meant}?`;
  throw wrong(`application.${stray}`, `no callback, and would never be called: ${help}`);
}

/**
 * Functions of the application that look like callbacks and are none. In a plain object these are all with a name that
 * begins with `on`; in a class, which may have others of its own, those one letter away from a callback's name.
 */
function strayCallback(application: object): string | null {
  const isPlain = [Object.prototype, null].includes(Object.getPrototypeOf(application));
  for (let at: object | null = application; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value !== 'function' || CALLBACKS.includes(name)) continue;
      if (isPlain && /^on[A-Z]/.test(name)) return name;
      const isNear = (one: string): boolean => editDistance(name.toLowerCase(), one.toLowerCase()) <= 1;
      if (CALLBACKS.some(isNear)) return name;
    }
  }
  return null;
}

/** @throws CrossgateError XG_CONFIG_INVALID if the system cannot poll this long */
export function checkBusyPoll(micros: unknown): void {
  const isTime =
    typeof micros === 'number' && Number.isInteger(micros) && micros >= 0 && micros <= BUSY_POLL_MICROS_MAX;
  if (!isTime) throw wrong('busyPollMicros', `a whole number from 0 to ${BUSY_POLL_MICROS_MAX}`);
}

/** @throws CrossgateError XG_CONFIG_INVALID for a number of things that is none */
export function checkCount(count: unknown, name: string): void {
  if (!Number.isSafeInteger(count) || (count as number) < 1) throw wrong(name, 'a whole number from 1');
}

/** @throws CrossgateError XG_CONFIG_INVALID if there cannot be such a port */
export function checkPort(port: unknown, name: string, least: 0 | 1): void {
  const isPort = typeof port === 'number' && Number.isInteger(port) && port >= least && port <= PORT_MAX;
  if (!isPort) throw wrong(name, `a whole number from ${least} to ${PORT_MAX}`);
}

/** The probable intention of a misspelt key, in words, or nothing. */
export function meantOf(key: string, known: readonly string[]): string {
  const meant = didYouMean(key, known);
  return meant === null ? '' : `: did you mean ${meant}?`;
}

/** The error of an option; `wanted` completes "must be", or "is" if it begins with "no". */
export function wrong(option: string, wanted: string): CrossgateError {
  const text = wanted.startsWith('no ') ? `${option} is ${wanted}` : `${option} must be ${wanted}`;
  return new CrossgateError('XG_CONFIG_INVALID', text);
}
