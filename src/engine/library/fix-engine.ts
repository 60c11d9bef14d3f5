// The engine as a library: an acceptor or an initiator for an application of one's own, on the same sessions,
// connections and journal as the gateway. The application interprets messages.

import { CrossgateError, thrownText } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { SessionConfig, SessionID } from '../../session/mod.ts';
import { importInWords, type Journal, openJournal, openMemoryStore } from '../../store/mod.ts';
import { CIPHERS_DEFAULT } from '../../transport/mod.ts';
import type { ConnectSettings, EngineLimits, EngineLog, SessionSetup } from '../config.ts';
import { Passwords } from '../logon/passwords.ts';
import type { Alarm } from '../observer.ts';
import { BUSY_POLL_MICROS_DEFAULT } from '../sessions/busy-poll.ts';
import { closeStore, recorded, until } from '../sessions/closing.ts';
import { DELIVERED_DICTIONARIES, loadVersions, type VersionDictionaries, versionOf } from '../sessions/dictionaries.ts';
import { JournalHealth } from '../sessions/journal-health.ts';
import { SessionEngine } from '../sessions/session-engine.ts';
import { isTemplate, presentSessions } from '../sessions/templates.ts';
import { CallbackApplication } from './fix-application.ts';
import { addSession, type RunningLibrary, removeSession } from './fix-engine-changes.ts';
import {
  type AcceptorOptions,
  CALLBACKS_MAX_DEFAULT,
  definedOnly,
  FIX_LIMITS,
  type FixEngineOptions,
  type FixSessionOptions,
  type InitiatorOptions,
  OPTION_KEYS,
} from './fix-engine-options.ts';
import {
  checkAddresses,
  checkApplication,
  checkBusyPoll,
  checkCertificates,
  checkCount,
  checkFileStore,
  checkKeys,
  checkLimits,
  checkParts,
  checkPauses,
  checkPort,
  checkTls,
  checkWay,
} from './fix-options.ts';
import type { FixSession } from './fix-session.ts';
import { checkSessionOptions } from './fix-session-check.ts';
import { toConnect, toSetup } from './fix-setup.ts';
import { checkContext, type Renewable, RenewableConnectTls, RenewableTls, type TlsParts } from './renewable-tls.ts';

const LISTENER = 'fix';

/** A running engine. */
export interface FixEngine {
  /** Port it listens on; 0 for an initiator. */
  readonly port: number;
  /** By SessionID, `FIX.4.4:SENDER->TARGET`. */
  readonly sessions: ReadonlyMap<SessionID, FixSession>;
  /**
   * Add a session while the engine runs; one that was removed goes on in its numbers. An initiator connects it to the addresses
   * of the engine. @throws CrossgateError XG_CONFIG_INVALID, XG_DICTIONARY_INVALID, XG_ENGINE_CLOSED, nothing being added
   */
  addSession(session: FixSessionOptions & { readonly template?: undefined }): Promise<FixSession>;
  /**
   * Add a template (`template`, `targetCompID: '*'`): null, as it is no session. Those that it made before, by the store, are
   * there at once; others with their first Logon.
   */
  addSession(template: FixSessionOptions & Required<Pick<FixSessionOptions, 'template'>>): Promise<null>;
  addSession(session: FixSessionOptions): Promise<FixSession | null>;
  /**
   * Log a session out with this Text(58) and remove it: its Logons are refused, and messages sent on it wait. Resolves
   * once its connection has ended. The store keeps its numbers. Of a template, by its SessionID with `*`: it makes no more
   * sessions, and those that it made stay. @throws CrossgateError XG_CONFIG_INVALID for a session that is not there
   */
  removeSession(sessionID: SessionID, text?: string): Promise<void>;
  /**
   * Of an engine with TLS, from the next connection on: an acceptor shows another certificate, or demands another of clients; an
   * initiator shows another, or trusts another authority. Parts left out stay. @throws CrossgateError XG_CONFIG_INVALID,
   * XG_TLS_INVALID, the ones before staying in use
   */
  renewTls(parts: TlsParts): void;
  /**
   * Let async callbacks that are under way end, log every session out, end connections, close the store. Waits for callbacks,
   * counterparties and records for `limits.shutdownWaitMs` at most, each, and for the store to close as long as its disk answers.
   * @throws CrossgateError XG_JOURNAL_WRITE_FAILED if the store could not take everything
   */
  close(): Promise<void>;
}

