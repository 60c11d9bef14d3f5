// The FIX session as a machine: one input in, its effects out, and the time at which it wants to be called again. It
// routes inputs to the files that know them; it touches no socket, clock or store.

import { assert, unreachable } from '../base/assert.ts';
import { type EpochMs, formatIso } from '../base/time.ts';
import { type DataFields, type GarbledNotice, type MessageDraft, MsgType } from '../wire/mod.ts';
import type { SessionConfig } from './config.ts';
import { SessionCore, SessionStatusCode } from './core.ts';
import type { EffectSink, SessionEffect } from './effect.ts';
import type { LoadWaitsFor, SessionInput } from './input.ts';
import { receiveLogon, receiveLogonAnswer, sendLogon } from './logon/logon.ts';
import { beginLogout, settleLogout } from './logon/logout.ts';
import { countCancelReject } from './messages/delivery.ts';
import { endIfTooMany } from './messages/flood-limit.ts';
import { msgSeqNumIn, rejectGarbled } from './messages/garbled.ts';
import { drain, isDraining, receive } from './messages/inbound.ts';
import type { LoggedOffBy, MessageValidator, RecoveredSession, SessionNumbers } from './port.ts';
import { continueReplay } from './recovery/replay.ts';
import type { ResendRead } from './recovery/resend-read.ts';
import { askAgain } from './recovery/resend-request.ts';
import { isToBeTold, oweReset } from './reset/due-reset.ts';
import type { OwedReset } from './reset/owed-reset.ts';
import { continueRepeat, followsRepetition, requestRepeat, sendBehindRepetition } from './reset/repeat-reports.ts';
import { advanceReset, beginReset } from './reset/reset-in-session.ts';
import { applyPending, resetAfterEnd, setNumbers } from './reset/set-numbers.ts';
import { isSequenced, type SessionState } from './states.ts';
import { nextDeadline, noteReading, RESEND_IMPOSSIBLE, tellStandstill, tick, watchThreshold } from './time/liveness.ts';
import type { Opening, OpeningStatus } from './time/opening.ts';

/** A session's status for the console: a snapshot of its last input. Times are null until known. */
export interface SessionStatus {
  readonly sessionId: string;
  readonly state: SessionState;
  /** When the state was entered. */
  readonly since: EpochMs | null;
  readonly remote: string | null;
  readonly numbers: SessionNumbers;
  /** Highest outbound number proven received (rule S2). */
  readonly provenMsgSeqNum: number;
  /** HeartBtInt(108) in force, in seconds. */
  readonly heartBtIntS: number;
  readonly lastReceivedAt: EpochMs | null;
  readonly lastSentAt: EpochMs | null;
  readonly testRequestOutstanding: boolean;
  /** The schedule's state, or null without a schedule. */
  readonly opening: OpeningStatus | null;
  /** The range asked for and the number of messages kept behind it, or null. */
  readonly gap: { readonly beginSeqNo: number; readonly endSeqNo: number; readonly queued: number } | null;
  /** The resend under way and the number of live messages that wait behind it, or null. */
  readonly replay: { readonly next: number; readonly end: number; readonly held: number } | null;
  /** A reset within the session that our side has begun: no answer to its Logon(A) yet, or none sent yet. Or null. */
  readonly reset: { readonly logonSent: boolean; readonly since: EpochMs } | null;
}

/**
 * One FIX session. Call `handle` for each input and execute all its effects in order before the next; call it with
 * `tick` when `deadline()` has come (a tick too early does nothing).
 */
export class Session {
  readonly #core: SessionCore;
  /** The expected number at the last alarm about a message over the limits. */
  #overLimitAt: number | null = null;

  /** @param recovered the session as the journal has it, or null for one that never was */
  constructor(config: SessionConfig, validator: MessageValidator, recovered: RecoveredSession | null) {
    this.#core = new SessionCore(config, validator, recovered);
  }

  /** Fields that may hold SOH in this session's messages, for indexing its frames. */
  get dataFields(): DataFields {
    return this.#core.dataFields;
  }

  /**
   * The first field that the session's dictionary requires of a message of ours and that it lacks, in words; null if it lacks none,
   * or without `checkRequiredFields`.
   */
  missingIn(draft: MessageDraft): string | null {
    const { config, validator } = this.#core;
    return config.checkRequiredFields === false ? null : (validator.missingIn?.(draft) ?? null);
  }

  get config(): SessionConfig {
    return this.#core.config;
  }

