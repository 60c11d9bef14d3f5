// Turns the bytes of a connection into whole messages: finds frames by BodyLength(9), proves them by CheckSum(10),
// indexes them. message-view.ts reads fields and values; the session answers.
//
// After a garbled frame (FIX session layer, "garbled message": ignored, no number consumed):
//
// - BodyLength leads to a CheckSum field: the whole frame is skipped, and its content is never taken for a message.
// - BodyLength is not credible: reading continues at the next `8=FIX` without a digit before it.
// - The frame is too long, has too many fields, or a frame limit's worth of bytes is lost: one notice with `fatal`,
// then no output. The connection must be closed.

import { DataFields } from './data-field.ts';
import { FramePrefix, IndexOutcome } from './field-index.ts';
import { MessageView } from './message-view.ts';
import { maskShown, writeCheckSum } from './secrets.ts';

const SOH = 0x01;
/** `8=FIX`, with which every BeginString(8) begins. */
const BEGIN = [0x38, 0x3d, 0x46, 0x49, 0x58] as const;
const BEGIN_SUM = BEGIN.reduce((sum, byte) => sum + byte, 0);
/** Bytes of `8=` and a BeginString, SOH not counted; `8=FIXT.1.1` has 10. */
const BEGIN_BYTES_MAX = 16;
const BODY_LENGTH_DIGITS_MAX = 9;
/** `10=ddd` and SOH. */
const TRAILER_BYTES = 7;
/** Shortest body: `35=0` and SOH. */
const BODY_BYTES_MIN = 5;
/** Bytes of a garbled frame that its notice keeps. */
const NOTICE_BYTES_MAX = 512;
const ACCUMULATION_BYTES_MIN = 4096;

/** Limits of a frame. */
export interface FramerLimits {
  /** Largest frame, BeginString to CheckSum inclusive. */
  readonly frameBytesMax: number;
  /** Most fields of a frame, 8, 9, 35 and 10 included. */
  readonly fieldsMax: number;
}

/** The fault of bytes that form no message. The session does not answer them (FIX session layer). */
export interface GarbledNotice {
  /** `field` is kept for readers of stored frames; a live frame with a malformed field is a message (tag 0 in its view). */
  readonly reason: 'beginString' | 'bodyLength' | 'msgType' | 'checkSum' | 'tooLong' | 'tooManyFields' | 'field';
  readonly text: string;
  /** The bytes concerned, at most 512 of them, a copy, secrets masked. */
  readonly bytes: Uint8Array;
  /** Nothing more will come of this stream: close the connection. */
  readonly fatal: boolean;
}

/** A message, valid until the next chunk is pushed, or bytes that are none. */
export type FrameResult =
  | { readonly kind: 'message'; readonly view: MessageView }
  | { readonly kind: 'garbled'; readonly notice: GarbledNotice };

/** Answers of {@link measureFrame} that are not a length. */
const Measure = { NeedMore: 0, BeginString: -1, BodyLength: -2, TooLong: -3 } as const;

const EMPTY = Buffer.alloc(0);

/** Frames the byte stream of one connection. Never throws; holds at most one incomplete frame plus the last chunk. */
export class Framer {
  /** Where SOH may stand in a value; set it when the session, and with it its dictionary, is known. */
  dataFields: DataFields = DataFields.STANDARD;
  /** Decides whether a message with a wrong CheckSum(10) is accepted and corrected; null: never. */
  takesWrongCheckSum: ((view: MessageView) => boolean) | null = null;
  /** Where reading goes on when BodyLength(9) leads to no CheckSum(10): at the next message, or at the next CheckSum behind there. */
  afterWrongBodyLength: 'beginString' | 'checkSum' = 'beginString';
  private readonly limits: FramerLimits;
  private readonly view: MessageView;
  private readonly result: FrameResult;
  private readonly prefix = new FramePrefix();
  private buffer: Buffer = EMPTY;
  private position = 0;
  private end = 0;
  /** Whether `buffer` is ours to append to, not a chunk of the socket. */
  private owned = false;
  /** Bytes skipped since the last whole frame; whether the run of them that goes on now was reported. */
  private discarded = 0;
  private reported = false;
  private dead = false;

  /** `view`: share one among the connections of a thread to save memory; its content then lasts until any of them reads on. */
  constructor(limits: FramerLimits, view: MessageView = new MessageView()) {
    this.limits = limits;
    this.view = view;
    this.result = { kind: 'message', view };
  }

