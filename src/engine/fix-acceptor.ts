// The acceptor: takes connections, frames their bytes, finds the session that a Logon names and binds the two together.
// What a message means is the session machine's; who may log on is authentication.ts.

import type { EpochMs } from '../base/time.ts';
import type { SessionID } from '../session/mod.ts';
import type { Connection } from '../transport/mod.ts';
import { Framer, type GarbledNotice, type MessageView, MsgType, maskSecrets, Tag } from '../wire/mod.ts';
import { authenticate, type GuessingGuard } from './authentication.ts';
import type { EngineLimits, EngineLog, EngineSessionConfig } from './config.ts';
import type { Dispatcher, SessionSlot } from './dispatcher.ts';

/** Bytes of a refused message that the message log keeps. */
const UNSEQUENCED_BYTES_MAX = 4096;

export interface FixAcceptorOptions {
  readonly dispatcher: Dispatcher;
  /** The configuration of a session that is enabled on that listener, or null. */
  readonly sessionFor: (sessionId: SessionID, listener: string) => EngineSessionConfig | null;
  readonly guard: GuessingGuard;
  readonly limits: EngineLimits;
  readonly log: EngineLog;
  readonly now: () => EpochMs;
}

/** Takes over new connections; holds them until they end. */
export class FixAcceptor {
  readonly connections = new Set<FixConnection>();
  readonly options: FixAcceptorOptions;
  private pausedAll = false;

  constructor(options: FixAcceptorOptions) {
    this.options = options;
  }

  accept(connection: Connection, listener: string): void {
    const fix = new FixConnection(this, connection, listener);
    this.connections.add(fix);
    if (this.pausedAll) connection.pause();
  }

  /** Stop reading from every counterparty while the journal catches up; nothing is dropped. */
  pauseAll(paused: boolean): void {
    this.pausedAll = paused;
    for (const { connection } of this.connections) paused ? connection.pause() : connection.resume();
  }

  /** End the connection that a session still holds. */
  giveWay(slot: SessionSlot): void {
    const held = [...this.connections].find(({ connection }) => connection === slot.wire);
    held?.drop('a new connection of the same counterparty takes over');
  }

  closeAll(reason: string): void {
    for (const fix of [...this.connections]) fix.connection.destroy(reason);
  }
}

/** One connection: unbound until its Logon names a session, then that session's wire until it ends. */
export class FixConnection {
  readonly connection: Connection;
  private readonly acceptor: FixAcceptor;
  private readonly listener: string;
  private readonly framer: Framer;
  private readonly logonTimer: NodeJS.Timeout;
  private slot: SessionSlot | null = null;
  private config: EngineSessionConfig | null = null;
  private ended = false;

  constructor(acceptor: FixAcceptor, connection: Connection, listener: string) {
    this.acceptor = acceptor;
    this.connection = connection;
    this.listener = listener;
    const { limits } = acceptor.options;
    this.framer = new Framer({ frameBytesMax: limits.frameBytesMax, fieldsMax: limits.fieldsMax });
    this.logonTimer = setTimeout(() => this.drop('no Logon arrived in time'), limits.logonTimeoutMs);
    connection.onChunk = (chunk) => this.read(chunk);
    connection.onClose = (reason) => this.closed(reason);
  }

  private read(chunk: Buffer): void {
    this.framer.push(chunk);
    for (;;) {
      if (this.ended) return;
      const result = this.framer.next();
      if (result === null) return;
      if (result.kind === 'garbled') this.garbled(result.notice);
      else if (this.slot === null) this.firstMessage(result.view);
      else this.message(this.slot, result.view);
    }
  }

  private message(slot: SessionSlot, view: MessageView): void {
    const isLogon = view.msgType === MsgType.Logon;
    // A Logon inside a session (a reset, 141=Y) proves itself again only if it carries credentials.
    const authentication =
      isLogon && this.config !== null && view.has(Tag.Password)
        ? authenticate(this.config, view)
        : { kind: isLogon ? ('accepted' as const) : ('notLogon' as const) };
    this.acceptor.options.dispatcher.sessionInput(slot, { kind: 'message', view, authentication });
  }

