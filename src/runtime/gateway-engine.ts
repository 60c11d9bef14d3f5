// A running Crossgate: builds the machines and everything around them, in order, and takes them down in order (rule U5).
// Reading configuration and printing belong to ops and cli.

import { join } from 'node:path';
import { CrossgateError } from '../base/errors.ts';
import { type EpochMs, formatIso } from '../base/time.ts';
import { type Bridge, Feeds, PublicFeeds } from '../bridge/mod.ts';
import {
  type Alarm,
  BUSY_POLL_MICROS_DEFAULT,
  bringOver,
  type ChangedPasswordStore,
  type CommitQueue,
  changedPasswords,
  type Dispatcher,
  type Elsewhere,
  type EngineAddress,
  type EngineLog,
  isTemplate,
  JournalHealth,
  loadVersion,
  Passwords,
  type PreparedSession,
  presentSessions,
  type RecentMessages,
  SessionEngine,
  type SessionSlot,
  type VersionDictionaries,
  versionOf,
} from '../engine/mod.ts';
import type { AddressBudget, ExchangeClient } from '../exchange-client/mod.ts';
import { Gateway, type GatewayConfig, type GatewayEffect, type GatewayInput } from '../gateway/mod.ts';
import type { SessionConfig, SessionID } from '../session/mod.ts';
import type { Simulator } from '../simulator/mod.ts';
import type { Journal } from '../store/mod.ts';
import { DamageGate } from './admission/damage-gate.ts';
import { LogonGate } from './admission/logon-gate.ts';
import { accountsOfTemplates, admitSession, newcomer } from './admission/template-sessions.ts';
import { AlarmRecords } from './alarm-records.ts';
import { openBridge } from './bridge.ts';
import { CallersCommands } from './callers-commands.ts';
import { lookupThrough, submitThrough } from './exchange/account-links.ts';
import { askThrough, manageThrough } from './exchange/data-questions.ts';
import { createLinks } from './exchange/exchange-clients.ts';
import type { ExchangeLink } from './exchange/exchange-link.ts';
import { GatewayApplication } from './gateway-application.ts';
import type { EngineConfig, EngineSessionConfig } from './gateway-config.ts';
import { type EngineObserver, NO_OBSERVER } from './gateway-observer.ts';
import { endConnection, setAskedNumbers } from './interrupted-session.ts';
import { Interruptions } from './interruptions.ts';
import { JournalUpkeep } from './journal-upkeep.ts';
import { sessionRecord, startRecord } from './journaled-input.ts';
import { LeaseLoss, makeStateDirectory, openConfiguredJournal } from './lease.ts';
import { MarketDataPace } from './market-data-pace.ts';
import { OrderWatch } from './order-times.ts';
import { ReadableOrders } from './readable-orders.ts';
import { RestOrders, restSession } from './rest-orders.ts';
import type { RunningEngine } from './running-engine.ts';
import { callBridge } from './services/bridge-requests.ts';
import { answerUser } from './services/user-requests.ts';
import { closeJournal, type JournalEnd, shutDown } from './shutdown.ts';

/** Longest wait for the first comparison with the exchange before the listeners open; a Logon waits for it (logon-gate.ts). */
const FIRST_RECONCILIATION_MS = 10_000;

/** Parts of a gateway besides its configuration. */
export interface EngineOptions {
  readonly config: EngineConfig;
  readonly log: EngineLog;
  /** The clock, in whole milliseconds; injected so that a test can move it. */
  readonly now: () => EpochMs;
  /** Called once the secrets that the embedded simulator generates exist, before any secret is read. */
  readonly onSecretsReady: () => Promise<void>;
  /** Which program this is, and where it runs, for the audit trail; absent: not said. */
  readonly program?: string;
  /**
   * Inputs that ended earlier processes by a bug; the caller that ends this one by another notes it. Absent: as in the
   * state folder.
   */
  readonly interruptions?: Interruptions;
  /** Where sessions of these names are, if not here (certifications); null: here. Absent: all are here. */
  readonly elsewhere?: (names: readonly SessionID[], listener: string) => Elsewhere | null;
  /** False: it opens no listening socket; connections come from the process that owns them. Default true. */
  readonly listens?: boolean;
  /** Aborted: a journal that another node holds is waited for no more. A start that has it goes on to its end. */
  readonly stopped?: AbortSignal;
}

/** Parts that are opened before it. */
interface EngineParts {
  readonly journal: Journal;
  readonly journalHealth: JournalHealth;
  readonly simulator: Simulator | null;
  readonly dictionaries: Map<string, VersionDictionaries>;
}

