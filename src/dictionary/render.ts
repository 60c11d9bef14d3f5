// A dictionary as QuickFIX XML again, in one file: components resolved, overlays in it, and for FIX.5.0 and later the
// transport's header, trailer and session messages too. For engines that take one file per session.

import { type Dictionary, type FieldDefinition, joined, joinedMessages, type Member } from './definition.ts';

/**
 * Write a dictionary as one QuickFIX XML file.
 *
 * @param transport of a FIX.5.0 dictionary: its header, trailer and session messages are written too; where both define a
 *   field, the values of both count
 */
export function renderDictionary(dictionary: Dictionary, transport: Dictionary | null = null): string {
  const parts = transport === null ? [dictionary] : [transport, dictionary];
  const messages = joinedMessages(parts);
  const fields = new Map<number, FieldDefinition>();
  for (const part of parts) {
    for (const field of part.fields.values()) fields.set(field.tag, merged(fields.get(field.tag), field));
  }
  // A file has one name for a tag: that of the application, because an overlay of it may give the tag another meaning.
  const written = (members: readonly Member[], indent: string): string => membersOf(members, indent, fields);
  const header = joined(parts.flatMap((part) => part.header));
  const trailer = joined(parts.flatMap((part) => part.trailer));
  const messageElements = [...messages.values()].map(({ name, msgType, category, members }) =>
    element('    ', 'message', { name, msgtype: msgType, msgcat: category }, written(members, '      ')),
  );
  const fieldElements = [...fields.values()].sort((a, b) => a.tag - b.tag).map(fieldElement);
  return element(
    '',
    'fix',
    versionOf(dictionary.version),
    [
      element('  ', 'header', {}, written(header, '    ')),
      element('  ', 'messages', {}, messageElements.join('')),
      element('  ', 'trailer', {}, written(trailer, '    ')),
      element('  ', 'components', {}, ''),
      element('  ', 'fields', {}, fieldElements.join('')),
    ].join(''),
  );
}

function merged(first: FieldDefinition | undefined, second: FieldDefinition): FieldDefinition {
  if (first === undefined) return second;
  const values = first.values === null || second.values === null ? null : new Map([...first.values, ...second.values]);
  return { ...second, values: values ?? first.values ?? second.values, open: first.open || second.open };
}

/** `FIX.5.0SP2` as the attributes of the root. */
function versionOf(version: string): Record<string, string> {
  const [type = 'FIX', major = '', rest = ''] = version.split('.');
  const [minor = '', servicepack = '0'] = rest.split('SP');
  return { type, major, minor, servicepack };
}

function membersOf(members: readonly Member[], indent: string, fields: ReadonlyMap<number, FieldDefinition>): string {
  return members
    .map((member) => {
      const { name } = fields.get(member.field.tag) ?? member.field;
      const attributes = { name, required: member.required ? 'Y' : 'N' };
      const inside = member.kind === 'group' ? membersOf(member.members, `${indent}  `, fields) : '';
      return element(indent, member.kind, attributes, inside);
    })
    .join('');
}

function fieldElement({ tag, name, type, values, open }: FieldDefinition): string {
  const inside = [...(values ?? [])].map(([value, description]) =>
    element('      ', 'value', { enum: value, description }, ''),
  );
  const others: Record<string, string> = open ? { allowOtherValues: 'Y' } : {};
  return element('    ', 'field', { number: String(tag), name, type, ...others }, inside.join(''));
}

function element(indent: string, name: string, attributes: Readonly<Record<string, string>>, inside: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}='${escaped(value)}'`);
  const open = `${indent}<${name}${written.join('')}`;
  return inside === '' ? `${open}/>\n` : `${open}>\n${inside}${indent}</${name}>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&apos;');
}
