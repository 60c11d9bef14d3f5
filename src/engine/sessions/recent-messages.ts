// The last messages of one session and how many of each type went by, for the console and for metrics. Costs a copy and a
// count per message; decoding happens only when somebody looks. The message log itself is the journal.

import type { EpochMs } from '../../base/time.ts';
import type { SessionRecord } from '../../session/mod.ts';

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
/** Market data: only its numbers are kept, or it would push every order out. */
const NUMBERS_KEPT = 20;
/** Message types counted one by one; further ones are counted as `other`. */
const TYPES_MAX = 64;

export class RecentMessages {
  /** MsgType(35) → messages, by direction. */
  readonly counts: { readonly in: Map<string, number>; readonly out: Map<string, number> } = {
    in: new Map(),
    out: new Map(),
  };
  private readonly whole = new Ring(KEPT);
  private readonly numbers = new Ring(NUMBERS_KEPT);
  private added = 0;

  /** Note a session's record; records without bytes are skipped. */
  add(record: SessionRecord, at: EpochMs): void {
    if (record.kind !== 'inbound' && record.kind !== 'outbound' && record.kind !== 'unsequenced') return;
    const { kind, raw } = record;
    const ring = raw.length === 0 ? this.numbers : this.whole;
    if (kind === 'unsequenced') {
      ring.add(++this.added, at, record.direction, null, raw, record.note);
      return;
    }
    const direction = kind === 'inbound' ? 'in' : 'out';
    // Of market data the number is kept, and no bytes.
    const note = raw.length > 0 ? '' : `MsgType(35)=${record.msgType}: only its number is kept`;
    ring.add(++this.added, at, direction, record.msgSeqNum, raw, note);
    const counts = this.counts[direction];
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

const NO_ROOM: Buffer = Buffer.alloc(0);
/** Room for a message is made in such steps, and kept for the next one in its place unless that needs far less. */
const ROOM_STEP = 128;
const ROOM_TOO_LARGE = 4;

/**
 * The latest messages, in arrays and bytes that are overwritten: nothing is allocated per message. Objects that live
 * for 200 messages would otherwise be garbage that only a full collection finds.
 */
class Ring {
  private readonly size: number;
  private readonly rooms: Buffer[] = [];
  private readonly lengths: number[] = [];
  private readonly serials: number[] = [];
  private readonly times: EpochMs[] = [];
  private readonly directions: ('in' | 'out')[] = [];
  private readonly numbers: (number | null)[] = [];
  private readonly notes: string[] = [];
  /** Messages between these two, counted from the beginning, are kept. */
  private from = 0;
  private to = 0;
  /** Of all rooms. */
  private bytes = 0;

  constructor(size: number) {
    this.size = size;
  }

  /** The bytes are copied: those of a record are valid until the next chunk only. */
  add(
    serial: number,
    at: EpochMs,
    direction: 'in' | 'out',
    msgSeqNum: number | null,
    raw: Uint8Array,
    note: string,
  ): void {
    if (this.to - this.from === this.size) this.from++;
    const slot = this.to++ % this.size;
    this.roomFor(raw.length, slot).set(raw);
    this.lengths[slot] = raw.length;
    this.serials[slot] = serial;
    this.times[slot] = at;
    this.directions[slot] = direction;
    this.numbers[slot] = msgSeqNum;
    this.notes[slot] = note;
    while (this.bytes > KEPT_BYTES_MAX && this.to - this.from > 1) this.release(this.from++ % this.size);
  }

  since(after: number, max: number): RecentMessage[] {
    const messages: RecentMessage[] = [];
    for (let i = Math.max(this.from, this.to - max); i < this.to; i++) {
      const slot = i % this.size;
      if (this.serials[slot]! > after) messages.push(this.messageIn(slot));
    }
    return messages;
  }

  private messageIn(slot: number): RecentMessage {
    return {
      serial: this.serials[slot]!,
      at: this.times[slot]!,
      direction: this.directions[slot]!,
      msgSeqNum: this.numbers[slot]!,
      raw: new Uint8Array((this.rooms[slot] ?? NO_ROOM).subarray(0, this.lengths[slot])),
      note: this.notes[slot]!,
    };
  }

  private roomFor(length: number, slot: number): Buffer {
    const known = this.rooms[slot] ?? NO_ROOM;
    const wanted = Math.ceil(length / ROOM_STEP) * ROOM_STEP;
    if (known.length >= wanted && known.length <= ROOM_TOO_LARGE * wanted) return known;
    const room = Buffer.allocUnsafe(wanted);
    this.bytes += room.length - known.length;
    this.rooms[slot] = room;
    return room;
  }

  private release(slot: number): void {
    this.bytes -= this.rooms[slot]!.length;
    this.rooms[slot] = NO_ROOM;
  }
}
