// An outbound message before it has a number: what the application decides, in wire order, as bytes already.
// The session adds the rest of the header (34, 49, 52, 56 …), the writer BodyLength and CheckSum.

import { AssertionError, assert } from '../base/assert.ts';
import { type Charset, charsetNamed, encodeText } from './charset.ts';
import type { DataFields } from './data-field.ts';
import { type AddedField, assertTag, FieldBytes, isOfFrame } from './field-bytes.ts';
import { isSecretTag } from './secrets.ts';
import { Tag } from './tag.ts';

/** A header field that the application owns. */
type HeaderField = readonly [tag: number, value: string];

const NONE: readonly HeaderField[] = [];
// biome-ignore lint/suspicious/noControlCharactersInRegex: NUL and SOH are not plain
const PLAIN = /^[\x02-\x7f]*$/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: neither stands in a text
const BREAKING = /[\x00\x01]/;
const CONTROL = /\p{Cc}/gu;

/** Fields as bytes, each Length field with the number of those of its data. @throws AssertionError naming a field */
function bytesOfAll(
  fields: readonly AddedField[],
  charset: Charset,
  dataFields: DataFields,
): { readonly tag: number; readonly value: Buffer }[] {
  const values = fields.map((field) => bytesOf(field, charset));
  return fields.map(({ tag, value, isText }, i) => {
    const counted = dataFields.lengthTagOf(fields[i + 1]?.tag ?? 0) === tag ? i + 1 : null;
    if (counted !== null && value === String(fields[counted]!.value.length))
      return { tag, value: Buffer.from(String(values[counted]!.length)) };
    const announced = fields[i - 1]?.tag === dataFields.lengthTagOf(tag) ? Number(fields[i - 1]!.value) : -1;
    const isData = announced === value.length || announced === values[i]!.length;
    if (!isData && BREAKING.test(value)) {
      const what = value.includes('\x01') ? 'SOH' : 'NUL';
      throw new AssertionError(
        `${fieldName(tag)} holds ${what}: only data may, behind its Length field${isText ? '' : ' with its length'}`,
      );
    }
    return { tag, value: values[i]! };
  });
}

function bytesOf({ tag, value, isText }: AddedField, charset: Charset): Buffer {
  const bytes = isText ? encodeText(value, charset) : value;
  if (bytes !== null) return Buffer.from(bytes, 'latin1');
  const remedy = 'set MessageEncoding(347) or the setting charset to one that has it, or add a Buffer';
  throw new AssertionError(`${fieldName(tag)} holds text that ${charset} does not have: ${remedy}`);
}

const fieldName = (tag: number): string => {
  const name = Object.entries(Tag).find(([, number]) => number === tag)?.[0];
  return name === undefined ? `field ${tag}` : `${name}(${tag})`;
};

/**
 * An outbound message as the application builds it: MsgType, body fields in wire order, and the few header fields that
 * an application owns (57, 115, 128, 97). Repeating groups are written out: count first, then each entry.
 */
export class MessageDraft extends FieldBytes {
  /** MsgType(35). */
  readonly msgType: string;
  /** The header field set first, mostly the only one; tag 0 if there is none. */
  headerTag = 0;
  headerValue = '';
  private furtherHeaderFields: readonly HeaderField[] = NONE;
  /** Tags of the header fields that were set as bytes. */
  private headerBytes: readonly number[] = [];

  constructor(msgType: string, of: MessageDraft | null = null) {
    super(of);
    this.msgType = msgType;
    if (of === null) return;
    this.headerTag = of.headerTag;
    this.headerValue = of.headerValue;
    this.furtherHeaderFields = of.furtherHeaderFields;
    this.headerBytes = of.headerBytes;
  }

  /** The message as it is now, for who sends it later: what is added to this one from now on is not part of it. */
  asItIs(): MessageDraft {
    return new MessageDraft(this.msgType, this);
  }

