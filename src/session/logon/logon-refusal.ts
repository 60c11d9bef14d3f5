// Why a Logon(A) is refused: its fields, the terms of the session, its numbers. Every check comes before any change
// (rule S1); logon.ts has the consequences of a refusal.

import type { ValidationFault } from '../../dictionary/mod.ts';
import { type MessageView, Tag } from '../../wire/mod.ts';
import type { OnRefusal } from '../config.ts';
import { MSG_SEQ_NUM_MAX, type SessionCore, SessionStatusCode } from '../core.ts';
import { compIDFault, headerFault, missingCompID, sendingTimeFault } from '../messages/header.ts';
import { applVerIDProblem, takesDefaultApplVerID } from './application-version.ts';

export interface Refusal {
  readonly text: string;
  readonly sessionStatus: string;
  /** Whether it is answered at all is said by {@link OnRefusal} (rule S6). */
  readonly isSilenced?: boolean;
}

export function refusal(text: string, sessionStatus: string = SessionStatusCode.LogonsNotAllowed): Refusal {
  return { text, sessionStatus };
}

/** Whether a Logon has ResetSeqNumFlag(141)=Y, in a version that has it. */
export const asksReset = (core: SessionCore, view: MessageView): boolean =>
  core.version.resetSeqNumFlag && view.boolean(Tag.ResetSeqNumFlag) === true;

/** Faults of any Logon, whichever side receives it. */
export function refusalOf(core: SessionCore, view: MessageView): Refusal | null {
  const { config } = core;
  if (view.beginString !== config.beginString)
    return refusal(`Incorrect BeginString(8): expected ${config.beginString}`);
  const compID = compIDFault(core, view);
  if (compID !== null) return refusal(compID.text);
  const msgSeqNum = view.int(Tag.MsgSeqNum);
  if (msgSeqNum === null || !(msgSeqNum >= 1 && msgSeqNum <= MSG_SEQ_NUM_MAX))
    return refusal('MsgSeqNum(34) missing or malformed');
  const sendingTime = view.utcTimestamp(Tag.SendingTime);
  if (sendingTime === null) return refusal('SendingTime(52) missing or malformed');
  const fault = headerFault(view, sendingTime) ?? validatorFault(core, view);
  if (fault !== null) return refusal(fault.text);
  const time = sendingTimeFault(core, sendingTime);
  if (time !== null) return refusal(time.text);
  // Venues exist that leave it out: whether it must be there is the dictionary's to say.
  if (view.has(Tag.EncryptMethod) && view.int(Tag.EncryptMethod) !== 0) return refusal('EncryptMethod(98) must be 0');
  const heartBtInt = heartBtIntRefusal(core, view.int(Tag.HeartBtInt));
  if (heartBtInt !== null || !core.version.applVerID) return heartBtInt;
  const applVerID = applVerIDProblem(core, view);
  return applVerID === null ? null : refusal(applVerID);
}

/** A DefaultApplVerID(1137) that the session takes by setting need not be in its dictionary. */
function validatorFault({ config, validator }: SessionCore, view: MessageView): ValidationFault | null {
  if (!config.validateIncoming) return missingCompID(view);
  const fault = validator.validate(view);
  const isTaken = fault?.refTagID === Tag.DefaultApplVerID && takesDefaultApplVerID(config, view);
  return isTaken ? null : fault;
}

/**
 * Rule S6. The acceptor must echo an initiator's interval, unless the initiator adopts the acceptor's; then it has
 * limits for it.
 */
