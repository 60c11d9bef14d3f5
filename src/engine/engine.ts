// A running Crossgate: builds the machines and everything around them, in order, and takes them down in order (rule U5).
// Reading configuration and printing for people belong to ops and cli.

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CrossgateError } from '../base/errors.ts';
import type { EpochMs } from '../base/time.ts';
import { type Bridge, Feeds } from '../bridge/mod.ts';
import type { ExchangeClient } from '../exchange-client/mod.ts';
import { Gateway } from '../gateway/mod.ts';
import { Session, type SessionID } from '../session/mod.ts';
import { type Simulator, startSimulator } from '../simulator/mod.ts';
import { type Journal, openJournal } from '../store/mod.ts';
import { type Listener, listen } from '../transport/mod.ts';
import { Administration } from './administration.ts';
import { GuessingGuard } from './authentication.ts';
import { openBridge } from './bridge.ts';
import { CommitQueue } from './commit-queue.ts';
import type { EngineConfig, EngineLog, EngineSessionConfig, ListenerConfig } from './config.ts';
import { Deadlines } from './deadlines.ts';
import { loadVersion, type VersionDictionaries } from './dictionaries.ts';
import { Dispatcher, type SessionSlot } from './dispatcher.ts';
import { createLinks } from './exchange-clients.ts';
import type { ExchangeLink } from './exchange-link.ts';
import { FixAcceptor } from './fix-acceptor.ts';
import { JournalHealth } from './journal-health.ts';
import { sessionRecord, startRecord } from './journaled-input.ts';
import { type EngineObserver, NO_OBSERVER } from './observer.ts';
import { RecentMessages } from './recent-messages.ts';
import { shutDown } from './shutdown.ts';

/** Journal frames waiting for the disk before counterparties are no longer read. */
const PENDING_FRAMES_MAX = 10_000;
/** Longest wait for the first comparison with the exchange before counterparties are let in all the same. */
const FIRST_RECONCILIATION_MS = 10_000;

export interface EngineOptions {
  readonly config: EngineConfig;
  readonly log: EngineLog;
  /** The clock, in whole milliseconds; injected so that a test can move it. */
  readonly now: () => EpochMs;
  /** Called once the secrets that the embedded simulator generates exist, before any secret is read. */
  readonly onSecretsReady: () => Promise<void>;
}

/** Where a newcomer connects, for the lines printed at start. */
export interface EngineAddress {
  readonly listener: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export interface Alarm {
  readonly at: EpochMs;
  readonly alarm: string;
  readonly text: string;
  readonly fields: Readonly<Record<string, string>>;
}

const ALARMS_KEPT = 1000;
/** A longer timer would fire at once; one that fires early is set again. */
const TIMER_MS_MAX = 0x7fff_ffff;

/** The running whole. Made by `startEngine`. */
export class Engine {
  readonly config: EngineConfig;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  readonly journal: Journal;
  readonly gateway: Gateway;
  readonly dispatcher: Dispatcher;
  readonly acceptor: FixAcceptor;
  readonly commits: CommitQueue;
  /** By BeginString(8). */
  readonly dictionaries: Map<string, VersionDictionaries>;
  readonly simulator: Simulator | null;
  readonly alarms: Alarm[] = [];
  readonly addresses: EngineAddress[] = [];
  readonly administration: Administration;
  /** The last messages of each session. */
  readonly recentMessages = new Map<SessionID, RecentMessages>();
  readonly sessionConfigs = new Map<SessionID, EngineSessionConfig>();
  /** Whoever measures; set by ops. */
  observer: EngineObserver = NO_OBSERVER;
  /** Counterparties can connect. */
  isOpen = false;
  readonly journalHealth: JournalHealth;
  links = new Map<string, ExchangeLink>();
  /** The client of each exchange login, by its name. */
  readonly exchangeClients = new Map<string, ExchangeClient>();
  /** What the exchange's streams say, for the bridge. */
  readonly feeds = new Feeds();
  /** Null if none is configured. */
  bridge: Bridge | null = null;
  private readonly listeners: Listener[] = [];
  private readonly deadlines = new Deadlines();
  private timer: NodeJS.Timeout | null = null;
  private timerAt = Number.POSITIVE_INFINITY;
  private stopping: Promise<void> | null = null;

