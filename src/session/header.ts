// Checks of the standard header that need the session: CompIDs, SendingTime(52), OrigSendingTime(122). Form and presence of
// everything else is the validator's matter, MsgSeqNum(34) is inbound.ts's.

import type { EpochMs } from '../base/time.ts';
import type { ValidationFault } from '../dictionary/mod.ts';
import { type MessageView, MsgType, Tag } from '../wire/mod.ts';
import type { SessionCore } from './core.ts';
import { compIDProblem, incorrectDataFormat, requiredTagMissing, sendingTimeAccuracyProblem } from './reject.ts';

/** Whether 49 and 56 are the session's, as seen from the counterparty. */
export function compIDFault(core: SessionCore, view: MessageView): ValidationFault | null {
  if (!view.equals(Tag.SenderCompID, core.config.targetCompID)) return compIDProblem(Tag.SenderCompID, 'SenderCompID');
  if (!view.equals(Tag.TargetCompID, core.config.senderCompID)) return compIDProblem(Tag.TargetCompID, 'TargetCompID');
  return null;
}

/** The distance of SendingTime(52) from now, if it is more than the session allows; null if 52 is no time at all. */
export function sendingTimeFault(core: SessionCore, sendingTime: EpochMs | null): ValidationFault | null {
  const limitS = core.config.sendingTimeAccuracyS;
  if (limitS === 0 || sendingTime === null || Math.abs(core.now - sendingTime) <= limitS * 1000) return null;
  return sendingTimeAccuracyProblem(Tag.SendingTime, 'SendingTime accuracy problem: SendingTime(52)');
}

/** Faults that are rejected and end the session (test cases 2k, 2o). */
export function fatalHeaderFault(
  core: SessionCore,
  view: MessageView,
  sendingTime: EpochMs | null,
): ValidationFault | null {
  return compIDFault(core, view) ?? sendingTimeFault(core, sendingTime);
}

/** Faults of the header that are rejected only (test cases 2f, 2g); the turn of the message has come. */
export function headerFault(view: MessageView, sendingTime: EpochMs | null): ValidationFault | null {
  if (sendingTime === null) {
    if (!view.has(Tag.SendingTime)) return requiredTagMissing(Tag.SendingTime, 'SendingTime');
    return incorrectDataFormat(Tag.SendingTime, 'SendingTime');
  }
  if (view.boolean(Tag.PossDupFlag) !== true) return null;
  if (!view.has(Tag.OrigSendingTime)) {
    // Many engines leave 122 out of gap fills, which repeat nothing.
    if (view.msgType === MsgType.SequenceReset) return null;
    return requiredTagMissing(Tag.OrigSendingTime, 'OrigSendingTime');
  }
  const origSendingTime = view.utcTimestamp(Tag.OrigSendingTime);
  if (origSendingTime === null) return incorrectDataFormat(Tag.OrigSendingTime, 'OrigSendingTime');
  if (origSendingTime <= sendingTime) return null;
  return sendingTimeAccuracyProblem(Tag.OrigSendingTime, 'OrigSendingTime(122) is later than SendingTime(52)');
}
