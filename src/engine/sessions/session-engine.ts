// The session part of the engine, for any application: session machines, connections in and out, timers, journal and
// group commit. The gateway (gateway-engine.ts) and the library (fix-engine.ts) run on it. The journal's owner opens
// and closes it.

import { createHmac, randomBytes } from 'node:crypto';
import { RecentMap } from '../../base/collections/recent-map.ts';
import { CrossgateError } from '../../base/errors.ts';
import { hostPort } from '../../base/host-port.ts';
import { KnownOrigins } from '../../base/places/known-origins.ts';
import { originOf } from '../../base/places/origin.ts';
import { StrangerLog } from '../../base/places/stranger-log.ts';
import type { IsNamed, Renewal } from '../../base/renewal.ts';
import { type EpochMs, isFinerThanMs } from '../../base/time.ts';
import {
  type MessageValidator,
  type OutboundMessage,
  Session,
  type SessionConfig,
  type SessionID,
  sendsLogonText,
} from '../../session/mod.ts';
import type { Journal } from '../../store/mod.ts';
import { type Listener, type ListenOptions, listen } from '../../transport/mod.ts';
import { encodeText, LATIN1, MessageView, Tag } from '../../wire/mod.ts';
import type { Application, ApplicationInput, InputRecorder, InputUnderWay } from '../application.ts';
import type { EngineLimits, EngineLog, ListenerConfig, LogonRefusal, SessionSetup } from '../config.ts';
import { FixAcceptor, type FixAcceptorOptions } from '../connections/acceptor.ts';
import { FairTurns } from '../connections/fair-turns.ts';
import { FixInitiator } from '../connections/initiator.ts';
import { readTls, TlsListener } from '../connections/listener-tls.ts';
import { Authenticator, isOneAddress, Networks } from '../logon/authentication.ts';
import { GuessingGuard } from '../logon/guessing-guard.ts';
import { logonSigner } from '../logon/logon-signature.ts';
import type { Passwords } from '../logon/passwords.ts';
import { type Alarm, type SessionObserver, UNOBSERVED } from '../observer.ts';
import { forgetOne } from './alarm-eviction.ts';
import { busyPollOf } from './busy-poll.ts';
import { CommitQueue } from './commit-queue.ts';
import { DeadlineTimer } from './deadline-timer.ts';
import { Deadlines } from './deadlines.ts';
import { type VersionDictionaries, validatorSwitches, versionOf } from './dictionaries.ts';
import { Dispatcher } from './dispatcher.ts';
import { fineClock, fractionOf } from './fine-clock.ts';
import type { JournalHealth } from './journal-health.ts';
import { endMuteSessions } from './mute-sessions.ts';
import { OutboundLoads } from './outbound-loads.ts';
import { RecentMessages } from './recent-messages.ts';
import type { SessionSlot } from './session-slot.ts';
import { Templates, tryLogon } from './templates.ts';

/** Journal frames waiting for the disk before counterparties are no longer read. */
const PENDING_FRAMES_MAX = 10_000;
const ALARMS_KEPT = 1000;
const TOLD_EXHAUSTED_MAX = 1000;
const LEAVING: LogonRefusal = { text: 'No Logon is accepted: this process is shutting down', passes: true };

/** Where a newcomer connects, for the lines printed at start. */
export interface EngineAddress {
  readonly listener: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
}

export interface SessionEngineOptions<
  Input extends { readonly kind: string },
  Setup extends SessionSetup = SessionSetup,