/** The running whole; what its members are says running-engine.ts. Made by `startEngine`. */
export class Engine implements RunningEngine {
  readonly config: EngineConfig;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
  readonly journal: Journal;
  readonly gateway: Gateway;
  readonly sessions: SessionEngine<GatewayInput, EngineSessionConfig>;
  readonly dispatcher: Dispatcher<GatewayInput>;
  readonly commits: CommitQueue;
  readonly dictionaries: Map<string, VersionDictionaries>;
  readonly simulator: Simulator | null;
  readonly alarms: readonly Alarm[];
  readonly addresses: readonly EngineAddress[];
  readonly startedAt: EpochMs;
  readonly recentMessages: ReadonlyMap<SessionID, RecentMessages>;
  readonly sessionConfigs: ReadonlyMap<SessionID, EngineSessionConfig>;
  isOpen = false;
  private readonly passwords: ChangedPasswordStore;
  private readonly passwordChecks: Passwords;
  readonly journalHealth: JournalHealth;
  readonly damageGate: DamageGate;
  readonly logonGate: LogonGate;
  readonly interruptions: Interruptions;
  links = new Map<string, ExchangeLink>();
  readonly exchangeClients = new Map<string, ExchangeClient>();
  addressBudget: AddressBudget | null = null;
  readonly feeds = new Feeds({
    follow: (credential, topic, account) => this.exchangeClients.get(credential)?.followTopic(topic, account),
    unfollow: (credential, topic, account) => this.exchangeClients.get(credential)?.unfollowTopic(topic, account),
  });
  readonly publicFeeds = new PublicFeeds({
    follow: (topic, subject) => this.publicClient?.followFrames(topic, subject) ?? false,
    unfollow: (topic, subject) => this.publicClient?.unfollowFrames(topic, subject),
  });
  readonly callersCommands = new CallersCommands();
  readonly restOrders: RestOrders;
  bridge: Bridge | null = null;
  private readonly listens: boolean;
  private stopping: Promise<void> | null = null;
  /** How its journal ended, once it did. */
  journalEnd: JournalEnd = 'closed';
  private readonly alarmRecords = new AlarmRecords();
  private observing = NO_OBSERVER;
  readonly orderWatch = new OrderWatch((times) => this.observing.orderReported(times));
  private leaseLoss: Promise<string> = new Promise(() => {});

  constructor(options: EngineOptions, { journal, journalHealth, simulator, dictionaries }: EngineParts) {
    const { config, log, now } = options;
    const { interruptions = new Interruptions({ folder: config.stateDirectory, version: '', log, now }) } = options;
    this.config = config;
    this.interruptions = interruptions;
    this.listens = options.listens ?? true;
    this.log = log;
    this.now = now;
    this.journal = journal;
    this.journalHealth = journalHealth;
    this.simulator = simulator;
    this.dictionaries = dictionaries;
    this.startedAt = now();
    this.passwords = changedPasswords(config.stateDirectory, journal);
    this.passwordChecks = this.newPasswords();
    this.damageGate = new DamageGate(journal.recovered.damage, journal.recovered.sessions.values());
    const present = presentSessions(config.sessions, journal.recovered.sessions.keys());
    const opened = config.bridge?.orders ?? [];
    const sessions = [...present.map((session) => session.gateway), ...opened.map(restSession)];
    this.restOrders = new RestOrders({
      accounts: opened,
      outcomes: this.callersCommands,
      input: (told) => this.dispatcher.applicationInput(told),
      now,
    });
    const accounts = accountsOfTemplates(config.sessions, config.exchange.credentials);
    const gateway: GatewayConfig = { ...config.gateway, sessions, ...(accounts.length === 0 ? {} : { accounts }) };
    this.gateway = this.newGateway(gateway);
    this.sessions = this.newSessions(this.newApplication(), options.elsewhere);
    this.logonGate = new LogonGate({
      gateway: this.gateway,
      sessions: this.sessions.sessionConfigs,
      newcomer: (sessionId) => newcomer(this, sessionId),
      damage: this.damageGate,
      interruptions,
    });
    this.sessions.templates.set(config.sessions.filter(isTemplate));
    this.dispatcher = this.sessions.dispatcher;
    this.commits = this.sessions.commits;
    this.alarms = this.sessions.alarms;
    this.addresses = this.sessions.addresses;
    this.recentMessages = this.sessions.recentMessages;
    this.sessionConfigs = this.sessions.sessionConfigs;
    if (this.damageGate.hasPlaces) this.dispatcher.record({ kind: 'damageFound' });
    this.dispatcher.record(startRecord(gateway));
    if (options.program !== undefined) this.audit('gateway', 'start', options.program);
    for (const session of present) this.addSession(session);
    for (const sessionId of journal.recovered.sessions.keys()) setAskedNumbers(this, sessionId);
    journalHealth.watch((healthy, reason) => this.journalChanged(healthy, reason));
  }

