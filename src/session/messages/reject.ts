// Reject(3) as the session sends it, with the fields and reasons that the version has (rule S5). Finding the fault is the
// validator's and inbound.ts's matter, BusinessMessageReject(j) the application's.

import { EXCHANGE_SESSION_REJECT_REASONS, sessionRejectReasonIn, type ValidationFault } from '../../dictionary/mod.ts';
import { MessageDraft, type MessageView, MsgType, SessionRejectReason, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import { sessionVersion } from '../versions.ts';

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

/** Where a message came from beyond the session, and where an answer to it goes. */
const REVERSED = [
  [Tag.OnBehalfOfCompID, Tag.DeliverToCompID],
  [Tag.OnBehalfOfSubID, Tag.DeliverToSubID],
  [Tag.DeliverToCompID, Tag.OnBehalfOfCompID],
  [Tag.DeliverToSubID, Tag.OnBehalfOfSubID],
] as const;
const REVERSED_LOCATIONS = [
  [Tag.OnBehalfOfLocationID, Tag.DeliverToLocationID],
  [Tag.DeliverToLocationID, Tag.OnBehalfOfLocationID],
] as const;

/** An intermediary passes an answer on by these fields alone (FIX 4.4 volume 1, "Message routing details"). */
export function reverseRoute(
  view: { string(tag: number): string | null },
  draft: MessageDraft,
  beginString: string,
): void {
  for (const [from, to] of sessionVersion(beginString)?.locationIDs ? [...REVERSED, ...REVERSED_LOCATIONS] : REVERSED) {
    const value = view.string(from);
    if (value !== null && value !== '') draft.header(to, value);
  }
}

/** Answer a faulty message with Reject(3). */
export function sendReject(core: SessionCore, view: MessageView, msgSeqNum: number, fault: ValidationFault): void {
  const { version } = core;
  core.note('warn', `message rejected: ${fault.text}`, { msgType: view.msgType, msgSeqNum: `${msgSeqNum}` });
  // Two engines that reject each other's Rejects never stop.
  if (view.msgType === MsgType.Reject) return;
  const draft = new MessageDraft(MsgType.Reject).add(Tag.RefSeqNum, `${msgSeqNum}`);
  // The exchange's own FIX has no DeliverToCompID(128) (rule D1).
  if (!core.config.sendsSessionStatus || version.applVerID) reverseRoute(view, draft, core.config.beginString);
  if (version.rejectCodes) {
    draft.addIf(Tag.RefTagID, fault.refTagID === null ? null : `${fault.refTagID}`);
    draft.add(Tag.RefMsgType, view.msgType);
    const known = sessionRejectReasonIn(core.config.beginString, fault.sessionRejectReason);
    const reason = known === null ? null : `${known}`;
    const isOther = core.config.sendsSessionStatus && reason !== null && !EXCHANGE_SESSION_REJECT_REASONS.has(reason);
    draft.addIf(Tag.SessionRejectReason, isOther ? SessionRejectReason.Other : reason);
  }
  core.send(draft.add(Tag.Text, fault.text));
}
