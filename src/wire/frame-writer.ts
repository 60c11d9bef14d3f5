// Drafts to frames: header in the standard's order, body as drafted, BodyLength(9) and CheckSum(10) on the way.
// Leaves numbers and times to the session, and what a message must contain to the dictionary.

import type { Decimal } from '../base/decimal.ts';
import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';
import { isDataTag } from './data-field.ts';
import { DECIMAL_BYTES_MAX, DECIMALS_MAX, writeDecimal, writeNumber } from './digits.ts';
import { type FieldList, type MessageDraft, textOf } from './draft.ts';
import { writeCheckSum } from './secrets.ts';

const SOH = 0x01;
const EQUALS = 0x3d;
const ZERO = 0x30;
const POINT = 0x2e;
const QUESTION_MARK = 0x3f;
/** Most digits after the point of a decimal that is written without a call. */
const SMALL_DECIMALS_MAX = 9;
/** Room for `8=FIXT.1.1|9=nnnnnnnnn|` before the body. */
const PREFIX_BYTES = 32;
/** `10=ddd` and SOH. */
const TRAILER_BYTES = 7;
/** Frames are written one after the other into slabs of this size: a new buffer for each would cost more than writing it. */
const SLAB_BYTES = 16_384;
/** The first slab of a writer; each further one is twice as large, up to that: most sessions of many are idle. */
const FIRST_SLAB_BYTES = 1024;
/** Tag, `=` and SOH of a field. */
const FIELD_BYTES = 12;
/** Beginnings of bodies that a writer keeps rendered, one per MsgType. */
const OPENINGS_MAX = 64;
/** `YYYYMMDD-HH:MM:SS.` of a UTCTimestamp with milliseconds. */
const SECOND_BYTES = 18;

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
/** Place + 1 by tag; 0 for tags without one. */
const PLACE_BY_TAG = new Uint8Array(512);
HEADER_ORDER.forEach((tag, place) => {
  PLACE_BY_TAG[tag] = place + 1;
});

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
  readonly sum: number;
}

/**
 * Writes frames. Values are written one byte per character (latin1); a character that has no byte, NUL, and SOH outside
 * data fields become `?`: a value can never forge a field. A field with an empty value is left out, since FIX has none.
 */
export class FrameWriter {
  private slabBytes = FIRST_SLAB_BYTES;
  private slab = Buffer.allocUnsafeSlow(FIRST_SLAB_BYTES);
  /** First byte of the slab that no frame has; where the present frame's body begins, and where it is written on. */
  private free = 0;
  private body = 0;
  private at = 0;
  /** Sum of the bytes written from `body` on. */
  private sum = 0;
  private readonly openings = new Map<string, Opening>();
  /** The present frame's header values by their place in HEADER_ORDER, and which of them there are, a bit for each. */
  private readonly places: string[] = HEADER_ORDER.map(() => '');
  private present = 0;
  /** The last second written, as SendingTime's first 18 bytes. */
  private second = -1;
  private readonly secondBytes = Buffer.alloc(SECOND_BYTES);
  private secondSum = 0;

  /** Encode one message. The bytes are never written again: the result may be kept, but keeps its slab (16 kB) alive. */
  encode(header: FrameHeader, draft: MessageDraft): Buffer {
    this.at = this.free;
    this.body = this.at;
    this.sum = 0;
    this.reserve(PREFIX_BYTES);
    this.at += PREFIX_BYTES;
    this.body = this.at;
    const { headerFields } = draft;
    if (headerFields.count > 0 && hasOpeningTag(headerFields)) this.writeOpening(header, draft);
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
    for (let i = drafted.count - 1; i >= 0; i--) {
      const place = placeOf(drafted.tags[i]!);
      if (place !== -1) this.put(place, textOf(drafted.values[i]!));
    }
    const { places } = this;
    for (let left = this.present; left !== 0; left &= left - 1) {
      const place = 31 - Math.clz32(left & -left);
      const value = places[place]!;
      if (value !== '') this.field(HEADER_ORDER[place]!, value);
      else if (place === Place.MsgSeqNum) this.numberField(34, header.msgSeqNum);
      else if (place === Place.SendingTime && typeof sendingTime === 'number') this.timeField(52, sendingTime);
    }
    for (let i = 0; i < drafted.count; i++) {
      const tag = drafted.tags[i]!;
      if (placeOf(tag) === -1 && !isOpeningTag(tag)) this.field(tag, textOf(drafted.values[i]!));
    }
    if (header.extra !== undefined) for (const [tag, value] of header.extra) this.field(tag, value);
  }

