// Drafts to frames: header in the standard's order, body as drafted, BodyLength(9) and CheckSum(10) on the way.
// Leaves numbers and times to the session, and what a message must contain to the dictionary.

import { isDataTag } from './data-field.ts';
import type { MessageDraft } from './draft.ts';
import { writeCheckSum } from './secrets.ts';

const SOH = 0x01;
const EQUALS = 0x3d;
const ZERO = 0x30;
const QUESTION_MARK = 0x3f;
/** Room for `8=FIXT.1.1|9=nnnnnnnnn|` before the body. */
const PREFIX_BYTES = 32;
/** Frames are written one after the other into slabs of this size: a new buffer for each would cost more than writing it. */
const SLAB_BYTES = 16_384;
/** Tag, `=` and SOH of a field. */
const FIELD_BYTES = 12;
/** Beginnings of bodies that a writer keeps rendered, one per MsgType. */
const OPENINGS_MAX = 64;

/** What the session adds to a draft. Absent and undefined are the same. */
export interface FrameHeader {
  readonly beginString: string;
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly msgSeqNum: number;
  /** SendingTime(52), as UTCTimestamp. */
  readonly sendingTime: string;
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
const MSG_SEQ_NUM_PLACE = HEADER_ORDER.indexOf(34);

/** Digits of every tag of at most four, the first in the lowest byte: one look instead of divisions. */
const TAG_DIGITS = new Uint32Array(10_000);
for (let tag = 1; tag < TAG_DIGITS.length; tag++) {
  for (let rest = tag; rest > 0; rest = Math.floor(rest / 10)) {
    TAG_DIGITS[tag] = (TAG_DIGITS[tag]! << 8) | (ZERO + (rest % 10));
  }
}

/** `35=…|1128=…|49=…|56=…|`, which all messages of one type on one session share. */
interface Opening {
  readonly senderCompID: string;
  readonly targetCompID: string;
  readonly applVerID: string | undefined;
  readonly bytes: Buffer;
}

/**
 * Writes frames. Values are written one byte per character (latin1); a character that has no byte, NUL, and SOH outside
 * data fields become `?`: a value can never forge a field. A field with an empty value is left out, since FIX has none.
 */
export class FrameWriter {
  private slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
  /** First byte of the slab that no frame has; where the present frame's body begins, and where it is written on. */
  private free = 0;
  private body = 0;
  private at = 0;
  private readonly openings = new Map<string, Opening>();
  /** Values of the present frame by their place in HEADER_ORDER, empty where there is none. */
  private readonly places: string[] = HEADER_ORDER.map(() => '');

  /** Encode one message. The bytes are never written again: the result may be kept, but keeps its slab (16 kB) alive. */
  encode(header: FrameHeader, draft: MessageDraft): Buffer {
    this.at = this.free;
    this.body = this.at;
    this.reserve(PREFIX_BYTES);
    this.at += PREFIX_BYTES;
    this.body = this.at;
    const { headerTags } = draft;
    if (headerTags.length > 0 && headerTags.some(isOpeningTag)) this.writeOpening(header, draft);
    else this.copyOpening(header, draft);
    this.header(header, draft);
    this.fields(draft.tags, draft.values);
    this.reserve(7);
    const trailer = this.at;
    const start = this.prefix(header.beginString, trailer - this.body);
    const { slab } = this;
    slab[trailer] = 0x31;
    slab[trailer + 1] = ZERO;
    slab[trailer + 2] = EQUALS;
    writeCheckSum(slab, trailer + 3, sumOf(slab, start, trailer));
    slab[trailer + 6] = SOH;
    this.free = trailer + 7;
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
      opening = { senderCompID, targetCompID, applVerID, bytes: Buffer.from(this.slab.subarray(this.body, this.at)) };
      if (this.openings.size >= OPENINGS_MAX) this.openings.clear();
      this.openings.set(draft.msgType, opening);
      return;
    }
    const { bytes } = opening;
    this.reserve(bytes.length);
    const { slab, at } = this;
    for (let i = 0; i < bytes.length; i++) slab[at + i] = bytes[i]!;
    this.at = at + bytes.length;
  }

  private writeOpening(header: FrameHeader, draft: MessageDraft): void {
    this.field(35, draft.msgType);
    this.field(1128, drafted(draft, 1128) ?? header.applVerID ?? '');
    this.field(49, drafted(draft, 49) ?? header.senderCompID);
    this.field(56, drafted(draft, 56) ?? header.targetCompID);
  }

