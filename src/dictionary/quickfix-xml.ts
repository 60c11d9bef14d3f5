// QuickFIX XML data dictionaries to definitions: components resolved, groups nested, overlays added, errors with their
// place in the file. Leaves reading files to its callers and the check of messages to validator.ts.

import { SaxesParser } from 'saxes';
import { CrossgateError } from '../base/errors.ts';
import { Dictionary, type FieldDefinition, joined, type Member, type MessageDefinition } from './definition.ts';

/** A dictionary file: its text and the name for error messages. */
export interface DictionarySource {
  readonly xmlText: string;
  readonly fileName: string;
}

/** An element with its place. */
interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Element[];
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/**
 * Read a QuickFIX XML data dictionary of any FIX version. Overlays are files of the same form; their fields, values,
 * members and messages are added.
 *
 * @throws CrossgateError XG_DICTIONARY_INVALID, `file:line:column: reason`. A DOCTYPE is refused, and with it every
 * entity that a document could define or fetch.
 */
export function loadDictionary(
  xmlText: string,
  fileName: string,
  overlays: readonly DictionarySource[] = [],
): Dictionary {
  const base = parse({ xmlText, fileName });
  const sources = [base, ...overlays.map(parse)];
  const fields = readFields(sources);
  const resolver = new MemberResolver(fields.byName, readComponents(sources));
  const section = (name: string): readonly Member[] =>
    joined(sources.flatMap((root) => resolver.members(child(root, name))));
  const messages = readMessages(sources, resolver);
  return new Dictionary({
    version: versionOf(base, fileName),
    header: section('header'),
    trailer: section('trailer'),
    messages,
    fields: fields.byTag,
  });
}

/** The file name without its folder, such as `FIX50SP2.xml`. A start takes the version from it. */
const NAMED = /(?:^|[\\/])(FIXT?)(\d)(\d)(?:SP(\d))?\.xml$/;

/**
 * Version from the root element, completed by the file name, because QuickFIX/J's files omit the service pack. The
 * wrong version would check a session by the wrong dictionary.
 */
function versionOf(root: Element, fileName: string): string {
  const [named, namedType = 'FIX', major, minor, namedServicePack = '0'] = NAMED.exec(fileName) ?? [];
  const type = root.attributes.type ?? namedType;
  const servicePack = Number(root.attributes.servicepack ?? namedServicePack);
  const suffix = (number: number): string => (number > 0 ? `SP${number}` : '');
  const version = `${type}.${required(root, 'major')}.${required(root, 'minor')}${suffix(servicePack)}`;
  const byName = `${namedType}.${major}.${minor}${suffix(Number(namedServicePack))}`;
  if (named === undefined || version === byName) return version;
  throw invalid(root, `the root says that it is of ${version}, and by its name it is of ${byName}`);
}

function readFields(sources: readonly Element[]): {
  byTag: Map<number, FieldDefinition>;
  byName: Map<string, FieldDefinition>;
} {
  const byTag = new Map<number, FieldDefinition>();
  const byName = new Map<string, FieldDefinition>();
  for (const root of sources) {
    for (const element of child(root, 'fields')?.children ?? []) {
      if (element.name !== 'field') throw invalid(element, `<${element.name}> is not expected in <fields>`);
      const number = required(element, 'number');
      const tag = /^\d{1,6}$/.test(number) ? Number(number) : 0;
      if (tag < 1) throw invalid(element, 'number must be from 1 to 999999');
      const name = required(element, 'name');
      const previous = byTag.get(tag);
      if (previous !== undefined && (root === sources[0] || previous.name !== name)) {
        throw invalid(element, `field ${tag} is defined twice (${previous.name})`);
      }
      if (byName.get(name)?.tag !== previous?.tag) throw invalid(element, `field name ${name} is used twice`);
      const field = readField(element, tag, name, previous);
      byTag.set(tag, field);
      byName.set(name, field);
    }
  }
  return { byTag, byName };
}

function readField(
  element: Element,
  tag: number,
  name: string,
  previous: FieldDefinition | undefined,
): FieldDefinition {
  const values = new Map(previous?.values ?? []);
  for (const value of element.children) {
    // QuickFIX also knows <values> around them; engines' users have both forms.
    for (const each of value.name === 'values' ? value.children : [value]) {
      if (each.name !== 'value') throw invalid(each, `<${each.name}> is not expected in <field>`);
      values.set(required(each, 'enum'), each.attributes.description ?? '');
    }
  }
  const type = (element.attributes.type ?? previous?.type ?? 'STRING').toUpperCase();
  // Stock dictionaries call MiscFeeType(139) CHAR and enumerate 10 to 12: what is enumerated is allowed.
  const isText = type === 'CHAR' && [...values.keys()].some((value) => value.length > 1);
  return {
    tag,
    name,
    type: isText ? 'STRING' : type,
    values: values.size === 0 ? null : values,
    open: yes(element, 'allowOtherValues') || previous?.open === true,
  };
}

function readComponents(sources: readonly Element[]): Map<string, Element[]> {
  const components = new Map<string, Element[]>();
  for (const root of sources) {
    for (const element of child(root, 'components')?.children ?? []) {
      if (element.name !== 'component') throw invalid(element, `<${element.name}> is not expected in <components>`);
      const name = required(element, 'name');
      components.set(name, [...(components.get(name) ?? []), element]);
    }
  }
  return components;
}

