// One direction of a TCP connection, put together from captured segments: repeated, overlapping and out of order. Bytes
// that the capture lacks are a gap, which is reported and passed over.

import type { EpochMs } from '../../base/time.ts';
import type { TcpSegment } from './tcp-segment.ts';

/** Most bytes and segments that wait for earlier ones; beyond, the earlier ones count as lost. */
const WAITING_BYTES_MAX = 8 * 1_048_576;
const WAITING_SEGMENTS_MAX = 8_192;

/** Bytes in their order, or the number of those that are missing. */
export type StreamPart =
  | { readonly kind: 'bytes'; readonly bytes: Buffer; readonly at: EpochMs | null }
  | { readonly kind: 'gap'; readonly bytes: number }
  /** The addresses are used for another connection. */
  | { readonly kind: 'begin' };

interface Waiting {
  readonly seq: number;
  readonly bytes: Buffer;
  readonly at: EpochMs | null;
}

/** Distance of two sequence numbers, which wrap at 2^32. */
const distance = (from: number, to: number): number => (to - from) | 0;

export class TcpStream {
  /** Null before the first segment. */
  private next: number | null = null;
  private waiting: Waiting[] = [];
  private waitingBytes = 0;

  /** Take a segment of this direction. */
  push({ seq, isSyn, isReset, payload }: TcpSegment, at: EpochMs | null): StreamPart[] {
    const parts: StreamPart[] = [];
    const first = isSyn ? (seq + 1) >>> 0 : seq;
    if (isReset) return parts;
    if (isSyn && this.next !== null && first !== this.next && payload.length === 0 && !this.isKnown(first)) {
      parts.push(...this.end(), { kind: 'begin' });
      this.next = null;
    }
    this.next ??= first;
    if (payload.length === 0) return parts;
    this.hold({ seq: first, bytes: payload, at });
    parts.push(...this.takeReady());
    while (this.waitingBytes > WAITING_BYTES_MAX || this.waiting.length > WAITING_SEGMENTS_MAX)
      parts.push(...this.passGap());
    return parts;
  }

  /** The other direction acknowledges up to here: what is missing below was received and not captured. */
  acknowledged(ack: number): StreamPart[] {
    const parts: StreamPart[] = [];
    while (this.waiting.length > 0 && distance(this.waiting[0]!.seq, ack) > 0) parts.push(...this.passGap());
    return parts;
  }

  /** Nothing more comes. */
  end(): StreamPart[] {
    const parts: StreamPart[] = [];
    while (this.waiting.length > 0) parts.push(...this.passGap());
    return parts;
  }

  /** A repeated SYN of this connection. */
  private isKnown(first: number): boolean {
    const behind = distance(first, this.next!);
    return behind >= 0 && behind < 0x1000_0000;
  }

  private hold(segment: Waiting): void {
    let i = this.waiting.length;
    while (i > 0 && distance(this.waiting[i - 1]!.seq, segment.seq) < 0) i--;
    // Equal numbers: the first captured is read first, so that what it lacks comes from the other.
    this.waiting.splice(i, 0, segment);
    this.waitingBytes += segment.bytes.length;
  }

  private takeReady(): StreamPart[] {
    const parts: StreamPart[] = [];
    for (let head = this.waiting[0]; head !== undefined; head = this.waiting[0]) {
      const known = distance(head.seq, this.next!);
      if (known < 0) break;
      this.waiting.shift();
      this.waitingBytes -= head.bytes.length;
      if (known >= head.bytes.length) continue;
      const bytes = head.bytes.subarray(known);
      this.next = (this.next! + bytes.length) >>> 0;
      parts.push({ kind: 'bytes', bytes, at: head.at });
    }
    return parts;
  }

  private passGap(): StreamPart[] {
    const { seq } = this.waiting[0]!;
    const bytes = distance(this.next!, seq);
    this.next = seq;
    return [...(bytes > 0 ? [{ kind: 'gap', bytes } as const] : []), ...this.takeReady()];
  }
}
