// One message in a text, from its BeginString(8) to its end: proven by BodyLength(9) and CheckSum(10), whatever its data fields
// hold; or field by field where they do not fit. Leaves escapes to escaped-text.ts, and pieces to torn-message.ts.

import { type DataFields, viewOf } from '../../wire/mod.ts';
import { PLAIN_WAYS, plainOf, type Way, waysOf } from './log-escape.ts';
import { type Begin, beginAt, fieldFollows, nextBegin, SOH, separatorIn, withoutBlank } from './log-separator.ts';

/** Longest text that is held for one message. */
export const MESSAGE_CHARACTERS_MAX = 1_048_576;

/** A BeginString(8) and BodyLength(9). */
const HEAD_BYTES_MAX = 40;

/** A message's bytes with SOH between its fields, and where its text ends. */
export interface FramedText {
  readonly end: number;
  readonly bytes: Buffer;
}

/** How many characters from the beginning of the text have to be there before more can be said; 0: a line end. */
export interface Wait {
  readonly wait: number;
}

const STATED = /9=(\d{1,7})/y;

/** Where the body begins and how long it is, by its BodyLength(9); null if it has none. */
export function statedBody(text: string, { separator, headEnd }: Begin): { start: number; length: number } | null {
  STATED.lastIndex = headEnd;
  const found = STATED.exec(text);
  if (found === null || !text.startsWith(separator, STATED.lastIndex)) return null;
  return { start: STATED.lastIndex + separator.length, length: Number(found[1]) };
}

/** Whether a whole CheckSum(10) stands behind the separator at `at`. */
export function checkSumIsAt(text: string, separator: string, at: number): boolean {
  const trailer = at + separator.length;
  if (!text.startsWith(separator, at) || !text.startsWith('10=', trailer)) return false;
  for (let i = trailer + 3; i < trailer + 6; i++) {
    const code = text.charCodeAt(i);
    if (!(code >= 0x30 && code <= 0x39)) return false;
  }
  return true;
}

/** Whether `10=ddd` and SOH end a frame with the sum of what stands before them. */
export function addsUp(frame: Buffer): boolean {
  let sum = 0;
  const trailer = frame.length - 7;
  for (let i = 0; i < trailer; i++) sum += frame[i]!;
  const digit = (i: number): number => frame[trailer + i]! - 0x30;
  return digit(3) * 100 + digit(4) * 10 + digit(5) === (sum & 0xff);
}

/** How many bytes a message with a CheckSum(10) lacks by its BodyLength(9), below 0 if it has too many; NaN if it says nothing. */
export function missingIn(bytes: Buffer): number {
  const text = bytes.toString('latin1', 0, HEAD_BYTES_MAX);
  const begin = beginAt(text, 0);
  const body = begin === null ? null : statedBody(text, begin);
  return body === null ? Number.NaN : body.start + body.length + 7 - bytes.length;
}

export const bytesOf = (text: string): Buffer => Buffer.from(text, 'latin1');

/** Offset behind the separator that may follow the last field. */
export function behindLast(text: string, separator: string, end: number): number {
  if (text.startsWith(separator, end)) return end + separator.length;
  const last = withoutBlank(separator);
  return text.startsWith(last, end) ? end + last.length : end;
}

/**
 * The message with separators of one character, if a CheckSum(10) stands where BodyLength(9) leads. In a text that holds a line
 * end or another beginning it has to fit too: two pieces of different messages may look like one.
 */
export function plainMessage(
  text: string,
  begin: Begin,
  isEnd: boolean,
  dataFields: DataFields,
): FramedText | Wait | null {
  const { from, separator } = begin;
  const body = statedBody(text, begin);
  if (body === null) return null;
  const end = endOf(text, separator, body.start, body.length + 6);
  if (end - from > MESSAGE_CHARACTERS_MAX) return null;
  if (separator.length !== 1) return marked(text, begin, end, dataFields);
  if (end > text.length) return isEnd ? null : { wait: end + 1 };
  if (!checkSumIsAt(text, separator, end - 7)) return null;
  const lineEnd = text.indexOf('\n', from);
  const next = nextBegin(text, from + 1);
  const isSuspect = (lineEnd !== -1 && lineEnd < end) || (next !== -1 && next < end);
  const bytes = bytesOf(text.slice(from, end) + SOH);
  const behind = behindLast(text, separator, end);
  const found = separator === SOH ? bytes : withSOH(text, begin, end, bytes, dataFields);
  if (isSuspect && !(addsUp(found) && isOfOneMessage(found, dataFields))) return null;
  return { end: behind, bytes: found };
}

