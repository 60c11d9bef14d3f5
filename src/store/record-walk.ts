// Passes over journal records without decoding them, so that a search looks at those of one kind only. The layout of a record is that
// of record-codec.ts, and a test holds the two together.

import { type RecordReader, TINY_TEXT_ESCAPE } from './record-bytes.ts';
import { RecordKind } from './record-codec.ts';
import type { SessionNames } from './session-names.ts';

/** Fixed bytes behind the kind of a message, before its MsgType. */
const INBOUND_BYTES = 14;
const OUTBOUND_BYTES = 19;
/** Of a repeated message, behind its MsgType. */
const LOCATION_BYTES = 12;

function passTiny(reader: RecordReader): void {
  const count = reader.u8();
  reader.pass(count === TINY_TEXT_ESCAPE ? reader.u32() : count);
}

function passShort(reader: RecordReader): void {
  reader.pass(reader.u16());
}

function passLong(reader: RecordReader, times: number): void {
  for (let k = 0; k < times; k++) reader.pass(reader.u32());
}

/**
 * Pass over the next record and take the session names before it. `reader.recordStart` is the place of its kind byte.
 * @returns its kind
 * @throws RangeError if it makes no sense
 */
export function passRecord(reader: RecordReader, names: SessionNames): number {
  reader.recordStart = reader.position;
  let kind = reader.u8();
  while (kind === RecordKind.name || kind === RecordKind.numberedName) {
    if (kind === RecordKind.name) names.count(reader.text(reader.u16()));
    else {
      const number = reader.u16();
      names.set(number, reader.text(reader.u16()));
    }
    reader.recordStart = reader.position;
    kind = reader.u8();
  }
  passFields(kind, reader);
  return kind;
}

function passFields(kind: number, reader: RecordReader): void {
  switch (kind) {
    case RecordKind.inbound:
    case RecordKind.outbound:
    case RecordKind.repeated:
      reader.pass(kind === RecordKind.inbound ? INBOUND_BYTES : OUTBOUND_BYTES);
      passTiny(reader);
      if (kind === RecordKind.repeated) reader.pass(LOCATION_BYTES);
      passLong(reader, 1);
      return;
    case RecordKind.unsequenced:
      reader.pass(3);
      passLong(reader, 2);
      return;
    case RecordKind.numbers:
      reader.pass(26);
      passLong(reader, 2);
      return;
    case RecordKind.state:
      reader.pass(3);
      return;
    case RecordKind.proven:
      reader.pass(10);
      return;
    case RecordKind.order:
    case RecordKind.endedOrder:
      passShort(reader);
      if (kind === RecordKind.endedOrder) for (let left = reader.u8(); left > 0; left--) passShort(reader);
      passLong(reader, 1);
      return;
    case RecordKind.exchangeInput:
      passLong(reader, 1);
      return;
    case RecordKind.audit:
      passLong(reader, 3);
      return;
    case RecordKind.nonce:
      passShort(reader);
      passShort(reader);
      return;
    case RecordKind.damageAccepted:
      reader.pass(2);
      passLong(reader, 2);
      return;
    case RecordKind.damageFound:
      return;
    default:
      throw new RangeError(`record kind ${kind} is not known to this version`);
  }
}
