// Options of an engine of the library: of an acceptor and an initiator, of their sessions, with their defaults.
// fix-options.ts and fix-session-check.ts check them for callers without types.

import { type SchemaNode, schemaNode, schemaNodes } from '../../base/schema-node.ts';
import type { EpochMs } from '../../base/time.ts';
import type { SessionConfig } from '../../session/mod.ts';
import type { Durability, Journal } from '../../store/mod.ts';
import type { Counterparty, EngineLimits, EngineLog, ProxySettings, SessionSetup, TlsConfig } from '../config.ts';
import type { Alarm } from '../observer.ts';
import { ConnectTls } from '../settings/logon-schema.ts';
import { FIX_CREDENTIALS, FIX_PARTIES, FIX_PROTOCOL } from '../settings/session-schema.ts';
import { ListenerTls } from '../settings/tls-schema.ts';
import type { FixApplication } from './fix-session.ts';

/** Limits where none are given. */
export const FIX_LIMITS: EngineLimits = {
  frameBytesMax: 65_536,
  fieldsMax: 2048,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 10_000,
  logonTimeoutMs: 10_000,
  crowdedLogonTimeoutMs: 2000,
  outboundBytesMax: 8_388_608,
  failedLogonsPerMinute: 10,
  shutdownWaitMs: 5000,
};

/** Async callbacks of a session under way where no other number is given. */
export const CALLBACKS_MAX_DEFAULT = 10_000;

/** Said otherwise, or not by the caller: `onRefusal` is one of `access`, `deliversRejects` follows from the callbacks. */
type Identity =
  | 'sessionId'
  | 'role'
  | 'senderCompID'
  | 'targetCompID'
  | 'beginString'
  | 'onRefusal'
  | 'deliversRejects'
  | 'nanosWithin';

/** One session: its parties, and differences from {@link FIX_SESSION_DEFAULTS}. */
export interface FixSessionOptions
  extends Partial<Omit<SessionConfig, Identity | 'logonFields' | 'cancelOnDisconnect'>> {
  /** Ours. */
  readonly senderCompID: string;
  /** The counterparty's. */
  readonly targetCompID: string;
  /** Default FIX.4.4. FIX.4.2, FIX.4.4 and FIXT.1.1 have dictionaries; for FIX.4.0, 4.1 and 4.3 `dictionaries` brings them. */
  readonly beginString?: string;
  /**
   * Password(554) that an acceptor demands, or its hash, and that an initiator sends. A function gives it anew for each Logon,
   * at once. Default none.
   */
  readonly password?: string | (() => string);
  /**
   * Acceptors only: no session but a pattern of sessions. `*` as `targetCompID` (and `targetSubID`, `targetLocationID`)
   * stands for any counterparty; each that logs on gets a session of its own, which is found again after a restart.
   */
  readonly template?: {
    /** Most sessions made from it; default 100. */
    readonly sessionsMax?: number;
    /** Password(554) of one counterparty, or its hash; null: it is not let in. Default `password` for all. */
    readonly passwordOf?: (counterparty: Counterparty) => string | null;
  };
  /** Durability of a message before any consequence; default `disk` with `fileStore`. */
  readonly durability?: Durability;
  /**
   * Initiators only: further fields of our Logon(A), in this order, such as a venue's own tags. The store keeps them as
   * they are sent, but for RawData(96): a password belongs into `password`. A function is called at the start and
   * before each connection, ahead of the function for the password: for values valid once, such as a nonce and its
   * signature. It answers at once.
   */
  readonly logonFields?:
    | readonly (readonly [tag: number, value: string])[]
    | (() => readonly (readonly [tag: number, value: string])[]);
  /** How else a Logon proves who sent it. */
  readonly access?: Partial<SessionSetup['access']>;
}

const { role: _role, connect: _connect, beginString: _beginString, ...PARTIES } = FIX_PARTIES;
const { proveBeforeLogout, sendLastMsgSeqNumProcessed, sendNextExpectedMsgSeqNum, schedule, ...PROTOCOL } =
  FIX_PROTOCOL;
