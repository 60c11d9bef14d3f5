// An outbound message before it has a number: what the application decides, in wire order.
// The session adds the rest of the header (34, 49, 52, 56 …), the writer BodyLength and CheckSum.

/**
 * An outbound message as the application builds it: MsgType, body fields in wire order (repeating groups written out:
 * count first, then each entry), and the few header fields that an application owns (57, 115, 128, 97).
 */
export class MessageDraft {
  readonly msgType: string;
  readonly headerTags: number[] = [];
  readonly headerValues: string[] = [];
  readonly tags: number[] = [];
  readonly values: string[] = [];

  constructor(msgType: string) {
    this.msgType = msgType;
  }

  /** Append a body field. The value is written as it is; it must not contain SOH. */
  add(tag: number, value: string): this {
    this.tags.push(tag);
    this.values.push(value);
    return this;
  }

  /** Append a body field unless the value is null. */
  addIf(tag: number, value: string | null): this {
    return value === null ? this : this.add(tag, value);
  }

  /** Set a header field that the application owns, such as TargetSubID(57) or PossResend(97). */
  header(tag: number, value: string): this {
    this.headerTags.push(tag);
    this.headerValues.push(value);
    return this;
  }

  /** The first value of a body tag, or null. */
  get(tag: number): string | null {
    const i = this.tags.indexOf(tag);
    return i === -1 ? null : this.values[i]!;
  }
}
