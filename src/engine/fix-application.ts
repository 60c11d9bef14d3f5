// An application of the library's user as the application of the session engine: callbacks in, messages out, and what is
// answered when a callback throws. Leaves sessions and commits to the dispatcher.

import { assert } from '../base/assert.ts';
import { CrossgateError, thrownText } from '../base/errors.ts';
import type { EpochMs } from '../base/time.ts';
import type { OutboundMessage, SessionConfig, SessionID, SessionNumbers } from '../session/mod.ts';
import { BusinessRejectReason, MessageDraft, type MessageView, MsgType, viewOf } from '../wire/mod.ts';
import type { Application, ApplicationInput, Turn } from './application.ts';
import { CallbackBacklog } from './callback-backlog.ts';
import type { Dispatcher } from './dispatcher.ts';
import { FixMessage, newMessage } from './fix-message.ts';
import type { GroupMembers } from './group-members.ts';
import type { SessionSlot } from './session-slot.ts';
import { until } from './shutdown.ts';

/**
 * What an application is told and asked. Callbacks run one at a time, up to their first `await` where they are async; a message whose
 * callback throws, or whose promise is rejected, is answered with BusinessMessageReject(j).
 */
export interface FixApplication {
  /** The session is logged on; messages may flow. */
  onLogon?(session: FixSession): void;
  /** An application message: valid by the dictionary, in sequence, counted. What is sent meanwhile is recorded with it. */
  onMessage(message: FixMessage, session: FixSession): void;
  /** The session is over, for now. */
  onLogout?(session: FixSession, reason: string): void;
  /**
   * The counterparty refused a message of ours by Reject(3), whose Text(58) and RefTagID(371) say why; what it refuses by
   * BusinessMessageReject(j) comes to `onMessage`. Both messages are valid for good; `refused` is null if it was none of the
   * application's, or is not kept any more.
   */
  onReject?(reject: FixMessage, refused: FixMessage | null, session: FixSession): void;
  /**
   * The counterparty asks for a message of ours again, or for the first time if it was sent without a connection. False: it gets
   * a gap fill in its place, and the message never more; an order that is too old by its SendingTime(52), for example. Absent:
   * it is sent again, as it also is where this throws.
   */
  onResend?(message: FixMessage, session: FixSession): boolean;
}

/** Sent by an application they would part what both sides count; without a type nobody could read what has a number. */
const ENGINES_OWN: ReadonlySet<string> = new Set([
  '',
  MsgType.Logon,
  MsgType.ResendRequest,
  MsgType.SequenceReset,
  MsgType.Logout,
]);

/** One FIX session, for whoever uses it. */
export class FixSession {
  /** `FIX.4.4:SENDER->TARGET`, from our side. */
  readonly sessionId: SessionID;
  readonly #slot: SessionSlot;
  readonly #application: CallbackApplication;

  constructor(slot: SessionSlot, application: CallbackApplication) {
    this.sessionId = slot.sessionId;
    this.#slot = slot;
    this.#application = application;
  }

  /** Our CompID, SenderCompID(49) of what we send. */
  get senderCompID(): string {
    return this.#slot.machine.config.senderCompID;
  }

  /** The counterparty's CompID, TargetCompID(56) of what we send. */
  get targetCompID(): string {
    return this.#slot.machine.config.targetCompID;
  }

  /** Whether messages may flow now. */
  get loggedOn(): boolean {
    return this.#slot.machine.loggedOn;
  }

  /** Series and the next MsgSeqNum(34) each way. */
  get numbers(): SessionNumbers {
    return this.#slot.machine.numbers;
  }

  /**
   * Number, record and send an application message; while the session is logged off it waits for the counterparty's
   * ResendRequest(2). Where the numbers begin again before that, as with `resetOn: ['logon']`, it never leaves, unless it is a
   * report (rule S2): look at `loggedOn` first. @throws AssertionError for what newMessage() did not make, and for a Logon, Logout or a message about
   * numbers, which are the engine's; CrossgateError, nothing done: XG_JOURNAL_WRITE_FAILED while the store takes nothing and too
   * much waits for it, XG_ENGINE_CLOSED once the engine is closed
   */
  send(message: MessageDraft): void {
    // What the machine would stumble over, outside the callback, would end the process.
    assert(
      message instanceof MessageDraft && typeof message.msgType === 'string',
      'not a message to send: newMessage() makes one, a received one copies its fields into it',
    );
    assert(
      !ENGINES_OWN.has(message.msgType),
      'not a message to send: logout() ends a session, reset() begins its numbers again',
    );
    this.#application.send(this.#slot, message);
  }

