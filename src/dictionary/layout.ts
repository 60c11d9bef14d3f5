// A dictionary compiled for checking: every field a small number (ordinal), every message and group a flat table by it.
// Leaves the pass over a message to validator.ts and the check of one value to value-format.ts.

import type { DataFields } from '../wire/mod.ts';
import {
  type Dictionary,
  type FieldDefinition,
  joined,
  joinedMessages,
  type Member,
  type MessageDefinition,
} from './definition.ts';
import { lookFor } from './quick-values.ts';
import { Shape } from './shape.ts';
import { EnumerationTable, formatOf, isWellFormed } from './value-format.ts';

/** In the order in which they stand in a message. */
export const Section = { Header: 0, Body: 1, Trailer: 2 } as const;

/** The layout's answer for one field as a packed number; 0 for a field that is no member. */
export const Entry = {
  /** Holds data: its Length field, which the dictionary has beside it, stands right before it. */
  Data: 0x10,
  Required: 0x20,
  RequiredShift: 5,
  /** Opens a repeating group. */
  Group: 0x40,
  /** A group or data. */
  CloserLook: 0x50,
  /** Bits 8 and 9: the {@link Section}. */
  SectionShift: 8,
  SectionMask: 3,
  /** From this bit on: the role. */
  RoleShift: 12,
} as const;

/** Members of a message with header and trailer, or of a group. A role is a member's place, from 1; 0 is no member. */
export interface Layout {
  /** By ordinal: an {@link Entry}. */
  readonly entries: Int32Array;
  readonly requiredCount: number;
  /** Of a message: those of them that are neither the header's nor the trailer's. */
  readonly requiredInBody: number;
  /** By role: the group that the member opens, or null. */
  readonly groups: readonly (Layout | null)[];
  /** By role. */
  readonly tags: readonly number[];
  /** Of a message: the fields that the last one had. */
  readonly shape: Shape;
}

/** MsgTypes of one character, which have a place of their own in the tables. */
const SINGLE_KEYS = 0x100;

/** All tables of one dictionary, or of a transport dictionary with one application dictionary. */
export class Tables {
  readonly tagMax: number;
  /** By tag; 0 if the tag is in no dictionary. */
  readonly ordinalByTag: Uint16Array;
  /** By ordinal. */
  readonly names: string[] = [''];
  readonly formats: number[] = [0];
  readonly enumerations: (EnumerationTable | null)[] = [null];
  readonly section: Uint8Array;
  /** By ordinal eight words: a bit for each value of one byte that an enumerated field may have. */
  readonly oneByteValues: Uint32Array;
  /** By tag: a {@link Look}. */
  readonly lookByTag: Uint8Array;
  /** By ordinal: 1 for members of header or trailer, including their groups. */
  readonly framing: Uint8Array;
  /** Header and trailer only, for a message type without a definition. */
  readonly bare: Layout;
  private readonly transport: Dictionary | null;
  private readonly dataFields: DataFields;
  private readonly header: readonly Member[];
  private readonly trailer: readonly Member[];
  private readonly definitions = new Map<number, MessageDefinition>();
  private readonly layouts = new Map<number, Layout>();
  private readonly singles: (Layout | null)[] = new Array<Layout | null>(SINGLE_KEYS).fill(null);
  private readonly listed = new Set<number>();
  /** Keys, below -1, of message types that are too long to be their own. */
  private readonly longKeys = new Map<string, number>();
  /** Layouts by their members: groups of shared components are compiled once. */
  private readonly compiled = new Map<readonly Member[], Layout>();

