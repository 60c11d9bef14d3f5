// Reads the part of a message that a log has: the beginning where a logger cuts long lines, or all but the middle. Finds
// the whole fields; half a value is no field.

import type { DataFields } from '../wire/mod.ts';

const SOH = '\u0001';
/** Three points or their picture, with what a logger writes behind them, or the word for it. */
const ELLIPSIS =
  /(?:\u00e2\u0080\u00a6|\.{3})[\])}>"' \t]*$|(?:\u00e2\u0080\u00a6|\.{3})["'\\]|[[(<]\s?(?:\.{3})?\s?(?:truncated|cut|snip)\b/i;

/** The whole fields of a message that was cut. */
export interface CutMessage {
  /** BeginString(8) first, without BodyLength(9) and CheckSum(10). */
  readonly fields: readonly string[];
  readonly note: string;
}

/** The rest of a message that does not frame, if it was cut; null if it is as long as it says, or says nothing. */
export function cutMessage(bytes: Uint8Array, dataFields: DataFields): CutMessage | null {
  const text = Buffer.from(bytes).toString('latin1');
  if (!text.startsWith('8=FIX')) return null;
  const fields = loggedFields(text, dataFields);
  const stated = statedLength(fields);
  const last = fields.at(-1)!;
  const half = fields.findIndex(({ text: field, isWhole }) => !isWhole || ELLIPSIS.test(field));
  if (isCheckSum(last)) {
    const body = fields.slice(2, -1).reduce((sum, { text: field }) => sum + field.length + 1, 0);
    if (stated === null || half === -1 || fields[half] === last || stated <= body) return null;
    return cutAs(fields.toSpliced(half, 1), fields[half]!, 'in its middle');
  }
  const isShort = stated !== null || (half !== -1 && ELLIPSIS.test(fields[half]!.text));
  if (!isShort) return null;
  return half === -1
    ? cutAs(fields, null, 'before its CheckSum(10)')
    : cutAs(fields.slice(0, half), fields[half]!, 'by its logger');
}

const isCheckSum = ({ tag, text, isWhole }: LoggedField): boolean => tag === 10 && isWhole && /^10=\d{1,3}$/.test(text);

/** Whether both BodyLength(9) and CheckSum(10) are left out, as people write messages. */
export function isShorthand(bytes: Uint8Array, dataFields: DataFields): boolean {
  const fields = loggedFields(Buffer.from(bytes).toString('latin1'), dataFields);
  return fields[1]?.tag !== 9 && fields.at(-1)?.tag !== 10;
}

function statedLength(fields: readonly LoggedField[]): number | null {
  const stated = fields.find(({ tag }) => tag === 9);
  return stated?.isWhole === true && /^9=\d{1,7}$/.test(stated.text) ? Number(stated.text.slice(2)) : null;
}

function cutAs(fields: readonly LoggedField[], half: LoggedField | null, where: string): CutMessage {
  const kept = fields.filter(({ tag }, i) => i === 0 || (tag !== 8 && tag !== 9 && tag !== 10));
  // The value may be half a secret.
  const rest = half === null || half.tag === 0 ? '' : `, what it has of ${half.tag} may be half a value`;
  return { fields: kept.map(({ text }) => text), note: `the message was cut ${where}${rest}` };
}

export interface LoggedField {
  /** 0 if it has none. */
  readonly tag: number;
  readonly text: string;
  /** Whether SOH is behind it, and not the end of a message that was cut. */
  readonly isWhole: boolean;
}

/** All that stands between two SOH, data as a whole; the rest of a message from data on that goes on behind its end. */
export function loggedFields(text: string, dataFields: DataFields): LoggedField[] {
  const fields: LoggedField[] = [];
  const hasTrailer = /^10=\d{3}$/.test(text.slice(-7, -1)) && text[text.length - 8] === SOH && text.endsWith(SOH);
  let dataTag = 0;
  let dataLength = 0;
  for (let at = 0; at < text.length; ) {
    const tag = Number(/^[1-9]\d{0,8}(?==)/.exec(text.slice(at, at + 10))?.[0] ?? 0);
    const valueAt = tag === 0 ? at : at + String(tag).length + 1;
    const announced = valueAt + dataLength;
    const isData = tag !== 0 && tag === dataTag;
    let end = isData && text[announced] === SOH ? announced : text.indexOf(SOH, at);
    if (end === -1 || (isData && announced >= text.length && !hasTrailer)) end = text.length;
    fields.push({ tag, text: text.slice(at, end), isWhole: end < text.length });
    const length = text.slice(valueAt, end);
    dataTag = /^\d{1,7}$/.test(length) ? dataFields.dataTagOf(tag) : 0;
    dataLength = Number(length);
    at = end + 1;
  }
  return fields;
}
