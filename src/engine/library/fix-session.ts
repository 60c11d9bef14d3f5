// The library's user and a session: what an application is told and asked, and what it can do with a session. Leaves carrying it
// out to fix-application.ts.

import { AssertionError, assert } from '../../base/assert.ts';
import { reverseRoute, type SessionID, type SessionNumbers } from '../../session/mod.ts';
import { BusinessRejectReason, type Charset, encodeText, LATIN1, MessageDraft, MsgType } from '../../wire/mod.ts';
import type { SessionSlot } from '../sessions/session-slot.ts';
import { FixMessage, newMessage, sessionTagIn } from './fix-message.ts';

/**
 * What an application is told and asked. Callbacks run one at a time, up to their first `await` where they are async. Of what one
 * returns a promise alone counts: `close()` waits for its end. A message whose callback throws, or whose promise is rejected, is
 * answered with BusinessMessageReject(j).
 */
export interface FixApplication {
  /** The session is logged on; messages may flow. */
  onLogon?(session: FixSession): unknown;
  /** An application message: valid by the dictionary, in sequence, counted. What is sent meanwhile is recorded with it. */
  onMessage(message: FixMessage, session: FixSession): unknown;
  /** The session is over, for now. Where the counterparty began with a Logout(5), `reason` has its Text(58). */
  onLogout?(session: FixSession, reason: string): unknown;
  /**
   * The counterparty refused a message of ours by Reject(3), whose Text(58) and RefTagID(371) say why; what it refuses by
   * BusinessMessageReject(j) comes to `onMessage`. Both messages are valid for good; `refused` is null if it was none of the
   * application's, or is not kept any more.
   */
  onReject?(reject: FixMessage, refused: FixMessage | null, session: FixSession): unknown;
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

/** What carries out what is asked of a session (fix-application.ts). */
interface SessionHost {
  send(slot: SessionSlot, draft: MessageDraft): void;
  waitingBytes(slot: SessionSlot): number;
  drained(slot: SessionSlot): Promise<void>;
  recorded(slot: SessionSlot): Promise<void>;
  reset(slot: SessionSlot, why: string): void;
  receiveFrom(slot: SessionSlot, msgSeqNum: number, why: string): void;
  logout(slot: SessionSlot, text: string): void;
}

/** One FIX session, for whoever uses it. */
export class FixSession {
  /** `FIX.4.4:SENDER->TARGET`, from our side. */
  readonly sessionId: SessionID;
  readonly #slot: SessionSlot;
  readonly #host: SessionHost;

  constructor(slot: SessionSlot, host: SessionHost) {
    this.sessionId = slot.sessionId;
    this.#slot = slot;
    this.#host = host;
  }

  /** Our CompID, SenderCompID(49) of what we send. */
  get senderCompID(): string {
    return this.#slot.machine.config.senderCompID;
  }

  /** The counterparty's CompID, TargetCompID(56) of what we send. */
  get targetCompID(): string {
    return this.#slot.machine.config.targetCompID;
  }

  /** Character set of texts where a message has no MessageEncoding(347). */
  get charset(): Charset {
    return this.#slot.machine.config.charset ?? LATIN1;
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
   * report (rule S2): look at `loggedOn` first. Texts are written in the character set of the message's MessageEncoding(347), else of
   * the session. @throws AssertionError for a text that the set does not have, or that holds SOH, naming the field; for what
   * newMessage() did not make, for header fields that are the session's, and for a Logon, Logout or a message about numbers, which
   * are the engine's; CrossgateError, nothing done: XG_JOURNAL_WRITE_FAILED while more than 32 MiB wait for the store,
   * XG_ENGINE_CLOSED once the engine is closed
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
    const tag = sessionTagIn(message);
    // With another number or name it would end, or stop, each connection on which it is sent again.
    if (tag !== 0) throw new AssertionError(`not a message to send: ${tag} in its header is written by the session`);
    this.#host.send(this.#slot, message.inCharset(this.charset, this.#slot.machine.dataFields));
  }

  /**
   * Bytes that were sent and wait for the store, on behalf of all sessions, or for this counterparty to read them. Of one that has
   * more than `limits.outboundBytesMax`, 8 MiB unless set, unread from earlier turns of the event loop, the connection is ended as that
   * of a slow consumer with the next message. What one turn sends it may take its time for.
   */
  get waitingBytes(): number {
    return this.#host.waitingBytes(this.#slot);
  }

  /**
   * Resolves once a quarter of `limits.outboundBytesMax` waits, or less: whoever sends much at a time awaits it now and then.
   * Without a connection the counterparty is not waited for, nor is the store once the engine is closed.
   */
  async drained(): Promise<void> {
    await this.#host.drained(this.#slot);
  }

