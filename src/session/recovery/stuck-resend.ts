// Detects a counterparty that gets stuck at one of our messages. It requests the message on one connection after
// another and disconnects when it comes, as an engine does with a message too long for it. Operators must solve this.
// replay.ts resends.

import type { EpochMs } from '../../base/time.ts';

/** A connection that lasts so long behind that message did not end because of it. */
const SHORT_MS = 10_000;
/**
 * This many in a row are reported, once: a line that fails at random rarely fails so often between the same two
 * messages.
 */
const CONNECTIONS = 5;

export class StuckResend {
  /** Of the present connection: the first message in number that was sent again, and when; 0 for none. */
  #msgSeqNum = 0;
  #bytes = 0;
  #at: EpochMs = 0;
  /** Connections in a row that ended behind the same first message of the same series. */
  readonly #before = { series: 0, msgSeqNum: 0, count: 0 };

  /** A message was sent again. */
  resent(msgSeqNum: number, bytes: number, now: EpochMs): void {
    if (this.#msgSeqNum !== 0 && this.#msgSeqNum <= msgSeqNum) return;
    this.#msgSeqNum = msgSeqNum;
    this.#bytes = bytes;
    this.#at = now;
  }

  /**
   * The connection is over.
   * @param isCut it was logged on, and neither side had said Logout(5)
   * @returns an alarm text for operators, or null
   */
  ended(isCut: boolean, series: number, provenMsgSeqNum: number, now: EpochMs): string | null {
    const msgSeqNum = this.#msgSeqNum;
    this.#msgSeqNum = 0;
    const before = this.#before;
    const isStuck = isCut && msgSeqNum > provenMsgSeqNum && now - this.#at < SHORT_MS;
    const isSame = isStuck && before.series === series && before.msgSeqNum === msgSeqNum;
    before.count = isSame ? before.count + 1 : 1;
    before.series = series;
    before.msgSeqNum = isStuck ? msgSeqNum : 0;
    if (!isStuck || before.count !== CONNECTIONS) return null;
    return (
      `on ${CONNECTIONS} connections in a row the counterparty was sent MsgSeqNum(34)=${msgSeqNum} again, of ${this.#bytes} bytes, ` +
      'and the connection ended: it may be a message that it cannot take'
    );
  }
}
