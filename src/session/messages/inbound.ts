// Inbound messages of an established session: header checks, the sequence decision (expected, too high, too low), gaps,
// and the processing of messages in turn. FIX 4.4 vol. 2, "Message Recovery" and the session test cases 2-14. Messages
// behind a reset of ours, in two series of numbers, are inbound-behind-reset.ts's matter.
//
// Checks run in the order of their answers: faults that end the session first, then the sequence. Only a message in
// turn can be rejected, because a rejected message is counted.

import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import type { ValidationFault } from '../../dictionary/mod.ts';
import { type MessageView, MsgType, SessionRejectReason, Tag, viewOf } from '../../wire/mod.ts';
import { MSG_SEQ_NUM_MAX, type SessionCore, SessionStatusCode } from '../core.ts';
import type { Authentication } from '../input.ts';
import { beginLogout } from '../logon/logout.ts';
import type { AheadMessage } from '../recovery/gap.ts';
import { askForGap } from '../recovery/resend-request.ts';
import { countsBehindReset, isAheadOfAnswer, receiveBehindReset } from '../reset/inbound-behind-reset.ts';
import { receiveReset } from '../reset/reset-in-session.ts';
import { isSequenced } from '../states.ts';
import { isAdmin } from '../versions.ts';
import { handleAdmin, isActedOnAhead } from './admin.ts';
import { deliver, endIfExceeded, isPossDup, ratedAhead, rejectFaulty } from './delivery.ts';
import { endIfFlooded } from './flood-limit.ts';
import { fatalHeaderFault, headerFault } from './header.ts';
import { faultOf, newSeqNoOf } from './message-fault.ts';
import { recordedBytes } from './recorded-bytes.ts';
import { sendReject, valueIsIncorrect } from './reject.ts';

/** Kept messages that are processed at once. */
const DRAINED_MAX = 8;

/** Take a whole message of an established session. */
export function receive(core: SessionCore, view: MessageView, authentication: Authentication): void {
  const msgSeqNum = view.int(Tag.MsgSeqNum);
  if (view.beginString !== core.config.beginString) {
    core.logoutAndDisconnect(`Incorrect BeginString(8): expected ${core.config.beginString}`);
    return;
  }
  const isReset = view.msgType === MsgType.SequenceReset && view.boolean(Tag.GapFillFlag) !== true;
  // In reset mode any whole number will do (rule S12).
  const isNumber = isReset ? !Number.isNaN(msgSeqNum) : (msgSeqNum ?? 0) >= 1 && (msgSeqNum ?? 0) <= MSG_SEQ_NUM_MAX;
  if (msgSeqNum === null || !isNumber) {
    core.logoutAndDisconnect(msgSeqNum === null ? 'MsgSeqNum(34) missing' : 'MsgSeqNum(34) malformed');
    return;
  }
  const sendingTime = view.utcTimestamp(Tag.SendingTime);
  const fatal = fatalHeaderFault(core, view, sendingTime);
  const ended = core.reset.running?.ended ?? null;
  if (fatal !== null) {
    if (msgSeqNum === core.sequence.nextTargetMsgSeqNum && ended === null) core.count(view, msgSeqNum);
    else if (!countsBehindReset(core, view, msgSeqNum))
      core.logUnsequenced('in', recordedBytes(view), 'header problem');
    sendReject(core, view, msgSeqNum, fatal);
    core.logoutAndDisconnect(fatal.text);
    return;
  }
  core.connection.received(core.now);
  const isAhead = isAheadOfAnswer(core, view, msgSeqNum);
  const counted = isAhead || ended === null ? core.sequence : ended;
  if (endIfFlooded(core, view, msgSeqNum, counted.nextTargetMsgSeqNum)) return;
  // A Logon that comes again in a resend, as some engines have it, wishes for nothing any more.
  const asksReset = view.msgType === MsgType.Logon && view.boolean(Tag.ResetSeqNumFlag) === true && !isPossDup(view);
  if (!asksReset && receiveBehindReset(core, { view, msgSeqNum, sendingTime }, isAhead)) return;
  const processed = ended === null ? view.int(Tag.LastMsgSeqNumProcessed) : null;
  if (processed !== null && core.prove(processed)) core.reset.repeatPatience.answered();

  if (isReset) {
    sequenceReset(core, view, msgSeqNum, sendingTime);
    return;
  }
  if (asksReset && core.version.resetSeqNumFlag) {
    receiveReset(core, view, msgSeqNum, authentication);
    if (core.recovery.gap.queued > 0) takeAhead(core);
    return;
  }
  const expected = core.sequence.nextTargetMsgSeqNum;
  if (msgSeqNum < expected) {
    tooLow(core, view, msgSeqNum, sendingTime);
    return;
  }
  if (msgSeqNum > expected) {
    tooHigh(core, view, msgSeqNum, sendingTime);
    return;
  }
  // A copy of it may be kept, and its turn come just now.
  core.recovery.gap.take(expected);
  inSequence(core, view, msgSeqNum, sendingTime, null);
  drain(core);
}

