// Messages for people: names of fields and meanings of values beside tags and text, secrets hidden.
// Leaves where it is shown to cli, ops and replay.

import { redactedText } from '../base/redacted-text.ts';
import { terminalText } from '../base/terminal-text.ts';
import { isSecretTag, type MessageView, Tag } from '../wire/mod.ts';
import type { Dictionary, Member } from './definition.ts';

export interface DecodedField {
  readonly tag: number;
  /** FIX name, or the tag as text if no dictionary has it. */
  readonly name: string;
  /**
   * As on the wire, UTF-8 decoded and other values as one character per byte; `***` for a secret, `[redacted]` for one
   * inside.
   */
  readonly value: string;
  /** Meaning of an enumerated value, such as `PartiallyFilled`, or null. */
  readonly meaning: string | null;
  /** 0 outside groups, 1 in an entry of a group, 2 in an entry of a group in it… */
  readonly depth: number;
  /** Number of the group entry that this field begins, from 1; 0 if it begins none. */
  readonly entry: number;
}

/**
 * Dictionaries to look names up in, the first that knows wins; for FIXT.1.1 the application's, before which that of the
 * message's own ApplVerID(1128) comes, and the transport's.
 */
export type DictionaryChoice = Dictionary | readonly Dictionary[];

/** Fields about a message's origin and target, not its content; {@link toDecodedLine} leaves them out. */
const ENVELOPE: ReadonlySet<number> = new Set<number>([
  Tag.BeginString,
  Tag.BodyLength,
  Tag.MsgType,
  Tag.MsgSeqNum,
  Tag.SenderCompID,
  Tag.TargetCompID,
  Tag.SendingTime,
  Tag.CheckSum,
  Tag.ApplVerID,
]);

/** Every field of a message in wire order, with names and meanings. */
export function describe(view: MessageView, dictionary: DictionaryChoice): DecodedField[] {
  const dictionaries = listFor(view, dictionary);
  const fields: DecodedField[] = [];
  const body = membersOf(view, dictionaries);
  let i = 0;
  while (i < view.fieldCount)
    i = describeField({ view, dictionaries, fields }, i, { members: body, depth: 0, entry: 0 });
  return fields;
}

/**
 * One line: the message's name, then its fields as `Name=value`, enumerated values as `Side=1(Buy)`; header fields that
 * only address the message are left out. Values stay as they are but for control characters: SOH shows as `|`, others as `?`.
 */
export function toDecodedLine(view: MessageView, dictionary: DictionaryChoice): string {
  const msgType = view.msgType;
  const name =
    lookUp(listFor(view, dictionary), (each) => each.messageName(msgType)) ?? `MsgType=${terminalText(msgType)}`;
  const fields = describe(view, dictionary)
    .filter((field) => !ENVELOPE.has(field.tag))
    .map(({ name, value, meaning }) => `${name}=${terminalText(value)}${meaning === null ? '' : `(${meaning})`}`);
  return [name, ...fields].join(' ');
}

/** A message being described, and the findings so far. */
interface Description {
  readonly view: MessageView;
  readonly dictionaries: readonly Dictionary[];
  readonly fields: DecodedField[];
}

/** Where a field stands: among these members, so many groups deep; the number of the entry that it begins, else 0. */
interface Place {
  readonly members: readonly Member[];
  readonly depth: number;
  readonly entry: number;
}

/** Describe the field at `i`, and its group if it counts one. @returns the index behind */
function describeField(description: Description, i: number, { members, depth, entry }: Place): number {
  const { view, dictionaries, fields } = description;
  const tag = view.tagAt(i);
  const value = isSecretTag(tag) || view.dataFields.secretTags.has(tag) ? '***' : redactedText(view.stringAt(i));
  const name = lookUp(dictionaries, (each) => each.fieldName(tag)) ?? String(tag);
  const meaning = lookUp(dictionaries, (each) => each.enumName(tag, value));
  fields.push({ tag, name, value: textOf(value), meaning, depth, entry });
  const group = members.find((member) => member.kind === 'group' && member.field.tag === tag);
  if (group?.kind !== 'group') return i + 1;
  return describeGroup(description, i + 1, group.members, { members, depth, entry });
}

/** Describe the entries of a group from `from` on; `outside`: where its count stands. @returns the index behind */
function describeGroup(description: Description, from: number, members: readonly Member[], outside: Place): number {
  const { view } = description;
  const depth = outside.depth + 1;
  const isOf = (list: readonly Member[], tag: number): boolean => list.some(({ field }) => field.tag === tag);
  const delimiter = members[0]!.field.tag;
  const seen = new Set<number>();
  let entry = 0;
  let i = from;
  while (i < view.fieldCount && isOf(members, view.tagAt(i))) {
    const tag = view.tagAt(i);
    const begins = tag === delimiter;
    if (begins) {
      entry++;
      seen.clear();
    } else if (seen.has(tag) && isOf(outside.members, tag)) break;
    seen.add(tag);
    i = describeField(description, i, { members, depth, entry: begins ? entry : 0 });
  }
  return i;
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true });

/** Text of a value for people: houses write names and texts in UTF-8 without regard to MessageEncoding(347). */
function textOf(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const text = UTF8.decode(Buffer.from(value, 'latin1'));
  return text.includes('\ufffd') ? value : text;
}

function membersOf(view: MessageView, dictionaries: readonly Dictionary[]): Member[] {
  const msgType = view.msgType;
  const headers = dictionaries.flatMap((each) => each.header);
  // All of them: a later one may know groups that the first leaves out.
  return [...headers, ...dictionaries.flatMap((each) => each.messages.get(msgType)?.members ?? [])];
}

function listFor(view: MessageView, dictionary: DictionaryChoice): readonly Dictionary[] {
  const all = Array.isArray(dictionary) ? (dictionary as readonly Dictionary[]) : [dictionary as Dictionary];
  const applVerID = view.string(Tag.ApplVerID);
  const own = applVerID === null ? [] : all.filter((each) => each.applVerID === applVerID);
  return own.length === 0 ? all : [...own, ...all];
}

function lookUp<T>(dictionaries: readonly Dictionary[], find: (dictionary: Dictionary) => T | null): T | null {
  for (const dictionary of dictionaries) {
    const found = find(dictionary);
    if (found !== null) return found;
  }
  return null;
}