  private put(place: number, value: string): void {
    this.places[place] = value;
    this.present |= 1 << place;
  }

  private fields(list: FieldList): void {
    const { tags, values, count } = list;
    for (let i = this.plain(list, 0); i < count; i = this.plain(list, i + 1)) {
      const value = values[i]!;
      if (typeof value === 'string') this.field(tags[i]!, value);
      else if (typeof value === 'number') this.timeField(tags[i]!, value);
      else this.decimalField(tags[i]!, value);
    }
  }

  /**
   * Write the fields from `from` on as long as tags have at most four digits, values are texts of characters that are
   * written as they are, or decimals of at most 31 bits, and there is room; returns the first other field, of which
   * nothing is written, or the count.
   *
   * Most of a message's time goes here: nothing is called, so that the compiler knows that the arrays stay the same, and
   * `| 0` says that no number leaves 32 bits.
   */
  private plain(list: FieldList, from: number): number {
    const { tags, values, count } = list;
    const { slab } = this;
    const room = slab.length - 2 * FIELD_BYTES;
    let end = this.at | 0;
    let total = this.sum | 0;
    let i = from;
    for (; i < count; i++) {
      const value = values[i]!;
      const tag = tags[i]!;
      if (tag >>> 0 >= TAG_DIGITS.length || end > room) break;
      let at = end;
      let sum = total;
      for (let digits = TAG_DIGITS[tag]! | 0; digits !== 0; digits >>>= 8) {
        slab[at] = digits;
        sum = (sum + (digits & 0xff)) | 0;
        at = (at + 1) | 0;
      }
      slab[at] = EQUALS;
      at = (at + 1) | 0;
      if (typeof value === 'string') {
        const { length } = value;
        if (length === 0) continue;
        if (at + length > room) break;
        let k = 0;
        for (; k < length; k = (k + 1) | 0) {
          const c = value.charCodeAt(k);
          // Below 2 or above 255, in one comparison.
          if ((c - 2) >>> 0 > 0xfd) break;
          slab[at] = c;
          sum = (sum + c) | 0;
          at = (at + 1) | 0;
        }
        if (k !== length) break;
      } else if (typeof value === 'object') {
        const { safeCoefficient: coefficient, scale } = value;
        // NaN fails too.
        if (!(coefficient >= 0 && coefficient <= 0x7fff_ffff) || scale > SMALL_DECIMALS_MAX) break;
        let rest = coefficient | 0;
        let digits = 1;
        for (let power = 10; power <= rest && digits < 10; power *= 10) digits = (digits + 1) | 0;
        if (digits <= scale) digits = (scale + 1) | 0;
        const point = scale === 0 ? -1 : (at + digits - scale) | 0;
        const last = (at + digits + (scale === 0 ? 0 : 1)) | 0;
        for (let k = (last - 1) | 0; k >= at; k = (k - 1) | 0) {
          if (k === point) {
            slab[k] = POINT;
            sum = (sum + POINT) | 0;
            continue;
          }
          const tenth = (rest / 10) | 0;
          const digit = (ZERO + rest - Math.imul(tenth, 10)) | 0;
          slab[k] = digit;
          sum = (sum + digit) | 0;
          rest = tenth;
        }
        at = last;
      } else break;
      slab[at] = SOH;
      end = (at + 1) | 0;
      total = (sum + EQUALS + SOH) | 0;
    }
    this.at = end;
    this.sum = total;
    return i;
  }

  /** Write one field of any kind. */
  private field(tag: number, value: string): void {
    const { length } = value;
    if (length === 0) return;
    this.reserve(FIELD_BYTES + length);
    const { slab } = this;
    const from = this.at;
    let at = writeNumber(slab, from, tag);
    slab[at++] = EQUALS;
    for (let i = 0; i < length; i++) {
      const c = value.charCodeAt(i);
      slab[at++] = (c - 2) >>> 0 > 0xfd ? replacement(c, tag) : c;
    }
    slab[at++] = SOH;
    this.wrote(from, at);
  }