  constructor(transport: Dictionary, application: Dictionary, dataFields: DataFields) {
    this.transport = transport === application ? null : transport;
    this.dataFields = dataFields;
    const fields = withMessageTypes(mergedFields(transport, application), [transport, application]);
    this.tagMax = Math.max(...fields.keys());
    this.ordinalByTag = new Uint16Array(this.tagMax + 1);
    for (const field of fields.values()) {
      this.ordinalByTag[field.tag] = this.names.length;
      this.names.push(field.name);
      this.formats.push(formatOf(field.type, application.version));
      this.enumerations.push(
        field.values === null || field.open ? null : new EnumerationTable([...field.values.keys()]),
      );
    }
    this.lookByTag = new Uint8Array(this.tagMax + 1);
    for (const { tag } of fields.values()) {
      const ordinal = this.ordinal(tag);
      this.lookByTag[tag] = lookFor(this.formats[ordinal]!, this.enumerations[ordinal] !== null);
    }
    this.oneByteValues = new Uint32Array(8 * this.names.length);
    for (const field of fields.values()) this.markOneByteValues(field);
    // In an application's dictionary they are empty, except for a house's additions.
    const parts = transport === application ? [transport] : [transport, application];
    this.header = joined(parts.flatMap((part) => part.header));
    this.trailer = joined(parts.flatMap((part) => part.trailer));
    this.section = new Uint8Array(this.names.length).fill(Section.Body);
    for (const member of this.header) this.section[this.ordinal(member.field.tag)] = Section.Header;
    for (const member of this.trailer) this.section[this.ordinal(member.field.tag)] = Section.Trailer;
    this.framing = new Uint8Array(this.names.length);
    this.markFraming([...this.header, ...this.trailer]);
    this.bare = this.compile([...this.header, ...this.trailer]);
    for (const definition of joinedMessages(parts).values()) {
      this.definitions.set(this.keyFor(definition.msgType), definition);
    }
    for (const msgType of fields.get(35)?.values?.keys() ?? []) this.listed.add(this.keyFor(msgType));
  }

  /** The message type in the bytes [from, to) as a number, without making a string; -1 if it is no type of the version. */
  keyOfBytes(bytes: Buffer, from: number, to: number): number {
    const length = to - from;
    if (length === 1) return bytes[from]!;
    if (length > KEY_CHARACTERS_MAX) return this.longKeys.get(bytes.toString('latin1', from, to)) ?? -1;
    let key = 1;
    for (let i = from; i < to; i++) key = key * 256 + bytes[i]!;
    return key;
  }

  /** Whether a field of the application alone stands in a message of the transport, which knows no such tag (FIXT.1.1). */
  isBeyondSession(msgType: string, tag: number): boolean {
    return this.transport?.messages.has(msgType) === true && !this.transport.fields.has(tag);
  }

  private keyFor(msgType: string): number {
    if (hasKey(msgType)) return keyOf(msgType);
    const key = this.longKeys.get(msgType) ?? -2 - this.longKeys.size;
    this.longKeys.set(msgType, key);
    return key;
  }

  /** Layout of the message type with this key, compiled when first met; null if it has no definition. */
  message(key: number): Layout | null {
    if (key >= 0 && key < SINGLE_KEYS) return this.singles[key] ?? this.compileMessage(key);
    return this.layouts.get(key) ?? this.compileMessage(key);
  }

  /** The same by MsgType(35). */
  layoutOf(msgType: string): Layout | null {
    return this.message(hasKey(msgType) ? keyOf(msgType) : (this.longKeys.get(msgType) ?? -1));
  }

  private compileMessage(key: number): Layout | null {
    const definition = this.definitions.get(key);
    if (definition === undefined) return null;
    const layout = this.compile([...this.header, ...definition.members, ...this.trailer]);
    if (key >= 0 && key < SINGLE_KEYS) this.singles[key] = layout;
    else this.layouts.set(key, layout);
    return layout;
  }

  /** Whether the message type is one of the version's, with a definition here or without. */
  isListed(key: number): boolean {
    return this.listed.has(key) || this.definitions.has(key);
  }

  ordinal(tag: number): number {
    return tag <= this.tagMax ? this.ordinalByTag[tag]! : 0;
  }