function readMessages(sources: readonly Element[], resolver: MemberResolver): Map<string, MessageDefinition> {
  const messages = new Map<string, MessageDefinition>();
  for (const root of sources) {
    for (const element of child(root, 'messages')?.children ?? []) {
      if (element.name !== 'message') throw invalid(element, `<${element.name}> is not expected in <messages>`);
      const msgType = required(element, 'msgtype');
      const previous = messages.get(msgType);
      if (previous !== undefined && root === sources[0]) throw invalid(element, `message ${msgType} is defined twice`);
      messages.set(msgType, {
        msgType,
        name: required(element, 'name'),
        category: element.attributes.msgcat === 'admin' ? 'admin' : 'app',
        members: joined([...(previous?.members ?? []), ...resolver.members(element)]),
      });
    }
  }
  return messages;
}

/** Of any version of FIX a fraction of either is used. */
const DEPTH_MAX = 64;
const MEMBERS_MAX = 50_000;

/** Resolves the members of messages, groups and components by name. */
class MemberResolver {
  private readonly fields: ReadonlyMap<string, FieldDefinition>;
  private readonly components: ReadonlyMap<string, readonly Element[]>;
  /** Members of each component as required and as optional, resolved once: large dictionaries use some hundreds of times. */
  private readonly resolved = new Map<string, readonly Member[]>();
  private readonly sizes = new Map<readonly Member[], number>();
  private readonly open = new Set<string>();
  private depth = 0;

  constructor(fields: ReadonlyMap<string, FieldDefinition>, components: ReadonlyMap<string, readonly Element[]>) {
    this.fields = fields;
    this.components = components;
  }

  /** Members of an element; of an optional component none is required by itself. */
  members(parent: Element | undefined, optional = false): Member[] {
    return parent === undefined ? [] : parent.children.flatMap((element) => this.member(element, optional));
  }

  private member(element: Element, optional: boolean): readonly Member[] {
    if (this.depth >= DEPTH_MAX) throw invalid(element, `groups and components are nested deeper than ${DEPTH_MAX}`);
    this.depth += 1;
    const members = this.membersOf(element, optional);
    this.depth -= 1;
    return members;
  }

  private membersOf(element: Element, optional: boolean): readonly Member[] {
    const name = required(element, 'name');
    const isRequired = !optional && yes(element, 'required');
    switch (element.name) {
      case 'field':
        return [{ kind: 'field', field: this.field(element, name), required: isRequired }];
      case 'group': {
        const members = this.members(element);
        if (members.length === 0) throw invalid(element, 'a group needs at least one field');
        return [{ kind: 'group', field: this.field(element, name), required: isRequired, members }];
      }
      case 'component':
        return this.component(element, name, !isRequired);
      default:
        throw invalid(element, `<${element.name}> is not expected here`);
    }
  }

  private component(element: Element, name: string, optional: boolean): readonly Member[] {
    const key = `${name} ${optional}`;
    const known = this.resolved.get(key);
    if (known !== undefined) return known;
    const definitions = this.components.get(name);
    if (definitions === undefined) throw invalid(element, `component ${name} is not defined`);
    if (this.open.has(name)) throw invalid(element, `component ${name} contains itself`);
    this.open.add(name);
    const members = joined(definitions.flatMap((definition) => this.members(definition, optional)));
    if (this.sizeOf(members) > MEMBERS_MAX) {
      throw invalid(element, `component ${name} has more than ${MEMBERS_MAX} members`);
    }
    this.open.delete(name);
    this.resolved.set(key, members);
    return members;
  }

  /** Members with those of their groups, for each place where a shared group stands. */
  private sizeOf(members: readonly Member[]): number {
    const known = this.sizes.get(members);
    if (known !== undefined) return known;
    let size = members.length;
    for (const member of members) if (member.kind === 'group') size += this.sizeOf(member.members);
    this.sizes.set(members, size);
    return size;
  }

  private field(element: Element, name: string): FieldDefinition {
    const field = this.fields.get(name);
    if (field === undefined) throw invalid(element, `field ${name} is not defined in <fields>`);
    return field;
  }
}

function parse(source: DictionarySource): Element {
  const parser = new SaxesParser({ position: true });
  const open: Element[] = [];
  let root: Element | null = null;
  let line = 1;
  let column = 0;
  const fail = (what: string, at = { line: parser.line, column: parser.column }): never => {
    throw new CrossgateError('XG_DICTIONARY_INVALID', `${source.fileName}:${at.line}:${at.column + 1}: ${what}`);
  };
  parser.on('error', (error) => fail(error.message.replace(/^\d+:\d+: /, '')));
  parser.on('doctype', () => fail('a DOCTYPE is not allowed: it could define or fetch entities'));
  parser.on('opentagstart', ({ name }) => {
    // Called once the name and one further character are read: that character may have ended the line.
    const start = parser.column - name.length - 2;
    line = start < 0 ? parser.line - 1 : parser.line;
    column = Math.max(0, start);
  });
  parser.on('opentag', (tag) => {
    const attributes = tag.attributes as Record<string, string>;
    const element: Element = { name: tag.name, attributes, children: [], file: source.fileName, line, column };
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else parent.children.push(element);
    open.push(element);
  });
  parser.on('closetag', () => open.pop());
  parser.write(source.xmlText).close();
  const found = root as Element | null;
  if (found === null) return fail('the file is empty');
  if (found.name !== 'fix') throw invalid(found, `the root must be <fix>, not <${found.name}>`);
  return found;
}

function child(parent: Element, name: string): Element | undefined {
  return parent.children.find((element) => element.name === name);
}

function required(element: Element, attribute: string): string {
  const value = element.attributes[attribute];
  if (value === undefined || value === '') throw invalid(element, `<${element.name}> needs the attribute ${attribute}`);
  return value;
}

function yes(element: Element, attribute: string): boolean {
  const value = element.attributes[attribute];
  return value !== undefined && /^(y|yes|true)$/i.test(value);
}

function invalid(element: Element, what: string): CrossgateError {
  return new CrossgateError('XG_DICTIONARY_INVALID', `${element.file}:${element.line}:${element.column + 1}: ${what}`);
}
