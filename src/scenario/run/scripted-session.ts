// The FIX side of a run without a session machine: completes messages with header and trailer and counts numbers. Says
// which of a received message's header fields are wrong. A script decides everything else.

import { type EpochMs, formatUtcTimestamp } from '../../base/time.ts';
import { toPrintable } from '../../wire/mod.ts';
import type { OutgoingMessage } from './effects.ts';
import type { FieldDifference } from './match.ts';
import { type ReceivedMessage, valueIn } from './received.ts';

export interface ScriptedIdentity {
  readonly beginString: string;
  /** Ours. */
  readonly senderCompID: string;
  readonly targetCompID: string;
}

/** Header tags in the order in which they are written, behind 8, 9 and 35. */
const HEADER = [1128, 49, 56, 34, 43, 97, 50, 52, 57, 90, 91, 115, 116, 122, 128, 129, 142, 143, 144, 145, 347, 369];
const SOH = '\u0001';

export class ScriptedSession {
  /** Our next MsgSeqNum(34). */
  next = 1;
  /** The number that the counterparty's next message has. */
  expected = 1;
  private readonly identity: ScriptedIdentity;
  /** Our Logon with ResetSeqNumFlag(141)=Y has no answer yet: the one in it asks for no further reset. */
  private resetSent = false;

  constructor(identity: ScriptedIdentity) {
    this.identity = identity;
  }

  /** Bytes of a message; the numbers move on as it says. */
  complete(message: OutgoingMessage, now: EpochMs): Buffer {
    if (message.kind === 'raw') return this.raw(message.text);
    const { beginString, senderCompID, targetCompID } = this.identity;
    const given = new Map<number, string | null>();
    for (const { tag, value } of message.fields) if (!given.has(tag)) given.set(tag, value);
    const time = formatUtcTimestamp(now);
    const filled = new Map<number, string>([
      [49, senderCompID],
      [56, targetCompID],
      [34, `${asksForReset(given) ? 1 : this.next}`],
      [52, beginString < 'FIX.4.2' ? time.slice(0, 17) : time],
    ]);
    const headerValue = (tag: number): string | null => (given.has(tag) ? given.get(tag)! : (filled.get(tag) ?? null));
    const fields = [`8=${given.get(8) ?? beginString}`];
    if (given.get(9) !== undefined) fields.push(`9=${given.get(9)}`);
    fields.push(`35=${given.get(35) ?? ''}`);
    for (const tag of HEADER) if (headerValue(tag) !== null) fields.push(`${tag}=${headerValue(tag)}`);
    for (const { tag, value } of message.fields) {
      if (value !== null && ![8, 9, 10, 35].includes(tag) && !HEADER.includes(tag)) fields.push(`${tag}=${value}`);
    }
    if (given.get(10) !== undefined) fields.push(`10=${given.get(10)}`);
    this.sent(given);
    return framed(fields.map((field) => field + SOH).join(''));
  }

  /** Text as it stands; 9 and 10 filled in behind a BeginString. */
  private raw(text: string): Buffer {
    const bytes = framed(text);
    const fields = new Map<number, string | null>();
    for (const field of toPrintable(bytes).split('|')) {
      const equals = field.indexOf('=');
      const tag = Number(field.slice(0, equals));
      if (equals > 0 && !fields.has(tag)) fields.set(tag, field.slice(equals + 1));
    }
    if (fields.has(34)) this.sent(fields);
    return bytes;
  }

  /** Move our number on behind a message that is sent. */
  private sent(fields: ReadonlyMap<number, string | null>): void {
    const given = fields.get(34);
    const number = given === undefined || given === null ? (asksForReset(fields) ? 1 : this.next) : Number(given);
    const isDuplicate = fields.get(43) === 'Y';
    if (asksForReset(fields)) {
      this.next = (Number.isSafeInteger(number) ? number : 1) + 1;
      this.resetSent = true;
      return;
    }
    if (fields.get(35) === '4' && Number.isSafeInteger(Number(fields.get(36)))) {
      const newSeqNo = Number(fields.get(36));
      if (fields.get(123) !== 'Y' || newSeqNo > this.next) this.next = newSeqNo;
      return;
    }
    if (!isDuplicate && Number.isSafeInteger(number)) this.next = Math.max(this.next, number + 1);
  }

  /** Count a received message. @returns the header fields that are wrong */
  receive(message: ReceivedMessage): FieldDifference[] {
    const { beginString, senderCompID, targetCompID } = this.identity;
    const differences: FieldDifference[] = [];
    const compare = (tag: number, expected: string): void => {
      const received = valueIn(message, tag);
      if (received !== expected) differences.push({ tag, occurrence: 0, expected, received });
    };
    compare(8, beginString);
    compare(49, targetCompID);
    compare(56, senderCompID);
    const number = Number(valueIn(message, 34));
    const isReset = message.msgType === '4' && valueIn(message, 123) !== 'Y';
    if (message.msgType === 'A' && valueIn(message, 141) === 'Y') {
      this.expected = 1;
      if (!this.resetSent) this.next = 1;
    }
    if (message.msgType === 'A') this.resetSent = false;
    if (valueIn(message, 43) === 'Y' || isReset) {
      this.countReset(message);
      return differences;
    }
    compare(34, `${this.expected}`);
    if (Number.isSafeInteger(number) && number > 0) this.expected = number + 1;
    this.countReset(message);
    return differences;
  }

  private countReset(message: ReceivedMessage): void {
    const newSeqNo = Number(valueIn(message, 36));
    if (message.msgType === '4' && Number.isSafeInteger(newSeqNo) && newSeqNo > 0) {
      this.expected = Math.max(newSeqNo, valueIn(message, 123) === 'Y' ? this.expected : newSeqNo);
    }
  }

  /** Values of `{next}`, `{expected}`, `{senderCompID}`, `{targetCompID}`, `{beginString}`; null for any other. */
  variable(name: string): string | null {
    const { next, expected, identity } = this;
    const values: Readonly<Record<string, string>> = { next: `${next}`, expected: `${expected}`, ...identity };
    return Object.hasOwn(values, name) ? values[name]! : null;
  }
}

function asksForReset(fields: ReadonlyMap<number, string | null>): boolean {
  return fields.get(35) === 'A' && fields.get(141) === 'Y';
}

/** Names of the variables that a scripted session gives. */
export const SESSION_VARIABLES = ['next', 'expected', 'senderCompID', 'targetCompID', 'beginString'] as const;

/** Bytes of a text with SOH; a text that begins with `8=` gets 9 and 10 where it lacks them. */
function framed(text: string): Buffer {
  const bytes = Buffer.from(text, 'latin1');
  if (!text.startsWith('8=')) return bytes;
  const head = text.slice(0, text.indexOf(SOH) + 1);
  const givenSum = new RegExp(`${SOH}(10=[^${SOH}]*${SOH}?)$`).exec(text)?.[1] ?? null;
  const rest = text.slice(head.length, givenSum === null ? undefined : -givenSum.length);
  const hasLength = rest.startsWith('9=') || rest.includes(`${SOH}9=`);
  const length = hasLength ? '' : `9=${rest.length}${SOH}`;
  const covered = Buffer.from(head + length + rest, 'latin1');
  if (givenSum !== null) return Buffer.concat([covered, Buffer.from(givenSum, 'latin1')]);
  let sum = 0;
  for (const byte of covered) sum += byte;
  return Buffer.concat([covered, Buffer.from(`10=${`${sum & 255}`.padStart(3, '0')}${SOH}`, 'latin1')]);
}
