// The hole in the inbound sequence: the missing numbers, the outstanding request, and the messages that arrived ahead
// of it. Plain bookkeeping; asking and processing are in inbound.ts.

import type { EpochMs } from '../../base/time.ts';
import type { RatedMessage } from '../messages/message-rate.ts';

/**
 * A message that arrived ahead of its number. `processed`: already answered (rule S10) and only to be counted. `rated`:
 * the rate's decision when it arrived, and the time of it (rule S7); absent if it does not count there.
 */
export interface AheadMessage {
  readonly raw: Uint8Array;
  readonly processed: boolean;
  readonly rated?: RatedMessage;
}

/** Bytes of messages kept ahead of a gap: a counterparty that sends large ones without end must not fill the memory. */
const KEPT_BYTES_MAX = 16_777_216;

/** One range for a ResendRequest(2), both ends included. */
export interface MissingRange {
  readonly beginSeqNo: number;
  readonly endSeqNo: number;
}

/**
 * An inbound gap. It is open from the first number that is too high until every number seen so far is counted. While it
 * is open exactly one range is outstanding, so that a peer that keeps sending never causes a second request.
 */
export class InboundGap {
  #max: number;
  readonly #ahead = new Map<number, AheadMessage>();
  #bytes = 0;
  #asked: MissingRange | null = null;
  #announced = false;
  #highest = 0;
  #progressAt: EpochMs = 0;
  #requestMsgSeqNum = 0;
  #isAskedAgain = false;
  /** A gap fill filled the numbers below. */
  #filledTo = 0;
  /** Some of what is kept has its turn, and was left for later. */
  isReleasing = false;

  /**
   * @param max most messages kept ahead of the gap; further ones are dropped and requested later. One is always kept.
   * Otherwise two sides could drop each other's ResendRequest forever.
   */
  constructor(max: number) {
    this.#max = Math.max(1, max);
  }

  /** From now on at most so many are kept; those that are stay. */
  limit(max: number): void {
    this.#max = Math.max(1, max);
  }

  get asked(): MissingRange | null {
    return this.#asked;
  }

  /** The outstanding range was announced by NextExpectedMsgSeqNum(789) and never asked for. */
  get announced(): boolean {
    return this.#announced;
  }

  get queued(): number {
    return this.#ahead.size;
  }

  /** When the gap was last asked for or shrank. */
  get progressAt(): EpochMs {
    return this.#progressAt;
  }

  /** Wait for the outstanding range as if it had been asked for now. */
  waitAnew(now: EpochMs): void {
    this.#progressAt = now;
  }

  /** Keep a message that is ahead of its number. False if there is no room: it will be asked for again. */
  keep(msgSeqNum: number, message: AheadMessage): boolean {
    if (msgSeqNum > this.#highest) this.#highest = msgSeqNum;
    // The first copy stays: a second one is the same message again.
    if (this.#ahead.has(msgSeqNum)) return true;
    const bytes = this.#bytes + message.raw.length;
    if (this.#ahead.size >= this.#max || (this.#ahead.size > 0 && bytes > KEPT_BYTES_MAX)) return false;
    this.#ahead.set(msgSeqNum, message);
    this.#bytes = bytes;
    return true;
  }

  /** Whether a message of that number is kept. */
  has(msgSeqNum: number): boolean {
    return this.#ahead.has(msgSeqNum);
  }

  /** Take the message with the expected number, if it is here. */
  take(expected: number): AheadMessage | null {
    const message = this.#ahead.get(expected) ?? null;
    if (message === null) return null;
    this.#ahead.delete(expected);
    this.#bytes -= message.raw.length;
    return message;
  }

  /** Whether the expected number is here, or filled. */
  isReady(expected: number): boolean {
    return this.#ahead.has(expected) || this.isFilled(expected);
  }

  /** A gap fill was taken that reaches up to this number, over messages that are kept. */
  fillTo(newSeqNo: number): void {
    this.#filledTo = newSeqNo;
  }

  /** Whether a gap fill reaches over that number. */
  isFilled(msgSeqNum: number): boolean {
    return msgSeqNum < this.#filledTo;
  }

  /** The next number from here on that is kept, or the one behind the fill. */
  endOfFill(from: number): number {
    let end = Math.max(from, this.#filledTo);
    for (const msgSeqNum of this.#ahead.keys()) if (msgSeqNum >= from && msgSeqNum < end) end = msgSeqNum;
    return end;
  }

  /** The numbers kept below a bound, ascending: a SequenceReset(4) that jumps over them does not unsend them. */
  below(bound: number): number[] {
    const numbers: number[] = [];
    for (const msgSeqNum of this.#ahead.keys()) if (msgSeqNum < bound) numbers.push(msgSeqNum);
    return numbers.sort((a, b) => a - b);
  }

  /** The lowest number kept, or null. */
  lowest(): number | null {
    let lowest: number | null = null;
    for (const msgSeqNum of this.#ahead.keys()) if (lowest === null || msgSeqNum < lowest) lowest = msgSeqNum;
    return lowest;
  }

  /**
   * The next range to request: null while a range is outstanding or none is missing.
   * @param chunk most numbers in one request; 0 for all
   * @param isOpenEnded the request names no end: all numbers seen so far come again, also those already here
   */
  nextRange(expected: number, chunk: number, isOpenEnded = false): MissingRange | null {
    if (this.#asked !== null && expected <= this.#asked.endSeqNo) return null;
    if (expected > this.#highest || this.isReleasing) return null;
    const lowest = this.lowest();
    const last = lowest === null || isOpenEnded ? this.#highest : lowest - 1;
    return { beginSeqNo: expected, endSeqNo: chunk > 0 ? Math.min(last, expected + chunk - 1) : last };
  }

  /** Remember that this range was asked for, or `announced` by 789, which asks without a ResendRequest. */
  ask(range: MissingRange, now: EpochMs, announced = false): void {
    this.#asked = range;
    this.#announced = announced;
    this.#progressAt = now;
  }

  /** The outstanding range was asked for by the ResendRequest(2) of that number. */
  askedBy(msgSeqNum: number): void {
    this.#requestMsgSeqNum = msgSeqNum;
  }

  /**
   * Whether a counterparty that misses our messages from this number on cannot have read the outstanding request. True once until
   * something of the gap has come: one that never counts a ResendRequest(2) would otherwise be asked without end.
   */
  isUnheard(missingFrom: number): boolean {
    if (this.#asked === null || this.#announced || this.#isAskedAgain) return false;
    if (missingFrom !== this.#requestMsgSeqNum) return false;
    this.#isAskedAgain = true;
    return true;
  }

  /** The expected number moved: close the gap when nothing is missing any more. True if it just closed. */
  advance(expected: number, now: EpochMs): boolean {
    if (this.#asked === null) return false;
    this.#progressAt = now;
    this.#isAskedAgain = false;
    if (expected <= this.#highest) return false;
    this.clear();
    return true;
  }

  clear(): void {
    this.#ahead.clear();
    this.#bytes = 0;
    this.#asked = null;
    this.#isAskedAgain = false;
    this.#highest = 0;
    this.#filledTo = 0;
    this.isReleasing = false;
  }
}
