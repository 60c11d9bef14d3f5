// The session messages of an established session: Heartbeat, TestRequest, ResendRequest and Reject. Their place
// in the sequence was checked before (inbound.ts); Logon is in logon.ts, SequenceReset in inbound.ts, Logout in logout.ts.

import { MessageDraft, type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import { handleLogout } from '../logon/logout.ts';
import { startReplay } from '../recovery/replay.ts';
import { repeatBehindAnswer } from '../reset/repeat-reports.ts';
import { mayMissResendRequest } from '../time/liveness.ts';
import { sendReject, valueIsIncorrect } from './reject.ts';

/**
 * Session messages that take effect even if their own number is too high (rule S10 for ResendRequest and Logout). A
 * TestRequest that waited for the end of a resend would kill the recovering session.
 */
export function isActedOnAhead(msgType: string): boolean {
  return (
    msgType === MsgType.ResendRequest ||
    msgType === MsgType.Logout ||
    msgType === MsgType.TestRequest ||
    msgType === MsgType.Heartbeat
  );
}

/** Act on a valid session message; true if it was one of this file's. */
export function handleAdmin(core: SessionCore, view: MessageView, msgSeqNum: number): boolean {
  switch (view.msgType) {
    case MsgType.Heartbeat:
      handleHeartbeat(core, view, msgSeqNum);
      return true;
    case MsgType.TestRequest:
      core.send(heartbeatFor(view.string(Tag.TestReqID)));
      return true;
    case MsgType.ResendRequest:
      handleResendRequest(core, view, msgSeqNum);
      return true;
    case MsgType.Reject:
      tellRefusal(core, view, view.string(Tag.SessionRejectReason));
      if (core.config.deliversRejects === true) {
        core.out.push({ kind: 'deliver', view, possDup: view.boolean(Tag.PossDupFlag) === true, waited: false });
      }
      return true;
    case MsgType.Logout:
      handleLogout(core, view, msgSeqNum);
      return true;
    default:
      return false;
  }
}

/** The answer repeats TestReqID(112) as it came, also where fields without a value are taken (`validateFieldsHaveValues`). */
function heartbeatFor(testReqID: string | null): MessageDraft {
  const draft = new MessageDraft(MsgType.Heartbeat);
  return testReqID === '' ? draft.addEmpty(Tag.TestReqID) : draft.addIf(Tag.TestReqID, testReqID);
}

/**
 * The counterparty did not take a message of ours: it said so by Reject(3) or BusinessMessageReject(j), which is never
 * answered. The first of each type is an alarm, because its subject is missing there; later ones are likely to have the
 * same cause.
 */
export function tellRefusal(core: SessionCore, view: MessageView, reason: string | null): void {
  const refMsgType = view.string(Tag.RefMsgType) ?? '';
  const refSeqNum = view.string(Tag.RefSeqNum) ?? '';
  const fields = { refMsgType, refSeqNum, reason: reason ?? '', text: view.string(Tag.Text) ?? '' };
  if (!core.objections.tellsRefused(refMsgType)) {
    core.note('warn', 'the counterparty refused a message of ours', fields);
    return;
  }
  const which = `MsgSeqNum(34)=${refSeqNum}${refMsgType === '' ? '' : `, MsgType(35)=${refMsgType}`}`;
  const words = fields.text === '' ? '' : `: ${fields.text}`;
  core.alarm('message-refused', `the counterparty refused a message of ours, ${which}${words}`, fields);
}

/** An answer to our TestRequest proves that everything before it was received (rule S2). */
function handleHeartbeat(core: SessionCore, view: MessageView, msgSeqNum: number): void {
  const testReqID = view.string(Tag.TestReqID);
  if (testReqID === null) return;
  const isProof = msgSeqNum < core.sequence.nextTargetMsgSeqNum && !mayMissResendRequest(core);
  if (isProof) core.reset.running?.heartbeat(testReqID);
  const proven = core.connection.testRequests.answeredBy(testReqID);
  if (proven === null) return;
  // It may have come late: reports behind our TestRequest wait from now on.
  core.sequence.proofAwaited(core.now);
  // While a resend runs the counterparty answers out of order, and its answer proves nothing.
  if (isProof && core.recovery.replay === null) core.prove(proven);
  repeatBehindAnswer(core);
}

/** EndSeqNo(16). Engines with 64-bit numbers ask for all by their largest, which exceeds exact numbers here. */
function endOf(view: MessageView): number {
  const end = view.int(Tag.EndSeqNo) ?? 0;
  return Number.isNaN(end) && /^\d+$/.test(view.string(Tag.EndSeqNo) ?? '') ? Number.POSITIVE_INFINITY : end;
}

function handleResendRequest(core: SessionCore, view: MessageView, msgSeqNum: number): void {
  const begin = view.int(Tag.BeginSeqNo) ?? 0;
  const asked = endOf(view);
  const last = core.sequence.nextSenderMsgSeqNum - 1;
  if (!(begin >= 1) || begin > last) {
    const text = `BeginSeqNo(7)=${view.string(Tag.BeginSeqNo) ?? ''} is not among the numbers sent, 1 to ${last}`;
    sendReject(core, view, msgSeqNum, valueIsIncorrect(Tag.BeginSeqNo, text));
    return;
  }
  const infinite = asked === 0 || asked === core.version.infinity;
  if (!infinite && !(asked >= begin)) {
    const text = `EndSeqNo(16)=${view.string(Tag.EndSeqNo) ?? ''} is below BeginSeqNo(7)=${begin}`;
    sendReject(core, view, msgSeqNum, valueIsIncorrect(Tag.EndSeqNo, text));
    return;
  }
  startReplay(core, begin, infinite ? last : Math.min(asked, last));
  // Garbled on its way, our own request is filled over by this resend: nothing else would tell before our patience ends.
  if (core.recovery.replay !== null && core.recovery.gap.isUnheard(begin))
    core.recovery.replay.lostResendRequest = true;
}