const { username, password, logon } = FIX_CREDENTIALS;
const { resetsWithinSession, ...SCHEDULE } = schedule.properties;
const FLAG: SchemaNode = { type: 'boolean', default: false };
const atLeast = (libraryMinimum: number): SchemaNode => ({ type: 'integer', libraryMinimum });
const group = <T>(properties: Readonly<Record<keyof Required<NonNullable<T>>, SchemaNode>>): SchemaNode => ({
  type: 'object',
  properties,
});

/** Every option of a session, with the schema that its key in a session file has: the compiler sees that none is missing. */
export const SESSION_OPTIONS: Readonly<Record<keyof FixSessionOptions, SchemaNode>> = {
  ...schemaNodes(PARTIES),
  ...schemaNodes(PROTOCOL),
  ...schemaNodes({ username, password }),
  beginString: {},
  checkRequiredFields: { type: 'boolean', default: true },
  provesBeforeLogout: schemaNode(proveBeforeLogout),
  repeatsOnRequest: FLAG,
  sendsSessionStatus: FLAG,
  sendsLastMsgSeqNumProcessed: schemaNode(sendLastMsgSeqNumProcessed),
  sendsNextExpectedMsgSeqNum: schemaNode(sendNextExpectedMsgSeqNum),
  schedule: group<SessionConfig['schedule']>(schemaNodes(SCHEDULE)),
  resetsWithinSession: schemaNode(resetsWithinSession),
  messageRate: group<SessionConfig['messageRate']>({
    messagesMax: atLeast(1),
    perMs: atLeast(1),
    excess: { enum: ['refuse'] },
    holdMsMax: atLeast(0),
    refusalsMax: atLeast(0),
  }),
  sessionMessagesMax: atLeast(0),
  logonsPerMinute: atLeast(0),
  logonFields: {},
  logonSigner: {},
  template: group<FixSessionOptions['template']>({ sessionsMax: atLeast(1), passwordOf: {} }),
  access: group<SessionSetup['access']>({
    passwordOverlapMs: {},
    ...schemaNodes({ signature: logon.properties.signature, certificate: logon.properties.certificate }),
    ...schemaNodes({ allowFrom: logon.properties.allowFrom, onRefusal: logon.properties.onRefusal }),
    answersUnproved: schemaNode(logon.properties.answerUnproved),
  }),
};

const withDefault = Object.entries(SESSION_OPTIONS).flatMap(([key, node]) =>
  node.default === undefined || node.type === 'object' ? [] : [[key, node.default] as const],
);
/** Settings of a session where none are given; those of the gateway's session files. */
export const FIX_SESSION_DEFAULTS = {
  ...(Object.fromEntries(withDefault) as Omit<SessionConfig, Identity>),
  username: null,
  logonText: null,
  repeatUnprovenReports: true,
  schedule: null,
};

/** Options of an engine in either role. */
export interface FixEngineOptions {
  readonly application: FixApplication;
  readonly sessions: readonly FixSessionOptions[];
  /** Where numbers and messages are kept; default `memoryStore()`. It is this engine's alone, which closes it. */
  readonly store?: Journal;
  readonly limits?: Partial<EngineLimits>;
  /**
   * Where messages follow each other within so many microseconds, the next one is looked for that long without sleeping; at
   * most 1,000,000, default 500, 0 for sleeping at once. Answers come sooner, and a processor is taken while there is such
   * traffic, unless others want it too.
   */
  readonly busyPollMicros?: number;
  /**
   * Async callbacks `onMessage` of one session that may be under way, default 10,000. At the limit its counterparty is
   * not read until half of them have ended. Alarm `application-behind` reports slow ones.
   */
  readonly callbacksMax?: number;
  /**
   * Folder with dictionaries in QuickFIX's XML, named as those delivered with the package (default), or FIX40.xml, FIX41.xml,
   * FIX43.xml. Only those of the versions spoken are read.
   */
  readonly dictionaries?: string;
  /** Called with events; never with a message or a secret. Default: none. */
  readonly log?: EngineLog;
  /** Called with conditions that operators must know, such as a slow consumer or a full disk. */
  readonly onAlarm?: (alarm: Alarm) => void;
  /** The clock in milliseconds; default the system's. */
  readonly now?: () => EpochMs;
}