  constructor(
    options: EngineOptions,
    journal: Journal,
    journalHealth: JournalHealth,
    simulator: Simulator | null,
    dictionaries: Map<string, VersionDictionaries>,
  ) {
    const { config, log, now } = options;
    this.config = config;
    this.log = log;
    this.now = now;
    this.journal = journal;
    this.journalHealth = journalHealth;
    this.simulator = simulator;
    this.dictionaries = dictionaries;
    this.administration = new Administration(this);
    this.gateway = new Gateway(
      { ...config.gateway, sessions: config.sessions.map((session) => session.gateway) },
      { orders: journal.recovered.orders },
    );
    this.commits = new CommitQueue({
      journal,
      pendingMax: PENDING_FRAMES_MAX,
      onHealth: (healthy, reason) => this.journalHealth.report('commits', healthy, reason),
      onCommitted: (frames, ms, synced) => this.observer.committed(frames, ms, synced),
      onPressure: (full) => this.acceptor.pauseAll(full),
      // An F that nobody reads is lost; the end of a session cancels its orders (rules J2, C1).
      onStuck: () => this.acceptor.closeAll('the journal can record nothing and its queue is full'),
    });
    this.dispatcher = new Dispatcher({
      gateway: this.gateway,
      commits: this.commits,
      deadlines: this.deadlines,
      log,
      now,
      onRecord: (slot, record, at) => this.recentMessages.get(slot.sessionId)?.add(record, at),
      afterTurn: () => this.armTimer(),
      outside: {
        submit: (effect) => this.link(effect.credential).submit(effect),
        lookup: (effect) => this.link(effect.credential).lookup(effect),
        loadOutbound: (slot, effect) => this.loadOutbound(slot, effect),
        alarm: (alarm, text, fields) => this.alarm(alarm, text, fields),
        sessionChanged: (slot, state, reason) =>
          log('info', state === 'loggedOn' ? 'session logged on' : `session logged off: ${reason}`, {
            session: slot.sessionId,
          }),
      },
    });
    this.acceptor = new FixAcceptor({
      dispatcher: this.dispatcher,
      sessionFor: (sessionId, listener) => this.sessionFor(sessionId, listener),
      guard: new GuessingGuard(config.limits.failedLogonsPerMinute),
      limits: config.limits,
      log,
      now,
    });
    const sessions = config.sessions.map((session) => session.gateway);
    this.dispatcher.record(startRecord({ ...config.gateway, sessions }));
    for (const session of config.sessions) this.addSession(session);
    journalHealth.watch((healthy, reason) => this.journalChanged(healthy, reason));
  }

  /** Open sessions for business: reconcile, count sessions cut off by a crash as disconnected (rule C1), listen. */
  async open(): Promise<void> {
    this.links = createLinks(this);
    await Promise.all([...this.links.values()].map((link) => link.start()));
    this.bridge = await openBridge(this);
    for (const recovered of this.journal.recovered.sessions.values()) {
      if (!recovered.loggedOn || !this.dispatcher.slots.has(recovered.sessionId)) continue;
      this.dispatcher.record({ kind: 'state', sessionId: recovered.sessionId, loggedOn: false });
      this.dispatcher.gatewayInput({ kind: 'sessionDown', sessionId: recovered.sessionId, end: 'crash' });
    }
    await this.firstReconciliation();
    for (const listener of this.config.listeners) await this.listen(listener);
    this.isOpen = true;
    this.armTimer();
  }

