// Keeps the tags of the last well-formed message of each type. The next message of a connection mostly has the same
// tags, and the places of fields depend only on tags and the number of group entries. quick-values.ts checks values.

import type { GroupOutline, MessageView } from '../wire/mod.ts';

/** Fields of the longest message that is remembered. */
const FIELDS_MAX = 512;

/** One message's tags, and how many entries each of its groups has. Empty until something was learnt. */
export class Shape {
  private tags = new Int32Array(0);
  private count = 0;
  /** Indexes of the fields that open groups, and their values. */
  private readonly openers: number[] = [];
  private readonly entries: number[] = [];
  /** By field, the number of groups that it stands in, which is the same for all messages that fit; undefined: not asked yet. */
  private depths: Uint8Array | null | undefined = null;

  /** Whether the message has these tags in this order, and as many group entries. */
  fits(view: MessageView): boolean {
    const { tags, count } = this;
    const { tags: present } = view;
    if (count !== view.fieldCount) return false;
    for (let i = 0; i < count; i++) if (tags[i] !== present[i]) return false;
    return this.entriesFit(view);
  }

  private entriesFit(view: MessageView): boolean {
    const { openers, entries } = this;
    for (let k = 0; k < openers.length; k++) if (view.intAt(openers[k]!) !== entries[k]) return false;
    return true;
  }

  /** Tell a message that fits which of its fields stand in groups. */
  outline(view: MessageView, outline: GroupOutline | null): void {
    if (this.depths === undefined) this.depths = outline?.depthsOf(view) ?? null;
    view.outlineAs(this.depths);
  }

  /** Remember a message that is right, unless it is too long; `openers` are the indexes of its fields that open groups. */
  learn(view: MessageView, openers: readonly number[]): boolean {
    const { tags, fieldCount } = view;
    if (fieldCount > FIELDS_MAX) return false;
    this.depths = openers.length === 0 ? null : undefined;
    if (fieldCount > this.tags.length) this.tags = new Int32Array(Math.min(FIELDS_MAX, 2 * fieldCount));
    for (let i = 0; i < fieldCount; i++) this.tags[i] = tags[i]!;
    this.count = fieldCount;
    this.openers.length = 0;
    this.entries.length = 0;
    for (let k = 0; k < openers.length; k++) {
      this.openers.push(openers[k]!);
      this.entries.push(view.intAt(openers[k]!));
    }
    return true;
  }
}