> {
  readonly journal: Journal;
  readonly journalHealth: JournalHealth;
  readonly application: Application<Input>;
  readonly recorder: InputRecorder<Input> | null;
  readonly passwords: Passwords;
  readonly limits: EngineLimits;
  /** By version (dictionaries.ts). */
  readonly dictionaries: ReadonlyMap<string, VersionDictionaries>;
  readonly log: EngineLog;
  /** The clock, in whole milliseconds; injected so that a test can move it. */
  readonly now: () => EpochMs;
  /** The same clock with its decimals of a millisecond, if it is not the system's. */
  readonly fineNow?: (() => number) | undefined;
  /** Keep the last messages of each session for people to see. */
  readonly keepsRecentMessages: boolean;
  /** Add a session that a Logon makes from a template; default: `addSession`. @throws CrossgateError if it does not fit */
  readonly admit?: (setup: Setup) => SessionSlot;
  readonly onAlarm?: (alarm: Alarm) => void;
  /** The secrets of a session's next Logon were read and are other ones. */
  readonly onSecretsChanged?: (slot: SessionSlot) => void;
  /** How long after an input the next one is looked for without sleeping; 0: not at all. */
  readonly busyPollMicros: number;
  /** Whether a message that a counterparty asks for is sent again; absent: each is. */
  readonly mayResend?: ((slot: SessionSlot, message: OutboundMessage) => boolean) | undefined;
  /** Called with the present input when a machine threw: a bug. */
  readonly onThrown?: (inputs: readonly InputUnderWay[]) => void;
  /** Said when more waits for the journal than counterparties alone can bring, and when that is over. */
  readonly onFlood?: (flooded: boolean) => void;
  /** Why a session may not log on now; null if it may. Default: it may. */
  readonly logonRefusal?: (sessionId: SessionID) => LogonRefusal | null;
  /** Where the sessions of these names are, if not here (relay.ts); null or absent: here. */
  readonly elsewhere?: FixAcceptorOptions['elsewhere'];
}

/** Parts that acceptor and initiator share. */
type BothSides = Omit<ConstructorParameters<typeof FixInitiator>[0], 'readSecrets'>;

/** The text of a Logon answer that has no field for it. */
function unsaid(config: SessionConfig): { readonly logonText?: string } {
  return config.logonText === null || sendsLogonText(config) ? {} : { logonText: config.logonText };
}

/** The machine's settings, with their secrets, and its validator. */
export interface PreparedSession {
  readonly config: SessionConfig;
  readonly validator: MessageValidator;
}

export class SessionEngine<
  Input extends { readonly kind: string } = ApplicationInput,
  Setup extends SessionSetup = SessionSetup,
