// Keys of nested groups in the library's options. A misspelt key would have no effect, and leave a session open that
// should demand a proof. fix-option-values.ts checks values.

import type { ConnectWindow, MessageRateSettings, ResetTime, ScheduleSettings } from '../../session/mod.ts';
import type { LogonAccess, LogonSignature } from '../config.ts';
import type { AcceptorOptions, FixSessionOptions, InitiatorOptions } from './fix-engine-options.ts';

/** The compiler sees that none is missing and none too many. */
type KeysOf<T> = Readonly<Record<keyof Required<NonNullable<T>>, true>>;

/** Keys of a group, and those groups within it, or in each entry of the lists within it. */
interface Group {
  readonly keys: object;
  readonly groups?: Readonly<Record<string, Group>>;
}

const ACCESS: Group = {
  keys: {
    passwordOverlapMs: true,
    signature: true,
    certificate: true,
    allowFrom: true,
    onRefusal: true,
    answersUnproved: true,
  } satisfies KeysOf<LogonAccess>,
  groups: {
    signature: { keys: { algorithm: true, key: true, windowMs: true } satisfies KeysOf<LogonSignature> },
    certificate: { keys: { commonName: true, fingerprints: true } satisfies KeysOf<LogonAccess['certificate']> },
  },
};
const SCHEDULE: Group = {
  keys: { timeZone: true, windows: true, holidays: true, resets: true } satisfies KeysOf<ScheduleSettings>,
  groups: {
    windows: {
      keys: {
        days: true,
        from: true,
        to: true,
        toDay: true,
        fromTimeZone: true,
        toTimeZone: true,
      } satisfies KeysOf<ConnectWindow>,
    },
    resets: { keys: { days: true, at: true, timeZone: true } satisfies KeysOf<ResetTime> },
  },
};
const MESSAGE_RATE: Group = {
  keys: {
    messagesMax: true,
    perMs: true,
    excess: true,
    holdMsMax: true,
    refusalsMax: true,
  } satisfies KeysOf<MessageRateSettings>,
};
const TEMPLATE: Group = {
  keys: { sessionsMax: true, passwordOf: true } satisfies KeysOf<FixSessionOptions['template']>,
};
const GROUPS: Readonly<Record<string, Group>> = {
  access: ACCESS,
  schedule: SCHEDULE,
  messageRate: MESSAGE_RATE,
  template: TEMPLATE,
};
/** Of an acceptor's and of an initiator's TLS. */
const TLS = {
  acceptor: {
    certificate: true,
    key: true,
    passphrase: true,
    clientAuthority: true,
    clientRevocations: true,
    minVersion: true,
    ciphers: true,
  } satisfies KeysOf<AcceptorOptions['tls']>,
  initiator: {
    authority: true,
    certificate: true,
    key: true,
    passphrase: true,
    serverName: true,
    minVersion: true,
  } satisfies KeysOf<InitiatorOptions['tls']>,
};

/** An option with an invalid value. */
export interface WrongOption {
  readonly option: string;
  readonly wanted: string;
}

/** The first group of a session that is none, or key in one that does not exist; null if there is none. */
export function wrongGroupOf(session: object): WrongOption | null {
  return wrongIn(session, GROUPS, '');
}

/** The same of an engine's TLS. */
export function wrongTlsKey(tls: unknown, role: 'acceptor' | 'initiator'): WrongOption | null {
  return wrongIn({ tls }, { tls: { keys: TLS[role] } }, '');
}

function wrongIn(holder: object, groups: Readonly<Record<string, Group>>, path: string): WrongOption | null {
  const values = holder as Readonly<Record<string, unknown>>;
  for (const [name, { keys, groups: inner = {} }] of Object.entries(groups)) {
    const value = values[name];
    if (value === undefined || value === null) continue;
    const isList = Array.isArray(value);
    for (const [at, one] of (isList ? value : [value]).entries()) {
      const option = `${path}${name}${isList ? `[${at}]` : ''}`;
      const names = Object.keys(keys);
      if (typeof one !== 'object' || one === null) return { option, wanted: `an object with ${names.join(', ')}` };
      const stray = Object.keys(one).find((key) => !names.includes(key));
      if (stray !== undefined)
        return { option: `${option}.${stray}`, wanted: `no option: there are ${names.join(', ')}` };
      const found = wrongIn(one, inner, `${option}.`);
      if (found !== null) return found;
    }
  }
  return null;
}