/**
 * Numbers and messages in memory: gone with the process. At most `messagesMax` messages per session, 16 at least, can be resent.
 * @throws CrossgateError XG_CONFIG_INVALID for a number that is none
 */
export function memoryStore(messagesMax = 100_000): Journal {
  checkCount(messagesMax, 'messagesMax');
  return openMemoryStore(messagesMax);
}

/** Work of a store in files besides keeping. */
export interface FileStoreOptions {
  /**
   * Days for which files are kept that no session needs any more; they lie compressed in `archive` below the folder. Default for
   * ever.
   */
  readonly retentionDays?: number;
  /**
   * Called with its findings and repairs, such as a record that was torn when the process was killed. Default: none.
   */
  readonly log?: EngineLog;
}

/** Numbers and messages in an append-only journal in a folder. One process at a time. @throws CrossgateError XG_JOURNAL_… */
export async function fileStore(directory: string, options: FileStoreOptions = {}): Promise<Journal> {
  const { retentionDays, log } = options;
  checkFileStore(directory, options);
  return await openJournal({
    directory,
    now: Date.now,
    retentionDays: retentionDays ?? null,
    ...(log === undefined ? {} : { log: (level, text) => log(level, `store: ${text}`) }),
  });
}

/**
 * Listen for counterparties. Resolves once they can connect. @throws CrossgateError naming the part that cannot start
 */
export async function startAcceptor(options: AcceptorOptions): Promise<FixEngine> {
  const { host = '127.0.0.1', port, tls } = options;
  const renewable = tls === undefined || tls === null ? null : new RenewableTls(tls);
  const open = async (engine: SessionEngine): Promise<void> => {
    checkPort(port, 'port', 0);
    checkTls(tls, 'acceptor', ['certificate', 'key']);
    checkCertificates(options.sessions, tls);
    await engine.listen({
      name: LISTENER,
      host,
      port,
      allowFrom: [],
      proxyFrom: [],
      tls: renewable === null ? null : renewable.config(tls?.minVersion ?? 'TLSv1.2', tls?.ciphers ?? CIPHERS_DEFAULT),
    });
  };
  return await start({ options, role: 'acceptor', connect: null, renewable, open });
}

/** Connect to counterparties, and again whenever a connection ends. Resolves at once; `onLogon` says when a session is up. */
export async function startInitiator(options: InitiatorOptions): Promise<FixEngine> {
  const { addresses, tls, reconnectFirstMs = 1000, reconnectLargestMs = 60_000 } = options;
  // A value that is no TLS is reported with the other options.
  const renewable = typeof tls === 'object' && tls !== null ? new RenewableConnectTls(tls, addresses) : null;
  const connect = toConnect(options, renewable?.settings ?? null);
  const open = async (engine: SessionEngine): Promise<void> => {
    checkAddresses(addresses);
    checkPauses(reconnectFirstMs, reconnectLargestMs);
    checkWay({ ...options });
    checkTls(tls, 'initiator', []);
    if (tls !== undefined) checkContext(tls, addresses);
    engine.connectInitiators();
  };
  return await start({ options, role: 'initiator', connect, renewable, open });
}

/** Whatever keeps it from starting, the store is closed then: it may be opened again at once. */
async function start(library: Beginning): Promise<FixEngine> {
  const { store } = library.options;
  takeStore(store);
  try {
    return await begin(library);
  } catch (error) {
    await closeGiven(store);
    throw error;
  }
}

/** Stores that an engine has, or had. */
const taken = new WeakSet<Journal>();

function takeStore(store: Journal | undefined): void {
  // A value that is no object is reported with the other options.
  if (typeof store !== 'object' || store === null) return;
  if (taken.has(store)) {
    const text = 'store must be of this engine alone: another one has it, or had it and closed it';
    throw new CrossgateError('XG_CONFIG_INVALID', text);
  }
  taken.add(store);
}

