// The session machine's state in four groups, each written by its own functions: connection, sequence, recovery, reset.
// And the few primitive operations: number a message, persist, transmit, change state, end the connection. Protocol decisions are in logon.ts, inbound.ts, admin.ts, replay.ts and
// liveness.ts. Messages that wait behind a resend or a reset are in waiting-messages.ts.

import { assert } from '../base/assert.ts';
import { SteadyTime } from '../base/steady-time.ts';
import type { EpochMs } from '../base/time.ts';
import { EXCHANGE_SESSION_STATUSES } from '../dictionary/mod.ts';
import { DataFields, MessageDraft, type MessageView, MsgType, maskShown, Tag } from '../wire/mod.ts';
import { isResetAt, type SessionConfig } from './config.ts';
import { ConnectionState } from './connection-state.ts';
import type { EffectSink } from './effect.ts';
import { LogonRate } from './logon/logon-rate.ts';
import { Objections } from './logon/objections.ts';
import { MessageRate } from './messages/message-rate.ts';
import { OutboundFrames } from './messages/outbound-frames.ts';
import { NOT_KEPT, recordedView } from './messages/recorded-bytes.ts';
import { SessionMessageRate } from './messages/session-message-rate.ts';
import type { LoggedOffBy, MessageValidator, RecoveredSession, SessionNumbers, SessionRecord } from './port.ts';
import { RecoveryState } from './recovery/recovery-state.ts';
import { holdBehind, holdForReset, releaseHeld } from './recovery/waiting-messages.ts';
import { ResetState } from './reset/reset-state.ts';
import { Sequence } from './sequence.ts';
import { isTransition, type SessionState } from './states.ts';
import { Opening } from './time/opening.ts';
import { isAdmin, isReport, isResendable, type SessionVersion, sessionVersion } from './versions.ts';

/** SessionStatus(1409) values that we send. */
export const SessionStatusCode = {
  Active: '0',
  LogoutComplete: '4',
  LogonsNotAllowed: '7',
  MsgSeqNumTooLow: '9',
  NextExpectedTooHigh: '10',
  SequenceThreshold: '101',
} as const;

const OF_NEW_PASSWORD: ReadonlySet<string> = new Set(['1', '2', '3']);

/** Largest credible MsgSeqNum(34): it fits the 32 bits of a journal and of most engines. */
export const MSG_SEQ_NUM_MAX = 0x7fff_ffff;

export class SessionCore {
  /** Replaced as a whole when an operator changes the session's settings. */
  config: SessionConfig;
  readonly version: SessionVersion;
  /** Replaced with the settings: the dialect has a part in it. */
  validator: MessageValidator;
  /** SubIDs or LocationIDs are part of the identity. */
  readonly hasSubIDs: boolean;
  /** Where SOH may stand in a value of this session's messages. */
  dataFields: DataFields;
  #frames: OutboundFrames;

  /** Takes the effects of the input being handled. */
  out: EffectSink = [];
  /** By which waits and ages are measured: it never goes back. */
  now: EpochMs = 0;
  /** Time of the clock, for SendingTime(52) and the schedule. */
  clock: EpochMs = 0;
  readonly time = new SteadyTime();

  state: SessionState = 'disconnected';
  readonly connection: Readonly<ConnectionState>;
  readonly sequence: Readonly<Sequence>;
  readonly recovery: Readonly<RecoveryState>;
  readonly reset: Readonly<ResetState>;
  readonly objections = new Objections();
  /** The schedule, or null for a session that is always open and never reset by time. */
  opening: Opening | null;
  /** The inbound rate, or null for none (rule S7). */
  rate: MessageRate | null;
  readonly sessionMessages = new SessionMessageRate();
  /** Successful Logons of an acceptor, or null for no limit. */
  logonRate: LogonRate | null;
  #loads = 0;