/** The answer to our reset is here, and messages ahead of it have their turn. */
function takeAhead(core: SessionCore): void {
  drain(core);
  if (isSequenced(core.state)) askForGap(core);
}

/**
 * A number below the expected one: a repetition of a counted message, or a sequence that cannot be trusted any more.
 */
function tooLow(core: SessionCore, view: MessageView, msgSeqNum: number, sendingTime: EpochMs | null): void {
  if (isPossDup(view)) {
    core.logUnsequenced('in', recordedBytes(view), 'PossDup of a message already counted');
    const fault = headerFault(view, sendingTime);
    if (fault !== null) rejectFaulty(core, view, msgSeqNum, fault);
    if (fault !== null) logoutForOrigSendingTime(core, fault);
    return;
  }
  core.logUnsequenced('in', recordedBytes(view), 'MsgSeqNum too low');
  if (isAnsweredTooLow(core, view, sendingTime)) {
    core.note(
      'warn',
      `ResendRequest(2) with MsgSeqNum(34)=${msgSeqNum} answered, ${core.sequence.nextTargetMsgSeqNum} is expected`,
    );
    handleAdmin(core, view, msgSeqNum);
    return;
  }
  core.logoutAndDisconnect(
    `MsgSeqNum too low, expecting ${core.sequence.nextTargetMsgSeqNum} but received ${msgSeqNum}`,
    SessionStatusCode.MsgSeqNumTooLow,
  );
}

/** Test case 2f leaves the Logout(5) that follows the Reject(3) to each engine. */
function logoutForOrigSendingTime(core: SessionCore, fault: ValidationFault): void {
  if (core.config.origSendingTimeFault !== 'logout' || fault.refTagID !== Tag.OrigSendingTime) return;
  if (fault.sessionRejectReason !== Number(SessionRejectReason.SendingTimeAccuracyProblem)) return;
  beginLogout(core, fault.text);
}

/** By setting only: the specification ends the session for any number that is too low. */
function isAnsweredTooLow(core: SessionCore, view: MessageView, sendingTime: EpochMs | null): boolean {
  if (view.msgType !== MsgType.ResendRequest || core.config.resendRequestTooLow !== 'answer') return false;
  return core.state === 'loggedOn' && faultOf(core, view, sendingTime) === null;
}

/** A number above the expected one: keep the message, act at once if it must not wait (rule S10), request the gap. */
function tooHigh(core: SessionCore, view: MessageView, msgSeqNum: number, sendingTime: EpochMs | null): void {
  const waits = view.msgType === MsgType.TestRequest && core.config.testRequestAhead === 'wait';
  const ahead = isActedOnAhead(view.msgType) && !waits && faultOf(core, view, sendingTime) === null;
  const rated = ratedAhead(core, view, msgSeqNum);
  const kept = core.recovery.gap.keep(msgSeqNum, { raw: view.copyBytes(), processed: ahead, ...rated });
  if (!kept)
    core.note('debug', 'queue behind the gap is full: message will be asked for', { msgSeqNum: `${msgSeqNum}` });
  // After an accepted Logout no message is taken; a gap is then requested after the next Logon.
  const asks = core.connection.loggedOnReported;
  // The answer to a TestRequest must not overtake the ResendRequest: it would prove missing messages received (rule
  // S2).
  if (asks && view.msgType === MsgType.TestRequest) askForGap(core);
  if (ahead) handleAdmin(core, view, msgSeqNum);
  if (asks && isSequenced(core.state)) askForGap(core);
  if (rated.rated && core.rate !== null) endIfExceeded(core, core.rate);
}

/** A message in turn: count it, then reject, act or deliver. `ahead`: it arrived before its turn. */
function inSequence(
  core: SessionCore,
  view: MessageView,
  msgSeqNum: number,
  sendingTime: EpochMs | null,
  ahead: AheadMessage | null,
): void {
  const admin = isAdmin(view.msgType);
  if (!admin && !core.connection.loggedOnReported) {
    // The counterparty sent Logout and received the answer. An order after it is neither taken nor counted.
    core.note('warn', 'application message after Logout(5) ignored', { msgType: view.msgType });
    return;
  }
  const fault = faultOf(core, view, sendingTime);
  if (fault === null && view.msgType === MsgType.SequenceReset) {
    gapFill(core, view, msgSeqNum);
    return;
  }
  core.count(view, msgSeqNum);
  if (fault !== null) {
    rejectFaulty(core, view, msgSeqNum, fault, ahead);
    logoutForOrigSendingTime(core, fault);
    // However it is written, the counterparty has said Logout and will hear nothing else.
    if (view.msgType === MsgType.Logout) handleAdmin(core, view, msgSeqNum);
  } else if (!admin) {
    deliver(core, view, ahead);
  } else if (!handleAdmin(core, view, msgSeqNum)) {
    core.note('info', 'Logon(A) within the session counted and not answered');
  }
}

/**
 * Process what was kept ahead, as far as its turn has come, and bounded: one fill may release thousands, and others have their
 * turns meanwhile (rule S14). A `tick` goes on. Then ask for the next hole, or close the gap.
 */