  /** Values that are not of the field's type are left out: the dictionary is wrong there, and they are refused. */
  private markOneByteValues(field: FieldDefinition): void {
    const ordinal = this.ordinal(field.tag);
    if (this.enumerations[ordinal] === null) return;
    for (const value of field.values?.keys() ?? []) {
      const c = value.charCodeAt(0);
      if (value.length !== 1 || c > 0xff || !isWellFormed(this.formats[ordinal]!, Buffer.of(c), 0, 1)) continue;
      this.oneByteValues[8 * ordinal + (c >> 5)]! |= 1 << (c & 31);
    }
  }

  private markFraming(members: readonly Member[]): void {
    for (const member of members) {
      this.framing[this.ordinal(member.field.tag)] = 1;
      if (member.kind === 'group') this.markFraming(member.members);
    }
  }

  private entryOf(member: Member, role: number, beside: readonly Member[]): number {
    const ordinal = this.ordinal(member.field.tag);
    const length = this.dataFields.lengthTagOf(member.field.tag);
    return (
      (role << Entry.RoleShift) |
      (this.section[ordinal]! << Entry.SectionShift) |
      (member.required ? Entry.Required : 0) |
      (length !== 0 && beside.some(({ field }) => field.tag === length) ? Entry.Data : 0) |
      (member.kind === 'group' ? Entry.Group : 0)
    );
  }

  private compile(members: readonly Member[]): Layout {
    const known = this.compiled.get(members);
    if (known !== undefined) return known;
    const entries = new Int32Array(this.names.length);
    const groups: (Layout | null)[] = [null];
    const tags = [0];
    for (const member of members) {
      const ordinal = this.ordinal(member.field.tag);
      if (entries[ordinal] !== 0) {
        // Listed twice, as in header and body: one place, required if either says so.
        if (member.required) entries[ordinal]! |= Entry.Required;
        continue;
      }
      entries[ordinal] = this.entryOf(member, tags.length, members);
      tags.push(member.field.tag);
      groups.push(member.kind === 'group' ? this.compile(member.members) : null);
    }
    const required = entries.filter((entry) => (entry & Entry.Required) !== 0);
    const requiredInBody = required.filter(
      (entry) => ((entry >> Entry.SectionShift) & Entry.SectionMask) === Section.Body,
    ).length;
    const layout = { entries, requiredCount: required.length, requiredInBody, groups, tags, shape: new Shape() };
    this.compiled.set(members, layout);
    return layout;
  }
}

/** Characters of a MsgType that make its key by themselves: six bytes behind a 1 are an exact integer in a double. */
const KEY_CHARACTERS_MAX = 6;

/** Whether a MsgType is its own key: every type of every version is, and most that users define. */
function hasKey(msgType: string): boolean {
  return msgType.length <= KEY_CHARACTERS_MAX;
}

/**
 * A MsgType as a number. A single character is its own code; several characters follow a leading 1, so that leading
 * NULs count.
 */
function keyOf(msgType: string): number {
  if (msgType.length === 1) return msgType.charCodeAt(0);
  let key = 1;
  for (let i = 0; i < msgType.length; i++) key = key * 256 + msgType.charCodeAt(i);
  return key;
}

/** Fields of both dictionaries; where both enumerate a field, the values of both are allowed. */
function mergedFields(transport: Dictionary, application: Dictionary): Map<number, FieldDefinition> {
  const fields = new Map(transport.fields);
  if (transport === application) return fields;
  for (const field of application.fields.values()) {
    const other = fields.get(field.tag);
    const values = other?.values && field.values ? new Map([...other.values, ...field.values]) : field.values;
    fields.set(field.tag, { ...field, values });
  }
  return fields;
}

/** A message that a dictionary defines is a value of MsgType(35), whether its author listed it there as well or not. */
function withMessageTypes(
  fields: Map<number, FieldDefinition>,
  parts: readonly Dictionary[],
): Map<number, FieldDefinition> {
  const msgType = fields.get(35);
  if (msgType === undefined || msgType.values === null) return fields;
  const defined = parts.flatMap(({ messages }) =>
    [...messages.values()].map((one) => [one.msgType, one.name] as const),
  );
  return fields.set(35, { ...msgType, values: new Map([...defined, ...msgType.values]) });
}