  /**
   * Replace the settings at run time. They count from the next message or Logon on; an agreed HeartBtInt(108) stays
   * until then.
   * @param validator of the same version
   * @throws AssertionError if identity, version or role differ: that is another session
   */
  applyConfig(config: SessionConfig, validator = this.#core.validator): void {
    const { sessionId, beginString, role } = this.#core.config;
    assert(config.sessionId === sessionId && config.beginString === beginString, 'settings are of the same session');
    assert(config.role === role, 'a session keeps its role');
    this.#core.applyConfig(config, validator);
  }

  /** A throw-away session in the same numbers: the outcome of a Logon without any change (rule S1). */
  copyForTrial(): Session {
    const {
      config,
      validator,
      reset: { unanswered },
      connection: { end },
    } = this.#core;
    const copy = new Session(config, validator, {
      sessionId: config.sessionId,
      numbers: this.numbers,
      loggedOn: false,
      provenMsgSeqNum: 0,
      countedAt: null,
      ...(unanswered === null ? {} : { before: unanswered }),
      ...(end === null ? {} : { end }),
    });
    copy.#core.reset.due.owe(this.#core.reset.due.owed);
    const { logonRate, time } = this.#core;
    copy.#core.time.continueFrom(time);
    copy.#core.logonRate = logonRate?.withMax(logonRate.max) ?? null;
    return copy;
  }

  /** The reason why a proven Logon is dropped without an answer now; null if it is heard. Changes nothing. */
  dropsLogon(now: EpochMs): string | null {
    const { logonRate, time } = this.#core;
    return logonRate?.drops(time.peek(now)) === true
      ? `more than ${logonRate.max} Logons within a minute, and told so`
      : null;
  }

  get numbers(): SessionNumbers {
    return this.#core.numbers();
  }

  /** Number of our next message: for who asks with each message, and keeps nothing. */
  get nextSenderMsgSeqNum(): number {
    return this.#core.sequence.nextSenderMsgSeqNum;
  }

  /** Whether application messages go out at once: between Logon and the first Logout of either side. */
  get loggedOn(): boolean {
    return this.#core.state === 'loggedOn';
  }

  /** How the last logged-on time ended, until its configured consequences are done. */
  get end(): LoggedOffBy | null {
    return this.#core.connection.end;
  }

  /** A resend is under way: messages sent now wait behind it. */
  get resending(): boolean {
    return this.#core.recovery.replay !== null;
  }

  /** Gap fills written so far: with each, perishable messages may be lost to the counterparty. */
  get gapFills(): number {
    return this.#core.recovery.gapFills;
  }

  get status(): SessionStatus {
    const core = this.#core;
    const {
      recovery: { gap, replay },
      reset: { running: reset },
    } = core;
    const shown = (at: EpochMs): EpochMs | null => (at === 0 ? null : core.time.clockAt(at));
    return {
      sessionId: core.config.sessionId,
      state: core.state,
      since: shown(core.connection.since),
      remote: core.connection.remote,
      numbers: core.numbers(),
      provenMsgSeqNum: core.sequence.provenMsgSeqNum,
      heartBtIntS: core.connection.heartBtIntS,
      lastReceivedAt: shown(core.connection.lastReceivedAt),
      lastSentAt: shown(core.connection.lastSentAt),
      testRequestOutstanding: core.connection.testRequests.sentAt !== null,
      opening: core.opening?.status ?? null,
      gap: gap.asked === null ? null : { ...gap.asked, queued: gap.queued },
      replay: replay === null ? null : { next: replay.read.next, end: replay.end, held: replay.held.length },
      reset: reset === null ? null : { logonSent: reset.phase === 'logonSent', since: core.time.clockAt(reset.since) },
    };
  }

