// One FIX connection, opened by either side: frames its bytes, and is the wire of a session while bound to one. The
// acceptor (by the Logon) or the initiator (by configuration) decides the session.

import { channel } from 'node:diagnostics_channel';
import { hostPort } from '../../base/host-port.ts';
import type { StrangerLog } from '../../base/places/stranger-log.ts';
import type { SessionID, SessionInput } from '../../session/mod.ts';
import type { Connection } from '../../transport/mod.ts';
import { Framer, type GarbledNotice, isTls, type MessageView, maskShown } from '../../wire/mod.ts';
import type { EngineLimits, EngineLog } from '../config.ts';
import type { SessionInputs, SessionSlot } from '../sessions/session-slot.ts';
import type { FairTurns } from './fair-turns.ts';

/** Bytes of a message without a session that the message log keeps. */
const UNSEQUENCED_BYTES_MAX = 4096;
/** Garbled messages in a row that are each worth a line in the log and the journal; as many more, and the peer is no FIX engine. */
const GARBLED_TOLD_MAX = 20;
const GARBLED_MAX = 1000;
/** Bytes read from one connection before all others have had their turn. */
const TURN_BYTES = 262_144;
/** The same for its output: each message may request the status of hundreds of orders. */
const TURN_ANSWERS = 1_000;
/** The time is looked at behind so many messages, and behind each that may have released some that were kept. */
const LOOK_EVERY = 4;

export interface FixConnectionOptions {
  readonly sessions: SessionInputs;
  readonly limits: EngineLimits;
  readonly log: EngineLog;
  /** Shared by all connections: a message is taken in full before the next is read. */
  readonly view: MessageView;
  /** Shared by all connections of the engine. */
  readonly turns: FairTurns;
  readonly alarm: (alarm: string, text: string, fields: Readonly<Record<string, string>>) => void;
  /** A whole message on a connection that is not bound. */
  readonly onUnbound: (fix: FixConnection, view: MessageView) => void;
  /** A Logon(A) within the bound session; the owner sees to its credentials and hands it to the session. */
  readonly onLogonWithin: (fix: FixConnection, slot: SessionSlot, view: MessageView) => void;
  readonly onEnd: (fix: FixConnection, reason: string) => void;
  /** Whether a first message is of a session that takes a wrong CheckSum(10); absent: none is. */
  readonly takesWrongCheckSum?: (view: MessageView, place: string) => boolean;
  /** Log of connections without a session; absent: they are logged as all others. */
  readonly strangers?: StrangerLog;
  /** Whether so many bytes that belong to no session may go into the journal; absent: they may. */
  readonly mayRecord?: (bytes: number) => boolean;
}

const LOGON = 'A';
/** Marks the stages of an order for measurements. Free of cost without a listener. */
const stages = channel('crossgate:stage');

export class FixConnection {
  readonly connection: Connection;
  /** Where it came in or went out, for people: a listener's name or an address. */
  readonly place: string;
  private readonly options: FixConnectionOptions;
  private readonly framer: Framer;
  /** The message just read, as an input: every one is read into the same view. */
  private readonly message: SessionInput;
  private bound: SessionSlot | null = null;
  /** The configured session that an unproved Logon names, for the log. */
  named: SessionID | null = null;
  private ended = false;
  private held = false;
  private pressed = false;
  private resting = false;
  private turnBytes = 0;
  /** When the latest chunk came. */
  private readAt = 0;
  /** Number of ours at which others have their turn, and whether messages that came wait for the next one. */
  private restsAt = Number.POSITIVE_INFINITY;
  private hasMore = false;
  /** All input was examined: the rest is no whole message. */
  private isReadOut = false;
  private garbledInARow = 0;
  /** Why the connection ended, while earlier input has not been taken. */
  private ending: string | null = null;

  constructor(options: FixConnectionOptions, connection: Connection, place: string) {
    this.options = options;
    this.connection = connection;
    this.place = place;
    const { limits, view } = options;
    this.framer = new Framer({ frameBytesMax: limits.frameBytesMax, fieldsMax: limits.fieldsMax }, view);
    this.framer.takesWrongCheckSum = (read) =>
      this.bound === null
        ? options.takesWrongCheckSum?.(read, place) === true
        : this.bound.machine.config.validateCheckSum === false;
    this.message = { kind: 'message', view, authentication: NOT_LOGON };
  }

  get slot(): SessionSlot | null {
    return this.bound;
  }

  get isOver(): boolean {
    return this.ended;
  }

  get remote(): string {
    return hostPort(this.connection.remoteAddress, this.connection.remotePort);
  }

