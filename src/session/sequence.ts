// The numbers of a session: next, expected, proven, and which of ours never left. Only its own functions write them;
// core.ts records every change.

import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import type { RecoveredSession, SessionNumbers } from './port.ts';
import { UnsentNumbers, unsentOf } from './reset/unsent.ts';

export class Sequence {
  series: number;
  nextSenderMsgSeqNum: number;
  nextTargetMsgSeqNum: number;
  provenMsgSeqNum: number;
  /** Highest number of a report in the present series, which needs proof of receipt (rule S2). */
  lastReportMsgSeqNum: number;
  /** Since when reports wait for a proof: from the first of them on, or from the last answer, Logon or end of a resend of ours. */
  unprovenSince: EpochMs = 0;
  /** Unsent messages of the present series. */
  readonly unsent = new UnsentNumbers();
  /** Something of the present series left for the counterparty; where that is not known after a start, it may have. */
  isSeriesSaid = true;
  /** That 1 is expected next was set by an operator within the series: it is no reset that waits to be confirmed. */
  firstByHand: boolean;
  /** News(B) about the sequence threshold was sent in this series. */
  thresholdAnnounced = false;

  constructor(recovered: RecoveredSession | null) {
    const numbers = recovered?.numbers ?? { series: 1, nextSenderMsgSeqNum: 1, nextTargetMsgSeqNum: 1 };
    this.series = numbers.series;
    this.nextSenderMsgSeqNum = numbers.nextSenderMsgSeqNum;
    this.nextTargetMsgSeqNum = numbers.nextTargetMsgSeqNum;
    this.provenMsgSeqNum = recovered?.provenMsgSeqNum ?? 0;
    // After a restart it is unknown which numbers were reports: ask for proof up to the last one.
    this.lastReportMsgSeqNum = this.nextSenderMsgSeqNum - 1;
    this.firstByHand = recovered?.firstByHand === true;
    if (recovered !== null) this.unsent.recover(unsentOf(recovered));
  }

  numbers(): SessionNumbers {
    const { series, nextSenderMsgSeqNum, nextTargetMsgSeqNum } = this;
    return { series, nextSenderMsgSeqNum, nextTargetMsgSeqNum };
  }

  /** Use the next number of ours. @returns it */
  take(): number {
    return this.nextSenderMsgSeqNum++;
  }

  /** The message with this number is a report. */
  reported(msgSeqNum: number, now: EpochMs): void {
    if (this.lastReportMsgSeqNum <= this.provenMsgSeqNum) this.unprovenSince = now;
    this.lastReportMsgSeqNum = msgSeqNum;
  }

  /** Reports wait for a proof from now on. */
  proofAwaited(now: EpochMs): void {
    this.unprovenSince = now;
  }

  /** An inbound message was counted. */
  counted(msgSeqNum: number, next: number): void {
    assert(msgSeqNum === this.nextTargetMsgSeqNum && next > msgSeqNum, 'inbound messages are counted in order');
    this.nextTargetMsgSeqNum = next;
  }

  /** Go on in other numbers. @returns whether a series has begun */
  set(to: SessionNumbers): boolean {
    const isNew = to.series !== this.series;
    this.series = to.series;
    this.nextSenderMsgSeqNum = to.nextSenderMsgSeqNum;
    this.nextTargetMsgSeqNum = to.nextTargetMsgSeqNum;
    this.firstByHand = !isNew && to.nextTargetMsgSeqNum === 1;
    if (!isNew) return false;
    this.provenMsgSeqNum = 0;
    this.unsent.take();
    this.lastReportMsgSeqNum = 0;
    this.thresholdAnnounced = false;
    this.isSeriesSaid = false;
    return true;
  }

  /** Our messages up to this number are known to be received; never more than were sent (rule S2). @returns whether that is news */
  proved(msgSeqNum: number): boolean {
    if (!(msgSeqNum > this.provenMsgSeqNum) || msgSeqNum >= this.nextSenderMsgSeqNum) return false;
    this.provenMsgSeqNum = msgSeqNum;
    this.unsent.left(1, msgSeqNum);
    return true;
  }

  /** Something of this series leaves. */
  said(): void {
    this.isSeriesSaid = true;
  }

  /** The threshold was announced, or is another one now. */
  announced(isAnnounced: boolean): void {
    this.thresholdAnnounced = isAnnounced;
  }
}
