// Keeps the tags of the last well-formed message of each type. The next message of a connection mostly has the same
// tags. Where fields stand, and which check of plain-values.ts each value needs, depends only on the tags and the numbers
// of group entries.

import type { GroupOutline, MessageView } from '../wire/mod.ts';
import { PlainValues } from './plain-values.ts';
import type { LookTables } from './quick-values.ts';

/** Fields of the longest message that is remembered. */
const FIELDS_MAX = 512;

/** Facts that are the same for all messages with the same tags and the same numbers of entries. */
interface Common {
  /** By field, the number of groups that it stands in; null if that is 0 for all. */
  readonly depths: Uint8Array | null;
  /** Where the message's own fields stand, by tag. */
  readonly places: Int32Array<ArrayBuffer>;
  readonly values: PlainValues;
}

/** One message's tags, and how many entries each of its groups has. Empty until something was learnt. */
export class Shape {
  private tags = new Int32Array(0);
  private count = 0;
  /** Indexes of the fields that open groups, and their values. */
  private readonly openers: number[] = [];
  private readonly entries: number[] = [];
  /** Null until a second message fits: messages that alternate cost nothing more. */
  private common: Common | null = null;

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

  /** Note for a message that fits where its fields stand; returns the check of its values. */
  apply(view: MessageView, tables: LookTables, outline: GroupOutline | null): PlainValues {
    const common = this.common ?? this.commonOf(view, tables, outline);
    view.placeAs(common.depths, common.places);
    return common.values;
  }

  private commonOf(view: MessageView, tables: LookTables, outline: GroupOutline | null): Common {
    const depths = this.outline(view, outline);
    this.common = { depths, places: view.placesOf(), values: new PlainValues(view, tables) };
    return this.common;
  }

  /** Note for a message that fits which of its fields stand in groups. */
  outline(view: MessageView, outline: GroupOutline | null): Uint8Array | null {
    const depths = this.openers.length === 0 ? null : (outline?.depthsOf(view) ?? null);
    view.outlineAs(depths);
    return depths;
  }

  /** Remember a message that is right, unless it is too long; `openers` are the indexes of its fields that open groups. */
  learn(view: MessageView, openers: readonly number[]): boolean {
    const { tags, fieldCount } = view;
    if (fieldCount > FIELDS_MAX) return false;
    this.common = null;
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