  /** The status with the schedule's state at that time; a session without a connection does not receive it. */
  statusAt(now: EpochMs): SessionStatus {
    return { ...this.status, opening: this.#core.opening?.statusAt(now) ?? null };
  }

  /** The connection was given up: nothing that still arrives on it is looked at. */
  get isClosing(): boolean {
    return this.#core.state === 'closing';
  }

  /** Messages of the counterparty that were kept wait for a `tick`, which takes some of them: feed no other message before. */
  get isDraining(): boolean {
    return isDraining(this.#core);
  }

  /** When the machine wants a `tick`, or null. */
  deadline(): EpochMs | null {
    const { opening, state } = this.#core;
    if (isDraining(this.#core)) return this.#core.clock;
    const steady = nextDeadline(this.#core);
    const deadline = steady === null ? null : this.#core.time.clockAt(steady);
    const boundary = opening === null ? null : opening.deadline(state !== 'disconnected');
    return deadline === null || boundary === null ? (deadline ?? boundary) : Math.min(deadline, boundary);
  }

  /** A Logout(5) that uses no number, for a session with a journal that records nothing any more. */
  unrecordedLogout(text: string, now: EpochMs): Buffer {
    const core = this.#core;
    core.clock = now;
    return core.encode(core.logoutDraft(text, SessionStatusCode.LogoutComplete), core.sequence.nextSenderMsgSeqNum);
  }

  /** Take one input, and return its effects as {@link handleInto} says them. */
  handle(input: SessionInput, now: EpochMs): SessionEffect[] {
    const effects: SessionEffect[] = [];
    this.handleInto(input, now, effects);
    return effects;
  }

  /**
   * Take one input. Its effects are pushed in the order in which they are to be executed, while it is taken: `out` must not
   * come back to this machine. Each message is persisted before it is transmitted, and an inbound message is persisted just
   * before it is delivered.
   */
  handleInto(input: SessionInput, now: EpochMs, out: EffectSink): void {
    const core = this.#core;
    core.out = out;
    core.beginTurn(now);
    if (core.opening?.isDue(core.clock)) this.#boundary(core.opening);
    this.#take(input);
    if (core.connection.owedLogout !== null) settleLogout(core, core.connection.owedLogout);
    if (core.reset.due.owed !== null && core.state === 'loggedOn') {
      this.#resetWithin(core.reset.due.owed, true);
      core.reset.due.take();
    }
    if (core.reset.running !== null) advanceReset(core);
    watchThreshold(core);
  }

  /** The schedule opens, closes or resets; requests of this moment come after it. */
  #boundary(opening: Opening): void {
    const core = this.#core;
    const resetAt = opening.advance(core.clock);
    // A Logon that is just coming is refused with a word (logon.ts).
    if (!opening.open && (core.state === 'loggedOn' || core.state === 'logonSent')) {
      tellStandstill(core);
      beginLogout(core, opening.closedText);
    }
    if (resetAt === null || (core.sequence.nextSenderMsgSeqNum === 1 && core.sequence.nextTargetMsgSeqNum === 1))
      return;
    const why = `reset time ${formatIso(resetAt)}`;
    if (core.config.resetsWithinSession === true && core.version.resetSeqNumFlag) {
      // An initiator that is not logged on says so in its next Logon.
      if (core.state === 'loggedOn' || core.config.role === 'acceptor') {
        oweReset(core, 'schedule', why);
        return;
      }
    }
    tellStandstill(core);
    const change = { nextSenderMsgSeqNum: null, nextTargetMsgSeqNum: null, reset: true, who: 'schedule', why };
    setNumbers(core, change, 'sequence numbers begin again now, as scheduled');
  }

  /** Nothing more can be read. */
  #unframed(notice: GarbledNotice): void {
    const core = this.#core;
    const isOverLimit = notice.reason === 'tooLong' || notice.reason === 'tooManyFields';
    if (isOverLimit && isSequenced(core.state)) this.#overLimit(notice);
    else core.disconnect('disconnect', `no FIX message to be found: ${notice.text}`);
  }

  /**
   * The message is not counted: only its head is known, and after the next Logon it would be requested and come again.
   * So its sender learns how to pass over it, and operators get one alarm for each expected number.
   */
  #overLimit({ text, bytes }: GarbledNotice): void {
    const core = this.#core;
    const awaited = core.sequence.nextTargetMsgSeqNum;
    const msgSeqNum = msgSeqNumIn(bytes);
    const which = msgSeqNum === null ? 'A message' : `MsgSeqNum(34)=${msgSeqNum}`;
    if (this.#overLimitAt !== awaited) {
      this.#overLimitAt = awaited;
      const behind = msgSeqNum === awaited ? awaited + 1 : null;
      const alone = `else \`crossgate sessions reset NAME --target ${behind} --why "…"\` passes over it, and its content is lost`;
      core.alarm(
        'message-over-limit',
        `${which} of the counterparty is over the limit of this side: ${text}. It comes again with every resend: the counterparty passes over it by a SequenceReset(4) with GapFillFlag(123)=Y, or \`fix.limits\` is raised${behind === null ? '' : `; ${alone}`}`,
        { awaited: String(awaited), msgSeqNum: String(msgSeqNum ?? '') },
      );
    }
    const remedy = 'it was not taken; fill the gap with SequenceReset(4) and GapFillFlag(123)=Y in its place';
    core.logoutAndDisconnect(`${which} is over the limit of this side: ${text}; ${remedy}`);
  }

  #take(input: SessionInput): void {
    const core = this.#core;
    switch (input.kind) {
      case 'connected':
        this.#connected(input.remote);
        return;
      case 'message':
        this.#message(input);
        return;
      case 'garbled':
        core.logUnsequenced('in', input.notice.bytes, `garbled: ${input.notice.reason}`);
        core.note('warn', `garbled message ignored: ${input.notice.text}`);
        core.connection.garbled(core.now);
        if (input.notice.fatal) this.#unframed(input.notice);
        else if (isSequenced(core.state) && !endIfTooMany(core, null)) {
          if (rejectGarbled(core, input.notice)) drain(core);
          else askAgain(core);
        }
        return;
      case 'disconnected':
        this.#disconnected();
        return;
      case 'send':
        if (input.perishable !== true) {
          if (followsRepetition(core, input.draft)) sendBehindRepetition(core, input.draft);
          else core.send(input.draft);
          if (input.draft.msgType === MsgType.OrderCancelReject) countCancelReject(core);
        } else if (core.state === 'loggedOn') core.send(input.draft, true);
        return;
      case 'outboundLoaded':
        // Reads of a resend without its connection have no receiver.
        if (!continueReplay(core, input.requestId, input.messages)) {
          continueRepeat(core, input.requestId, input.messages);
        }
        return;
      case 'outboundWaits':
        this.#outboundWaits(input.requestId, input.waitsFor);
        return;
      case 'outboundFailed':
        // Without a connection it is asked for again after the next Logon.
        if (core.state === 'loggedOn' && this.#readOf(input.requestId)) core.logoutAndDisconnect(RESEND_IMPOSSIBLE);
        return;
      case 'repeat':
        requestRepeat(core, input.afterExecID);
        return;
      case 'reading':
        noteReading(core, input.isRead);
        return;
      case 'logout':
        beginLogout(core, input.text);
        return;
      case 'setNumbers':
        if (input.within === true && core.state === 'loggedOn') this.#resetWithin(input, false);
        else if (input.isOwed === true && isToBeTold(core)) oweReset(core, input.who, input.why);
        else setNumbers(core, input, 'sequence numbers are being set by an operator');
        return;
      case 'tick':
        if (isDraining(core)) drain(core);
        tick(core);
        return;
      default:
        unreachable(input);
        return;
    }
  }

  /** The read of a resend or of a repetition; none if its connection is gone. */
  #readOf(requestId: number): ResendRead | undefined {
    const {
      recovery: { replay },
      reset: { repeat },
    } = this.#core;
    return [replay, repeat].find((one) => one?.read.isAnsweredBy(requestId))?.read;
  }

  #outboundWaits(requestId: number, waitsFor: LoadWaitsFor): void {
    const core = this.#core;
    const read = this.#readOf(requestId);
    if (read === undefined) return;
    read.waitFor(waitsFor, core.now);
    if (waitsFor === 'counterparty') core.note('info', 'the counterparty does not read: the resend waits for it');
  }

