// Repeating groups of a message: its fields cut into entries, counts checked.
// Leaves which tags belong to a group to the caller, who has the dictionary.

import type { Decimal } from '../base/decimal.ts';
import type { EpochMs } from '../base/time.ts';

/** The fields of a message by their index in it, as message-view.ts has them. */
export interface IndexedFields {
  /** Index of the first field in [from, end) with this tag; -1 if there is none. */
  indexOf(tag: number, from: number, end: number): number;
  tagAt(i: number): number;
  stringAt(i: number): string;
  intAt(i: number): number;
  decimalAt(i: number): Decimal | null;
  booleanAt(i: number): boolean | null;
  utcTimestampAt(i: number): EpochMs | null;
}

/** One entry of a repeating group: the fields [first, end) of its message. Valid as long as the message's view. */
export class GroupEntry {
  readonly view: IndexedFields;
  readonly first: number;
  readonly end: number;

  constructor(view: IndexedFields, first: number, end: number) {
    this.view = view;
    this.first = first;
    this.end = end;
  }

  /** Index in the message of the first field with this tag in this entry; -1 if there is none. */
  indexOf(tag: number): number {
    return this.view.indexOf(tag, this.first, this.end);
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
  groupEntries(countTag: number, memberTags?: readonly number[]): GroupEntry[] | null {
    return entriesOf(this.view, countTag, this.first, this.end, memberTags);
  }
}

/** Entries of the group that `countTag` opens within the fields [from, end); see `MessageView.groupEntries`. */
export function entriesOf(
  view: IndexedFields,
  countTag: number,
  from: number,
  end: number,
  memberTags: readonly number[] | undefined,
): GroupEntry[] | null {
  const countAt = view.indexOf(countTag, from, end);
  if (countAt === -1) return [];
  const count = view.intAt(countAt);
  if (count === 0) return [];
  // A negative, malformed or huge count cannot match: every entry takes a field.
  if (!(count > 0 && count < end - countAt)) return null;
  let last = end;
  if (memberTags !== undefined) {
    last = countAt + 1;
    while (last < end && memberTags.includes(view.tagAt(last))) last++;
  }
  const delimiter = view.tagAt(countAt + 1);
  const entries: GroupEntry[] = [];
  let first = countAt + 1;
  while (first < last && entries.length < count) {
    const next = view.indexOf(delimiter, first + 1, last);
    entries.push(new GroupEntry(view, first, next === -1 ? last : next));
    first = next === -1 ? last : next;
  }
  return entries.length === count && first >= last ? entries : null;
}
