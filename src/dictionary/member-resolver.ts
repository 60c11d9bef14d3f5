// The members of messages, groups and components of a QuickFIX XML data dictionary by their names: fields looked up, components
// put in their place, groups nested. Leaves fields and messages to quickfix-xml.ts.

import { type FieldDefinition, joined, type Member } from './definition.ts';
import { type Element, type Faults, required, yes } from './quickfix-elements.ts';

/** Of any version of FIX a fraction of either is used. */
const DEPTH_MAX = 64;
const MEMBERS_MAX = 50_000;
/** Types that a count of entries has in the dictionaries of any version. */
const COUNT_TYPES: ReadonlySet<string> = new Set(['NUMINGROUP', 'INT', 'LENGTH']);

/**
 * Resolves the members of messages, groups and components by name. An unresolvable member is a problem, and left out.
 */
export class MemberResolver {
  private readonly fields: ReadonlyMap<string, FieldDefinition>;
  private readonly components: ReadonlyMap<string, readonly Element[]>;
  private readonly faults: Faults;
  /** Members of each component as required and as optional, resolved once: large dictionaries use some hundreds of times. */
  private readonly resolved = new Map<string, readonly Member[]>();
  private readonly sizes = new Map<readonly Member[], number>();
  private readonly open = new Set<string>();
  private readonly used = new Set<string>();
  private depth = 0;

  constructor(
    fields: ReadonlyMap<string, FieldDefinition>,
    components: ReadonlyMap<string, readonly Element[]>,
    faults: Faults,
  ) {
    this.fields = fields;
    this.components = components;
    this.faults = faults;
  }

  /** Members of an element; of an optional component none is required by itself. */
  members(parent: Element | undefined, optional = false): Member[] {
    if (parent === undefined) return [];
    const names = new Set<string>();
    for (const element of parent.children) {
      const { name } = element.attributes;
      if (element.name !== 'component' && name !== undefined && names.has(name)) {
        this.faults.warning(
          element,
          `${name} is listed twice in <${parent.name}> ${parent.attributes.name ?? ''}`.trim(),
        );
      }
      if (name !== undefined) names.add(name);
    }
    return parent.children.flatMap((element) => this.member(element, optional));
  }

  /** Look at the components that nothing uses: what is wrong in them is a warning. */
  checkUnused(): void {
    this.faults.leniently(() => {
      for (const [name, [definition]] of this.components) {
        if (!this.used.has(name) && definition !== undefined) this.component(definition, name, true);
      }
    });
  }

  private member(element: Element, optional: boolean): readonly Member[] {
    if (this.depth >= DEPTH_MAX) {
      this.faults.problem(element, `groups and components are nested deeper than ${DEPTH_MAX}`);
      return [];
    }
    this.depth += 1;
    const members = this.membersOf(element, optional);
    this.depth -= 1;
    return members;
  }

  private membersOf(element: Element, optional: boolean): readonly Member[] {
    if (!['field', 'group', 'component'].includes(element.name)) {
      this.faults.problem(element, `<${element.name}> is not expected here`);
      return [];
    }
    const name = required(element, 'name', this.faults);
    const isRequired = !optional && yes(element, 'required');
    if (name === '') return [];
    if (element.name === 'component') return this.component(element, name, !isRequired);
    const field = this.fields.get(name);
    if (element.name === 'field') {
      if (field === undefined) this.faults.problem(element, `field ${name} is not defined in <fields>`);
      return field === undefined ? [] : [{ kind: 'field', field, required: isRequired }];
    }
    return this.group(element, name, field, isRequired);
  }

  private group(
    element: Element,
    name: string,
    field: FieldDefinition | undefined,
    isRequired: boolean,
  ): readonly Member[] {
    const members = this.members(element);
    if (field === undefined) {
      this.faults.problem(element, `group ${name} has no count field: field ${name} is not defined in <fields>`);
      return [];
    }
    if (!COUNT_TYPES.has(field.type)) {
      this.faults.warning(element, `the count field of group ${name} is of type ${field.type}, and not NUMINGROUP`);
    }
    if (members.length > 0) return [{ kind: 'group', field, required: isRequired, members }];
    // One that lost its members by another problem is none itself.
    if (element.children.length === 0 || this.faults.isClean) {
      this.faults.problem(element, 'a group needs at least one field');
    }
    return [];
  }

  private component(element: Element, name: string, optional: boolean): readonly Member[] {
    const key = `${name} ${optional}`;
    const known = this.resolved.get(key);
    if (known !== undefined) return known;
    this.used.add(name);
    const definitions = this.components.get(name);
    if (definitions === undefined) {
      this.faults.problem(element, `component ${name} is not defined`);
      return [];
    }
    if (this.open.has(name)) {
      const circle = [...this.open].slice([...this.open].indexOf(name) + 1);
      const by = circle.length === 0 ? '' : `, by ${circle.join(', ')}`;
      this.faults.problem(element, `component ${name} contains itself${by}`);
      return [];
    }
    this.open.add(name);
    let members = joined(definitions.flatMap((definition) => this.members(definition, optional)));
    if (this.sizeOf(members) > MEMBERS_MAX) {
      this.faults.problem(element, `component ${name} has more than ${MEMBERS_MAX} members`);
      members = [];
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
}