/** A store that was promised, and not awaited, is opened all the same. */
async function closeGiven(store: Partial<Journal> | Promise<Journal> | undefined): Promise<void> {
  if (store instanceof Promise) await store.then((opened) => closeStore(opened)).catch(() => {});
  else if (store?.close !== undefined) await closeStore(store as Journal);
}

/** @throws CrossgateError XG_CONFIG_INVALID */
function checkOptions(options: FixEngineOptions, role: SessionConfig['role']): void {
  const { busyPollMicros = BUSY_POLL_MICROS_DEFAULT, callbacksMax = CALLBACKS_MAX_DEFAULT } = options;
  checkKeys(options, OPTION_KEYS[role]);
  checkParts({ ...options });
  checkApplication(options.application);
  checkLimits(options.limits ?? {}, FIX_LIMITS);
  checkBusyPoll(busyPollMicros);
  checkCount(callbacksMax, 'callbacksMax');
  checkSessionOptions(options.sessions);
}

/** The sessions and templates of the options. @throws CrossgateError XG_CONFIG_INVALID if one is there twice */
function configuredSessions(
  { sessions, application }: FixEngineOptions,
  role: SessionConfig['role'],
  connect: ConnectSettings | null,
): SessionSetup[] {
  const deliversRejects = application.onReject !== undefined;
  const configured = sessions.map((session) => toSetup({ ...session, deliversRejects }, role, connect));
  const sources = new Set<string>();
  for (const [at, { source }] of configured.entries()) {
    if (sources.has(source))
      throw new CrossgateError('XG_CONFIG_INVALID', `sessions[${at}] is ${source}, and so is another`);
    sources.add(source);
  }
  return configured;
}

/** An acceptor or initiator that begins. */
interface Beginning {
  readonly options: FixEngineOptions;
  readonly role: SessionConfig['role'];
  readonly connect: ConnectSettings | null;
  /** Null: without TLS. */
  readonly renewable: Renewable | null;
  /** Checks the options of the connections and opens them. */
  readonly open: (engine: SessionEngine) => Promise<void>;
}

async function begin({ options, role, connect, renewable, open }: Beginning): Promise<FixEngine> {
  checkOptions(options, role);
  const { store = memoryStore(), callbacksMax = CALLBACKS_MAX_DEFAULT } = options;
  const configured = configuredSessions(options, role, connect);
  const part = configured.find(({ session }) => store.recovered.sessions.get(session.sessionId)?.importBegun);
  if (part !== undefined) throw new CrossgateError('XG_JOURNAL_CORRUPT', importInWords(part.session.sessionId));
  const setups = presentSessions(configured, store.recovered.sessions.keys());
  const spoken = configured.map(({ session }) => versionOf(session));
  const dictionariesDirectory = options.dictionaries ?? DELIVERED_DICTIONARIES;
  const dictionaries = await loadVersions(dictionariesDirectory, spoken);
  const limits = { ...FIX_LIMITS, ...definedOnly(options.limits ?? {}) };
  const application = new CallbackApplication({
    application: options.application,
    alarm: (alarm, text, fields) => engine.alarm(alarm, text, fields),
    isFlooded: () => engine.commits.isFlooded,
    pendingBytes: () => engine.commits.pendingBytes,
    outboundBytesMax: limits.outboundBytesMax,
    callbacksMax,
    load: (sessionId, { series }, msgSeqNum) => store.loadOutbound(sessionId, series, msgSeqNum, msgSeqNum),
  });
  const engine: SessionEngine = engineOf({ options, store, application, limits, dictionaries });
  engine.templates.set(configured.filter(isTemplate));
  application.dispatcher = engine.dispatcher;
  for (const setup of setups) application.addSession(engine.addSession(setup));
  try {
    await open(engine);
  } catch (error) {
    await close({ engine, application, store }, 'it could not start', limits.shutdownWaitMs);
    throw error;
  }
  let closing: Promise<void> | null = null;
  const library: RunningLibrary = {
    engine,
    application,
    store,
    role,
    connect,
    deliversRejects: options.application.onReject !== undefined,
    dictionaries,
    dictionariesDirectory,
    isClosed: () => closing !== null,
  };
  return doorOf(library, renewable, () => {
    closing ??= close(library, 'closed', limits.shutdownWaitMs);
    return closing;
  });
}

