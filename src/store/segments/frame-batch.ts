// Frames on their way to a segment: encoded one behind the other as they will lie there, in groups under one CRC, with the
// places of what is looked up later. Leaves the layout to segment.ts, and writing and syncing to embedded-journal.ts.

import { crc32 } from 'node:zlib';
import { assert } from '../../base/assert.ts';
import type { EpochMs } from '../../base/time.ts';
import type { SessionID } from '../../session/mod.ts';
import { fingerprintsOf } from '../fingerprint.ts';
import type { OutboundIndex } from '../index/outbound-index.ts';
import type { JournalRecord } from '../port.ts';
import { RecordReader, RecordWriter } from '../record-bytes.ts';
import { decodeRecord, encodeMessage, encodeRecord, OutboundField } from '../record-codec.ts';
import type { SessionNames } from '../session-names.ts';
import {
  decodeGroup,
  FRAME_BYTES_MAX,
  FRAME_HEADER_BYTES,
  GROUP_BYTES_SOFT,
  GROUP_HEADER_BYTES,
  GROUP_MARKER,
} from './segment.ts';

const FIRST_BATCH_BYTES = 65_536;
/** A batch buffer that grew beyond this is not kept for reuse. */
const KEPT_BATCH_BYTES_MAX = 4_194_304;

/** Where the last record of an order that ended lies, what it is found by, and the record itself. */
export interface EndedPosition {
  readonly keys: readonly string[];
  readonly text: string;
  /** Fingerprints of its keys. */
  readonly prints: Uint32Array;
  readonly group: number;
  readonly record: number;
}

type OrderRecord = Extract<JournalRecord, { kind: 'order' }>;

/** Where frames will lie. */
export interface EncodingTarget {
  readonly seed: number;
  readonly names: SessionNames;
  /** End of what was handed to the operating system, and of what is known to be on disk. */
  readonly position: number;
  readonly syncedUpTo: number;
}

/**
 * Frames appended but not yet known to be on disk, encoded for one segment, where they lie one behind the other. They are
 * handed to the operating system in one or several writes.
 */
export class FrameBatch {
  readonly #writer = new RecordWriter(FIRST_BATCH_BYTES);
  /** Where the group that takes frames begins, or -1; how many it has, and the seed of its CRC. */
  #group = -1;
  #groupFrames = 0;
  #seed = 0;
  frames = 0;
  firstFrame = 0;
  /** Where the batch begins in its segment; how much of it was handed over. */
  start = 0;
  handed = 0;
  /** How much of `#outbound` was handed over. */
  #handedOutbound = 0;
  /**
   * Where resendable outbound records lie: of each its group in the batch, and its kind byte behind the group's beginning. The
   * rest of it says the record itself. There may be old ones behind them.
   */
  readonly #outbound: number[] = [];
  #outboundNumbers = 0;
  /** Orders that ended, of frames not handed over yet: kept until the sync, their texts would be so twice. */
  readonly ended: EndedPosition[] = [];

  get bytes(): Buffer {
    return this.#writer.bytes;
  }

  get length(): number {
    return this.#writer.length;
  }

