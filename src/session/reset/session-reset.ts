// A reset within the session on its way: how far it has come, and the messages that wait for its end. Leaves its course, which
// sends and counts, to reset-in-session.ts.

import type { EpochMs } from '../../base/time.ts';
import type { SessionNumbers } from '../port.ts';
import type { OwedReset } from './owed-reset.ts';

/** How many messages, and how many bytes, may wait. */
interface WaitingMax {
  readonly messages: number;
  readonly bytes: number;
}

/** A reset within the session that our side began. */
export class SessionReset implements OwedReset {
  readonly who: string;
  readonly why: string;
  /** It is tried again until it is made, on later connections too. */
  readonly isOwed: boolean;
  #phase: 'waiting' | 'proving' | 'proven' | 'logonSent' = 'waiting';
  #since: EpochMs;
  #testReqID = '';
  #ended: SessionNumbers | null = null;
  /** Messages of the new series that wait for the answer; null while none has to. */
  #held: { readonly msgSeqNum: number; readonly raw: Uint8Array }[] | null = null;
  #heldBytes = 0;
  #letGoFrom: number | null = null;
  #isToldLate = false;
  #isTaken = false;

  constructor({ who, why }: OwedReset, isOwed: boolean, now: EpochMs) {
    this.who = who;
    this.why = why;
    this.isOwed = isOwed;
    this.#since = now;
  }

  get phase(): 'waiting' | 'proving' | 'proven' | 'logonSent' {
    return this.#phase;
  }

  /** When it was asked for; from `logonSent` on, when our Logon went out. */
  get since(): EpochMs {
    return this.#since;
  }

  /** From `logonSent` on: our numbers before, and the number of the counterparty's next message of its old series. */
  get ended(): SessionNumbers | null {
    return this.#ended;
  }

  /** Messages sent now wait for the answer. */
  get isHolding(): boolean {
    return this.#held !== null;
  }

  /** First number of those that were let go because too many waited, or null: a resend follows the answer. */
  get letGoFrom(): number | null {
    return this.#letGoFrom;
  }

  /** The TestRequest(1) that must be answered went out. */
  proveBy(testReqID: string): void {
    this.#phase = 'proving';
    this.#testReqID = testReqID;
  }

  /** A Heartbeat(0) with this TestReqID(112) came, and everything before it had. */
  heartbeat(testReqID: string): void {
    if (this.#phase === 'proving' && testReqID === this.#testReqID) this.#phase = 'proven';
  }

  /** One side has a gap, or the TestRequest has no answer: earlier or later Heartbeats prove nothing now. */
  proveAnew(): void {
    this.#phase = 'waiting';
  }

  /** Our Logon(A) goes out; `ended`: the numbers before it. */
  announce(ended: SessionNumbers, now: EpochMs): void {
    this.#ended = ended;
    this.#phase = 'logonSent';
    this.#since = now;
    this.#held = [];
  }

  /** The counterparty's next message of its old series has this number. */
  expectOfEnded(nextTargetMsgSeqNum: number): void {
    if (this.#ended !== null) this.#ended = { ...this.#ended, nextTargetMsgSeqNum };
  }

  /** The counterparty has begun again: a message in its new numbers came, ahead of its Logon(A). */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  take(): void {
    this.#isTaken = true;
  }

  /** Let a message wait for the answer. Too many are let go. */
  hold(msgSeqNum: number, raw: Uint8Array, max: WaitingMax): void {
    if (this.#held === null || this.#letGoFrom !== null) return;
    this.#held.push({ msgSeqNum, raw });
    this.#heldBytes += raw.length;
    if (this.#held.length <= max.messages && this.#heldBytes <= max.bytes) return;
    this.#letGoFrom = msgSeqNum - this.#held.length + 1;
    this.#held = [];
  }

  /** Take the waiting messages; later ones do not wait. */
  release(): readonly { readonly msgSeqNum: number; readonly raw: Uint8Array }[] {
    const held = this.#held ?? [];
    this.#held = null;
    return held;
  }

  /** Wait as if the request had been made now. */
  waitAnew(now: EpochMs): void {
    this.#since = now;
  }

  /** Whether it is yet to be said that the proof is missing; true once. */
  tellsLate(): boolean {
    const isFirst = !this.#isToldLate;
    this.#isToldLate = true;
    return isFirst;
  }
}
