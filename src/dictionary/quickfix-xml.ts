// QuickFIX XML data dictionaries to definitions: fields, messages, overlays added, and every fault in one run. Callers read the
// files, quickfix-elements.ts reads XML, member-resolver.ts resolves members, and validator.ts checks messages.

import { Dictionary, type FieldDefinition, joined, type Member, type MessageDefinition } from './definition.ts';
import { MemberResolver } from './member-resolver.ts';
import { child, type DictionarySource, type Element, Faults, parse, required, yes } from './quickfix-elements.ts';
import { isDataType } from './value-format.ts';

/**
 * Read a QuickFIX XML data dictionary of any FIX version. Overlays are files of the same form; their fields, values,
 * members and messages are added.
 *
 * @throws DictionaryInvalid XG_DICTIONARY_INVALID with all faults, `file:line:column: reason` each. A DOCTYPE is refused, and with it
 *   every entity that a document could define or fetch.
 */
export function loadDictionary(
  xmlText: string,
  fileName: string,
  overlays: readonly DictionarySource[] = [],
): Dictionary {
  const faults = new Faults();
  const sources = [{ xmlText, fileName }, ...overlays].map((source) => parse(source, faults));
  const isWhole = (roots: readonly (Element | null)[]): roots is [Element, ...Element[]] => !roots.includes(null);
  if (!isWhole(sources)) throw faults.refusal();
  const fields = readFields(sources, faults);
  const resolver = new MemberResolver(fields.byName, readComponents(sources, faults), faults);
  const section = (name: string): readonly Member[] =>
    joined(sources.flatMap((root) => resolver.members(child(root, name))));
  const parts = {
    version: versionOf(sources[0], fileName, faults),
    header: section('header'),
    trailer: section('trailer'),
    messages: readMessages(sources, resolver, faults),
    fields: fields.byTag,
  };
  resolver.checkUnused();
  return new Dictionary({ ...parts, warnings: faults.settle() });
}

/** The file name without its folder, such as `FIX50SP2.xml`. A start takes the version from it. */
const NAMED = /(?:^|[\\/])(FIXT?)(\d)(\d)(?:SP(\d))?\.xml$/;

/**
 * Version from the root element, completed by the file name, because QuickFIX/J's files omit the service pack. The
 * wrong version would check a session by the wrong dictionary.
 */
function versionOf(root: Element, fileName: string, faults: Faults): string {
  const [named, namedType = 'FIX', major, minor, namedServicePack = '0'] = NAMED.exec(fileName) ?? [];
  const type = root.attributes.type ?? namedType;
  const servicePack = Number(root.attributes.servicepack ?? namedServicePack);
  const suffix = (number: number): string => (number > 0 ? `SP${number}` : '');
  const version = `${type}.${required(root, 'major', faults)}.${required(root, 'minor', faults)}${suffix(servicePack)}`;
  const byName = `${namedType}.${major}.${minor}${suffix(Number(namedServicePack))}`;
  if (named !== undefined && version !== byName) {
    faults.problem(root, `the root says that it is of ${version}, and by its name it is of ${byName}`);
  }
  return version;
}

interface Fields {
  readonly byTag: Map<number, FieldDefinition>;
  readonly byName: Map<string, FieldDefinition>;
  /** User-defined fields of the base, which an overlay may give a meaning of its own. */
  readonly ownOfBase: Set<number>;
}

/** Tags from here on belong to houses (FIX 5.0, Volume 1, "User Defined Fields"). */
const USER_DEFINED_FROM = 5_000;

function readFields(sources: readonly Element[], faults: Faults): Fields {
  const fields: Fields = { byTag: new Map(), byName: new Map(), ownOfBase: new Set() };
  for (const root of sources) {
    for (const element of child(root, 'fields')?.children ?? []) {
      if (element.name === 'field') addField(element, root === sources[0], fields, faults);
      else faults.problem(element, `<${element.name}> is not expected in <fields>`);
    }
  }
  return fields;
}