  /**
   * Bytes that were sent and wait for the store, on behalf of all sessions, or for this counterparty to read them. Above
   * `limits.outboundBytesMax`, 8 MiB unless set, its connection is ended as that of a slow consumer, however fast it reads.
   */
  get waitingBytes(): number {
    return this.#application.waitingBytes(this.#slot);
  }

  /**
   * Resolves once a quarter of `limits.outboundBytesMax` waits, or less: whoever sends much at a time awaits it now and then.
   * Without a connection the counterparty is not waited for.
   */
  async drained(): Promise<void> {
    await this.#application.drained(this.#slot);
  }

  /**
   * Answer a message with BusinessMessageReject(j), before FIX.4.2 with Reject(3), which has no reason then. One that is itself
   * a BusinessMessageReject is not answered: two applications that do so would never come to an end.
   */
  reject(
    message: Pick<FixMessage, 'msgType' | 'msgSeqNum'>,
    text: string,
    reason: string = BusinessRejectReason.Other,
  ): void {
    if (message.msgType === MsgType.BusinessMessageReject) return;
    const { beginString } = this.#slot.machine.config;
    if (beginString === 'FIX.4.0' || beginString === 'FIX.4.1') {
      this.send(newMessage(MsgType.Reject, { RefSeqNum: message.msgSeqNum, Text: text }));
      return;
    }
    this.send(
      newMessage(MsgType.BusinessMessageReject, {
        RefSeqNum: message.msgSeqNum,
        RefMsgType: message.msgType,
        BusinessRejectReason: reason,
        Text: text,
      }),
    );
  }

  /**
   * Both numbers begin at 1 again: of a session that is logged on by a Logon(A) with ResetSeqNumFlag(141)=Y within it, once
   * the counterparty has proved that it misses nothing; otherwise as soon as there is no connection. Reports not proven
   * received follow as new messages with PossResend(97)=Y. `numbers.series` rises when it has happened.
   * @param why for the store's record of it
   * @throws CrossgateError XG_ENGINE_CLOSED once the engine is closed
   */
  reset(why: string): void {
    assert(typeof why === 'string', 'why numbers begin again is a text');
    this.#application.reset(this.#slot, why);
  }

  /** End the session by our Logout(5). */
  logout(text = ''): void {
    assert(typeof text === 'string', 'the Text(58) of a Logout is a text');
    this.#application.logout(this.#slot, text);
  }
}

export interface CallbackApplicationOptions {
  readonly application: FixApplication;
  readonly alarm: (alarm: string, text: string, fields: Readonly<Record<string, string>>) => void;
  /** Whether far more waits for the store than it is to keep in memory. */
  readonly isFlooded: () => boolean;
  /** Bytes that wait for the store. */
  readonly pendingBytes: () => number;
  /** Async callbacks of one session that may be under way before its counterparty is not read any more. */
  readonly callbacksMax: number;
  /** Bytes that may wait for a counterparty. */
  readonly outboundBytesMax: number;
  /** The groups of the messages that a session takes; null where it takes others than its dictionary has. */
  readonly groupsOf: (config: SessionConfig) => GroupMembers | null;
  /** A message that was sent, if it is kept. */
  readonly load: (
    sessionId: SessionID,
    numbers: SessionNumbers,
    msgSeqNum: number,
  ) => Promise<readonly OutboundMessage[]>;
}

export class CallbackApplication implements Application {
  readonly sessions = new Map<SessionID, FixSession>();
  /** Set once, before the first input. */
  dispatcher: Dispatcher | null = null;
  readonly #options: CallbackApplicationOptions;
  #turn: Turn | null = null;
  /** Whose message came last; mostly the next one is of the same. */
  #latest: FixSession | null = null;
  /** Of the latest one. */
  #groups: GroupMembers | null = null;
  #calls = 0;
  /** The call in which the engine was closed; -1: in none, or not at all. */
  #closedIn = -1;
  #isClosed = false;
  #underWay = 0;
  readonly #groupsOf = new Map<FixSession, GroupMembers | null>();
  readonly #backlog: CallbackBacklog;

