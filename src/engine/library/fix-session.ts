// The library user's view of a session: its callbacks and its actions. fix-application.ts carries them out.

import { AssertionError, assert } from '../../base/assert.ts';
import { CrossgateError } from '../../base/errors.ts';
import { reverseRoute, type SessionID, type SessionNumbers } from '../../session/mod.ts';
import { BusinessRejectReason, type Charset, encodeText, LATIN1, MessageDraft, MsgType } from '../../wire/mod.ts';
import type { SessionSlot } from '../sessions/session-slot.ts';
import { FixMessage, newMessage, sessionTagIn } from './fix-message.ts';
import { MessageFeed } from './message-feed.ts';

/**
 * Callbacks of an application. They run one at a time, up to their first `await` if async. Of their results only a
 * promise counts: `close()` waits for its end. A message with a callback that throws or rejects is answered with
 * BusinessMessageReject(j).
 */
export interface FixApplication {
  /** The session is logged on; messages may flow. */
  onLogon?(session: FixSession): unknown;
  /**
   * An application message: valid by the dictionary, in sequence, counted. Messages sent meanwhile are recorded with
   * it.
   */
  onMessage(message: FixMessage, session: FixSession): unknown;
  /** The session is over, for now. Where the counterparty began with a Logout(5), `reason` has its Text(58). */
  onLogout?(session: FixSession, reason: string): unknown;
  /**
   * The counterparty refused a message of ours by Reject(3), with the reason in Text(58) and RefTagID(371). A
   * BusinessMessageReject(j) goes to `onMessage`. Both messages stay valid; `refused` is null if it was not the
   * application's, or is no longer kept.
   */
  onReject?(reject: FixMessage, refused: FixMessage | null, session: FixSession): unknown;
  /**
   * The counterparty asks for a message of ours again, or for the first time if it was sent without a connection. False: it gets
   * a gap fill in its place, and the message never more; an order that is too old by its SendingTime(52), for example. Absent:
   * it is sent again, as it also is where this throws.
   */
  onResend?(message: FixMessage, session: FixSession): boolean;
}

/**
 * Sent by an application they would separate both sides' counts; without a type, a numbered message would be
 * unreadable.
 */
const ENGINES_OWN: ReadonlySet<string> = new Set([
  '',
  MsgType.Logon,
  MsgType.ResendRequest,
  MsgType.SequenceReset,
  MsgType.Logout,
]);

/** Carries out the actions on a session (fix-application.ts). */
interface SessionHost {
  send(slot: SessionSlot, draft: MessageDraft): void;
  waitingBytes(slot: SessionSlot): number;
  drained(slot: SessionSlot): Promise<void>;
  recorded(slot: SessionSlot): Promise<void>;
  reset(slot: SessionSlot, why: string): void;
  receiveFrom(slot: SessionSlot, msgSeqNum: number, why: string): void;
  logout(slot: SessionSlot, text: string): void;
}

/** One FIX session, for the library's user. */
export class FixSession {
  /** `FIX.4.4:SENDER->TARGET`, from our side. */
  readonly sessionID: SessionID;
  readonly #slot: SessionSlot;
  readonly #host: SessionHost;
  readonly #feeds = new Set<MessageFeed>();
  #isOver = false;

  constructor(slot: SessionSlot, host: SessionHost) {
    this.sessionID = slot.sessionId;
    this.#slot = slot;
    this.#host = host;
  }

  /** @deprecated The spelling of versions before; programs that read it keep working. Use `sessionID`. */
  get sessionId(): SessionID {
    return this.sessionID;
  }

  /** Our CompID: SenderCompID(49) of our messages. */
  get senderCompID(): string {
    return this.#slot.machine.config.senderCompID;
  }

  /** The counterparty's CompID: TargetCompID(56) of our messages. */
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
   * Number, record and send an application message. While the session is logged off it waits for the counterparty's
   * ResendRequest(2). If the numbers restart before that, as with `resetOn: ['logon']`, it never leaves, unless it is a
   * report (rule S2): check `loggedOn` first. Texts are written in the character set of the message's
   * MessageEncoding(347), else of the session.
   * @throws CrossgateError XG_MESSAGE_INVALID naming the message and the tag if it lacks a field that the session's dictionary
   * requires, in the message or in an entry of a group; not with `checkRequiredFields: false`
   * @throws AssertionError naming the field for a text that the set lacks or that holds SOH. It also refuses a message
   * not made by newMessage(), header fields of the session, a Logon, a Logout or a message about numbers.
   * @throws CrossgateError, nothing done: XG_JOURNAL_WRITE_FAILED while more than 32 MiB wait for the store,
   * XG_ENGINE_CLOSED once the engine is closed
   */
  send(message: MessageDraft): void {
    // An error of the machine outside the callback would end the process.
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
    const draft = this.#inCharset(message);
    const missing = this.#slot.machine.missingIn(draft);
    if (missing !== null) throw new CrossgateError('XG_MESSAGE_INVALID', `${this.sessionID}: not sent: ${missing}`);
    this.#host.send(this.#slot, draft);
  }

