// Random messages that a dictionary allows, from a seed: every type, optional fields, nested groups, data with SOH inside.

import type { FieldDefinition, Member, MessageDefinition } from '../../../src/dictionary/mod.ts';
import { MessageDraft } from '../../../src/wire/mod.ts';

/** A whole number from 0, less than `below`. */
export type Random = (below: number) => number;

/** A small random number generator, so that 200,000 mutations cost less than what they test (mulberry32). */
export function randomNumbers(from: number): Random {
  let state = from >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return (((t ^ (t >>> 14)) >>> 0) % below) | 0;
  };
}

/** Above, data fields of late extension packs are text to the wire room. */
const DATA_TAG_MAX = 2999;
const isData = (field: FieldDefinition | undefined): boolean => field?.type === 'DATA' || field?.type === 'XMLDATA';
const TEXT = 'abcXYZ019-_. /é';
function valueFor(field: FieldDefinition, random: Random): string {
  if (field.values !== null) return [...field.values.keys()][random(field.values.size)]!;
  const digits = (width: number): string => String(random(10 ** width));
  const two = (from: number, to: number): string => String(from + random(to - from + 1)).padStart(2, '0');
  const zone = (): string => ['', 'Z', '+08', '-05:30'][random(4)]!;
  switch (field.type) {
    case 'INT':
      return (random(4) === 0 ? '-' : '') + digits(6);
    case 'LENGTH':
    case 'SEQNUM':
    case 'NUMINGROUP':
    case 'TAGNUM':
      return digits(7);
    case 'QTY':
    case 'QUANTITY':
    case 'PRICE':
    case 'AMT':
    case 'FLOAT':
    case 'PERCENTAGE':
    case 'PRICEOFFSET':
      return `${random(4) === 0 ? '-' : ''}${digits(9)}.${digits(8)}`;
    case 'CHAR':
      return TEXT.charAt(random(12));
    case 'BOOLEAN':
      return random(2) === 0 ? 'Y' : 'N';
    case 'TIME':
    case 'UTCTIMESTAMP':
      return `20${two(0, 99)}${two(1, 12)}${two(1, 28)}-${two(0, 23)}:${two(0, 59)}:${two(0, 59)}.${String(random(1000)).padStart(3, '0')}`;
    case 'LOCALMKTTIME':
    case 'UTCTIMEONLY':
      return `${two(0, 23)}:${two(0, 59)}:${two(0, 59)}`;
    case 'DATE':
    case 'UTCDATE':
    case 'UTCDATEONLY':
    case 'LOCALMKTDATE':
      return `20${two(0, 99)}${two(1, 12)}${two(1, 28)}`;
    case 'MONTH-YEAR':
    case 'MONTHYEAR':
      return `20${two(0, 99)}${two(1, 12)}`;
    case 'DAY-OF-MONTH':
    case 'DAYOFMONTH':
      return String(1 + random(31));
    case 'TZTIMEONLY':
      return `${two(0, 23)}:${two(0, 59)}${zone()}`;
    case 'TZTIMESTAMP':
      return `20${two(0, 99)}${two(1, 12)}${two(1, 28)}-${two(0, 23)}:${two(0, 59)}:${two(0, 59)}${zone()}`;
    case 'COUNTRY':
    case 'LANGUAGE':
      return String.fromCharCode(0x41 + random(26), 0x61 + random(26));
    case 'TENOR':
      return `${'DWMY'.charAt(random(4))}${1 + random(99)}`;
    case 'RESERVED100PLUS':
    case 'RESERVED1000PLUS':
    case 'RESERVED4000PLUS':
      return String(4000 + random(1000));
    case 'MULTIPLECHARVALUE':
      return Array.from({ length: 1 + random(4) }, () => String.fromCharCode(0x41 + random(26))).join(' ');
    case 'MULTIPLESTRINGVALUE':
    case 'MULTIPLEVALUESTRING':
      return Array.from({ length: 1 + random(4) }, () => digits(4)).join(' ');
    default:
      return Array.from({ length: 1 + random(20) }, () => TEXT.charAt(random(TEXT.length))).join('');
  }
}

/** Members that must be there, and each other one half of the time; data fields with their Length, SOH inside. */
function fill(draft: MessageDraft, members: readonly Member[], random: Random, first = false): void {
  const written = new Set<number>();
  members.forEach((member, at) => {
    const { field } = member;
    const next = members[at + 1]?.field;
    // Some dictionaries name a field twice in one place; a message has it once.
    if (isData(field) || written.has(field.tag)) return;
    written.add(field.tag);
    if (!(member.required || (first && at === 0)) && random(2) === 0) return;
    if (member.kind === 'group') {
      // Some counts are enumerated: NoSides(552) is 1 or 2.
      const entries = field.values === null ? 1 + random(3) : Number(valueFor(field, random));
      draft.add(field.tag, String(entries));
      for (let i = 0; i < entries; i++) fill(draft, member.members, random, true);
    } else if (next !== undefined && isData(next)) {
      const data = next.tag > DATA_TAG_MAX ? 'x' : ['x', 'a\x01b', '8=FIX.4.4\x01', '10=123\x01', '\x01'][random(5)]!;
      draft.add(field.tag, String(data.length)).add(next.tag, data);
    } else draft.add(field.tag, valueFor(field, random));
  });
}

/** A message of this type with random contents that its dictionary allows. */
export function randomDraft(definition: MessageDefinition, random: Random): MessageDraft {
  const draft = new MessageDraft(definition.msgType);
  fill(draft, definition.members, random);
  return draft;
}
