// Handles bytes that are no message beyond ignoring them: reads their MsgSeqNum(34) if possible, and sends the
// Reject(3) that a session may configure. The framer decides what is garbled.

import { sessionRejectReasonIn } from '../../dictionary/mod.ts';
import { type GarbledNotice, MessageDraft, MsgType, SessionRejectReason, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';

/** The first field with this tag in bytes that cannot be indexed; null if it is not among them. */
function textIn(bytes: Uint8Array, tag: number): string | null {
  const begin = `${tag}=`;
  const field = String.fromCharCode(...bytes)
    .split('\x01')
    .find((text) => text.startsWith(begin));
  return field?.slice(begin.length) ?? null;
}

/** MsgSeqNum(34) in the first bytes of a message that cannot be read; null if it is not among them. */
export function msgSeqNumIn(bytes: Uint8Array): number | null {
  const number = Number(textIn(bytes, Tag.MsgSeqNum));
  return Number.isSafeInteger(number) && number > 0 ? number : null;
}

/**
 * Reject a garbled message and count it, so that no resend requests it. Only a whole frame with the expected number
 * qualifies: other bytes may not have been one message.
 * @returns true if it was rejected
 */
export function rejectGarbled(core: SessionCore, { reason, bytes, text }: GarbledNotice): boolean {
  if (core.config.rejectGarbledMessages !== true || core.state !== 'loggedOn' || core.reset.running !== null)
    return false;
  if (reason !== 'checkSum' && reason !== 'msgType') return false;
  const msgSeqNum = msgSeqNumIn(bytes);
  if (msgSeqNum === null || msgSeqNum !== core.sequence.nextTargetMsgSeqNum) return false;
  const to = { ...core.numbers(), nextTargetMsgSeqNum: msgSeqNum + 1 };
  core.setNumbers(to, 'session', `garbled message ${msgSeqNum} rejected and counted: ${text}`);
  const draft = new MessageDraft(MsgType.Reject).add(Tag.RefSeqNum, `${msgSeqNum}`);
  if (core.version.rejectCodes) {
    draft.addIf(Tag.RefMsgType, textIn(bytes, Tag.MsgType));
    const other = sessionRejectReasonIn(core.config.beginString, Number(SessionRejectReason.Other));
    draft.addIf(Tag.SessionRejectReason, other === null ? null : `${other}`);
  }
  core.send(draft.add(Tag.Text, `Garbled message: ${text}`));
  return true;
}
