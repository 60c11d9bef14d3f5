// Gaps of a session's dictionaries against its needs, each as one sentence. session-needs.ts has the needs; the ops
// room reports them.

import { MsgType, Tag } from '../wire/mod.ts';
import { type Dictionary, joined, joinedMessages, type Member, type MessageDefinition } from './definition.ts';
import type { Need } from './session-needs.ts';

export interface Lack {
  /** `header`, `trailer` or the MsgType that it is about. */
  readonly place: string;
  /** Begins the sentence: `Logon(A) lacks Password(554)`. */
  readonly what: string;
  readonly why: string;
  readonly isFatal: boolean;
}

/** So many fields of a message are named in one sentence. */
const NAMED_MAX = 8;

const FIELD_NAMES: ReadonlyMap<number, string> = new Map(Object.entries(Tag).map(([name, tag]) => [tag, name]));
const MESSAGE_NAMES: ReadonlyMap<string, string> = new Map(Object.entries(MsgType).map(([name, type]) => [type, name]));

/** @param dictionaries of an application, and its transport where it has one of its own */
export function lacksOf(dictionaries: readonly Dictionary[], needs: readonly Need[]): Lack[] {
  const messages = joinedMessages(dictionaries);
  const header = joined(dictionaries.flatMap((each) => each.header));
  const trailer = joined(dictionaries.flatMap((each) => each.trailer));
  const framing: Readonly<Record<string, readonly Member[]>> = { header, trailer };
  const isAbsent = (place: string): boolean => framing[place] === undefined && !messages.has(place);
  const fieldName = (tag: number): string => {
    const name = dictionaries.map((each) => each.fieldName(tag)).find((each) => each !== null);
    return `${name ?? FIELD_NAMES.get(tag) ?? 'field'}(${tag})`;
  };
  const lacks: Lack[] = [];
  const together = new Map<string, { readonly need: Need; readonly names: string[] }>();
  for (const need of needs) {
    const { place, path, isFatal, why } = need;
    const subject = framing[place] === undefined ? messageName(place, messages) : `the ${place}`;
    const found = (what: string): number => lacks.push({ place, what, why, isFatal });
    if (path.length === 0) {
      if (isAbsent(place)) found(`there is no ${subject}`);
      continue;
    }
    // Whether the message is there, another need says.
    if (isAbsent(place)) continue;
    // Some dictionaries list header fields in a message, and an OMS sends those where the header has them.
    const members = framing[place] ?? [...header, ...messages.get(place)!.members];
    const fault = faultOf(members, need, fieldName, dictionaries);
    if (fault === null) continue;
    if (need.isTold === undefined || fault.kind === 'plain') found(`${subject} ${fault.text}`);
    else {
      const key = `${place} ${why}`;
      const told = together.get(key) ?? { need, names: [] };
      told.names.push(fault.name);
      together.set(key, told);
    }
  }
  for (const { need, names } of together.values()) {
    const subject = messageName(need.place, messages);
    lacks.push({ ...need, what: `${subject} lacks ${listed([...new Set(names)])}` });
  }
  const told = new Set<string>();
  return lacks.filter(({ what }) => !told.has(what) && told.add(what));
}

function listed(names: readonly string[]): string {
  const more = names.length - NAMED_MAX;
  return more > 0 ? `${names.slice(0, NAMED_MAX).join(', ')} and ${more} more` : names.join(', ');
}

type Fault = { readonly kind: 'absent' | 'plain' | 'value'; readonly text: string; readonly name: string };

function faultOf(
  members: readonly Member[],
  { path, value }: Need,
  fieldName: (tag: number) => string,
  dictionaries: readonly Dictionary[],
): Fault | null {
  let at = members;
  for (const [depth, tag] of path.entries()) {
    const member = at.find(({ field }) => field.tag === tag);
    const name = fieldName(tag);
    if (member === undefined) {
      const inGroup = depth === 0 ? '' : ` in its group ${fieldName(path[depth - 1]!)}`;
      return { kind: 'absent', text: `lacks ${name}${inGroup}`, name: `${name}${inGroup}` };
    }
    if (depth + 1 === path.length) continue;
    if (member.kind === 'field') return { kind: 'plain', text: `has ${name} as a field and not as a group`, name };
    at = member.members;
  }
  const tag = path.at(-1)!;
  if (value === undefined) return null;
  const field = dictionaries.map(({ fields }) => fields.get(tag)).find((each) => each !== undefined);
  if (field === undefined || field.values === null || field.open || field.values.has(value)) return null;
  const text = `lacks ${fieldName(tag)}=${value}`;
  return { kind: 'value', text, name: text };
}

function messageName(msgType: string, messages: ReadonlyMap<string, MessageDefinition>): string {
  return `${messages.get(msgType)?.name ?? MESSAGE_NAMES.get(msgType) ?? ''}(${msgType})`;
}