  /** Begin to read. */
  start(): void {
    this.connection.onChunk = (chunk) => this.read(chunk);
    this.connection.onClose = (reason) => {
      // It came before the end, and is taken in its turns.
      if (this.hasMore && !this.held) this.ending = reason;
      else this.closed(reason);
    };
  }

  /** Become the wire of a session, which has none. */
  bind(slot: SessionSlot): void {
    this.bound = slot;
    this.framer.dataFields = slot.machine.dataFields;
    this.framer.afterWrongBodyLength = slot.machine.config.afterWrongBodyLength ?? 'beginString';
    slot.wire = this.connection;
    slot.onBehind = () => {
      this.press();
      this.options.sessions.sessionInput(slot, { kind: 'reading', isRead: slot.isBehind !== true });
    };
    this.options.sessions.sessionInput(slot, { kind: 'connected', remote: this.remote });
    if (slot.isBehind === true) slot.onBehind?.();
  }

  /** Read no further while something about the message just read is found out. */
  hold(): void {
    this.held = true;
    this.press();
  }

  /** Continue reading, beginning with input already received. */
  release(): void {
    this.held = false;
    if (this.ended) return;
    this.takeFrames();
    this.press();
  }

  /** The journal is behind, or has caught up. */
  pressure(pressed: boolean): void {
    this.pressed = pressed;
    this.press();
  }

  /** Put bytes that belong to no session into the journal, secrets masked, as far as they may. */
  record(raw: Uint8Array, note: string): void {
    if (this.options.mayRecord?.(Math.min(raw.length, UNSEQUENCED_BYTES_MAX) + note.length) === false) return;
    this.options.sessions.record({
      kind: 'unsequenced',
      sessionId: null,
      direction: 'in',
      raw: maskShown(raw, this.framer.dataFields).subarray(0, UNSEQUENCED_BYTES_MAX),
      note,
    });
  }

  /** End at once. */
  drop(reason: string): void {
    if (this.ended) return;
    this.warn(`connection dropped: ${reason}`);
    this.connection.destroy(reason);
    this.closed(reason);
  }

  /** Answer a connection that belongs to no session, and end it once that is sent. */
  farewell(answers: readonly Uint8Array[], reason: string): void {
    if (this.ended) return;
    for (const answer of answers) this.connection.send(answer);
    this.connection.close();
    this.end(reason);
  }

  /** Read nothing more: the bytes that came, the message just read first, go elsewhere with all that follow. */
  letGo(view: MessageView): Buffer[] {
    const came = [view.copyBytes(), this.framer.rest()];
    this.end('handed on');
    return came;
  }

  /** Free the session's place at once, while its last message is still on its way out of this connection. */
  unbind(): void {
    const slot = this.bound;
    if (slot === null || slot.wire !== this.connection) return;
    slot.wire = null;
    slot.onBehind = null;
    this.bound = null;
    this.end('the session was let go');
    this.options.sessions.sessionInput(slot, { kind: 'disconnected' });
  }

  private press(): void {
    if (this.held || this.pressed || this.resting || this.bound?.isBehind === true) this.connection.pause();
    else this.connection.resume();
  }

  /** The session ended: megabytes may follow from a counterparty that floods. They are neither framed nor recorded. */
  private get isGivenUp(): boolean {
    return this.bound?.machine.isClosing === true;
  }

  private read(chunk: Buffer): void {
    // Its last message may still wait for the disk: later input has no owner.
    if (this.ended || this.isGivenUp) return;
    if (stages.hasSubscribers) stages.publish('frame in');
    this.readAt = performance.now();
    this.framer.push(chunk);
    this.turnBytes += chunk.length;
    this.takeFrames();
    // Left to itself the event loop reads two megabytes of one connection before it looks at the next.
    if (this.turnBytes >= TURN_BYTES && !this.ended) this.rest();
  }

  /** Read no further until all others have had their turn. */
  private rest(): void {
    if (this.resting) return;
    this.resting = true;
    this.press();
    setImmediate(() => {
      this.turnBytes = 0;
      this.restsAt = Number.POSITIVE_INFINITY;
      this.resting = false;
      if (this.ended) return;
      if (this.hasMore) this.takeMore();
      this.press();
      if (this.ending !== null && (!this.hasMore || this.held)) this.closed(this.ending);
    });
  }

  private takeMore(): void {
    this.hasMore = false;
    this.restsAt = Number.POSITIVE_INFINITY;
    this.takeFrames();
  }

