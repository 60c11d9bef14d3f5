// Journal records as compact binary: encode into and decode from the payload of a frame.
// Leaves frames, checksums and files to frame-batch.ts and segment.ts, the numbers of sessions to session-names.ts.
//
// A record is one kind byte and its fields, little-endian, without padding. Session ids are written once per segment
// (kind `numberedName`) and are a 16-bit number afterwards; null is NO_SESSION. Texts are UTF-8 behind their length. A name
// says its number, so that those behind a damaged one keep theirs; the kind `name` of older journals counted.

import { assert, unreachable } from '../base/assert.ts';
import type { SessionID } from '../session/mod.ts';
import type { JournalRecord } from './port.ts';
import type { RecordReader, RecordWriter } from './record-bytes.ts';
import { RepeatedBytes, repeatedBytes } from './repeated-message.ts';
import { NO_SESSION, type SessionNames } from './session-names.ts';

/** First byte of a record. On disk for years: append only. */
export const RecordKind = {
  name: 0,
  inbound: 1,
  outbound: 2,
  numbers: 3,
  state: 4,
  proven: 5,
  unsequenced: 6,
  order: 7,
  exchangeInput: 8,
  audit: 9,
  nonce: 10,
  endedOrder: 11,
  numberedName: 12,
  damageAccepted: 13,
  damageFound: 14,
  repeated: 15,
} as const;

/** Where the fields of an outbound record stand that say which message it is, behind its kind byte. */
export const OutboundField = { session: 1, series: 3, msgSeqNum: 7 } as const;

const LOGGED_ON = 1;
const IMPORT_BEGUN = 4;
/** By how it was logged off, where a reset follows; else, and in older journals, it is not said. */
const LOGGED_OFF = { unknown: 0, logout: 2, disconnect: 3 } as const;
const ENDS = ['logout', 'disconnect'] as const;

const ENDED_KEYS_MAX = 255;
/** Bytes of a message that lie elsewhere, as far as its own record says. */
const NOT_HERE = new Uint8Array(0);
/** Length of a message's record before its bytes, with a one-letter MsgType and some reserve. */
const MESSAGE_HEAD_BYTES_MAX = 32;

/** Number of a session in this segment, writing its name first if this is its first use. */
function sessionNumber(writer: RecordWriter, names: SessionNames, sessionId: SessionID): number {
  const session = names.numberOf(sessionId) ?? nameSession(writer, names, sessionId);
  writer.session = session;
  return session;
}

function nameSession(writer: RecordWriter, names: SessionNames, sessionId: SessionID): number {
  const session = names.add(sessionId);
  writer.reserve(3);
  writer.u8(RecordKind.numberedName);
  writer.u16(session);
  writer.shortText(sessionId);
  writer.reserve(64);
  return session;
}

function assertUint32(value: number): void {
  assert(value >>> 0 === value, 'series and sequence numbers fit 32 bits');
}

/** Append one record. Its bytes are copied: the caller may reuse its buffers at once. */
export function encodeRecord(writer: RecordWriter, names: SessionNames, record: JournalRecord, at: number): void {
  writer.reserve(64);
  switch (record.kind) {
    case 'inbound':
    case 'outbound':
      encodeMessage(writer, names, record, at);
      return;
    case 'numbers':
      encodeNumbers(writer, names, record);
      return;
    case 'state': {
      const session = sessionNumber(writer, names, record.sessionId);
      writer.u8(RecordKind.state);
      writer.u16(session);
      writer.u8(record.importBegun ? IMPORT_BEGUN : record.loggedOn ? LOGGED_ON : LOGGED_OFF[record.end ?? 'unknown']);
      return;
    }
    case 'proven': {
      const session = sessionNumber(writer, names, record.sessionId);
      writer.u8(RecordKind.proven);
      writer.u16(session);
      writer.u32(record.series);
      writer.u32(record.msgSeqNum);
      return;
    }
    case 'unsequenced': {
      const session = record.sessionId === null ? NO_SESSION : sessionNumber(writer, names, record.sessionId);
      writer.u8(RecordKind.unsequenced);
      writer.u16(session);
      writer.u8(record.direction === 'in' ? 0 : 1);
      writer.longText(record.note);
      writer.raw(record.raw);
      return;
    }
    case 'order':
      encodeOrder(writer, record);
      return;
    case 'exchangeInput':
      writer.u8(RecordKind.exchangeInput);
      writer.longText(record.json);
      return;
    case 'audit':
      writer.u8(RecordKind.audit);
      writer.longText(record.who);
      writer.longText(record.action);
      writer.longText(record.detail);
      return;
    case 'nonce':
      writer.u8(RecordKind.nonce);
      writer.shortText(record.credential);
      writer.shortText(record.nonce);
      return;
    case 'damageAccepted': {
      const { sessionId } = record;
      const session = sessionId === null ? NO_SESSION : sessionNumber(writer, names, sessionId);
      writer.u8(RecordKind.damageAccepted);
      writer.u16(session);
      writer.longText(record.who);
      writer.longText(record.why);
      return;
    }
    case 'damageFound':
      writer.u8(RecordKind.damageFound);
      return;
    default:
      unreachable(record);
  }
}

