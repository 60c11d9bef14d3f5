// Two logs of the same conversations, held against each other: messages that one of them lacks, and tags that differ.

import { CrossgateError } from '../base/errors.ts';
import { type MessageView, Tag } from '../wire/mod.ts';
import { type KeptMessage, MessageKeeper } from './kept-message.ts';
import type { Direction } from './log-sessions.ts';
import type { LoggedMessage } from './logged-message.ts';

/** They follow from the other fields. */
const DERIVED: readonly number[] = [Tag.BodyLength, Tag.CheckSum];

/** A tag of two messages; null where one has it less often. */
export interface TagDifference {
  readonly tag: number;
  readonly before: string | null;
  readonly after: string | null;
}

export interface LogDifference {
  /** `FIX.4.4:SENDER->TARGET`. */
  readonly direction: string;
  readonly msgSeqNum: number | null;
  /** Null where that log lacks the message. */
  readonly before: KeptMessage | null;
  readonly after: KeptMessage | null;
  /** Empty where one log lacks the message, and where the fields stand in another order alone. */
  readonly tags: readonly TagDifference[];
}

interface Entry {
  readonly position: number;
  readonly message: KeptMessage;
}

/** Messages of both logs with one direction, MsgSeqNum(34) and PossDupFlag(43): several after a reset. */
interface Bucket {
  readonly direction: string;
  readonly msgSeqNum: number | null;
  readonly before: Entry[];
  readonly after: Entry[];
}

export class LogComparison {
  private readonly keeper = new MessageKeeper();
  private readonly buckets = new Map<string, Bucket>();
  private readonly messagesMax: number;
  private readonly ignored: ReadonlySet<number>;
  private held = 0;

  /** @param ignored tags that are not compared @param messagesMax as many messages as are held at most */
  constructor(ignored: readonly number[], messagesMax: number) {
    this.ignored = new Set([...DERIVED, ...ignored]);
    this.messagesMax = messagesMax;
  }

  /** Messages of both logs. */
  get count(): number {
    return this.held;
  }

  /** A message of one of the logs, in its order. @throws CrossgateError XG_USAGE for one more than are held */
  add(side: 'before' | 'after', { view }: LoggedMessage, { name }: Direction): void {
    if (view === null) return;
    if (this.held === this.messagesMax) {
      const what = `more than ${this.messagesMax} messages`;
      throw new CrossgateError('XG_USAGE', `${what}: choose by --session, --from or --to`);
    }
    const msgSeqNum = view.int(Tag.MsgSeqNum);
    const key = `${name} ${msgSeqNum} ${view.boolean(Tag.PossDupFlag) === true}`;
    let bucket = this.buckets.get(key);
    if (bucket === undefined) {
      bucket = { direction: name, msgSeqNum, before: [], after: [] };
      this.buckets.set(key, bucket);
    }
    bucket[side].push({ position: this.held++, message: this.keeper.keep(view) });
  }

  /** In the order of the first log; messages that it lacks stand behind the others. */
  differences(): LogDifference[] {
    const found: { readonly position: number; readonly difference: LogDifference }[] = [];
    for (const { direction, msgSeqNum, before, after } of this.buckets.values()) {
      for (const [one, other] of this.pairs(before, after)) {
        const [first, second] = [one?.message ?? null, other?.message ?? null];
        if (first !== null && second !== null && this.isSame(first, second)) continue;
        const tags = first === null || second === null ? [] : this.tagsOf(first.view(), second.view());
        const position = (one ?? other)!.position;
        found.push({ position, difference: { direction, msgSeqNum, before: first, after: second, tags } });
      }
    }
    return found.sort((a, b) => a.position - b.position).map(({ difference }) => difference);
  }

  /** The same first, then those of one type and SendingTime(52), then of one type. */
  private pairs(before: readonly Entry[], after: readonly Entry[]): [Entry | null, Entry | null][] {
    const pairs: [Entry | null, Entry | null][] = [];
    const keys = [
      ({ message }: Entry) => JSON.stringify(this.fieldsOf(message.view())),
      ({ message }: Entry) => `${message.msgType} ${message.view().string(Tag.SendingTime)}`,
      ({ message }: Entry) => message.msgType,
    ];
    let [left, right] = [before, after];
    for (const keyOf of keys) {
      const waiting = Map.groupBy(right, keyOf);
      // The latest first, so that the earliest is taken off the end.
      for (const entries of waiting.values()) entries.reverse();
      const paired = new Set<Entry>();
      left = left.filter((one) => {
        const other = waiting.get(keyOf(one))?.pop();
        if (other === undefined) return true;
        paired.add(other);
        pairs.push([one, other]);
        return false;
      });
      right = right.filter((other) => !paired.has(other));
    }
    for (const one of left) pairs.push([one, null]);
    for (const other of right) pairs.push([null, other]);
    return pairs;
  }

  private isSame(a: KeptMessage, b: KeptMessage): boolean {
    if (a.bytes().equals(b.bytes())) return true;
    return JSON.stringify(this.fieldsOf(a.view())) === JSON.stringify(this.fieldsOf(b.view()));
  }

  private fieldsOf(view: MessageView): (readonly [tag: number, value: string])[] {
    const fields: (readonly [number, string])[] = [];
    for (let i = 0; i < view.fieldCount; i++) {
      const tag = view.tagAt(i);
      if (!this.ignored.has(tag)) fields.push([tag, view.stringAt(i)]);
    }
    return fields;
  }

  /** Values of a tag are compared in their order, those of entries of groups too. */
  private tagsOf(before: MessageView, after: MessageView): TagDifference[] {
    const [one, other] = [before, after].map((view) => Map.groupBy(this.fieldsOf(view), ([tag]) => tag));
    const differences: TagDifference[] = [];
    for (const tag of new Set([...one!.keys(), ...other!.keys()])) {
      const [values = [], others = []] = [one!.get(tag), other!.get(tag)];
      for (let i = 0; i < Math.max(values.length, others.length); i++) {
        const [was = null, is = null] = [values[i]?.[1], others[i]?.[1]];
        if (was !== is) differences.push({ tag, before: was, after: is });
      }
    }
    return differences;
  }
}
