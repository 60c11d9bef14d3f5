// Asking for what is missing: one ResendRequest(2) per gap, or one after the other where the range is cut into chunks.
// Which numbers are missing is gap.ts's matter.

import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import type { MissingRange } from './gap.ts';

/**
 * Ask for the missing numbers unless they are asked for already: for all from the first missing one on, or by setting up to the
 * last number before the first one that is here, so that nothing is sent twice (rule S12).
 * @param again repeat the outstanding request, which the counterparty did not get
 */
export function askForGap(core: SessionCore, again = false): void {
  const { gap } = core;
  const { resendRequestChunk: chunk, closedResendRequests = false } = core.config;
  const isOpenEnded = chunk === 0 && !closedResendRequests;
  const { nextTargetMsgSeqNum } = core;
  const open = again ? gap.asked : null;
  const range =
    open === null ? gap.nextRange(nextTargetMsgSeqNum, chunk, isOpenEnded) : restOf(open, nextTargetMsgSeqNum, chunk);
  if (range === null) return;
  const endSeqNo = isOpenEnded ? core.version.infinity : range.endSeqNo;
  gap.ask(range, core.now);
  core.sessionMessages.asked(range.beginSeqNo);
  core.note('info', 'MsgSeqNum(34) gap: asking for a resend', {
    beginSeqNo: `${range.beginSeqNo}`,
    endSeqNo: `${endSeqNo}`,
  });
  const draft = new MessageDraft(MsgType.ResendRequest)
    .add(Tag.BeginSeqNo, `${range.beginSeqNo}`)
    .add(Tag.EndSeqNo, `${endSeqNo}`);
  gap.askedBy(core.send(draft));
}

/** Something was lost on the way, and may have been part of what is being sent again: nobody would notice that it is missing. */
export function askAgain(core: SessionCore): void {
  if (core.gap.asked !== null) askForGap(core, true);
}

/** What of an outstanding range is still to be asked for now: one that 789 announced was never cut into chunks. */
function restOf({ beginSeqNo, endSeqNo }: MissingRange, expected: number, chunk: number): MissingRange {
  const begin = Math.max(beginSeqNo, expected);
  return { beginSeqNo: begin, endSeqNo: chunk > 0 ? Math.min(endSeqNo, begin + chunk - 1) : endSeqNo };
}