> {
  readonly dispatcher: Dispatcher<Input>;
  readonly acceptor: FixAcceptor;
  readonly initiator: FixInitiator;
  readonly commits: CommitQueue;
  readonly alarms: Alarm[] = [];
  readonly addresses: EngineAddress[] = [];
  /** The last messages of each session. */
  readonly recentMessages = new Map<SessionID, RecentMessages>();
  readonly sessionConfigs = new Map<SessionID, Setup>();
  /** Observer for measurements. */
  observer: SessionObserver = UNOBSERVED;
  /** Templates of sessions for counterparties not known before. */
  readonly templates = new Templates<Setup>();
  private readonly options: SessionEngineOptions<Input, Setup>;
  private readonly listeners: Listener[] = [];
  private readonly tlsListeners: TlsListener[] = [];
  /** By version: a validator keeps nothing between messages. */
  private readonly validators = new Map<string, MessageValidator>();
  private readonly deadlines = new Deadlines();
  private readonly loads: OutboundLoads;
  /** Alarms about counterparties that were refused because their template is full. */
  private readonly toldExhausted = new RecentMap<string, true>(TOLD_EXHAUSTED_MAX);
  private readonly standInBy = randomBytes(32);
  private readonly strangers: StrangerLog;
  /** Addresses of sessions that have logged on, of all listeners. */
  private readonly known = new KnownOrigins();
  private isLeaving = false;
  private readonly timer: DeadlineTimer;
  private readonly nanosWithin: (now: EpochMs) => number;

  constructor(options: SessionEngineOptions<Input, Setup>) {
    this.options = options;
    const { limits, log, now } = options;
    this.nanosWithin = now === Date.now ? fineClock() : fractionOf(options.fineNow ?? now);
    this.timer = new DeadlineTimer(this.deadlines, now, (name) => this.dispatcher.tick(name));
    this.strangers = strangerLog(log);
    this.commits = this.newCommitQueue();
    this.dispatcher = this.newDispatcher();
    this.loads = this.newLoads();
    const alarm = this.alarm.bind(this);
    const ofBoth = { view: new MessageView(), turns: new FairTurns(), limits, log, alarm, now };
    const shared: BothSides = { sessions: this.dispatcher, ...ofBoth };
    this.acceptor = this.newAcceptor(shared);
    this.initiator = new FixInitiator({ ...shared, readSecrets: (slot) => this.readSecrets(slot) });
  }

  private newCommitQueue(): CommitQueue {
    const { journal, journalHealth, log, now, onFlood } = this.options;
    return new CommitQueue({
      journal,
      pendingMax: PENDING_FRAMES_MAX,
      onHealth: (healthy, reason) => {
        // Called before waiting frames are released.
        if (healthy) this.dispatcher.late.look();
        journalHealth.report('commits', healthy, reason);
      },
      onCommitted: (frames, ms, synced) => this.observer.committed(frames, ms, synced),
      onPressure: (full) => {
        this.acceptor.pauseAll(full);
        this.initiator.pauseAll(full);
      },
      ...(onFlood === undefined ? {} : { onFlood }),
      onMute: (waiting) => endMuteSessions(waiting, { now: now(), log, isShared: journal.kept !== undefined }),
      // An unread F is lost; the end of a session cancels its orders (rules J2, C1).
      onStuck: () => {
        const reason = 'the journal can record nothing and its queue is full';
        this.acceptor.closeAll(reason);
        this.initiator.dropAll(reason);
      },
    });
  }

  private newDispatcher(): Dispatcher<Input> {
    const { application, recorder, log, now, keepsRecentMessages, onThrown, busyPollMicros } = this.options;
    const busyPoll = busyPollOf(busyPollMicros);
    return new Dispatcher<Input>({
      application,
      recorder,
      commits: this.commits,
      deadlines: this.deadlines,
      log,
      now,
      ...(keepsRecentMessages
        ? { onRecord: (slot, record, at) => this.recentMessages.get(slot.sessionId)?.add(record, at) }
        : {}),
      ...(onThrown === undefined ? {} : { onThrown }),
      afterTurn: () => {
        this.timer.arm();
        busyPoll?.stayAwake();
      },
      outside: {
        loadOutbound: (slot, effect) => this.loads.ask(slot, effect),
        sessionChanged: (slot, state, reason) =>
          log('info', state === 'loggedOn' ? 'session logged on' : `session logged off: ${reason}`, {
            session: slot.sessionId,
            // If Logon(A) has no Text(58), the log names the exchange of this session (rule S8).
            ...(state === 'loggedOn' ? unsaid(slot.machine.config) : {}),
          }),
        alarm: (name, text, fields) => this.alarm(name, text, fields),
      },
    });
  }

  private newLoads(): OutboundLoads {
    const { journal, limits, mayResend } = this.options;
    return new OutboundLoads({
      journal,
      sessions: this.dispatcher,
      outboundBytesMax: limits.outboundBytesMax,
      mayResend,
      onFailed: ({ sessionId }, error) =>
        this.alarm('resend-impossible', `the journal could not be read for a resend: ${String(error)}`, {
          session: sessionId,
        }),
    });
  }

  private newAcceptor(shared: BothSides): FixAcceptor {
    const { journal, passwords, limits, now, logonRefusal } = this.options;
    return new FixAcceptor({
      ...shared,
      sessionFor: (sessionId, listener) => this.sessionFor(sessionId, listener),
      isKnown: (sessionId) => this.sessionConfigs.has(sessionId) || journal.recovered.sessions.has(sessionId),
      newcomers: {
        find: (sessionId, listener) => {
          const setup = this.templates.make(sessionId);
          return setup?.enabled === true ? onListener(setup, listener) : null;
        },
        admit: (setup) => this.admit(setup as Setup),
      },
      setupOf: (sessionId) => this.sessionConfigs.get(sessionId) ?? null,
      standIn: (name) => this.standIn(name),
      attempt: ({ setup, slot }, view, authentication, remote) => {
        const machine = slot?.machine.copyForTrial() ?? new Session(setup.session, this.validatorOf(setup), null);
        return tryLogon(machine, { view, authentication, remote }, now());
      },
      authenticator: new Authenticator(passwords, now),
      guard: new GuessingGuard(limits.failedLogonsPerMinute),
      strangers: this.strangers,
      elsewhere: this.options.elsewhere,
      logonRefusal: (sessionId) => (this.isLeaving ? LEAVING : (logonRefusal?.(sessionId) ?? null)),
    });
  }

  alarm(alarm: string, text: string, fields: Readonly<Record<string, string>>): void {
    const raised: Alarm = { at: this.options.now(), alarm, text, fields };
    this.alarms.push(raised);
    this.options.onAlarm?.(raised);
    if (this.alarms.length > ALARMS_KEPT) forgetOne(this.alarms);
    this.observer.alarm(raised);
    this.options.log('error', text, { alarm, ...fields });
  }

  /** Read the parts of a session that may be missing. @throws CrossgateError XG_CONFIG_INVALID, XG_SECRET_MISSING */
  prepare(setup: Setup): PreparedSession {
    const config = machineConfig(setup);
    const isFine = isFinerThanMs(config.timestampPrecision ?? 'milliseconds');
    const validator = this.validatorOf(setup);
    return { config: isFine ? { ...config, nanosWithin: this.nanosWithin } : config, validator };
  }

  /** Add a session; its dictionary must be there. @throws CrossgateError XG_CONFIG_INVALID, XG_SECRET_MISSING */
  addSession(setup: Setup, { config, validator } = this.prepare(setup)): SessionSlot {
    const { sessionId } = setup.session;
    const recovered = this.options.journal.recovered.sessions.get(sessionId) ?? null;
    const machine = new Session(config, validator, recovered);
    this.sessionConfigs.set(sessionId, setup);
    // After a start only configured addresses are known.
    for (const address of setup.access.allowFrom.filter(isOneAddress)) this.known.add(originOf(address));
    if (this.options.keepsRecentMessages) this.recentMessages.set(sessionId, new RecentMessages());
    const { durability, enabled } = setup;
    const slot: SessionSlot = { sessionId, machine, durability, wire: null, enabled, retired: false };
    this.dispatcher.addSession(slot);
    return slot;
  }

  private validatorOf({ source, session }: SessionSetup): MessageValidator {
    const version = versionOf(session);
    const switches = validatorSwitches(session);
    const key = `${version} ${JSON.stringify(switches)}`;
    const known = this.validators.get(key);
    if (known !== undefined) return known;
    const dictionary = this.options.dictionaries.get(version);
    if (dictionary === undefined) {
      throw new CrossgateError('XG_CONFIG_INVALID', `${source}: there is no dictionary for ${version}`);
    }
    const validator = dictionary.newValidator(switches);
    this.validators.set(key, validator);
    return validator;
  }

  private admit(setup: Setup): SessionSlot {
    const text = this.templates.refusalOf(setup, this.sessionConfigs.values(), this.options.now());
    if (text !== null) {
      // It comes again every few seconds.
      if (!this.toldExhausted.has(text)) this.alarm('template-exhausted', text, {});
      this.toldExhausted.set(text, true);
      throw new CrossgateError('XG_CONFIG_INVALID', text);
    }
    const { admit = (one: Setup) => this.addSession(one) } = this.options;
    const slot = admit(setup);
    this.options.log('info', 'session made from a template', { session: slot.sessionId, template: setup.madeFrom });
    return slot;
  }

  /** Give a session that is there new settings. @throws CrossgateError XG_SECRET_MISSING */
  applySession(setup: Setup, { config, validator } = this.prepare(setup)): void {
    const { sessionId } = setup.session;
    const slot = this.dispatcher.slots.get(sessionId)!;
    slot.machine.applyConfig(config, validator);
    slot.durability = setup.durability;
    this.sessionConfigs.set(sessionId, setup);
  }

  /** They may have changed since the last Logon, unknown to the gateway. */
  private readSecrets(slot: SessionSlot): void {
    const said = JSON.stringify(slot.machine.config.logonFields);
    this.applySession(this.sessionConfigs.get(slot.sessionId)!);
    if (JSON.stringify(slot.machine.config.logonFields) !== said) this.options.onSecretsChanged?.(slot);
  }

  /** Begin to connect the initiators that may log on; again after sessions were added or an obstacle ended. */
  connectInitiators(): void {
    const { logonRefusal } = this.options;
    for (const [sessionId, setup] of this.sessionConfigs) {
      if (logonRefusal !== undefined && logonRefusal(sessionId) !== null) continue;
      if (setup.connect !== null) this.initiator.start(this.dispatcher.slots.get(sessionId)!, setup);
    }
    this.timer.arm();
  }

  /** @throws CrossgateError XG_LISTEN_FAILED, XG_TLS_INVALID, XG_SECRET_MISSING */
  async listen(config: ListenerConfig): Promise<void> {
    const { limits, log } = this.options;
    const networks = new Networks(config.allowFrom);
    const tls = config.tls === null ? null : readTls(config.tls);
    const listener = await listen(
      {
        host: config.host,
        port: config.port,
        connectionsMax: limits.connectionsMax,
        connectionsPerAddressMax: limits.connectionsPerAddressMax,
        handshakeTimeoutMs: limits.logonTimeoutMs,
        crowdedTimeoutMs: limits.crowdedLogonTimeoutMs,
        known: this.known,
        outboundBytesMax: limits.outboundBytesMax,
        onRefused: ({ remoteAddress, remotePort, reason, leftUnsaid }) => {
          const text = `connection refused: ${reason}`;
          const fields = { listener: config.name, remote: hostPort(remoteAddress, remotePort) };
          if (leftUnsaid) log('debug', text, fields);
          else this.strangers.say({ address: remoteAddress, text, fields });
        },
        ...(config.allowFrom.length === 0 ? {} : { isAllowed: (address) => networks.has(address) }),
        ...proxyOptions(config),
        ...(tls === null ? {} : { tls }),
      },
      (connection, place) => this.acceptor.accept(connection, config.name, place),
    );
    this.listeners.push(listener);
    if (tls !== null) this.tlsListeners.push(new TlsListener(`listener ${config.name}`, config.tls!, listener, tls));
    const { host, port } = listener.address();
    this.addresses.push({ listener: config.name, host, port, tls: config.tls !== null });
    this.timer.arm();
  }

  /** Certificates, keys and authorities of listeners that are other ones now. @throws CrossgateError XG_SECRET_MISSING, XG_TLS_INVALID */
  renewals(isNamed: IsNamed): Renewal[] {
    const found = this.tlsListeners.map((listener) => listener.renewal(isNamed, this.options.now()));
    return found.filter((one) => one !== null);
  }

  /** Take no Logon any more, and connect to no acceptor: such a session would be left without a Logout. */
  leave(): void {
    this.isLeaving = true;
    this.initiator.stop();
  }

  async closeListeners(): Promise<void> {
    await Promise.all(this.listeners.map((listener) => listener.close()));
  }

  /** End every connection at once, for good, and each that comes from now on. */
  dropConnections(reason: string): void {
    this.acceptor.end(reason);
    this.initiator.closeAll(reason);
  }

  /** Nothing happens by itself any more. */
  stop(): void {
    this.timer.stop();
    this.loads.close();
  }

  /** The session with the password that stands in for an unknown name, the same one each time. */
  private standIn(name: string): Setup | null {
    const able = [...this.sessionConfigs.values()].filter(
      ({ session, password }) => session.role === 'acceptor' && password !== null,
    );
    const drawn = createHmac('sha256', this.standInBy).update(name).digest().readUInt32BE(0);
    return able[drawn % Math.max(1, able.length)] ?? null;
  }

  private sessionFor(sessionId: SessionID, listener: string): Setup | null {
    const setup = this.sessionConfigs.get(sessionId);
    if (setup === undefined || setup.session.role !== 'acceptor') return null;
    return onListener(setup, listener);
  }
}

