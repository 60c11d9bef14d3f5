// An outbound message before it has a number: what the application decides, in wire order.
// The session adds the rest of the header (34, 49, 52, 56 …), the writer BodyLength and CheckSum.

import type { Decimal } from '../base/decimal.ts';
import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';

/** A value as it was added: text, a decimal, or a UTCTimestamp in ms. */
type FieldValue = string | Decimal | EpochMs;

/** The value as the writer writes it. */
export function textOf(value: FieldValue): string {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? formatUtcTimestamp(value) : value.toString();
}

/** Fields in the order in which they were added. `tags` and `values` may have empty places at and after `count`. */
export class FieldList {
  tags: number[];
  values: FieldValue[];
  count = 0;

  constructor(tags: number[], values: FieldValue[]) {
    this.tags = tags;
    this.values = values;
  }

  add(tag: number, value: FieldValue): void {
    const at = this.count;
    if (at === this.tags.length) this.grow();
    this.tags[at] = tag;
    this.values[at] = value;
    this.count = at + 1;
  }

  /** Four times the places at once: each store beyond an array's end would make it longer by one. */
  private grow(): void {
    const { count } = this;
    const tags = new Array<number>(4 * count);
    const values = new Array<FieldValue>(4 * count);
    for (let i = 0; i < count; i++) {
      tags[i] = this.tags[i]!;
      values[i] = this.values[i]!;
    }
    this.tags = tags;
    this.values = values;
  }

  /** Index of the first field with this tag, or -1. */
  indexOf(tag: number): number {
    const { tags, count } = this;
    for (let i = 0; i < count; i++) if (tags[i] === tag) return i;
    return -1;
  }

  /** The first value of a tag, or null. */
  get(tag: number): string | null {
    const i = this.indexOf(tag);
    return i === -1 ? null : textOf(this.values[i]!);
  }
}

/**
 * An outbound message as the application builds it: MsgType, body fields in wire order (repeating groups written out:
 * count first, then each entry), and the few header fields that an application owns (57, 115, 128, 97).
 */
export class MessageDraft {
  readonly msgType: string;
  /**
   * For the writer; others read `headerTags`, `tags` and their values. A report's fields fit without the arrays being
   * moved while they grow; their lengths stand here as numbers, since the compiler then makes them in place.
   */
  readonly headerFields = new FieldList(new Array<number>(2), new Array<FieldValue>(2));
  readonly bodyFields = new FieldList(new Array<number>(28), new Array<FieldValue>(28));

  constructor(msgType: string) {
    this.msgType = msgType;
  }

  get headerTags(): number[] {
    return this.headerFields.tags.slice(0, this.headerFields.count);
  }

  get headerValues(): string[] {
    return this.headerFields.values.slice(0, this.headerFields.count).map(textOf);
  }

  get tags(): number[] {
    return this.bodyFields.tags.slice(0, this.bodyFields.count);
  }

  get values(): string[] {
    return this.bodyFields.values.slice(0, this.bodyFields.count).map(textOf);
  }

  /** Append a body field. The value is written as it is; it must not contain SOH. */
  add(tag: number, value: string): this {
    this.bodyFields.add(tag, value);
    return this;
  }

  /** Append a body field unless the value is null. */
  addIf(tag: number, value: string | null): this {
    return value === null ? this : this.add(tag, value);
  }

  /** Append a decimal as `toString` has it, without making that string. */
  addDecimal(tag: number, value: Decimal): this {
    this.bodyFields.add(tag, value);
    return this;
  }

  /** Append a UTCTimestamp with milliseconds. */
  addTime(tag: number, value: EpochMs): this {
    this.bodyFields.add(tag, value);
    return this;
  }

  /** Set a header field that the application owns, such as TargetSubID(57) or PossResend(97). */
  header(tag: number, value: string): this {
    this.headerFields.add(tag, value);
    return this;
  }

  /** The first value of a body tag, or null. */
  get(tag: number): string | null {
    return this.bodyFields.get(tag);
  }
}
