// Reads messages to be sent again from the journal, part by part, for a resend or a repetition: the position, the
// request, and the size of a part. Leaves sending to replay.ts and repeat-reports.ts, and giving a read up to
// liveness.ts.

import type { EpochMs } from '../../base/time.ts';
import type { EffectSink } from '../effect.ts';
import type { LoadWaitsFor } from '../input.ts';
import type { OutboundMessage } from '../port.ts';

/**
 * Bytes of one part, but one message at least: fifty long ones would be more than may wait for a counterparty, and end each of its
 * connections in the same place.
 */
const PART_BYTES_MAX = 49_152;

/** The session's parts that reading needs (core.ts). */
export interface Reading {
  readonly config: { readonly resendLoadChunk: number };
  readonly now: EpochMs;
  readonly out: EffectSink;
  nextRequestId(): number;
}

/** Most numbers in a read, by setting. */
const chunkOf = ({ config }: Reading): number => Math.max(1, config.resendLoadChunk);

export class ResendRead {
  /** Next number to be sent. */
  next: number;
  #requestId = 0;
  #to = 0;
  /** Most numbers in one read: fewer than the setting says where messages are long. */
  #max: number;
  #since: EpochMs;
  #waitsFor: LoadWaitsFor = 'journal';
  /** Of the part being sent: its first number, and its bytes so far. */
  #partFrom = 0;
  #partBytes = 0;

  constructor(core: Reading, from: number) {
    this.next = from;
    this.#max = chunkOf(core);
    this.#since = core.now;
  }

  /** The last number of the read under way. */
  get to(): number {
    return this.#to;
  }

  /** Since when its answer is waited for. */
  get since(): EpochMs {
    return this.#since;
  }

  get waitsFor(): LoadWaitsFor {
    return this.#waitsFor;
  }

  /** Ask the journal for the next part of a series that is wanted up to `end`. */
  load(core: Reading, series: number, end: number): void {
    this.#requestId = core.nextRequestId();
    this.#since = core.now;
    this.#waitsFor = 'journal';
    this.#to = Math.min(end, this.next + this.#max - 1);
    core.out.push({ kind: 'loadOutbound', requestId: this.#requestId, series, from: this.next, to: this.#to });
  }

  /** Whether an answer of the journal is that of the read under way. */
  isAnsweredBy(requestId: number): boolean {
    return requestId === this.#requestId;
  }

  /** The answer came: a part of it begins. */
  beginPart(core: Reading): void {
    this.#partFrom = this.next;
    this.#partBytes = 0;
    // Behind one that was cut short more is read at a time again.
    this.#max = Math.min(chunkOf(core), this.#max * 2);
  }

  /** True if the message belongs to the request. */
  includes({ msgSeqNum }: OutboundMessage): boolean {
    return msgSeqNum >= this.next && msgSeqNum <= this.#to;
  }

  /** Whether the part has room for this message; if not, it ends before it, and the rest is read once more. */
  takes({ msgSeqNum, raw }: OutboundMessage): boolean {
    if (this.#partBytes > 0 && this.#partBytes + raw.length > PART_BYTES_MAX) {
      this.#to = msgSeqNum - 1;
      this.#max = msgSeqNum - this.#partFrom;
      return false;
    }
    this.#partBytes += raw.length;
    return true;
  }

  /** The part was sent. */
  endPart(): void {
    this.next = this.#to + 1;
  }

  /** Reason for the wait of an answer. The journal has no time limit here. */
  waitFor(what: LoadWaitsFor, now: EpochMs): void {
    this.#waitsFor = what;
    if (what === 'journal') this.#since = now;
  }

  /** Wait as if it had been asked for now. */
  waitAnew(now: EpochMs): void {
    this.#since = now;
  }
}
