// How the values of QuickFIX settings are read: numbers, switches, addresses, secrets, each into settings of ours, or refused with
// the reason. Leaves which setting is read how to keys.ts, times and days to schedule.ts.

import { hostPort } from '../../base/host-port.ts';
import { APPL_VER_ID, beginStringOf, versionOfApplVerID } from '../../dictionary/mod.ts';
import { FIX_SESSION_DEFAULTS } from '../../engine/mod.ts';
import { isSecretReference } from './own-keys.ts';
import { isAcceptor, isInitiator } from './role.ts';
import { speaksTls } from './tls.ts';
import { invalid, isNo, isYes, type OtherSetting, type SettingVerdict, set } from './verdict.ts';

export type Translate = (value: string, other: OtherSetting, name: string) => SettingVerdict;

export const refused =
  (text: string): Translate =>
  () => ({ kind: 'refused', text });

export const text =
  (key: string): Translate =>
  (value) =>
    set(key, value);

/** Without a value, as many files have it, there is none, for all four engines. */
export const textOrNone =
  (key: string): Translate =>
  (value) =>
    value === '' ? { kind: 'taken', text: 'none' } : set(key, value);

export const whole =
  (key: string, factor = 1): Translate =>
  (value) =>
    /^\d{1,9}$/.test(value)
      ? set(key, Number(value) * factor, factor === 1 ? 'taken' : 'translated')
      : invalid('a whole number is needed');

export const yesNo =
  (key: string): Translate =>
  (value) =>
    isYes(value) ? set(key, true) : isNo(value) ? set(key, false) : invalid('Y or N is needed');

/** QuickFIX/J has both settings: it validates if neither says no, whichever comes last. */
export function validates(value: string, other: OtherSetting): SettingVerdict {
  if (!isYes(value) && !isNo(value)) return invalid('Y or N is needed');
  const isOff = ['UseDataDictionary', 'ValidateIncomingMessage'].some((setting) => isNo(other(setting) ?? 'Y'));
  return set('validateIncoming', !isOff);
}

/** A switch that this engine does not have: one position is how it always works, the other is refused. */
export const always =
  (position: 'Y' | 'N', why: string): Translate =>
  (value) => {
    if (!isYes(value) && !isNo(value)) return invalid('Y or N is needed');
    return isYes(value) === (position === 'Y')
      ? { kind: 'taken', text: 'always so here' }
      : { kind: 'refused', text: why };
  };

/** Silence in HeartBtInts; QuickFIX/J counts only the part above one. */
export const multiplier =
  (key: string): Translate =>
  (value) =>
    /^\d(\.\d{1,3})?$/.test(value)
      ? set(key, Math.round(1000 * (1 + Number(value))) / 1000, 'translated')
      : invalid('a number such as 0.5 is needed');

export function defaultApplVerID(value: string, other: OtherSetting): SettingVerdict {
  const beginString = other('BeginString') ?? '';
  if (/^FIX\.4/i.test(beginString))
    return { kind: 'refused', text: `it is of FIXT.1.1; ${beginString} names its version itself` };
  const id = APPL_VER_ID[value.toUpperCase()] ?? value;
  if (beginStringOf(versionOfApplVerID(id)) === 'FIXT.1.1')
    return set('defaultApplVerID', id, id === value ? 'taken' : 'translated');
  return { kind: 'refused', text: 'a FIXT.1.1 session speaks FIX.5.0, FIX.5.0SP1 or FIX.5.0SP2 here' };
}

export function connectionType(value: string): SettingVerdict {
  const role = value.toLowerCase();
  return role === 'acceptor' || role === 'initiator' ? set('role', role) : invalid('acceptor or initiator is needed');
}

const ADDRESSES_MAX = 100;

/** Hosts and ports come as pairs of settings, numbered from the second on. */
export function connectAddress(_value: string, other: OtherSetting): SettingVerdict {
  if (isAcceptor(other)) return NOT_CONNECTING;
  const addresses: string[] = [];
  for (let i = 0; i < ADDRESSES_MAX; i++) {
    const suffix = i === 0 ? '' : String(i);
    const [host, port] = [other(`SocketConnectHost${suffix}`), other(`SocketConnectPort${suffix}`)];
    if (host !== null && port !== null) addresses.push(hostPort(host, port));
  }
  if (addresses.length === 0) return invalid('SocketConnectHost and SocketConnectPort are needed both');
  if (!isInitiator(other)) return NOT_CONNECTING;
  const verdict = set('connect.addresses', addresses, 'translated');
  if (other('ConnectionType') !== null) return verdict;
  return {
    ...verdict,
    text: `${verdict.text}, role: "initiator"`,
    values: [...verdict.values!, [['role'], 'initiator']],
  };
}