  private garbled(notice: GarbledNotice): void {
    const { dispatcher, log } = this.acceptor.options;
    if (this.slot !== null) dispatcher.sessionInput(this.slot, { kind: 'garbled', notice });
    else {
      log('warn', `garbled message ignored: ${notice.text}`, this.where());
      dispatcher.record({
        kind: 'unsequenced',
        sessionId: null,
        direction: 'in',
        raw: notice.bytes.subarray(0, UNSEQUENCED_BYTES_MAX),
        note: `garbled: ${notice.text}`,
      });
    }
    if (notice.fatal) this.drop('the bytes received are not FIX');
  }

  /** FIX 4.4 vol. 2, Logon: the first message must be one, and an unknown counterparty gets no answer. */
  private firstMessage(view: MessageView): void {
    const { dispatcher, guard, now, sessionFor } = this.acceptor.options;
    if (view.msgType !== MsgType.Logon) {
      this.refuse(view, `the first message was 35=${view.msgType}, not a Logon(A)`);
      return;
    }
    const address = this.connection.remoteAddress;
    if (!guard.allows(address, now())) {
      this.refuse(view, 'too many failed logons from this address; it is refused for a minute');
      return;
    }
    const sessionId = `${view.beginString}:${view.string(Tag.TargetCompID)}->${view.string(Tag.SenderCompID)}`;
    const config = sessionFor(sessionId, this.listener);
    const slot = dispatcher.slots.get(sessionId);
    if (config === null || slot === undefined || !slot.enabled) {
      guard.failed(address, now());
      this.refuse(view, `no session ${sessionId} is open on listener ${this.listener}`);
      return;
    }
    if (slot.wire !== null && isEnding(slot)) this.acceptor.giveWay(slot);
    if (slot.wire !== null) {
      this.refuse(view, `session ${sessionId} is already connected; this second Logon is dropped`);
      return;
    }
    const authentication = authenticate(config, view);
    if (authentication.kind === 'refused') guard.failed(address, now());
    clearTimeout(this.logonTimer);
    this.slot = slot;
    this.config = config;
    slot.wire = this.connection;
    const remote = `${address}:${this.connection.remotePort}`;
    this.acceptor.options.log('info', 'Logon received', { session: sessionId, remote, listener: this.listener });
    dispatcher.sessionInput(slot, { kind: 'connected', remote });
    dispatcher.sessionInput(slot, { kind: 'message', view, authentication });
    if (authentication.kind === 'refused') this.unbind(slot);
  }

  /** A stranger with a wrong password must not hold the session's place while its Logout is flushed. */
  private unbind(slot: SessionSlot): void {
    if (slot.wire !== this.connection) return;
    slot.wire = null;
    this.slot = null;
    this.ended = true;
    this.acceptor.connections.delete(this);
    this.acceptor.options.dispatcher.sessionInput(slot, { kind: 'disconnected' });
  }

  /** Drop the connection without a message: an answer would consume a number or help a guesser (rule S1). */
  private refuse(view: MessageView, reason: string): void {
    this.acceptor.options.dispatcher.record({
      kind: 'unsequenced',
      sessionId: null,
      direction: 'in',
      raw: maskSecrets(view.bytes()).subarray(0, UNSEQUENCED_BYTES_MAX),
      note: reason,
    });
    this.drop(reason);
  }

  drop(reason: string): void {
    this.acceptor.options.log('warn', `connection dropped: ${reason}`, this.where());
    this.connection.destroy(reason);
    this.closed(reason);
  }

  private closed(reason: string): void {
    if (this.ended) return;
    this.ended = true;
    clearTimeout(this.logonTimer);
    this.acceptor.connections.delete(this);
    const { slot } = this;
    if (slot === null || slot.wire !== this.connection) return;
    slot.wire = null;
    this.acceptor.options.log('info', `connection closed: ${reason}`, this.where());
    this.acceptor.options.dispatcher.sessionInput(slot, { kind: 'disconnected' });
  }

  private where(): Record<string, unknown> {
    const { remoteAddress, remotePort } = this.connection;
    return { session: this.slot?.sessionId ?? null, remote: `${remoteAddress}:${remotePort}`, listener: this.listener };
  }
}

/** A connection whose Logout was exchanged only waits for its end: a counterparty that is back at once is not kept out. */
function isEnding(slot: SessionSlot): boolean {
  const { state } = slot.machine.status;
  return state === 'logoutReceived' || state === 'closing';
}
