// State shared by all parts of the session machine, and the few primitive operations: number a message, persist,
// transmit, change state, end the connection. Protocol decisions are in logon.ts, inbound.ts, admin.ts, replay.ts and
// liveness.ts. Messages that wait behind a resend or a reset are in waiting-messages.ts.

import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import { EXCHANGE_SESSION_STATUSES } from '../dictionary/mod.ts';
import { DataFields, MessageDraft, type MessageView, MsgType, maskShown, Tag } from '../wire/mod.ts';
import { isResetAt, type SessionConfig } from './config.ts';
import type { EffectSink } from './effect.ts';
import { LogonRate } from './logon/logon-rate.ts';
import { Objections } from './logon/objections.ts';
import { MessageRate } from './messages/message-rate.ts';
import { OutboundFrames } from './messages/outbound-frames.ts';
import { NOT_KEPT, recordedView } from './messages/recorded-bytes.ts';
import { SessionMessageRate } from './messages/session-message-rate.ts';
import type {
  EndedSeries,
  LoggedOffBy,
  MessageValidator,
  NumbersChange,
  RecoveredSession,
  SessionNumbers,
  SessionRecord,
} from './port.ts';
import { InboundGap } from './recovery/gap.ts';
import { StuckResend } from './recovery/stuck-resend.ts';
import { holdBehind, holdForReset, type OwedLogout, type Replay, releaseHeld } from './recovery/waiting-messages.ts';
import { LiveOrders } from './reset/live-orders.ts';
import { DueReset } from './reset/owed-reset.ts';
import { type OwedSeries, type Repeat, recoveredSeries, unaskedRepeat } from './reset/owed-series.ts';
import { RepeatPatience } from './reset/repeat-patience.ts';
import type { SessionReset } from './reset/session-reset.ts';
import { UnsentNumbers, unsentOf } from './reset/unsent.ts';
import { isTransition, type SessionState } from './states.ts';
import { Opening } from './time/opening.ts';
import { TestRequests } from './time/test-request.ts';
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
  readonly gap: InboundGap;
  /** SubIDs or LocationIDs are part of the identity. */
  readonly hasSubIDs: boolean;
  /** Where SOH may stand in a value of this session's messages. */
  dataFields: DataFields;
  #frames: OutboundFrames;

  /** Takes the effects of the input being handled. */
  out: EffectSink = [];
  now: EpochMs = 0;

  state: SessionState = 'disconnected';
  since: EpochMs = 0;
  remote: string | null = null;

  series: number;
  nextSenderMsgSeqNum: number;
  nextTargetMsgSeqNum: number;
  provenMsgSeqNum: number;
  /** Orders with reports that wait for no owed ones. */
  readonly liveOrders = new LiveOrders();
  readonly repeatPatience = new RepeatPatience();
  /** Successful Logons of an acceptor, or null for no limit. */
  logonRate: LogonRate | null;
  /** Unsent messages of the present series. */
  readonly unsent = new UnsentNumbers();
  /** Highest number of a report in the present series, which needs proof of receipt (rule S2). */
  lastReportMsgSeqNum = 0;

  heartBtIntS = 0;
  lastReceivedAt: EpochMs = 0;
  lastSentAt: EpochMs = 0;
  /** Nothing that arrives on this connection is read for now (input `reading`). */
  isUnread = false;
  readonly testRequests = new TestRequests();
  /** Since when reports wait for a proof: from the first of them on, or from the last answer, Logon or end of a resend of ours. */
  unprovenSince: EpochMs = 0;
  /** When bytes that are no message came last on this connection; any of them may have been one. */
  garbledAt: EpochMs = Number.NEGATIVE_INFINITY;
  readonly objections = new Objections();
  /** `loggedOn` was reported and `loggedOff` not yet. */
  loggedOnReported = false;
  /** How the logged-on time ended, until the connection is gone too; at a start, if the process died before that. */
  end: LoggedOffBy | null;
  /** Our Logon of this connection carried ResetSeqNumFlag(141)=Y. */
  resetSent = false;
  /** MsgSeqNum(34) of the Logon that an initiator has begun this connection with. */
  logonMsgSeqNum = 0;
  /** A Logout(5) of ours went out on this connection, or on the one before. */
  logoutSaid = false;
  /** One that waits for the end of a resend (logout.ts). */
  owedLogout: OwedLogout | null = null;
  /** A reset within the session that our side has begun (reset-in-session.ts). */
  reset: SessionReset | null = null;
  readonly due: DueReset;
  /** An acceptor's numbers before a reset of its own that the counterparty has not shown to have made as well. */
  unanswered: SessionNumbers | null = null;
  /** Something of the present series left for the counterparty; where that is not known after a start, it may have. */
  isSeriesSaid = true;
  /** That 1 is expected next was set by an operator within the series: it is no reset that waits to be confirmed. */
  firstByHand: boolean;
  /** TestMessageIndicator(464)=Y was in the counterparty's Logon. */
  isTest = false;
  /** News(B) about the sequence threshold was sent in this series. */
  thresholdAnnounced = false;

  replay: Replay | null = null;
  /** Gap fills written by this process. */
  gapFills = 0;
  repeat: Repeat | null = null;
  /** Ended series that are still to be repeated, in order; at most `ENDED_SERIES_MAX` and one. */
  readonly ended: OwedSeries[];
  /** Those that a start found and that are not repeated, by setting: with the next reset they owe nothing any more. */
  readonly unwanted: EndedSeries[];
  /** In the order in which they were asked for. */
  readonly pendingNumbers: NumbersChange[] = [];
  /** The schedule, or null for a session that is always open and never reset by time. */
  opening: Opening | null;
  /** The inbound rate, or null for none (rule S7). */
  rate: MessageRate | null;
  readonly sessionMessages = new SessionMessageRate();
  readonly stuckResend = new StuckResend();
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
    this.gap = new InboundGap(config.gapQueueMax);
    const numbers = recovered?.numbers ?? { series: 1, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 };
    this.series = numbers.series;
    this.nextSenderMsgSeqNum = numbers.nextSenderMsgSeqNum;
    this.nextTargetMsgSeqNum = numbers.nextTargetMsgSeqNum;
    this.provenMsgSeqNum = recovered?.provenMsgSeqNum ?? 0;
    // After a restart nothing is known of which numbers were reports: ask for proof up to the last one.
    this.lastReportMsgSeqNum = this.nextSenderMsgSeqNum - 1;
    this.heartBtIntS = config.heartBtIntS;
    const cutOff = (): LoggedOffBy => this.#followedAs('disconnect', recovered?.saidLogout === true);
    this.end = recovered?.loggedOn === true ? cutOff() : (recovered?.end ?? null);
    const isSettled = config.role === 'initiator' || isResetAt(this.config, 'disconnect');
    this.unanswered = isSettled ? null : (recovered?.before ?? null);
    this.due = new DueReset(recovered, config);
    this.firstByHand = recovered?.firstByHand === true;
    if (recovered !== null) this.unsent.recover(unsentOf(recovered));
    const owes = recovered?.ended ?? [];
    // Without a request, the debt of an ended series never left.
    const isUnwanted = !config.repeatUnprovenReports && config.repeatsOnRequest === true;
    this.unwanted = isUnwanted ? [...owes] : [];
    const wanted = isUnwanted ? [] : owes;
    const { ended, unasked } = recoveredSeries(wanted, config.repeatsOnRequest === true);
    this.ended = ended;
    this.repeat = unaskedRepeat(this, unasked);
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
    this.due.under(config);
    if (config.seqNumMax !== before.seqNumMax) this.thresholdAnnounced = false;
    this.gap.limit(config.gapQueueMax);
    this.config = config;
    this.dataFields = (validator.dataFields ?? DataFields.STANDARD).withSecrets(config.secretTags ?? []);
    if (config.timestampPrecision !== before.timestampPrecision) {
      this.#frames = new OutboundFrames(config, this.version, this.dataFields);
    }
    this.validator = validator;
    if (this.state === 'disconnected') this.heartBtIntS = config.heartBtIntS;
  }

  numbers(): SessionNumbers {
    return {
      series: this.series,
      nextSenderMsgSeqNum: this.nextSenderMsgSeqNum,
      nextTargetMsgSeqNum: this.nextTargetMsgSeqNum,
    };
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
    this.lastSentAt = this.now;
    this.isSeriesSaid = true;
    this.out.push({ kind: 'transmit', raw });
  }

  /** A new input has come, at this time. */
  beginTurn(now: EpochMs): void {
    this.now = now;
    this.#frames.beginTurn();
  }

  /** SendingTime(52) of now, as precise as setting or version has it. */
  sendingTime(): string {
    return this.#frames.sendingTime(this.now);
  }

  /** Write a frame with a number of the caller's choice: for gap fills and for messages that consume none. */
  encode(draft: MessageDraft, msgSeqNum: number, possDup = false): Buffer {
    return this.#frames.encode(draft, msgSeqNum, this.now, possDup, this.lastMsgSeqNumProcessed());
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
      ? this.nextTargetMsgSeqNum - 1
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
    const msgSeqNum = this.nextSenderMsgSeqNum;
    const raw = this.encode(draft, msgSeqNum);
    const { msgType } = draft;
    const admin = isAdmin(msgType);
    this.nextSenderMsgSeqNum = msgSeqNum + 1;
    const record: SessionRecord = {
      kind: 'outbound',
      sessionId: this.config.sessionId,
      series: this.series,
      msgSeqNum,
      msgType,
      resendable: !perishable && (!admin || isResendable(msgType)),
      raw: perishable ? NOT_KEPT : msgType === MsgType.Logon ? maskShown(raw, this.dataFields) : raw,
    };
    this.persist(repeats === undefined ? record : { ...record, repeats });
    if (isReport(msgType)) {
      if (this.lastReportMsgSeqNum <= this.provenMsgSeqNum) this.unprovenSince = this.now;
      this.lastReportMsgSeqNum = msgSeqNum;
    } else if (admin) this.proveNoReport(msgSeqNum);
    const isAway = this.state === 'disconnected' || this.state === 'closing';
    if (isAway || (!admin && this.state !== 'loggedOn')) {
      this.unsent.add(msgSeqNum, true);
      return msgSeqNum;
    }
    if (!admin) this.sessionMessages.sent();
    if (this.replay !== null) {
      this.unsent.add(msgSeqNum, true);
      holdBehind(this, this.replay, { msgSeqNum, msgType, raw });
    } else if (this.reset !== null && msgType !== MsgType.Logon) {
      if (this.reset.isHolding) this.unsent.add(msgSeqNum, true);
      holdForReset(this, this.reset, msgSeqNum, raw);
    } else {
      this.transmit(raw);
      // Whether a counterparty that has logged out reads on is not known.
      if (!admin && this.owedLogout?.answers === true) this.unsent.add(msgSeqNum, false);
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
    assert(msgSeqNum === this.nextTargetMsgSeqNum && next > msgSeqNum, 'inbound messages are counted in order');
    this.nextTargetMsgSeqNum = next;
    this.persist({
      kind: 'inbound',
      sessionId: this.config.sessionId,
      series: this.series,
      msgSeqNum,
      nextTargetMsgSeqNum: next,
      msgType: view.msgType,
      raw: recordedView(view),
    });
  }

  /** Set numbers without a message of their own; the record is the audit trail. */
  setNumbers(to: SessionNumbers, who: string, why: string): void {
    const from = this.numbers();
    this.series = to.series;
    this.nextSenderMsgSeqNum = to.nextSenderMsgSeqNum;
    this.nextTargetMsgSeqNum = to.nextTargetMsgSeqNum;
    this.firstByHand = to.series === from.series && to.nextTargetMsgSeqNum === 1;
    this.persist({ kind: 'numbers', sessionId: this.config.sessionId, from, to, who, why });
    if (to.series === from.series) return;
    this.provenMsgSeqNum = 0;
    this.unsent.take();
    this.lastReportMsgSeqNum = 0;
    this.thresholdAnnounced = false;
    this.isSeriesSaid = false;
    this.objections.beginSeries();
    this.gap.clear();
    this.replay = null;
  }

  /** Our messages up to this number are known to be received; never more than were sent (rule S2). */
  prove(msgSeqNum: number): boolean {
    if (!(msgSeqNum > this.provenMsgSeqNum) || msgSeqNum >= this.nextSenderMsgSeqNum) return false;
    this.provenMsgSeqNum = msgSeqNum;
    this.unsent.left(1, msgSeqNum);
    this.persist({ kind: 'proven', sessionId: this.config.sessionId, series: this.series, msgSeqNum });
    return true;
  }

  /**
   * Mark numbers up to this one as holding no owed report. After a start the session does not know which numbers were
   * reports. Without the mark, a series of session messages alone would occupy a place among the owed series.
   */
  private proveNoReport(msgSeqNum: number): void {
    const owesReports = this.lastReportMsgSeqNum > this.provenMsgSeqNum;
    if (this.config.repeatsOnRequest === true && !owesReports) this.prove(msgSeqNum);
  }

  enter(state: SessionState): void {
    assert(isTransition(this.state, state), `no transition from ${this.state} to ${state}`);
    this.state = state;
    this.since = this.now;
  }

  /** Both are who they say, and later attempts will hardly fare better: a person has to know, once until they are logged on. */
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
    if (!this.loggedOnReported) return;
    this.loggedOnReported = false;
    this.objections.loggedOff();
    this.end = this.#followedAs(end, this.logoutSaid);
    // One that became a setting only afterwards finds a counterparty that has not begun again.
    const owes = isResetAt(this.config, this.end) ? { end: this.end } : {};
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
    this.replay = null;
    this.owedLogout = null;
    this.gap.clear();
    this.liveOrders.clear();
    this.repeatPatience.connectionEnded();
    this.testRequests.forget();
    this.isUnread = false;
    this.objections.forgetConnection();
    this.resetSent = false;
    this.garbledAt = Number.NEGATIVE_INFINITY;
    if (this.reset?.isOwed && this.reset.ended === null) this.due.owe(this.reset);
    // An initiator asks again with its next Logon (logon.ts).
    if (this.reset?.ended && !this.reset.isTaken && this.config.role === 'acceptor') this.unanswered = this.reset.ended;
    this.reset = null;
    this.rate?.newConnection(this.now);
    this.sessionMessages.newConnection();
    this.proveNoReport(this.nextSenderMsgSeqNum - 1);
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
    this.owedLogout = null;
    this.logoutSaid = true;
    this.send(this.logoutDraft(text, sessionStatus));
  }

  /**
   * Logout(5) naming the reason, then the end of the connection, without waiting for an answer; in the middle of a resend the end
   * alone, for the Logout would cost the counterparty a message (logout.ts).
   */
  logoutAndDisconnect(text: string, sessionStatus: string = SessionStatusCode.LogoutComplete): void {
    this.note('warn', `session ended: ${text}`);
    if (this.replay === null) this.sendLogout(text, sessionStatus);
    this.disconnect('disconnect', text);
  }
}
