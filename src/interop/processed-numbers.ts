// Messages received without a gap before them: the value of LastMsgSeqNumProcessed(369), and the start of the next
// connection. jspurefix's own count runs ahead over a gap, and would claim messages that were never received.

import { type MessageView, MsgType, Tag } from '../wire/mod.ts';

/** Numbers kept above a gap; a peer that leaves larger ones open has lost more than this count can help with. */
const AHEAD_MAX = 100_000;

export class ProcessedNumbers {
  #last: number | null;
  readonly #ahead = new Set<number>();

  /** `last`: number of the last message processed in the sequence series that goes on; null while one is still to begin. */
  constructor(last: number | null) {
    this.#last = last;
  }

  /** The highest below which nothing is missing; null before the Logon with which a series begins. */
  get last(): number | null {
    return this.#last;
  }

  /** Count an inbound message. */
  count(view: MessageView): void {
    const seqNum = view.int(Tag.MsgSeqNum);
    if (seqNum === null || !Number.isSafeInteger(seqNum)) return;
    if (view.msgType === MsgType.Logon && view.boolean(Tag.ResetSeqNumFlag) === true) {
      this.#ahead.clear();
      this.#last = seqNum;
      return;
    }
    // A Logout that refuses the Logon begins nothing.
    if (this.#last === null && view.msgType !== MsgType.Logon) return;
    let last = this.#last ?? 0;
    const isReset = view.msgType === MsgType.SequenceReset;
    const end = isReset ? (view.int(Tag.NewSeqNo) ?? seqNum + 1) - 1 : seqNum;
    const begin = isReset && view.boolean(Tag.GapFillFlag) !== true ? last + 1 : seqNum;
    if (begin > last + 1) {
      for (let n = begin; n <= end && this.#ahead.size < AHEAD_MAX; n++) this.#ahead.add(n);
    } else last = Math.max(last, end);
    while (this.#ahead.delete(last + 1)) last += 1;
    this.#last = last;
  }
}
