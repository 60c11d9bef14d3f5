// Which Length field announces which data field, as a dictionary has it: the standard puts each data field directly behind
// its Length field (FIX 4.4 vol. 1, data type `data`), and so do the dictionaries. Leaves reading such fields to the wire.

import { DataFields, type DataPair } from '../wire/mod.ts';
import type { Dictionary, Member } from './definition.ts';

const DATA_TYPES: readonly string[] = ['DATA', 'XMLDATA'];

/** The pairs of a dictionary, header, trailer and groups included. */
export function dataPairsOf(dictionary: Dictionary): DataPair[] {
  const pairs = new Map<number, number>();
  collect(dictionary.header, pairs);
  collect(dictionary.trailer, pairs);
  for (const { members } of dictionary.messages.values()) collect(members, pairs);
  return [...pairs];
}

/** The data fields of a session that speaks these dictionaries, or of whoever reads what such a session wrote. */
export function dataFieldsOf(dictionaries: readonly Dictionary[]): DataFields {
  return new DataFields(dictionaries.flatMap(dataPairsOf));
}

function collect(members: readonly Member[], pairs: Map<number, number>): void {
  members.forEach((member, i) => {
    const before = members[i - 1]?.field;
    if (before?.type === 'LENGTH' && DATA_TYPES.includes(member.field.type)) pairs.set(before.tag, member.field.tag);
    if (member.kind === 'group') collect(member.members, pairs);
  });
}
