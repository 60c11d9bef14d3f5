// Fate of an application message in turn: handed over, or answered for coming too fast or for a fault (rule S7). Leaves
// the sequence to inbound.ts, and which message comes too fast to message-rate.ts.

import type { ValidationFault } from '../../dictionary/mod.ts';
import { type MessageView, MsgType, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import type { AheadMessage } from '../recovery/gap.ts';
import { noteLive } from '../reset/repeat-reports.ts';
import { isAdmin } from '../versions.ts';
import { tellRefusal } from './admin.ts';
import { isRated, type MessageRate } from './message-rate.ts';
import { sendReject } from './reject.ts';

export const isPossDup = (view: MessageView): boolean => view.boolean(Tag.PossDupFlag) === true;

/** Rate decision for a message ahead of its turn, if it counts there. It counts now and only once. */
export function ratedAhead(core: SessionCore, view: MessageView, msgSeqNum: number): Pick<AheadMessage, 'rated'> {
  const { rate } = core;
  if (rate === null || !isRated(view) || isAdmin(view.msgType) || core.recovery.gap.has(msgSeqNum)) return {};
  return { rated: { verdict: rate.take(core.now), at: core.now } };
}

/** Hand an application message over, or say that it came too fast (rule S7); too many of those end the session. */
export function deliver(core: SessionCore, view: MessageView, ahead: AheadMessage | null): void {
  if (view.msgType === MsgType.BusinessMessageReject) tellRefusal(core, view, view.string(Tag.BusinessRejectReason));
  noteLive(core, view);
  const possDup = isPossDup(view);
  const { rate } = core;
  const verdict =
    rate === null || !isRated(view)
      ? null
      : rate.handOver(ahead?.rated ?? { verdict: rate.take(core.now), at: core.now }, core.now);
  if (rate === null || verdict === null) {
    core.out.push({ kind: 'deliver', view, possDup, waited: ahead !== null });
    return;
  }
  if (verdict.excess === 'refuse' && view.msgType === MsgType.OrderCancelReplaceRequest) rate.rejectFollows();
  core.out.push({ kind: 'throttled', view, possDup, ...verdict });
  endIfExceeded(core, rate);
}

/** Answer a faulty message. The application's use up the rate as all do: an answer costs no less than that of any other. */
export function rejectFaulty(
  core: SessionCore,
  view: MessageView,
  msgSeqNum: number,
  fault: ValidationFault,
  ahead: AheadMessage | null = null,
): void {
  sendReject(core, view, msgSeqNum, fault);
  const { rate } = core;
  if (rate === null || isAdmin(view.msgType)) return;
  if (ahead?.rated === undefined) rate.takeRejected(core.now);
  endIfExceeded(core, rate);
}

/** An F is never throttled (rule C3), but one in vain costs as much as an order: too many of them end the session too. */
export function countCancelReject(core: SessionCore): void {
  const { rate } = core;
  if (rate === null || core.state !== 'loggedOn') return;
  rate.cancelRejected(core.now);
  endIfExceeded(core, rate);
}

export function endIfExceeded(core: SessionCore, rate: MessageRate): void {
  if (!rate.isExceeded) return;
  const { messagesMax, perMs, refusalsMax } = rate.settings;
  core.logoutAndDisconnect(
    `${refusalsMax} messages within a minute were beyond the rate of ${messagesMax} in ${perMs} ms`,
  );
}