function encodeNumbers(writer: RecordWriter, names: SessionNames, record: JournalRecord & { kind: 'numbers' }): void {
  const session = sessionNumber(writer, names, record.sessionId);
  writer.u8(RecordKind.numbers);
  writer.u16(session);
  for (const numbers of [record.from, record.to]) {
    writer.u32(numbers.series);
    writer.u32(numbers.nextSenderMsgSeqNum);
    writer.u32(numbers.nextTargetMsgSeqNum);
  }
  writer.longText(record.who);
  writer.longText(record.why);
}

function encodeOrder(writer: RecordWriter, { key, record, ended }: JournalRecord & { kind: 'order' }): void {
  writer.recordStart = writer.length;
  writer.u8(ended === undefined ? RecordKind.order : RecordKind.endedOrder);
  writer.shortText(key);
  if (ended !== undefined) {
    assert(ended.length <= ENDED_KEYS_MAX, 'an ended order is found by at most 255 keys');
    writer.reserve(1);
    writer.u8(ended.length);
    for (const one of ended) writer.shortText(one);
  }
  writer.longText(record);
}

/** A message as the journal has it: what most of its records are. */
export type MessageRecord = JournalRecord & { readonly kind: 'inbound' | 'outbound' };

/** Append the record of a message, in one go: every call within it would be felt. Its bytes are copied. */
export function encodeMessage(writer: RecordWriter, names: SessionNames, record: MessageRecord, at: number): void {
  const { series, msgSeqNum, msgType, raw } = record;
  assertUint32(series);
  assertUint32(msgSeqNum);
  const session = sessionNumber(writer, names, record.sessionId);
  if (record.kind === 'outbound' && record.repeats !== undefined) {
    const repeated = repeatedBytes(record.repeats, raw);
    if (repeated !== null) {
      encodeRepeated(writer, session, record, repeated, at);
      return;
    }
  }
  writer.reserve(MESSAGE_HEAD_BYTES_MAX + raw.length);
  const { bytes, view, length: start } = writer;
  writer.recordStart = start;
  view.setUint16(start + 1, session, true);
  view.setUint32(start + 3, series, true);
  view.setUint32(start + 7, msgSeqNum, true);
  let position = start + 11;
  if (record.kind === 'inbound') {
    assertUint32(record.nextTargetMsgSeqNum);
    bytes[start] = RecordKind.inbound;
    view.setUint32(position, record.nextTargetMsgSeqNum, true);
    position += 4;
  } else {
    // The time stands in the record itself, so that a resend reads the record without its frame.
    bytes[start] = RecordKind.outbound;
    view.setFloat64(position, at, true);
    bytes[position + 8] = record.resendable ? 1 : 0;
    position += 9;
  }
  const first = msgType.charCodeAt(0);
  if (msgType.length === 1 && first < 0x80) {
    bytes[position] = 1;
    bytes[position + 1] = first;
    view.setUint32(position + 2, raw.length, true);
    bytes.set(raw, position + 6);
    writer.length = position + 6 + raw.length;
    return;
  }
  writer.length = position;
  writer.tinyText(msgType);
  writer.raw(raw);
}