/** An engine that counterparties connect to. */
export interface AcceptorOptions extends FixEngineOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** PEM texts; default plain TCP. */
  readonly tls?: {
    readonly certificate: string;
    readonly key: string;
    /** Opens an encrypted key. */
    readonly passphrase?: string;
    readonly clientAuthority?: string;
    /** Lists of clients' certificates that were revoked, one of each authority. */
    readonly clientRevocations?: string;
    readonly minVersion?: TlsConfig['minVersion'];
    /** Cipher suites of TLS 1.2, as OpenSSL names them; default those with forward secrecy that are not CBC. */
    readonly ciphers?: string;
  };
}

/** An engine that connects to its counterparties. */
export interface InitiatorOptions extends FixEngineOptions {
  /** Where the counterparties listen, tried in turn. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  /** Speak TLS; PEM texts. */
  readonly tls?: {
    /** Certificates to trust; default those that Node.js has, which are not the operating system's. */
    readonly authority?: string;
    /** Our own certificate with its private key, where the counterparty asks for one. */
    readonly certificate?: string;
    readonly key?: string;
    /** Opens an encrypted key. */
    readonly passphrase?: string;
    /** Name expected in the counterparty's certificate; default the host. */
    readonly serverName?: string;
    readonly minVersion?: TlsConfig['minVersion'];
  };
  /** Address on this side, no name, and port there; default any. */
  readonly localAddress?: string;
  readonly localPort?: number;
  /** Connect through a proxy, which resolves names: SOCKS4 and 4a, SOCKS5, or HTTP CONNECT. TLS is spoken through it. */
  readonly proxy?: {
    readonly kind: ProxySettings['kind'];
    readonly host: string;
    readonly port: number;
    readonly user?: string;
    readonly password?: string;
  };
  /** First and largest pause before connecting again, 10^9 ms at most: `session.disable()` keeps one from it. Default 1 s and 60 s. */
  readonly reconnectFirstMs?: number;
  readonly reconnectLargestMs?: number;
}

/** The compiler sees that none is missing. */
const COMMON_KEYS: Record<keyof FixEngineOptions, true> = {
  application: true,
  sessions: true,
  store: true,
  limits: true,
  busyPollMicros: true,
  callbacksMax: true,
  dictionaries: true,
  log: true,
  onAlarm: true,
  now: true,
};
const ACCEPTOR_KEYS: Record<keyof AcceptorOptions, true> = { ...COMMON_KEYS, port: true, host: true, tls: true };
const INITIATOR_KEYS: Record<keyof InitiatorOptions, true> = {
  ...COMMON_KEYS,
  addresses: true,
  tls: true,
  localAddress: true,
  localPort: true,
  proxy: true,
  reconnectFirstMs: true,
  reconnectLargestMs: true,
};
/** Every option of an engine. */
export const OPTION_KEYS = { acceptor: Object.keys(ACCEPTOR_KEYS), initiator: Object.keys(INITIATOR_KEYS) } as const;

const { selfSigned: _selfSigned, names: _names, ...ACCEPTOR_TLS } = ListenerTls.properties;
/** Keys of `tls`. */
export const TLS_KEYS: Readonly<Record<'acceptor' | 'initiator', readonly string[]>> = {
  acceptor: Object.keys(ACCEPTOR_TLS satisfies Record<keyof NonNullable<AcceptorOptions['tls']>, unknown>),
  initiator: Object.keys(ConnectTls.properties satisfies Record<keyof NonNullable<InitiatorOptions['tls']>, unknown>),
};

/** Every callback of an application: the compiler sees that none is missing. */
export const CALLBACKS: readonly string[] = Object.keys({
  onLogon: true,
  onMessage: true,
  onLogout: true,
  onReject: true,
  onResend: true,
} satisfies Record<keyof FixApplication, true>);

/** An explicit undefined keeps the default. */
export function definedOnly<T extends object>(options: T): Partial<T> {
  const defined = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(defined) as Partial<T>;
}
