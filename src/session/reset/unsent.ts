// Numbers of the present series with messages that never left for the counterparty, or may not have. After a reset they
// are sent even if unproven messages are not repeated (rule S2). Messages are numbered and recorded while logged off,
// and wait behind a resend or a reset; a resend sends them. repeat-reports.ts performs the repetition.

import type { RecoveredSession } from '../port.ts';

/** Numbers from one to another, both included. */
export interface UnsentRange {
  readonly from: number;
  readonly to: number;
  /** They certainly never left; else they may have. */
  readonly isSure: boolean;
}

/** Unsent messages of an earlier process; its last messages before a crash are doubtful. */
export function unsentOf({ loggedOn, unsent, numbers, provenMsgSeqNum }: RecoveredSession): UnsentRange {
  const known = loggedOn ? undefined : unsent;
  const from = Math.max(known?.from ?? 1, provenMsgSeqNum + 1);
  return { from, to: numbers.nextSenderMsgSeqNum - 1, isSure: known?.isSure === true };
}

/** Ranges remembered; beyond it the first two become one uncertain range. Each takes a connection of its own. */
const RANGES_MAX = 32;

export class UnsentNumbers {
  #ranges: UnsentRange[] = [];

  /** A message was numbered and did not leave, or its receipt is doubtful. In ascending order. */
  add(msgSeqNum: number, isSure: boolean): void {
    const last = this.#ranges.at(-1);
    if (last !== undefined && last.to === msgSeqNum - 1 && last.isSure === isSure) {
      this.#ranges[this.#ranges.length - 1] = { ...last, to: msgSeqNum };
      return;
    }
    this.#ranges.push({ from: msgSeqNum, to: msgSeqNum, isSure });
    if (this.#ranges.length <= RANGES_MAX) return;
    const [first, second] = this.#ranges as [UnsentRange, UnsentRange];
    this.#ranges.splice(0, 2, { from: first.from, to: second.to, isSure: false });
  }

  /** Numbers that an earlier process left; none where `from` is above `to`. */
  recover(range: UnsentRange): void {
    if (range.from <= range.to) this.#ranges.push(range);
  }

  /** These messages left, or are proven received. */
  left(from: number, to: number): void {
    if (this.#ranges.length === 0) return;
    this.#ranges = this.#ranges.flatMap((range) => [
      ...(range.from < from ? [{ ...range, to: Math.min(range.to, from - 1) }] : []),
      ...(range.to > to ? [{ ...range, from: Math.max(range.from, to + 1) }] : []),
    ]);
  }

  /** Take the remembered numbers, in ascending order: the series is over. */
  take(): readonly UnsentRange[] {
    const ranges = this.#ranges;
    this.#ranges = [];
    return ranges;
  }
}
