// A FIX Repository as jspurefix reads it, written as QuickFIX XML: rows of messages, contents, components, fields and
// values become one dictionary. Leaves reading the files to jspurefix and checking the result to the dictionary room.

/** Rows of a FIX Repository, as the files have them: every value is text. Names are the repository's. */
export interface RepositoryRows {
  readonly Fields: readonly { readonly Tag: string; readonly Name: string; readonly Type: string }[];
  readonly Enums: readonly { readonly Tag: string; readonly Value: string; readonly SymbolicName?: string }[];
  readonly Components: readonly { readonly ComponentID: string; readonly Name: string }[];
  readonly Messages: readonly {
    readonly ComponentID: string;
    readonly MsgType: string;
    readonly Name: string;
    readonly CategoryID: string;
  }[];
  readonly MsgContents: readonly ContentRow[];
}

interface ContentRow {
  readonly ComponentID: string;
  /** A tag, or the name of a component. */
  readonly TagText: string;
  /** Rows deeper than the one above are entries of the group that it counts. */
  readonly Indent: string;
  readonly Position: string;
  readonly Reqd: string;
}

/** Content of a dictionary file: a whole version, or one side of FIX.5.0's transport independence. */
export const Part = { Whole: 'whole', Transport: 'transport', Application: 'application' } as const;
export type Part = (typeof Part)[keyof typeof Part];

const HEADER = 'StandardHeader';
const TRAILER = 'StandardTrailer';
/** Depth of groups and components beyond which a repository is taken for damaged. */
const DEPTH_MAX = 12;

/** A dictionary file, and the names of the repository's messages that it does not define: tags and components. */
export interface RenderedRepository {
  readonly xmlText: string;
  readonly undefinedNames: readonly string[];
}

/**
 * Write a part of a repository as a QuickFIX XML data dictionary.
 *
 * @param version `FIX.4.4`, `FIX.5.0SP2`; ignored for the transport part, which is FIXT.1.1
 */
export function renderRepository(rows: RepositoryRows, version: string, part: Part): RenderedRepository {
  const renderer = new Renderer(rows);
  const xmlText = renderer.render(version, part);
  return { xmlText, undefinedNames: [...renderer.undefinedNames] };
}

class Renderer {
  private readonly rows: RepositoryRows;
  private readonly fieldsByTag: ReadonlyMap<string, RepositoryRows['Fields'][number]>;
  private readonly valuesByTag = new Map<string, { readonly Value: string; readonly SymbolicName?: string }[]>();
  private readonly contents = new Map<string, ContentRow[]>();
  private readonly componentIds: ReadonlyMap<string, string>;
  /** Names of components and tags that the rendered sections name. */
  private readonly components = new Set<string>();
  private readonly tags = new Set<string>();
  readonly undefinedNames = new Set<string>();

  constructor(rows: RepositoryRows) {
    this.rows = rows;
    this.fieldsByTag = new Map(rows.Fields.map((field) => [field.Tag, field]));
    this.componentIds = new Map(rows.Components.map((component) => [component.Name, component.ComponentID]));
    for (const row of rows.Enums) this.valuesByTag.set(row.Tag, [...(this.valuesByTag.get(row.Tag) ?? []), row]);
    for (const row of rows.MsgContents) {
      const list = this.contents.get(row.ComponentID);
      if (list === undefined) this.contents.set(row.ComponentID, [row]);
      else list.push(row);
    }
    for (const list of this.contents.values()) list.sort((a, b) => Number(a.Position) - Number(b.Position));
  }

  render(version: string, part: Part): string {
    const wanted = this.rows.Messages.filter(
      ({ CategoryID }) => part === Part.Whole || (CategoryID === 'Session') === (part === Part.Transport),
    );
    const messages = wanted.map(({ ComponentID, MsgType, Name, CategoryID }) => {
      const members = this.members(ComponentID, '      ');
      const category = CategoryID === 'Session' ? 'admin' : 'app';
      return element('    ', 'message', { name: Name, msgtype: MsgType, msgcat: category }, members);
    });
    const [header, trailer] = [HEADER, TRAILER].map((name) =>
      part === Part.Application ? '' : this.members(this.componentIds.get(name) ?? '', '    '),
    );
    const components = this.renderComponents();
    const fields = this.rows.Fields.filter(({ Tag }) => this.tags.has(Tag)).map((field) => this.field(field));
    const sections = [
      element('  ', 'header', {}, header!),
      element('  ', 'messages', {}, messages.join('')),
      element('  ', 'trailer', {}, trailer!),
      element('  ', 'components', {}, components),
      element('  ', 'fields', {}, fields.join('')),
    ];
    return element('', 'fix', attributesOf(version, part), sections.join(''));
  }