  /** Append bytes from the socket. The chunk is referred to, not copied, until the next call after it was read through. */
  push(chunk: Buffer): void {
    if (this.dead || chunk.length === 0) return;
    if (this.position === this.end) {
      this.buffer = chunk;
      this.position = 0;
      this.end = chunk.length;
      this.owned = false;
      return;
    }
    const rest = this.end - this.position;
    const needed = rest + chunk.length;
    if (!this.owned || needed > this.buffer.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(ACCUMULATION_BYTES_MIN, 2 * needed));
      this.buffer.copy(larger, 0, this.position, this.end);
      this.buffer = larger;
      this.owned = true;
      this.position = 0;
      this.end = rest;
    } else if (this.end + chunk.length > this.buffer.length) {
      this.buffer.copyWithin(0, this.position, this.end);
      this.position = 0;
      this.end = rest;
    }
    chunk.copy(this.buffer, this.end);
    this.end += chunk.length;
  }

  /** The next message or garbled notice, or null when more bytes are needed. The same view and result are used again. */
  next(): FrameResult | null {
    while (!this.dead && this.position < this.end) {
      const measured = measureFrame(this.buffer, this.position, this.end, this.limits.frameBytesMax, this.prefix);
      if (measured === Measure.NeedMore) return null;
      const before = this.position;
      const found = measured > 0 ? this.take(measured) : this.skipUnframed(measured);
      if (found !== null) return found;
      if (this.position === before) return null;
    }
    // Nothing is left: do not keep the socket's last chunk alive while the session is idle.
    this.buffer = EMPTY;
    this.position = 0;
    this.end = 0;
    this.owned = false;
    return null;
  }

  /** A copy of the bytes behind the message that came last. */
  rest(): Buffer {
    return Buffer.from(this.buffer.subarray(this.position, this.end));
  }

  /** Outcome of an incomplete message after `next()` returned null, or null. For a stream that ends there. */
  unfinished(): Pick<GarbledNotice, 'text' | 'bytes'> | null {
    const came = this.end - this.position;
    if (came === 0) return null;
    const bytes = this.kept(this.position, this.end);
    const [begin, bodyLength] = /^8=FIX[T.\d]*\W9=(\d+)\W/.exec(bytes.toString('latin1')) ?? [];
    if (begin === undefined) return { text: `${came} bytes of one came`, bytes };
    const length = begin.length + Number(bodyLength) + TRAILER_BYTES;
    return { text: `${came} bytes of one came that has ${length} by its BodyLength(9)`, bytes };
  }

  /** Take the frame of `length` bytes; its BodyLength leads to a CheckSum field. */
  private take(length: number): FrameResult {
    const from = this.position;
    const to = from + length;
    const outcome = this.view.index(this.buffer, from, to, this.limits.fieldsMax, this.prefix, this.dataFields);
    this.position = to;
    if (outcome === IndexOutcome.TooManyFields) {
      return this.garbled('tooManyFields', `more than ${this.limits.fieldsMax} fields`, from, to, true);
    }
    if (outcome === IndexOutcome.WrongCheckSum && !this.mends(from, to)) {
      return this.garbled('checkSum', 'CheckSum(10) differs from the sum of the bytes', from, to, false);
    }
    this.discarded = 0;
    this.reported = false;
    if (this.view.tagAt(2) !== 35 || this.view.valueStart(2) === this.view.valueEnd(2)) {
      return this.garbled('msgType', 'MsgType(35) is not the third field', from, to, false);
    }
    return this.result;
  }

  /** Write the right CheckSum(10) into a frame that is taken nevertheless: it is recorded, and read again, like any other. */
  private mends(from: number, to: number): boolean {
    const { takesWrongCheckSum, buffer, view } = this;
    if (takesWrongCheckSum === null) return false;
    const digitsAt = to - TRAILER_BYTES + 3;
    const written = Buffer.from(buffer.subarray(digitsAt, to - 1));
    let sum = 0;
    for (let at = from; at < to - TRAILER_BYTES; at++) sum += buffer[at]!;
    writeCheckSum(buffer, digitsAt, sum);
    const outcome = view.index(buffer, from, to, this.limits.fieldsMax, this.prefix, this.dataFields);
    if (outcome === IndexOutcome.Indexed && takesWrongCheckSum(view)) return true;
    written.copy(buffer, digitsAt);
    return false;
  }

  /** Give up the bytes up to the next place where a frame may begin. Null if they belong to a run already reported. */
  private skipUnframed(measured: number): FrameResult | null {
    const from = this.position;
    if (measured === Measure.TooLong) {
      return this.garbled(
        'tooLong',
        `BodyLength(9) exceeds the frame limit of ${this.limits.frameBytesMax}`,
        from,
        this.end,
        true,
      );
    }
    const behind = measured === Measure.BodyLength ? this.behindNextCheckSum(from) : -1;
    if (behind === 0) return null;
    const to = behind > 0 ? behind : nextBegin(this.buffer, from + 1, this.end, this.prefix);
    this.position = to;
    this.discarded += to - from;
    const reason = measured === Measure.BeginString ? 'beginString' : 'bodyLength';
    if (this.discarded > this.limits.frameBytesMax) {
      return this.garbled(reason, `no frame in ${this.discarded} bytes`, from, to, true);
    }
    const goesOn = this.reported && reason === 'beginString';
    this.reported = true;
    if (goesOn) return null;
    const text =
      reason === 'bodyLength'
        ? 'BodyLength(9) is not the second field, or does not lead to CheckSum(10)'
        : isTls(this.buffer, from)
          ? 'bytes of TLS, and this is a connection without it'
          : 'bytes that do not begin with BeginString(8)';
    return this.garbled(reason, text, from, to, false);
  }

  /**
   * Where the first CheckSum(10) ends behind the place that BodyLength(9) names: QuickFIX passes over all of this. 0 if it is not
   * here yet, -1 if reading goes on at the next message.
   */
  private behindNextCheckSum(from: number): number {
    const { buffer, end, limits } = this;
    if (this.afterWrongBodyLength !== 'checkSum') return -1;
    const digitsAt = measureBegin(buffer, from, end, this.prefix);
    const soh = digitsAt > 0 ? buffer.indexOf(SOH, digitsAt) : -1;
    const digits = soh === -1 ? '' : buffer.toString('latin1', digitsAt, Math.min(soh, digitsAt + 10));
    if (!/^\d{1,9}$/.test(digits)) return -1;
    const claimed = soh + 1 + Number(digits);
    const last = from + limits.frameBytesMax;
    if (claimed > last) return -1;
    const at = buffer.subarray(0, Math.min(end, last)).indexOf('\x0110=', claimed - 1, 'latin1');
    const trailerEnd = at === -1 ? -1 : buffer.indexOf(SOH, at + 1);
    if (trailerEnd !== -1 && trailerEnd < end) return trailerEnd + 1;
    return end < last ? 0 : -1;
  }

  private garbled(
    reason: GarbledNotice['reason'],
    text: string,
    from: number,
    to: number,
    fatal: boolean,
  ): FrameResult {
    const bytes = this.kept(from, to);
    if (fatal) {
      this.dead = true;
      this.buffer = EMPTY;
      this.position = 0;
      this.end = 0;
    }
    return { kind: 'garbled', notice: { reason, text, bytes, fatal } };
  }

  /** A copy of what a notice keeps of these bytes. Cut only once secrets are masked: data may have SOH in it behind the cut. */
  private kept(from: number, to: number): Buffer {
    return Buffer.from(maskShown(this.buffer.subarray(from, to), this.dataFields).subarray(0, NOTICE_BYTES_MAX));
  }
}

