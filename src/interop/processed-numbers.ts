// Which number to put into LastMsgSeqNumProcessed(369): the highest below which nothing is missing. jspurefix's own count runs
// ahead over a gap, and would claim what was never received.

import { type MessageView, MsgType, Tag } from '../wire/mod.ts';

/** Numbers kept above a gap; a peer that leaves larger ones open has lost more than this count can help with. */
const AHEAD_MAX = 100_000;

export class ProcessedNumbers {
  #last: number;
  readonly #ahead = new Set<number>();

  /** `last`: number of the last message processed in the sequence series that goes on; 0 for none. */
  constructor(last: number) {
    this.#last = last;
  }

  get last(): number {
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
    const isReset = view.msgType === MsgType.SequenceReset;
    const end = isReset ? (view.int(Tag.NewSeqNo) ?? seqNum + 1) - 1 : seqNum;
    const begin = isReset && view.boolean(Tag.GapFillFlag) !== true ? this.#last + 1 : seqNum;
    if (begin > this.#last + 1) {
      for (let n = begin; n <= end && this.#ahead.size < AHEAD_MAX; n++) this.#ahead.add(n);
    } else this.#last = Math.max(this.#last, end);
    while (this.#ahead.delete(this.#last + 1)) this.#last += 1;
  }
}