  constructor(config: SessionConfig, validator: MessageValidator, recovered: RecoveredSession | null) {
    const version = sessionVersion(config.beginString);
    assert(version !== null, `BeginString(8) of a session is known: ${config.beginString}`);
    this.config = config;
    this.version = version;
    this.validator = validator;
    this.dataFields = (validator.dataFields ?? DataFields.STANDARD).withSecrets(config.secretTags ?? []);
    this.#frames = new OutboundFrames(config, version, this.dataFields);
    this.hasSubIDs = this.#frames.hasSubIDs;
    const cutOff = (): LoggedOffBy => this.#followedAs('disconnect', recovered?.saidLogout === true);
    const end = recovered?.loggedOn === true ? cutOff() : (recovered?.end ?? null);
    this.connection = new ConnectionState(config.heartBtIntS, end);
    this.sequence = new Sequence(recovered);
    this.recovery = new RecoveryState(config.gapQueueMax);
    this.reset = new ResetState(config, recovered, this);
    this.rate = config.messageRate ? new MessageRate(config.messageRate) : null;
    this.logonRate = config.logonsPerMinute ? new LogonRate(config.logonsPerMinute) : null;
    this.opening = config.schedule ? new Opening(config.schedule, recovered?.countedAt ?? null) : null;
  }

  /** Go by other settings of the same session from now on. */
  applyConfig(config: SessionConfig, validator: MessageValidator): void {
    const before = this.config;
    if (JSON.stringify(config.schedule ?? null) !== JSON.stringify(before.schedule ?? null)) {
      // Reset times of the past that were not configured then are not made up for.
      this.opening = config.schedule ? new Opening(config.schedule, null) : null;
    }
    if (JSON.stringify(config.messageRate ?? null) !== JSON.stringify(before.messageRate ?? null)) {
      const settings = config.messageRate ?? null;
      this.rate = this.rate?.changedTo(settings) ?? (settings === null ? null : new MessageRate(settings));
    }
    const logons = config.logonsPerMinute ?? 0;
    if (logons !== (this.logonRate?.max ?? 0)) {
      this.logonRate = logons === 0 ? null : (this.logonRate?.withMax(logons) ?? new LogonRate(logons));
    }
    this.reset.due.under(config);
    if (config.seqNumMax !== before.seqNumMax) this.sequence.announced(false);
    this.recovery.gap.limit(config.gapQueueMax);
    this.config = config;
    this.dataFields = (validator.dataFields ?? DataFields.STANDARD).withSecrets(config.secretTags ?? []);
    if (config.timestampPrecision !== before.timestampPrecision) {
      this.#frames = new OutboundFrames(config, this.version, this.dataFields);
    }
    this.validator = validator;
    if (this.state === 'disconnected') this.connection.beat(config.heartBtIntS);
  }

  numbers(): SessionNumbers {
    return this.sequence.numbers();
  }

  note(level: 'debug' | 'info' | 'warn', text: string, fields: Readonly<Record<string, string>> = {}): void {
    this.out.push({ kind: 'note', level, text, fields });
  }

  alarm(alarm: string, text: string, fields: Readonly<Record<string, string>>): void {
    this.out.push({ kind: 'alarm', alarm, text, fields });
  }

  persist(record: SessionRecord): void {
    this.out.push({ kind: 'persist', record });
  }

  /** Record bytes that no number counts, for the message log only. */
  logUnsequenced(direction: 'in' | 'out', raw: Uint8Array, note: string): void {
    this.persist({ kind: 'unsequenced', sessionId: this.config.sessionId, direction, raw, note });
  }

  transmit(raw: Uint8Array): void {
    this.connection.sent(this.now);
    this.sequence.said();
    this.out.push({ kind: 'transmit', raw });
  }

  /**
   * A new input has come, when the clock showed this. If the clock was set back, remaining times and ages stay: otherwise
   * the session would send no Heartbeat and miss a dead counterparty until the clock is back where it was.
   */
  beginTurn(clock: EpochMs): void {
    const { aheadMs } = this.time;
    const before = this.clock;
    this.now = this.time.advance(clock);
    this.clock = clock;
    this.#frames.beginTurn();
    if (this.time.aheadMs === aheadMs) return;
    this.opening?.setBack(clock, before);
    this.note('warn', `the clock was set back by ${Math.round((this.time.aheadMs - aheadMs) / 1000)} s`);
  }

  /** SendingTime(52) of now, as precise as setting or version has it. */
  sendingTime(): string {
    return this.#frames.sendingTime(this.clock);
  }

  /** Write a frame with a number of the caller's choice: for gap fills and for messages that consume none. */
  encode(draft: MessageDraft, msgSeqNum: number, possDup = false): Buffer {
    return this.#frames.encode(draft, msgSeqNum, this.clock, possDup, this.lastMsgSeqNumProcessed());
  }

  /** DefaultApplVerID(1137) of a FIXT.1.1 session. */
  get defaultApplVerID(): string {
    return this.config.defaultApplVerID ?? '9';
  }