export function connectTimeout(value: string, other: OtherSetting, name: string): SettingVerdict {
  return isAcceptor(other) ? NOT_CONNECTING : whole('connect.connectTimeoutMs', 1000)(value, other, name);
}

/** Seconds between attempts, of QuickFIX/J also as a list (`5;3x10;60`): here the first pause and the largest. */
export function reconnectInterval(value: string, other: OtherSetting): SettingVerdict {
  if (isAcceptor(other)) return NOT_CONNECTING;
  const steps = value.split(';').map((step) => /^(?:\d{1,4}x)?(\d{1,4})$/i.exec(step.trim())?.[1]);
  if (steps.includes(undefined)) return invalid('a number of seconds is needed');
  // With 0 these engines try again each second: more often they do not look whether it is time.
  const seconds = steps.map((step) => Math.max(1, Number(step)));
  const first = seconds[0]! * 1000;
  const largest = Math.max(...seconds) * 1000;
  return {
    kind: 'translated',
    text: `connect.reconnectFirstMs: ${first}, connect.reconnectLargestMs: ${largest}`,
    values: [
      [['connect', 'reconnectFirstMs'], first],
      [['connect', 'reconnectLargestMs'], largest],
    ],
  };
}

const RESETS = [
  ['ResetOnLogon', 'logon'],
  ['ResetOnLogout', 'logout'],
  ['ResetOnDisconnect', 'disconnect'],
] as const;

/** Any of the three: they make one list together, and each says the same. */
export function resetOn(value: string, other: OtherSetting): SettingVerdict {
  if (!isYes(value) && !isNo(value)) return invalid('Y or N is needed');
  const moments = RESETS.filter(([setting]) => isYes(other(setting) ?? 'N')).map(([, moment]) => moment);
  return set('resetOn', moments, 'translated');
}

/** A pattern of sessions; `*` in the CompIDs means the same here. */
export function template(value: string, other: OtherSetting): SettingVerdict {
  if (isNo(value)) return { kind: 'taken', text: 'a session of its own' };
  if (!isYes(value)) return invalid('Y or N is needed');
  if (other('ConnectionType')?.toLowerCase() === 'initiator') {
    return { kind: 'refused', text: 'an initiator knows its counterparty' };
  }
  const targetCompID = other('TargetCompID');
  if (targetCompID !== null && targetCompID !== '*') {
    return { kind: 'refused', text: 'TargetCompID names one counterparty: a session of its own' };
  }
  const any: [string[], unknown][] = targetCompID === null ? [[['targetCompID'], '*']] : [];
  return {
    kind: 'translated',
    text: 'template: true; `*` stands for any counterparty, and each has a password of its own',
    values: [[['template'], true], ...any],
  };
}

export const NOT_CONNECTING: SettingVerdict = { kind: 'refused', text: 'an acceptor does not connect' };

export function resendChunk(value: string): SettingVerdict {
  return /^\d{1,6}$/.test(value) ? set('resendRequestChunk', Number(value)) : invalid('a whole number is needed');
}

/** Seconds of tolerance for SendingTime(52), unless CheckLatency=N. */
export function maxLatency(value: string, other: OtherSetting): SettingVerdict {
  if (isNo(other('CheckLatency') ?? 'Y')) return { kind: 'refused', text: 'CheckLatency=N switches the check off' };
  return whole('sendingTimeAccuracyS')(value, other, '');
}

export function checkLatency(value: string): SettingVerdict {
  if (isYes(value)) return { kind: 'taken', text: 'always so here, within sendingTimeAccuracyS' };
  return isNo(value) ? set('sendingTimeAccuracyS', 0, 'translated') : invalid('Y or N is needed');
}

/** Bounds of the limits themselves. */
const HEART_BT_INT_LARGEST_S = 3600;

