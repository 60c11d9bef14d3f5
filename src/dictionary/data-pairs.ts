// Pairs each Length field with the data field that it announces, as a dictionary defines it. The standard puts a data
// field directly after its Length field (FIX 4.4 vol. 1, data type `data`); house dictionaries do not always. The wire
// room reads the fields.

import { DataFields, type DataPair } from '../wire/mod.ts';
import type { Dictionary, Member } from './definition.ts';
import { DictionaryOutline } from './group-outline.ts';

const DATA_TYPES: readonly string[] = ['DATA', 'XMLDATA'];
/** Dictionaries of houses call a length INT, as those of the oldest versions do. */
const LENGTH_TYPES: readonly string[] = ['LENGTH', 'INT'];

/** The pairs of a dictionary, header, trailer and groups included. */
export function dataPairsOf(dictionary: Dictionary): DataPair[] {
  const pairs = new Map<number, number>();
  collect(dictionary.header, pairs);
  collect(dictionary.trailer, pairs);
  for (const { members } of dictionary.messages.values()) collect(members, pairs);
  return [...pairs];
}

/**
 * Data fields and groups of a session that speaks these dictionaries, for every reader of its messages; `anyOrder`: fields of a
 * group's entry may stand in any order.
 */
export function dataFieldsOf(dictionaries: readonly Dictionary[], anyOrder = false): DataFields {
  return new DataFields(dictionaries.flatMap(dataPairsOf), new DictionaryOutline(dictionaries, anyOrder));
}

function collect(members: readonly Member[], pairs: Map<number, number>): void {
  members.forEach((member, i) => {
    if (DATA_TYPES.includes(member.field.type)) {
      const length = lengthOf(member, members[i - 1], members);
      if (length !== null) pairs.set(length, member.field.tag);
    }
    if (member.kind === 'group') collect(member.members, pairs);
  });
}

/** The tag of its Length field: the one before it, or else, as QuickFIX has it, the one with the number before its own. */
function lengthOf({ field: { tag } }: Member, before: Member | undefined, members: readonly Member[]): number | null {
  if (before?.field.type === 'LENGTH') return before.field.tag;
  const isLength = members.some(({ field }) => field.tag === tag - 1 && LENGTH_TYPES.includes(field.type));
  return isLength ? tag - 1 : null;
}
