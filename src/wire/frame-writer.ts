// Drafts to frames: the header by ascending tags, as QuickFIX engines write and expect it, body as drafted, BodyLength(9) and CheckSum(10) on the way.
// Leaves numbers and times to the session, and what a message must contain to the dictionary.

import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';
import { DataFields } from './data-field.ts';
import { digitsOf, writeDigits } from './digits.ts';
import type { MessageDraft } from './draft.ts';
import { FieldBytes, leaveRoomForHeader, sumOf } from './field-bytes.ts';
import { latin1 } from './latin1.ts';
import { hasRendered, writeTime } from './time-bytes.ts';

const SOH = 0x01;
const ZERO = 0x30;
/** `10=ddd` and SOH. */
const TRAILER_BYTES = 7;
/** `10=` in the lower bytes of a word; three digits and SOH by CheckSum. */
const CHECK_SUM_TAG = 0x3d3031;
const CHECK_SUM_DIGITS = Int32Array.from({ length: 256 }, (_, sum) => {
  const digit = (unit: number): number => ZERO + (Math.floor(sum / unit) % 10);
  return digit(100) | (digit(10) << 8) | (digit(1) << 16) | (SOH << 24);
});
/** A UTCTimestamp with milliseconds. */
const TIME_BYTES = 21;
/** A character that no field has outside data, or that has no byte. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: SOH separates fields
const ODD_CHARACTER = /[\x00\x01\u0100-\uffff]/;
/** Beginnings of bodies that a writer keeps rendered, one per MsgType. */
const OPENINGS_MAX = 64;
/** Likewise what stands behind SendingTime(52), one per TargetSubID(57). */
const TAILS_MAX = 256;

/** Fields that the session adds to a draft. Absent and undefined are the same. */
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