/** The engines know no limits of it: those of a session here are moved where they would leave it out. */
export function heartBtInt(value: string, other: OtherSetting, name: string): SettingVerdict {
  const verdict = whole('heartBtIntS')(value, other, name);
  const seconds = Number(value);
  const { heartBtIntMinS, heartBtIntMaxS } = FIX_SESSION_DEFAULTS;
  const limit = seconds > heartBtIntMaxS ? 'heartBtIntMaxS' : seconds < heartBtIntMinS ? 'heartBtIntMinS' : null;
  const isPossible = seconds > 0 && seconds <= HEART_BT_INT_LARGEST_S;
  if (limit === null || verdict.values === undefined || !isPossible) return verdict;
  return {
    kind: 'translated',
    text: `${verdict.text}, ${limit}: ${seconds}`,
    values: [...verdict.values, [[limit], seconds]],
  };
}

/** A password is never copied: a reference takes its place, and the text says which secret belongs there. */
export function password(value: string, other: OtherSetting, name: string): SettingVerdict {
  const verdict = passwordReference(value, other, name);
  if (!isInitiator(other) || speaksTls(other) || staysHere(other)) return verdict;
  const clear = 'it crosses the network in clear text: add `connect.tls` if the counterparty speaks TLS';
  return { ...verdict, text: `${verdict.text}; ${clear}`, caution: 'warning' };
}

/** Whether each address that the session connects to is of this machine. */
function staysHere(other: OtherSetting): boolean {
  return Array.from({ length: ADDRESSES_MAX }, (_, i) => other(`SocketConnectHost${i === 0 ? '' : i}`)).every(
    (host) => host === null || /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host),
  );
}

function passwordReference(value: string, other: OtherSetting, name: string): SettingVerdict {
  if (isSecretReference(value)) return set('password', value);
  const isTemplate =
    isYes(other('AcceptorTemplate') ?? other('DynamicSession') ?? 'N') && (other('TargetCompID') ?? '*') === '*';
  const reference = `file:secrets/${isTemplate ? '{compID}' : name}.password`;
  return {
    kind: 'translated',
    text: `password: "${reference}"; put the password into that file of the state folder (chmod 600): it is not copied`,
    values: [[['password'], reference]],
  };
}

/** A field of an initiator's Logon, `553=name`; of the counterparty's credentials alone there is a setting here. */
export function logonTag(value: string, other: OtherSetting, name: string): SettingVerdict {
  const [, tag, content = ''] = /^(\d+)=(.*)$/.exec(value) ?? [];
  if (tag === '553' && isInitiator(other)) return set('username', content, 'translated');
  if (tag === '554' && isInitiator(other)) return password(content, other, name);
  return { kind: 'refused', text: 'of a Logon only Username(553) and Password(554) of an initiator are configured' };
}

/** Digits of QuickFIX C++, words of the others. */
const PRECISIONS: readonly (readonly [written: RegExp, precision: string])[] = [
  [/^(0|seconds?)$/i, 'seconds'],
  [/^(3|milli(s|seconds?)?)$/i, 'milliseconds'],
  [/^(6|micro(s|seconds?)?)$/i, 'microseconds'],
  [/^(9|nano(s|seconds?)?)$/i, 'nanoseconds'],
];

export function timePrecision(value: string): SettingVerdict {
  const precision = PRECISIONS.find(([written]) => written.test(value))?.[1];
  if (precision !== undefined) return set('timestampPrecision', precision, 'translated');
  if (/^[1-8]$/.test(value)) return { kind: 'refused', text: 'a time has 0, 3, 6 or 9 digits behind its second here' };
  return invalid('SECONDS, MILLIS, MICROS or NANOS is needed, or 0, 3, 6 or 9');
}

/** The older setting, which counts where the other one does not stand. */
export function millisecondsInTimes(value: string, other: OtherSetting): SettingVerdict {
  if (!isYes(value) && !isNo(value)) return invalid('Y or N is needed');
  if ((other('TimeStampPrecision') ?? other('TimestampPrecision')) !== null) {
    return { kind: 'refused', text: 'TimeStampPrecision stands beside it, and counts' };
  }
  return isYes(value)
    ? { kind: 'taken', text: 'so from FIX.4.2 on' }
    : set('timestampPrecision', 'seconds', 'translated');
}