  /**
   * Resolves once the store has what was sent on this session up to now, and what was received: with `durability: 'disk'` on its
   * disk. Whoever tells others of a message that he sent, or forgets what it was made of, awaits it first. While the store can
   * record nothing it waits. @throws CrossgateError XG_ENGINE_CLOSED if the engine is closed before that
   */
  async recorded(): Promise<void> {
    await this.#host.recorded(this.#slot);
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
    const answer =
      beginString === 'FIX.4.0' || beginString === 'FIX.4.1'
        ? newMessage(MsgType.Reject, { RefSeqNum: message.msgSeqNum, Text: text })
        : newMessage(MsgType.BusinessMessageReject, {
            RefSeqNum: message.msgSeqNum,
            RefMsgType: message.msgType,
            BusinessRejectReason: reason,
            Text: text,
          });
    if (message instanceof FixMessage) reverseRoute(message, answer, beginString);
    this.send(answer);
  }

  /**
   * Both numbers begin at 1 again: of a session that is logged on by a Logon(A) with ResetSeqNumFlag(141)=Y within it, once
   * the counterparty has proved that it misses nothing; otherwise once there is no connection, as said below. Reports not proven
   * received follow as new messages with PossResend(97)=Y. `numbers.series` rises when it has happened.
   *
   * Without a connection an initiator tells it by its next Logon. An acceptor owes it, over starts too: with a counterparty that
   * begins again by its next Logon the numbers do so then, and one that goes on in its numbers is told within the session. In
   * FIX.4.0, which has no ResetSeqNumFlag(141), they begin again at once, and the counterparty's must too.
   * @param why for the store's record of it
   * @throws CrossgateError XG_ENGINE_CLOSED once the engine is closed
   */
  reset(why: string): void {
    assert(typeof why === 'string', 'why numbers begin again is a text');
    this.#host.reset(this.#slot, why);
  }

  /**
   * Have the counterparty send again from this MsgSeqNum(34) on: what was counted here, and not finished with when the process was
   * killed. `numbers` goes back, and the gap that the next Logon shows is asked for: the messages come to `onMessage` once more,
   * with `possDup`, as far as the counterparty sends them again. Right behind `startInitiator()` or `startAcceptor()` there is no
   * connection yet; a session that has one is logged out for it, and an initiator connects again. Numbers mean something within
   * their `numbers.series` only: keep that with them.
   * @param why for the store's record of it
   * @throws AssertionError for a number above `numbers.nextTargetMsgSeqNum`, which itself changes nothing; CrossgateError
   * XG_ENGINE_CLOSED once the engine is closed
   */
  receiveFrom(msgSeqNum: number, why: string): void {
    const { nextTargetMsgSeqNum } = this.numbers;
    assert(
      Number.isSafeInteger(msgSeqNum) && msgSeqNum >= 1 && msgSeqNum <= nextTargetMsgSeqNum,
      `what is received again begins at a whole number from 1 to ${nextTargetMsgSeqNum}, which comes next`,
    );
    assert(typeof why === 'string', 'why messages are received again is a text');
    this.#host.receiveFrom(this.#slot, msgSeqNum, why);
  }

  /**
   * End the session by our Logout(5), with this Text(58). While messages are being sent again it follows the last of them; after
   * `logoutTimeoutMs` the connection ends without it. The session may come back: an initiator connects again after its pause, and
   * an acceptor takes the next Logon. See `disable()`.
   */
  logout(text = ''): void {
    this.#host.logout(this.#slot, this.#logoutText(text));
  }

  /** The Text(58) of a Logout as bytes. @throws AssertionError for one that the session's character set does not have */
  #logoutText(text: string): string {
    assert(typeof text === 'string', 'the Text(58) of a Logout is a text');
    const { charset } = this;
    const bytes = encodeText(text, charset);
    assert(bytes !== null, `Text(58) holds text that ${charset} does not have`);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: both end or break a field
    assert(!/[\x00\x01]/.test(text), 'Text(58) holds SOH or NUL');
    return bytes;
  }

  /** False from `disable()` to `enable()`. */
  get enabled(): boolean {
    return this.#slot.enabled;
  }

  /**
   * End the session as `logout()` does, and keep it ended until `enable()`, or until the engine is started anew: an initiator
   * does not connect, and an acceptor lets go of a connection with its Logon, unanswered. What is sent meanwhile waits.
   */
  disable(text = ''): void {
    const bytes = this.#logoutText(text);
    this.#slot.enabled = false;
    this.#host.logout(this.#slot, bytes);
  }

  /** Let a session that was disabled log on again: an initiator connects within its pause. */
  enable(): void {
    this.#slot.enabled = true;
  }
}