  constructor(options: CallbackApplicationOptions) {
    this.#options = options;
    const { callbacksMax, alarm } = options;
    this.#backlog = new CallbackBacklog(callbacksMax, ({ sessionId }) => {
      if (this.#isClosed) return;
      const text = `${sessionId}: ${callbacksMax} callbacks are under way: nothing is read until half of them have ended`;
      alarm('application-behind', text, { session: sessionId });
    });
  }

  addSession(slot: SessionSlot): FixSession {
    const session = new FixSession(slot, this);
    this.sessions.set(slot.sessionId, session);
    this.#groupsOf.set(session, this.#options.groupsOf(slot.machine.config));
    this.#latest = null;
    return session;
  }

  handle(input: ApplicationInput, turn: Turn): void {
    if (input.kind === 'tick') return;
    let session = this.#latest;
    if (session?.sessionId !== input.sessionId) {
      session = this.sessions.get(input.sessionId) ?? null;
      this.#latest = session;
      this.#groups = session === null ? null : (this.#groupsOf.get(session) ?? null);
    }
    if (session === null) return;
    this.#turn = turn;
    this.#calls++;
    try {
      this.#call(input, session);
    } finally {
      this.#turn = null;
    }
  }

  deadline(): EpochMs | null {
    return null;
  }

  /** Callbacks that go on behind an `await`, but the one whose first part closes the engine: it may wait for that. */
  get underWay(): number {
    return this.#underWay;
  }

  /** The engine is being closed. */
  beginClose(): void {
    this.#closedIn = this.#turn === null ? -1 : this.#calls;
  }

  /** The engine is closed: nothing can be recorded any more. */
  endClose(): void {
    this.#isClosed = true;
  }

  send(slot: SessionSlot, draft: MessageDraft): void {
    // Within a callback it is recorded together with what it answers.
    if (this.#turn !== null) {
      // It leaves when the callback has returned, which may go on with the same draft.
      this.#turn.send(slot.sessionId, draft.asItIs());
      return;
    }
    this.#assertOpen(slot);
    if (this.#options.isFlooded()) {
      const text = 'the message was not sent: too much waits for the store already, which cannot record it';
      throw new CrossgateError('XG_JOURNAL_WRITE_FAILED', `${slot.sessionId}: ${text}`);
    }
    this.dispatcher?.sessionInput(slot, { kind: 'send', draft });
  }

  waitingBytes(slot: SessionSlot): number {
    return this.#options.pendingBytes() + (slot.wire?.bufferedBytes ?? 0);
  }

  async drained(slot: SessionSlot): Promise<void> {
    await until(() => this.waitingBytes(slot) <= this.#options.outboundBytesMax / 4, Number.POSITIVE_INFINITY);
  }

  /** What the application says of a message that is to be sent again; session messages are none of its business. */
  mayResend(slot: SessionSlot, { msgType, raw }: OutboundMessage): boolean {
    const { application } = this.#options;
    const session = this.sessions.get(slot.sessionId) ?? null;
    if (application.onResend === undefined || session === null || msgType === MsgType.Reject) return true;
    const view = viewOf(raw, slot.machine.dataFields);
    assert(view !== null, 'a message that was sent frames again');
    const message = new FixMessage(view, true, this.#groupsOf.get(session) ?? null);
    try {
      const answer: unknown = application.onResend(message, session);
      const promise = promised(answer);
      if (promise === null) return answer !== false;
      promise.catch(() => {});
      this.#failed(session, new TypeError('onResend answers at once, not by a promise'));
    } catch (error) {
      this.#failed(session, error);
    } finally {
      message.expire();
    }
    return true;
  }

  reset(slot: SessionSlot, why: string): void {
    this.#assertOpen(slot);
    const keep = { nextSenderMsgSeqNum: null, nextTargetMsgSeqNum: null };
    this.dispatcher?.sessionInput(slot, {
      kind: 'setNumbers',
      ...keep,
      reset: true,
      within: true,
      who: 'application',
      why,
    });
  }

  logout(slot: SessionSlot, text: string): void {
    if (slot.wire !== null) this.dispatcher?.sessionInput(slot, { kind: 'logout', text });
  }

  #assertOpen({ sessionId }: SessionSlot): void {
    if (!this.#isClosed) return;
    throw new CrossgateError('XG_ENGINE_CLOSED', `${sessionId}: nothing can be sent or reset: the engine is closed`);
  }

  #call(input: Exclude<ApplicationInput, { kind: 'tick' }>, session: FixSession): void {
    const { application } = this.#options;
    switch (input.kind) {
      case 'message':
        this.#message(input.view, input.possDup, session);
        return;
      case 'throttled': {
        const message = new FixMessage(input.view, input.possDup, this.#groups);
        session.reject(message, `Too many messages: wait ${input.waitMs} ms`);
        message.expire();
        return;
      }
      case 'sessionUp':
        this.#guarded(session, () => application.onLogon?.(session));
        return;
      case 'sessionDown':
        this.#guarded(session, () => application.onLogout?.(session, input.reason ?? input.end));
    }
  }

  #message(view: MessageView, possDup: boolean, session: FixSession): void {
    const message = new FixMessage(view, possDup, this.#groups);
    if (view.msgType === MsgType.Reject) {
      const reject = message.copy();
      message.expire();
      this.#guarded(session, () => this.#reject(reject, session));
      return;
    }
    const refuse = (which: Pick<FixMessage, 'msgType' | 'msgSeqNum'>): void =>
      session.reject(which, 'The application failed on this message', BusinessRejectReason.ApplicationNotAvailable);
    try {
      const done = promised(this.#options.application.onMessage(message, session));
      if (done !== null) {
        const { msgType, msgSeqNum } = message;
        const slot = this.dispatcher?.slots.get(session.sessionId) ?? null;
        this.#follow(session, done, () => refuse({ msgType, msgSeqNum }), slot);
      }
    } catch (error) {
      this.#failed(session, error);
      refuse(message);
    }
    message.expire();
  }

  /** The message that was refused is looked up first: by its number alone nobody knows which it was. */
  async #reject(reject: FixMessage, session: FixSession): Promise<void> {
    const { application, load } = this.#options;
    const msgSeqNum = reject.int('RefSeqNum') ?? 0;
    const [kept] = msgSeqNum > 0 ? await load(session.sessionId, session.numbers, msgSeqNum) : [];
    const dataFields = this.dispatcher?.slots.get(session.sessionId)?.machine.dataFields;
    const isOurs = kept !== undefined && kept.msgType !== MsgType.Reject;
    const view = isOurs ? viewOf(Buffer.from(kept.raw), dataFields) : null;
    const groups = this.#groupsOf.get(session) ?? null;
    await application.onReject?.(reject, view === null ? null : new FixMessage(view, false, groups), session);
  }

  #guarded(session: FixSession, call: () => unknown): void {
    try {
      const done = promised(call());
      if (done !== null) this.#follow(session, done, () => {});
    } catch (error) {
      this.#failed(session, error);
    }
  }

  /** A callback goes on behind its first `await`: what it throws there comes as a rejected promise. */
  #follow(session: FixSession, done: Promise<unknown>, refuse: () => void, slot: SessionSlot | null = null): void {
    const isAwaited = this.#calls !== this.#closedIn;
    if (isAwaited) this.#underWay++;
    if (slot !== null) this.#backlog.began(slot);
    const ended = (): void => {
      if (isAwaited) this.#underWay--;
      if (slot !== null) this.#backlog.ended(slot);
    };
    done.then(ended, (error: unknown) => {
      ended();
      this.#failed(session, error);
      if (!this.#isClosed) refuse();
    });
  }

  /** A callback threw. A user's bug ends neither the session nor the process. */
  #failed(session: FixSession, error: unknown): void {
    const { sessionId } = session;
    const stack = error instanceof Error ? error.stack : undefined;
    this.#options.alarm('application-failed', `${sessionId}: ${stack ?? thrownText(error)}`, { session: sessionId });
  }
}

/** What a callback gave that goes on; libraries have promises of their own, some of which do nothing until they are asked. */
function promised(done: unknown): Promise<unknown> | null {
  if (done instanceof Promise) return done;
  const isOthers =
    typeof done === 'object' && done !== null && typeof (done as { readonly then?: unknown }).then === 'function';
  return isOthers ? Promise.resolve(done) : null;
}
