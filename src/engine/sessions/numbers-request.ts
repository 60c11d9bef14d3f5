// Permitted operator requests on a session's sequence numbers, and their refusals. administration.ts carries them out;
// the session machine applies them to an open session.

import type { SessionSlot } from './session-slot.ts';

export interface NumbersRequest {
  /** Both numbers begin at 1 again, in a new series. */
  readonly reset: boolean;
  /** With `reset`: a session that is logged on stays so, and begins again by Logon(A) with ResetSeqNumFlag(141)=Y. */
  readonly within?: boolean;
  /** The next MsgSeqNum(34) of ours; null keeps it. */
  readonly nextSenderMsgSeqNum: number | null;
  /** The next MsgSeqNum(34) expected; null keeps it. */
  readonly nextTargetMsgSeqNum: number | null;
  readonly why: string;
}

/** Description of the request, for the audit trail. */
export function wantedNumbers({ reset, within, nextSenderMsgSeqNum, nextTargetMsgSeqNum }: NumbersRequest): string {
  if (reset) return `both 1${within === true ? ' within the session' : ''}`;
  return `next sent ${nextSenderMsgSeqNum ?? 'kept'}, next expected ${nextTargetMsgSeqNum ?? 'kept'}`;
}

/** Whether the numbers begin again while the session goes on; one that is not connected just begins again. */
export function isWithinSession({ within }: NumbersRequest, { wire }: SessionSlot): boolean {
  return within === true && wire !== null;
}

/** Why a request cannot be carried out, in words, or null. Ours may only rise within a series. */
export function numbersRefusal(request: NumbersRequest, slot: SessionSlot): string | null {
  const { reset, within, nextSenderMsgSeqNum, nextTargetMsgSeqNum } = request;
  const { numbers, config } = slot.machine;
  const isNamed = nextSenderMsgSeqNum !== null || nextTargetMsgSeqNum !== null;
  if (reset) {
    if (isNamed) return 'A reset begins both numbers at 1: ask for it, or name numbers.';
    return isWithinSession(request, slot) ? withinRefusal(slot) : null;
  }
  if (within === true) return 'Within the session numbers can only begin again at 1: ask for a reset.';
  if (!isNamed) return 'Nothing to set: name a number, or ask for a reset.';
  const isPossible = (number: number | null): boolean =>
    number === null || (Number.isSafeInteger(number) && number >= 1 && number <= config.seqNumMax);
  if (!isPossible(nextSenderMsgSeqNum) || !isPossible(nextTargetMsgSeqNum)) {
    return `A sequence number is a whole number from 1 to ${config.seqNumMax}.`;
  }
  const now = numbers.nextSenderMsgSeqNum;
  return nextSenderMsgSeqNum !== null && nextSenderMsgSeqNum < now
    ? `Our next number is ${now} and may only rise within a series; reset instead.`
    : null;
}

/** Why a session that is connected cannot begin again without a Logout(5), or null. */
function withinRefusal({ machine }: SessionSlot): string | null {
  const { beginString } = machine.config;
  if (beginString === 'FIX.4.0') return `${beginString} has no ResetSeqNumFlag(141): reset it without --now.`;
  if (!machine.loggedOn) return 'The session is not logged on just now: try again, or reset it without --now.';
  return machine.status.reset === null ? null : 'The session is being reset already.';
}
