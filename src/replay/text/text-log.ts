// Finds FIX messages in text: file logs of QuickFIX engines, our own output, lines copied from anywhere. Fields are
// separated by SOH or by what logs and consoles write for it; whatever stands before and after a message is a prefix that
// may hold its time.

import { DataFields } from '../../wire/mod.ts';
import { type LoggedMessage, loggedMessage } from '../logged-message.ts';
import { escapedMessage } from './escaped-text.ts';
import {
  addsUp,
  fieldsOf,
  MESSAGE_CHARACTERS_MAX,
  missingIn,
  plainMessage,
  type Wait,
  type Walked,
} from './log-frame.ts';
import { BEGIN_CHARACTERS_MAX, type Begin, beginAt, nextBegin, SOH } from './log-separator.ts';
import { LogTimes, timeInJson } from './log-time.ts';
import { tornMessage } from './torn-message.ts';
import { UnreadLines } from './unread-lines.ts';

/** Longest text that is held while a message or line may go on. */
const PENDING_CHARACTERS_MAX = MESSAGE_CHARACTERS_MAX;
/** Of a line without a message that has not ended, as much as may hold the time of one. */
const PREFIX_CHARACTERS_MAX = 16_384;
/** So much of a line behind a message may say its time. */
const REST_CHARACTERS_MAX = 2048;
/** Messages in a row that share a row of times. */
const FOLLOWERS_MAX = 15;

/** A CheckSum(10) between two SOH, and how many characters of it may have come before a chunk. */
const TRAILER = new RegExp(`${SOH}10=\\d{3}${SOH}`);
const TRAILER_CHARACTERS = 7;

/** A message that was found: its bytes, where the text behind it begins, and that text if it is no longer as it was. */
interface Found {
  readonly bytes: Buffer;
  readonly end: number;
  readonly rest?: string;
}

/** Reads a log chunk by chunk; text is latin1, one character per byte. */
export class TextLogReader {
  /** Lines and messages that were passed over, and messages that were cut. */
  readonly unread = new UnreadLines();
  private text = '';
  /** Text since the last search, and its last characters: searched together once a line or message may end. */
  private unsearched = '';
  private carry = '';
  /** Characters that have to be there before a message can end, 0 if a line end or a CheckSum(10) is enough. */
  private waitsFor = 0;
  private ended = false;
  private readonly times = new LogTimes();
  /** Number of the line at hand, and whether messages of it were read. */
  private line = 1;
  private begun = false;
  private readonly dataFields: DataFields;

  /** `dataFields`: of the sessions of the messages in the text. */
  constructor(dataFields: DataFields = DataFields.STANDARD) {
    this.dataFields = dataFields;
  }

  /** Messages that are whole with this chunk, in order. */
  push(chunk: string): LoggedMessage[] {
    this.unsearched += chunk;
    if (!this.ended && !this.mayEnd(chunk)) return [];
    this.text += this.unsearched;
    this.unsearched = '';
    const messages: LoggedMessage[] = [];
    this.search(messages);
    return messages;
  }

  /** Text after the last line end. */
  end(): LoggedMessage[] {
    this.ended = true;
    const messages = this.push('');
    this.beside(this.text);
    this.text = '';
    return messages;
  }

  /** Whether with this chunk a line or a message may be whole: what cannot be is not searched again and again. */
  private mayEnd(chunk: string): boolean {
    const length = this.text.length + this.unsearched.length;
    const text = this.carry + chunk;
    this.carry = text.slice(-TRAILER_CHARACTERS);
    if (length > PENDING_CHARACTERS_MAX) return true;
    if (this.waitsFor > 0) return length >= this.waitsFor;
    return text.includes('\n') || TRAILER.test(text);
  }

  private search(messages: LoggedMessage[]): void {
    let from = 0;
    let at = nextBegin(this.text, 0);
    let wait: Wait | null = null;
    while (at !== -1) {
      const begin = beginAt(this.text, at);
      const found = begin === null ? null : this.message(begin);
      if (found !== null && 'wait' in found) {
        wait = found;
        break;
      }
      if (found === null) {
        const mayBegin = begin === null && !this.ended && at + BEGIN_CHARACTERS_MAX > this.text.length;
        if (mayBegin) break;
        at = nextBegin(this.text, at + 1);
        continue;
      }
      this.beside(this.text.slice(from, at));
      const behind = found.rest ?? this.text;
      this.emit(found, behind, messages);
      if (found.rest === undefined) this.countLines(at, found.end);
      this.text = behind;
      from = found.end;
      at = nextBegin(behind, from);
    }
    this.keep(from, at, wait);
  }

