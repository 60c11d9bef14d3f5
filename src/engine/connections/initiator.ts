// The initiator's side of sessions: connects to the counterparty, binds the connection to the session, and tries again with
// growing pauses and the next address when that fails or ends. The Logon itself is the session machine's.

import { randomInt } from 'node:crypto';
import { thrownText } from '../../base/errors.ts';
import { hostPort } from '../../base/host-port.ts';
import type { EpochMs } from '../../base/time.ts';
import { Schedule, type SessionID } from '../../session/mod.ts';
import { type Connection, connect } from '../../transport/mod.ts';
import type { MessageView } from '../../wire/mod.ts';
import type { ConnectSettings, EngineLimits, EngineLog, ProxySettings, SessionSetup } from '../config.ts';
import type { SessionInputs, SessionSlot } from '../sessions/session-slot.ts';
import { FixConnection, type FixConnectionOptions } from './connection.ts';
import type { FairTurns } from './fair-turns.ts';
import { readPrivateKey } from './private-key.ts';

/** A connection that outlived the time limit of its Logon by so much is followed by the shortest pause and the first address. */
const STABLE_MS = 30_000;
/** Longest wait in one piece for a schedule to open: clocks are put right meanwhile. */
const CLOSED_WAIT_MS_MAX = 60_000;

export interface FixInitiatorOptions {
  readonly sessions: SessionInputs;
  readonly limits: EngineLimits;
  /** Buffer for inbound messages, shared by all connections of the engine. */
  readonly view: MessageView;
  readonly turns: FairTurns;
  readonly log: EngineLog;
  readonly alarm: FixConnectionOptions['alarm'];
  readonly now: () => EpochMs;
  /** Read the secrets that the session's next Logon needs. @throws CrossgateError XG_SECRET_MISSING, XG_CONFIG_INVALID */
  readonly readSecrets: (slot: SessionSlot) => void;
}

/** Keeps the sessions connected that connect from here. */
export class FixInitiator {
  private readonly options: FixInitiatorOptions;
  private readonly ofConnection: FixConnectionOptions;
  private readonly attempts = new Map<SessionID, Attempts>();
  private readonly ends = new Map<FixConnection, (reason: string) => void>();
  private pausedAll = false;

  constructor(options: FixInitiatorOptions) {
    this.options = options;
    const { sessions, limits, view, turns, log, alarm } = options;
    this.ofConnection = {
      sessions,
      limits,
      log,
      alarm,
      view,
      turns,
      onUnbound: (fix) => fix.drop('a message before the session was bound'),
      // It trusts the connection that it made: an acceptor's Logon carries no credentials.
      onLogonWithin: (_fix, slot, view) =>
        sessions.sessionInput(slot, { kind: 'message', view, authentication: { kind: 'notLogon' } }),
      onEnd: (fix, reason) => {
        this.ends.get(fix)?.(reason);
        this.ends.delete(fix);
      },
    };
  }

  /** Connect a session, now and whenever its connection ends, until `stop`. Changed settings count from the next attempt. */
  start(slot: SessionSlot, setup: SessionSetup): void {
    const known = this.attempts.get(slot.sessionId);
    if (known !== undefined) known.setup = setup;
    else if (setup.connect !== null) {
      const bind = (connection: Connection, place: string): Promise<string> => this.bind(slot, connection, place);
      const attempts = new Attempts(this.options, slot, setup, bind, () => this.pausedAll);
      this.attempts.set(slot.sessionId, attempts);
      attempts.after(0);
    }
  }

  /** Stop reading while the journal catches up. */
  pauseAll(paused: boolean): void {
    this.pausedAll = paused;
    for (const fix of this.ends.keys()) fix.pressure(paused);
  }

  /** Connect no more; connections that are open stay. */
  stop(): void {
    for (const attempts of this.attempts.values()) attempts.stop();
    this.attempts.clear();
  }

  closeAll(reason: string): void {
    this.stop();
    this.dropAll(reason);
  }

  /** End every connection; they return once the journal takes their messages. */
  dropAll(reason: string): void {
    for (const fix of [...this.ends.keys()]) fix.connection.destroy(reason);
  }

  /** Resolves with the reason when the connection is over. */
  private bind(slot: SessionSlot, connection: Connection, place: string): Promise<string> {
    const fix = new FixConnection(this.ofConnection, connection, place);
    return new Promise((resolve) => {
      this.ends.set(fix, resolve);
      fix.start();
      try {
        fix.bind(slot);
      } catch (error) {
        // The user's code may sign the Logon: without a signature this connection would never end.
        fix.drop(`no Logon could be made: ${thrownText(error)}`);
        return;
      }
      if (this.pausedAll) fix.pressure(true);
    });
  }
}

