// Folds segments that their writer handed over in short (segment-digest.ts) into what a reading of their records would come to.
// Only the text of an order is read back, by its place: of one that is still open in the end (order-texts.ts), of one that
// ended when it did.

import type { SegmentPages } from '../index/outbound-index.ts';
import { RecordReader } from '../record-bytes.ts';
import { decodeRecord } from '../record-codec.ts';
import { SessionNames } from '../session-names.ts';
import type { FoldTarget } from './fold.ts';
import { FrameReader } from './frame-reader.ts';
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
        this.#target.texts.later(reader.text(reader.u16()), segment, reader.u32(), reader.u32());
      } else if (kind === DigestEntry.endedOrder) {
        this.#ended(reader, segment);
      } else {
        const at = reader.f64();
        state.apply(decodeRecord(new RecordReader(reader.raw()), names), at);
      }
    }
    index.take(segment, outbound);
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
    if ((flags & Counted.ourLogout) !== 0) state.saidLogout(sessionId, series);
  }

  #ended(reader: RecordReader, segment: number): void {
    const { ended, texts } = this.#target;
    texts.ended(reader.text(reader.u16()));
    const group = reader.u32();
    const record = reader.u32();
    const prints = new Uint32Array(2 * reader.u8());
    for (let k = 0; k < prints.length; k++) prints[k] = reader.u32();
    ended.note(prints, segment, group, record);
    ended.record?.(prints, this.#frames.orderText({ segment, group, record }));
  }
}