  /** The message that begins there, whole, put together, or as much of it as there is; null if it is none. */
  private message(begin: Begin): Found | Wait | null {
    const { text, dataFields } = this;
    const isEnd = this.ended || text.length - begin.from > PENDING_CHARACTERS_MAX;
    // A string of JSON is on a line of its own, which may say the time behind it.
    const isInString = begin.separator.startsWith('\\');
    if (isInString && !isEnd && !text.includes('\n', begin.from)) return { wait: 0 };
    const isInNumber = begin.from > 0 && isDigit(text, begin.from - 1);
    // A blank of data may look like one of the separator behind it.
    const first = begin.separator.includes(' ') ? fieldsOf(text, begin, isEnd, dataFields) : null;
    if (first !== null && !('wait' in first) && first.isWhole && addsUp(first.bytes)) return first;
    const plain = plainMessage(text, begin, isEnd, dataFields);
    if (plain !== null) return isInNumber && !('wait' in plain) && !addsUp(plain.bytes) ? null : plain;
    const escaped = escapedMessage(text, begin, isEnd, dataFields);
    if (escaped !== null) return escaped;
    const walked = first ?? fieldsOf(text, begin, isEnd, dataFields);
    if ('wait' in walked) return walked;
    const torn = tornMessage(text, begin, isEnd || walked.isWhole, dataFields);
    if (torn === null) return isInNumber ? null : withoutDoubt(walked, text);
    return 'wait' in torn ? torn : { bytes: torn.bytes, end: 0, rest: torn.rest };
  }

  private emit({ bytes, end }: Found, behind: string, messages: LoggedMessage[]): void {
    const { times } = this;
    const isBehind = times.isUnknown && (behind[end] === '"' || behind[end] === '\\');
    const clear = isBehind
      ? timeInJson(restOfLine(behind, end))
      : times.isClear
        ? times.next(nothingSaid, noFollowers)
        : null;
    const context = { at: clear, session: null, counted: true, note: '' };
    let message = loggedMessage(bytes, context, this.dataFields);
    if (!times.isClear) {
      const { at: sendingTime, sender, target } = message;
      const at = times.next(
        () => ({ sendingTime, sender, target }),
        () => followersAt(behind, end, this.dataFields),
      );
      message = { ...message, at: at ?? sendingTime };
    }
    this.begun = true;
    if (message.isCutShort) this.unread.cutAt(this.line);
    messages.push(message);
  }

  /** Text between messages: the rest of a line with messages, whole lines without, and the prefix of the next message. */
  private beside(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', from)) {
      if (end > from) this.besideLine(text.slice(from, end));
      if (this.begun) this.times.lineEnds();
      this.begun = false;
      this.line++;
      from = end + 1;
    }
    if (from === text.length) return;
    const prefix = from === 0 ? text : text.slice(from);
    this.unread.look(prefix, this.line);
    this.times.prefix(prefix);
  }

  private besideLine(text: string): void {
    this.unread.look(text, this.line);
    if (!this.begun) this.times.line(text);
  }

  private countLines(from: number, to: number): void {
    const { text } = this;
    for (let at = text.indexOf('\n', from); at !== -1 && at < to; at = text.indexOf('\n', at + 1)) this.line++;
  }

  /** Hold what a message or line that has not ended needs; `at`: where a message may begin, or -1. */
  private keep(from: number, at: number, wait: Wait | null): void {
    const { text } = this;
    const lines = text.lastIndexOf('\n', at === -1 ? text.length : at) + 1;
    if (lines > from) this.beside(text.slice(from, lines));
    let kept = Math.max(from, lines);
    if (at === -1 && text.length - kept > PREFIX_CHARACTERS_MAX) {
      const trimmed = text.length - PREFIX_CHARACTERS_MAX / 2;
      this.unread.look(text.slice(kept, trimmed), this.line);
      kept = trimmed;
    }
    this.text = text.slice(kept);
    this.waitsFor = wait === null || wait.wait === 0 ? 0 : wait.wait - kept;
  }
}

/** A message that is shorter than it says and has data may have been cut in it: the CheckSum(10) at its end may be of the data. */
function withoutDoubt(walked: Walked, text: string): Found {
  const first = walked.data[0];
  if (first === undefined || !walked.isWhole || missingIn(walked.bytes) <= 0) return walked;
  const lineEnd = text.indexOf('\n', walked.end);
  return { bytes: walked.bytes.subarray(0, first[0]), end: lineEnd === -1 ? text.length : lineEnd };
}

const nothingSaid = () => ({ sendingTime: null, sender: '-', target: '-' });
const noFollowers = (): number => 0;

function restOfLine(text: string, from: number): string {
  const end = text.indexOf('\n', from);
  return text.slice(from, Math.min(end === -1 ? text.length : end, from + REST_CHARACTERS_MAX));
}

function isDigit(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x39;
}

/** How many whole messages follow with nothing but blanks and line ends between. */
function followersAt(text: string, from: number, dataFields: DataFields): number {
  const blanks = /\s*/y;
  let at = from;
  for (let count = 0; count < FOLLOWERS_MAX; count++) {
    blanks.lastIndex = at;
    blanks.test(text);
    const begin = beginAt(text, blanks.lastIndex);
    const message = begin === null ? null : plainMessage(text, begin, true, dataFields);
    if (message === null || 'wait' in message) return count;
    at = message.end;
  }
  return FOLLOWERS_MAX;
}