  /** Rule J3: a Logon finds the accounts compared with the exchange; one that cannot be asked refuses its orders meanwhile. */
  private async firstReconciliation(): Promise<void> {
    const up = [...this.links.values()].filter((link) => link.up);
    const done = await Promise.all(up.map((link) => link.reconciled(FIRST_RECONCILIATION_MS)));
    if (done.length === this.links.size && done.every((ok) => ok)) return;
    this.log('warn', 'not every account could be compared with the exchange yet; orders on the others are refused');
  }

  /** A start that failed half-way: let go of what was opened, without the ceremony of a shutdown. */
  async abandon(): Promise<void> {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.acceptor.closeAll('the gateway could not start');
    await Promise.all(this.listeners.map((listener) => listener.close()));
    await this.bridge?.close();
    await Promise.all([...this.links.values()].map((link) => link.close()));
    this.commits.close();
  }

  /** Stop in the order of rule U5. Safe to call twice. */
  close(): Promise<void> {
    this.stopping ??= shutDown({
      engine: this,
      closeListeners: async () => {
        await Promise.all(this.listeners.map((listener) => listener.close()));
      },
      stopTimer: () => {
        if (this.timer !== null) clearTimeout(this.timer);
        this.timer = null;
      },
    });
    return this.stopping;
  }

  /** Whether the engine is going down. */
  get isClosing(): boolean {
    return this.stopping !== null;
  }

  alarm(alarm: string, text: string, fields: Readonly<Record<string, string>>): void {
    this.alarms.push({ at: this.now(), alarm, text, fields });
    if (this.alarms.length > ALARMS_KEPT) this.alarms.shift();
    this.observer.alarm(alarm);
    this.log('error', text, { alarm, ...fields });
  }

  /** Add a session; its dictionary must be there. @throws CrossgateError XG_CONFIG_INVALID */
  addSession(session: EngineSessionConfig): void {
    const { sessionId, beginString } = session.session;
    const dictionary = this.dictionaries.get(beginString);
    if (dictionary === undefined) {
      throw new CrossgateError('XG_CONFIG_INVALID', `${session.source}: there is no dictionary for ${beginString}`);
    }
    this.sessionConfigs.set(sessionId, session);
    this.recentMessages.set(sessionId, new RecentMessages());
    this.dispatcher.addSession({
      sessionId,
      machine: new Session(
        session.session,
        dictionary.newValidator(),
        this.journal.recovered.sessions.get(sessionId) ?? null,
      ),
      durability: session.durability,
      wire: null,
      enabled: session.enabled,
    });
    this.dispatcher.record(sessionRecord(session.session, session.gateway));
  }

  /** Load the dictionary of a FIX version unless it is there. @throws CrossgateError XG_DICTIONARY_INVALID */
  async provideDictionary(beginString: string): Promise<void> {
    if (this.dictionaries.has(beginString)) return;
    const dictionary = await loadVersion(this.config.dictionariesDirectory, beginString);
    if (dictionary !== null) this.dictionaries.set(beginString, dictionary);
  }

  private sessionFor(sessionId: SessionID, listener: string): EngineSessionConfig | null {
    const config = this.sessionConfigs.get(sessionId);
    if (config === undefined) return null;
    return config.listeners.length === 0 || config.listeners.includes(listener) ? config : null;
  }

  private link(credential: string): ExchangeLink {
    const link = this.links.get(credential);
    if (link === undefined)
      throw new CrossgateError('XG_CONFIG_INVALID', `there is no exchange credential ${credential}`);
    return link;
  }