  private newGateway(config: GatewayConfig): Gateway {
    const { recovered, endedOrders, location } = this.journal;
    const tellUnreadable = (text: string): void => this.alarm('journal-damaged', text, {});
    const gateway = new Gateway(config, {
      orders: recovered.orders,
      ended: new ReadableOrders(endedOrders, tellUnreadable),
      lostBytes: this.damageGate.lostBytes,
    });
    this.damageGate.addUnreadable(gateway.unreadable(), location);
    // The texts of all open orders, which the gateway has as orders now.
    recovered.orders.clear();
    return gateway;
  }

  private newApplication(): GatewayApplication {
    const input = (told: GatewayInput): void => this.dispatcher.applicationInput(told);
    return new GatewayApplication({
      gateway: this.gateway,
      outside: {
        submit: (effect) => submitThrough(this.links, effect, input),
        lookup: (effect) => lookupThrough(this.links, effect, input),
        bridge: (effect) => callBridge(this, effect, input),
        user: (effect) => answerUser(this, this.passwordChecks, effect, input),
        manage: (effect) => manageThrough(this.exchangeClients, effect, input, () => this.isClosing),
        ask: (effect) => askThrough(this.exchangeClients, effect, input, () => this.isClosing),
        alarm: (alarm, text, fields) => this.alarm(alarm, text, fields),
        restOrders: this.restOrders,
        settled: (commandId, outcome) => this.callersCommands.settled(commandId, outcome),
      },
      log: this.log,
      now: this.now,
      durabilityOf: (sessionId) => this.dispatcher.slots.get(sessionId)?.durability,
      marketData: {
        follow: (effect) => this.follow(effect),
        followPrice: (symbol) => this.publicClient?.followPrice(symbol),
        pace: new MarketDataPace({
          slotOf: (sessionId) => this.dispatcher.slots.get(sessionId),
          input,
        }),
      },
      orderWatch: this.orderWatch,
      input,
      interruptions: this.interruptions,
    });
  }

  private newPasswords(): Passwords {
    return new Passwords(this.passwords, this.now, (session, until) => {
      const detail = `NewPassword(925) taken; the one before is good until ${formatIso(until)}`;
      // Of a Logon that was being decided while the journal was closed.
      if (this.commits.isClosed) this.log('info', detail, { session });
      else this.audit(session, 'password changed', detail);
    });
  }

  private newSessions(
    application: GatewayApplication,
    elsewhere: EngineOptions['elsewhere'],
  ): SessionEngine<GatewayInput, EngineSessionConfig> {
    const { config, log, now, journal, journalHealth, dictionaries } = this;
    return new SessionEngine<GatewayInput, EngineSessionConfig>({
      journal,
      journalHealth,
      application,
      recorder: application,
      onThrown: (inputs) => this.interruptions.threw(inputs),
      elsewhere,
      passwords: this.passwordChecks,
      limits: config.limits,
      dictionaries,
      log,
      now,
      keepsRecentMessages: true,
      busyPollMicros: config.busyPollMicros ?? BUSY_POLL_MICROS_DEFAULT,
      admit: (session) => admitSession(this, session),
      logonRefusal: (sessionId) => this.logonGate.refusal(sessionId),
      onSecretsChanged: (slot) => this.recordSession(slot),
      onFlood: (flooded) => this.holdExchange(flooded),
      onAlarm: (alarm) => this.alarmRecords.keep(alarm, this),
    });
  }

  /** Open sessions for business: reconcile, count sessions cut off by a crash as disconnected (rule C1), listen. */
  async open(): Promise<void> {
    this.tellObjection();
    await this.placeUnreadable();
    await this.bringPasswordsOver();
    this.tellDamage();
    this.interruptions.tell((text, session) => this.alarm('ended-by-bug', text, session === null ? {} : { session }));
    this.links = createLinks(this);
    await Promise.all([...this.links.values()].map((link) => link.start()));
    this.bridge = await openBridge(this);
    for (const sessionId of this.journal.recovered.sessions.keys()) endConnection(this, sessionId);
    await this.firstReconciliation();
    if (this.listens) for (const listener of this.config.listeners) await this.sessions.listen(listener);
    this.isOpen = true;
    this.letIn();
  }