  #connected(remote: string): void {
    const core = this.#core;
    assert(core.state === 'disconnected', 'a session has one connection at a time');
    core.connection.opened(remote, core.now);
    resetAfterEnd(core);
    core.connection.forgetLogout();
    if (core.config.role === 'acceptor') {
      core.enter('awaitingLogon');
      return;
    }
    core.enter('logonSent');
    if (core.opening?.open === false) core.disconnect('disconnect', core.opening.closedText);
    else sendLogon(core);
  }

  #message(input: SessionInput & { kind: 'message' }): void {
    const core = this.#core;
    switch (core.state) {
      case 'awaitingLogon':
        receiveLogon(core, input.view, input.authentication);
        return;
      case 'logonSent':
        receiveLogonAnswer(core, input.view);
        return;
      case 'loggedOn':
      case 'logoutSent':
      case 'logoutReceived':
        receive(core, input.view, input.authentication);
        return;
      case 'closing':
      case 'disconnected':
        return;
    }
  }

  #disconnected(): void {
    const core = this.#core;
    if (core.state === 'disconnected') return;
    const orderly = core.state === 'logoutReceived' || core.connection.owedLogout?.answers === true;
    // Some venues refuse such a stranger silently.
    if (core.state === 'logonSent') core.note('warn', 'the connection ended before our Logon(A) was answered');
    const { now } = core;
    const { series, provenMsgSeqNum } = core.sequence;
    const stuck = core.recovery.stuckResend.ended(core.state === 'loggedOn' && !orderly, series, provenMsgSeqNum, now);
    if (stuck !== null) core.alarm('resend-stuck', stuck, {});
    core.enter('disconnected');
    core.forgetConnection();
    core.connection.closed();
    if (orderly) core.reportLogoutReceived();
    else core.reportLoggedOff('disconnect', 'connection lost');
    resetAfterEnd(core);
    applyPending(core);
  }

  #resetWithin(wish: OwedReset, isOwed: boolean): void {
    const refused = beginReset(this.#core, wish, isOwed);
    if (refused !== null) this.#core.note('warn', `no reset within the session: ${refused}`, { who: wish.who });
  }
}
