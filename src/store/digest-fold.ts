// Folds segments that their writer handed over in short (segment-digest.ts) into what a reading of their records would come to.
// Only the text of an order is read back, by its place: of one that is still open once, of one that ended when it did.

import type { EndedSink, FoldTarget } from './fold.ts';
import { FrameReader } from './frame-reader.ts';
import type { Location, SegmentPages } from './outbound-index.ts';
import { RecordReader } from './record-bytes.ts';
import { decodeOrderKeys, decodeRecord, SessionNames } from './record-codec.ts';
import { Counted, DigestEntry, type SealedDigest } from './segment-digest.ts';

/** A finished segment, as the journal's owner hands it over. */
export interface HandedSegment {
  readonly digest: SealedDigest;
  /** Where its outbound messages lie. */
  readonly outbound: SegmentPages;
}

export class DigestFold {
  readonly #target: FoldTarget;
  readonly #frames: FrameReader;
  /** Open orders whose text was not read yet: only the last one of each is. */
  readonly #places = new Map<string, Location>();

  constructor(directory: string, target: FoldTarget) {
    this.#target = target;
    this.#frames = new FrameReader(directory);
  }

  /** @throws XG_JOURNAL_CORRUPT if the text of an order is damaged */
  fold({ digest, outbound }: HandedSegment): void {
    const { state, index } = this.#target;
    const { segment, bytes } = digest;
    const names = new SessionNames();
    for (const name of digest.names) names.add(name);
    state.segment = segment;
    const reader = new RecordReader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    while (!reader.atEnd) {
      const kind = reader.u8();
      if (kind === DigestEntry.messages) {
        this.#messages(reader, names);
      } else if (kind === DigestEntry.order) {
        const keys = new RecordReader(reader.raw());
        this.#order(keys, { segment, group: reader.u32(), record: reader.u32() });
      } else {
        const at = reader.f64();
        state.apply(decodeRecord(new RecordReader(reader.raw()), names), at);
      }
    }
    index.take(segment, outbound);
  }

  /** Read the texts that are still missing: to be called before records are read that come after, and at the end. */
  settle(): void {
    const { orders } = this.#target.state;
    const inOrder = [...this.#places].sort(([, a], [, b]) => a.segment - b.segment || a.group - b.group);
    for (const [key, place] of inOrder) orders.set(key, this.#frames.orderText(place));
    this.#places.clear();
  }

  close(): void {
    this.#frames.close();
  }

  #messages(reader: RecordReader, names: SessionNames): void {
    const { state } = this.#target;
    const sessionId = names.nameOf(reader.u16());
    const series = reader.u32();
    const flags = reader.u8();
    const nextTargetMsgSeqNum = reader.u32();
    const msgSeqNum = reader.u32();
    const at = reader.f64();
    // None that counts in time were Logouts only.
    const areLogouts = (flags & Counted.time) === 0;
    if ((flags & Counted.inbound) !== 0) {
      state.inbound(sessionId, series, nextTargetMsgSeqNum - 1, nextTargetMsgSeqNum, areLogouts, at);
    }
    if ((flags & Counted.outbound) !== 0) state.outbound(sessionId, series, msgSeqNum, areLogouts, at);
  }

  #order(reader: RecordReader, place: Location): void {
    const { orders } = this.#target.state;
    const { key, ended } = decodeOrderKeys(reader);
    if (ended === undefined) {
      // It keeps its place among the others, and gets its text when it is known to be the last.
      if (!orders.has(key)) orders.set(key, '');
      this.#places.set(key, place);
      return;
    }
    orders.delete(key);
    this.#places.delete(key);
    const sink: EndedSink = this.#target.ended;
    sink.note(ended, place.segment, place.group, place.record);
    sink.record?.(ended, this.#frames.orderText(place));
  }
}