  private async listen(config: ListenerConfig): Promise<void> {
    const { limits } = this.config;
    const listener = await listen(
      {
        host: config.host,
        port: config.port,
        connectionsMax: limits.connectionsMax,
        connectionsPerAddressMax: limits.connectionsPerAddressMax,
        handshakeTimeoutMs: limits.logonTimeoutMs,
        outboundBytesMax: limits.outboundBytesMax,
        onRefused: ({ remoteAddress, remotePort, reason }) =>
          this.log('warn', `connection refused: ${reason}`, {
            listener: config.name,
            remote: `${remoteAddress}:${remotePort}`,
          }),
        ...(config.tls === null
          ? {}
          : {
              tls: {
                key: config.tls.key.read(),
                cert: config.tls.certificate.read(),
                minVersion: config.tls.minVersion,
              },
            }),
      },
      (connection) => this.acceptor.accept(connection, config.name),
    );
    this.listeners.push(listener);
    const { host, port } = listener.address();
    this.addresses.push({ listener: config.name, host, port, tls: config.tls !== null });
  }

  private loadOutbound(
    slot: SessionSlot,
    request: { readonly requestId: number; readonly series: number; readonly from: number; readonly to: number },
  ): void {
    const { requestId, series, from, to } = request;
    this.journal.loadOutbound(slot.sessionId, series, from, to).then(
      (messages) => this.dispatcher.sessionInput(slot, { kind: 'outboundLoaded', requestId, messages }),
      (error: unknown) => {
        this.alarm('resend-impossible', `the journal could not be read for a resend: ${String(error)}`, {
          session: slot.sessionId,
        });
        slot.wire?.close();
      },
    );
  }

  private journalChanged(healthy: boolean, reason: string): void {
    if (healthy) this.log('info', `journal: ${reason}`);
    else this.alarm('journal-unhealthy', `the journal cannot record: ${reason}; new orders are refused`, {});
    this.dispatcher.gatewayInput({ kind: 'journal', healthy });
  }

  /** One timer for all machines; looked at again after every turn that may have moved a deadline. */
  private armTimer(): void {
    const at = this.deadlines.next() ?? Number.POSITIVE_INFINITY;
    // Deadlines move with every message: the timer is only ever brought forward, and one that fires early is set again.
    if (this.timer !== null && this.timerAt <= at) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    if (at === Number.POSITIVE_INFINITY) return;
    this.timerAt = at;
    this.timer = setTimeout(() => this.timerFired(), Math.min(TIMER_MS_MAX, Math.max(0, at - this.now())));
  }

  private timerFired(): void {
    this.timer = null;
    this.timerAt = Number.POSITIVE_INFINITY;
    const now = this.now();
    for (let name = this.deadlines.due(now); name !== null; name = this.deadlines.due(now)) this.dispatcher.tick(name);
    this.armTimer();
  }
}

async function loadDictionaries(config: EngineConfig): Promise<Map<string, VersionDictionaries>> {
  const dictionaries = new Map<string, VersionDictionaries>();
  for (const beginString of new Set(config.sessions.map((session) => session.session.beginString))) {
    const dictionary = await loadVersion(config.dictionariesDirectory, beginString);
    if (dictionary !== null) dictionaries.set(beginString, dictionary);
  }
  return dictionaries;
}

/** Start everything, in order; resolves once counterparties can connect. @throws CrossgateError naming what cannot start */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { config, log, now } = options;
  await mkdir(config.stateDirectory, { recursive: true });
  const dictionaries = await loadDictionaries(config);
  const health = new JournalHealth();
  const journal = await openJournal({
    directory: join(config.stateDirectory, 'journal'),
    segmentBytes: config.journalSegmentBytes,
    now,
    onHealth: (healthy, reason) => health.report('journal', healthy, reason),
  });
  for (const note of journal.recovered.notes) log('warn', `journal: ${note}`);
  let simulator: Simulator | null = null;
  let engine: Engine | null = null;
  try {
    if (config.simulator !== null) {
      const keysDirectory = join(config.stateDirectory, 'secrets');
      simulator = await startSimulator({ ...config.simulator, keysDirectory });
    }
    await options.onSecretsReady();
    engine = new Engine(options, journal, health, simulator, dictionaries);
    await engine.open();
    return engine;
  } catch (error) {
    await engine?.abandon();
    await simulator?.close();
    await journal.close();
    throw error;
  }
}