/** Whether a record of TLS begins here: its kind, and version 3 of what SSL was. Nothing else of an OMS begins so. */
export function isTls(buffer: Uint8Array, at = 0): boolean {
  return buffer[at]! >= 0x14 && buffer[at]! <= 0x17 && buffer[at + 1] === 0x03;
}

/**
 * Index one complete stored frame, with the data fields of the session that it belongs to; null if it is not exactly one
 * frame with a right CheckSum and MsgType(35) third.
 */
export function viewOf(frame: Uint8Array, dataFields: DataFields = DataFields.STANDARD): MessageView | null {
  const buffer = asBuffer(frame);
  const length = buffer.length;
  const prefix = new FramePrefix();
  if (measureFrame(buffer, 0, length, length, prefix) !== length) return null;
  const view = new MessageView();
  if (view.index(buffer, 0, length, length, prefix, dataFields) !== IndexOutcome.Indexed) return null;
  return view.tagAt(2) === 35 && view.valueStart(2) < view.valueEnd(2) ? view : null;
}

/** The same bytes as a Buffer, not copied. */
function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Length of the frame at `from` if it is whole and its BodyLength leads to a CheckSum field, else a {@link Measure}. With
 * a length, `prefix` says where the first two fields lie.
 */
function measureFrame(buffer: Buffer, from: number, end: number, frameBytesMax: number, prefix: FramePrefix): number {
  const digitsAt = measureBegin(buffer, from, end, prefix);
  return digitsAt > 0 ? measureBody(buffer, from, digitsAt, end, frameBytesMax, prefix) : digitsAt;
}

