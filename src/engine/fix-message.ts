// Messages as an application of the library sees them: fields by name or tag, in the type that they are asked for, and new
// messages from fields by name. Leaves bytes to the wire room and what a message must contain to the dictionary.

import { assert } from '../base/assert.ts';
import { Decimal } from '../base/decimal.ts';
import { type EpochMs, formatUtcTimestamp } from '../base/time.ts';
import { recordedBytes } from '../session/mod.ts';
import { type GroupEntry, MessageDraft, type MessageView, Tag, toPrintable, viewOf } from '../wire/mod.ts';

/** A field by its FIX name, such as `ClOrdID`, or by its tag, such as 11 or a tag of one's own. */
export type Field = keyof typeof Tag | number;

/** What can be written into a field; null leaves it out. A `number` is whole: prices are texts or decimals. */
export type FieldValue = string | Decimal | bigint | boolean | number | Date | null;

type Source = Pick<MessageView | GroupEntry, 'has' | 'string' | 'int' | 'decimal' | 'boolean' | 'utcTimestamp'> & {
  groupEntries(countTag: number, memberTags?: readonly number[]): GroupEntry[] | null;
};

/** A map: an object's property, by a name that varies, is searched for among all five hundred. */
const TAGS: ReadonlyMap<string, number> = new Map(Object.entries(Tag));

/** The tag, or NaN for a name that is none. */
function tagOf(field: Field): number {
  return typeof field === 'number' ? field : (TAGS.get(field) ?? Number.NaN);
}

/** Reads fields. Every reader answers null for a field that is not there, and NaN or null for one that is malformed. */
export class Fields {
  #source: Source | null;

  constructor(source: Source) {
    this.#source = source;
  }

  has(field: Field): boolean {
    return this.source().has(tagOf(field));
  }

  string(field: Field): string | null {
    return this.source().string(tagOf(field));
  }

  /** A whole number; NaN if the value is none. */
  int(field: Field): number | null {
    return this.source().int(tagOf(field));
  }

  /** An exact decimal; null if the value is none. */
  decimal(field: Field): Decimal | null {
    return this.source().decimal(tagOf(field));
  }

  /** Y or N; null if the value is neither. */
  boolean(field: Field): boolean | null {
    return this.source().boolean(tagOf(field));
  }

  /** A UTCTimestamp in milliseconds since 1970; null if the value is none. */
  time(field: Field): EpochMs | null {
    return this.source().utcTimestamp(tagOf(field));
  }

  /** Entries of a repeating group by its counter, such as `NoPartyIDs`; none if it is absent or its count is wrong. */
  group(counter: Field): Fields[] {
    return (this.source().groupEntries(tagOf(counter)) ?? []).map((entry) => new Fields(entry));
  }

  /** Let go of the bytes: whoever reads on has kept the message beyond its callback. */
  protected release(): void {
    this.#source = null;
  }

  protected source(): Source {
    assert(this.#source !== null, 'a message is valid during its callback only: keep a copy()');
    return this.#source;
  }
}

/** A received application message. Valid during the callback that it was given to; `copy()` what you keep. */
export class FixMessage extends Fields {
  readonly msgType: string;
  readonly #view: MessageView;
  /** PossDupFlag(43)=Y: sent before, but new to this session. */
  readonly possDup: boolean;

  constructor(view: MessageView, possDup: boolean) {
    super(view);
    this.#view = view;
    this.msgType = view.msgType;
    this.possDup = possDup;
  }

  get msgSeqNum(): number {
    return this.int('MsgSeqNum') ?? 0;
  }

  /** Add fields to a message as they stand here, in this order: what an answer repeats. Those that are absent are left out. */
  copyTo(draft: MessageDraft, ...fields: readonly Field[]): void {
    this.source();
    for (const field of fields) this.#view.copyTo(draft, tagOf(field));
  }

  /** The same message in bytes of its own, valid for good. */
  copy(): FixMessage {
    this.source();
    const view = viewOf(this.#view.copyBytes(), this.#view.dataFields);
    assert(view !== null, 'a message that framed once frames again');
    return new FixMessage(view, this.possDup);
  }

  /** The bytes as text, SOH as `|`, passwords as stars: what is printed is read by many. */
  override toString(): string {
    this.source();
    return toPrintable(recordedBytes(this.#view));
  }

  /** For the engine: the callback has returned. */
  expire(): void {
    this.release();
  }
}

function textOf(value: Exclude<FieldValue, null>): string {
  if (value instanceof Date) return formatUtcTimestamp(value.getTime());
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'Y' : 'N';
  if (typeof value === 'number') {
    assert(Number.isSafeInteger(value), 'a number in a field is whole; write a price as text or as a Decimal');
  }
  return value instanceof Decimal ? value.toString() : String(value);
}

/**
 * Begin a message: its MsgType(35) and body fields in the order in which they are written. Repeating groups and further
 * fields are added to what it returns; header and trailer are the session's.
 */
export function newMessage(msgType: string, fields: Partial<Record<keyof typeof Tag, FieldValue>> = {}): MessageDraft {
  const draft = new MessageDraft(msgType);
  for (const name in fields) {
    const value = fields[name as keyof typeof Tag];
    if (value === undefined || value === null) continue;
    const tag = tagOf(name as keyof typeof Tag);
    // Written all the same, it would be a field without a tag: a message with a number that nobody can read, however often.
    assert(tag > 0, `${name} is the name of a FIX field: one of your own is added by its tag`);
    // The one field of the header that is said of a message: the version it is in, where a session speaks several.
    if (name === 'ApplVerID') draft.header(Tag.ApplVerID, textOf(value));
    else draft.add(tag, textOf(value));
  }
  return draft;
}