function strangerLog(log: EngineLog): StrangerLog {
  return new StrangerLog({
    log,
    elapsedMs: () => performance.now(),
    later: (run, ms) => void setTimeout(run, ms).unref(),
  });
}

function onListener<Setup extends SessionSetup>(setup: Setup, listener: string): Setup | null {
  return setup.listeners.length === 0 || setup.listeners.includes(listener) ? setup : null;
}

/** The machine's settings; an initiator's Logon carries the password and is signed: read now, printed nowhere. */
/** @throws CrossgateError XG_CONFIG_INVALID for a password that the session's character set cannot write */
function asBytes(password: string, { sessionId, charset = LATIN1 }: SessionConfig): string {
  const bytes = encodeText(password, charset);
  if (bytes !== null) return bytes;
  throw new CrossgateError('XG_CONFIG_INVALID', `${sessionId}: Password(554) holds text that ${charset} does not have`);
}

function machineConfig({ session, logonFieldsOf, password, access: { signature } }: SessionSetup): SessionConfig {
  if (session.role === 'acceptor') return session;
  const logonFields = [...(logonFieldsOf?.() ?? session.logonFields ?? [])];
  if (password !== null) logonFields.push([Tag.Password, asBytes(password.read(), session)]);
  return { ...session, logonFields, ...(signature === null ? {} : { logonSigner: logonSigner(signature) }) };
}

function proxyOptions({ proxyFrom }: ListenerConfig): Pick<ListenOptions, 'isBalancer'> {
  if (proxyFrom.length === 0) return {};
  const balancers = new Networks(proxyFrom);
  return { isBalancer: (address) => balancers.has(address) };
}