  letIn(): void {
    if (this.isOpen && !this.isClosing) this.sessions.connectInitiators();
  }

  /** Rule J3: numbers that begin again because the journal was replaced do so with a word, in the journal too. */
  private tellObjection(): void {
    const { objection } = this.journal.recovered;
    if (objection === undefined) return;
    this.alarm('journal-replaced', `${objection}; sequence numbers are those of the journal that is there`, {});
    this.audit('gateway', 'journal replaced', objection);
  }

  /** Records that cannot be understood are looked for once more, to say in which file. */
  private async placeUnreadable(): Promise<void> {
    const { journal, damageGate } = this;
    if (damageGate.unreadableKeys.length === 0 || journal.placesOf === undefined) return;
    try {
      damageGate.found(await journal.placesOf(new Set(damageGate.unreadableKeys)));
    } catch (error) {
      this.log('warn', `where the records lie that cannot be understood could not be found: ${String(error)}`);
    }
  }

  private async bringPasswordsOver(): Promise<void> {
    try {
      await bringOver(this.passwords, this.sessionConfigs.keys());
    } catch (error) {
      this.log('warn', `changed passwords of this node are not known to others yet: ${String(error)}`);
    }
  }

  /** Damage in the middle of the journal is said at every start until an operator has let every session go on. */
  private tellDamage(): void {
    const known = [...this.sessionConfigs.keys()];
    for (const text of this.damageGate.recordsInWords(known)) {
      this.alarm('record-unreadable', text, {});
      this.audit('gateway', 'record unreadable', text);
    }
    for (const text of this.damageGate.placesInWords(known)) {
      this.alarm('journal-damaged', `${text}. A kill switch that was thrown there is not known any more`, {});
      this.audit('gateway', 'journal damaged', text);
    }
    for (const text of this.damageGate.importsInWords()) {
      this.alarm('import-unfinished', text, {});
      this.audit('gateway', 'import unfinished', text);
    }
  }

  /** Rule J3: have the accounts compared with the exchange before the first Logon comes. */
  private async firstReconciliation(): Promise<void> {
    const up = [...this.links.values()].filter((link) => link.up);
    const done = await Promise.all(up.map((link) => link.reconciled(FIRST_RECONCILIATION_MS)));
    if (done.length === this.links.size && done.every((ok) => ok)) return;
    this.log('warn', 'not every account could be compared with the exchange yet; no session of the others may log on');
  }

  /** Resolves with the reason once this node had to stop because another one may write its journal. */
  get lost(): Promise<string> {
    return this.leaseLoss;
  }

  /** A node that lost its lease lets go of everything at once: orders would be recorded nowhere (fencing). */
  stopWhenLost(loss: LeaseLoss): void {
    this.leaseLoss = loss.lost.then(async (reason) => {
      const stops =
        this.stopping === null ? 'this node stops' : 'this node was stopping, and cannot record the rest of it';
      this.alarm('lease-lost', `${stops}: ${reason}`, {});
      if (this.stopping === null) {
        this.stopping = this.abandon('this node may not write the journal any more').then(async () => {
          await this.simulator?.close();
          this.journalEnd = await closeJournal(this);
        });
      }
      await this.stopping;
      return reason;
    });
  }

  /** Let go of what was opened, without the ceremony of a shutdown: a start that failed half-way, a lease that is lost. */
  async abandon(reason: string): Promise<void> {
    this.sessions.stop();
    this.sessions.dropConnections(reason);
    await this.sessions.closeListeners();
    await this.bridge?.close();
    await Promise.all([...this.links.values()].map((link) => link.close()));
    this.commits.close();
  }

  /** Stop in the order of rule U5. Safe to call twice. */
  close(): Promise<void> {
    this.stopping ??= shutDown({
      engine: this,
      closeListeners: () => this.sessions.closeListeners(),
      stop: () => this.sessions.stop(),
    }).then((end) => {
      this.journalEnd = end;
    });
    return this.stopping;
  }

  get isClosing(): boolean {
    return this.stopping !== null;
  }

  audit(who: string, action: string, detail: string, fields: Readonly<Record<string, string>> = {}): void {
    this.dispatcher.record({ kind: 'audit', who, action, detail });
    this.log('info', `audit: ${action}`, { who, detail, ...fields });
  }