export function drain(core: SessionCore): void {
  const { gap } = core.recovery;
  gap.isReleasing = false;
  for (let taken = 0; isSequenced(core.state); taken++) {
    const expected = core.sequence.nextTargetMsgSeqNum;
    if (!gap.isReady(expected)) break;
    if (taken >= DRAINED_MAX) {
      gap.isReleasing = true;
      return;
    }
    if (!takeKept(core, expected)) break;
  }
  if (!isSequenced(core.state)) return;
  if (gap.advance(core.sequence.nextTargetMsgSeqNum, core.now)) core.note('info', 'MsgSeqNum(34) gap closed');
  else if (gap.asked !== null) askForGap(core);
  // A Logout waits with its effect until the gap before it is closed: orders in the gap came before it.
  if (core.state === 'logoutReceived' && gap.asked === null) core.reportLogoutReceived();
}

/** Process the message with the expected number, or pass over numbers that a gap fill filled. False if it stays expected. */
function takeKept(core: SessionCore, expected: number): boolean {
  const { gap } = core.recovery;
  const message = gap.take(expected);
  if (message === null) {
    const to = { ...core.numbers(), nextTargetMsgSeqNum: gap.endOfFill(expected) };
    core.setNumbers(to, 'counterparty', 'SequenceReset(4) gap fill');
    return true;
  }
  const view = viewOf(message.raw, core.dataFields);
  assert(view !== null, 'a message that framed once frames again');
  const isPassedOver = view.msgType === MsgType.SequenceReset && gap.isFilled(expected);
  if (message.processed || isPassedOver) core.count(view, expected);
  else inSequence(core, view, expected, view.utcTimestamp(Tag.SendingTime), message);
  return core.sequence.nextTargetMsgSeqNum !== expected;
}

/** True if a `tick` has messages to process that were kept ahead and are now in turn. */
export function isDraining({ state, recovery: { gap } }: SessionCore): boolean {
  return gap.isReleasing && isSequenced(state);
}

/** SequenceReset(4) with GapFillFlag(123)=Y in turn (test case 10). */
function gapFill(core: SessionCore, view: MessageView, msgSeqNum: number): void {
  const newSeqNo = newSeqNoOf(core, view);
  if (typeof newSeqNo !== 'number' || newSeqNo <= msgSeqNum) {
    // It is counted all the same: left uncounted it would be asked for, and sent, again and again.
    core.count(view, msgSeqNum);
    const fault =
      typeof newSeqNo === 'number'
        ? valueIsIncorrect(Tag.NewSeqNo, `Attempt to lower sequence number, invalid value NewSeqNo(36)=${newSeqNo}`)
        : newSeqNo;
    sendReject(core, view, msgSeqNum, fault);
    return;
  }
  // Live messages kept ahead of the gap are not undone by a fill that reaches over them: `drain` comes upon them.
  core.recovery.gap.fillTo(newSeqNo);
  core.count(view, msgSeqNum, core.recovery.gap.endOfFill(msgSeqNum + 1));
}

/** SequenceReset(4) in reset mode: its own MsgSeqNum(34) means nothing (test case 11). */
function sequenceReset(core: SessionCore, view: MessageView, msgSeqNum: number, sendingTime: EpochMs | null): void {
  core.logUnsequenced('in', recordedBytes(view), 'SequenceReset in reset mode');
  const fault = faultOf(core, view, sendingTime);
  const newSeqNo = newSeqNoOf(core, view);
  const expected = core.sequence.nextTargetMsgSeqNum;
  if (fault !== null || typeof newSeqNo !== 'number') {
    sendReject(core, view, msgSeqNum, fault ?? (newSeqNo as ValidationFault));
  } else if (newSeqNo < expected) {
    const text = `Value is incorrect: NewSeqNo(36)=${newSeqNo} is below the expected ${expected}`;
    sendReject(core, view, msgSeqNum, valueIsIncorrect(Tag.NewSeqNo, text));
  } else if (newSeqNo === expected) {
    core.note('warn', 'SequenceReset(4) to the number that is expected anyway', { newSeqNo: `${newSeqNo}` });
    resumeAt(core, newSeqNo);
  } else {
    const to = { ...core.numbers(), nextTargetMsgSeqNum: newSeqNo };
    core.setNumbers(to, 'counterparty', `SequenceReset(4) from ${expected} to ${newSeqNo}`);
    resumeAt(core, newSeqNo);
  }
}

/**
 * Continue at NewSeqNo(36), the number of the next message (FIX 4.4 volume 2, Sequence Reset). Messages that arrived
 * ahead are taken now if they begin there: some counterparties fill a gap that way. Messages further on are dropped,
 * because their numbers now belong to other messages. If they were the same, they are requested like every gap.
 */
function resumeAt(core: SessionCore, newSeqNo: number): void {
  const { gap } = core.recovery;
  for (const skipped of gap.below(newSeqNo)) gap.take(skipped);
  if (gap.lowest() !== newSeqNo) {
    if (gap.queued > 0) core.note('warn', 'messages ahead of SequenceReset(4) dropped', { messages: `${gap.queued}` });
    gap.clear();
  }
  drain(core);
}
