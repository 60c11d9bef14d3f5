// Checks of the standard header that need the session: CompIDs, SendingTime(52), OrigSendingTime(122). Form and presence of
// everything else is the validator's matter, MsgSeqNum(34) is inbound.ts's.

import type { EpochMs } from '../../base/time.ts';
import type { ValidationFault } from '../../dictionary/mod.ts';
import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import { isAdmin } from '../versions.ts';
import {
  compIDProblem,
  incorrectDataFormat,
  requiredTagMissing,
  sendingTimeAccuracyProblem,
  tagSpecifiedWithoutAValue,
} from './reject.ts';

/**
 * A CompID that is missing or empty: Reject(3), as for any required field, and the session goes on (rule S12). The validator finds
 * it too; this is for sessions without one.
 */
export function missingCompID(view: MessageView): ValidationFault | null {
  return withoutValue(view, Tag.SenderCompID, 'SenderCompID') ?? withoutValue(view, Tag.TargetCompID, 'TargetCompID');
}

function withoutValue(view: MessageView, tag: number, name: string): ValidationFault | null {
  if (!view.has(tag)) return requiredTagMissing(tag, name);
  return view.equals(tag, '') ? tagSpecifiedWithoutAValue(tag, name) : null;
}

const hasValue = (view: MessageView, tag: number): boolean => view.has(tag) && !view.equals(tag, '');

/** Whether 49 and 56, and 50, 57, 142 and 143 as far as they identify the session, are the counterparty's. */
export function compIDFault(core: SessionCore, view: MessageView): ValidationFault | null {
  const { targetCompID, senderCompID } = core.config;
  if (!view.equals(Tag.SenderCompID, targetCompID) && hasValue(view, Tag.SenderCompID))
    return differing(core, view, 'SenderCompID', targetCompID);
  if (!view.equals(Tag.TargetCompID, senderCompID) && hasValue(view, Tag.TargetCompID))
    return differing(core, view, 'TargetCompID', senderCompID);
  return core.hasSubIDs ? subIDFault(core, view) : null;
}

/** The wire text names the field only; operators find the faulty configuration. */
function differing(
  core: SessionCore,
  view: MessageView,
  name: keyof typeof Tag,
  expected: string | null | undefined,
): ValidationFault {
  const tag = Tag[name];
  core.note('warn', `${name}(${tag})=${view.string(tag) ?? ''} of the counterparty is not ${expected}`);
  return compIDProblem(tag, name);
}

/** In an application message SenderSubID(50) and TargetSubID(57) may name people instead (rule D11). */
function subIDFault(core: SessionCore, view: MessageView): ValidationFault | null {
  const { config } = core;
  const differs = (tag: number, expected: string | null | undefined): boolean => {
    if (expected === undefined || expected === null || view.equals(tag, expected)) return false;
    // Not every acceptor echoes the SubIDs it received, and an initiator knows its peer anyway.
    return config.role === 'acceptor' || view.has(tag);
  };
  if (isAdmin(view.msgType)) {
    const { targetSubID, senderSubID } = config;
    if (differs(Tag.SenderSubID, targetSubID)) return differing(core, view, 'SenderSubID', targetSubID);
    if (differs(Tag.TargetSubID, senderSubID)) return differing(core, view, 'TargetSubID', senderSubID);
  }
  const { targetLocationID, senderLocationID } = config;
  if (differs(Tag.SenderLocationID, targetLocationID)) {
    return differing(core, view, 'SenderLocationID', targetLocationID);
  }
  if (differs(Tag.TargetLocationID, senderLocationID)) {
    return differing(core, view, 'TargetLocationID', senderLocationID);
  }
  return null;
}

/** The distance of SendingTime(52) from now, if it is more than the session allows; null if 52 is no time at all. */
export function sendingTimeFault(core: SessionCore, sendingTime: EpochMs | null): ValidationFault | null {
  const limitS = core.config.sendingTimeAccuracyS;
  if (limitS === 0 || sendingTime === null || Math.abs(core.clock - sendingTime) <= limitS * 1000) return null;
  const seconds = Math.round(Math.abs(core.clock - sendingTime) / 1000);
  const which = sendingTime < core.clock ? 'behind' : 'ahead of';
  // Operators on both sides must find out which clock is wrong.
  const text = `SendingTime(52) is ${seconds} s ${which} the clock here, ${limitS} s are allowed`;
  core.note('warn', text);
  return sendingTimeAccuracyProblem(Tag.SendingTime, `SendingTime accuracy problem: ${text}`);
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
  if (sendingTime === null) return noTime(view, Tag.SendingTime, 'SendingTime');
  if (view.boolean(Tag.PossDupFlag) !== true) return null;
  // Many engines leave 122 out of gap fills, which repeat nothing.
  if (view.msgType === MsgType.SequenceReset && !view.has(Tag.OrigSendingTime)) return null;
  const origSendingTime = view.utcTimestamp(Tag.OrigSendingTime);
  if (origSendingTime === null) return noTime(view, Tag.OrigSendingTime, 'OrigSendingTime');
  if (origSendingTime <= sendingTime) return null;
  return sendingTimeAccuracyProblem(Tag.OrigSendingTime, 'OrigSendingTime(122) is later than SendingTime(52)');
}

/** Why a field of the header is no time. */
function noTime(view: MessageView, tag: number, name: string): ValidationFault {
  return withoutValue(view, tag, name) ?? incorrectDataFormat(tag, name);
}
