// A message that another writer of the same log broke: what came between its pieces, whole messages, times, line ends, is taken out.
// A message is put together only if BodyLength(9) and CheckSum(10) prove it; leaves what is no message to the caller.

import { type DataFields, viewOf } from '../../wire/mod.ts';
import { addsUp, behindLast, bytesOf, checkSumIsAt, plainMessage, statedBody, type Wait } from './log-frame.ts';
import { type Begin, beginAt, nextBegin, SOH } from './log-separator.ts';
import { STAMP_BEGIN } from './log-time.ts';

/** How far the pieces of a message may lie apart in all, and how many whole messages may stand between them. */
const BETWEEN_CHARACTERS_MAX = 8192;
const BETWEEN_MESSAGES_MAX = 16;
/** How many ways to cut something out are tried. */
const CUTS_MAX = 64;
/** Longest message that is put together. */
const TORN_CHARACTERS_MAX = 65_536;

/** A message put together: its bytes, and the text with what stood between its pieces in place of it. */
export interface Mended {
  readonly bytes: Buffer;
  /** The text between, and everything behind. */
  readonly rest: string;
}

/** Put together the message that begins here; null if nothing proves it. */
export function tornMessage(text: string, begin: Begin, isEnd: boolean, dataFields: DataFields): Mended | Wait | null {
  const body = statedBody(text, begin);
  if (body === null || body.length > TORN_CHARACTERS_MAX) return null;
  const { separator, from } = begin;
  const headLength = body.start - from;
  const windowEnd = from + (headLength + body.length + 7) * separator.length + BETWEEN_CHARACTERS_MAX;
  if (windowEnd > text.length && !isEnd) return { wait: windowEnd };
  const window = text.slice(from, windowEnd);
  const isPlain = separator.length === 1;
  const plain = isPlain ? window : window.replaceAll(separator, SOH);
  const mark = isPlain ? separator : SOH;
  const length = headLength - (isPlain ? 0 : 2 * (separator.length - 1)) + body.length + 6;
  const { pieces, left } = withoutMessages(plain, dataFields);
  const found = contiguous(left, mark, length) ?? withOneCut(left, mark, length) ?? withoutLineEnds(left, mark, length);
  if (found === null || !isOfFields(found.bytes, dataFields)) return null;
  return { bytes: found.bytes, rest: found.between + pieces.join('') + found.behind + text.slice(windowEnd) };
}

/** The text without the whole messages behind its first beginning, their times and line ends; and these. */
function withoutMessages(text: string, dataFields: DataFields): { pieces: readonly string[]; left: string } {
  const pieces: string[] = [];
  let left = '';
  let from = 0;
  for (let at = nextBegin(text, 1); at !== -1 && pieces.length < BETWEEN_MESSAGES_MAX; at = nextBegin(text, at + 1)) {
    const begin = beginAt(text, at);
    const message = begin === null ? null : plainMessage(text, begin, true, dataFields);
    if (message === null || 'wait' in message || !addsUp(message.bytes)) continue;
    const before = text.slice(from, at);
    const stamped = [...before.matchAll(STAMP_BEGIN)].at(-1)?.index ?? before.length;
    // A time with fields behind it is of another message.
    const own = before.slice(stamped).includes('=') ? before.length : stamped;
    const stamp = /[<[(]/.test(before[own - 1] ?? '') ? own - 1 : own;
    const behind = /\r?\n/y;
    behind.lastIndex = message.end;
    const end = behind.test(text) ? behind.lastIndex : message.end;
    left += before.slice(0, stamp);
    pieces.push(before.slice(stamp) + text.slice(at, end));
    from = end;
    at = end - 1;
  }
  return { pieces, left: left + text.slice(from) };
}

interface Found {
  readonly bytes: Buffer;
  /** Text that stood in the message, and the text behind it. */
  readonly between: string;
  readonly behind: string;
}

function contiguous(text: string, mark: string, length: number): Found | null {
  const bytes = proven(text.slice(0, length), mark);
  return bytes === null ? null : { bytes, between: '', behind: text.slice(behindLast(text, mark, length)) };
}

/** One piece is cut out that begins with a time, a message or a line end, so that a CheckSum(10) ends what is left. */
function withOneCut(text: string, mark: string, length: number): Found | null {
  const starts = cutsIn(text.slice(0, length));
  let tried = 0;
  for (let at = text.indexOf(`${mark}10=`); at !== -1; at = text.indexOf(`${mark}10=`, at + 1)) {
    const end = at + 7;
    const cut = end - length;
    if (cut <= 0 || !checkSumIsAt(text, mark, at)) continue;
    for (const start of starts) {
      if (start + cut > end || !mayStandBetween(text.slice(start, start + cut)) || tried++ > CUTS_MAX) continue;
      const bytes = proven(text.slice(0, start) + text.slice(start + cut, end), mark);
      if (bytes === null) continue;
      const behind = text.slice(behindLast(text, mark, end));
      return { bytes, between: text.slice(start, start + cut), behind };
    }
  }
  return null;
}

/** Line ends alone, or what another writer wrote up to its own line end: several lines are not within one write. */
function mayStandBetween(text: string): boolean {
  const lineEnd = text.indexOf('\n');
  return lineEnd === -1 || lineEnd === text.length - 1 || text.trim() === '';
}

/** Where something that is not the message's own may begin in it. */
function cutsIn(text: string): number[] {
  const starts = [...text.matchAll(STAMP_BEGIN)].flatMap(({ index }) =>
    /[<[(]/.test(text[index - 1] ?? '') ? [index - 1, index] : [index],
  );
  for (let at = nextBegin(text, 1); at !== -1; at = nextBegin(text, at + 1)) starts.push(at);
  for (const { index } of text.matchAll(/\r?\n/g)) starts.push(index);
  return starts;
}

/** A terminal or a mail broke its lines. */
function withoutLineEnds(text: string, mark: string, length: number): Found | null {
  let [left, from] = ['', 0];
  for (const found of text.matchAll(/\r?\n[ \t]*/g)) {
    left += text.slice(from, found.index);
    from = found.index + found[0].length;
    if (left.length >= length) break;
    const missing = length - left.length;
    const next = text.indexOf('\n', from);
    if (next === -1 || next - from >= missing) {
      left += text.slice(from, from + missing);
      const bytes = proven(left, mark);
      const end = from + missing;
      return bytes === null ? null : { bytes, between: '', behind: text.slice(behindLast(text, mark, end)) };
    }
  }
  return null;
}

/** The bytes of a message if they add up. */
function proven(text: string, mark: string): Buffer | null {
  if (!checkSumIsAt(text, mark, text.length - 7)) return null;
  const bytes = bytesOf((mark === SOH ? text : text.replaceAll(mark, SOH)) + SOH);
  return addsUp(bytes) ? bytes : null;
}

/** A sum of three digits proves little by itself. */
function isOfFields(bytes: Buffer, dataFields: DataFields): boolean {
  const view = viewOf(bytes, dataFields);
  if (view === null) return false;
  for (let i = 0; i < view.fieldCount; i++) if (view.tagAt(i) === 0) return false;
  return true;
}
