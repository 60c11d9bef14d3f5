// The TestRequest(1) with an answer that proves earlier messages received (rule S2). liveness.ts decides when one is
// due; before a reset, reset-in-session.ts does.

import type { EpochMs } from '../../base/time.ts';
import { MessageDraft, MsgType, Tag } from '../../wire/mod.ts';

/** A TestRequest(1) that was sent. */
interface TestRequest {
  readonly testReqID: string;
  /** The number up to which its answer proves receipt; 0 for none. */
  proves: number;
  sentAt: EpochMs;
}

/** The session's parts that sending one needs (core.ts). */
interface Sending {
  readonly sequence: { readonly series: number };
  readonly now: EpochMs;
  send(draft: MessageDraft): number;
}

export class TestRequests {
  #outstanding: TestRequest | null = null;
  /** For TestReqID(112): goes on over connections. */
  #count = 0;

  /** Send one; it replaces one that has no answer yet. @returns its TestReqID(112) */
  send(core: Sending): string {
    this.#count++;
    const testReqID = `${core.sequence.series}-${this.#count}`;
    const proves = core.send(new MessageDraft(MsgType.TestRequest).add(Tag.TestReqID, testReqID));
    this.#outstanding = { testReqID, proves, sentAt: core.now };
    return testReqID;
  }

  /** When the one that has no answer yet was sent, or null. */
  get sentAt(): EpochMs | null {
    return this.#outstanding === null ? null : this.#outstanding.sentAt;
  }

  /** The number that the outstanding one's answer would prove; 0 if there is none or it would prove nothing. */
  get proves(): number {
    return this.#outstanding?.proves ?? 0;
  }

  /**
   * A Heartbeat(0) with this TestReqID(112) came.
   * @returns null if it answers none; else the highest MsgSeqNum(34) that it proves received, or 0
   */
  answeredBy(testReqID: string): number | null {
    if (testReqID !== this.#outstanding?.testReqID) return null;
    const { proves } = this.#outstanding;
    this.#outstanding = null;
    return proves;
  }

  /** The counterparty missed messages before the outstanding TestRequest(1), so its answer proves nothing. */
  provesNothing(): void {
    if (this.#outstanding !== null) this.#outstanding.proves = 0;
  }

  /** No answer is waited for any more: the connection, or the series, is over. */
  forget(): void {
    this.#outstanding = null;
  }
}