interface EngineParts {
  readonly options: FixEngineOptions;
  readonly store: Journal;
  readonly application: CallbackApplication;
  readonly limits: EngineLimits;
  readonly dictionaries: Map<string, VersionDictionaries>;
}

/** The session engine of a library, its callbacks joined to the application. */
function engineOf({ options, store, application, limits, dictionaries }: EngineParts): SessionEngine {
  const now = clockOf(options.now);
  const { log, onAlarm } = toldSafely(options);
  const journalHealth = new JournalHealth();
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
    fineNow: options.now,
    keepsRecentMessages: false,
    busyPollMicros: options.busyPollMicros ?? BUSY_POLL_MICROS_DEFAULT,
    ...(options.application.onResend === undefined
      ? {}
      : { mayResend: (slot, message) => application.mayResend(slot, message) }),
    admit: (setup) => {
      const slot = engine.addSession(setup);
      application.addSession(slot);
      return slot;
    },
    onAlarm,
  });
  journalHealth.watch((healthy, reason) => {
    if (!healthy) engine.alarm('journal-unhealthy', `the store cannot record: ${reason}`, {});
  });
  return engine;
}

/** The library as its user sees it. */
function doorOf(library: RunningLibrary, renewable: Renewable | null, close: () => Promise<void>): FixEngine {
  const { engine, application, role } = library;
  return {
    port: engine.addresses[0]?.port ?? 0,
    sessions: application.sessions,
    addSession: ((session: FixSessionOptions) => addSession(library, session)) as FixEngine['addSession'],
    removeSession: (sessionID, text = '') => removeSession(library, sessionID, text),
    renewTls: (parts) => {
      const text = `this engine ${role === 'acceptor' ? 'listens' : 'connects'} without TLS`;
      if (renewable === null) throw new CrossgateError('XG_CONFIG_INVALID', text);
      renewable.renew(engine, parts);
    },
    close,
  };
}

/** A clock of the user's may be finer than a millisecond, which counts for `timestampPrecision` alone. */
function clockOf(now: FixEngineOptions['now']): () => EpochMs {
  return now === undefined ? Date.now : () => Math.floor(now());
}

/** The user's event callback runs in the middle of everything: its failure ends nothing. */
function toldSafely(options: FixEngineOptions): Required<Pick<FixEngineOptions, 'log' | 'onAlarm'>> {
  const safely = (call: () => unknown, failed: (error: unknown) => void): void => {
    try {
      const done = call();
      if (done instanceof Promise) done.catch(failed);
    } catch (error) {
      failed(error);
    }
  };
  const log: EngineLog = (...line) =>
    safely(
      () => options.log?.(...line),
      () => {},
    );
  const onAlarm = (alarm: Alarm): void =>
    safely(
      () => options.onAlarm?.(alarm),
      (error) => log('error', `onAlarm failed on ${alarm.alarm}: ${thrownText(error)}`),
    );
  return { log, onAlarm };
}

async function close(
  { engine, application, store }: Pick<RunningLibrary, 'engine' | 'application' | 'store'>,
  why: string,
  waitMs: number,
): Promise<void> {
  const { slots } = engine.dispatcher;
  application.beginClose();
  engine.leave();
  // A message that was counted does not come again: its answer has to be sent, or recorded.
  await until(() => application.underWay === 0, waitMs);
  for (const slot of slots.values()) {
    if (slot.wire !== null) engine.dispatcher.sessionInput(slot, { kind: 'logout', text: '' });
  }
  const areApart = (): boolean => [...slots.values()].every(({ wire }) => wire === null);
  await until(areApart, waitMs);
  const recordingMs = await recorded(engine.commits, waitMs);
  engine.dropConnections(why);
  await engine.closeListeners();
  // A counterparty that left our Logout unanswered: that it is gone now is recorded while there is a store.
  await until(areApart, waitMs);
  await recorded(engine.commits, recordingMs);
  engine.stop();
  application.endClose();
  engine.commits.close();
  await closeStore(store);
}