const OTHER_MESSAGE = '8=FIX';

/** Whether another beginning in it stands in data: two messages may add up to one by chance. */
function isOfOneMessage(bytes: Buffer, dataFields: DataFields): boolean {
  const view = viewOf(bytes, dataFields);
  if (view === null) return false;
  for (let at = bytes.indexOf(OTHER_MESSAGE, 1); at !== -1; at = bytes.indexOf(OTHER_MESSAGE, at + 1)) {
    const begin = beginAt(bytes.toString('latin1', at, at + HEAD_BYTES_MAX), 0);
    if (begin?.separator !== SOH) continue;
    let i = 0;
    while (i < view.fieldCount && view.valueEnd(i) <= at) i++;
    if (i === view.fieldCount || dataFields.lengthTagOf(view.tagAt(i)) === 0) return false;
  }
  return true;
}

/** Where so many bytes end, with separators longer than SOH. */
function endOf(text: string, separator: string, from: number, length: number): number {
  let at = from;
  let left = length;
  if (separator.length > 1) {
    for (let mark = text.indexOf(separator, at); mark !== -1 && mark - at < left; mark = text.indexOf(separator, at)) {
      left -= mark - at + 1;
      at = mark + separator.length;
      if (at - from > MESSAGE_CHARACTERS_MAX) break;
    }
  }
  return at + left;
}

/** The message if its separators, and nothing else, are longer than SOH is. */
function marked(text: string, { from, separator }: Begin, end: number, dataFields: DataFields): FramedText | null {
  if (end > text.length || !checkSumIsAt(text, separator, end - 6 - separator.length)) return null;
  const bytes = bytesOf(text.slice(from, end).replaceAll(separator, SOH) + SOH);
  const next = nextBegin(text, from + 1);
  const isSuspect = next !== -1 && next < end;
  if (!addsUp(bytes) || (isSuspect && !isOfOneMessage(bytes, dataFields))) return null;
  return { end: behindLast(text, separator, end), bytes };
}

/** The bytes with SOH where it stood: a value, data above all, may hold what stands for it. CheckSum(10) decides. */
function withSOH(text: string, begin: Begin, end: number, bytes: Buffer, dataFields: DataFields): Buffer {
  const mark = begin.separator.charCodeAt(0);
  const all = Buffer.from(bytes);
  for (let i = all.indexOf(mark); i !== -1; i = all.indexOf(mark, i + 1)) all[i] = 1;
  if (addsUp(all)) return all;
  const walked = fieldsOf(
    text.slice(begin.from, end),
    { ...begin, from: 0, headEnd: begin.headEnd - begin.from },
    true,
    dataFields,
  );
  if ('wait' in walked || !walked.isWhole || walked.bytes.length !== all.length) return all;
  const kept = walked.bytes;
  if (addsUp(kept)) return kept;
  for (const [start, stop] of walked.data) {
    const inside = all.subarray(start, stop);
    const other = Buffer.concat([kept.subarray(0, start), inside, kept.subarray(stop)]);
    if (addsUp(other)) return other;
  }
  return kept;
}

/** A message cut into its fields, as far as it goes. */
export interface Walked extends FramedText {
  /** Whether it ends in a CheckSum(10). */
  readonly isWhole: boolean;
  /** Where values of data lie in the bytes, by their Length fields. */
  readonly data: readonly (readonly [start: number, end: number])[];
}

/** The value of a data field, and where it ends in the text. */
interface Data {
  readonly end: number;
  readonly value: string;
}

/** Beginning of another message; no data ends so. */
const BEGIN_STRING = /8=FIXT?\.\d\.\d(?:SP\d)?$/;
const BEGIN_STRING_CHARACTERS_MAX = 16;
/** Most characters that stand for one, and separators behind which data is looked for. */
const ESCAPED_CHARACTERS_MAX = 8;
const DATA_ENDS_MAX = 256;

const TAG = /([1-9]\d{0,8})=/y;
const TRAILER = /10=(\d{1,3})/y;

/**
 * The fields from a beginning on, up to the CheckSum(10), the line's end or the beginning of another message. A Length field that
 * leads to a separator bounds its data, which may hold all of these.
 */
export function fieldsOf(
  text: string,
  begin: Begin,
  isEnd: boolean,
  dataFields: DataFields,
  escapes: Escapes | null = null,
): Walked | Wait {
  return new FieldWalk(text, begin, isEnd, dataFields, escapes).run();
}