  #inCharset(message: MessageDraft): MessageDraft {
    return message.inCharset(this.charset, this.#slot.machine.dataFields);
  }

  /**
   * Sent bytes that wait for the store, over all sessions, or for this counterparty to read them. A connection with
   * more than `limits.outboundBytesMax`, 8 MiB unless set, unread from earlier turns of the event loop ends as that of
   * a slow consumer with the next message. The output of one turn may take its time.
   */
  get waitingBytes(): number {
    return this.#host.waitingBytes(this.#slot);
  }

  /**
   * Resolves once a quarter of `limits.outboundBytesMax` waits, or less: await it now and then in a long series of
   * sends. Without a connection it does not wait for the counterparty, nor for the store once the engine is closed.
   */
  async drained(): Promise<void> {
    await this.#host.drained(this.#slot);
  }

  /**
   * Resolves once the store has everything sent and received on this session so far: with `durability: 'disk'` on its
   * disk. Await it before you report a sent message elsewhere, or discard its source. While the store cannot record it
   * waits.
   * @throws CrossgateError XG_ENGINE_CLOSED if the engine is closed before that
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
    // Not checked: a fault of the other side gets its answer whatever a house's dictionary requires.
    this.#host.send(this.#slot, this.#inCharset(answer));
  }

  /**
   * Restart both numbers at 1. A logged-on session does so by a Logon(A) with ResetSeqNumFlag(141)=Y within it, once
   * the counterparty has proved that it lacks nothing; otherwise it happens once there is no connection, as below.
   * Reports not proven received follow as new messages with PossResend(97)=Y. `numbers.series` rises when it has
   * happened.
   *
   * Without a connection an initiator announces it by its next Logon. An acceptor owes it, over restarts too. If the
   * counterparty resets by its next Logon, the numbers restart then; if it continues its numbers, the reset follows
   * within the session. In FIX.4.0, which has no ResetSeqNumFlag(141), they restart at once, and the counterparty's
   * must too.
   * @param why for the store's record of it
   * @throws CrossgateError XG_ENGINE_CLOSED once the engine is closed
   */
  reset(why: string): void {
    assert(typeof why === 'string', 'why numbers begin again is a text');
    this.#host.reset(this.#slot, why);
  }

  /**
   * Have the counterparty send again from this MsgSeqNum(34) on: messages counted here, and unfinished when the process
   * was killed. `numbers` goes back, and the gap that the next Logon shows is asked for: the messages come to
   * `onMessage` once more, with `possDup`, as far as the counterparty sends them again. Right behind `startInitiator()`
   * or `startAcceptor()` there is no connection yet; a session that has one is logged out for it, and an initiator
   * connects again. Numbers mean something within their `numbers.series` only: keep that with them.
   * @param why for the store's record of it
   * @throws AssertionError for a number above `numbers.nextTargetMsgSeqNum`, which itself changes nothing;
   * CrossgateError XG_ENGINE_CLOSED once the engine is closed
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
   * End the session as `logout()` does, and keep it ended until `enable()`, or until the engine is started again. An
   * initiator does not connect, and an acceptor drops a connection with its Logon, unanswered. Messages sent meanwhile
   * wait.
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

  /**
   * Application messages from now on, beside `onMessage`, each in bytes of its own: `for await (const message of session)`. The
   * loop goes on over logons, and ends once the session is removed or the engine is closed. Up to 10,000 messages wait for it.
   * A message counts as received before the loop has it.
   * @throws CrossgateError XG_READER_BEHIND from the loop if more wait
   */
  [Symbol.asyncIterator](): AsyncIterator<FixMessage, undefined> {
    const feed = new MessageFeed(this.sessionID, (left) => this.#feeds.delete(left));
    if (this.#isOver) feed.end();
    else this.#feeds.add(feed);
    return feed;
  }

  /** For the engine: a message has arrived. */
  offer(message: FixMessage): void {
    for (const feed of this.#feeds) feed.push(message.copy());
  }

  /** For the engine: no message follows. */
  endMessages(): void {
    this.#isOver = true;
    for (const feed of this.#feeds) feed.end();
  }
}
