// Finds the fields of a message that stand in its repeating groups, by the session's dictionaries (rule S13). One tag
// may belong to a message and to a group of it; only the dictionary separates them. validator.ts reports faults: this
// pass also reads messages that no validator has checked.

import type { GroupOutline, IndexedMessage } from '../wire/mod.ts';
import { type Dictionary, joined, joinedMessages, type Member } from './definition.ts';

const APPL_VER_ID_TAG = 1128;
const MSG_TYPE_INDEX = 2;
/** Groups within groups that are followed; the standard has five at most. */
const DEPTH_MAX = 16;

/** A member of a message or a group: its place among the members from 1, and the group that it opens. */
interface OutlineMember {
  readonly role: number;
  readonly required: boolean;
  readonly group: OutlineMembers | null;
}

type OutlineMembers = ReadonlyMap<number, OutlineMember>;

/** Messages by MsgType(35), and by counter the groups of all of them, for a type that has no definition. */
interface VersionOutline {
  readonly messages: ReadonlyMap<string, OutlineMembers>;
  readonly groups: OutlineMembers;
}

/** Outlines messages of one session. */
export class DictionaryOutline implements GroupOutline {
  private readonly dictionaries: readonly Dictionary[];
  private readonly anyOrder: boolean;
  /** Whether all are spoken under one BeginString(8). */
  private readonly isOfOne: boolean;
  /** By the application's dictionary; null where there is only the transport's. */
  private readonly versions = new Map<Dictionary | null, VersionOutline>();

  /**
   * @param dictionaries one, or the transport's and those of the application versions, the default version's first. Logs pass
   * those of several BeginStrings.
   * @param anyOrder true if the fields of an entry may stand in any order
   */
  constructor(dictionaries: readonly Dictionary[], anyOrder = false) {
    this.dictionaries = dictionaries;
    this.isOfOne = dictionaries.every(({ beginString }) => beginString === dictionaries[0]!.beginString);
    this.anyOrder = anyOrder;
  }

  /** By field, the number of groups that it stands in; null if the message opens none. */
  depthsOf(message: IndexedMessage): Uint8Array | null {
    const { messages, groups } = this.versionFor(message);
    const known = messages.get(message.stringAt(MSG_TYPE_INDEX));
    const members = known ?? groups;
    const { tags, fieldCount } = message;
    // Most messages open no group, and those of a session without validation all come here.
    let i = MSG_TYPE_INDEX + 1;
    while (i < fieldCount && (members.get(tags[i]!)?.group ?? null) === null) i++;
    if (i === fieldCount) return null;
    const depths = new Uint8Array(fieldCount);
    const entries = new Entries(message, depths, this.anyOrder);
    const seen = new Set(tags.subarray(MSG_TYPE_INDEX + 1, i));
    const parent = { members: known ?? null, seen, around: null };
    while (i < fieldCount) {
      const tag = tags[i]!;
      seen.add(tag);
      const group = members.get(tag)?.group ?? null;
      i = group === null ? i + 1 : entries.pass(i, group, parent, 1);
    }
    return depths;
  }

  /** By BeginString(8), as a log has messages of several; behind it by ApplVerID(1128), or by the first of its applications. */
  private versionFor(message: IndexedMessage): VersionOutline {
    const parts = this.isOfOne ? this.dictionaries : this.spokenUnder(message.stringAt(0));
    const applications = parts.filter(({ applVerID }) => applVerID !== null);
    if (applications.length < 2) return this.version(parts, applications[0]);
    let application = applications[0];
    for (let i = MSG_TYPE_INDEX + 1; i < message.fieldCount; i++) {
      if (message.tags[i] !== APPL_VER_ID_TAG) continue;
      const applVerID = message.stringAt(i);
      application = applications.find((one) => one.applVerID === applVerID) ?? application;
      break;
    }
    return this.version(parts, application);
  }

  /** The dictionaries of a BeginString(8); of one that none has, the first one's. */
  private spokenUnder(beginString: string): readonly Dictionary[] {
    const of = (begin: string): Dictionary[] => this.dictionaries.filter((one) => one.beginString === begin);
    const own = of(beginString);
    return own.length === 0 ? of(this.dictionaries[0]!.beginString) : own;
  }

  /** Compiled when first met: most processes read one version, and some none. */
  private version(parts: readonly Dictionary[], application: Dictionary | undefined): VersionOutline {
    const key = application ?? null;
    const known = this.versions.get(key);
    if (known !== undefined) return known;
    const outline = outlineOf(parts.filter((one) => one.applVerID === null || one === application));
    this.versions.set(key, outline);
    return outline;
  }
}

/** Where the group that is being passed stands: in a message, or in an entry of another group. */
interface Surroundings {
  /** Null: unknown, and any field may be one. */
  readonly members: OutlineMembers | null;
  /** Tags met there so far. */
  readonly seen: ReadonlySet<number>;
  readonly around: Surroundings | null;
}

/** The innermost surroundings that may have a field, or null. */
function surroundingsWith(tag: number, around: Surroundings | null): Surroundings | null {
  for (let at = around; at !== null; at = at.around) if (at.members === null || at.members.has(tag)) return at;
  return null;
}

