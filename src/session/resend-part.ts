// How much of what the journal read is sent again at once, be it a resend or a repetition; leaves reading and sending to them.

import type { OutboundMessage } from './port.ts';

/**
 * Bytes of one part, but one message at least: fifty long ones would be more than may wait for a counterparty, and end each of its
 * connections in the same place.
 */
const PART_BYTES_MAX = 49_152;

/** What is sent again, part by part: the next number, the last one of the read under way, and the most numbers in one read. */
interface InParts {
  next: number;
  loadTo: number;
  /** Fewer than the setting says where messages are long. */
  loadMax: number;
}

/** Most numbers in the first read, by setting. */
export const loadMaxOf = ({ resendLoadChunk }: { readonly resendLoadChunk: number }): number =>
  Math.max(1, resendLoadChunk);

/** One part, which was just read. */
export class ResendPart {
  readonly #of: InParts;
  readonly #from: number;
  #bytes = 0;

  constructor(of: InParts, loadMax: number) {
    this.#of = of;
    this.#from = of.next;
    // Behind one that was cut short more is read at a time again.
    of.loadMax = Math.min(loadMax, of.loadMax * 2);
  }

  /** Whether there is room for this message; if not, the part ends before it, and the rest is read once more. */
  takes({ msgSeqNum, raw }: OutboundMessage): boolean {
    if (this.#bytes > 0 && this.#bytes + raw.length > PART_BYTES_MAX) {
      this.#of.loadTo = msgSeqNum - 1;
      this.#of.loadMax = msgSeqNum - this.#from;
      return false;
    }
    this.#bytes += raw.length;
    return true;
  }
}