/** How values are escaped; data may be as it was all the same. */
export interface Escapes {
  readonly way: Way;
  readonly isDataEscaped: boolean;
}

class FieldWalk {
  private readonly text: string;
  private readonly begin: Begin;
  private readonly isEnd: boolean;
  private readonly dataFields: DataFields;
  private readonly escapes: Escapes | null;
  private readonly data: (readonly [number, number])[] = [];
  private out: string;
  private at: number;
  private limit = 0;
  private isBroken = false;

  constructor(text: string, begin: Begin, isEnd: boolean, dataFields: DataFields, escapes: Escapes | null) {
    this.escapes = escapes;
    this.text = text;
    this.begin = begin;
    this.isEnd = isEnd;
    this.dataFields = dataFields;
    this.out = text.slice(begin.from, begin.headEnd - begin.separator.length) + SOH;
    this.at = begin.headEnd;
    this.limitFrom(this.at);
  }

  run(): Walked | Wait {
    const { text } = this;
    const { separator, from } = this.begin;
    let dataTag = 0;
    let dataLength = 0;
    while (this.at < this.limit) {
      TAG.lastIndex = this.at;
      const tag = Number(TAG.exec(text)?.[1] ?? 0);
      const valueAt = tag === 0 ? this.at : TAG.lastIndex;
      if (tag === 10) {
        const trailer = this.trailer();
        if (trailer !== null) return trailer;
      }
      let bounded: Data | null = null;
      if (tag !== 0 && tag === dataTag) {
        const needed = valueAt + dataLength + separator.length + 2;
        if (needed > text.length && !this.isEnd && needed - from <= MESSAGE_CHARACTERS_MAX) return { wait: needed };
        bounded = this.dataAt(valueAt, dataLength);
        if (bounded === null && this.goesOnBehind(valueAt, dataLength)) return this.cutInData();
      }
      const end = bounded?.end ?? separatorIn(text, separator, valueAt, this.limit);
      this.out += text.slice(this.at, valueAt);
      if (bounded === null) this.out += this.plain(text.slice(valueAt, end));
      else {
        this.data.push([this.out.length, this.out.length + dataLength]);
        this.out += bounded.value;
        if (end >= this.limit) this.limitFrom(end);
      }
      if (end === this.limit) return this.cut(end);
      this.out += SOH;
      this.at = end + (text.startsWith(separator, end) ? separator.length : withoutBlank(separator).length);
      if (this.at > this.limit) this.at = this.limit;
      dataTag = this.dataFields.dataTagOf(tag);
      dataLength = dataTag === 0 ? 0 : lengthIn(text.slice(valueAt, end));
      if (dataLength === -1) dataTag = 0;
    }
    return this.cut(this.at);
  }

  /** The CheckSum(10) at hand ends the message: digits that go on are the value of something else. */
  private trailer(): Walked | null {
    const { text } = this;
    const { separator } = this.begin;
    TRAILER.lastIndex = this.at;
    const digits = TRAILER.exec(text)?.[1];
    if (digits === undefined) return null;
    const end = TRAILER.lastIndex;
    const behind = behindLast(text, separator, end);
    const next = text[end] ?? '';
    const isLast = digits.length === 3 && (!/[\w.]/.test(next) || TOUCHES.test(text.slice(end, end + 12)));
    if (behind === end && !isLast) return null;
    const bytes = bytesOf(`${this.out}10=${digits}${SOH}`);
    return { end: behind, bytes, isWhole: true, data: this.data };
  }

