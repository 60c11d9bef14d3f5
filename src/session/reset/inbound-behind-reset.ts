// Inbound messages behind our Logon(A) with ResetSeqNumFlag(141)=Y, before its answer: some have the old numbers, some
// the new ones. inbound.ts receives all others; reset-in-session.ts makes the reset.

import type { EpochMs } from '../../base/time.ts';
import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import { handleAdmin } from '../messages/admin.ts';
import { deliver, endIfExceeded, isPossDup, ratedAhead, rejectFaulty } from '../messages/delivery.ts';
import { faultOf, newSeqNoOf } from '../messages/message-fault.ts';
import { recordedBytes, recordedView } from '../messages/recorded-bytes.ts';
import type { SessionNumbers } from '../port.ts';
import { isAdmin } from '../versions.ts';
import { isOfNew, keepOfNew } from './reset-in-session.ts';
import type { SessionReset } from './session-reset.ts';

/** A message, its header read. */
interface Received {
  readonly view: MessageView;
  readonly msgSeqNum: number;
  readonly sendingTime: EpochMs | null;
}

/** Take a message behind our Logon. False if it is none: there is no reset, or its answer is there. */
export function receiveBehindReset(core: SessionCore, received: Received, isAhead: boolean): boolean {
  const { running } = core.reset;
  if (running === null || running.ended === null) return false;
  if (isAhead) receiveOfNew(core, received, running);
  else receiveOfEnded(core, received, running.ended);
  return true;
}

/** Whether a message is in new numbers, and can wait for the answer to our Logon. */
export function isAheadOfAnswer({ reset: { running } }: SessionCore, view: MessageView, msgSeqNum: number): boolean {
  return running !== null && isOfNew(running, msgSeqNum) && waitsForAnswer(running, view);
}

/** Count a message that ends the session, if it is the next in the old numbers. False if it is not. */
export function countsBehindReset(core: SessionCore, view: MessageView, msgSeqNum: number): boolean {
  const ended = core.reset.running?.ended ?? null;
  if (ended === null || !isNextOfEnded(core, view, msgSeqNum, ended)) return false;
  countOfEnded(core, view, ended, msgSeqNum + 1);
  return true;
}

/**
 * True if a message with a number of the new series shows that the counterparty has reset and can wait for its Logon.
 * Refusals of our messages do not: engines number them arbitrarily. Neither does a SequenceReset(4) in reset mode, with
 * its meaningless number, or a Logon without the flag, which is no answer.
 */
function waitsForAnswer(reset: SessionReset, view: MessageView): boolean {
  if (isPossDup(view)) return false;
  switch (view.msgType) {
    case MsgType.Logon:
      return false;
    case MsgType.Logout:
      return reset.isTaken;
    case MsgType.Reject:
      return !rejectsOurLogon(view);
    case MsgType.SequenceReset:
      return view.boolean(Tag.GapFillFlag) === true;
    default:
      return true;
  }
}

const rejectsOurLogon = (view: MessageView): boolean =>
  view.msgType === MsgType.Reject && view.int(Tag.RefSeqNum) === 1;

/** A message in new numbers ahead of the Logon(A) that answers ours: of those only a Logout(5) must not wait (rule S10). */
function receiveOfNew(core: SessionCore, { view, msgSeqNum, sendingTime }: Received, reset: SessionReset): void {
  const isLogout = view.msgType === MsgType.Logout && faultOf(core, view, sendingTime) === null;
  const rated = ratedAhead(core, view, msgSeqNum);
  keepOfNew(core, view, msgSeqNum, reset, { processed: isLogout, ...rated });
  if (isLogout) handleAdmin(core, view, msgSeqNum);
  if (rated.rated && core.rate !== null) endIfExceeded(core, core.rate);
}

/**
 * A message that the counterparty sent before it read our Logon with ResetSeqNumFlag(141)=Y, in its old numbers. No number of
 * the new series counts it, and nothing before it can be missing: that was proved before the Logon went out.
 */
function receiveOfEnded(core: SessionCore, { view, msgSeqNum, sendingTime }: Received, ended: SessionNumbers): void {
  const { msgType } = view;
  const expected = ended.nextTargetMsgSeqNum;
  const text = `expected ResetSeqNumFlag(141)=Y or MsgSeqNum(34)=${expected}, received 35=${msgType} with ${msgSeqNum}`;
  const isRejected = rejectsOurLogon(view);
  const isCounted = isPossDup(view) && (msgSeqNum < expected || core.reset.running?.isTaken === true);
  if (isCounted || msgSeqNum !== expected || isRejected) {
    core.logUnsequenced('in', recordedBytes(view), 'in the numbers before our reset');
    if (isCounted) return;
    core.logoutAndDisconnect(isRejected ? 'our Logon(A) with ResetSeqNumFlag(141)=Y was rejected' : text);
    return;
  }
  const newSeqNo = msgType === MsgType.SequenceReset ? newSeqNoOf(core, view) : expected + 1;
  const fault = faultOf(core, view, sendingTime) ?? (typeof newSeqNo === 'number' ? null : newSeqNo);
  countOfEnded(core, view, ended, fault === null ? Math.max(newSeqNo as number, expected + 1) : expected + 1);
  if (fault !== null) rejectFaulty(core, view, msgSeqNum, fault);
  else if (msgType === MsgType.ResendRequest) core.note('warn', 'ResendRequest(2) for numbers that ended: ignored');
  else if (isAdmin(msgType)) handleAdmin(core, view, msgSeqNum);
  else if (core.connection.loggedOnReported) deliver(core, view, null);
  if (core.state === 'logoutReceived') core.reportLogoutReceived();
}

/** Whether a message behind our Logon with ResetSeqNumFlag(141)=Y is the next in the old numbers. */
function isNextOfEnded({ reset }: SessionCore, view: MessageView, msgSeqNum: number, ended: SessionNumbers): boolean {
  return msgSeqNum === ended.nextTargetMsgSeqNum && reset.running?.isTaken !== true && !rejectsOurLogon(view);
}

/** Should the old numbers hold after all, it is not delivered again, over a start neither (rule J1). */
function countOfEnded(core: SessionCore, view: MessageView, ended: SessionNumbers, next: number): void {
  core.reset.running?.expectOfEnded(next);
  core.persist({
    kind: 'inbound',
    sessionId: core.config.sessionId,
    series: ended.series,
    msgSeqNum: ended.nextTargetMsgSeqNum,
    nextTargetMsgSeqNum: next,
    msgType: view.msgType,
    raw: recordedView(view),
  });
}