  /** Whether our Logon carries NextExpectedMsgSeqNum(789) unasked. */
  get announcesNextExpected(): boolean {
    return this.config.sendsNextExpectedMsgSeqNum === true && this.version.nextExpected;
  }

  /** LastMsgSeqNumProcessed(369) for a message of now, where it is sent. */
  lastMsgSeqNumProcessed(): number | undefined {
    return this.config.sendsLastMsgSeqNumProcessed === true && this.version.lastMsgSeqNumProcessed
      ? this.sequence.nextTargetMsgSeqNum - 1
      : undefined;
  }

  /**
   * Number a message, persist it, and transmit it if the state permits. Application messages leave only while logged
   * on; otherwise they wait in the journal for the counterparty's ResendRequest. Session messages leave whenever there
   * is a connection.
   * @param perishable record the number but not the bytes, because no receiver wants them later
   * @param repeats `stored` of the message of an ended series that this one repeats
   * @returns its MsgSeqNum(34)
   */
  send(draft: MessageDraft, perishable = false, repeats?: object): number {
    const raw = this.encode(draft, this.sequence.nextSenderMsgSeqNum);
    const msgSeqNum = this.sequence.take();
    const { msgType } = draft;
    const admin = isAdmin(msgType);
    const record: SessionRecord = {
      kind: 'outbound',
      sessionId: this.config.sessionId,
      series: this.sequence.series,
      msgSeqNum,
      msgType,
      resendable: !perishable && (!admin || isResendable(msgType)),
      raw: perishable ? NOT_KEPT : msgType === MsgType.Logon ? maskShown(raw, this.dataFields) : raw,
    };
    this.persist(repeats === undefined ? record : { ...record, repeats });
    if (isReport(msgType)) this.sequence.reported(msgSeqNum, this.now);
    else if (admin) this.proveNoReport(msgSeqNum);
    const isAway = this.state === 'disconnected' || this.state === 'closing';
    if (isAway || (!admin && this.state !== 'loggedOn')) {
      this.sequence.unsent.add(msgSeqNum, true);
      return msgSeqNum;
    }
    if (!admin) this.sessionMessages.sent();
    if (this.recovery.replay !== null) {
      this.sequence.unsent.add(msgSeqNum, true);
      holdBehind(this, this.recovery.replay, { msgSeqNum, msgType, raw });
    } else if (this.reset.running !== null && msgType !== MsgType.Logon) {
      if (this.reset.running.isHolding) this.sequence.unsent.add(msgSeqNum, true);
      holdForReset(this, this.reset.running, msgSeqNum, raw);
    } else {
      this.transmit(raw);
      // Whether a counterparty that has logged out reads on is not known.
      if (!admin && this.connection.owedLogout?.answers === true) this.sequence.unsent.add(msgSeqNum, false);
    }
    return msgSeqNum;
  }

  nextRequestId(): number {
    this.#loads++;
    return this.#loads;
  }

  /**
   * Count an inbound message and record it with the next expected number (rule J1). The record refers to the view's
   * bytes: copy them to keep them beyond the chunk.
   */
  count(view: MessageView, msgSeqNum: number, next = msgSeqNum + 1): void {
    this.sequence.counted(msgSeqNum, next);
    this.persist({
      kind: 'inbound',
      sessionId: this.config.sessionId,
      series: this.sequence.series,
      msgSeqNum,
      nextTargetMsgSeqNum: next,
      msgType: view.msgType,
      raw: recordedView(view),
    });
  }

  /** Set numbers without a message of their own; the record is the audit trail. */
  setNumbers(to: SessionNumbers, who: string, why: string): void {
    const from = this.numbers();
    const isNewSeries = this.sequence.set(to);
    this.persist({ kind: 'numbers', sessionId: this.config.sessionId, from, to, who, why });
    if (!isNewSeries) return;
    this.objections.beginSeries();
    this.recovery.clear();
  }

  /** Our messages up to this number are known to be received; never more than were sent (rule S2). */
  prove(msgSeqNum: number): boolean {
    if (!this.sequence.proved(msgSeqNum)) return false;
    this.persist({ kind: 'proven', sessionId: this.config.sessionId, series: this.sequence.series, msgSeqNum });
    return true;
  }

  /**
   * Mark numbers up to this one as holding no owed report. After a start the session does not know which numbers were
   * reports. Without the mark, a series of session messages alone would occupy a place among the owed series.
   */
  private proveNoReport(msgSeqNum: number): void {
    const owesReports = this.sequence.lastReportMsgSeqNum > this.sequence.provenMsgSeqNum;
    if (this.config.repeatsOnRequest === true && !owesReports) this.prove(msgSeqNum);
  }

