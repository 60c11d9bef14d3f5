// The tags of the last message of a type that were all where they may be. What follows on a connection mostly has the same,
// and whether fields may stand where they stand depends on nothing but their tags and the numbers of group entries.
// Leaves values to quick-values.ts.

import type { MessageView } from '../wire/mod.ts';

/** Fields of the longest message that is remembered. */
const FIELDS_MAX = 512;

/** One message's tags, and how many entries each of its groups has. Empty until something was learnt. */
export class Shape {
  private tags = new Int32Array(0);
  private count = 0;
  /** Indexes of the fields that open groups, and their values. */
  private readonly openers: number[] = [];
  private readonly entries: number[] = [];

  /** Whether the message has these tags in this order, and as many group entries. */
  fits(view: MessageView): boolean {
    const { tags, count, openers } = this;
    const { tags: present } = view;
    if (count !== view.fieldCount) return false;
    for (let i = 0; i < count; i++) if (tags[i] !== present[i]) return false;
    for (let k = 0; k < openers.length; k++) if (view.intAt(openers[k]!) !== this.entries[k]) return false;
    return true;
  }

  /** Remember a message that is right; `openers` are the indexes of its fields that open groups. */
  learn(view: MessageView, openers: readonly number[]): void {
    const { tags, fieldCount } = view;
    if (fieldCount > FIELDS_MAX) return;
    if (fieldCount > this.tags.length) this.tags = new Int32Array(Math.min(FIELDS_MAX, 2 * fieldCount));
    for (let i = 0; i < fieldCount; i++) this.tags[i] = tags[i]!;
    this.count = fieldCount;
    this.openers.length = 0;
    this.entries.length = 0;
    for (let k = 0; k < openers.length; k++) {
      this.openers.push(openers[k]!);
      this.entries.push(view.intAt(openers[k]!));
    }
  }
}
