// The engine as a library: an acceptor or an initiator for an application of one's own, on the same sessions, connections
// and journal as the gateway. Leaves what messages mean to the application.

import { fileURLToPath } from 'node:url';
import { CrossgateError } from '../base/errors.ts';
import type { EpochMs } from '../base/time.ts';
import { type SessionConfig, type SessionID, sessionIDOf } from '../session/mod.ts';
import { type Durability, type Journal, openJournal, openMemoryStore } from '../store/mod.ts';
import type {
  ConnectSettings,
  Counterparty,
  EngineLimits,
  EngineLog,
  SecretReference,
  SessionSetup,
  SessionTemplate,
  TlsConfig,
} from './config.ts';
import { loadVersions, versionOf } from './dictionaries.ts';
import { CallbackApplication, type FixApplication, type FixSession } from './fix-application.ts';
import { checkAddresses, checkApplication, checkBusyPoll, checkPort, checkSessionOptions } from './fix-options.ts';
import { JournalHealth } from './journal-health.ts';
import { Passwords } from './passwords.ts';
import { type Alarm, SessionEngine } from './session-engine.ts';
import { recorded, until } from './shutdown.ts';
import { isTemplate, passwordFrom, presentSessions } from './templates.ts';

const DICTIONARIES = fileURLToPath(new URL('../../dictionaries', import.meta.url));
const LISTENER = 'fix';

/** Limits where none are given. */
export const FIX_LIMITS: EngineLimits = {
  frameBytesMax: 65_536,
  fieldsMax: 2048,
  connectionsMax: 10_000,
  connectionsPerAddressMax: 10_000,
  logonTimeoutMs: 10_000,
  outboundBytesMax: 8_388_608,
  failedLogonsPerMinute: 10,
  shutdownWaitMs: 5000,
};

/** Said otherwise, or not by the caller: `onRefusal` is one of `access`. */
type Identity = 'sessionId' | 'role' | 'senderCompID' | 'targetCompID' | 'beginString' | 'logonFields' | 'onRefusal';

/** Settings of a session where none are given; those of the gateway's session files. */
export const FIX_SESSION_DEFAULTS = {
  heartBtIntS: 30,
  heartBtIntMinS: 5,
  heartBtIntMaxS: 120,
  heartBtIntZeroAllowed: false,
  username: null,
  sendingTimeAccuracyS: 120,
  logonTimeoutMs: 10_000,
  logoutTimeoutMs: 5000,
  testRequestAfter: 1.2,
  lostAfter: 2.4,
  resetOnLogonAllowed: true,
  resendRequestChunk: 0,
  resendLoadChunk: 50,
  gapQueueMax: 2000,
  seqNumMax: 100_000_000,
  sendsSessionStatus: false,
  logonText: null,
  environment: 'any',
  repeatUnprovenReports: true,
  validateIncoming: true,
  schedule: null,
} as const satisfies Omit<SessionConfig, Identity>;

/** One session: who, and what differs from {@link FIX_SESSION_DEFAULTS}. */
export interface FixSessionOptions extends Partial<Omit<SessionConfig, Identity>> {
  /** Ours. */
  readonly senderCompID: string;
  /** The counterparty's. */
  readonly targetCompID: string;
  /** Default FIX.4.4. FIX.4.2, FIX.4.4 and FIXT.1.1 have dictionaries; for FIX.4.0, 4.1 and 4.3 `dictionaries` brings them. */
  readonly beginString?: string;
  /** Password(554) that an acceptor demands, or its hash, and that an initiator sends. Default none. */
  readonly password?: string;
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
  /** What a message is on before anything follows from it; default `disk` with {@link fileStore}. */
  readonly durability?: Durability;
  /** How else a Logon proves who sent it. */
  readonly access?: Partial<SessionSetup['access']>;
}

/** Beside those with a default: the compiler sees that none is missing. */
const KEYS_WITHOUT_DEFAULT: Record<Exclude<keyof FixSessionOptions, keyof typeof FIX_SESSION_DEFAULTS>, true> = {
  senderCompID: true,
  targetCompID: true,
  senderSubID: true,
  senderLocationID: true,
  targetSubID: true,
  targetLocationID: true,
  beginString: true,
  password: true,
  template: true,
  durability: true,
  access: true,
  resetOn: true,
  repeatsOnRequest: true,
  sendsLastMsgSeqNumProcessed: true,
  sendsNextExpectedMsgSeqNum: true,
  defaultApplVerID: true,
  applVerIDs: true,
  resetsWithinSession: true,
  messageRate: true,
  logonSigner: true,
};
const SESSION_KEYS = Object.keys({ ...FIX_SESSION_DEFAULTS, ...KEYS_WITHOUT_DEFAULT });

