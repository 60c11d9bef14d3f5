// Which fields the entries of a repeating group have, by the data dictionary: without it the last entry would have no end, and
// what stands behind the group would be read as its own. Finding the entries is the wire room's matter.

import type { Dictionary, Member } from '../dictionary/mod.ts';

/** Tags of a group's entries, those of groups within them included; null for a group that the dictionary does not have. */
export interface GroupMembers {
  (msgType: string, counter: number): readonly number[] | null;
  /** Where several application versions are spoken: the same of a message with this ApplVerID(1128), null if it has none. */
  readonly of?: (applVerID: string | null) => GroupMembers;
}

/** By the first of the dictionaries that has the message with that group; of a message by that of its own version before them. */
export function groupMembersOf(dictionaries: readonly Dictionary[]): GroupMembers {
  const members = membersIn(dictionaries);
  const versions = dictionaries.filter(({ applVerID }) => applVerID !== null);
  if (versions.length < 2) return members;
  const byVersion = new Map(versions.map((own) => [own.applVerID, membersIn([own, ...dictionaries])]));
  return Object.assign(members, { of: (applVerID: string | null) => byVersion.get(applVerID) ?? members });
}

function membersIn(dictionaries: readonly Dictionary[]): GroupMembers {
  const known = new Map<string, Map<number, readonly number[] | null>>();
  return (msgType, counter) => {
    let ofType = known.get(msgType);
    if (ofType === undefined) {
      ofType = new Map();
      known.set(msgType, ofType);
    }
    let tags = ofType.get(counter);
    if (tags === undefined) {
      tags = tagsIn(dictionaries, msgType, counter);
      ofType.set(counter, tags);
    }
    return tags;
  };
}

function tagsIn(dictionaries: readonly Dictionary[], msgType: string, counter: number): readonly number[] | null {
  for (const { messages, header } of dictionaries) {
    const message = messages.get(msgType);
    const group = groupIn([...(message?.members ?? []), ...header], counter);
    if (group !== null) return tagsOf(group);
  }
  return null;
}

function groupIn(members: readonly Member[], counter: number): readonly Member[] | null {
  for (const member of members) {
    if (member.kind !== 'group') continue;
    const found = member.field.tag === counter ? member.members : groupIn(member.members, counter);
    if (found !== null) return found;
  }
  return null;
}

function tagsOf(members: readonly Member[]): number[] {
  return members.flatMap((member) => [member.field.tag, ...(member.kind === 'group' ? tagsOf(member.members) : [])]);
}