/** The same fields as of a message recorded whole, then the place of the earlier one and the difference to it. */
function encodeRepeated(
  writer: RecordWriter,
  session: number,
  { series, msgSeqNum, msgType, resendable }: Extract<MessageRecord, { kind: 'outbound' }>,
  { location, difference }: RepeatedBytes,
  at: number,
): void {
  writer.reserve(MESSAGE_HEAD_BYTES_MAX);
  writer.recordStart = writer.length;
  writer.u8(RecordKind.repeated);
  writer.u16(session);
  writer.u32(series);
  writer.u32(msgSeqNum);
  writer.f64(at);
  writer.u8(resendable ? 1 : 0);
  writer.tinyText(msgType);
  writer.reserve(MESSAGE_HEAD_BYTES_MAX);
  writer.u32(location.segment);
  writer.u32(location.group);
  writer.u32(location.record);
  writer.raw(difference);
}

/** Decode the next record. Nothing is copied: `raw` is a slice of the frame. @throws RangeError if it makes no sense */
export function decodeRecord(reader: RecordReader, names: SessionNames): JournalRecord {
  reader.recordStart = reader.position;
  let kind = reader.u8();
  while (kind === RecordKind.name || kind === RecordKind.numberedName) {
    if (kind === RecordKind.name) {
      names.count(reader.text(reader.u16()));
    } else {
      const number = reader.u16();
      names.set(number, reader.text(reader.u16()));
    }
    reader.recordStart = reader.position;
    kind = reader.u8();
  }
  switch (kind) {
    case RecordKind.inbound: {
      const sessionId = names.nameOf(reader.u16());
      const series = reader.u32();
      const msgSeqNum = reader.u32();
      const nextTargetMsgSeqNum = reader.u32();
      const msgType = reader.tinyText();
      return { kind: 'inbound', sessionId, series, msgSeqNum, nextTargetMsgSeqNum, msgType, raw: reader.raw() };
    }
    case RecordKind.outbound: {
      const sessionId = names.nameOf(reader.u16());
      const { series, msgSeqNum, resendable, msgType, raw } = decodeOutboundBody(reader);
      return { kind: 'outbound', sessionId, series, msgSeqNum, msgType, resendable, raw };
    }
    case RecordKind.repeated: {
      const sessionId = names.nameOf(reader.u16());
      const { series, msgSeqNum, resendable, msgType, repeats } = decodeRepeatedBody(reader);
      return { kind: 'outbound', sessionId, series, msgSeqNum, msgType, resendable, raw: NOT_HERE, repeats };
    }
    case RecordKind.unsequenced: {
      const session = reader.u16();
      const sessionId = session === NO_SESSION ? null : names.nameOf(session);
      const direction = reader.u8() === 0 ? 'in' : 'out';
      const note = reader.text(reader.u32());
      return { kind: 'unsequenced', sessionId, direction, note, raw: reader.raw() };
    }
    default:
      return decodeStateRecord(kind, reader, names);
  }
}