/** Marks the fields of one group and of the groups in it. */
class Entries {
  private readonly message: IndexedMessage;
  private readonly depths: Uint8Array;
  private readonly anyOrder: boolean;

  constructor(message: IndexedMessage, depths: Uint8Array, anyOrder: boolean) {
    this.message = message;
    this.depths = depths;
    this.anyOrder = anyOrder;
  }

  /** Mark the group with its counter at field `countAt`. Returns the index of the first field after the group. */
  pass(countAt: number, group: OutlineMembers, around: Surroundings, depth: number): number {
    const { message, depths } = this;
    const { tags, fieldCount } = message;
    const declared = message.intAt(countAt);
    let i = countAt + 1;
    if (depth > DEPTH_MAX || i === fieldCount) return i;
    // An entry begins at each repetition of the first field, be it the one that the dictionary has first or another.
    const delimiter = tags[i]!;
    // Danger: where validation is off, entries beyond a wrong count must not become fields of the message.
    const takesSurplus = surroundingsWith(delimiter, around) === null;
    if (!(declared > 0) && !(takesSurplus && group.has(delimiter))) return i;
    const seen = new Set<number>();
    const foreign = new Set<number>();
    let entries = 0;
    let lastRole = 0;
    while (i < fieldCount) {
      const tag = tags[i]!;
      const member = group.get(tag);
      if (member === undefined) {
        // A house's own field that an earlier entry has is the last entry's too.
        const next =
          foreign.has(tag) && !seen.has(tag)
            ? i + 1
            : this.behindForeign(i, group, around, entries < declared ? delimiter : null);
        if (next === i) break;
        depths.fill(depth, i, next);
        for (; i < next; i++) {
          foreign.add(tags[i]!);
          seen.add(tags[i]!);
        }
        continue;
      }
      if (tag === delimiter) {
        if (!(entries < declared) && !takesSurplus) break;
        entries++;
        seen.clear();
      } else if (!this.belongs(tag, i, { isSeen: seen.has(tag), isInOrder: member.role > lastRole }, around)) break;
      seen.add(tag);
      lastRole = member.role;
      depths[i] = depth;
      i = member.group === null ? i + 1 : this.pass(i, member.group, { members: group, seen, around }, depth + 1);
    }
    return i;
  }

  /**
   * The next field of the group after fields that neither the group nor any level around it can have. If such fields
   * are allowed at all, they belong to the entry. Returns `at` if the group ends here. `due`: the field that begins the
   * next entry, or null.
   */
  private behindForeign(at: number, group: OutlineMembers, around: Surroundings, due: number | null): number {
    const { tags, fieldCount } = this.message;
    let i = at;
    while (i < fieldCount && !group.has(tags[i]!) && surroundingsWith(tags[i]!, around) === null) i++;
    if (i === at || i === fieldCount || !group.has(tags[i]!)) return at;
    const next = due === null ? -1 : tags.indexOf(due, i);
    const goesOn = next !== -1 && next < fieldCount;
    return goesOn || surroundingsWith(tags[i]!, around) === null ? i : at;
  }

  /** Whether a field that both an entry and its surroundings may have is the entry's. */
  private belongs(
    tag: number,
    at: number,
    { isSeen, isInOrder }: { readonly isSeen: boolean; readonly isInOrder: boolean },
    around: Surroundings,
  ): boolean {
    const outside = surroundingsWith(tag, around);
    if (outside === null || (!isSeen && isInOrder)) return true;
    if (isSeen || !this.anyOrder) return false;
    // In any order, the field is the entry's, unless its surroundings must have it and have no other.
    if (outside.members?.get(tag)?.required !== true || outside.seen.has(tag)) return true;
    const next = this.message.tags.indexOf(tag, at + 1);
    return next !== -1 && next < this.message.fieldCount;
  }
}

function outlineOf(parts: readonly Dictionary[]): VersionOutline {
  const header = joined(parts.flatMap((part) => part.header));
  const trailer = joined(parts.flatMap((part) => part.trailer));
  const compiled = new Map<readonly Member[], OutlineMembers>();
  const messages = new Map<string, OutlineMembers>();
  const groups = new Map<number, OutlineMember>();
  for (const { msgType, members } of joinedMessages(parts).values()) {
    messages.set(msgType, membersOf([...header, ...members, ...trailer], compiled));
  }
  for (const members of [...messages.values(), membersOf([...header, ...trailer], compiled)]) {
    for (const [tag, member] of members) {
      if (member.group === null) continue;
      const before = groups.get(tag)?.group ?? null;
      const group = before === null ? member.group : new Map([...member.group, ...before]);
      groups.set(tag, { ...member, group });
    }
  }
  return { messages, groups };
}

function membersOf(members: readonly Member[], compiled: Map<readonly Member[], OutlineMembers>): OutlineMembers {
  const known = compiled.get(members);
  if (known !== undefined) return known;
  const own = new Map<number, OutlineMember>();
  for (const member of members) {
    const { tag } = member.field;
    const group = member.kind === 'group' ? membersOf(member.members, compiled) : null;
    const before = own.get(tag);
    if (before === undefined) own.set(tag, { role: own.size + 1, required: member.required, group });
    else if (member.required && !before.required) own.set(tag, { ...before, required: true });
  }
  compiled.set(members, own);
  return own;
}
