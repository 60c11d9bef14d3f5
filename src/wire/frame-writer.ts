// Drafts to frames: header in the standard's order, body as drafted, BodyLength(9) and CheckSum(10) on the way.
// Leaves numbers and times to the session, and what a message must contain to the dictionary.

import { isDataTag } from './data-field.ts';
import type { MessageDraft } from './draft.ts';
import { writeCheckSum } from './secrets.ts';

const SOH = 0x01;
const EQUALS = 0x3d;
const QUESTION_MARK = 0x3f;
/** Room for `8=FIXT.1.1|9=nnnnnnnnn|` before the body. */
const PREFIX_BYTES = 32;
const INITIAL_BYTES = 4096;

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
 * Writes frames into a buffer of its own that grows with the largest message. Values are written one byte per character
 * (latin1); a character that has no byte, and SOH outside data fields, becomes `?`: a value can never forge a field.
 * A field with an empty value is left out, since FIX has none.
 */
export class FrameWriter {
  private buffer = Buffer.allocUnsafeSlow(INITIAL_BYTES);
  private at = 0;
  private sum = 0;

  /** Encode one message. The result is a copy of its own: it may be kept and sent. */
  encode(header: FrameHeader, draft: MessageDraft): Buffer {
    this.at = PREFIX_BYTES;
    this.sum = 0;
    this.field(35, draft.msgType);
    this.header(header, draft);
    const { tags, values } = draft;
    for (let i = 0; i < tags.length; i++) this.field(tags[i]!, values[i]!);
    const start = this.prefix(header.beginString, this.at - PREFIX_BYTES);
    this.reserve(7);
    const trailer = this.at;
    const buffer = this.buffer;
    buffer[trailer] = 0x31;
    buffer[trailer + 1] = 0x30;
    buffer[trailer + 2] = EQUALS;
    writeCheckSum(buffer, trailer + 3, this.sum);
    buffer[trailer + 6] = SOH;
    return Buffer.from(buffer.subarray(start, trailer + 7));
  }

  private header(header: FrameHeader, draft: MessageDraft): void {
    const { headerTags, headerValues } = draft;
    const drafted = headerTags.length;
    for (const tag of HEADER_ORDER) {
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
    this.reserve(12 + length);
    this.digits(tag);
    const buffer = this.buffer;
    let at = this.at;
    let sum = this.sum + EQUALS + SOH;
    buffer[at++] = EQUALS;
    for (let i = 0; i < length; i++) {
      let c = value.charCodeAt(i);
      if (c > 0xff || (c === SOH && !isDataTag(tag))) c = QUESTION_MARK;
      buffer[at++] = c;
      sum += c;
    }
    buffer[at++] = SOH;
    this.at = at;
    this.sum = sum;
  }

  /** Write a non-negative integer of at most 10 digits. */
  private digits(value: number): void {
    let width = 1;
    for (let limit = 10; value >= limit; limit *= 10) width++;
    let at = this.at + width;
    this.at = at;
    let rest = value;
    while (width-- > 0) {
      const quotient = Math.floor(rest / 10);
      const c = 0x30 + rest - quotient * 10;
      this.buffer[--at] = c;
      this.sum += c;
      rest = quotient;
    }
  }

  /** Write `8=…|9=…|` backwards from the body; returns where the frame begins. */
  private prefix(beginString: string, bodyLength: number): number {
    const text = `8=${beginString}\x019=${bodyLength}\x01`;
    const start = PREFIX_BYTES - text.length;
    for (let i = 0; i < text.length; i++) {
      const c = text.charCodeAt(i);
      this.buffer[start + i] = c;
      this.sum += c;
    }
    return start;
  }

  private reserve(bytes: number): void {
    if (this.at + bytes <= this.buffer.length) return;
    const larger = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.at + bytes));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }
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