  /** Whether more than one header field was set. */
  get hasFurtherHeaderFields(): boolean {
    return this.furtherHeaderFields !== NONE;
  }

  /** In the order in which they were set; the first of several with one tag counts. */
  get headerFields(): readonly HeaderField[] {
    return this.headerTag === 0 ? NONE : [[this.headerTag, this.headerValue], ...this.furtherHeaderFields];
  }

  /** Tags of the header fields that were set. */
  get headerTags(): number[] {
    return this.headerFields.map(([tag]) => tag);
  }

  /** Their values. */
  get headerValues(): string[] {
    return this.headerFields.map(([, value]) => value);
  }

  /** Tags of the body, in wire order. */
  get tags(): number[] {
    return this.entries().map(({ tag }) => tag);
  }

  /** Their values. */
  get values(): string[] {
    return this.entries().map(({ value }) => value);
  }

  /** Append a body field unless the value is null. */
  addIf(tag: number, value: string | null): this {
    return value === null ? this : this.add(tag, value);
  }

  /** Set a header field that the application owns, such as TargetSubID(57) or PossResend(97). */
  header(tag: number, value: string | Buffer): this {
    // The frame is written later, where the author of a mistake would not see the error.
    assert(typeof value === 'string' || Buffer.isBuffer(value), 'a header field is set to a text or Buffer');
    assertTag(tag);
    const text = typeof value === 'string' ? value : value.toString('latin1');
    if (typeof value !== 'string') this.headerBytes = [...this.headerBytes, tag];
    if (this.headerTag !== 0) this.furtherHeaderFields = [...this.furtherHeaderFields, [tag, text]];
    else {
      this.headerTag = tag;
      this.headerValue = text;
    }
    return this;
  }

  /**
   * The same message with its text as bytes, in the set that MessageEncoding(347) names or else in the given one. A
   * Length field that counts characters is changed to count bytes.
   * @throws AssertionError naming the field with text that the set lacks, or with SOH or NUL outside data
   */
  inCharset(charset: Charset, dataFields: DataFields): MessageDraft {
    const { headerFields } = this;
    if (!this.isOdd && headerFields.every(([, value]) => PLAIN.test(value))) return this;
    const encoding = headerFields.find(([tag]) => tag === Tag.MessageEncoding)?.[1];
    const own = encoding === undefined ? charset : charsetNamed(encoding);
    if (own === null)
      throw new AssertionError(`MessageEncoding(347)=${encoding} is no character set that is known here`);
    const encoded = new MessageDraft(this.msgType);
    const headers = headerFields.map(([tag, value]) => ({ tag, value, isText: !this.headerBytes.includes(tag) }));
    for (const { tag, value } of bytesOfAll(headers, own, dataFields)) encoded.header(tag, value);
    for (const { tag, value } of bytesOfAll(this.entries(), own, dataFields)) encoded.add(tag, value);
    return encoded;
  }

  /** A second one would make the message unreadable, and each connection on which it is sent again end. */
  protected override assertTag(tag: number): void {
    super.assertTag(tag);
    if (isOfFrame(tag)) throw new AssertionError(`${tag} is written by the session, and is no field of the body`);
  }

  /**
   * The message as text for logs, as far as the application decides it: `35=D|11=order-1|55=BTCUSDC|`. BeginString(8) and
   * the rest of the header are the session's. Secret fields are stars, control characters `?`.
   */
  override toString(): string {
    const body = this.entries().map(({ tag, value }) => [tag, value] as const);
    return [[Tag.MsgType, this.msgType] as const, ...this.headerFields, ...body]
      .map(([tag, value]) => `${tag}=${isSecretTag(tag) ? '*'.repeat(value.length) : value.replace(CONTROL, '?')}|`)
      .join('');
  }

  /** For `console.log` of Node.js, which would show the bytes, secrets included. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  /** The first value of a body tag, or null. */
  get(tag: number): string | null {
    return this.entries().find((entry) => entry.tag === tag)?.value ?? null;
  }
}