/** Header tags after 35 and 1128, which stands fourth where it stands at all (FIXT.1.1): ascending. */
const HEADER_ORDER = [34, 43, 49, 50, 52, 56, 57, 97, 115, 116, 122, 128, 129, 142, 143, 144, 145, 347, 369] as const;
const Place = {
  MsgSeqNum: HEADER_ORDER.indexOf(34),
  SenderCompID: HEADER_ORDER.indexOf(49),
  TargetCompID: HEADER_ORDER.indexOf(56),
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

/** Bytes to be copied eight at a time: in the last word, zeros behind them, or in the first, zeros before them. */
interface Words {
  readonly length: number;
  readonly words: BigInt64Array;
  readonly sum: number;
}

function wordsOf(text: string, isRightAligned = false): Words {
  const count = (text.length + 7) >> 3;
  const bytes = Buffer.alloc(8 * count);
  bytes.write(text, isRightAligned ? bytes.length - text.length : 0, 'latin1');
  const words = BigInt64Array.from({ length: count }, (_, i) => bytes.readBigInt64LE(8 * i));
  return { length: text.length, words, sum: sumOf(bytes, 0, bytes.length) };
}

/** `35=…|1128=…|34=` and `49=…|52=`, which all messages of one type on one session share. */
interface Opening {
  readonly msgType: string;
  readonly beginString: string;
  readonly senderCompID: string;
  readonly applVerID: string | undefined;
  /** `8=…|9=` and the rest. */
  readonly prefix: Words;
  readonly fields: Words;
  /** Bytes between the values of MsgSeqNum(34) and SendingTime(52). */
  readonly middle: Words;
}

/** Writes frames of one session: the header is put before the fields that the draft has written. */
export class FrameWriter {
  private readonly openings = new Map<string, Opening>();
  private latestOpening: Opening | null = null;
  /** Bytes after SendingTime(52) for this TargetCompID(56), by TargetSubID(57), and the latest of them. */
  private targetCompID = '';
  private bareTail = wordsOf('', true);
  private readonly tails = new Map<string, Words>();
  private latestSubID = '';
  private latestTail = this.bareTail;
  private readonly dataFields: DataFields;
  /** The present frame's header values by their place in HEADER_ORDER, and which of them there are, a bit for each. */
  private readonly places: string[] = HEADER_ORDER.map(() => '');
  private present = 0;
  /** Sum of the header written last. */
  private sum = 0;

  constructor(dataFields: DataFields = DataFields.STANDARD) {
    this.dataFields = dataFields;
  }

  /** Encode one message. The bytes are never written again: the result may be kept, but keeps its slab (32 kB) alive. */
  encode(header: FrameHeader, draft: MessageDraft): Buffer {
    if (draft.isSealed) draft.move(0, 0);
    draft.restore(this.dataFields);
    let start = this.plainHeader(header, draft);
    if (start === -1) start = this.wholeHeader(header, draft);
    const { view, end: trailer } = draft;
    const checkSum = (this.sum + draft.sum) & 0xff;
    view.setInt32(trailer, CHECK_SUM_TAG, true);
    view.setInt32(trailer + 3, CHECK_SUM_DIGITS[checkSum]!, true);
    const end = trailer + TRAILER_BYTES;
    draft.seal(end);
    return draft.bytes(start, end);
  }

  /**
   * Write a header of 8, 9, 35, 1128, 34, 49, 52, 56 and TargetSubID(57) in one go before the draft's fields. Returns
   * its start, or -1 if the header has other fields or an unusual length.
   */
  private plainHeader(header: FrameHeader, draft: MessageDraft): number {
    const { sendingTime, msgSeqNum } = header;
    if (draft.hasFurtherHeaderFields || !isPlain(header) || typeof sendingTime !== 'number') return -1;
    if ((msgSeqNum | 0) !== msgSeqNum || msgSeqNum < 0 || !hasRendered(sendingTime)) return -1;
    if (header.targetCompID !== this.targetCompID) this.renderTail(header.targetCompID);
    const tail = draft.headerTag === 0 ? this.bareTail : this.tail(draft.headerTag, draft.headerValue);
    if (tail === null) return -1;
    const { prefix, fields, middle } = this.opening(header, draft.msgType);
    const numberDigits = digitsOf(msgSeqNum);
    const bodyStart = draft.start;
    const bodyLength =
      fields.length + numberDigits + 1 + middle.length + TIME_BYTES + 1 + tail.length + draft.end - bodyStart;
    const lengthDigits = digitsOf(bodyLength);
    const start = draft.end - bodyLength - 1 - lengthDigits - prefix.length;
    if (start < draft.origin) return -1;
    const { slab, view } = draft;
    // Bytes written before it overwrite its leading zeros, so it must not reach into the body.
    copyTo(view, bodyStart - (tail.words.length << 3), tail);
    let at = copyTo(view, start | 0, prefix);
    let total = prefix.sum + fields.sum + middle.sum + tail.sum;
    total += writeDigits(slab, at, at + lengthDigits, bodyLength);
    at += lengthDigits;
    slab[at++] = SOH;
    at = copyTo(view, at, fields);
    total += writeDigits(slab, at, at + numberDigits, msgSeqNum);
    at += numberDigits;
    slab[at++] = SOH;
    at = copyTo(view, at, middle);
    total += writeTime(slab, view, at);
    slab[at + TIME_BYTES] = SOH;
    this.sum = (total + 3 * SOH) | 0;
    return start;
  }

  private renderTail(targetCompID: string): void {
    this.targetCompID = targetCompID;
    this.bareTail = wordsOf(`56=${targetCompID}\x01`, true);
    this.tails.clear();
    this.latestSubID = '';
    this.latestTail = this.bareTail;
  }

  /**
   * Bytes after SendingTime(52) for a draft with this field, or null. Only TargetSubID(57) qualifies, which most
   * answers to traders behind one session carry, and only with characters that need no conversion.
   */
  private tail(tag: number, value: string): Words | null {
    if (tag !== 57 || value === '') return null;
    if (value === this.latestSubID) return this.latestTail;
    let tail = this.tails.get(value);
    if (tail === undefined) {
      if (ODD_CHARACTER.test(value)) return null;
      tail = wordsOf(`56=${this.targetCompID}\x0157=${value}\x01`, true);
      if (this.tails.size >= TAILS_MAX) this.tails.clear();
      this.tails.set(value, tail);
    }
    this.latestSubID = value;
    this.latestTail = tail;
    return tail;
  }

  /** First bytes of a message of this type, copied from the last one if it was on the same session. */
  private opening(header: FrameHeader, msgType: string): Opening {
    const { latestOpening } = this;
    if (latestOpening !== null && latestOpening.msgType === msgType && isOf(latestOpening, header))
      return latestOpening;
    const found = this.openings.get(msgType);
    const opening = found !== undefined && isOf(found, header) ? found : this.renderOpening(header, msgType);
    this.latestOpening = opening;
    return opening;
  }

  private renderOpening(header: FrameHeader, msgType: string): Opening {
    const { beginString, senderCompID, applVerID } = header;
    const bytes = new FieldBytes().add(35, msgType).add(1128, applVerID ?? '');
    const opening = {
      msgType,
      beginString,
      senderCompID,
      applVerID,
      prefix: wordsOf(`8=${beginString}\x019=`),
      fields: wordsOf(`${latin1(bytes.slab, bytes.start, bytes.end)}34=`),
      middle: wordsOf(`49=${senderCompID}\x0152=`),
    };
    if (this.openings.size >= OPENINGS_MAX) this.openings.clear();
    this.openings.set(msgType, opening);
    return opening;
  }

  /** The same for a header with any fields. */
  private wholeHeader(header: FrameHeader, draft: MessageDraft): number {
    const fields = new FieldBytes();
    this.headerFields(fields, header, draft);
    const length = fields.end - fields.start;
    const prefix = Buffer.from(`8=${header.beginString}\x019=${length + draft.end - draft.start}\x01`, 'latin1');
    if (draft.start - draft.origin < prefix.length + length) {
      leaveRoomForHeader(prefix.length + length);
      draft.move(prefix.length + length, 0);
    }
    const start = draft.start - length - prefix.length;
    prefix.copy(draft.slab, start);
    fields.slab.copy(draft.slab, start + prefix.length, fields.start, fields.end);
    this.sum = sumOf(prefix, 0, prefix.length) + fields.sum;
    fields.seal(fields.origin);
    return start;
  }

  private headerFields(fields: FieldBytes, header: FrameHeader, draft: MessageDraft): void {
    const { headerFields: drafted } = draft;
    const own = (tag: number): string | undefined => drafted.find((field) => field[0] === tag)?.[1];
    fields.addOfFrame(35, draft.msgType).add(1128, own(1128) ?? header.applVerID ?? '');
    const { sendingTime } = header;
    this.present = 0;
    this.put(Place.MsgSeqNum, `${header.msgSeqNum}`);
    this.put(Place.SenderCompID, header.senderCompID);
    this.put(Place.TargetCompID, header.targetCompID);
    this.put(Place.SendingTime, typeof sendingTime === 'string' ? sendingTime : formatUtcTimestamp(sendingTime));
    if (header.senderSubID) this.put(Place.SenderSubID, header.senderSubID);
    if (header.senderLocationID) this.put(Place.SenderLocationID, header.senderLocationID);
    if (header.targetSubID) this.put(Place.TargetSubID, header.targetSubID);
    if (header.targetLocationID) this.put(Place.TargetLocationID, header.targetLocationID);
    if (header.possDup === true) this.put(Place.PossDupFlag, 'Y');
    if (header.origSendingTime) this.put(Place.OrigSendingTime, header.origSendingTime);
    if (header.lastMsgSeqNumProcessed !== undefined) {
      this.put(Place.LastMsgSeqNumProcessed, `${header.lastMsgSeqNumProcessed}`);
    }
    // Backwards, since the first of several counts.
    for (let i = drafted.length - 1; i >= 0; i--) {
      const [tag, value] = drafted[i]!;
      const place = placeOf(tag);
      if (place !== -1) this.put(place, value);
    }
    for (let left = this.present; left !== 0; left &= left - 1) {
      const place = 31 - Math.clz32(left & -left);
      fields.addOfFrame(HEADER_ORDER[place]!, this.places[place]!);
    }
    for (const [tag, value] of drafted) if (placeOf(tag) === -1 && tag !== 1128) fields.add(tag, value);
    if (header.extra !== undefined) for (const [tag, value] of header.extra) fields.add(tag, value);
    fields.restore(this.dataFields);
  }

  private put(place: number, value: string): void {
    this.places[place] = value;
    this.present |= 1 << place;
  }
}

/** Copy a few bytes; returns where they end. Up to seven bytes behind them are overwritten. */
function copyTo(view: DataView, from: number, { length, words }: Words): number {
  const count = words.length;
  for (let i = 0; i < count; i = (i + 1) | 0) view.setBigInt64((from + (i << 3)) | 0, words[i]!, true);
  return (from + length) | 0;
}

/** Whether a message with this header, of the opening's type, begins with it. */
function isOf(opening: Opening, header: FrameHeader): boolean {
  return (
    opening.senderCompID === header.senderCompID &&
    opening.applVerID === header.applVerID &&
    opening.beginString === header.beginString
  );
}

/** Whether a header has nothing beyond 35, 34, 49, 52, 56 and ApplVerID(1128). */
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

/** Place of a tag in HEADER_ORDER, or -1. */
function placeOf(tag: number): number {
  return tag < PLACE_BY_TAG.length ? PLACE_BY_TAG[tag]! - 1 : -1;
}
