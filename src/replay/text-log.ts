// Finds FIX messages in text: file logs of QuickFIX engines, our own output, lines copied from anywhere. Fields are
// separated by SOH or by what logs and consoles write for it; whatever stands before and after a message is a prefix that
// may hold its time.

import { type EpochMs, parseTime } from '../base/time.ts';
import { DataFields, fromPrintable } from '../wire/mod.ts';
import { type LoggedMessage, loggedMessage } from './logged-message.ts';

/** Longest text that is searched for the end of a line or of a message. */
const PENDING_CHARACTERS_MAX = 1_048_576;

const SOH = '\u0001';
/** A CheckSum(10) between two SOH, and how many characters of it may have come before a chunk. */
const TRAILER = new RegExp(`${SOH}10=\\d{3}${SOH}`);
const TRAILER_CHARACTERS = 7;
const TAB = '\t';
/**
 * Marks for SOH: escapes of programming languages, JSON and XML, the picture of SOH (here the three bytes of its
 * UTF-8), marks of log viewers. A message keeps to the one behind its BeginString(8).
 */
const SEPARATORS = [
  SOH,
  '|',
  ';',
  '^A',
  '<SOH>',
  '<soh>',
  '[SOH]',
  '%01',
  '\\\\u0001',
  '\\x01',
  '\\u0001',
  '\\001',
  '#001',
  '&#1;',
  '&#x1;',
  '\u00e2\u0090\u0081',
];
/** Marks for SOH only before a field: elsewhere a tab ends a column of a table, and the others are part of a value. */
const BEFORE_FIELD = ['^', '~'];
const MARKS = SEPARATORS.map((one) => one.replace(/[\\^|[\]]/g, '\\$&')).join('|');
/** With a blank behind, and maybe one before, as people and viewers set them, it is one only where a field follows. */
const BEGIN = new RegExp(
  `(?<!\\d)8=FIXT?\\.\\d\\.\\d( ?(?:${MARKS}|[\\^~]) (?=\\d+=)|${MARKS}|[${TAB}^~](?=\\d+=))`,
  'g',
);
/** The beginning of a message with other text between its fields. */
const OTHER_BEGIN = /(?<!\d)8=FIXT?\.\d\.\d([^\r\n]{1,8}?)9=\d/;
/** The separators in words, for people. */
const SEPARATORS_READ =
  'SOH, tab, |, ;, ^, ~, ^A, <SOH>, [SOH] and the escapes of SOH in JSON, XML, URLs and programming languages, with blanks around them or not';
