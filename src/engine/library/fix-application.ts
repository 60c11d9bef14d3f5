// An application of the library's user as the application of the session engine: callbacks in, messages out, and the
// answer when a callback throws. fix-session.ts is the user's view; the dispatcher has sessions and commits.

import { assert } from '../../base/assert.ts';
import { CrossgateError, thrownText } from '../../base/errors.ts';
import type { EpochMs } from '../../base/time.ts';
import type { OutboundMessage, SessionID, SessionNumbers } from '../../session/mod.ts';
import { BusinessRejectReason, type MessageDraft, type MessageView, MsgType, viewOf } from '../../wire/mod.ts';
import type { Application, ApplicationInput, Turn } from '../application.ts';
import { until } from '../sessions/closing.ts';
import type { Dispatcher } from '../sessions/dispatcher.ts';
import type { SessionSlot } from '../sessions/session-slot.ts';
import { CallbackBacklog } from './callback-backlog.ts';
import { FixMessage } from './fix-message.ts';
import { type FixApplication, FixSession } from './fix-session.ts';

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
  /** The session of the last message; the next one mostly is of the same. */
  #latest: FixSession | null = null;
  #calls = 0;
  /** The call in which the engine was closed; -1: in none, or not at all. */
  #closedIn = -1;
  #isClosed = false;
  /** A failure in a session while a callback sent. */
  #broken: { readonly error: unknown } | null = null;
  #underWay = 0;
  /** Ends the wait of callers that wait for the store in vain. */
  readonly #unrecorded = new Set<(error: Error) => void>();
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
    this.#latest = null;
    return session;
  }

  /** Later events on it have no receiver. */
  removeSession(sessionId: SessionID): void {
    this.sessions.get(sessionId)?.endMessages();
    this.sessions.delete(sessionId);
    this.#latest = null;
  }

  handle(input: ApplicationInput, turn: Turn): void {
    if (input.kind === 'tick') return;
    let session = this.#latest;
    if (session?.sessionID !== input.sessionId) {
      session = this.sessions.get(input.sessionId) ?? null;
      this.#latest = session;
    }
    if (session === null) return;
    this.#turn = turn;
    this.#calls++;
    try {
      this.#call(input, session);
    } finally {
      this.#turn = null;
    }
    if (this.#broken !== null) throw this.#broken.error;
  }

  deadline(): EpochMs | null {
    return null;
  }

  /**
   * Callbacks that continue after an `await`. The callback that closes the engine in its first part is excepted: it may
   * wait for the end.
   */
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
    const text = 'the engine is closed, and its store did not confirm the awaited records';
    for (const reject of this.#unrecorded) reject(new CrossgateError('XG_ENGINE_CLOSED', text));
    this.#unrecorded.clear();
    for (const session of this.sessions.values()) session.endMessages();
  }

  send(slot: SessionSlot, draft: MessageDraft): void {
    // Within a callback it is recorded together with the answered message.
    if (this.#turn !== null) {
      this.#sendNow(this.#turn, slot, draft);
      return;
    }
    this.#assertOpen(slot);
    if (this.#options.isFlooded()) {
      const text = 'the message was not sent: too much waits for the store already; await drained() now and then';
      throw new CrossgateError('XG_JOURNAL_WRITE_FAILED', `${slot.sessionId}: ${text}`);
    }
    this.dispatcher?.sessionInput(slot, { kind: 'send', draft });
  }

  /**
   * A failure in the session is no error of the callback, which may catch anything: the session's counts are then
   * unknown.
   */
  #sendNow(turn: Turn, { sessionId }: SessionSlot, draft: MessageDraft): void {
    try {
      turn.sendNow(sessionId, draft);
    } catch (error) {
      this.#broken = { error };
      throw error;
    }
  }

  waitingBytes(slot: SessionSlot): number {
    return this.#options.pendingBytes() + (slot.wire?.bufferedBytes ?? 0);
  }

  async drained(slot: SessionSlot): Promise<void> {
    await until(() => this.waitingBytes(slot) <= this.#options.outboundBytesMax / 4, Number.POSITIVE_INFINITY);
  }

  async recorded(slot: SessionSlot): Promise<void> {
    this.#assertOpen(slot);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#unrecorded.add(reject);
    this.dispatcher?.whenRecorded(slot, () => {
      this.#unrecorded.delete(reject);
      resolve();
    });
    await promise;
  }

  /** The application's decision about a message to be resent; session messages are not its concern. */
  mayResend(slot: SessionSlot, { msgType, raw }: OutboundMessage): boolean {
    const { application } = this.#options;
    const session = this.sessions.get(slot.sessionId) ?? null;
    if (application.onResend === undefined || session === null || msgType === MsgType.Reject) return true;
    const view = viewOf(raw, slot.machine.dataFields);
    assert(view !== null, 'a message that was sent frames again');
    const message = new FixMessage(view, true, session.charset);
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
      isOwed: true,
      who: 'application',
      why,
    });
  }

  receiveFrom(slot: SessionSlot, msgSeqNum: number, why: string): void {
    this.#assertOpen(slot);
    if (msgSeqNum === slot.machine.numbers.nextTargetMsgSeqNum) return;
    this.dispatcher?.sessionInput(slot, {
      kind: 'setNumbers',
      nextSenderMsgSeqNum: null,
      nextTargetMsgSeqNum: msgSeqNum,
      reset: false,
      // By `application` the record would say that a reset is owed.
      who: 'consumer',
      why,
    });
  }

  logout(slot: SessionSlot, text: string): void {
    if (slot.wire !== null) this.dispatcher?.sessionInput(slot, { kind: 'logout', text });
  }

  #assertOpen({ sessionId }: SessionSlot): void {
    if (!this.#isClosed) return;
    throw new CrossgateError(
      'XG_ENGINE_CLOSED',
      `${sessionId}: nothing can be sent, recorded, reset or received again: the engine is closed`,
    );
  }

  #call(input: Exclude<ApplicationInput, { kind: 'tick' }>, session: FixSession): void {
    const { application } = this.#options;
    switch (input.kind) {
      case 'message':
        this.#message(input.view, input.possDup, session);
        return;
      case 'throttled': {
        const message = new FixMessage(input.view, input.possDup, session.charset);
        session.reject(message, `Too many messages: wait ${input.waitMs} ms`);
        message.expire();
        return;
      }
      case 'sessionUp':
        this.#guarded(session, () => application.onLogon?.(session));
        return;
      case 'sessionLeaving':
        return;
      case 'sessionDown':
        this.#guarded(session, () => application.onLogout?.(session, input.reason ?? input.end));
    }
  }

  #message(view: MessageView, possDup: boolean, session: FixSession): void {
    const message = new FixMessage(view, possDup, session.charset);
    if (view.msgType === MsgType.Reject) {
      const reject = message.copy();
      message.expire();
      this.#guarded(session, () => this.#reject(reject, session));
      return;
    }
    const refuse = (which: Pick<FixMessage, 'msgType' | 'msgSeqNum'>): void =>
      session.reject(which, 'The application failed on this message', BusinessRejectReason.ApplicationNotAvailable);
    session.offer(message);
    try {
      const done = promised(this.#options.application.onMessage(message, session));
      if (done !== null) {
        const { msgType, msgSeqNum } = message;
        const slot = this.dispatcher?.slots.get(session.sessionID) ?? null;
        this.#follow(session, done, () => refuse({ msgType, msgSeqNum }), slot);
      }
    } catch (error) {
      this.#failed(session, error);
      refuse(message);
    }
    message.expire();
  }

  /** The refused message is looked up first: its number alone does not identify it. */
  async #reject(reject: FixMessage, session: FixSession): Promise<void> {
    const { application, load } = this.#options;
    const msgSeqNum = reject.int('RefSeqNum') ?? 0;
    const [kept] = msgSeqNum > 0 ? await load(session.sessionID, session.numbers, msgSeqNum) : [];
    const dataFields = this.dispatcher?.slots.get(session.sessionID)?.machine.dataFields;
    const isOurs = kept !== undefined && kept.msgType !== MsgType.Reject;
    const view = isOurs ? viewOf(Buffer.from(kept.raw), dataFields) : null;
    await application.onReject?.(reject, view === null ? null : new FixMessage(view, false, session.charset), session);
  }

  #guarded(session: FixSession, call: () => unknown): void {
    try {
      const done = promised(call());
      if (done !== null) this.#follow(session, done, () => {});
    } catch (error) {
      this.#failed(session, error);
    }
  }

  /** A callback continues after its first `await`: a later error arrives as a rejected promise. */
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
    const { sessionID } = session;
    const stack = error instanceof Error ? error.stack : undefined;
    this.#options.alarm('application-failed', `${sessionID}: ${stack ?? thrownText(error)}`, { session: sessionID });
  }
}

/**
 * A continuing result of a callback. Libraries have promises of their own, and some do nothing until they are awaited.
 */
function promised(done: unknown): Promise<unknown> | null {
  if (done instanceof Promise) return done;
  const isOthers =
    typeof done === 'object' && done !== null && typeof (done as { readonly then?: unknown }).then === 'function';
  return isOthers ? Promise.resolve(done) : null;
}