function decodeStateRecord(kind: number, reader: RecordReader, names: SessionNames): JournalRecord {
  switch (kind) {
    case RecordKind.numbers: {
      const sessionId = names.nameOf(reader.u16());
      const from = { series: reader.u32(), nextSenderMsgSeqNum: reader.u32(), nextTargetMsgSeqNum: reader.u32() };
      const to = { series: reader.u32(), nextSenderMsgSeqNum: reader.u32(), nextTargetMsgSeqNum: reader.u32() };
      const who = reader.text(reader.u32());
      return { kind: 'numbers', sessionId, from, to, who, why: reader.text(reader.u32()) };
    }
    case RecordKind.state: {
      const sessionId = names.nameOf(reader.u16());
      const state = reader.u8();
      if (state === IMPORT_BEGUN) return { kind: 'state', sessionId, loggedOn: false, importBegun: true };
      const end = ENDS.find((one) => LOGGED_OFF[one] === state);
      return { kind: 'state', sessionId, loggedOn: state === LOGGED_ON, ...(end === undefined ? {} : { end }) };
    }
    case RecordKind.proven: {
      const sessionId = names.nameOf(reader.u16());
      const series = reader.u32();
      return { kind: 'proven', sessionId, series, msgSeqNum: reader.u32() };
    }
    case RecordKind.order:
    case RecordKind.endedOrder: {
      const keys = decodeKeys(kind, reader);
      return { kind: 'order', ...keys, record: reader.text(reader.u32()) };
    }
    case RecordKind.exchangeInput:
      return { kind: 'exchangeInput', json: reader.text(reader.u32()) };
    case RecordKind.audit: {
      const who = reader.text(reader.u32());
      const action = reader.text(reader.u32());
      return { kind: 'audit', who, action, detail: reader.text(reader.u32()) };
    }
    case RecordKind.nonce: {
      const credential = reader.text(reader.u16());
      return { kind: 'nonce', credential, nonce: reader.text(reader.u16()) };
    }
    case RecordKind.damageAccepted: {
      const session = reader.u16();
      const sessionId = session === NO_SESSION ? null : names.nameOf(session);
      const who = reader.text(reader.u32());
      return { kind: 'damageAccepted', sessionId, who, why: reader.text(reader.u32()) };
    }
    case RecordKind.damageFound:
      return { kind: 'damageFound' };
    default:
      throw new RangeError(`record kind ${kind} is not known to this version`);
  }
}

/** By what an order is known, and found once it has ended. */
export interface OrderKeys {
  readonly key: string;
  readonly ended?: readonly string[];
}

/** Decode the beginning of an order record; its text follows. @throws RangeError if it is none */
export function decodeOrderKeys(reader: RecordReader): OrderKeys {
  const kind = reader.u8();
  if (kind !== RecordKind.order && kind !== RecordKind.endedOrder) throw new RangeError('no order is recorded there');
  return decodeKeys(kind, reader);
}

/** Pass over the beginning of an order record; its text follows. @throws RangeError if it is none */
export function passOrderKeys(reader: RecordReader): void {
  const kind = reader.u8();
  if (kind !== RecordKind.order && kind !== RecordKind.endedOrder) throw new RangeError('no order is recorded there');
  reader.pass(reader.u16());
  if (kind === RecordKind.order) return;
  for (let left = reader.u8(); left > 0; left--) reader.pass(reader.u16());
}

function decodeKeys(kind: number, reader: RecordReader): OrderKeys {
  const key = reader.text(reader.u16());
  if (kind === RecordKind.order) return { key };
  const ended: string[] = [];
  for (let left = reader.u8(); left > 0; left--) ended.push(reader.text(reader.u16()));
  return { key, ended };
}

/** The beginning of outbound and repeated records, behind their kind and session number. */
interface OutboundHead {
  readonly series: number;
  readonly msgSeqNum: number;
  readonly at: number;
  readonly resendable: boolean;
  readonly msgType: string;
}

/** Decode an outbound record behind its kind and session number, as both the journal scan and a resend read it. */
export function decodeOutboundBody(reader: RecordReader): OutboundHead & { readonly raw: Buffer } {
  return { ...decodeOutboundHead(reader), raw: reader.raw() };
}

/** Decode the record of a repeated message behind its kind and session number; its bytes are yet to be made. */
export function decodeRepeatedBody(reader: RecordReader): OutboundHead & { readonly repeats: RepeatedBytes } {
  const head = decodeOutboundHead(reader);
  const location = { segment: reader.u32(), group: reader.u32(), record: reader.u32() };
  return { ...head, repeats: new RepeatedBytes(location, reader.raw()) };
}

function decodeOutboundHead(reader: RecordReader): OutboundHead {
  const series = reader.u32();
  const msgSeqNum = reader.u32();
  const at = reader.f64();
  const resendable = reader.u8() === 1;
  return { series, msgSeqNum, at, resendable, msgType: reader.tinyText() };
}
