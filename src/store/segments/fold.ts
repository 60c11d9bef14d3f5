// Folds the frames of a segment into state and indexes, without making an object of every record: what a start does most.
// Leaves kinds that are rare to record-codec.ts, and what records mean to journal-state.ts.

import { fingerprintsOf } from '../fingerprint.ts';
import type { EndedOrderFiles } from '../index/ended-orders.ts';
import type { OutboundIndex } from '../index/outbound-index.ts';
import type { JournalState } from '../journal-state.ts';
import type { OrderTexts } from '../order-texts.ts';
import { RecordReader } from '../record-bytes.ts';
import { decodeOrderKeys, decodeRecord, RecordKind } from '../record-codec.ts';
import type { SessionNames } from '../session-names.ts';
import type { Frame } from './segment.ts';

/**
 * Called for every record of an ended order with the fingerprints of its keys and its text, which is valid during the
 * call.
 */
export type EndedSink = Pick<EndedOrderFiles, 'note'> & {
  record?(prints: Uint32Array, text: Uint8Array): void;
};

export interface FoldTarget {
  readonly state: JournalState;
  readonly index: OutboundIndex;
  readonly ended: EndedSink;
  /** To be settled when all is folded. */
  readonly texts: OrderTexts;
}

const LOGOUT = 0x35;
/** Bytes of an inbound or outbound record before its MsgType. */
const INBOUND_HEAD_BYTES = 15;
const OUTBOUND_HEAD_BYTES = 20;

/** Apply all records of a frame. @throws RangeError if one makes no sense */
export function foldFrame(target: FoldTarget, frame: Frame, names: SessionNames, segment: number): void {
  const { payload, at } = frame;
  let reader: RecordReader | null = null;
  let position = 0;
  for (let k = 0; k < frame.recordCount; k++) {
    const kind = payload[position];
    if (kind === RecordKind.inbound || kind === RecordKind.outbound) {
      position = foldMessage(target, payload, position, names, frame, segment);
      continue;
    }
    reader ??= new RecordReader(payload);
    reader.position = position;
    if (kind === RecordKind.order || kind === RecordKind.endedOrder) {
      foldOrder(target, reader, frame, segment);
      position = reader.position;
      continue;
    }
    const record = decodeRecord(reader, names);
    position = reader.position;
    target.state.apply(record, at);
    if (record.kind === 'outbound' && record.resendable) {
      const place = frame.payloadAt + reader.recordStart;
      target.index.set(record.sessionId, record.series, record.msgSeqNum, segment, frame.offset, place);
    }
  }
}

/** Apply the record of an order without a look at its text. */
function foldOrder({ ended: sink, texts }: FoldTarget, reader: RecordReader, frame: Frame, segment: number): void {
  const place = frame.payloadAt + reader.position;
  const { key, ended } = decodeOrderKeys(reader);
  if (ended === undefined) {
    reader.pass(reader.u32());
    texts.later(key, segment, frame.offset, place);
    return;
  }
  texts.ended(key);
  const prints = fingerprintsOf(ended);
  sink.note(prints, segment, frame.offset, place);
  if (sink.record === undefined) reader.pass(reader.u32());
  else sink.record(prints, reader.raw());
}

/** Apply a message; the position behind it. */
function foldMessage(
  { state, index }: FoldTarget,
  payload: Buffer,
  position: number,
  names: SessionNames,
  frame: Frame,
  segment: number,
): number {
  const isInbound = payload[position] === RecordKind.inbound;
  const sessionId = names.nameOf(payload.readUInt16LE(position + 1));
  const series = payload.readUInt32LE(position + 3);
  const msgSeqNum = payload.readUInt32LE(position + 7);
  let at = position + (isInbound ? INBOUND_HEAD_BYTES : OUTBOUND_HEAD_BYTES);
  const typeBytes = payload.readUInt8(at);
  const isLogout = typeBytes === 1 && payload[at + 1] === LOGOUT;
  at += 1 + (typeBytes === 0xff ? 4 + payload.readUInt32LE(at + 1) : typeBytes);
  const end = at + 4 + payload.readUInt32LE(at);
  if (end > payload.length) throw new RangeError('a journal record is longer than its frame');
  if (isInbound) {
    state.inbound(sessionId, series, msgSeqNum, payload.readUInt32LE(position + 11), isLogout, frame.at);
  } else {
    state.outbound(sessionId, series, msgSeqNum, isLogout, frame.at);
    if (payload[position + OUTBOUND_HEAD_BYTES - 1] === 1) {
      index.set(sessionId, series, msgSeqNum, segment, frame.offset, frame.payloadAt + position);
    }
  }
  return end;
}
