// Logon(A): an acceptor's acceptance and answer, an initiator's sending and acceptance, and ResetSeqNumFlag(141).
// Nothing changes before every check has passed (rule S1). Leaves the checks to logon-refusal.ts, and those of
// credentials to the engine.

import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import { isResetAt, type SessionConfig } from '../config.ts';
import { type SessionCore, SessionStatusCode } from '../core.ts';
import type { Authentication } from '../input.ts';
import { recordedBytes } from '../messages/recorded-bytes.ts';
import type { SessionNumbers } from '../port.ts';
import { startReplay } from '../recovery/replay.ts';
import { askForGap } from '../recovery/resend-request.ts';
import { settleDue } from '../reset/due-reset.ts';
import { resetBySetting, resetSeries, startRepeat, takeBackReset } from '../reset/repeat-reports.ts';
import { sessionVersion } from '../versions.ts';
import {
  answersRefusal,
  asksReset,
  isAtLimit,
  nextExpectedRefusal,
  type Refusal,
  refusal,
  refusalOf,
  sequenceRefusal,
  termsRefusal,
} from './logon-refusal.ts';

/** The first message of a connection, on the acceptor's side. */
export function receiveLogon(core: SessionCore, view: MessageView, authentication: Authentication): void {
  const raw = recordedBytes(view);
  if (view.msgType !== MsgType.Logon) {
    // A reply would consume a number and tell a stranger who lives here (test cases 1S-e and 2S).
    core.logUnsequenced('in', raw, 'first message is not a Logon');
    core.disconnect('disconnect', 'first message is not a Logon(A)');
    return;
  }
  if (authentication.kind !== 'accepted') {
    // A stranger changes nothing (rule S1).
    const refused = authentication.kind === 'refused' ? authentication : refusal('Logon was not authenticated');
    refuseUncounted(core, raw, refused, true);
    return;
  }
  if (core.opening?.open === false) {
    // Until the opening nothing changes: numbers may be reset by then.
    const answered = answersRefusal(core.config.onRefusal ?? 'logout', view);
    refuseUncounted(core, raw, refusal(core.opening.closedText), answered);
    return;
  }
  const reset = asksReset(core, view);
  const refusedTerms = refusalOf(core, view) ?? termsRefusal(core, view);
  if (refusedTerms === null && refuseTooMany(core, raw)) return;
  if (refusedTerms === null && !reset) {
    settleDue(core, view);
    settleUnanswered(core, view);
    resetBySetting(core, 'logon');
  }
  const refused = refusedTerms ?? sequenceRefusal(core, view, reset);
  if (refused !== null) {
    // The counterparty is who it says: its Logon is not counted, but our Logout is numbered. Engines that count every
    // Logout they get would otherwise find the next Logon's number too low; those that do not ask for it and go on.
    core.logUnsequenced('in', raw, 'Logon refused');
    const isSilent = refused.isSilenced === true && core.config.onRefusal === 'silence';
    if (!isSilent) core.sendLogout(refused.text, refused.sessionStatus);
    core.note('warn', `Logon(A) refused: ${refused.text}`);
    const remedy = refused.sessionStatus === SessionStatusCode.MsgSeqNumTooLow ? remedyFor(view) : '';
    core.tellLogonRefused(`the counterparty's Logon(A) is refused: ${refused.text}${remedy}`);
    if (!isSilent) beginAnewAfterRefusal(core);
    core.disconnect('disconnect', `Logon(A) refused: ${refused.text}`);
    return;
  }
  core.logonRate?.take(core.now, reset);
  takeHeartBtInt(core, view);
  if (reset) {
    core.reset.due.take();
    resetSeries(core, 'counterparty', 'ResetSeqNumFlag(141)=Y in Logon(A)');
  }
  const nextExpected = core.version.nextExpected ? view.int(Tag.NextExpectedMsgSeqNum) : null;
  core.connection.marked(core.version.testMessageIndicator && view.boolean(Tag.TestMessageIndicator) === true);
  const { sessionStatus } = authentication;
  const cancels = chosenCancelOnDisconnect(core, view);
  const answer = (): number =>
    core.send(acceptorLogon(core, { reset, nextExpected: nextExpected !== null, sessionStatus, cancels }));
  // After a reset, 789 can refer to no message before the Logon, whatever its value.
  establish(core, view, answer, reset ? null : nextExpected);
}

