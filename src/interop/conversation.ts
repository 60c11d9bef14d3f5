// Shows a conversation to people: one line per message with time, direction, number, name, and the fields by name; and the
// table at the end. Names, meanings and the masking of secrets are the dictionary room's; printing is the caller's.

import { formatUtcTimestamp } from '../base/time.ts';
import { type Dictionary, toDecodedLine } from '../dictionary/mod.ts';
import { MsgType, Tag } from '../wire/mod.ts';
import type { WireMessage } from './oms.ts';

/** Longest message name of a usual conversation (`OrderCancelRequest`). */
const NAME_WIDTH = 18;

/** One line: `12:00:00.123  OMS -> XG    2  NewOrderSingle      ClOrdID=... Side=1(Buy) ...`. */
export function conversationLine(message: WireMessage, dictionary: Dictionary): string {
  const { view } = message;
  const time = formatUtcTimestamp(message.at).slice('YYYYMMDD-'.length);
  const arrow = message.direction === 'out' ? 'OMS -> XG' : 'OMS <- XG';
  const number = String(view.int(Tag.MsgSeqNum) ?? '?').padStart(4);
  const decoded = toDecodedLine(view, dictionary);
  const nameEnd = decoded.indexOf(' ');
  const name = nameEnd === -1 ? decoded : decoded.slice(0, nameEnd);
  return `${time}  ${arrow} ${number}  ${name.padEnd(NAME_WIDTH)}${decoded.slice(name.length)}`.trimEnd();
}

/** Is this message only a sign of life? */
export function isHeartbeat(message: WireMessage): boolean {
  return message.view.msgType === MsgType.Heartbeat || message.view.msgType === MsgType.TestRequest;
}

/** Lines of a table with aligned columns; the first row is its head. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd();
  const [head, ...body] = rows.map(line);
  return [head ?? '', widths.map((width) => '-'.repeat(width)).join('  '), ...body];
}
