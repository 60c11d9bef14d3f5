// The last messages of one session and how many of each type went by, for the console and for metrics. Costs a reference
// and a count per message; decoding happens only when somebody looks. The message log itself is the journal.

import type { EpochMs } from '../base/time.ts';
import type { SessionRecord } from '../session/mod.ts';

type MessageRecord = Extract<SessionRecord, { raw: Uint8Array }>;

/** A message as it was recorded. */
export interface RecentMessage {
  /** Counts the messages of this session in this process, from 1. */
  readonly serial: number;
  readonly at: EpochMs;
  readonly direction: 'in' | 'out';
  /** Null for one that no sequence number counts. */
  readonly msgSeqNum: number | null;
  readonly raw: Uint8Array;
  readonly note: string;
}

/** Messages kept per session, as far as they fit into so many bytes; the last one whatever its length. */
const KEPT = 200;
const KEPT_BYTES_MAX = 1_048_576;
/** Market data of which the numbers are kept, beside the others: it would push every order out. */
const NUMBERS_KEPT = 20;
/** Message types counted one by one; further ones are counted as `other`. */
const TYPES_MAX = 64;

/** Of market data the number is kept, and no bytes. */
function notKept({ msgType }: { readonly msgType: string }): string {
  return `MsgType(35)=${msgType}: only its number is kept`;
}

export class RecentMessages {
  /** MsgType(35) → messages, by direction. */
  readonly counts: { readonly in: Map<string, number>; readonly out: Map<string, number> } = {
    in: new Map(),
    out: new Map(),
  };
  private readonly whole = new Ring(KEPT);
  private readonly numbers = new Ring(NUMBERS_KEPT);
  private added = 0;

  /** Take note of what a session records; records without bytes are passed over. */
  add(record: SessionRecord, at: EpochMs): void {
    if (record.kind !== 'inbound' && record.kind !== 'outbound' && record.kind !== 'unsequenced') return;
    const serial = ++this.added;
    if (record.raw.length === 0) this.numbers.add(serial, record, at);
    // Bytes of a record are valid until the next chunk only.
    else this.whole.add(serial, record.kind === 'inbound' ? { ...record, raw: Buffer.from(record.raw) } : record, at);
    if (record.kind === 'unsequenced') return;
    const counts = record.kind === 'inbound' ? this.counts.in : this.counts.out;
    const known = counts.get(record.msgType);
    if (known !== undefined) counts.set(record.msgType, known + 1);
    else if (counts.size < TYPES_MAX) counts.set(record.msgType, 1);
    else counts.set('other', (counts.get('other') ?? 0) + 1);
  }

  /** Messages with a serial above `after`, the oldest first, at most `limit` of the latest. */
  since(after: number, limit: number): RecentMessage[] {
    const max = Math.min(limit, KEPT);
    const found = [...this.whole.since(after, max), ...this.numbers.since(after, max)];
    found.sort((a, b) => a.serial - b.serial);
    return found.slice(-max);
  }

  total(direction: 'in' | 'out'): number {
    let total = 0;
    for (const count of this.counts[direction].values()) total += count;
    return total;
  }
}

const GONE: MessageRecord = { kind: 'unsequenced', sessionId: '', direction: 'in', raw: new Uint8Array(), note: '' };

/** The latest of some messages, in arrays that are written over: nothing is made per message. */
class Ring {
  private readonly size: number;
  private readonly records: MessageRecord[] = [];
  private readonly serials: number[] = [];
  private readonly times: EpochMs[] = [];
  /** Messages between these two, counted from the beginning, are kept. */
  private from = 0;
  private to = 0;
  private bytes = 0;

  constructor(size: number) {
    this.size = size;
  }

  add(serial: number, record: MessageRecord, at: EpochMs): void {
    if (this.to - this.from === this.size) this.dropFirst();
    const slot = this.to++ % this.size;
    this.records[slot] = record;
    this.serials[slot] = serial;
    this.times[slot] = at;
    this.bytes += record.raw.length;
    // The slot may stay as it is for long: it holds no bytes.
    while (this.bytes > KEPT_BYTES_MAX && this.to - this.from > 1) this.records[this.dropFirst()] = GONE;
  }

  since(after: number, max: number): RecentMessage[] {
    const messages: RecentMessage[] = [];
    for (let i = Math.max(this.from, this.to - max); i < this.to; i++) {
      const slot = i % this.size;
      const serial = this.serials[slot]!;
      if (serial > after) messages.push(messageOf(this.records[slot]!, serial, this.times[slot]!));
    }
    return messages;
  }

  /** The slot that is free now. */
  private dropFirst(): number {
    const slot = this.from++ % this.size;
    this.bytes -= this.records[slot]!.raw.length;
    return slot;
  }
}

function messageOf(record: MessageRecord, serial: number, at: EpochMs): RecentMessage {
  const { raw } = record;
  if (record.kind === 'unsequenced') {
    return { serial, at, direction: record.direction, msgSeqNum: null, raw, note: record.note };
  }
  const direction = record.kind === 'inbound' ? 'in' : 'out';
  return { serial, at, direction, msgSeqNum: record.msgSeqNum, raw, note: raw.length > 0 ? '' : notKept(record) };
}