/**
 * Refuse a Logon beyond the rate, and report the loop once a minute. Only then the Logon is recorded: the rest say the same. The
 * first few refusals of a minute are answered with a Logout(5).
 */
function refuseTooMany(core: SessionCore, raw: Buffer): boolean {
  const { logonRate } = core;
  const waitMs = logonRate?.waitMs(core.now) ?? 0;
  if (logonRate === null || waitMs === 0) return false;
  const { max, resets } = logonRate;
  const text = `more than ${max} Logons within a minute: log on again in ${Math.ceil(waitMs / 1000)} s`;
  const isTold = logonRate.tells(core.now);
  if (isTold) {
    const loop = resets > 1 ? `, ${resets} of them with ResetSeqNumFlag(141)=Y` : '';
    core.alarm(
      'logon-loop',
      `the counterparty logs on in a loop: ${max} Logons within a minute${loop}; further ones are refused`,
      { logons: `${max}`, resets: `${resets}` },
    );
  }
  refuseUncounted(core, raw, refusal(text), logonRate.answers(core.now), isTold);
  return true;
}

/** The Logout(5) of a refusal used a number: a session that begins again after each connection does so after this one too. */
function beginAnewAfterRefusal(core: SessionCore): void {
  if (isResetAt(core.config, 'disconnect')) core.connection.endsAs('disconnect');
}

/**
 * MsgSeqNum(34) of a Logout that consumes no number (rule S1). It reveals nothing of the session to a stranger. Engines
 * that count a Logout only with the expected number do not count it.
 */
const UNCOUNTED_MSG_SEQ_NUM = 1;

/**
 * Refuse a Logon without a number changing; `answered`: with a Logout, else by the closed connection alone; `isRecorded`: the
 * Logon is, for the message log.
 */
function refuseUncounted(
  core: SessionCore,
  raw: Buffer,
  { text, sessionStatus }: Refusal,
  answered: boolean,
  isRecorded = true,
): void {
  if (isRecorded) core.logUnsequenced('in', raw, 'Logon refused');
  core.note('warn', 'Logon(A) refused', { text });
  if (answered) {
    const frame = core.encode(core.logoutDraft(text, sessionStatus), UNCOUNTED_MSG_SEQ_NUM);
    core.logUnsequenced('out', frame, 'Logon refused');
    core.transmit(frame);
  }
  core.disconnect('disconnect', `Logon(A) refused: ${text}`);
}

/**
 * An acceptor may have reset without an answer, or because the connection ended. The next Logon shows whether the
 * counterparty did too. A Logon that continues the old numbers restores them, in a series of their own. A reset is
 * confirmed only once such a Logon is accepted: a refused one may be followed by one in the old numbers.
 */
function settleUnanswered(core: SessionCore, view: MessageView): void {
  const ended = core.reset.unanswered;
  if (ended === null || isResetTaken(core, view, ended)) return;
  core.reset.unansweredSince(null);
  takeBackReset(core, ended);
}

/**
 * A number below the old one belongs to the new series. Any other number may belong to either, because the counterparty
 * may have sent more in the new series, unheard, than in the old. Then its count of our messages decides, if that fits
 * the new series alone. It has at least two messages of the old series: the Logon and the TestRequest before the reset.
 * Of the new series it has at least the Logon, if one was sent; a reset at the end of a connection sends none. Some
 * engines send 369=0 always, or count one too many, so 369 alone decides nothing.
 */
function isResetTaken(core: SessionCore, view: MessageView, ended: SessionNumbers): boolean {
  const msgSeqNum = view.int(Tag.MsgSeqNum)!;
  // Where nothing of the old one was counted, its Logon stood behind a gap.
  if (msgSeqNum < ended.nextTargetMsgSeqNum || msgSeqNum === 1) return true;
  const nextExpected = core.version.nextExpected ? view.int(Tag.NextExpectedMsgSeqNum) : null;
  const processed = core.version.lastMsgSeqNumProcessed ? view.int(Tag.LastMsgSeqNumProcessed) : null;
  const expectsOfUs = nextExpected ?? (processed === null ? null : processed + 1);
  // Of the old one it has had our Logon.
  if (nextExpected === 1) return true;
  if (expectsOfUs === null || expectsOfUs > core.sequence.nextSenderMsgSeqNum) return false;
  return (expectsOfUs === 2 && core.sequence.isSeriesSaid) || expectsOfUs > ended.nextSenderMsgSeqNum;
}

