// Ends a session with more messages in a second than allowed among those that only session-message-rate.ts counts (rule
// S7). Decides which messages count and which were requested and do not.

import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import { isAdmin } from '../versions.ts';
import { recordedBytes } from './recorded-bytes.ts';

/** True if it is part of a resend: requested by us, or a first repetition of counted numbers. */
function isOfResend(core: SessionCore, view: MessageView, msgSeqNum: number, expected: number): boolean {
  const isFill = view.msgType === MsgType.SequenceReset;
  // In reset mode its number means nothing.
  if (isFill && view.boolean(Tag.GapFillFlag) !== true) return false;
  const isPossDup = view.boolean(Tag.PossDupFlag) === true;
  if (msgSeqNum < expected) return isPossDup && core.sessionMessages.isNextAgain(msgSeqNum, core.now);
  const { asked } = core.recovery.gap;
  return asked !== null && msgSeqNum <= asked.endSeqNo && (isFill || isPossDup);
}

/** True if a message counts here. Application messages in turn or waiting for their turn count in the other rate. */
function isCounted(core: SessionCore, view: MessageView, msgSeqNum: number, expected: number): boolean {
  const { msgType } = view;
  if (msgType === MsgType.Reject || msgType === MsgType.BusinessMessageReject) {
    return core.recovery.gap.has(msgSeqNum) || !core.sessionMessages.isOfOurs();
  }
  if (isAdmin(msgType)) return true;
  return msgSeqNum < expected || core.recovery.gap.has(msgSeqNum) || !core.connection.loggedOnReported;
}

/**
 * End the session if this is one message too many of those that only this rate sees; true if it was.
 * @param expected the number that it should have
 */
export function endIfFlooded(core: SessionCore, view: MessageView, msgSeqNum: number, expected: number): boolean {
  if (!core.config.sessionMessagesMax || !isCounted(core, view, msgSeqNum, expected)) return false;
  // They are as many as a recovery needs.
  if (isOfResend(core, view, msgSeqNum, expected)) return false;
  return endIfTooMany(core, () => recordedBytes(view));
}

/** Count one, and end the session if there were too many. `bytes` records it then. */
export function endIfTooMany(core: SessionCore, bytes: (() => Uint8Array) | null): boolean {
  const { sessionMessagesMax = 0 } = core.config;
  if (sessionMessagesMax === 0 || core.sessionMessages.count(core.now) <= sessionMessagesMax) return false;
  if (bytes !== null) core.logUnsequenced('in', bytes(), 'one message too many');
  core.logoutAndDisconnect(`more than ${sessionMessagesMax} session messages and messages sent again in a second`);
  return true;
}
