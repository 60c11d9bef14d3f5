// Drafts to frames: header in the standard's order, body as drafted, BodyLength(9) and CheckSum(10) on the way.
// Leaves numbers and times to the session, and what a message must contain to the dictionary.

import type { EpochMs } from '../base/time.ts';
import { type FieldList, type MessageDraft, textOf } from './draft.ts';
import { FieldWriter, sumOf } from './field-writer.ts';
import { writeCheckSum } from './secrets.ts';

const SOH = 0x01;
const EQUALS = 0x3d;
const ZERO = 0x30;
/** Room for `8=FIXT.1.1|9=nnnnnnnnn|` before the body. */
const PREFIX_BYTES = 32;
/** `10=ddd` and SOH. */
const TRAILER_BYTES = 7;
/** SOH, `9=`. */
const BODY_LENGTH_TAG_BYTES = 3;
/** Beginnings of bodies that a writer keeps rendered, one per MsgType. */
const OPENINGS_MAX = 64;

/** What the session adds to a draft. Absent and undefined are the same. */
export interface FrameHeader {
  readonly beginString: string;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly msgSeqNum: number;
  /** SendingTime(52): a UTCTimestamp, or ms since 1970, which is written with milliseconds and costs less. */
  readonly sendingTime: string | EpochMs;
  readonly senderSubID?: string | undefined;
  readonly senderLocationID?: string | undefined;
  readonly targetSubID?: string | undefined;
  readonly targetLocationID?: string | undefined;
  readonly possDup?: boolean | undefined;
  readonly origSendingTime?: string | undefined;
  readonly lastMsgSeqNumProcessed?: number | undefined;
  /** ApplVerID(1128), FIXT.1.1 only. */
  readonly applVerID?: string | undefined;
  /** Further header fields, written after all others. */
  readonly extra?: readonly (readonly [tag: number, value: string])[] | undefined;
}

/** Header tags after 35, 1128, 49 and 56, in the order of the standard header (FIX 4.4 vol. 2). */
const HEADER_ORDER = [115, 128, 34, 50, 142, 57, 143, 116, 144, 129, 145, 43, 97, 52, 122, 347, 369] as const;
const Place = {
  MsgSeqNum: HEADER_ORDER.indexOf(34),
  SenderSubID: HEADER_ORDER.indexOf(50),
  SenderLocationID: HEADER_ORDER.indexOf(142),
  TargetSubID: HEADER_ORDER.indexOf(57),
  TargetLocationID: HEADER_ORDER.indexOf(143),
  PossDupFlag: HEADER_ORDER.indexOf(43),
  SendingTime: HEADER_ORDER.indexOf(52),
  OrigSendingTime: HEADER_ORDER.indexOf(122),
  LastMsgSeqNumProcessed: HEADER_ORDER.indexOf(369),
} as const;
/** Behind every place. */
const END = HEADER_ORDER.length;
/** Place + 1 by tag; 0 for tags without one. */
const PLACE_BY_TAG = new Uint8Array(512);
HEADER_ORDER.forEach((tag, place) => {
  PLACE_BY_TAG[tag] = place + 1;
});

/** `35=…|1128=…|49=…|56=…|`, which all messages of one type on one session share. */
interface Opening {
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly applVerID: string | undefined;
  readonly bytes: Buffer;
  readonly sum: number;
}

/**
 * Writes frames. Values are written one byte per character (latin1); a character that has no byte, NUL, and SOH outside
 * data fields become `?`: a value can never forge a field. A field with an empty value is left out, since FIX has none.
 */
export class FrameWriter extends FieldWriter {
  private readonly openings = new Map<string, Opening>();
  /** The present frame's header values by their place in HEADER_ORDER, and which of them there are, a bit for each. */
  private readonly places: string[] = HEADER_ORDER.map(() => '');
  private present = 0;

  /** Encode one message. The bytes are never written again: the result may be kept, but keeps its slab (16 kB) alive. */
  encode(header: FrameHeader, draft: MessageDraft): Buffer {
    this.at = this.free;
    this.body = this.at;
    this.sum = 0;
    this.reserve(PREFIX_BYTES);
    this.at += PREFIX_BYTES;
    this.body = this.at;
    const { headerFields } = draft;
    if (headerFields.end > 0 && hasOpeningTag(headerFields)) this.writeOpening(header, draft);
    else this.copyOpening(header, draft);
    this.header(header, headerFields);
    this.fields(draft.bodyFields);
    this.reserve(TRAILER_BYTES);
    const trailer = this.at;
    const start = this.prefix(header.beginString, trailer - this.body);
    const { slab } = this;
    slab[trailer] = 0x31;
    slab[trailer + 1] = ZERO;
    slab[trailer + 2] = EQUALS;
    writeCheckSum(slab, trailer + 3, this.sum);
    slab[trailer + 6] = SOH;
    this.free = trailer + TRAILER_BYTES;
    return slab.subarray(start, this.free);
  }

  /** Copy the body's beginning from the last message of this type, if that was on the same session. */
  private copyOpening(header: FrameHeader, draft: MessageDraft): void {
    let opening = this.openings.get(draft.msgType);
    if (
      opening === undefined ||
      opening.senderCompID !== header.senderCompID ||
      opening.targetCompID !== header.targetCompID ||
      opening.applVerID !== header.applVerID
    ) {
      this.writeOpening(header, draft);
      const { senderCompID, targetCompID, applVerID } = header;
      const bytes = Buffer.from(this.slab.subarray(this.body, this.at));
      opening = { senderCompID, targetCompID, applVerID, bytes, sum: this.sum };
      if (this.openings.size >= OPENINGS_MAX) this.openings.clear();
      this.openings.set(draft.msgType, opening);
      return;
    }
    this.copy(opening.bytes, opening.sum);
  }