/** Beat as a Logon(A) says that was taken. */
export function takeHeartBtInt(core: SessionCore, view: MessageView): void {
  core.connection.beat(view.int(Tag.HeartBtInt)!);
}

/** Count the Logon, answer it, report the session, then recover either side's gaps, in this order. */
function establish(core: SessionCore, view: MessageView, answer: () => void, nextExpected: number | null): void {
  const msgSeqNum = view.int(Tag.MsgSeqNum)!;
  const inSequence = msgSeqNum === core.sequence.nextTargetMsgSeqNum;
  core.connection.received(core.now);
  core.sequence.proofAwaited(core.now);
  if (inSequence) core.count(view, msgSeqNum);
  else {
    core.recovery.gap.keep(msgSeqNum, { raw: recordedBytes(view), processed: true });
    // Nothing is counted yet that would say so after a restart, and the next Logon may not show it any more.
    if (core.reset.unanswered !== null) core.setNumbers(core.numbers(), 'session', 'our unanswered reset was taken');
  }
  const lastBefore = core.sequence.nextSenderMsgSeqNum - 1;
  answer();
  core.reset.unansweredSince(null);
  core.enter('loggedOn');
  core.connection.loggedOn();
  core.objections.loggedOn(msgSeqNum, core.now);
  core.persist({ kind: 'state', sessionId: core.config.sessionId, loggedOn: true });
  const cancels = core.config.role === 'acceptor' ? chosenCancelOnDisconnect(core, view) : null;
  core.out.push({ kind: 'loggedOn', ...(cancels === null ? {} : { cancelOnDisconnect: cancels }) });
  // Messages after an initiator's Logon were not sent, and the acceptor sees no gap before a later message.
  const unsentFrom =
    core.config.role === 'initiator' ? core.connection.logonMsgSeqNum + 1 : core.sequence.nextSenderMsgSeqNum;
  if (nextExpected === null && unsentFrom <= lastBefore) startReplay(core, unsentFrom, lastBefore);
  if (nextExpected !== null) {
    core.prove(nextExpected - 1);
    // The gap fill covers our Logon (FIX session layer, "Using NextExpectedMsgSeqNum"): an engine that ignores messages
    // above a gap has not counted it.
    if (nextExpected <= lastBefore) startReplay(core, nextExpected, core.sequence.nextSenderMsgSeqNum - 1);
    // We announced our own expectation in the answer: the counterparty fills the gap unasked.
    const range = core.recovery.gap.nextRange(core.sequence.nextTargetMsgSeqNum, 0);
    if (range !== null) core.recovery.gap.ask(range, core.now, true);
  } else askForGap(core);
  startRepeat(core);
}

/** CancelOnDisconnect(9001) of a Logon within the limits of the session (rule C1); null: the counterparty chooses nothing. */
function chosenCancelOnDisconnect({ config: { cancelOnDisconnect } }: SessionCore, view: MessageView): boolean | null {
  const wanted = cancelOnDisconnect === undefined ? null : view.boolean(Tag.CancelOnDisconnect);
  if (cancelOnDisconnect === undefined || wanted === null) return null;
  const { isOn, mayOn, mayOff } = cancelOnDisconnect;
  return wanted ? isOn || mayOn : isOn && !mayOff;
}

/** Fields of an acceptor's Logon besides the session's usual ones. */
interface LogonTerms {
  /** ResetSeqNumFlag(141)=Y. */
  readonly reset: boolean;
  /** NextExpectedMsgSeqNum(789). */
  readonly nextExpected?: boolean;
  /** TestMessageIndicator(464)=Y; default: as the counterparty's Logon had it. */
  readonly isTest?: boolean;
  /** SessionStatus(1409); default: active. */
  readonly sessionStatus?: string | undefined;
  /** CancelOnDisconnect(9001) in force; null where the counterparty chose nothing. */
  readonly cancels?: boolean | null;
}

/**
 * Whether our Logon answer has Text(58): Logon(A) has it from FIXT.1.1 on. A dictionary without it would refuse the answer: that
 * of an older version, and the exchange's own in the venue dialect (rules D1, S8).
 */