  /** Components that are named, and those that they name, until none is new. */
  private renderComponents(): string {
    const rendered = new Map<string, string>();
    for (const name of this.components) {
      rendered.set(
        name,
        element('    ', 'component', { name }, this.members(this.componentIds.get(name) ?? '', '      ')),
      );
    }
    return [...rendered.values()].join('');
  }

  private members(componentId: string, indent: string): string {
    const rows = this.contents.get(componentId) ?? [];
    return this.level(rows, 0, rows.length, indent, 0);
  }

  /** Rows [from, to) of one depth; deeper ones go into the group of the row before it. */
  private level(rows: readonly ContentRow[], from: number, to: number, indent: string, depth: number): string {
    if (depth > DEPTH_MAX || from >= to) return '';
    const own = Number(rows[from]!.Indent);
    let text = '';
    for (let i = from; i < to; ) {
      let end = i + 1;
      while (end < to && Number(rows[end]!.Indent) > own) end++;
      text += this.member(rows[i]!, this.level(rows, i + 1, end, `${indent}  `, depth + 1), indent);
      i = end;
    }
    return text;
  }

  private member({ TagText, Reqd }: ContentRow, entries: string, indent: string): string {
    const required = Reqd === '1' ? 'Y' : 'N';
    const field = this.fieldsByTag.get(TagText);
    if (field !== undefined) {
      this.tags.add(TagText);
      return element(indent, entries === '' ? 'field' : 'group', { name: field.Name, required }, entries);
    }
    if (TagText === HEADER || TagText === TRAILER) return '';
    if (!this.componentIds.has(TagText)) {
      this.undefinedNames.add(TagText);
      return '';
    }
    this.components.add(TagText);
    return element(indent, 'component', { name: TagText, required }, '');
  }

  private field({ Tag, Name, Type }: RepositoryRows['Fields'][number]): string {
    const values = (this.valuesByTag.get(Tag) ?? []).map(({ Value, SymbolicName }) => {
      const description = upperSnake(SymbolicName ?? Value);
      return element('      ', 'value', { enum: Value.trim(), description }, '');
    });
    // Of these types the standard enumerates a few values and leaves the rest to agreement.
    const open: Record<string, string> = values.length > 0 && /^Reserved/.test(Type) ? { allowOtherValues: 'Y' } : {};
    return element('    ', 'field', { number: Tag, name: Name, type: typeOf(Type), ...open }, values.join(''));
  }
}

function attributesOf(version: string, part: Part): Record<string, string> {
  if (part === Part.Transport) return { type: 'FIXT', major: '1', minor: '1', servicepack: '0' };
  const [, major, minor, servicepack] = /^FIX\.(\d)\.(\d)(?:SP(\d))?$/.exec(version) ?? [];
  return { type: 'FIX', major: major ?? '', minor: minor ?? '', servicepack: servicepack ?? '0' };
}

function typeOf(type: string): string {
  if (/^Reserved/.test(type)) return 'INT';
  return type === 'XMLData' ? 'DATA' : type.toUpperCase();
}

/** `GoodTillCancel` as `GOOD_TILL_CANCEL`. */
function upperSnake(symbolicName: string): string {
  return symbolicName
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1_$2')
    .toUpperCase();
}

function element(indent: string, name: string, attributes: Readonly<Record<string, string>>, inside: string): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}='${escaped(value)}'`);
  const open = `${indent}<${name}${written.join('')}`;
  return inside === '' ? `${open}/>\n` : `${open}>\n${inside}${indent}</${name}>\n`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll("'", '&apos;');
}
