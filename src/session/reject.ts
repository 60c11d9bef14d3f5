// Reject(3) as the session sends it, with the fields and reasons that the version has (rule S5). Finding the fault is the
// validator's and inbound.ts's matter, BusinessMessageReject(j) the application's.

import { sessionRejectReasonIn, type ValidationFault } from '../dictionary/mod.ts';
import { MessageDraft, type MessageView, MsgType, SessionRejectReason, Tag } from '../wire/mod.ts';
import type { SessionCore } from './core.ts';

function sessionFault(sessionRejectReason: string | number, refTagID: number | null, text: string): ValidationFault {
  return { sessionRejectReason: Number(sessionRejectReason), refTagID, text };
}

export const requiredTagMissing = (tag: number, name: string): ValidationFault =>
  sessionFault(SessionRejectReason.RequiredTagMissing, tag, `Required tag missing: ${name}(${tag})`);

export const valueIsIncorrect = (tag: number, text: string): ValidationFault =>
  sessionFault(SessionRejectReason.ValueIsIncorrect, tag, text);

export const incorrectDataFormat = (tag: number, name: string): ValidationFault =>
  sessionFault(
    SessionRejectReason.IncorrectDataFormatForValue,
    tag,
    `Incorrect data format for value: ${name}(${tag})`,
  );

export const tagSpecifiedWithoutAValue = (tag: number, name: string): ValidationFault =>
  sessionFault(SessionRejectReason.TagSpecifiedWithoutAValue, tag, `Tag specified without a value: ${name}(${tag})`);

export const compIDProblem = (tag: number, name: string): ValidationFault =>
  sessionFault(SessionRejectReason.CompIdProblem, tag, `CompID problem: ${name}(${tag})`);

export const sendingTimeAccuracyProblem = (tag: number, text: string): ValidationFault =>
  sessionFault(SessionRejectReason.SendingTimeAccuracyProblem, tag, text);

export const unsupportedApplVerID = (tag: number, text: string): ValidationFault =>
  sessionFault(SessionRejectReason.InvalidOrUnsupportedApplicationVersion, tag, text);

/** Answer a faulty message with Reject(3). */
export function sendReject(core: SessionCore, view: MessageView, msgSeqNum: number, fault: ValidationFault): void {
  const { version } = core;
  core.note('warn', `message rejected: ${fault.text}`, { msgType: view.msgType, msgSeqNum: `${msgSeqNum}` });
  // Two engines that reject each other's Rejects never stop.
  if (view.msgType === MsgType.Reject) return;
  const draft = new MessageDraft(MsgType.Reject).add(Tag.RefSeqNum, `${msgSeqNum}`);
  if (version.rejectCodes) {
    draft.addIf(Tag.RefTagID, fault.refTagID === null ? null : `${fault.refTagID}`);
    draft.add(Tag.RefMsgType, view.msgType);
    const reason = sessionRejectReasonIn(core.config.beginString, fault.sessionRejectReason);
    draft.addIf(Tag.SessionRejectReason, reason === null ? null : `${reason}`);
  }
  core.send(draft.add(Tag.Text, fault.text));
}
