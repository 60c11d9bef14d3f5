// Decides whether fields stand where they may, for ordinary messages only. It stops at the first unusual field, such as
// a nested group or an unknown tag; validator.ts then examines it and continues. quick-values.ts checks values.
//
// Its two loops call no function that could change an array, so the compiler keeps bounds and addresses in registers.
// Most of the speed comes from this. No check is skipped, only deferred.

import type { MessageView } from '../wire/mod.ts';
import { Entry, type Layout, Section, type Tables } from './layout.ts';

/** Counters restart here, well inside an Int32: one message adds at most as many entries as it has fields. */
const COUNTER_MAX = 0x7000_0000;

/** How far the pass over one message has come. Used again for every message. */
export class QuickPass {
  /** By ordinal: the message, and the group entry, in which the field was seen last, as counted by the next two. */
  readonly seen: Int32Array;
  readonly seenInEntry: Int32Array;
  message = 0;
  private entryCount = 0;
  /** {@link Section} of the last field outside groups, and the required fields met there. */
  section = 0;
  required = 0;
  /** The group that is open: its entries so far, the mark of the present one, its last role and required fields met. */
  entries = 0;
  mark = 0;
  lastRole = 0;
  requiredInEntry = 0;

  constructor(ordinals: number) {
    this.seen = new Int32Array(ordinals);
    this.seenInEntry = new Int32Array(ordinals);
  }

  beginMessage(): void {
    if (this.message >= COUNTER_MAX || this.entryCount >= COUNTER_MAX) {
      this.seen.fill(0);
      this.seenInEntry.fill(0);
      this.message = 0;
      this.entryCount = 0;
    }
    this.message++;
    this.section = Section.Header;
    this.required = 0;
  }

  /** Set when the first entry begins. */
  beginGroup(): void {
    this.entries = 0;
  }

  beginEntry(): void {
    this.entries++;
    this.mark = ++this.entryCount;
    this.requiredInEntry = 0;
  }

  /** Pass fields outside groups from `from` on; returns the first that needs a closer look, or the field count. */
  fields(view: MessageView, tables: Tables, layout: Layout, from: number): number {
    const { tags, fieldCount } = view;
    const { ordinalByTag } = tables;
    const { entries } = layout;
    const { seen, message } = this;
    const tagEnd = ordinalByTag.length | 0;
    let { section, required } = this;
    let i = from;
    for (; i < fieldCount; i++) {
      const tag = tags[i]!;
      if (tag >= tagEnd) break;
      const ordinal = ordinalByTag[tag]!;
      const entry = entries[ordinal]!;
      const place = (entry >> Entry.SectionShift) & Entry.SectionMask;
      if (entry === 0 || (entry & Entry.CloserLook) !== 0 || seen[ordinal] === message || place < section) break;
      seen[ordinal] = message;
      section = place;
      required = (required + ((entry >> Entry.RequiredShift) & 1)) | 0;
    }
    this.section = section;
    this.required = required;
    return i;
  }

  /** Pass fields of the open group from `from` on; returns the first that needs a closer look or is no member. */
  members(view: MessageView, tables: Tables, group: Layout, declared: number, from: number): number {
    const { tags, fieldCount } = view;
    const { ordinalByTag } = tables;
    const { entries: members, requiredCount } = group;
    const { seenInEntry: seen } = this;
    const tagEnd = ordinalByTag.length | 0;
    let { entries, mark, lastRole, requiredInEntry, entryCount } = this;
    let i = from;
    for (; i < fieldCount; i++) {
      const tag = tags[i]!;
      if (tag >= tagEnd) break;
      const ordinal = ordinalByTag[tag]!;
      const entry = members[ordinal]!;
      const role = entry >> Entry.RoleShift;
      if (entry === 0 || (entry & Entry.CloserLook) !== 0) break;
      if (role === 1) {
        if (entries >= declared || (entries > 0 && requiredInEntry !== requiredCount)) break;
      } else if (entries === 0 || role <= lastRole || seen[ordinal] === mark) break;
      if (role === 1) {
        entries = (entries + 1) | 0;
        entryCount = (entryCount + 1) | 0;
        mark = entryCount;
        requiredInEntry = 0;
      }
      seen[ordinal] = mark;
      lastRole = role;
      requiredInEntry = (requiredInEntry + ((entry >> Entry.RequiredShift) & 1)) | 0;
    }
    this.entries = entries;
    this.mark = mark;
    this.lastRole = lastRole;
    this.requiredInEntry = requiredInEntry;
    this.entryCount = entryCount;
    return i;
  }
}
