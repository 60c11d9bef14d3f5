// Shows a conversation to people: one line per message with time, direction, number, name, and the fields by name; and the
// table at the end. Writes nothing itself; what is a secret is masked here.

import { formatUtcTimestamp } from '../base/time.ts';
import { type DecodedField, type Dictionary, describe } from '../dictionary/mod.ts';
import { MsgType, Tag } from '../wire/mod.ts';
import type { WireMessage } from './oms.ts';

/** Fields that every message has and the line shows elsewhere or not at all. */
const FRAME_TAGS: ReadonlySet<number> = new Set([
  Tag.BeginString,
  Tag.BodyLength,
  Tag.MsgType,
  Tag.MsgSeqNum,
  Tag.SenderCompID,
  Tag.TargetCompID,
  Tag.SendingTime,
  Tag.CheckSum,
]);

/** Longest message name among those of a usual conversation. */
const NAME_WIDTH = 18;

/** One line: `12:00:00.123  OMS -> XG    2  NewOrderSingle      ClOrdID=... Side=1(BUY) ...`. */
export function conversationLine(message: WireMessage, dictionary: Dictionary): string {
  const { view } = message;
  const time = formatUtcTimestamp(message.at).slice('YYYYMMDD-'.length);
  const arrow = message.direction === 'out' ? 'OMS -> XG' : 'OMS <- XG';
  const number = (view.string(Tag.MsgSeqNum) ?? '?').replace(/^0+(?=\d)/, '').padStart(4);
  const name = (dictionary.messageName(view.msgType) ?? `MsgType ${view.msgType}`).padEnd(NAME_WIDTH);
  const fields = describe(view, dictionary)
    .filter((field) => !FRAME_TAGS.has(field.tag))
    .map(fieldText);
  return `${time}  ${arrow} ${number}  ${name} ${fields.join(' ')}`.trimEnd();
}

function fieldText(field: DecodedField): string {
  const value = /[\s=]/.test(field.value) ? JSON.stringify(field.value) : field.value;
  return `${field.name ?? field.tag}=${value}${field.enumName === null ? '' : `(${field.enumName})`}`;
}

/** Is this message part of the conversation's substance, or only a sign of life? */
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
