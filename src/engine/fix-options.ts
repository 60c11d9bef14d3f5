// What may be wrong with the options of the library, said by its name where they are given: a caller without types would
// otherwise run a session without a CompID, or with a setting that does not exist. Leaves what they mean to fix-engine.ts.

import { CrossgateError } from '../base/errors.ts';
import { isNetwork } from './authentication.ts';
import { definedOnly } from './fix-engine-options.ts';
import { isAmount, wrongValueOf } from './fix-option-values.ts';

const COMP_IDS = ['senderCompID', 'targetCompID'] as const;
const PORT_MAX = 65_535;
const BUSY_POLL_MICROS_MAX = 1_000_000;

/**
 * Check what the compiler cannot for callers without types.
 * @param keys every key that a session may have
 * @param defaults settings with the values that stand in for those not given: their types are demanded
 * @throws CrossgateError XG_CONFIG_INVALID naming the option
 */
export function checkSessionOptions(sessions: unknown, keys: readonly string[], defaults: object): void {
  const samples: Readonly<Record<string, unknown>> = { ...defaults };
  if (!Array.isArray(sessions)) throw wrong('sessions', 'a list of sessions');
  for (const [at, session] of sessions.entries()) {
    const name = `sessions[${at}]`;
    if (typeof session !== 'object' || session === null)
      throw wrong(name, 'an object with senderCompID and targetCompID');
    for (const key of COMP_IDS) {
      if (!/^[\x20-\x7e]+$/.test(typeof session[key] === 'string' ? session[key] : '')) {
        throw wrong(`${name}.${key}`, 'a text of printable characters');
      }
    }
    for (const [key, value] of Object.entries(session)) {
      if (!keys.includes(key)) throw wrong(`${name}.${key}`, 'no setting of a session');
      const sample = samples[key];
      const isPlain = typeof sample === 'number' || typeof sample === 'boolean';
      if (isPlain && value !== undefined && typeof value !== typeof sample) {
        throw wrong(`${name}.${key}`, `a ${typeof sample}`);
      }
      if (typeof value === 'number' && !isAmount(value)) throw wrong(`${name}.${key}`, 'a number from 0');
    }
    checkAccess(session, name);
    // The answer to our TestRequest could never arrive.
    const { testRequestAfter, lostAfter } = { ...samples, ...definedOnly(session) };
    if (lostAfter <= testRequestAfter) throw wrong(`${name}.lostAfter`, 'more than testRequestAfter');
    const found = wrongValueOf(session);
    if (found !== null) throw wrong(`${name}.${found.option}`, found.wanted);
  }
}

/** What only a Logon would come upon. */
function checkAccess(session: Readonly<Record<string, Record<string, unknown> | undefined>>, name: string): void {
  const allowFrom = session.access?.allowFrom ?? [];
  if (!Array.isArray(allowFrom) || !allowFrom.every((one) => typeof one === 'string' && isNetwork(one))) {
    throw wrong(`${name}.access.allowFrom`, 'a list of addresses or networks such as 10.0.0.0/8');
  }
  if ((session.messageRate?.excess ?? 'refuse') !== 'refuse') {
    throw wrong(`${name}.messageRate.excess`, 'refuse: a library has no queue for what comes too fast');
  }
}

/**
 * @param known every option that there is
 * @throws CrossgateError XG_CONFIG_INVALID for one that does not exist, which would have no effect
 */
export function checkKeys(options: object, known: readonly string[], group = ''): void {
  for (const key of Object.keys(options)) if (!known.includes(key)) throw wrong(`${group}${key}`, 'no option');
}

/** @throws CrossgateError XG_CONFIG_INVALID for a limit that does not exist or limits nothing */
export function checkLimits(limits: object, known: object): void {
  checkKeys(limits, Object.keys(known), 'limits.');
  for (const [key, value] of Object.entries(limits)) {
    if (value !== undefined && !isAmount(value)) throw wrong(`limits.${key}`, 'a number from 0');
  }
}

/** @throws CrossgateError XG_CONFIG_INVALID if there is nobody to connect to */
export function checkAddresses(addresses: unknown): void {
  if (!Array.isArray(addresses) || addresses.length === 0)
    throw wrong('addresses', 'a list of addresses, one at least');
  for (const [at, address] of addresses.entries()) {
    if (typeof address?.host !== 'string' || address.host === '') throw wrong(`addresses[${at}].host`, 'a host');
    checkPort(address.port, `addresses[${at}].port`, 1);
  }
}

/** @throws CrossgateError XG_CONFIG_INVALID for a pause that is none: attempts would follow each other without one */
export function checkPauses(reconnectFirstMs: unknown, reconnectLargestMs: unknown): void {
  for (const [option, value] of Object.entries({ reconnectFirstMs, reconnectLargestMs })) {
    if (!isAmount(value) || value === 0) throw wrong(option, 'a number of milliseconds');
  }
}

/** @throws CrossgateError XG_CONFIG_INVALID if nobody takes the messages */
export function checkApplication(application: unknown): void {
  const callback = (application as { readonly onMessage?: unknown } | null | undefined)?.onMessage;
  if (typeof callback !== 'function') throw wrong('application', 'an object with onMessage(message, session)');
}

/** @throws CrossgateError XG_CONFIG_INVALID if nobody can poll for so long */
export function checkBusyPoll(micros: unknown): void {
  const isTime =
    typeof micros === 'number' && Number.isInteger(micros) && micros >= 0 && micros <= BUSY_POLL_MICROS_MAX;
  if (!isTime) throw wrong('busyPollMicros', `a whole number from 0 to ${BUSY_POLL_MICROS_MAX}`);
}

/** @throws CrossgateError XG_CONFIG_INVALID if there cannot be such a port */
export function checkPort(port: unknown, name: string, least: 0 | 1): void {
  const isPort = typeof port === 'number' && Number.isInteger(port) && port >= least && port <= PORT_MAX;
  if (!isPort) throw wrong(name, `a whole number from ${least} to ${PORT_MAX}`);
}

function wrong(option: string, wanted: string): CrossgateError {
  const text = wanted.startsWith('no ') ? `${option} is ${wanted}` : `${option} must be ${wanted}`;
  return new CrossgateError('XG_CONFIG_INVALID', text);
}
