// Answers a ResendRequest(2): application messages again with PossDupFlag(43)=Y, all others as gap fills, read from the
// journal in chunks (rules S3, S4, S11). A resend belongs to its connection and ends with it.
//
// Live messages and a resend never interleave. Messages sent meanwhile are numbered and persisted at once, and their
// bytes wait in `held` until the resend is done (core.ts). The counterparty therefore sees one ascending sequence.

import { assert } from '../../base/assert.ts';
import { MessageDraft, MsgType, resendFrame, Tag } from '../../wire/mod.ts';
import type { SessionCore } from '../core.ts';
import type { OutboundMessage } from '../port.ts';
import { ResendRead } from './resend-read.ts';
import { askForGap } from './resend-request.ts';
import { endReplay, type Replay } from './waiting-messages.ts';

/**
 * Begin to resend a range of existing numbers. A second request joins a resend under way. Messages still to come, in
 * the resend or held after it, are not sent twice; messages already sent are repeated only if the new range includes
 * them.
 */
export function startReplay(core: SessionCore, begin: number, end: number): void {
  assert(
    begin >= 1 && begin <= end && end < core.sequence.nextSenderMsgSeqNum,
    'a resend covers numbers that were sent',
  );
  core.connection.testRequests.provesNothing();
  if (core.reset.running?.isHolding === false) core.reset.running.proveAnew();
  const replay = core.recovery.replay;
  if (replay === null) {
    const begun = core.recovery.begin({
      read: new ResendRead(core, begin),
      end,
      fillFrom: null,
      joinedFrom: null,
      held: [],
      heldBytes: 0,
      lostResendRequest: false,
    });
    begun.read.load(core, core.sequence.series, end);
    return;
  }
  // Held messages have never left. A resend would repeat them and then send them without PossDupFlag: MsgSeqNum(34) too
  // low at the other side.
  const firstHeld = replay.held[0]?.msgSeqNum ?? core.sequence.nextSenderMsgSeqNum;
  replay.end = Math.max(replay.end, Math.min(end, firstHeld - 1));
  const unsent = replay.fillFrom ?? replay.read.next;
  if (begin >= unsent) {
    const { joinedFrom } = replay;
    replay.joinedFrom = joinedFrom === null || joinedFrom < unsent ? begin : Math.min(joinedFrom, begin);
    return;
  }
  replay.read.next = begin;
  replay.fillFrom = null;
  replay.read.load(core, core.sequence.series, replay.end);
}

/** Send one chunk that the journal read; true if it answered the read of this resend. */
export function continueReplay(core: SessionCore, requestId: number, messages: readonly OutboundMessage[]): boolean {
  const replay = core.recovery.replay;
  if (!replay?.read.isAnsweredBy(requestId)) return false;
  const { read } = replay;
  read.beginPart(core);
  for (const message of messages) {
    const { msgSeqNum } = message;
    if (!read.includes(message) || !message.resendable) continue;
    if (!read.takes(message)) break;
    const fillFrom = replay.fillFrom ?? read.next;
    if (fillFrom < msgSeqNum) fill(core, replay, fillFrom, msgSeqNum);
    resend(core, message.raw);
    core.sequence.unsent.left(msgSeqNum, msgSeqNum);
    core.recovery.stuckResend.resent(msgSeqNum, message.raw.length, core.now);
    replay.fillFrom = null;
    read.next = msgSeqNum + 1;
  }
  // A gap fill may go on in the next chunk: it is written once, when its end is known.
  if (read.next <= read.to) replay.fillFrom ??= read.next;
  read.endPart();
  tellProgress(core, replay);
  if (read.next <= replay.end) read.load(core, core.sequence.series, replay.end);
  else finish(core, replay);
  return true;
}

/**
 * A search through millions of numbers outlasts the counterparty's patience, and after a lost connection it would
 * request all again. So the gap fill found so far goes out once per HeartBtInt(108).
 */
function tellProgress(core: SessionCore, replay: Replay): void {
  const { fillFrom, end } = replay;
  const { next } = replay.read;
  const isSilent =
    core.connection.heartBtIntS > 0 && core.now - core.connection.lastSentAt >= core.connection.heartBtIntS * 1000;
  if (fillFrom === null || next > end || !isSilent) return;
  fill(core, replay, fillFrom, next);
  replay.fillFrom = null;
}

function resend(core: SessionCore, original: Uint8Array): void {
  const change = { sendingTime: core.sendingTime(), lastMsgSeqNumProcessed: core.lastMsgSeqNumProcessed() };
  const raw = resendFrame(original, change, core.dataFields);
  core.logUnsequenced('out', raw, 'resend');
  core.sessionMessages.sent();
  core.transmit(raw);
}

/**
 * A gap fill below the counterparty's expected number is skipped as a duplicate: one begins at the requested number.
 */
function fill(core: SessionCore, { joinedFrom }: Replay, from: number, newSeqNo: number): void {
  if (joinedFrom === null || joinedFrom <= from || joinedFrom >= newSeqNo) {
    gapFill(core, from, newSeqNo);
    return;
  }
  gapFill(core, from, joinedFrom);
  gapFill(core, joinedFrom, newSeqNo);
}

function gapFill(core: SessionCore, msgSeqNum: number, newSeqNo: number): void {
  assert(
    newSeqNo > msgSeqNum && newSeqNo <= core.sequence.nextSenderMsgSeqNum,
    'S4: NewSeqNo(36) stays within the sent numbers',
  );
  const draft = new MessageDraft(MsgType.SequenceReset).add(Tag.GapFillFlag, 'Y').add(Tag.NewSeqNo, `${newSeqNo}`);
  const raw = core.encode(draft, msgSeqNum, true);
  core.recovery.wroteGapFill();
  core.logUnsequenced('out', raw, 'gap fill');
  core.transmit(raw);
}

function finish(core: SessionCore, replay: Replay): void {
  if (replay.fillFrom !== null) fill(core, replay, replay.fillFrom, replay.end + 1);
  endReplay(core);
  // The counterparty was busy reading: its silence counts from now (a TestRequest during a resend must not kill it).
  core.connection.received(core.now);
  core.sequence.proofAwaited(core.now);
  if (replay.lostResendRequest) askForGap(core, true);
}