/** A field with a fault keeps its name: references to it are no faults of their own. */
function addField(element: Element, isOfBase: boolean, fields: Fields, faults: Faults): void {
  const { byTag, byName, ownOfBase } = fields;
  const number = required(element, 'number', faults);
  const tag = /^\d{1,6}$/.test(number) ? Number(number) : 0;
  if (number !== '' && tag < 1) faults.problem(element, 'number must be from 1 to 999999');
  const name = required(element, 'name', faults);
  const previous = tag < 1 ? undefined : byTag.get(tag);
  if (previous !== undefined && previous.name === name && isOfBase) {
    faults.warning(element, `field ${tag} is defined twice (${name}): the first definition counts`);
    return;
  }
  if (isOfBase && tag >= USER_DEFINED_FROM) ownOfBase.add(tag);
  else if (!isOfBase && previous !== undefined && previous.name !== name && ownOfBase.delete(tag)) {
    const own = readField(element, tag, name, undefined, faults);
    byTag.set(tag, own);
    // Messages of the base name it as before.
    for (const each of [previous.name, name]) byName.set(each, own);
    return;
  }
  const isTwice = previous !== undefined && previous.name !== name;
  if (isTwice) faults.problem(element, `field ${tag} is defined twice (${previous.name})`);
  const isNameTwice = !isTwice && name !== '' && byName.has(name) && byName.get(name)?.tag !== previous?.tag;
  if (isNameTwice) faults.problem(element, `field name ${name} is used twice`);
  const field = readField(element, tag, name, isTwice ? undefined : previous, faults);
  if (!isTwice && tag > 0) byTag.set(tag, field);
  if (!isNameTwice) byName.set(name, field);
}

function readField(
  element: Element,
  tag: number,
  name: string,
  previous: FieldDefinition | undefined,
  faults: Faults,
): FieldDefinition {
  const values = new Map(previous?.values ?? []);
  for (const value of element.children) {
    // QuickFIX also knows <values> around them; engines' users have both forms.
    for (const each of value.name === 'values' ? value.children : [value]) {
      if (each.name === 'value') values.set(required(each, 'enum', faults), each.attributes.description ?? '');
      else faults.problem(each, `<${each.name}> is not expected in <field>`);
    }
  }
  const type = (element.attributes.type ?? previous?.type ?? 'STRING').toUpperCase();
  if (!isDataType(type)) {
    const lost = 'its values are not checked, and it is no data field';
    faults.warning(element, `${name}(${tag}) is of type ${type}, which no version of FIX has: ${lost}`);
  }
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

function readComponents(sources: readonly Element[], faults: Faults): Map<string, Element[]> {
  const components = new Map<string, Element[]>();
  for (const root of sources) {
    for (const element of child(root, 'components')?.children ?? []) {
      if (element.name === 'component') {
        const name = required(element, 'name', faults);
        components.set(name, [...(components.get(name) ?? []), element]);
      } else faults.problem(element, `<${element.name}> is not expected in <components>`);
    }
  }
  return components;
}

function readMessages(
  sources: readonly Element[],
  resolver: MemberResolver,
  faults: Faults,
): Map<string, MessageDefinition> {
  const messages = new Map<string, MessageDefinition>();
  for (const root of sources) {
    for (const element of child(root, 'messages')?.children ?? []) {
      if (element.name !== 'message') {
        faults.problem(element, `<${element.name}> is not expected in <messages>`);
        continue;
      }
      const msgType = required(element, 'msgtype', faults);
      const previous = messages.get(msgType);
      if (previous !== undefined && root === sources[0]) faults.problem(element, `message ${msgType} is defined twice`);
      messages.set(msgType, {
        msgType,
        name: required(element, 'name', faults),
        category: element.attributes.msgcat === 'admin' ? 'admin' : 'app',
        members: joined([...(previous?.members ?? []), ...resolver.members(element)]),
      });
    }
  }
  return messages;
}
