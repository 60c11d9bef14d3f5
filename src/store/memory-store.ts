// Journal of a session engine without persistence. Numbers live in the machines; messages are kept in memory for
// resends, up to a limit per session, and those of ended series until they are sent again. All is gone with the
// process. memory-journal.ts simulates crashes.

import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import { ENDED_SERIES_MAX, type OutboundMessage, type SessionID } from '../session/mod.ts';
import type { Journal, JournalEntry, JournalRecord, RecoveredJournal } from './port.ts';

/** Bytes of messages are copied one after the other into slabs: an object for each would be work for the collector. */
const SLAB_BYTES = 65_536;
const FIRST_CAPACITY = 16;

/** Open a store in memory. @param messagesMax resendable messages kept per session; beyond, the oldest is let go */
export function openMemoryStore(messagesMax: number): Journal {
  return new MemoryStore(messagesMax);
}

class MemoryStore implements Journal {
  readonly recovered: RecoveredJournal = {
    sessions: new Map(),
    orders: new Map(),
    nonces: new Map(),
    fresh: true,
    notes: [],
  };
  readonly location = 'memory';
  readonly endedOrders = { find: () => null };
  readonly #messagesMax: number;
  /** By series, the present one last. */
  readonly #sessions = new Map<SessionID, KeptMessages[]>();
  #slab: Buffer = Buffer.alloc(0);
  #used = SLAB_BYTES;
  #closed = false;

  constructor(messagesMax: number) {
    this.#messagesMax = messagesMax;
  }

  append(records: readonly JournalRecord[], at: EpochMs): void {
    assert(!this.#closed, 'nothing is appended to a closed journal');
    for (const record of records) {
      if (record.kind === 'proven') this.#settle(record.sessionId, record.series, record.msgSeqNum);
      if (record.kind !== 'outbound' || !record.resendable) continue;
      const { sessionId, series, msgSeqNum, msgType, raw } = record;
      this.#messagesOf(sessionId, series).add(msgSeqNum, msgType, this.#place(raw), at);
    }
  }

  write(): void {}

  sync(): Promise<void> {
    return Promise.resolve();
  }

  async loadOutbound(sessionId: SessionID, series: number, from: number, to: number): Promise<OutboundMessage[]> {
    const kept = this.#sessions.get(sessionId)?.find((one) => one.series === series);
    return kept === undefined ? [] : kept.range(from, to);
  }

  async *entries(): AsyncIterable<JournalEntry> {}

  async close(): Promise<void> {
    this.#closed = true;
  }

  /** Copy bytes to where they stay. */
  #place(raw: Uint8Array): Place {
    if (raw.length > SLAB_BYTES) return { slab: Buffer.from(raw), start: 0, end: raw.length };
    if (this.#used + raw.length > SLAB_BYTES) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB_BYTES);
      this.#used = 0;
    }
    const start = this.#used;
    this.#slab.set(raw, start);
    this.#used += raw.length;
    return { slab: this.#slab, start, end: this.#used };
  }

  #messagesOf(sessionId: SessionID, series: number): KeptMessages {
    const all = this.#sessions.get(sessionId) ?? [];
    if (all.length === 0) this.#sessions.set(sessionId, all);
    const present = all.at(-1);
    if (present?.series === series) {
      if (all.length > 1) this.#letGo(all);
      return present;
    }
    const known = all.find((one) => one.series === series);
    if (known !== undefined) return known;
    const messages = new KeptMessages(series, this.#messagesMax);
    if (present !== undefined && series > present.series) {
      present.settle(present.provenMsgSeqNum);
      if (present.count === 0) all.pop();
    }
    all.push(messages);
    all.sort((a, b) => a.series - b.series);
    if (all.length > ENDED_SERIES_MAX + 1) all.shift();
    return messages;
  }

  /** Ended series count towards what is kept of a session: the oldest gives way. */
  #letGo(all: KeptMessages[]): void {
    const oldest = all[0]!;
    if (all.reduce((sum, { count }) => sum + count, 0) >= this.#messagesMax) oldest.letGoFirst();
    if (oldest.count === 0) all.shift();
  }

  /** Proven messages of the present series may be requested again until it ends; those of an ended series may not. */
  #settle(sessionId: SessionID, series: number, msgSeqNum: number): void {
    const all = this.#sessions.get(sessionId);
    const kept = all?.find((one) => one.series === series);
    if (all === undefined || kept === undefined) return;
    kept.provenMsgSeqNum = msgSeqNum;
    if (kept !== all.at(-1)) kept.settle(msgSeqNum);
  }
}

interface Place {
  readonly slab: Buffer;
  readonly start: number;
  readonly end: number;
}

/** Messages of one series in the order of their numbers, in arrays that go round. */
class KeptMessages {
  readonly series: number;
  /** No counterparty lacks the messages up to this number. */
  provenMsgSeqNum = 0;
  readonly #max: number;
  #capacity = FIRST_CAPACITY;
  #first = 0;
  #count = 0;
  #msgSeqNums: number[] = [];
  #times: number[] = [];
  #types: string[] = [];
  #slabs: Buffer[] = [];
  #starts: number[] = [];
  #ends: number[] = [];

  constructor(series: number, max: number) {
    this.series = series;
    this.#max = max;
  }

  get count(): number {
    return this.#count;
  }

  /** Forget the messages up to this number. */
  settle(msgSeqNum: number): void {
    while (this.#count > 0 && this.#msgSeqNums[this.#first]! <= msgSeqNum) this.letGoFirst();
  }

  letGoFirst(): void {
    if (this.#count === 0) return;
    this.#first = (this.#first + 1) % this.#capacity;
    this.#count--;
  }

  add(msgSeqNum: number, msgType: string, { slab, start, end }: Place, at: EpochMs): void {
    if (this.#count === this.#capacity) this.#makeRoom();
    const i = (this.#first + this.#count++) % this.#capacity;
    this.#msgSeqNums[i] = msgSeqNum;
    this.#times[i] = at;
    this.#types[i] = msgType;
    this.#slabs[i] = slab;
    this.#starts[i] = start;
    this.#ends[i] = end;
  }

  range(from: number, to: number): OutboundMessage[] {
    const found: OutboundMessage[] = [];
    for (let k = this.#search(from); k < this.#count; k++) {
      const i = (this.#first + k) % this.#capacity;
      const msgSeqNum = this.#msgSeqNums[i]!;
      if (msgSeqNum > to) break;
      const raw = this.#slabs[i]!.subarray(this.#starts[i], this.#ends[i]);
      found.push({
        series: this.series,
        msgSeqNum,
        msgType: this.#types[i]!,
        resendable: true,
        raw,
        at: this.#times[i]!,
      });
    }
    return found;
  }

  /** How many of the messages have lower numbers. */
  #search(msgSeqNum: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#msgSeqNums[(this.#first + middle) % this.#capacity]! < msgSeqNum) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Let the oldest go, or double the arrays up to the most that is kept. */
  #makeRoom(): void {
    if (this.#capacity >= this.#max) {
      this.letGoFirst();
      return;
    }
    const turn = <T>(from: T[]): T[] => [...from.slice(this.#first), ...from.slice(0, this.#first)];
    this.#msgSeqNums = turn(this.#msgSeqNums);
    this.#times = turn(this.#times);
    this.#types = turn(this.#types);
    this.#slabs = turn(this.#slabs);
    this.#starts = turn(this.#starts);
    this.#ends = turn(this.#ends);
    this.#first = 0;
    this.#capacity = Math.min(this.#max, this.#capacity * 2);
  }
}
