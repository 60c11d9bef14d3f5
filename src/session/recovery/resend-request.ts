// Requests missing numbers: one ResendRequest(2) per gap, or one after the other if the range is cut into chunks. Which
// numbers are missing is gap.ts's matter.

import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import type { MissingRange } from './gap.ts';

/**
 * Request the missing numbers unless already requested: all from the first missing one on. By setting, only up to the
 * number before the first that is here, so that no message is sent twice (rule S12).
 * @param again repeat the outstanding request, which the counterparty did not receive
 */
export function askForGap(core: SessionCore, again = false): void {
  const { gap } = core.recovery;
  const { resendRequestChunk: chunk, closedResendRequests = false } = core.config;
  const isOpenEnded = chunk === 0 && !closedResendRequests;
  const { nextTargetMsgSeqNum } = core.sequence;
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

/** A message was lost and may have been part of the resend; its absence would go unnoticed. */
export function askAgain(core: SessionCore): void {
  if (core.recovery.gap.asked !== null) askForGap(core, true);
}

/** The part of an outstanding range to request now. A range announced by 789 was never cut into chunks. */
function restOf({ beginSeqNo, endSeqNo }: MissingRange, expected: number, chunk: number): MissingRange {
  const begin = Math.max(beginSeqNo, expected);
  return { beginSeqNo: begin, endSeqNo: chunk > 0 ? Math.min(endSeqNo, begin + chunk - 1) : endSeqNo };
}