/** Where the value of BodyLength(9) begins, if a BeginString(8) stands at `from` and `9=` behind it, else a {@link Measure}. */
function measureBegin(buffer: Buffer, from: number, end: number, prefix: FramePrefix): number {
  // Not one byte beyond `end` is read: the compiler would then allow for reads beyond the buffer everywhere.
  let at = (from + BEGIN.length) | 0;
  if (at > end) return startsAsBegin(buffer, from, end) ? Measure.NeedMore : Measure.BeginString;
  if (!isBegin(buffer, from)) return Measure.BeginString;
  let sum = BEGIN_SUM;
  for (;;) {
    if (at === end) return Measure.NeedMore;
    const c = buffer[at]!;
    sum = (sum + c) | 0;
    at = (at + 1) | 0;
    if (c === SOH) break;
    // Digits, points and the T of FIXT: nothing else occurs in a BeginString.
    if (!(isDigit(c) || c === 0x2e || c === 0x54) || at - from > BEGIN_BYTES_MAX) return Measure.BeginString;
  }
  prefix.beginEnd = (at - 1) | 0;
  if (at === end) return Measure.NeedMore;
  if (buffer[at++] !== 0x39) return Measure.BodyLength;
  if (at === end) return Measure.NeedMore;
  if (buffer[at++] !== 0x3d) return Measure.BodyLength;
  prefix.sum = (sum + 0x39 + 0x3d) | 0;
  return at;
}

function isBegin(buffer: Buffer, at: number): boolean {
  return (
    buffer[at] === 0x38 &&
    buffer[at + 1] === 0x3d &&
    buffer[at + 2] === 0x46 &&
    buffer[at + 3] === 0x49 &&
    buffer[at + 4] === 0x58
  );
}

/** Whether the few bytes from `from` to `end` are the first of {@link BEGIN}. */
function startsAsBegin(buffer: Buffer, from: number, end: number): boolean {
  return BEGIN.slice(0, end - from).every((byte, k) => buffer[from + k] === byte);
}

/** The same from the value of BodyLength(9) on, which begins at `digitsAt`; `prefix` has what lies before. */
function measureBody(
  buffer: Buffer,
  from: number,
  digitsAt: number,
  end: number,
  frameBytesMax: number,
  prefix: FramePrefix,
): number {
  let at = digitsAt | 0;
  let sum = prefix.sum | 0;
  let bodyLength = 0;
  for (;;) {
    if (at === end) return Measure.NeedMore;
    const c = buffer[at]!;
    sum = (sum + c) | 0;
    at = (at + 1) | 0;
    if (c === SOH) break;
    if (!isDigit(c) || at - digitsAt > BODY_LENGTH_DIGITS_MAX) return Measure.BodyLength;
    bodyLength = (bodyLength * 10 + c - 0x30) | 0;
  }
  if (bodyLength < BODY_BYTES_MIN) return Measure.BodyLength;
  const length = (at - from + bodyLength + TRAILER_BYTES) | 0;
  if (length > frameBytesMax) return Measure.TooLong;
  if (from + length > end) return Measure.NeedMore;
  if (!endsInCheckSum(buffer, from + length)) return Measure.BodyLength;
  prefix.bodyStart = at;
  prefix.sum = sum;
  return length;
}

/** Whether the bytes before `end` are SOH, `10=`, three digits, SOH. */
function endsInCheckSum(buffer: Buffer, end: number): boolean {
  return (
    buffer[end - 1] === SOH &&
    isDigit(buffer[end - 2]!) &&
    isDigit(buffer[end - 3]!) &&
    isDigit(buffer[end - 4]!) &&
    buffer[end - 5] === 0x3d &&
    buffer[end - 6] === 0x30 &&
    buffer[end - 7] === 0x31 &&
    buffer[end - 8] === SOH
  );
}

function isDigit(c: number): boolean {
  return (c - 0x30) >>> 0 <= 9;
}

/**
 * First place at or after `from` where `8=FIX`, or the part of it that fits, stands; else `end`. Behind a digit, as of a tag 58, or
 * of a CheckSum(10) without its SOH, it takes more: all of BeginString(8) and the tag behind it, or what fits.
 */
function nextBegin(buffer: Buffer, from: number, end: number, prefix: FramePrefix): number {
  for (let at = from; at < end; at++) {
    if (buffer[at] !== BEGIN[0]) continue;
    let k = 1;
    while (k < BEGIN.length && at + k < end && buffer[at + k] === BEGIN[k]) k++;
    if (k < BEGIN.length && at + k < end) continue;
    if (!isDigit(buffer[at - 1]!)) return at;
    const digitsAt = measureBegin(buffer, at, end, prefix);
    if (digitsAt > 0 || digitsAt === Measure.NeedMore) return at;
  }
  return end;
}