  alarm(alarm: string, text: string, fields: Readonly<Record<string, string>>): void {
    this.sessions.alarm(alarm, text, fields);
  }

  get observer(): EngineObserver {
    return this.observing;
  }

  set observer(observer: EngineObserver) {
    this.observing = observer;
    this.sessions.observer = observer;
  }

  addSession(session: EngineSessionConfig, prepared?: PreparedSession): SessionSlot {
    const slot = this.sessions.addSession(session, prepared);
    this.recordSession(slot);
    return slot;
  }

  recordSession({ sessionId, machine }: SessionSlot): void {
    this.dispatcher.record(sessionRecord(machine.config, this.sessionConfigs.get(sessionId)!.gateway));
  }

  async provideDictionary(session: SessionConfig): Promise<void> {
    const version = versionOf(session);
    if (this.dictionaries.has(version)) return;
    const dictionary = await loadVersion(this.config.dictionariesDirectory, version);
    if (dictionary !== null) this.dictionaries.set(version, dictionary);
  }

  /** The first login carries the public feeds (exchange-clients.ts). */
  private get publicClient(): ExchangeClient | undefined {
    return this.exchangeClients.values().next().value;
  }

  private follow({ kind, topic, subject }: Extract<GatewayEffect, { kind: 'follow' | 'unfollow' }>): void {
    const client = this.publicClient;
    if (kind === 'unfollow') client?.unsubscribe(topic, subject);
    else if (client?.subscribe(topic, subject) !== true) {
      const event = { kind: 'marketRefused', topic, subject, reason: 'too many subjects are followed' } as const;
      this.dispatcher.applicationInput({ kind: 'marketData', event });
    }
  }

  /** The exchange's data is read again once it can be recorded, as after a loss of its stream. */
  private holdExchange(isHeld: boolean): void {
    const text = "too much waits for the journal: the exchange's events are not read until they can be recorded";
    if (isHeld) this.log('warn', text);
    for (const link of this.links.values()) link.hold(isHeld);
  }

  private journalChanged(healthy: boolean, reason: string): void {
    if (healthy) this.log('info', `journal: ${reason}`);
    else this.alarm('journal-unhealthy', `the journal cannot record: ${reason}; new orders are refused`, {});
    this.dispatcher.applicationInput({ kind: 'journal', healthy });
  }
}

async function loadDictionaries(config: EngineConfig): Promise<Map<string, VersionDictionaries>> {
  const dictionaries = new Map<string, VersionDictionaries>();
  for (const version of new Set(config.sessions.map(({ session }) => versionOf(session)))) {
    const dictionary = await loadVersion(config.dictionariesDirectory, version);
    if (dictionary !== null) dictionaries.set(version, dictionary);
  }
  return dictionaries;
}

/** Start everything, in order; resolves once counterparties can connect. @throws CrossgateError naming what cannot start */
export async function startEngine(options: EngineOptions): Promise<Engine> {
  const { config, log, now, stopped } = options;
  await makeStateDirectory(config.stateDirectory);
  const dictionaries = await loadDictionaries(config);
  const health = new JournalHealth();
  const upkeep = new JournalUpkeep();
  const loss = new LeaseLoss();
  const journal = await openConfiguredJournal(config, {
    health,
    upkeep,
    loss,
    log,
    now,
    ...(stopped === undefined ? {} : { stopped }),
  });
  let simulator: Simulator | null = null;
  let engine: Engine | null = null;
  try {
    if (config.simulator !== null) {
      const keysDirectory = join(config.stateDirectory, 'secrets');
      // Read only where it is asked for: a gateway in production has another exchange.
      const { startSimulator } = await import('../simulator/mod.ts');
      simulator = await startSimulator({ ...config.simulator, keysDirectory, log });
    }
    await options.onSecretsReady();
    engine = new Engine(options, { journal, journalHealth: health, simulator, dictionaries });
    const { sessions } = engine;
    upkeep.watch((text) => sessions.alarm('journal-upkeep', text, {}));
    engine.stopWhenLost(loss);
    // A node that loses its lease while it starts has let go of what the start waits for.
    const lost = engine.lost.then((reason) => {
      throw new CrossgateError('XG_JOURNAL_LOCKED', `this node stops before it was open: ${reason}`);
    });
    await Promise.race([engine.open(), lost]);
    return engine;
  } catch (error) {
    await engine?.abandon('the gateway could not start');
    await simulator?.close();
    await journal.close();
    throw error;
  }
}
