// Messages as an application of the library sees them: fields by name or tag, in the type that they are asked for, and
// new messages from fields by name. The wire room has bytes; the dictionary has required fields.

import { AssertionError, assert } from '../../base/assert.ts';
import { Decimal } from '../../base/decimal.ts';
import { CrossgateError } from '../../base/errors.ts';
import { type EpochMs, formatUtcTimestamp } from '../../base/time.ts';
import { recordedBytes } from '../../session/mod.ts';
import {
  type Charset,
  charsetNamed,
  decodeText,
  type GroupEntry,
  LATIN1,
  lengthTagOf,
  MessageDraft,
  type MessageView,
  Tag,
  toPrintable,
  viewOf,
} from '../../wire/mod.ts';

/** A field by its FIX name, such as `ClOrdID`, or by its tag, such as 11 or a tag of one's own. */
export type Field = keyof typeof Tag | number;

/** Values that a field accepts; null leaves it out. A `number` is whole: amounts are texts or decimals. */
export type FieldValue = string | Buffer | Decimal | bigint | boolean | number | Date | null;

type Source = Pick<MessageView | GroupEntry, 'has' | 'string' | 'int' | 'decimal' | 'boolean' | 'utcTimestamp'> & {
  groupEntries(countTag: number): GroupEntry[] | null;
};

/** Fields of the header that are said of one message, those of an intermediary's NoHops(627) among them. */
const OF_HEADER: readonly number[] = [
  ...[
    Tag.ApplVerID,
    Tag.CstmApplVerID,
    Tag.ApplExtID,
    Tag.MessageEncoding,
    Tag.PossResend,
    Tag.XmlDataLen,
    Tag.XmlData,
  ],
  ...[Tag.SenderSubID, Tag.SenderLocationID, Tag.TargetSubID, Tag.TargetLocationID],
  ...[Tag.OnBehalfOfCompID, Tag.OnBehalfOfSubID, Tag.OnBehalfOfLocationID],
  ...[Tag.DeliverToCompID, Tag.DeliverToSubID, Tag.DeliverToLocationID],
  ...[Tag.NoHops, Tag.HopCompID, Tag.HopSendingTime, Tag.HopRefID],
];
/** Fields that the session writes into header and trailer: a second one would make the message unreadable. */
const OF_SESSION: readonly number[] = [
  ...[Tag.BeginString, Tag.BodyLength, Tag.MsgType, Tag.SenderCompID, Tag.TargetCompID, Tag.MsgSeqNum, Tag.SendingTime],
  ...[Tag.PossDupFlag, Tag.OrigSendingTime, Tag.LastMsgSeqNumProcessed, Tag.CheckSum],
];
/** Data of the body, which may hold SOH and is announced by its Length field. */
const OF_DATA: readonly number[] = Object.values(Tag).filter((tag) => lengthTagOf(tag) !== 0);
const Place = { Header: 1, Session: 2, Data: 3 } as const;
/** By tag where a field belongs, 0 being the body: looked up for every field that is written. */
const PLACES = new Uint8Array(1 + Math.max(...OF_HEADER, ...OF_SESSION, ...OF_DATA));
for (const tag of OF_DATA) PLACES[tag] = Place.Data;
for (const tag of OF_HEADER) PLACES[tag] = Place.Header;
for (const tag of OF_SESSION) PLACES[tag] = Place.Session;

/** Whether the standard has it as data. */
const isData = (tag: number): boolean => PLACES[tag] === Place.Data || tag === Tag.XmlData;

/** A map: an object's property, by a name that varies, is searched for among all five hundred. */
const TAGS: ReadonlyMap<string, number> = new Map(Object.entries(Tag));

/** The tag, or NaN for a name that is none. */
function tagOf(field: Field): number {
  return typeof field === 'number' ? field : (TAGS.get(field) ?? Number.NaN);
}

/** Reads fields. Every reader answers null for a field that is not there, and NaN or null for one that is malformed. */
export class Fields {
  /** MsgType(35) of the message. */
  readonly msgType: string;
  #source: Source | null;
  /** Character set of its texts. */
  protected readonly charset: Charset;

  constructor(source: Source, msgType: string, charset: Charset) {
    this.#source = source;
    this.msgType = msgType;
    this.charset = charset;
  }

  /** Whether the field is there. */
  has(field: Field): boolean {
    return this.source().has(tagOf(field));
  }

  /**
   * The value as text: in the character set of the message's MessageEncoding(347), else of the session. Without either, and where its
   * bytes are none of the set, a character for each byte.
   */
  string(field: Field): string | null {
    const value = this.source().string(tagOf(field));
    return value === null || this.charset === LATIN1 ? value : decodeText(value, this.charset);
  }

