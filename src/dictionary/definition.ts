// A data dictionary as plain data: fields with types and values, messages with members. quickfix-xml.ts reads it;
// validator.ts checks messages against it.

import { APPL_VER_ID, beginStringOf } from './application-version.ts';

/** A field: its number, FIX name, FIX data type (upper case) and, if enumerated, its values with their meanings. */
export interface FieldDefinition {
  readonly tag: number;
  readonly name: string;
  readonly type: string;
  /** Value → description in upper case with underscores; null if any value of the type goes. */
  readonly values: ReadonlyMap<string, string> | null;
  /** True if values outside the enumeration are allowed too. */
  readonly open: boolean;
}

/** A field or repeating group at its place in a message, components resolved. */
export type Member =
  | { readonly kind: 'field'; readonly field: FieldDefinition; readonly required: boolean }
  | {
      readonly kind: 'group';
      /** The NumInGroup field. */
      readonly field: FieldDefinition;
      readonly required: boolean;
      /** In order; the first one begins each entry. */
      readonly members: readonly Member[];
    };

export interface MessageDefinition {
  readonly msgType: string;
  readonly name: string;
  readonly category: 'admin' | 'app';
  readonly members: readonly Member[];
}

/** A data dictionary. Immutable. */
export class Dictionary {
  /** BeginString(8) of messages that it describes: `FIX.4.4`; `FIXT.1.1` for FIX.5.0 and later. */
  readonly beginString: string;
  /** `FIX.4.4`, `FIX.5.0SP2`, `FIXT.1.1`. */
  readonly version: string;
  /** Value of ApplVerID(1128) for this version; null for FIXT.1.1, which is none. */
  readonly applVerID: string | null;
  readonly header: readonly Member[];
  readonly trailer: readonly Member[];
  readonly messages: ReadonlyMap<string, MessageDefinition>;
  readonly fields: ReadonlyMap<number, FieldDefinition>;
  /** Doubtful places of its file, `file:line:column: reason` each. */
  readonly warnings: readonly string[];
  private readonly tagsByName: ReadonlyMap<string, number>;

  constructor(parts: {
    readonly version: string;
    readonly header: readonly Member[];
    readonly trailer: readonly Member[];
    readonly messages: ReadonlyMap<string, MessageDefinition>;
    readonly fields: ReadonlyMap<number, FieldDefinition>;
    readonly warnings?: readonly string[];
  }) {
    this.version = parts.version;
    this.beginString = beginStringOf(parts.version);
    this.applVerID = APPL_VER_ID[parts.version] ?? null;
    this.header = parts.header;
    this.trailer = parts.trailer;
    this.messages = parts.messages;
    this.fields = parts.fields;
    this.warnings = parts.warnings ?? [];
    this.tagsByName = new Map([...parts.fields.values()].map((field) => [field.name, field.tag]));
  }

  /** FIX name of a tag, or null. */
  fieldName(tag: number): string | null {
    return this.fields.get(tag)?.name ?? null;
  }

  /** Tag of a FIX name, or null. */
  tagOf(name: string): number | null {
    return this.tagsByName.get(name) ?? null;
  }

  /** FIX name of a MsgType(35), or null; also of standard types that have no definition here. */
  messageName(msgType: string): string | null {
    const defined = this.messages.get(msgType)?.name;
    if (defined !== undefined) return defined;
    const listed = this.fields.get(35)?.values?.get(msgType);
    return listed === undefined ? null : pascalCase(listed);
  }

  /** Meaning of an enumerated value, written `PartiallyFilled`, or null. */
  enumName(tag: number, value: string): string | null {
    const description = this.fields.get(tag)?.values?.get(value);
    return description === undefined ? null : pascalCase(description);
  }
}

/** `GOOD_TILL_CANCEL` as `GoodTillCancel`. */
export function pascalCase(description: string): string {
  return description
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())
    .join('');
}

/**
 * Members without duplicates: the first has the place, and is required if either is. Members that an overlay adds to an
 * existing group follow the group's own.
 */
export function joined(members: readonly Member[]): readonly Member[] {
  const byTag = new Map<number, Member>();
  for (const member of members) {
    const { tag } = member.field;
    const first = byTag.get(tag);
    byTag.set(tag, first === undefined ? member : joinedPair(first, member));
  }
  return byTag.size === members.length ? members : [...byTag.values()];
}

/** Messages of dictionaries that are used together, by MsgType: a message in several has the members of each. */
export function joinedMessages(parts: readonly Dictionary[]): Map<string, MessageDefinition> {
  const messages = new Map<string, MessageDefinition>();
  for (const part of parts) {
    for (const [msgType, message] of part.messages) {
      const carried = messages.get(msgType);
      const members = carried === undefined ? message.members : joined([...carried.members, ...message.members]);
      messages.set(msgType, { ...message, members });
    }
  }
  return messages;
}

function joinedPair(first: Member, second: Member): Member {
  const required = first.required || second.required;
  if (first.kind === 'field' || second.kind === 'field') return { ...first, required };
  const more = first.members !== second.members;
  return { ...first, required, members: more ? joined([...first.members, ...second.members]) : first.members };
}