interface FixEngineOptions {
  readonly application: FixApplication;
  readonly sessions: readonly FixSessionOptions[];
  /** Where numbers and messages are kept; default {@link memoryStore}. The engine closes it. */
  readonly store?: Journal;
  readonly limits?: Partial<EngineLimits>;
  /**
   * Microseconds for which the next message is looked for without sleeping, after each one; at most 1,000,000, default 0.
   * Answers come sooner, and a processor is taken while there is traffic.
   */
  readonly busyPollMicros?: number;
  /**
   * Folder with dictionaries in QuickFIX's XML, named as those delivered with the package (default), or FIX40.xml, FIX41.xml,
   * FIX43.xml. Only those of the versions spoken are read.
   */
  readonly dictionaries?: string;
  /** Told what happens; never a message, never a secret. Default nobody. */
  readonly log?: EngineLog;
  /** Told of what a person must know, such as a slow consumer or a full disk. */
  readonly onAlarm?: (alarm: Alarm) => void;
  /** The clock in milliseconds; default the system's. */
  readonly now?: () => EpochMs;
}

export interface AcceptorOptions extends FixEngineOptions {
  /** 0: any free one. */
  readonly port: number;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** PEM texts; default plain TCP. */
  readonly tls?: {
    readonly certificate: string;
    readonly key: string;
    readonly clientAuthority?: string;
    readonly minVersion?: TlsConfig['minVersion'];
  };
}

export interface InitiatorOptions extends FixEngineOptions {
  /** Where the counterparties listen, tried in turn. */
  readonly addresses: readonly { readonly host: string; readonly port: number }[];
  /** Speak TLS. */
  readonly tls?: { readonly authority?: string; readonly serverName?: string };
  /** First and largest pause before connecting again. Default 1 s and 60 s. */
  readonly reconnectFirstMs?: number;
  readonly reconnectLargestMs?: number;
}

/** A running engine. */
export interface FixEngine {
  /** Port it listens on; 0 for an initiator. */
  readonly port: number;
  /** By SessionID, `FIX.4.4:SENDER->TARGET`. */
  readonly sessions: ReadonlyMap<SessionID, FixSession>;
  /**
   * Log every session out, end connections, close the store. Waits for counterparties and disk for `limits.shutdownWaitMs` at
   * most, each. @throws CrossgateError XG_JOURNAL_WRITE_FAILED if the store could not take everything
   */
  close(): Promise<void>;
}

/** Numbers and messages in memory: gone with the process. At most `messagesMax` messages per session can be resent. */
export function memoryStore(messagesMax = 100_000): Journal {
  return openMemoryStore(messagesMax);
}

/** Numbers and messages in an append-only journal in a folder. One process at a time. @throws CrossgateError XG_JOURNAL_… */
export async function fileStore(directory: string): Promise<Journal> {
  return await openJournal({ directory, now: Date.now });
}

/** Listen for counterparties. Resolves once they can connect. @throws CrossgateError naming what cannot start */
export async function startAcceptor(options: AcceptorOptions): Promise<FixEngine> {
  const { host = '127.0.0.1', port, tls } = options;
  return await start(options, 'acceptor', null, async (engine) => {
    checkPort(port, 'port', 0);
    await engine.listen({
      name: LISTENER,
      host,
      port,
      allowFrom: [],
      proxyFrom: [],
      tls:
        tls === undefined
          ? null
          : {
              certificate: given(tls.certificate),
              key: given(tls.key),
              selfSigned: false,
              minVersion: tls.minVersion ?? 'TLSv1.2',
              clientAuthority: tls.clientAuthority === undefined ? null : given(tls.clientAuthority),
              names: [],
            },
    });
  });
}

/** Connect to counterparties, and again whenever a connection ends. Resolves at once; `onLogon` says when a session is up. */
export async function startInitiator(options: InitiatorOptions): Promise<FixEngine> {
  const { addresses, tls, reconnectFirstMs = 1000, reconnectLargestMs = 60_000 } = options;
  const connect: ConnectSettings = {
    addresses,
    connectTimeoutMs: 10_000,
    reconnectFirstMs,
    reconnectLargestMs,
    tls:
      tls === undefined
        ? null
        : {
            authority: tls.authority === undefined ? null : given(tls.authority),
            certificate: null,
            key: null,
            serverName: tls.serverName ?? null,
            minVersion: 'TLSv1.2',
          },
  };
  return await start(options, 'initiator', connect, async (engine) => {
    checkAddresses(addresses);
    engine.connectInitiators();
  });
}

/** Whatever keeps it from starting, the store is closed then: it may be opened again at once. */
async function start(...what: Parameters<typeof begin>): Promise<FixEngine> {
  try {
    return await begin(...what);
  } catch (error) {
    await what[0].store?.close();
    throw error;
  }
}