  /** The value as it was sent. */
  bytes(field: Field): Buffer | null {
    const value = this.source().string(tagOf(field));
    return value === null ? null : Buffer.from(value, 'latin1');
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

  /**
   * Entries of a repeating group by its counter, such as `NoPartyIDs`; none if it is absent or its count is wrong. Each has the
   * fields that the dictionary gives it; the last entry of a group that is in none has all that follows.
   */
  group(counter: Field): Fields[] {
    const entries = this.source().groupEntries(tagOf(counter)) ?? [];
    return entries.map((entry) => new Fields(entry, this.msgType, this.charset));
  }

  /** Release the bytes: a caller that reads on has kept the message beyond its callback. */
  protected release(): void {
    this.#source = null;
  }

  protected source(): Source {
    assert(this.#source !== null, 'a message is valid during its callback only: keep a copy()');
    return this.#source;
  }
}

/** A received application message. Valid during the callback that received it; `copy()` it to keep it. */
export class FixMessage extends Fields {
  readonly #view: MessageView;
  /** PossDupFlag(43)=Y: sent before, but new to this session, unless it was asked for once more by `receiveFrom()`. */
  readonly possDup: boolean;

  constructor(view: MessageView, possDup: boolean, charset: Charset = LATIN1) {
    const encoding = view.string(Tag.MessageEncoding);
    super(view, view.msgType, (encoding === null ? null : charsetNamed(encoding)) ?? charset);
    this.#view = view;
    this.possDup = possDup;
  }

  /** MsgSeqNum(34). */
  get msgSeqNum(): number {
    return this.int('MsgSeqNum') ?? 0;
  }

  /**
   * Add fields to a message as they stand here, in this order: the repeated part of an answer. Those that are absent
   * are left out; those of the header go there. Data such as `RawData`, or of the dictionary's own fields, brings its
   * Length field with it, unless that is named too. Of a repeating group it is the counter alone: the entries are added
   * behind it.
   */
  copyTo(draft: MessageDraft, ...fields: readonly Field[]): void {
    this.source();
    for (const field of fields) {
      const tag = tagOf(field);
      const place = PLACES[tag];
      if (place === Place.Session) throw new AssertionError(`${field} is written by the session`);
      if (isData(tag) || (place === undefined && this.#view.dataFields.addsAny)) {
        announce(draft, this.#view.dataFields.lengthTagOf(tag), this.#view.string(tag), fields);
      }
      const value = place === Place.Header ? this.bytes(tag) : null;
      if (value === null) this.#view.copyTo(draft, tag);
      else draft.header(tag, value);
    }
  }

  /** The same message in bytes of its own, valid for good. */
  copy(): FixMessage {
    this.source();
    const view = viewOf(this.#view.copyBytes(), this.#view.dataFields);
    assert(view !== null, 'a message that framed once frames again');
    return new FixMessage(view, this.possDup, this.charset);
  }

  /** The bytes as text, SOH as `|`, passwords as stars: printed text has many readers. */
  override toString(): string {
    this.source();
    return toPrintable(recordedBytes(this.#view));
  }

  /** For `console.log` of Node.js. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  /** For the engine: the callback has returned. */
  expire(): void {
    this.release();
  }
}

/** A tag in the header of a message that the session writes by itself; 0 if there is none. */
export function sessionTagIn(draft: MessageDraft): number {
  if (draft.headerTag === 0) return 0;
  if (!draft.hasFurtherHeaderFields) return PLACES[draft.headerTag] === Place.Session ? draft.headerTag : 0;
  return draft.headerTags.find((tag) => PLACES[tag] === Place.Session) ?? 0;
}

/** @throws CrossgateError XG_MESSAGE_INVALID naming the field */
function textOf(value: Exclude<FieldValue, null | Buffer>, name: string, tag: number): string {
  const wrong = (text: string): CrossgateError => new CrossgateError('XG_MESSAGE_INVALID', `${name}(${tag}) ${text}`);
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw wrong('is an invalid Date');
    return formatUtcTimestamp(value.getTime());
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'Y' : 'N';
  if (typeof value === 'number') {
    // A binary fraction is not exact: 0.1 + 0.2 would leave as 0.30000000000000004.
    if (!Number.isSafeInteger(value))
      throw wrong(`is ${value}, no whole number: write an amount as text ('${value}') or as a Decimal`);
    return String(value);
  }
  // Written all the same, an array or an object would be the name of its class.
  if (typeof value === 'bigint' || value instanceof Decimal) return String(value);
  throw wrong(
    'is no text, Buffer, number, bigint, Decimal, boolean or Date; entries of a group are added by add() behind the counter',
  );
}

/** Without its Length field before it, the end of data is unknown: SOH in it would be written as a question mark. */
function announce(
  draft: MessageDraft,
  lengthTag: number,
  data: string | Buffer | null,
  fields: readonly Field[],
): void {
  if (lengthTag === 0 || data === null || data.length === 0 || fields.some((field) => tagOf(field) === lengthTag))
    return;
  if (PLACES[lengthTag] === Place.Header) draft.header(lengthTag, String(data.length));
  else draft.add(lengthTag, String(data.length));
}

/**
 * Begin a message: its MsgType(35) and fields by name, in the order of writing. Header fields of one message, such as
 * TargetSubID(57) or PossResend(97), go into the header; the session writes the rest of header and trailer. Data such
 * as RawData(96) gets its Length field unless that is given. Texts become bytes when the message is sent, in the
 * character set of its MessageEncoding(347) or of the session; Buffers stay as they are. Add repeating groups and
 * further fields to the result.
 * @throws CrossgateError XG_MESSAGE_INVALID naming the field for a value that no field has, such as a number with a fraction
 */
export function newMessage(msgType: string, fields: Partial<Record<keyof typeof Tag, FieldValue>> = {}): MessageDraft {
  const draft = new MessageDraft(msgType);
  for (const name in fields) {
    const value = fields[name as keyof typeof Tag];
    if (value === undefined || value === null) continue;
    const tag = tagOf(name as keyof typeof Tag);
    // Written anyway, it would be a field without a tag: an unreadable message with a number, at every resend.
    assert(tag > 0, `${name} is no field that has a name here: it is added by its tag`);
    const place = PLACES[tag];
    if (place === Place.Session) throw new AssertionError(`${name}(${tag}) is written by the session`);
    const written = Buffer.isBuffer(value) ? value : textOf(value, name, tag);
    if (isData(tag)) announce(draft, lengthTagOf(tag), written, Object.keys(fields) as Field[]);
    if (place === Place.Header) draft.header(tag, written);
    else draft.add(tag, written);
  }
  return draft;
}