  enter(state: SessionState): void {
    assert(isTransition(this.state, state), `no transition from ${this.state} to ${state}`);
    this.state = state;
    this.connection.entered(this.now);
  }

  /** The counterparty is authentic, and later attempts will fail as well: alert operators, once until it is logged on. */
  tellLogonRefused(text: string): void {
    if (this.objections.tellsRefusal()) this.alarm('logon-refused', text, {});
  }

  /** Report the end of the logged-on time that the counterparty's Logout(5) began. */
  reportLogoutReceived(): void {
    const { logoutText } = this.objections;
    this.reportLoggedOff('logout', logoutText === '' ? 'Logout(5) received' : `Logout(5) received: ${logoutText}`);
  }

  /** Report the end of the logged-on time, once. */
  reportLoggedOff(end: LoggedOffBy, reason: string): void {
    if (!this.connection.loggedOnReported) return;
    const followedAs = this.#followedAs(end, this.connection.logoutSaid);
    this.connection.loggedOff(followedAs);
    this.objections.loggedOff();
    // One that became a setting only afterwards finds a counterparty that has not begun again.
    const owes = isResetAt(this.config, followedAs) ? { end: followedAs } : {};
    this.persist({ kind: 'state', sessionId: this.config.sessionId, loggedOn: false, ...owes });
    this.out.push({ kind: 'loggedOff', end, reason });
  }

  /**
   * Logged-on time counts according to the settings. Without an answer to our Logout we cannot know whether the
   * counterparty read it and resets. The next Logon shows it: an initiator's by 141=Y, an acceptor's by its number
   * (logon.ts).
   */
  #followedAs(end: LoggedOffBy, logoutSaid: boolean): LoggedOffBy {
    const isTold = this.config.role === 'acceptor' || this.version.resetSeqNumFlag;
    return logoutSaid && isTold && !isResetAt(this.config, end) ? 'logout' : end;
  }

  /** Give the connection up: nothing that still arrives on it is looked at. */
  disconnect(end: LoggedOffBy, reason: string): void {
    if (this.state === 'closing' || this.state === 'disconnected') return;
    this.enter('closing');
    this.forgetConnection();
    this.reportLoggedOff(end, reason);
    this.out.push({ kind: 'disconnect', reason });
  }

  /** Drop everything that belonged to the connection: a later one must not meet a backlog of this one. */
  forgetConnection(): void {
    this.recovery.clear();
    this.connection.forget();
    this.objections.forgetConnection();
    this.reset.forgetConnection(this.config.role);
    this.rate?.newConnection(this.now);
    this.sessionMessages.newConnection();
    this.proveNoReport(this.sequence.nextSenderMsgSeqNum - 1);
  }

  /** Logout(5) with its Text(58) and, where configured, SessionStatus(1409) (rule D1). */
  logoutDraft(text: string, sessionStatus: string): MessageDraft {
    const draft = new MessageDraft(MsgType.Logout);
    if (this.config.sendsSessionStatus) {
      // The exchange's own FIX has fewer (rule D1), and no NewPassword(925), which these answer. Text(58) says the rest.
      const isKnown = EXCHANGE_SESSION_STATUSES.has(sessionStatus) || OF_NEW_PASSWORD.has(sessionStatus);
      draft.add(Tag.SessionStatus, isKnown ? sessionStatus : SessionStatusCode.LogoutComplete);
    }
    if (text !== '') draft.add(Tag.Text, text);
    return draft;
  }

  /**
   * Send Logout(5), after messages that wait for the answer to our reset. None is sent in the middle of a resend
   * (logout.ts).
   */
  sendLogout(text: string, sessionStatus: string): void {
    releaseHeld(this);
    this.connection.saidLogout();
    this.send(this.logoutDraft(text, sessionStatus));
  }

  /**
   * Logout(5) naming the reason, then the end of the connection, without waiting for an answer; in the middle of a resend the end
   * alone, for the Logout would cost the counterparty a message (logout.ts).
   */
  logoutAndDisconnect(text: string, sessionStatus: string = SessionStatusCode.LogoutComplete): void {
    this.note('warn', `session ended: ${text}`);
    if (this.recovery.replay === null) this.sendLogout(text, sessionStatus);
    this.disconnect('disconnect', text);
  }
}