/** One session's attempts: one at a time, in a loop of timers. */
class Attempts {
  setup: SessionSetup;
  private readonly options: FixInitiatorOptions;
  private readonly slot: SessionSlot;
  private readonly bind: (connection: Connection, place: string) => Promise<string>;
  /** The journal is behind: a Logon would only wait with the rest, as where the application is. */
  private readonly isPaused: () => boolean;
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;
  private failures = 0;
  private address = 0;
  private schedule: { readonly of: unknown; readonly schedule: Schedule } | null = null;

  constructor(
    options: FixInitiatorOptions,
    slot: SessionSlot,
    setup: SessionSetup,
    bind: (connection: Connection, place: string) => Promise<string>,
    isPaused: () => boolean,
  ) {
    this.options = options;
    this.slot = slot;
    this.setup = setup;
    this.bind = bind;
    this.isPaused = isPaused;
  }

  stop(): void {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  after(ms: number): void {
    if (this.stopped) return;
    this.timer = setTimeout(() => void this.attempt(), ms);
  }

  private async attempt(): Promise<void> {
    this.timer = null;
    const { connect: settings } = this.setup;
    const closedMs = this.closedMs();
    const { enabled, wire, isBehind } = this.slot;
    const isWanted = enabled && wire === null && isBehind !== true && !this.isPaused();
    if (settings === null || !isWanted || closedMs > 0) {
      const waitMs = closedMs > 0 ? closedMs : (settings?.reconnectFirstMs ?? CLOSED_WAIT_MS_MAX);
      this.after(Math.min(CLOSED_WAIT_MS_MAX, waitMs));
      return;
    }
    const { host, port } = settings.addresses[this.address % settings.addresses.length]!;
    const place = hostPort(host, port);
    const fields = { session: this.slot.sessionId, remote: place };
    let connectedAt: EpochMs | null = null;
    try {
      this.options.readSecrets(this.slot);
      const connection = await connect({ host, port, ...connectOptions(settings, this.options.limits) });
      if (this.stopped || !this.slot.enabled || this.slot.wire !== null) {
        connection.destroy('the session is not wanted any more');
        this.after(settings.reconnectFirstMs);
        return;
      }
      connectedAt = this.options.now();
      this.options.log('info', 'connected', fields);
      await this.bind(connection, place);
    } catch (error) {
      this.options.log('warn', error instanceof Error ? error.message : String(error), fields);
    }
    // Time without a Logon, such as a silent address, is no established connection.
    const heldMs = connectedAt === null ? 0 : this.options.now() - connectedAt;
    if (heldMs >= STABLE_MS + this.setup.session.logonTimeoutMs) {
      this.failures = 0;
      this.address = 0;
    } else this.address++;
    this.after(pauseMs(settings, this.failures));
    this.failures++;
  }

  /** How long the schedule still keeps the session closed; 0: it is open. */
  private closedMs(): number {
    const settings = this.setup.session.schedule ?? null;
    if (settings === null) return 0;
    if (this.schedule?.of !== settings) this.schedule = { of: settings, schedule: new Schedule(settings) };
    const now = this.options.now();
    const span = this.schedule.schedule.span(now);
    return span.open ? 0 : Math.max(1, span.until - now);
  }
}

/** Twice the pause before, up to the largest, with a quarter of jitter so that sessions do not come back in step. */
export function pauseMs({ reconnectFirstMs, reconnectLargestMs }: ConnectSettings, failures: number): number {
  const pause = Math.min(reconnectLargestMs, reconnectFirstMs * 2 ** Math.min(failures, 20));
  const quarter = Math.floor(pause / 4);
  return pause - quarter + (quarter === 0 ? 0 : randomInt(2 * quarter));
}

function connectOptions(
  { tls, connectTimeoutMs, localAddress = null, localPort = 0, proxy = null }: ConnectSettings,
  { outboundBytesMax }: EngineLimits,
) {
  return {
    connectTimeoutMs,
    localPort,
    ...(localAddress === null ? {} : { localAddress }),
    ...(proxy === null ? {} : { proxy: proxyOptions(proxy) }),
    outboundBytesMax,
    ...(tls === null
      ? {}
      : {
          tls: {
            minVersion: tls.minVersion,
            ...(tls.authority === null ? {} : { ca: tls.authority.read() }),
            ...(tls.certificate === null ? {} : { cert: tls.certificate.read() }),
            ...(tls.key === null ? {} : { key: readPrivateKey({ key: tls.key, passphrase: tls.passphrase ?? null }) }),
            ...(tls.serverName === null ? {} : { serverName: tls.serverName }),
          },
        }),
  };
}

function proxyOptions({ kind, host, port, user, password }: ProxySettings) {
  const proof = { ...(user === null ? {} : { user }), ...(password === null ? {} : { password: password.read() }) };
  return { kind, host, port, ...proof };
}