  private takeFrames(): void {
    const { sessions } = this.options;
    sessions.beginChunk(this.readAt);
    // Numbers may have begun again below.
    if (this.bound !== null)
      this.restsAt = Math.min(this.restsAt, this.bound.machine.nextSenderMsgSeqNum + TURN_ANSWERS);
    try {
      this.takeEach();
    } finally {
      sessions.endChunk();
    }
  }

  private takeEach(): void {
    this.isReadOut = false;
    const until = this.options.turns.begin(this);
    for (let taken = 1; !this.ended && !this.held && !this.isGivenUp; taken++) {
      const looks = taken % LOOK_EVERY === 0 || this.bound?.machine.isDraining === true;
      if (taken > 1 && looks && performance.now() >= until) {
        this.hasMore = true;
        this.rest();
        return;
      }
      // Messages released by one gap fill take turns like those just read.
      if (this.bound?.machine.isDraining === true) {
        this.options.sessions.sessionInput(this.bound, { kind: 'tick' });
        if (this.restsNow(this.bound)) return;
        continue;
      }
      const result = this.framer.next();
      if (result === null) {
        this.isReadOut = true;
        return;
      }
      if (result.kind === 'garbled') {
        this.garbled(result.notice);
        continue;
      }
      this.garbledInARow = 0;
      const { view } = result;
      const { bound, options } = this;
      if (bound === null) options.onUnbound(this, view);
      else if (view.msgType === LOGON) options.onLogonWithin(this, bound, view);
      else {
        options.sessions.sessionInput(bound, this.message);
        if (this.restsNow(bound)) return;
      }
    }
  }

  /** So much was sent to it in this turn that others have theirs. */
  private restsNow({ machine }: SessionSlot): boolean {
    const rests = machine.nextSenderMsgSeqNum >= this.restsAt;
    if (!rests) return false;
    this.hasMore = true;
    this.rest();
    return true;
  }

  private garbled(notice: GarbledNotice): void {
    this.garbledInARow++;
    if (this.garbledInARow <= GARBLED_TOLD_MAX || notice.fatal) {
      if (this.bound !== null) this.options.sessions.sessionInput(this.bound, { kind: 'garbled', notice });
      else {
        this.warn(`garbled message ignored: ${notice.text}`);
        this.record(notice.bytes, `garbled: ${notice.text}`);
      }
    }
    if (notice.fatal) {
      // A session ends it itself, behind the Logout that says why.
      if (this.bound === null) this.drop('the bytes received are not FIX');
    } else if (this.bound === null && isTls(notice.bytes)) {
      // It waits for an answer in TLS, and no Logon will ever come.
      this.drop('the client speaks TLS, and this port is one without it');
    } else if (this.garbledInARow >= GARBLED_MAX) this.drop(`${GARBLED_MAX} garbled messages in a row`);
  }

  /**
   * A BodyLength(9) too large waits for bytes that never come: the code that waits for the Logon must see that there
   * was one.
   */
  private tellUnfinished(): void {
    const left = this.isReadOut ? this.framer.unfinished() : null;
    if (left === null) return;
    const text = `the connection ended inside a message: ${left.text}`;
    if (this.bound !== null) {
      this.options.log('info', text, this.where());
      return;
    }
    this.warn(text);
    this.record(left.bytes, text);
  }

  private closed(reason: string): void {
    if (this.ended) return;
    this.tellUnfinished();
    const slot = this.bound;
    if (this.connection.overflowed) {
      const session: SessionID | null = slot?.sessionId ?? null;
      this.options.alarm('slow-consumer', `${session ?? this.remote}: ${reason}`, session === null ? {} : { session });
    }
    this.end(reason);
    if (slot === null || slot.wire !== this.connection) return;
    slot.wire = null;
    slot.onBehind = null;
    this.options.log('info', `connection closed: ${reason}`, this.where());
    this.options.sessions.sessionInput(slot, { kind: 'disconnected' });
  }

  private end(reason: string): void {
    this.ended = true;
    this.options.onEnd(this, reason);
  }

  /** Log a warning; of a connection without a session within the budget of strangers. */
  private warn(text: string): void {
    const { log, strangers } = this.options;
    if (this.bound !== null || strangers === undefined) log('warn', text, this.where());
    else strangers.say({ address: this.connection.remoteAddress, text, fields: this.where(), session: this.named });
  }

  where(): Record<string, unknown> {
    return { session: this.bound?.sessionId ?? null, remote: this.remote, place: this.place };
  }
}

const NOT_LOGON = { kind: 'notLogon' } as const;
