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

/** Fields in the order in which they were added: tag, value, tag, value. There may be empty places at and after `end`. */
export class FieldList {
  cells: FieldValue[];
  end = 0;

  /** `cells`: an array of as many empty places as the list begins with. */
  constructor(cells: FieldValue[]) {
    this.cells = cells;
  }

  add(tag: number, value: FieldValue): void {
    const at = this.end;
    if (at === this.cells.length) this.grow();
    const { cells } = this;
    cells[at] = tag;
    cells[at + 1] = value;
    this.end = at + 2;
  }

  /** Four times the places at once: each store beyond an array's end would make it longer by one. */
  private grow(): void {
    const cells = new Array<FieldValue>(4 * this.end);
    for (let i = 0; i < this.end; i++) cells[i] = this.cells[i]!;
    this.cells = cells;
  }

  /** The first value of a tag, or null. */
  get(tag: number): string | null {
    const { cells, end } = this;
    for (let at = 0; at < end; at += 2) if (cells[at] === tag) return textOf(cells[at + 1]!);
    return null;
  }

  tags(): number[] {
    const tags: number[] = [];
    for (let at = 0; at < this.end; at += 2) tags.push(this.cells[at] as number);
    return tags;
  }

  texts(): string[] {
    const texts: string[] = [];
    for (let at = 1; at < this.end; at += 2) texts.push(textOf(this.cells[at]!));
    return texts;
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
  readonly headerFields = new FieldList(new Array<FieldValue>(4));
  readonly bodyFields = new FieldList(new Array<FieldValue>(48));

  constructor(msgType: string) {
    this.msgType = msgType;
  }

  get headerTags(): number[] {
    return this.headerFields.tags();
  }

  get headerValues(): string[] {
    return this.headerFields.texts();
  }

  get tags(): number[] {
    return this.bodyFields.tags();
  }

  get values(): string[] {
    return this.bodyFields.texts();
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