  private header(header: FrameHeader, draft: MessageDraft): void {
    const { places } = this;
    const { headerTags, headerValues } = draft;
    for (let k = 0; k < places.length; k++) places[k] = '';
    places[3] = header.senderSubID ?? '';
    places[4] = header.senderLocationID ?? '';
    places[5] = header.targetSubID ?? '';
    places[6] = header.targetLocationID ?? '';
    places[11] = header.possDup === true ? 'Y' : '';
    places[13] = header.sendingTime;
    places[14] = header.origSendingTime ?? '';
    places[16] = header.lastMsgSeqNumProcessed === undefined ? '' : String(header.lastMsgSeqNumProcessed);
    let numbered = false;
    // Backwards, since the first of several counts.
    for (let i = headerTags.length - 1; i >= 0; i--) {
      const place = placeOf(headerTags[i]!);
      if (place !== -1) places[place] = headerValues[i]!;
      if (place === MSG_SEQ_NUM_PLACE) numbered = true;
    }
    for (let k = 0; k < places.length; k++) {
      if (k === MSG_SEQ_NUM_PLACE && !numbered) this.numberField(34, header.msgSeqNum);
      else if (places[k] !== '') this.field(HEADER_ORDER[k]!, places[k]!);
    }
    for (let i = 0; i < headerTags.length; i++) {
      const tag = headerTags[i]!;
      if (placeOf(tag) === -1 && !isOpeningTag(tag)) this.field(tag, headerValues[i]!);
    }
    if (header.extra !== undefined) for (const [tag, value] of header.extra) this.field(tag, value);
  }

  private fields(tags: readonly number[], values: readonly string[]): void {
    for (let i = 0; i < tags.length; i++) this.field(tags[i]!, values[i]!);
  }

  private field(tag: number, value: string): void {
    const length = value.length;
    if (length === 0) return;
    if (this.at + FIELD_BYTES + length > this.slab.length) this.reserve(FIELD_BYTES + length);
    const { slab } = this;
    let at = this.at;
    if (tag < 10_000) {
      let digits = TAG_DIGITS[tag]!;
      slab[at++] = digits;
      for (digits >>>= 8; digits !== 0; digits >>>= 8) slab[at++] = digits;
    } else at = writeNumber(slab, at, tag);
    slab[at++] = EQUALS;
    for (let i = 0; i < length; i++) {
      let c = value.charCodeAt(i);
      // Below 2 or above 255, in one comparison.
      if ((c - 2) >>> 0 > 0xfd) c = replacement(c, tag);
      slab[at++] = c;
    }
    slab[at++] = SOH;
    this.at = at;
  }

  private numberField(tag: number, value: number): void {
    if ((value | 0) !== value || value < 0) {
      this.field(tag, String(value));
      return;
    }
    this.reserve(2 * FIELD_BYTES);
    const { slab } = this;
    let at = writeNumber(slab, this.at, tag);
    slab[at++] = EQUALS;
    at = writeNumber(slab, at, value);
    slab[at++] = SOH;
    this.at = at;
  }

  /** Write `8=…|9=…|` so that it ends where the body begins; returns where the frame begins. */
  private prefix(beginString: string, bodyLength: number): number {
    const { slab } = this;
    let at = this.body - 1;
    slab[at] = SOH;
    for (let rest = bodyLength; rest > 0; rest = (rest / 10) | 0) slab[--at] = ZERO + (rest % 10);
    slab[--at] = EQUALS;
    slab[--at] = 0x39;
    slab[--at] = SOH;
    for (let i = beginString.length - 1; i >= 0; i--) slab[--at] = beginString.charCodeAt(i);
    slab[--at] = EQUALS;
    slab[--at] = 0x38;
    return at;
  }

  /** Make room for `bytes` more; the frame begun moves to a new slab if they do not fit. */
  private reserve(bytes: number): void {
    if (this.at + bytes <= this.slab.length) return;
    const begun = Math.max(this.body - PREFIX_BYTES, this.free);
    const written = this.at - begun;
    const larger = Buffer.allocUnsafeSlow(Math.max(SLAB_BYTES, 2 * (written + bytes)));
    this.slab.copy(larger, 0, begun, this.at);
    this.slab = larger;
    this.body -= begun;
    this.at = written;
    this.free = 0;
  }
}

/** What is written for a character that is NUL, SOH or has no byte. */
function replacement(c: number, tag: number): number {
  return c <= SOH && isDataTag(tag) ? c : QUESTION_MARK;
}

/** Write a number of at most 31 bits in decimal; returns where it ends. */
function writeNumber(slab: Buffer, from: number, value: number): number {
  let end = from + 1;
  for (let power = 10; power <= value; power *= 10) end++;
  let rest = value;
  for (let at = end - 1; at >= from; at--) {
    const tenth = (rest / 10) | 0;
    slab[at] = ZERO + rest - tenth * 10;
    rest = tenth;
  }
  return end;
}

/** Sum of the bytes [from, to); four sums at once, since none of them then waits for another. */
function sumOf(bytes: Buffer, from: number, to: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  let at = from;
  for (const last = to - 3; at < last; at += 4) {
    a += bytes[at]!;
    b += bytes[at + 1]!;
    c += bytes[at + 2]!;
    d += bytes[at + 3]!;
  }
  for (; at < to; at++) a += bytes[at]!;
  return a + b + c + d;
}

/** Whether a header field stands before those of HEADER_ORDER. */
function isOpeningTag(tag: number): boolean {
  return tag === 1128 || tag === 49 || tag === 56;
}

function placeOf(tag: number): number {
  return (HEADER_ORDER as readonly number[]).indexOf(tag);
}

/** The value that a draft gives a header field itself, or undefined. */
function drafted(draft: MessageDraft, tag: number): string | undefined {
  const i = draft.headerTags.indexOf(tag);
  return i === -1 ? undefined : draft.headerValues[i];
}