  private writeOpening(header: FrameHeader, draft: MessageDraft): void {
    const { headerFields } = draft;
    this.field(35, draft.msgType);
    this.field(1128, headerFields.get(1128) ?? header.applVerID ?? '');
    this.field(49, headerFields.get(49) ?? header.senderCompID);
    this.field(56, headerFields.get(56) ?? header.targetCompID);
  }

  private header(header: FrameHeader, drafted: FieldList): void {
    if (drafted.end > 2 || !isPlain(header)) {
      this.wholeHeader(header, drafted);
      return;
    }
    // One drafted field at most, and nothing else that has to find its place.
    const tag = drafted.end === 0 ? 0 : (drafted.cells[0] as number);
    const place = tag === 0 ? END : placeOf(tag);
    if (place === -1 || place === Place.MsgSeqNum || place === Place.SendingTime) {
      this.wholeHeader(header, drafted);
      return;
    }
    const value = tag === 0 ? '' : textOf(drafted.cells[1]!);
    if (place < Place.MsgSeqNum) this.field(tag, value);
    this.numberField(34, header.msgSeqNum);
    if (place > Place.MsgSeqNum && place < Place.SendingTime) this.field(tag, value);
    const { sendingTime } = header;
    if (typeof sendingTime === 'number') this.timeField(52, sendingTime);
    else this.field(52, sendingTime);
    if (place > Place.SendingTime) this.field(tag, value);
  }

  /** The same for a header with any fields. */
  private wholeHeader(header: FrameHeader, drafted: FieldList): void {
    const { sendingTime } = header;
    this.present = (1 << Place.MsgSeqNum) | (1 << Place.SendingTime);
    this.places[Place.MsgSeqNum] = '';
    this.places[Place.SendingTime] = typeof sendingTime === 'string' ? sendingTime : '';
    if (header.senderSubID) this.put(Place.SenderSubID, header.senderSubID);
    if (header.senderLocationID) this.put(Place.SenderLocationID, header.senderLocationID);
    if (header.targetSubID) this.put(Place.TargetSubID, header.targetSubID);
    if (header.targetLocationID) this.put(Place.TargetLocationID, header.targetLocationID);
    if (header.possDup === true) this.put(Place.PossDupFlag, 'Y');
    if (header.origSendingTime) this.put(Place.OrigSendingTime, header.origSendingTime);
    if (header.lastMsgSeqNumProcessed !== undefined) {
      this.put(Place.LastMsgSeqNumProcessed, String(header.lastMsgSeqNumProcessed));
    }
    // Backwards, since the first of several counts.
    const { cells, end } = drafted;
    for (let i = end - 2; i >= 0; i -= 2) {
      const place = placeOf(cells[i] as number);
      if (place !== -1) this.put(place, textOf(cells[i + 1]!));
    }
    const { places } = this;
    for (let left = this.present; left !== 0; left &= left - 1) {
      const place = 31 - Math.clz32(left & -left);
      const value = places[place]!;
      if (value !== '') this.field(HEADER_ORDER[place]!, value);
      else if (place === Place.MsgSeqNum) this.numberField(34, header.msgSeqNum);
      else if (place === Place.SendingTime && typeof sendingTime === 'number') this.timeField(52, sendingTime);
    }
    for (let i = 0; i < end; i += 2) {
      const tag = cells[i] as number;
      if (placeOf(tag) === -1 && !isOpeningTag(tag)) this.field(tag, textOf(cells[i + 1]!));
    }
    if (header.extra !== undefined) for (const [tag, value] of header.extra) this.field(tag, value);
  }

  private put(place: number, value: string): void {
    this.places[place] = value;
    this.present |= 1 << place;
  }

  /** Write `8=…|9=…|` so that it ends where the body begins; returns where the frame begins. */
  private prefix(beginString: string, bodyLength: number): number {
    const { slab } = this;
    let at = this.body - 1;
    slab[at] = SOH;
    for (let rest = bodyLength; rest > 0; rest = (rest / 10) | 0) slab[--at] = ZERO + (rest % 10);
    at -= BODY_LENGTH_TAG_BYTES;
    slab[at] = SOH;
    slab[at + 1] = 0x39;
    slab[at + 2] = EQUALS;
    for (let i = beginString.length - 1; i >= 0; i--) slab[--at] = beginString.charCodeAt(i);
    slab[--at] = EQUALS;
    slab[--at] = 0x38;
    this.sum = (this.sum + sumOf(slab, at, this.body)) | 0;
    return at;
  }
}

/** Whether a header has nothing beyond 35, 49, 56, 34, 52 and ApplVerID(1128). */
function isPlain(header: FrameHeader): boolean {
  return (
    !header.senderSubID &&
    !header.senderLocationID &&
    !header.targetSubID &&
    !header.targetLocationID &&
    header.possDup !== true &&
    !header.origSendingTime &&
    header.lastMsgSeqNumProcessed === undefined &&
    header.extra === undefined
  );
}

/** Whether a header field stands before those of HEADER_ORDER. */
function isOpeningTag(tag: number): boolean {
  return tag === 1128 || tag === 49 || tag === 56;
}

function hasOpeningTag(list: FieldList): boolean {
  for (let i = 0; i < list.end; i += 2) if (isOpeningTag(list.cells[i] as number)) return true;
  return false;
}

/** Place of a tag in HEADER_ORDER, or -1. */
function placeOf(tag: number): number {
  return tag < PLACE_BY_TAG.length ? PLACE_BY_TAG[tag]! - 1 : -1;
}