  /** Data of this length, if a field follows it; what it holds may be longer in the text. */
  private dataAt(from: number, length: number): Data | null {
    const { text, escapes } = this;
    const { separator } = this.begin;
    const isEnd = (at: number): boolean =>
      text.startsWith(separator, at) &&
      fieldFollows(text, at + separator.length) &&
      !BEGIN_STRING.test(text.slice(Math.max(from, at - BEGIN_STRING_CHARACTERS_MAX), at));
    const asItIs = isEnd(from + length) ? { end: from + length, value: text.slice(from, from + length) } : null;
    if (asItIs !== null && escapes?.isDataEscaped !== true && !this.isEscaped(asItIs.value)) return asItIs;
    // A string of a programming language has no line ends.
    const lineEnd = separator.startsWith('\\') ? text.indexOf('\n', from) : -1;
    const furthest = from + length * ESCAPED_CHARACTERS_MAX;
    const longest = text.slice(from, lineEnd === -1 ? furthest : Math.min(lineEnd, furthest));
    const ways = escapes === null ? waysOf(separator, longest) : [escapes.way];
    if (separator.length === 1 && escapes === null && ways.length === PLAIN_WAYS) return null;
    let tried = 0;
    for (let at = text.indexOf(separator, from); at !== -1; at = text.indexOf(separator, at + 1)) {
      if (at - from > longest.length || tried++ > DATA_ENDS_MAX) break;
      if (at - from < length || !isEnd(at)) continue;
      for (const way of ways) {
        const value = plainOf(text.slice(from, at), way).text.replaceAll(
          separator,
          separator.length === 1 ? separator : SOH,
        );
        if (value.length === length) return { end: at, value };
      }
    }
    return escapes === null ? null : asItIs;
  }

  /** Whether data that is as long as it says holds escapes of the kind of the separator: then it goes on, unless a message proves it. */
  private isEscaped(value: string): boolean {
    const { separator } = this.begin;
    if (this.escapes !== null || separator.length === 1) return false;
    const ways = waysOf(separator, separator).slice(PLAIN_WAYS);
    return ways.some((way) => plainOf(value, way).text.length < value.length);
  }

  /** Whether data of this length is longer than what its line has: what looks like fields in it, or like a message, is data. */
  private goesOnBehind(from: number, length: number): boolean {
    const { text } = this;
    const { separator } = this.begin;
    const lineEnd = text.indexOf('\n', from);
    const line = text.slice(from, lineEnd === -1 ? text.length : lineEnd);
    const rest = separator.startsWith('\\') ? line.replace(/(?<!\\)".*$/s, '') : line;
    // Another writer puts its time in front of what it writes.
    if (this.isBroken && STAMPED.test(rest.slice(0, this.limit - from))) return false;
    // Behind data there is at least a CheckSum(10).
    const least = length + 7;
    if (rest.length < least) return true;
    if (rest.length > least * ESCAPED_CHARACTERS_MAX) return false;
    return waysOf(separator, rest).some((way) => plainOf(rest, way).text.length < least);
  }

  private cutInData(): Walked | Wait {
    const { text } = this;
    const lineEnd = text.indexOf('\n', this.at);
    if (lineEnd === -1 && !this.isEnd) return { wait: 0 };
    const end = lineEnd === -1 ? text.length : lineEnd;
    // Without an SOH at its end it looks like no message that has one.
    const rest = text.slice(this.at, end).replace(/\r$/, '');
    const bytes = bytesOf(this.out + (rest.endsWith(SOH) ? rest.slice(0, -1) : rest));
    return { end, bytes, isWhole: false, data: this.data };
  }

  private plain(value: string): string {
    return this.escapes === null ? value : plainOf(value, this.escapes.way).text;
  }

  /** The next line end, or beginning of a message of the same kind. */
  private limitFrom(from: number): void {
    const { text } = this;
    const lineEnd = text.indexOf('\n', from);
    this.limit = lineEnd === -1 ? text.length : lineEnd;
    this.isBroken = false;
    for (let at = nextBegin(text, from); at !== -1 && at < this.limit; at = nextBegin(text, at + 1)) {
      const other = beginAt(text, at);
      if (other?.separator !== this.begin.separator || !text.startsWith('9=', other.headEnd)) continue;
      this.limit = at;
      this.isBroken = true;
    }
  }

  private cut(end: number): Walked | Wait {
    const { text, isBroken } = this;
    if (!isBroken && !this.isEnd && text[this.limit] !== '\n') return { wait: 0 };
    // A line that ends in CR and LF does so behind the separator too.
    const bytes = bytesOf(this.out.replace(/\r$/, ''));
    return { end, bytes, isWhole: false, data: this.data };
  }
}

/** A time at the end of a text, and a word or mark of a log behind it. */
const STAMPED = /\d\d:\d\d:\d\d(?:[.,]\d{1,9})?[^\d=]{0,64}$/;

/** Text that may touch the last digit of a CheckSum(10): the time of another writer, or its message. */
const TOUCHES = /^(?:\d{4}-\d\d-\d\d|\d{8}-\d\d|\d{4}\/\d\d\/\d\d|8=FIX)/;

/** The value of a Length field; -1 if it is none. */
function lengthIn(value: string): number {
  return /^\d{1,7}$/.test(value) ? Number(value) : -1;
}