/** FIX's own, ISO 8601 and what is like it, the one of Go's log package among them; with or without a distance from UTC. */
const STAMPS =
  /(?<!\d)(?:\d{8}-\d\d:\d\d:\d\d(?:\.\d{3,12})?|\d{4}([-/])\d\d\1\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(?!\d)(?: ?[+-]\d\d:?\d\d(?!\d))?/g;
const ZONE = / ?([+-])(\d\d):?(\d\d)$/;

/** Reads a log chunk by chunk; text is latin1, one character per byte. */
export class TextLogReader {
  private pending = '';
  /**
   * Text since the last search of `pending`, and its last characters: searched together once a line or message may end.
   */
  private unsearched = '';
  private carry = '';
  /** Where the next message of `pending` begins; beyond its end if none does. */
  private beginAt = 0;
  /** Time of the last line that held no message: screen logs put it on a line before. */
  private stampBefore: EpochMs | null = null;
  /** Whether messages of the line that has not ended were read already. */
  private begun = false;
  /** Characters that a message of what is pending needs by its BodyLength(9), 0 if all are there; whether nothing more comes. */
  private waitsFor = 0;
  private ended = false;
  /** Text between the fields of the first unread message, and the number of lines with such messages alone. */
  private otherSeparator: string | null = null;
  private linesUnread = 0;
  private readonly dataFields: DataFields;

  /** `dataFields`: of the sessions of the messages in the text. */
  constructor(dataFields: DataFields = DataFields.STANDARD) {
    this.dataFields = dataFields;
  }

  /** Messages that are whole with this chunk, in order. */
  push(chunk: string): LoggedMessage[] {
    this.unsearched += chunk;
    if (!this.ended && !this.mayEnd(chunk)) return [];
    this.pending += this.unsearched;
    this.unsearched = '';
    this.beginAt = -1;
    const messages: LoggedMessage[] = [];
    let from = 0;
    for (let end = this.lineEnd(from); end !== -1; end = this.lineEnd(from)) {
      this.line(this.pending.slice(from, end), messages);
      this.begun = false;
      from = end + 1;
    }
    this.pending = this.pending.slice(from);
    if (this.waitsFor > 0) this.waitsFor -= from;
    const whole = this.waitsFor > 0 ? 0 : endOfWhole(this.pending);
    if (whole > 0) {
      // Bytes from a wire have no line ends, and are read as they come.
      this.line(this.pending.slice(0, whole), messages);
      this.begun = true;
      this.pending = this.pending.slice(whole);
    }
    if (this.pending.length > PENDING_CHARACTERS_MAX) {
      // A capture without line ends: everything but a message that may still be under way is read.
      const cut = lastBegin(this.pending);
      this.line(this.pending.slice(0, cut), messages);
      this.pending = this.pending.length - cut > PENDING_CHARACTERS_MAX ? '' : this.pending.slice(cut);
    }
    return messages;
  }

  /** Text after the last line end. */
  end(): LoggedMessage[] {
    this.ended = true;
    const messages = this.push('');
    this.line(this.pending, messages);
    this.pending = '';
    return messages;
  }

  /** Whether with this chunk a line or a message may be whole: what cannot be is not searched again and again. */
  private mayEnd(chunk: string): boolean {
    const length = this.pending.length + this.unsearched.length;
    const text = this.carry + chunk;
    this.carry = text.slice(-TRAILER_CHARACTERS);
    if (length > PENDING_CHARACTERS_MAX) return true;
    if (this.waitsFor > 0) return length >= this.waitsFor;
    return text.includes('\n') || TRAILER.test(text);
  }

  /** Where the line that begins at `from` ends, line ends in a message's values passed over; -1 if that is still to come. */
  private lineEnd(from: number): number {
    const { pending } = this;
    this.waitsFor = 0;
    let end = pending.indexOf('\n', from);
    if (this.beginAt < from) this.beginAt = beginIn(pending, from);
    for (let at = this.beginAt; at < end; ) {
      const stated = statedEnd(pending, at);
      const goesOn = stated !== null && stated.bodyEnd > end && stated.end - from <= PENDING_CHARACTERS_MAX;
      if (goesOn && stated.end > pending.length && !this.ended) {
        this.waitsFor = stated.end;
        return -1;
      }
      if (stated?.isThere) {
        at = stated.end;
        if (at > end) end = pending.indexOf('\n', at);
      } else at += 1;
      at = beginIn(pending, at);
    }
    return end;
  }

  /** How many lines with messages were passed over so far, and why, in words; null if none was. */
  get unread(): string | null {
    if (this.linesUnread === 0) return null;
    const lines =
      this.linesUnread === 1 ? 'a line with FIX in it is' : `${this.linesUnread} lines with FIX in them are`;
    const between = JSON.stringify(this.otherSeparator);
    return `${lines} not read: fields separated by ${between}, which may stand in a value too; what is read: ${SEPARATORS_READ}`;
  }

  private line(line: string, messages: LoggedMessage[]): void {
    const found = messages.length;
    BEGIN.lastIndex = 0;
    let prefixFrom = 0;
    for (let begin = BEGIN.exec(line); begin !== null; begin = BEGIN.exec(line)) {
      const end = endOfMessage(line, begin.index, begin[1]!);
      const stamp = lastStamp(line.slice(prefixFrom, begin.index)) ?? this.stampBefore;
      messages.push(
        loggedMessage(
          toBytes(line.slice(begin.index, end), begin[1]!),
          { at: stamp, session: null, counted: true, note: '' },
          this.dataFields,
        ),
      );
      prefixFrom = end;
      BEGIN.lastIndex = end;
    }
    if (messages.length > found) {
      this.stampBefore = null;
      return;
    }
    if (!this.begun) this.stampBefore = lastStamp(line);
    const other = OTHER_BEGIN.exec(line)?.[1] ?? null;
    if (other === null) return;
    this.linesUnread++;
    this.otherSeparator ??= other;
  }
}

/** Offset behind the last CheckSum(10) between two SOH, which ends a message; 0 if there is none. */
function endOfWhole(text: string): number {
  const at = text.lastIndexOf(`${SOH}10=`);
  return at !== -1 && /^\d{3}$/.test(text.slice(at + 4, at + 7)) && text[at + 7] === SOH ? at + 8 : 0;
}

const STATED = /8=FIXT?\.\d\.\d(.)9=(\d{1,7})\1/sy;

/**
 * Where the body and the CheckSum of the message at `from` end by its BodyLength(9), and whether a CheckSum is there; null if it
 * has none, or its separator is no single character.
 */
function statedEnd(text: string, from: number): { bodyEnd: number; end: number; isThere: boolean } | null {
  STATED.lastIndex = from;
  const [head, separator, bodyLength] = STATED.exec(text) ?? [];
  if (head === undefined) return null;
  const bodyEnd = from + head.length + Number(bodyLength);
  const checkSum = text.slice(bodyEnd - 1, bodyEnd + 6);
  const isThere = checkSum.startsWith(`${separator}10=`) && /\d{3}$/.test(checkSum);
  return { bodyEnd, end: bodyEnd + 6, isThere };
}

/** Offset behind the CheckSum of the message, or the end of the line if it has none. */
function endOfMessage(line: string, from: number, separator: string): number {
  const stated = statedEnd(line, from);
  if (stated?.isThere) return line.startsWith(separator, stated.end) ? stated.end + separator.length : stated.end;
  for (let at = line.indexOf(`${separator}10=`, from); at !== -1; at = line.indexOf(`${separator}10=`, at + 1)) {
    let end = at + separator.length + 3;
    const digits = /^\d{1,3}/.exec(line.slice(end, end + 3));
    if (digits === null) continue;
    end += digits[0].length;
    const rest = line.slice(end, end + separator.length);
    // A value that begins like a CheckSum goes on after its digits.
    if (rest === separator) return end + separator.length;
    // Nothing follows the last one, not even its blank.
    const last = withoutBlank(separator);
    if (rest.startsWith(last)) return end + last.length;
    if (!/^\d/.test(rest)) return end;
  }
  return line.replace(/\r$/, '').length;
}

function toBytes(text: string, separator: string): Uint8Array {
  if (separator === '|' || separator === '^A') return fromPrintable(text);
  if (BEFORE_FIELD.includes(separator))
    return asBytes(text.replace(/[\^~](?=\d+=|$)/g, (mark) => (mark === separator ? SOH : mark)));
  const last = withoutBlank(separator);
  if (separator === SOH) return bytesOf(text);
  if (last === separator) return asBytes(text.replaceAll(separator, SOH));
  const [first, ...parts] = (text.endsWith(last) ? text.slice(0, -last.length) : text).split(separator);
  return asBytes(parts.reduce((whole, part) => `${whole}${/^(?:\d+=|$)/.test(part) ? SOH : separator}${part}`, first!));
}

/** The separator behind the last field of a message. */
const withoutBlank = (separator: string): string => separator.replace(/ $/, '');

/** Between other separators a `|` is part of a value. */
function asBytes(plain: string): Uint8Array {
  return plain.includes('|') || plain.includes('^A') ? bytesOf(plain) : fromPrintable(plain);
}

function bytesOf(plain: string): Uint8Array {
  return Buffer.from(plain.endsWith(SOH) ? plain : plain + SOH, 'latin1');
}

/** Where a message may begin; beyond the end of the text if none does. */
function beginIn(text: string, from: number): number {
  const at = text.indexOf('8=FIX', from);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

function lastBegin(text: string): number {
  const at = text.lastIndexOf('8=FIX');
  return at <= 0 ? text.length : at;
}

/** The last time in a prefix. One without a zone is taken as UTC, as FIX logs are. */
function lastStamp(prefix: string): EpochMs | null {
  const stamp = prefix.match(STAMPS)?.at(-1);
  if (stamp === undefined) return null;
  const [zone = '', sign, hours, minutes] = ZONE.exec(stamp) ?? [];
  const local = parseTime(stamp.slice(0, stamp.length - zone.length).replaceAll('/', '-'));
  if (local === null || sign === undefined) return local;
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return sign === '+' ? local - offsetMs : local + offsetMs;
}
