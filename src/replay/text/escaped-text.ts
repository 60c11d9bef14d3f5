// Messages that a log wrote in an escaped form. A message is read so only if BodyLength(9) and CheckSum(10) prove it. Leaves the escapes
// themselves to log-escape.ts.

import type { DataFields } from '../../wire/mod.ts';
import { PLAIN_WAYS, plainOf, separators, type Way, waysOf } from './log-escape.ts';
import {
  addsUp,
  behindLast,
  bytesOf,
  checkSumIsAt,
  type FramedText,
  fieldsOf,
  MESSAGE_CHARACTERS_MAX,
  missingIn,
  statedBody,
  type Wait,
} from './log-frame.ts';
import { type Begin, beginAt, SOH } from './log-separator.ts';

/** Most characters that stand for one, as in `\\\\u0001`. */
const ESCAPE_CHARACTERS_MAX = 8;

/** The message at a beginning if some way to undo escapes proves it: all at once within its line, else field by field. */
export function escapedMessage(
  text: string,
  begin: Begin,
  isEnd: boolean,
  dataFields: DataFields,
): FramedText | Wait | null {
  const { from, separator } = begin;
  const body = statedBody(text, begin);
  if (body === null || body.length > MESSAGE_CHARACTERS_MAX) return null;
  const lineEnd = text.indexOf('\n', from);
  const isOpen = lineEnd === -1 && !isEnd;
  if (isOpen && (separator.length > 1 || waysOf(separator, text.slice(from)).length > PLAIN_WAYS)) return { wait: 0 };
  if (isOpen) return null;
  const longest = body.start + (body.length + 8) * ESCAPE_CHARACTERS_MAX;
  const line = text.slice(from, Math.min(lineEnd === -1 ? text.length : lineEnd, longest));
  const ways = waysOf(separator, line);
  const isPlain = separator.length === 1 && ways.length === PLAIN_WAYS;
  const inLine = isPlain ? null : provenIn(line, separator, ways);
  if (inLine !== null) return { end: behindLast(text, separator, from + inLine.end), bytes: inLine.bytes };
  // Data may hold what stands for SOH as it is, and line ends.
  const needed = body.start + (body.length + 8) * Math.max(2, separator.length);
  const mayGoOn = lineEnd !== -1 && needed - from <= MESSAGE_CHARACTERS_MAX;
  const lines = mayGoOn ? text.slice(from, needed) : line;
  const isLonger = lines.length > line.length;
  const linesWays = isLonger ? waysOf(separator, lines) : ways;
  const proven = isPlain && linesWays.length === PLAIN_WAYS ? null : byFields(text, begin, linesWays, dataFields);
  if (proven !== null || !mayGoOn || isEnd || text.length >= needed || isPlain) return proven;
  return { wait: needed };
}

function byFields(text: string, begin: Begin, ways: readonly Way[], dataFields: DataFields): FramedText | null {
  let asLong: FramedText | null = null;
  for (const way of ways) {
    for (const isDataEscaped of [false, true]) {
      const walked = fieldsOf(text, begin, true, dataFields, { way, isDataEscaped });
      if ('wait' in walked || !walked.isWhole || missingIn(walked.bytes) !== 0) continue;
      if (addsUp(walked.bytes)) return walked;
      // Data may have held both SOH and what stands for it, which a sum cannot tell apart.
      if (walked.data.length > 0) asLong ??= walked;
    }
  }
  return asLong;
}

function provenIn(text: string, separator: string, ways: readonly Way[]): FramedText | null {
  for (const way of ways) {
    const plain = plainOf(text, way);
    const begin = beginAt(plain.text, 0);
    if (begin === null || (begin.separator !== SOH && begin.separator !== separator)) continue;
    const marked = begin.separator === SOH ? plain : separators(separator)(plain);
    const head = beginAt(marked.text, 0);
    const body = head?.separator === SOH ? statedBody(marked.text, head) : null;
    if (body === null) continue;
    const end = body.start + body.length + 6;
    if (end > marked.text.length || !checkSumIsAt(marked.text, SOH, end - 7)) continue;
    const bytes = bytesOf(marked.text.slice(0, end) + SOH);
    if (addsUp(bytes)) return { end: marked.offsets[end]!, bytes };
  }
  return null;
}
