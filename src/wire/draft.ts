// An outbound message before it has a number: what the application decides, in wire order, as bytes already.
// The session adds the rest of the header (34, 49, 52, 56 …), the writer BodyLength and CheckSum.

import { AssertionError, assert } from '../base/assert.ts';
import { assertTag, FieldBytes, isOfFrame } from './field-bytes.ts';

/** A header field that the application owns. */
type HeaderField = readonly [tag: number, value: string];

const NONE: readonly HeaderField[] = [];

/**
 * An outbound message as the application builds it: MsgType, body fields in wire order (repeating groups written out:
 * count first, then each entry), and the few header fields that an application owns (57, 115, 128, 97).
 */
export class MessageDraft extends FieldBytes {
  /** MsgType(35). */
  readonly msgType: string;
  /** The header field set first, mostly the only one; tag 0 if there is none. */
  headerTag = 0;
  headerValue = '';
  private furtherHeaderFields: readonly HeaderField[] = NONE;

  constructor(msgType: string, of: MessageDraft | null = null) {
    super(of);
    this.msgType = msgType;
    if (of === null) return;
    this.headerTag = of.headerTag;
    this.headerValue = of.headerValue;
    this.furtherHeaderFields = of.furtherHeaderFields;
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
  header(tag: number, value: string): this {
    // The frame around it is written elsewhere, where nobody who made a mistake here would hear of it.
    assert(typeof value === 'string', 'a header field is set to a text');
    assertTag(tag);
    if (this.headerTag !== 0) this.furtherHeaderFields = [...this.furtherHeaderFields, [tag, value]];
    else {
      this.headerTag = tag;
      this.headerValue = value;
    }
    return this;
  }

  /** A second one would make the message unreadable, and each connection on which it is sent again end. */
  protected override assertTag(tag: number): void {
    super.assertTag(tag);
    if (isOfFrame(tag)) throw new AssertionError(`${tag} is written by the session, and is no field of the body`);
  }

  /** The first value of a body tag, or null. */
  get(tag: number): string | null {
    return this.entries().find((entry) => entry.tag === tag)?.value ?? null;
  }
}
