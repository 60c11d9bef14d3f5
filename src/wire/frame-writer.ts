// Drafts to frames: header in the standard's order, body as drafted, BodyLength(9) and CheckSum(10) on the way.
// Leaves numbers and times to the session, and what a message must contain to the dictionary.

import { isDataTag } from './data-field.ts';
import type { MessageDraft } from './draft.ts';
import { latin1Write } from './latin1.ts';
import { writeCheckSum } from './secrets.ts';

const SOH = 0x01;
const EQUALS = 0x3d;
const QUESTION_MARK = 0x3f;
/** Room for `8=FIXT.1.1|9=nnnnnnnnn|` before the body. */
const PREFIX_BYTES = 32;
/** Frames are written one after the other into slabs of this size: a new buffer for each would cost more than writing it. */
const SLAB_BYTES = 16_384;
/** Values from this length on are copied by a native call. */
const LONG_VALUE = 96;

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

/** Header tags in the order of the standard header (FIX 4.4 vol. 2); the first three of a frame are written apart. */
const HEADER_ORDER = [
  1128, 49, 56, 115, 128, 34, 50, 142, 57, 143, 116, 144, 129, 145, 43, 97, 52, 122, 347, 369,
] as const;

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
  private sum = 0;

  /** Encode one message. The bytes are never written again: the result may be kept, but keeps its slab (16 kB) alive. */
  encode(header: FrameHeader, draft: MessageDraft): Buffer {
    this.at = this.free;
    this.body = this.at;
    this.reserve(PREFIX_BYTES);
    this.at += PREFIX_BYTES;
    this.body = this.at;
    this.sum = 0;
    this.field(35, draft.msgType);
    this.header(header, draft);
    const { tags, values } = draft;
    for (let i = 0; i < tags.length; i++) this.field(tags[i]!, values[i]!);
    this.reserve(7);
    const trailer = this.at;
    const start = this.prefix(header.beginString, trailer - this.body);
    const { slab } = this;
    slab[trailer] = 0x31;
    slab[trailer + 1] = 0x30;
    slab[trailer + 2] = EQUALS;
    writeCheckSum(slab, trailer + 3, this.sum);
    slab[trailer + 6] = SOH;
    this.free = trailer + 7;
    return slab.subarray(start, this.free);
  }

  private header(header: FrameHeader, draft: MessageDraft): void {
    const { headerTags, headerValues } = draft;
    const drafted = headerTags.length;
    for (let k = 0; k < HEADER_ORDER.length; k++) {
      const tag = HEADER_ORDER[k]!;
      const own = drafted === 0 ? -1 : headerTags.indexOf(tag);
      const value = own === -1 ? headerValue(header, tag) : headerValues[own]!;
      if (value !== undefined) this.field(tag, value);
    }
    for (let i = 0; i < drafted; i++) {
      const tag = headerTags[i]!;
      if (!(HEADER_ORDER as readonly number[]).includes(tag)) this.field(tag, headerValues[i]!);
    }
    if (header.extra !== undefined) for (const [tag, value] of header.extra) this.field(tag, value);
  }

  private field(tag: number, value: string): void {
    const length = value.length;
    if (length === 0) return;
    if (this.at + 12 + length > this.slab.length) this.reserve(12 + length);
    this.number(tag);
    const { slab } = this;
    let at = this.at;
    let sum = this.sum + EQUALS + SOH;
    slab[at++] = EQUALS;
    if (length < LONG_VALUE) {
      for (let i = 0; i < length; i++) {
        let c = value.charCodeAt(i);
        // Below 2 or above 255, in one comparison.
        if ((c - 2) >>> 0 > 0xfd) c = replacement(c, tag);
        slab[at++] = c;
        sum += c;
      }
    } else {
      latin1Write(slab, value, at);
      for (let i = 0; i < length; i++, at++) {
        let c = value.charCodeAt(i);
        if ((c - 2) >>> 0 > 0xfd) {
          c = replacement(c, tag);
          slab[at] = c;
        }
        sum += c;
      }
    }
    slab[at++] = SOH;
    this.at = at;
    this.sum = sum;
  }

  /** Write a tag. */
  private number(tag: number): void {
    const { slab } = this;
    let at = this.at;
    let sum = 0;
    let width = tag < 10 ? 1 : tag < 100 ? 10 : tag < 1000 ? 100 : tag < 10_000 ? 1000 : largestPower(tag);
    let rest = tag;
    for (; width > 0; width = (width / 10) | 0) {
      const digit = (rest / width) | 0;
      rest -= digit * width;
      slab[at++] = 0x30 + digit;
      sum += 0x30 + digit;
    }
    this.at = at;
    this.sum += sum;
  }

  /** Write `8=…|9=…|` so that it ends where the body begins; returns where the frame begins. */
  private prefix(beginString: string, bodyLength: number): number {
    const text = `8=${beginString}\x019=${bodyLength}\x01`;
    const start = this.body - text.length;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      this.slab[start + i] = c;
      this.sum += c;
    }
    return start;
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

/** The largest power of ten that is not above `value`. */
function largestPower(value: number): number {
  let power = 10_000;
  while (power * 10 <= value) power *= 10;
  return power;
}

function headerValue(header: FrameHeader, tag: (typeof HEADER_ORDER)[number]): string | undefined {
  switch (tag) {
    case 1128:
      return header.applVerID;
    case 49:
      return header.senderCompID;
    case 56:
      return header.targetCompID;
    case 34:
      return String(header.msgSeqNum);
    case 50:
      return header.senderSubID;
    case 142:
      return header.senderLocationID;
    case 57:
      return header.targetSubID;
    case 143:
      return header.targetLocationID;
    case 43:
      return header.possDup === true ? 'Y' : undefined;
    case 52:
      return header.sendingTime;
    case 122:
      return header.origSendingTime;
    case 369:
      return header.lastMsgSeqNumProcessed === undefined ? undefined : String(header.lastMsgSeqNumProcessed);
    default:
      return undefined;
  }
}