  /** Encode one frame. The records' bytes are copied. */
  add(records: readonly JournalRecord[], at: EpochMs, number: number, target: EncodingTarget): void {
    const { names } = target;
    const writer = this.#writer;
    if (this.frames === 0) {
      this.firstFrame = number;
      this.start = target.position;
    }
    if (this.#group !== -1 && writer.length - this.#group >= GROUP_BYTES_SOFT) this.seal();
    if (this.#group === -1) this.#begin(number, target);
    const group = this.#group;
    const start = writer.length;
    writer.reserve(FRAME_HEADER_BYTES);
    writer.length += FRAME_HEADER_BYTES;
    for (let k = 0; k < records.length; k++) {
      const record = records[k]!;
      if (record.kind === 'inbound' || record.kind === 'outbound') {
        encodeMessage(writer, names, record, at);
        if (record.kind === 'outbound' && record.resendable) this.#noteMessage(group);
        continue;
      }
      encodeRecord(writer, names, record, at);
      if (record.kind === 'order') this.#noteOrder(record, group);
    }
    const length = writer.length - start - FRAME_HEADER_BYTES;
    assert(length <= FRAME_BYTES_MAX, 'a frame of the journal has at most 256 MiB');
    writer.putF64(at, start);
    writer.putU32(records.length, start + 8);
    writer.putU32(length, start + 12);
    this.frames++;
    this.#groupFrames++;
  }

  /** A resendable outbound message was encoded last. */
  #noteMessage(group: number): void {
    const outbound = this.#outbound;
    let k = this.#outboundNumbers;
    outbound[k++] = group;
    outbound[k++] = this.#writer.recordStart - group;
    this.#outboundNumbers = k;
  }

  /** Resendable outbound messages of this batch. */
  get outboundMessages(): number {
    return this.#outboundNumbers >>> 1;
  }

  /** Where the kind byte of one of them stands in the batch. */
  outboundAt(k: number): number {
    return this.#outbound[2 * k]! + this.#outbound[2 * k + 1]!;
  }

  /** Note where the messages lie that were not handed over yet, in this segment. */
  handOutbound(segment: number, names: SessionNames, index: OutboundIndex): void {
    const { view } = this.#writer;
    const outbound = this.#outbound;
    let session = -1;
    let sessionId: SessionID = '';
    for (let k = this.#handedOutbound; k < this.#outboundNumbers; k += 2) {
      const group = outbound[k]!;
      const record = outbound[k + 1]!;
      const at = group + record;
      const number = view.getUint16(at + OutboundField.session, true);
      if (number !== session) {
        session = number;
        sessionId = names.nameOf(number);
      }
      const series = view.getUint32(at + OutboundField.series, true);
      const msgSeqNum = view.getUint32(at + OutboundField.msgSeqNum, true);
      index.set(sessionId, series, msgSeqNum, segment, this.start + group, record);
    }
    this.#handedOutbound = this.#outboundNumbers;
  }

  /** An order was encoded last. */
  #noteOrder({ ended: keys, record: text }: OrderRecord, group: number): void {
    if (keys === undefined) return;
    this.ended.push({ keys, text, prints: fingerprintsOf(keys), group, record: this.#writer.recordStart - group });
  }

  #begin(number: number, { syncedUpTo, seed }: EncodingTarget): void {
    const writer = this.#writer;
    const group = writer.length;
    writer.reserve(GROUP_HEADER_BYTES);
    writer.length += GROUP_HEADER_BYTES;
    writer.putU32(GROUP_MARKER, group);
    writer.putF64(number, group + 16);
    writer.putF64(syncedUpTo, group + 24);
    this.#group = group;
    this.#groupFrames = 0;
    this.#seed = seed;
  }

  /** Finish the group that takes frames: what is in the batch now can be written. */
  seal(): void {
    const group = this.#group;
    if (group === -1) return;
    const writer = this.#writer;
    writer.putU32(writer.length - group, group + 8);
    writer.putU32(this.#groupFrames, group + 12);
    writer.putU32(crc32(writer.bytes.subarray(group + 8, writer.length), this.#seed), group + 4);
    this.#group = -1;
  }

  /** The part not yet handed over, sealed, with `zeros` after it. */
  unhanded(zeros: number): Uint8Array {
    const writer = this.#writer;
    writer.reserve(zeros);
    if (zeros > 0) writer.bytes.fill(0, writer.length, writer.length + zeros);
    return this.handed === 0 ? writer.bytes : writer.bytes.subarray(this.handed);
  }

  /** Decode the frames back, to encode them for another segment. Records are slices of this batch. */
  *decode(
    seed: number,
    names: SessionNames,
  ): Generator<{ number: number; at: EpochMs; records: readonly JournalRecord[] }> {
    this.seal();
    const bytes = this.#writer.bytes.subarray(0, this.#writer.length);
    for (let offset = 0; offset < bytes.length; ) {
      const group = decodeGroup(bytes, offset, offset, seed);
      assert(group !== null && typeof group !== 'number', 'a group kept in memory is whole');
      for (const { number, at, recordCount, payload } of group.frames) {
        const reader = new RecordReader(payload);
        const records: JournalRecord[] = [];
        for (let k = 0; k < recordCount; k++) records.push(decodeRecord(reader, names));
        yield { number, at, records };
      }
      offset += group.length;
    }
  }

  /** Empty the batch for reuse. False if its buffer is too large to be kept. */
  clear(): boolean {
    this.#writer.length = 0;
    this.#group = -1;
    this.frames = 0;
    this.handed = 0;
    this.#handedOutbound = 0;
    this.#outboundNumbers = 0;
    this.ended.length = 0;
    return this.#writer.bytes.length <= KEPT_BATCH_BYTES_MAX;
  }
}