async function begin(
  options: FixEngineOptions,
  role: SessionConfig['role'],
  connect: ConnectSettings | null,
  open: (engine: SessionEngine) => Promise<void>,
): Promise<FixEngine> {
  const { log = () => {}, now = Date.now, store = memoryStore(), onAlarm = () => {} } = options;
  const { busyPollMicros = 0 } = options;
  checkApplication(options.application);
  checkBusyPoll(busyPollMicros);
  checkSessionOptions(options.sessions, SESSION_KEYS, FIX_SESSION_DEFAULTS);
  const configured = options.sessions.map((session) => toSetup(session, role, connect));
  const sources = new Set<string>();
  for (const [at, { source }] of configured.entries()) {
    if (sources.has(source))
      throw new CrossgateError('XG_CONFIG_INVALID', `sessions[${at}] is ${source}, and so is another`);
    sources.add(source);
  }
  const setups = presentSessions(configured, store.recovered.sessions.keys());
  const spoken = configured.map(({ session }) => versionOf(session));
  const dictionaries = await loadVersions(options.dictionaries ?? DICTIONARIES, spoken);
  const application = new CallbackApplication({
    application: options.application,
    alarm: (alarm, text, fields) => engine.alarm(alarm, text, fields),
  });
  const journalHealth = new JournalHealth();
  const limits = { ...FIX_LIMITS, ...options.limits };
  const engine: SessionEngine = new SessionEngine({
    journal: store,
    journalHealth,
    application,
    recorder: null,
    passwords: new Passwords(null, now),
    limits,
    dictionaries,
    log,
    now,
    keepsRecentMessages: false,
    busyPollMicros,
    admit: (setup) => {
      const slot = engine.addSession(setup);
      application.addSession(slot);
      return slot;
    },
    onAlarm,
  });
  engine.templates.set(configured.filter(isTemplate));
  application.dispatcher = engine.dispatcher;
  journalHealth.watch((healthy, reason) => {
    if (!healthy) engine.alarm('journal-unhealthy', `the store cannot record: ${reason}`, {});
  });
  for (const setup of setups) application.addSession(engine.addSession(setup));
  try {
    await open(engine);
  } catch (error) {
    await close(engine, store, 'it could not start', limits.shutdownWaitMs);
    throw error;
  }
  let closing: Promise<void> | null = null;
  return {
    port: engine.addresses[0]?.port ?? 0,
    sessions: application.sessions,
    close: () => {
      closing ??= close(engine, store, 'closed', limits.shutdownWaitMs);
      return closing;
    },
  };
}

async function close(engine: SessionEngine, store: Journal, why: string, waitMs: number): Promise<void> {
  const { slots } = engine.dispatcher;
  engine.initiator.stop();
  for (const slot of slots.values()) {
    if (slot.wire !== null) engine.dispatcher.sessionInput(slot, { kind: 'logout', text: '' });
  }
  const areApart = (): boolean => [...slots.values()].every(({ wire }) => wire === null);
  await until(areApart, waitMs);
  await recorded(engine.commits, waitMs);
  engine.dropConnections(why);
  await engine.closeListeners();
  // A counterparty that left our Logout unanswered: that it is gone now is recorded while there is a store.
  await until(areApart, waitMs);
  await recorded(engine.commits, waitMs);
  engine.stop();
  engine.commits.close();
  await store.close();
}

/** A secret that the caller has in hand. */
function given(value: string): SecretReference {
  return { reference: 'given', read: () => value };
}

function toSetup(
  options: FixSessionOptions,
  role: SessionConfig['role'],
  connect: ConnectSettings | null,
): SessionSetup {
  const { password, durability = 'disk', access, beginString = 'FIX.4.4', template, ...config } = options;
  const session: SessionConfig = {
    ...FIX_SESSION_DEFAULTS,
    ...config,
    onRefusal: access?.onRefusal ?? 'auto',
    beginString,
    role,
    sessionId: sessionIDOf({ ...config, beginString }),
  };
  if (role === 'initiator' && template !== undefined) {
    throw new CrossgateError('XG_CONFIG_INVALID', `${session.sessionId}: an initiator knows its counterparty`);
  }
  return {
    source: session.sessionId,
    template: template === undefined ? null : toTemplate(options, template, session.sessionId),
    session,
    password: password === undefined ? null : given(password),
    access: {
      passwordOverlapMs: null,
      signature: null,
      certificate: null,
      allowFrom: [],
      onRefusal: 'auto',
      ...access,
    },
    connect,
    durability,
    listeners: [],
    enabled: true,
  };
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
