// Finds the required field that a message of ours lacks, before it is sent: one walk of its tags, by level. Leaves every other
// check of a message to validator.ts, which sees what arrives.

import type { MessageDraft } from '../wire/mod.ts';
import { Entry, type Layout, Section, type Tables } from './layout.ts';

/** Groups within groups that are followed; the standard has five at most. */
const DEPTH_MAX = 16;

/** A field that a message lacks. */
interface MissingField {
  readonly tag: number;
  /** NumInGroup field of the group with an entry that lacks it; 0: the message itself. */
  readonly counter: number;
}

/** Walks messages of one dictionary. Used again for every message; makes nothing for one that lacks nothing. */
export class RequiredFields {
  private readonly tables: Tables;
  private readonly tags: number[] = [];
  private count = 0;
  private draft: MessageDraft | null = null;
  /** By level, and by ordinal: the message or entry in which the field was seen last, as {@link mark} counts them. */
  private readonly seen: Int32Array[] = [];
  private mark = 0;
  /** The message, and the groups around the present one, the innermost last. */
  private readonly around: Layout[] = [];
  private missing: MissingField | null = null;
  /** Whether the present message opens a group: its tags alone do not say where entries end. */
  private hasGroup = false;
  /** Tags of the last message of each type that lacked nothing and had no group: mostly the next one has the same. */
  private readonly complete = new Map<Layout, readonly number[]>();

  constructor(tables: Tables) {
    this.tables = tables;
  }

  /**
   * The first required field that the message lacks, in words that follow its name; null if it lacks none, and for a type that the
   * dictionary does not define.
   */
  missingIn(draft: MessageDraft): string | null {
    const layout = this.tables.layoutOf(draft.msgType);
    if (layout === null) return null;
    this.count = draft.copyTags(this.tags);
    const complete = this.complete.get(layout);
    if (complete !== undefined && this.isLike(complete)) return null;
    this.draft = draft;
    this.missing = null;
    this.hasGroup = false;
    this.around.length = 0;
    this.walk(layout);
    this.draft = null;
    if (this.missing !== null) return this.inWords(this.missing);
    if (!this.hasGroup) this.complete.set(layout, this.tags.slice(0, this.count));
    return null;
  }

  private isLike(complete: readonly number[]): boolean {
    const { tags, count } = this;
    if (complete.length !== count) return false;
    for (let i = 0; i < count; i++) if (tags[i] !== complete[i]) return false;
    return true;
  }

  private inWords({ tag, counter }: MissingField): string {
    const { tables } = this;
    const named = (one: number): string => `${tables.names[tables.ordinal(one)]}(${one})`;
    const required = `${named(tag)}, which the dictionary requires`;
    return counter === 0 ? `lacks ${required}` : `has an entry of ${named(counter)} that lacks ${required}`;
  }

  private walk(layout: Layout): void {
    const { tables, tags, count } = this;
    const { entries, requiredInBody, groups } = layout;
    const seen = this.seenAt(0);
    const mark = this.nextMark();
    let required = 0;
    for (let i = 0; i < count; i++) {
      const ordinal = tables.ordinal(tags[i]!);
      const entry = entries[ordinal]!;
      if (entry === 0 || seen[ordinal] === mark) continue;
      seen[ordinal] = mark;
      if (isRequiredInBody(entry)) required++;
      if ((entry & Entry.Group) === 0) continue;
      this.around.push(layout);
      i = this.walkGroup(i, groups[entry >> Entry.RoleShift]!) - 1;
      this.around.pop();
      if (this.missing !== null) return;
    }
    if (required !== requiredInBody)
      this.missing = { tag: firstMissing(tables, layout, { seen, mark }, isRequiredInBody), counter: 0 };
  }

  /** Walk the group with its counter at `countAt`; returns the index of the first field behind it. */
  private walkGroup(countAt: number, group: Layout): number {
    this.hasGroup = true;
    const { tables, tags, count, around } = this;
    const depth = around.length;
    let i = countAt + 1;
    // An entry begins with each repetition of the first field.
    const delimiter = i < count ? tags[i]! : 0;
    if (depth > DEPTH_MAX || group.entries[tables.ordinal(delimiter)] === 0) return i;
    const seen = this.seenAt(depth);
    let entriesLeft = this.isAround(tables.ordinal(delimiter)) ? this.declaredAt(countAt) : Number.POSITIVE_INFINITY;
    let mark = 0;
    let required = 0;
    let lastRole = 0;
    for (; i < count; i++) {
      const tag = tags[i]!;
      const ordinal = tables.ordinal(tag);
      const entry = group.entries[ordinal]!;
      if (entry === 0) {
        if (this.isAround(ordinal)) break;
        continue;
      }
      const role = entry >> Entry.RoleShift;
      if (tag === delimiter) {
        if (entriesLeft-- <= 0) break;
        if (mark !== 0 && required !== group.requiredCount) break;
        mark = this.nextMark();
        required = 0;
      } else if ((seen[ordinal] === mark || role <= lastRole) && this.isAround(ordinal)) break;
      if (seen[ordinal] !== mark && (entry & Entry.Required) !== 0) required++;
      seen[ordinal] = mark;
      lastRole = role;
      if ((entry & Entry.Group) === 0) continue;
      around.push(group);
      i = this.walkGroup(i, group.groups[role]!) - 1;
      around.pop();
      if (this.missing !== null) return i;
    }
    if (mark !== 0 && required !== group.requiredCount)
      this.missing = { tag: firstMissing(tables, group, { seen, mark }), counter: tags[countAt]! };
    return i;
  }

  /** Whether the message or a group around the present one has the field too. */
  private isAround(ordinal: number): boolean {
    const { around } = this;
    for (let k = around.length - 1; k >= 0; k--) if (around[k]!.entries[ordinal] !== 0) return true;
    return false;
  }

  private declaredAt(index: number): number {
    return Number(this.draft!.values[index]);
  }

  private seenAt(depth: number): Int32Array {
    this.seen[depth] ??= new Int32Array(this.tables.names.length);
    return this.seen[depth];
  }

  private nextMark(): number {
    // Int32: entries of many hours.
    if (this.mark >= 0x7000_0000) {
      for (const each of this.seen) each.fill(0);
      this.mark = 0;
    }
    return ++this.mark;
  }
}

const isRequired = (entry: number): boolean => (entry & Entry.Required) !== 0;

/** Those of header and trailer are the session's. */
const isRequiredInBody = (entry: number): boolean =>
  isRequired(entry) && ((entry >> Entry.SectionShift) & Entry.SectionMask) === Section.Body;

/** The first member of a layout that is wanted, by default if it is required, and that `seen` does not mark with `mark`. */
export function firstMissing(
  tables: Tables,
  layout: Layout,
  { seen, mark }: { readonly seen: Int32Array; readonly mark: number },
  isWanted: (entry: number) => boolean = isRequired,
): number {
  const tag = layout.tags.find((each) => {
    const ordinal = tables.ordinal(each);
    return isWanted(layout.entries[ordinal]!) && seen[ordinal] !== mark;
  });
  return tag ?? 0;
}
