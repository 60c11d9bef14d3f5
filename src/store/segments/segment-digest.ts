// Digest of a segment for the next snapshot, noted while its records are encoded: last numbers of messages, keys and
// positions of orders, all other records as they are. With it a snapshot reads no segment back. It is never on disk:
// without it, as after a crash, the segment is read. digest-fold.ts uses it; outbound-index.ts has the positions of
// outbound messages.
//
//   entry = kind 1 · messages: session 2 · series 4 · flags 1 · next target number 4 · highest number sent 4 · time 8
//                  · order: key (length 2, text) · group 4 · place in the group 4
//                  · ended order: the same · number of its keys 1 · per key its fingerprint 8
//                  · record: time 8 · length 4 · the record, as encoded

import { setsNumbers } from '../asked-numbers.ts';
import type { JournalRecord } from '../port.ts';
import { RecordWriter } from '../record-bytes.ts';

export const DigestEntry = { messages: 1, order: 2, record: 3, endedOrder: 4 } as const;

/** Which numbers of a `messages` entry count, and whether a Logout(5) of ours is among the messages. */
export const Counted = { inbound: 1, outbound: 2, time: 4, ourLogout: 8 } as const;

const FIRST_BYTES = 4096;
/** A segment with more than that to say is read instead. */
const BYTES_MAX = 8_388_608;
/** Numbers kept of a session: series, flags, next target number, highest number sent, time. */
const TALLY = 5;
const FIRST_SESSIONS = 64;

/** A segment that is finished, in short. */
export interface SealedDigest {
  readonly journalId: string;
  readonly segment: number;
  readonly firstFrame: number;
  /** Number of the frame behind its last. */
  readonly nextFrame: number;
  /** Offset behind its last frame. */
  readonly end: number;
  /** Offset of its last group; null if it has none. */
  readonly lastGroupAt: number | null;
  /** Sessions by number. */
  readonly names: readonly string[];
  /** Its entries, in order. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

type Origin = Pick<SealedDigest, 'journalId' | 'segment' | 'firstFrame'>;

/** Neither a message nor an order's record. */
type OtherRecord = Exclude<JournalRecord, { kind: 'inbound' | 'outbound' | 'order' }>;

export class SegmentDigest {
  readonly #origin: Origin;
  /** Null once there was too much to say. */
  #writer: RecordWriter | null = new RecordWriter(FIRST_BYTES);
  /** Of every session what was not said yet; a series of 0 stands for nothing. */
  #tallies = new Float64Array(FIRST_SESSIONS * TALLY);
  #lastGroupAt: number | null = null;

  constructor(origin: Origin) {
    this.#origin = origin;
  }

  /** A frame lies in this group of the segment. */
  frame(groupAt: number): void {
    this.#lastGroupAt = groupAt;
  }

  /**
   * A message was recorded.
   * @param number of an inbound one the next target number, of an outbound one its own
   */
  message(session: number, series: number, isInbound: boolean, number: number, isLogout: boolean, at: number): void {
    const k = session * TALLY;
    if (k >= this.#tallies.length || this.#tallies[k] !== series) this.#begin(session, series);
    const tallies = this.#tallies;
    if (isInbound) tallies[k + 2] = number;
    else if (number > tallies[k + 3]!) tallies[k + 3] = number;
    let flags: number = isInbound ? Counted.inbound : Counted.outbound;
    if (!isLogout) {
      flags |= Counted.time;
      tallies[k + 4] = at;
    } else if (!isInbound) flags |= Counted.ourLogout;
    tallies[k + 1] = tallies[k + 1]! | flags;
  }

  /**
   * A record that is no order's and no message was encoded last by `writer`, from its byte `from` on, that of a name before it
   * included.
   */
  note(record: OtherRecord, at: number, writer: RecordWriter, from: number): void {
    switch (record.kind) {
      case 'numbers':
      case 'state':
      case 'proven':
        this.#say(writer.session);
        this.#record(writer, from, at);
        return;
      case 'damageAccepted':
      case 'nonce':
        this.#record(writer, from, at);
        return;
      case 'exchangeInput':
        if (setsNumbers(record.json)) {
          // Numbers of every session that were counted before it come before it: which session's it is, its text only says.
          this.#sayAll();
          this.#record(writer, from, at);
        }
        return;
      case 'unsequenced':
      case 'audit':
      // Where something is damaged, segments are read.
      case 'damageFound':
        return;
    }
  }

  /**
   * Note the order's record that `source` encoded last.
   * @param groupAt position of its group in the segment
   * @param place of the record in that
   * @param ended fingerprints of the keys that find it from now on; null while it is open
   */
  order(source: RecordWriter, groupAt: number, place: number, ended: Uint32Array | null): void {
    const writer = this.#entry(ended === null ? DigestEntry.order : DigestEntry.endedOrder);
    if (writer === null) return;
    // Its kind byte stands before the key.
    const from = source.recordStart + 1;
    writer.copy(source.bytes, from, from + 2 + source.bytes.readUInt16LE(from));
    writer.reserve(9);
    writer.u32(groupAt);
    writer.u32(place);
    if (ended === null) return;
    writer.u8(ended.length >>> 1);
    writer.reserve(4 * ended.length);
    for (const half of ended) writer.u32(half);
  }

  /** The segment gets no more frames. Null if there was too much to say. */
  seal(end: number, nextFrame: number, names: readonly string[]): SealedDigest | null {
    this.#sayAll();
    const writer = this.#writer;
    if (writer === null) return null;
    const { buffer, byteOffset } = writer.bytes;
    const bytes = new Uint8Array(buffer as ArrayBuffer, byteOffset, writer.length);
    return { ...this.#origin, nextFrame, end, lastGroupAt: this.#lastGroupAt, names, bytes };
  }

  /** Tally another series of a session; what was said in the one before is said first. */
  #begin(session: number, series: number): void {
    if (session * TALLY >= this.#tallies.length) this.#grow(session);
    this.#say(session);
    this.#tallies[session * TALLY] = series;
  }

  #sayAll(): void {
    for (let session = 0; session * TALLY < this.#tallies.length; session++) this.#say(session);
  }

  #grow(session: number): void {
    const grown = new Float64Array(Math.max(2 * this.#tallies.length, (session + 1) * TALLY));
    grown.set(this.#tallies);
    this.#tallies = grown;
  }

  /** Say what was counted of a session. */
  #say(session: number): void {
    const k = session * TALLY;
    const tallies = this.#tallies;
    if (k >= tallies.length || tallies[k + 1] === 0) return;
    const writer = this.#entry(DigestEntry.messages);
    if (writer !== null) {
      writer.u16(session);
      writer.u32(tallies[k]!);
      writer.u8(tallies[k + 1]!);
      writer.u32(tallies[k + 2]!);
      writer.u32(tallies[k + 3]!);
      writer.f64(tallies[k + 4]!);
    }
    tallies.fill(0, k, k + TALLY);
  }

  #record(source: RecordWriter, from: number, at: number): void {
    const writer = this.#entry(DigestEntry.record);
    if (writer === null) return;
    writer.f64(at);
    writer.raw(source.bytes.subarray(from, source.length));
  }

  #entry(kind: number): RecordWriter | null {
    const writer = this.#writer;
    if (writer === null) return null;
    if (writer.length > BYTES_MAX) {
      this.#writer = null;
      return null;
    }
    writer.reserve(32);
    writer.u8(kind);
    return writer;
  }
}
