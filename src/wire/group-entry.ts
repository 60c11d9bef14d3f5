// Repeating groups of a message: its fields cut into entries, counts checked. Which fields stand in a group is what the message's
// outline says, which is its dictionary's (rule S13).

import type { Decimal } from '../base/decimal.ts';
import type { EpochMs } from '../base/time.ts';

/** The fields of a message by their index in it, as message-view.ts has them. */
export interface IndexedFields {
  /** Index of the first field in [from, end) with this tag, in a group or not; -1 if there is none. */
  indexFrom(tag: number, from: number, end: number): number;
  /** How many groups field `i` stands in. */
  depthAt(i: number): number;
  tagAt(i: number): number;
  stringAt(i: number): string;
  intAt(i: number): number;
  decimalAt(i: number): Decimal | null;
  booleanAt(i: number): boolean | null;
  utcTimestampAt(i: number): EpochMs | null;
}

/** A run of fields of a message, those of its own `depth` groups deep and those of groups in it deeper. */
interface FieldRun {
  readonly first: number;
  readonly end: number;
  readonly depth: number;
}

/** One entry of a repeating group: the fields [first, end) of its message. Valid as long as the message's view. */
export class GroupEntry implements FieldRun {
  readonly view: IndexedFields;
  readonly first: number;
  readonly end: number;
  readonly depth: number;

  constructor(view: IndexedFields, { first, end, depth }: FieldRun) {
    this.view = view;
    this.first = first;
    this.end = end;
    this.depth = depth;
  }

  /** Index in the message of this entry's own field with this tag, the first if there are several; -1 if there is none. */
  indexOf(tag: number): number {
    return ownIndex(this.view, tag, this);
  }

  has(tag: number): boolean {
    return this.indexOf(tag) !== -1;
  }

  /** Value of the tag in this entry, or null. The other readers answer as those of `MessageView`. */
  string(tag: number): string | null {
    const i = this.indexOf(tag);
    return i === -1 ? null : this.view.stringAt(i);
  }

  int(tag: number): number | null {
    const i = this.indexOf(tag);
    return i === -1 ? null : this.view.intAt(i);
  }

  decimal(tag: number): Decimal | null {
    const i = this.indexOf(tag);
    return i === -1 ? null : this.view.decimalAt(i);
  }

  boolean(tag: number): boolean | null {
    const i = this.indexOf(tag);
    return i === -1 ? null : this.view.booleanAt(i);
  }

  utcTimestamp(tag: number): EpochMs | null {
    const i = this.indexOf(tag);
    return i === -1 ? null : this.view.utcTimestampAt(i);
  }

  /** Entries of a group nested in this entry; see `MessageView.groupEntries`. */
  groupEntries(countTag: number): GroupEntry[] | null {
    return entriesOf(this.view, countTag, this);
  }
}

/** Entries of the group that `countTag` opens in a run of fields; see `MessageView.groupEntries`. */
export function entriesOf(view: IndexedFields, countTag: number, run: FieldRun): GroupEntry[] | null {
  const countAt = ownIndex(view, countTag, run);
  if (countAt === -1) return [];
  const count = view.intAt(countAt);
  if (count === 0) return [];
  // A negative, malformed or huge count cannot match: every entry takes a field.
  if (!(count > 0 && count < run.end - countAt)) return null;
  let first = countAt + 1;
  const depth = run.depth + 1;
  const isKnown = view.depthAt(first) >= depth;
  let last = run.end;
  if (isKnown) for (last = first; last < run.end && view.depthAt(last) >= depth; ) last++;
  const delimiter = view.tagAt(first);
  // Without an outline, the fields of an entry cannot be separated from those around it.
  const own = isKnown ? depth : run.depth;
  const entries: GroupEntry[] = [];
  while (first < last && entries.length < count) {
    let next = view.indexFrom(delimiter, first + 1, last);
    while (next !== -1 && view.depthAt(next) !== own) next = view.indexFrom(delimiter, next + 1, last);
    const end = next === -1 ? last : next;
    entries.push(new GroupEntry(view, { first, end, depth: own }));
    first = end;
  }
  return entries.length === count && first >= last ? entries : null;
}

function ownIndex(view: IndexedFields, tag: number, { first, end, depth }: FieldRun): number {
  let i = view.indexFrom(tag, first, end);
  while (i !== -1 && view.depthAt(i) !== depth) i = view.indexFrom(tag, i + 1, end);
  return i;
}