function heartBtIntRefusal(core: SessionCore, heartBtIntS: number | null): Refusal | null {
  const { role, heartBtIntMinS, heartBtIntMaxS, heartBtIntZeroAllowed } = core.config;
  if (heartBtIntS === null || Number.isNaN(heartBtIntS)) return refusal('HeartBtInt(108) missing or malformed');
  if (role === 'initiator') {
    if (heartBtIntS === core.config.heartBtIntS) return null;
    if (core.config.heartBtIntFromAcceptor !== true)
      return refusal(`HeartBtInt(108)=${heartBtIntS} is not the ${core.config.heartBtIntS} that was sent`);
  }
  const unwanted = (which: string): Refusal => ({
    ...refusal(`HeartBtInt(108)=${heartBtIntS} ${which}`),
    isSilenced: true,
  });
  if (heartBtIntS === 0) return heartBtIntZeroAllowed ? null : unwanted('is not allowed');
  if (heartBtIntS >= heartBtIntMinS && heartBtIntS <= heartBtIntMaxS) return null;
  return unwanted(`is outside ${heartBtIntMinS} to ${heartBtIntMaxS} seconds`);
}

/** The environment (rule S8), which an acceptor has no need to give back, and whether a reset is allowed. */
export function termsRefusal(core: SessionCore, view: MessageView): Refusal | null {
  const { role, environment, resetOnLogonAllowed } = core.config;
  const test = view.boolean(Tag.TestMessageIndicator) === true;
  if (environment === 'production' && test) return refusal('TestMessageIndicator(464)=Y on a production session');
  if (environment === 'test' && !test && role === 'acceptor' && core.version.testMessageIndicator) {
    return refusal('TestMessageIndicator(464)=Y is required on a test session');
  }
  if (!asksReset(core, view)) return null;
  if (!resetOnLogonAllowed) return refusal('ResetSeqNumFlag(141)=Y is not allowed on this session');
  if (view.int(Tag.MsgSeqNum) !== 1) return refusal('ResetSeqNumFlag(141)=Y needs MsgSeqNum(34)=1');
  return null;
}

/** Whether either side has no number left. */
export function isAtLimit({ config, sequence: { nextSenderMsgSeqNum, nextTargetMsgSeqNum } }: SessionCore): boolean {
  return Math.max(nextSenderMsgSeqNum, nextTargetMsgSeqNum) >= config.seqNumMax;
}

/** Numbers that leave nothing to recover. */
export function sequenceRefusal(core: SessionCore, view: MessageView, reset: boolean): Refusal | null {
  if (reset) return null;
  if (isAtLimit(core)) {
    const text = `MsgSeqNum(34) has reached the limit ${core.config.seqNumMax}`;
    return refusal(text, SessionStatusCode.SequenceThreshold);
  }
  const msgSeqNum = view.int(Tag.MsgSeqNum)!;
  if (msgSeqNum < core.sequence.nextTargetMsgSeqNum) {
    const text = `MsgSeqNum too low, expecting ${core.sequence.nextTargetMsgSeqNum} but received ${msgSeqNum}`;
    return refusal(text, SessionStatusCode.MsgSeqNumTooLow);
  }
  return nextExpectedRefusal(core, view);
}

/** A NextExpectedMsgSeqNum(789) that we never reached: one side has lost its numbers. */
export function nextExpectedRefusal(core: SessionCore, view: MessageView): Refusal | null {
  const nextExpected = core.version.nextExpected ? view.int(Tag.NextExpectedMsgSeqNum) : null;
  if (nextExpected === null) return null;
  const next = core.sequence.nextSenderMsgSeqNum;
  if (!(nextExpected >= 1)) {
    return refusal(`NextExpectedMsgSeqNum(789) is not a number from 1 to the next one, ${next}`);
  }
  if (nextExpected <= next) return null;
  const text = `NextExpectedMsgSeqNum(789)=${nextExpected} is above the next number ${next}`;
  return refusal(text, SessionStatusCode.NextExpectedTooHigh);
}

/** Whether a Logout answers this Logon if it is refused before its numbers count ({@link OnRefusal}). */
export function answersRefusal(onRefusal: OnRefusal, logon: MessageView): boolean {
  return onRefusal === 'auto' ? logon.boolean(Tag.ResetSeqNumFlag) === true : onRefusal === 'logout';
}