  private numberField(tag: number, value: number): void {
    if ((value | 0) !== value || value < 0) {
      this.field(tag, String(value));
      return;
    }
    this.reserve(2 * FIELD_BYTES);
    const { slab, at: from } = this;
    let at = writeNumber(slab, from, tag);
    slab[at++] = EQUALS;
    at = writeNumber(slab, at, value);
    slab[at++] = SOH;
    this.wrote(from, at);
  }

  private decimalField(tag: number, value: Decimal): void {
    const coefficient = value.safeCoefficient;
    const { scale } = value;
    // NaN fails too.
    if (!(coefficient >= 0) || scale > DECIMALS_MAX) {
      this.field(tag, value.toString());
      return;
    }
    this.reserve(FIELD_BYTES + DECIMAL_BYTES_MAX);
    const { slab, at: from } = this;
    let at = writeNumber(slab, from, tag);
    slab[at++] = EQUALS;
    at = writeDecimal(slab, at, coefficient, scale);
    slab[at++] = SOH;
    this.wrote(from, at);
  }

  /** Write a time to the millisecond; the last second is kept rendered, since consecutive messages share it. */
  private timeField(tag: number, time: EpochMs): void {
    const second = Math.floor(time / 1000);
    if (second !== this.second) {
      const text = formatUtcTimestamp(time);
      if (text.length !== SECOND_BYTES + 3) {
        this.field(tag, text);
        return;
      }
      this.secondBytes.write(text, 0, SECOND_BYTES, 'latin1');
      this.secondSum = sumOf(this.secondBytes, 0, SECOND_BYTES);
      this.second = second;
    }
    this.reserve(FIELD_BYTES + SECOND_BYTES + 3);
    const { slab, at: from } = this;
    let at = writeNumber(slab, from, tag);
    slab[at++] = EQUALS;
    this.wrote(from, at);
    this.copy(this.secondBytes, this.secondSum);
    at = this.at;
    const ms = (time - second * 1000) | 0;
    const hundreds = (ms / 100) | 0;
    const tens = ((ms / 10) | 0) - hundreds * 10;
    const ones = ms - hundreds * 100 - tens * 10;
    slab[at] = ZERO + hundreds;
    slab[at + 1] = ZERO + tens;
    slab[at + 2] = ZERO + ones;
    slab[at + 3] = SOH;
    this.at = at + 4;
    this.sum = (this.sum + 3 * ZERO + hundreds + tens + ones + SOH) | 0;
  }

  /** Append bytes whose sum is known. */
  private copy(bytes: Buffer, sum: number): void {
    const { length } = bytes;
    this.reserve(length);
    const { slab, at } = this;
    for (let i = 0; i < length; i++) slab[at + i] = bytes[i]!;
    this.at = at + length;
    this.sum = (this.sum + sum) | 0;
  }

  /** Count the bytes [from, to) in. */
  private wrote(from: number, to: number): void {
    this.sum = (this.sum + sumOf(this.slab, from, to)) | 0;
    this.at = to;
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
    this.sum = (this.sum + sumOf(slab, at, this.body)) | 0;
    return at;
  }

  /** Make room for `bytes` more; the frame begun moves to a new slab if they do not fit. */
  private reserve(bytes: number): void {
    if (this.at + bytes <= this.slab.length) return;
    const begun = Math.max(this.body - PREFIX_BYTES, this.free);
    const written = this.at - begun;
    this.slabBytes = Math.min(SLAB_BYTES, 2 * this.slabBytes);
    const larger = Buffer.allocUnsafeSlow(Math.max(this.slabBytes, 2 * (written + bytes)));
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

function sumOf(bytes: Buffer, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at < to; at++) sum = (sum + bytes[at]!) | 0;
  return sum;
}

/** Whether a header field stands before those of HEADER_ORDER. */
function isOpeningTag(tag: number): boolean {
  return tag === 1128 || tag === 49 || tag === 56;
}

function hasOpeningTag(list: FieldList): boolean {
  for (let i = 0; i < list.count; i++) if (isOpeningTag(list.tags[i]!)) return true;
  return false;
}

/** Place of a tag in HEADER_ORDER, or -1. */
function placeOf(tag: number): number {
  return tag < PLACE_BY_TAG.length ? PLACE_BY_TAG[tag]! - 1 : -1;
}