export function sendsLogonText({
  beginString,
  sendsSessionStatus,
}: Pick<SessionConfig, 'beginString' | 'sendsSessionStatus'>): boolean {
  return !sendsSessionStatus && sessionVersion(beginString)?.logonText === true;
}

/** The Logon of an acceptor, an answer nearly always. */
export function acceptorLogon(core: SessionCore, terms: LogonTerms): MessageDraft {
  const { config, version } = core;
  const {
    reset,
    nextExpected = false,
    isTest = core.connection.isTest,
    sessionStatus = SessionStatusCode.Active,
    cancels = null,
  } = terms;
  const draft = new MessageDraft(MsgType.Logon)
    .add(Tag.EncryptMethod, '0')
    .add(Tag.HeartBtInt, `${core.connection.heartBtIntS}`);
  if (reset) draft.add(Tag.ResetSeqNumFlag, 'Y');
  if (nextExpected) draft.add(Tag.NextExpectedMsgSeqNum, `${core.sequence.nextTargetMsgSeqNum}`);
  if (isTest) draft.add(Tag.TestMessageIndicator, 'Y');
  if (version.applVerID) draft.add(Tag.DefaultApplVerID, core.defaultApplVerID);
  if (config.sendsSessionStatus) draft.add(Tag.SessionStatus, sessionStatus);
  if (sendsLogonText(config)) draft.addIf(Tag.Text, config.logonText);
  if (cancels !== null) draft.add(Tag.CancelOnDisconnect, cancels ? 'Y' : 'N');
  return draft;
}

/**
 * An initiator's Logon, sent when its connection is up. While nothing was received in a new series the acceptor has not
 * confirmed its beginning: the Logon is number 1 and asks for the reset, again if need be.
 */
export function sendLogon(core: SessionCore): void {
  const { config, version } = core;
  resetBySetting(core, 'logon');
  // A session that resets by setting cannot know whether its counterparty did: it says so each time that it begins at 1.
  const begins = core.sequence.series > 1 || (config.resetOn ?? []).length > 0;
  const isUnconfirmed = core.sequence.nextTargetMsgSeqNum === 1 && !core.sequence.firstByHand;
  core.connection.asksReset(version.resetSeqNumFlag && begins && isUnconfirmed);
  if (core.connection.resetSent && core.sequence.nextSenderMsgSeqNum > 1) {
    resetSeries(core, 'session', 'the counterparty has not confirmed the reset before');
  }
  if (isAtLimit(core)) {
    const text = `no Logon(A) is sent: MsgSeqNum(34) has reached the limit ${config.seqNumMax}, both sides have to begin again at 1`;
    core.tellLogonRefused(text);
    core.disconnect('disconnect', text);
    return;
  }
  core.connection.beat(config.heartBtIntS);
  core.connection.logonSent(core.send(initiatorLogon(core, core.connection.resetSent, core.announcesNextExpected)));
}

/** The Logon of an initiator, which is the next message that is sent, now. */
export function initiatorLogon(
  core: SessionCore,
  reset: boolean,
  nextExpected = false,
  heartBtIntS = core.config.heartBtIntS,
): MessageDraft {
  const { config, version } = core;
  const draft = new MessageDraft(MsgType.Logon).add(Tag.EncryptMethod, '0').add(Tag.HeartBtInt, `${heartBtIntS}`);
  if (reset) draft.add(Tag.ResetSeqNumFlag, 'Y');
  if (nextExpected) draft.add(Tag.NextExpectedMsgSeqNum, `${core.sequence.nextTargetMsgSeqNum}`);
  if (version.testMessageIndicator && config.environment === 'test') draft.add(Tag.TestMessageIndicator, 'Y');
  if (version.applVerID) draft.add(Tag.DefaultApplVerID, core.defaultApplVerID);
  draft.addIf(Tag.Username, config.username);
  for (const [tag, value] of config.logonFields ?? []) draft.add(tag, value);
  addSignature(core, draft);
  return draft;
}

/** The Logon is the next message that is sent, now: its number and its time are known before it is written. */
function addSignature(core: SessionCore, draft: MessageDraft): void {
  const { logonSigner: signer, senderCompID, targetCompID } = core.config;
  if (signer === undefined) return;
  const signed = [MsgType.Logon, senderCompID, targetCompID, core.sequence.nextSenderMsgSeqNum, core.sendingTime()];
  const signature = signer.sign?.(signed.join('\x01')) ?? '*'.repeat(signer.length);
  draft.add(Tag.RawDataLength, `${signature.length}`).add(Tag.RawData, signature);
}

