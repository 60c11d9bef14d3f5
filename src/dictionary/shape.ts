// The tags of the last message of a type that were all where they may be. What follows on a connection mostly has the same,
// and whether fields may stand where they stand depends on nothing but their tags and the numbers of group entries.
// Where the frame was indexed by a kernel, what is remembered becomes a plan by which the kernel looks at tags and values.
// Leaves the values of other frames to quick-values.ts.

import type { KernelPlan, MessageView, PlannedField } from '../wire/mod.ts';

/** Fields of the longest message that is remembered. */
const FIELDS_MAX = 512;

/** Says what a kernel is to look for in the field with a tag: the tables of layout.ts. */
interface Planner {
  planned(tag: number): PlannedField;
}

/** One message's tags, and how many entries each of its groups has. Empty until something was learnt. */
export class Shape {
  private tags = new Int32Array(0);
  private count = 0;
  /** Indexes of the fields that open groups, and their values. */
  private readonly openers: number[] = [];
  private readonly entries: number[] = [];
  private plan: KernelPlan | null = null;
  /** Whether the plan says what is remembered; whether it was tried already. */
  private isPlanned = false;
  private wasTried = false;

  /** Whether the message has these tags in this order, and as many group entries. */
  fits(view: MessageView): boolean {
    const { tags, count } = this;
    const { tags: present } = view;
    if (count !== view.fieldCount) return false;
    for (let i = 0; i < count; i++) if (tags[i] !== present[i]) return false;
    return this.entriesFit(view);
  }

  /**
   * By the plan, index of the first field from `from` on whose value needs a closer look, or the field count; -1 if there is
   * no plan for such a message.
   */
  firstDoubtful(view: MessageView, from: number): number {
    if (!this.isPlanned || this.count !== view.fieldCount) return -1;
    const doubtful = view.doubtfulBy(this.plan!, from);
    return doubtful === -1 || this.entriesFit(view) ? doubtful : -1;
  }

  private entriesFit(view: MessageView): boolean {
    const { openers, entries } = this;
    for (let k = 0; k < openers.length; k++) if (view.intAt(openers[k]!) !== entries[k]) return false;
    return true;
  }

  /** Make a plan of what is remembered, for the kernel that has this message, unless that was tried. */
  makePlan(view: MessageView, tables: Planner): void {
    const kernel = view.judge;
    if (this.wasTried || kernel === null) return;
    this.wasTried = true;
    this.plan ??= kernel.plan();
    if (this.plan === null || this.plan.kernel !== kernel) return;
    const fields: PlannedField[] = [];
    for (let i = 0; i < this.count; i++) fields.push(tables.planned(this.tags[i]!));
    this.isPlanned = kernel.write(this.plan, fields);
  }

  /** Remember a message that is right; `openers` are the indexes of its fields that open groups. */
  learn(view: MessageView, openers: readonly number[]): void {
    const { tags, fieldCount } = view;
    if (fieldCount > FIELDS_MAX) return;
    this.isPlanned = false;
    this.wasTried = false;
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
