// A session of the library as the session engine needs it: its options over the defaults, its secrets as references. Leaves
// checking them to fix-session-check.ts.

import { CrossgateError, thrownText } from '../../base/errors.ts';
import { type SessionConfig, type SessionID, sessionIDOf } from '../../session/mod.ts';
import { type Charset, encodeText, LATIN1 } from '../../wire/mod.ts';
import type { ConnectSettings, LogonAccess, SecretReference, SessionSetup, SessionTemplate } from '../config.ts';
import { passwordFrom, secretFrom } from '../sessions/templates.ts';
import {
  definedOnly,
  FIX_SESSION_DEFAULTS,
  type FixSessionOptions,
  type InitiatorOptions,
} from './fix-engine-options.ts';
import { areLogonFields, LOGON_FIELDS } from './logon-fields.ts';

/** A secret that the caller has in hand. */
export function given(value: string, reference = 'given'): SecretReference {
  return { reference, read: () => value };
}

/** @throws CrossgateError XG_CONFIG_INVALID for an option of a session's other side */
export function toSetup(
  options: FixSessionOptions & Pick<SessionConfig, 'deliversRejects'>,
  role: SessionConfig['role'],
  connect: ConnectSettings | null,
): SessionSetup {
  const { password, durability = 'disk', access, beginString = 'FIX.4.4', template, logonFields, ...config } = options;
  const isAsked = typeof logonFields === 'function';
  const { charset = LATIN1 } = config;
  const session: SessionConfig = {
    ...FIX_SESSION_DEFAULTS,
    ...definedOnly(config),
    ...textsAsBytes(config, charset),
    ...(isAsked || logonFields === undefined ? {} : { logonFields: fieldsAsBytes(logonFields, charset) }),
    senderCompID: config.senderCompID,
    targetCompID: config.targetCompID,
    onRefusal: access?.onRefusal ?? 'auto',
    beginString,
    role,
    sessionId: sessionIDOf({ ...config, beginString }),
  };
  if (role === 'initiator' && template !== undefined) {
    throw new CrossgateError('XG_CONFIG_INVALID', `${session.sessionId}: an initiator knows its counterparty`);
  }
  if (role === 'acceptor' && logonFields !== undefined) {
    throw new CrossgateError(
      'XG_CONFIG_INVALID',
      `${session.sessionId}: logonFields are those of an initiator's Logon`,
    );
  }
  return {
    source: session.sessionId,
    template: template === undefined ? null : toTemplate(options, template, session.sessionId),
    session,
    password: password === undefined ? null : secretOf(password, session.sessionId),
    ...(isAsked ? { logonFieldsOf: () => fieldsAsBytes(fieldsOf(logonFields, session.sessionId), charset) } : {}),
    access: toAccess(access ?? {}, session.sessionId),
    connect,
    durability,
    listeners: [],
    enabled: true,
  };
}

/** Texts that the session writes, or compares, as they stand in a message. */
function textsAsBytes(config: Partial<SessionConfig>, charset: Charset): Partial<SessionConfig> {
  const texts = [
    'senderSubID',
    'senderLocationID',
    'targetSubID',
    'targetLocationID',
    'username',
    'logonText',
  ] as const;
  const given = texts.flatMap((key) => (typeof config[key] === 'string' ? [[key, config[key]] as const] : []));
  return Object.fromEntries(given.map(([key, text]) => [key, encodeText(text, charset) ?? text]));
}

/** @throws CrossgateError XG_CONFIG_INVALID naming a field with text that the set lacks */
function fieldsAsBytes(
  fields: NonNullable<SessionConfig['logonFields']>,
  charset: Charset,
): NonNullable<SessionConfig['logonFields']> {
  return fields.map(([tag, text]) => {
    const bytes = encodeText(text, charset);
    if (bytes !== null) return [tag, bytes] as const;
    throw new CrossgateError('XG_CONFIG_INVALID', `logonFields: ${tag} holds text that ${charset} does not have`);
  });
}

function secretOf(password: NonNullable<FixSessionOptions['password']>, sessionId: SessionID): SecretReference {
  return typeof password === 'string' ? given(password) : secretFrom(`password of ${sessionId}`, password);
}

/** Result of a user's function, which may be anything. @throws CrossgateError XG_SECRET_MISSING, XG_CONFIG_INVALID */
function fieldsOf(give: () => unknown, sessionId: SessionID): NonNullable<SessionConfig['logonFields']> {
  const reference = `logonFields of ${sessionId}`;
  let fields: unknown;
  try {
    fields = give();
  } catch (cause) {
    throw new CrossgateError('XG_SECRET_MISSING', `${reference}: ${thrownText(cause)}`, { cause });
  }
  if (areLogonFields(fields)) return fields;
  // No caller waits for it: its failure must not end the process.
  if (fields instanceof Promise) fields.catch(() => {});
  throw new CrossgateError('XG_CONFIG_INVALID', `${reference} must give ${LOGON_FIELDS}, at once`);
}

function toAccess(given: Partial<LogonAccess>, sessionId: SessionID): LogonAccess {
  const access: LogonAccess = {
    passwordOverlapMs: null,
    signature: null,
    certificate: null,
    allowFrom: [],
    onRefusal: 'auto',
    ...definedOnly(given),
  };
  const { signature } = access;
  if (signature === null) return access;
  const { key } = signature;
  const reference = key.reference ?? `key of ${sessionId}`;
  return { ...access, signature: { ...signature, key: secretFrom(reference, () => key.read()) } };
}

function toTemplate(
  { template: _, ...options }: FixSessionOptions,
  { sessionsMax = 100, passwordOf }: NonNullable<FixSessionOptions['template']>,
  madeFrom: string,
): SessionTemplate {
  return {
    sessionsMax,
    make(counterparty) {
      const made = toSetup({ ...options, ...counterparty }, 'acceptor', null);
      if (passwordOf === undefined) return { ...made, madeFrom };
      return { ...made, madeFrom, password: passwordFrom(passwordOf, counterparty) };
    },
  };
}

/**
 * Where an initiator connects. Options of no use are refused when the engine starts.
 * @param tls settings that each attempt reads; null without TLS
 */
export function toConnect({ proxy, ...options }: InitiatorOptions, tls: ConnectSettings['tls']): ConnectSettings {
  const { addresses, reconnectFirstMs = 1000, reconnectLargestMs = 60_000, localAddress, localPort } = options;
  return {
    addresses,
    connectTimeoutMs: 10_000,
    localAddress: localAddress ?? null,
    localPort: localPort ?? 0,
    proxy:
      proxy === undefined || proxy === null
        ? null
        : {
            ...proxy,
            user: proxy.user ?? null,
            password: proxy.password === undefined ? null : given(proxy.password, 'proxy.password'),
          },
    reconnectFirstMs,
    reconnectLargestMs,
    tls,
  };
}