/** The first message of a connection, on the initiator's side. */
export function receiveLogonAnswer(core: SessionCore, view: MessageView): void {
  const { msgType } = view;
  const msgSeqNum = view.int(Tag.MsgSeqNum);
  if (msgType === MsgType.Logout) {
    // Not counted: an acceptor consumes no number for a Logon that it refuses (rule S1). If it did, a resend shows it.
    core.logUnsequenced('in', recordedBytes(view), 'Logon refused by the counterparty');
    // QuickFIX C++ says nothing where its schedule has the session closed.
    const reason =
      view.string(Tag.Text) ?? 'its Logout(5) gives no reason in Text(58); it may be closed by its schedule';
    const text = `Logon(A) refused by the counterparty: ${reason}`;
    core.tellLogonRefused(text);
    core.disconnect('disconnect', text);
    return;
  }
  if (msgType !== MsgType.Logon) {
    core.logUnsequenced('in', recordedBytes(view), 'first message is not a Logon');
    // An acceptor may reject a Logon by Reject(3), which says why, before it ends the connection (test case 1S-d).
    const isReject = msgType === MsgType.Reject;
    const why = isReject ? `rejected by the counterparty: ${view.string(Tag.Text) ?? ''}` : `answered by 35=${msgType}`;
    // It may be logged on, and miss messages of ours: many an engine counts a Logout(5) as the first of them (see logout.ts).
    const isGarbled = core.connection.garbledAt > Number.NEGATIVE_INFINITY;
    const text = `Logon(A) ${why}${isGarbled ? ', behind a garbled message' : ''}`;
    core.tellLogonRefused(text);
    core.note('warn', `session ended: ${text}`);
    if (!isGarbled) core.sendLogout('first message is not a Logon(A)', SessionStatusCode.LogoutComplete);
    core.disconnect('disconnect', isGarbled ? 'the answer to our Logon(A) may have been garbled' : text);
    return;
  }
  const reset = asksReset(core, view);
  const refused = refusalOf(core, view) ?? (reset ? null : nextExpectedRefusal(core, view));
  const { nextTargetMsgSeqNum } = core.sequence;
  let text = refused?.text ?? null;
  if (text === null && reset && !core.connection.resetSent) text = 'ResetSeqNumFlag(141)=Y was not asked for';
  // It would do the same at our next Logon, and at the one after that.
  let remedy =
    reset && !core.connection.resetSent ? '; if it does so each time, `resetOn: [logon]` has us ask for it' : '';
  if (text === null && msgSeqNum! < nextTargetMsgSeqNum) {
    text = `MsgSeqNum too low, expecting ${nextTargetMsgSeqNum} but received ${msgSeqNum}`;
    remedy = remedyFor(view);
  }
  if (text !== null) {
    core.logUnsequenced('in', recordedBytes(view), 'Logon answer not accepted');
    core.tellLogonRefused(`the counterparty's answer to our Logon(A) is not accepted: ${text}${remedy}`);
    core.logoutAndDisconnect(text);
    return;
  }
  // 789 in the answer shows that ours was understood, and the acceptor's gap.
  const nextExpected = core.announcesNextExpected && !reset ? view.int(Tag.NextExpectedMsgSeqNum) : null;
  takeHeartBtInt(core, view);
  establish(core, view, () => {}, nextExpected);
}

/**
 * Advice for operators if a counterparty resets with a number that is too low and without saying so; '' otherwise.
 * QuickFIX C++ spends its first number after our Logout(5) on a Logon(A) for a connection that it no longer has.
 */
function remedyFor(logon: MessageView): string {
  const again = 'behind one reset of this side by hand';
  switch (logon.int(Tag.MsgSeqNum)) {
    case 1:
      return `; if it begins at 1 each time, \`resetOn: [logon]\` has us do so too; if after each Logout(5) alone, \`resetOn: [logout]\` does, ${again}`;
    case 2:
      return `; if it begins again after each Logout(5), \`resetOn: [logout]\` has us do so too, ${again}`;
    default:
      return '';
  }
}
