// A disk in memory that outlives the process writing to it, and the journal on it. Appended data dies with the process,
// written data with the power, a crash tears the last write anywhere, and syncs fail, drag or find no space.
// JournalState has the meaning of a record, as for every store.

import { assert } from '../../src/base/assert.ts';
import type { EpochMs } from '../../src/base/time.ts';
import type { OutboundMessage, SessionID } from '../../src/session/mod.ts';
import { type Journal, type JournalEntry, type JournalRecord, JournalState } from '../../src/store/mod.ts';
import type { Faults, Randomness } from './randomness.ts';
import type { Life, Scheduler } from './scheduler.ts';

interface Frame {
  readonly at: EpochMs;
  readonly records: readonly JournalRecord[];
  readonly bytes: number;
}

interface Kept {
  readonly frame: number;
  readonly message: OutboundMessage;
}

/** Departures, and the events that they must have survived before. */
interface SentMessage {
  readonly bytes: Uint8Array;
  readonly durability: 'disk' | 'process';
}

const keyOf = (sessionId: SessionID, series: number): string => `${sessionId}/${series}`;
const REFERENCE = '"reference":"';

/** References in a record: of the order, and of a replacement that is under way. */
function referencesIn(record: string): string[] {
  const found: string[] = [];
  for (let at = record.indexOf(REFERENCE); at >= 0; at = record.indexOf(REFERENCE, at)) {
    at += REFERENCE.length;
    found.push(record.slice(at, record.indexOf('"', at)));
  }
  return found;
}

function sizeOf(records: readonly JournalRecord[]): number {
  let bytes = 24;
  for (const record of records) {
    if ('raw' in record) bytes += record.raw.length + 20;
    else if (record.kind === 'order') bytes += record.record.length;
    else bytes += 40;
  }
  return bytes;
}

export class Disk {
  readonly #frames: Frame[] = [];
  /** Frames handed to the operating system, and frames that survive anything. */
  #written = 0;
  #synced = 0;
  /** Frames of a failed sync: not even the operating system can be trusted with them (rule J2). */
  #suspect = false;
  /** No room until then. */
  fullUntil: EpochMs = 0;
  readonly #state = new JournalState();
  #folded = 0;
  /** Session and series → number → message. */
  readonly #outbound = new Map<string, Map<number, Kept>>();
  /** Exchange reference → frame in which it was first recorded. */
  readonly #references = new Map<string, number>();
  /** Key of an ended order → its records, the last one behind. */
  readonly #ended = new Map<string, { readonly frame: number; readonly record: string }[]>();
  readonly #scheduler: Scheduler;
  readonly #random: Randomness;
  readonly #faults: Faults;
  /** Every record that is appended is shown to the checks. */
  onRecord: (record: JournalRecord) => void = () => {};

  constructor(scheduler: Scheduler, random: Randomness, faults: Faults) {
    this.#scheduler = scheduler;
    this.#random = random;
    this.#faults = faults;
  }

  /** The process dies, or the machine with it. */
  crash(kind: 'process' | 'power'): void {
    // A loss begins at some byte: a partial frame is no frame.
    const sure = kind === 'power' || this.#suspect ? this.#synced : this.#written;
    const unsure = this.#frames.slice(sure).reduce((sum, frame) => sum + frame.bytes, 0);
    let left = this.#random.between(0, unsure);
    let keep = sure;
    while (keep < this.#frames.length && this.#frames[keep]!.bytes <= left) left -= this.#frames[keep++]!.bytes;
    if (left > 0 && keep < this.#frames.length) this.#faults.count('tornTail');
    for (let frame = this.#frames.length - 1; frame >= keep; frame--) this.#forget(frame);
    this.#frames.length = keep;
    this.#written = keep;
    this.#synced = keep;
    this.#suspect = false;
  }

  open(life: Life): Journal {
    this.#fold(this.#frames.length);
    return new SimulatedJournal(this, life, this.#state.recovered(this.#frames.length === 0, []));
  }

  /** Take what nothing can undo any more for what a start will find; the frames themselves need not be kept. */
  #fold(upTo: number): void {
    for (; this.#folded < upTo; this.#folded++) {
      const { records, at, bytes } = this.#frames[this.#folded]!;
      for (const record of records) this.#state.apply(record, at);
      this.#frames[this.#folded] = { at, records: [], bytes };
    }
  }

  append(records: readonly JournalRecord[], at: EpochMs): void {
    const frame = this.#frames.length;
    const owned = records.map((record) => ('raw' in record ? { ...record, raw: Buffer.from(record.raw) } : record));
    this.#frames.push({ at, records: owned, bytes: sizeOf(owned) });
    for (const record of owned) {
      this.onRecord(record);
      if (record.kind === 'outbound') {
        const { series, msgSeqNum, msgType, resendable, raw } = record;
        const key = keyOf(record.sessionId, series);
        const messages = this.#outbound.get(key) ?? new Map<number, Kept>();
        this.#outbound.set(key, messages);
        messages.set(msgSeqNum, { frame, message: { series, msgSeqNum, msgType, resendable, raw, at } });
      } else if (record.kind === 'order') {
        for (const reference of referencesIn(record.record)) {
          if (!this.#references.has(reference)) this.#references.set(reference, frame);
        }
        for (const key of record.ended ?? []) {
          const kept = this.#ended.get(key);
          if (kept === undefined) this.#ended.set(key, [{ frame, record: record.record }]);
          else kept.push({ frame, record: record.record });
        }
      }
    }
  }

  /** The last record of an order that ended, by one of its keys; null if there is none. */
  findEnded(key: string): string | null {
    return this.#ended.get(key)?.at(-1)?.record ?? null;
  }

  write(): void {
    if (this.#scheduler.now < this.fullUntil) throw new Error('no space left on device');
    this.#written = this.#frames.length;
    this.#suspect = false;
  }

  /** Now and then the disk is quick: the sync is done on the spot. */
  syncNow(): boolean {
    if (this.#random.between(0, 2) > 0) return false;
    this.write();
    this.#synced = this.#frames.length;
    this.#fold(this.#synced);
    return true;
  }

  /** Reports the end of the sync to one of the two, at its time. */
  sync(life: Life, done: () => void, failed: (error: Error) => void): void {
    if (this.#faults.strikes('diskFull', 0.001)) {
      this.fullUntil = this.#scheduler.now + this.#random.between(200, 4_000);
    }
    const upTo = this.#frames.length;
    try {
      this.write();
    } catch (error) {
      this.#scheduler.after(0, () => failed(error as Error), life);
      return;
    }
    const slow = this.#faults.strikes('slowSync', 0.004) ? this.#random.between(100, 3_000) : 0;
    const fails = this.#faults.strikes('failedSync', 0.003);
    this.#scheduler.after(
      this.#random.between(0, 2) + slow,
      () => {
        if (fails) {
          this.#suspect = true;
          // The journal writes them again at once, to another segment (rule J2), if there is room.
          if (this.#scheduler.now >= this.fullUntil) this.write();
          failed(new Error('i/o error'));
          return;
        }
        this.#synced = upTo;
        this.#fold(upTo);
        done();
      },
      life,
    );
  }

  load(sessionId: SessionID, series: number, from: number, to: number): OutboundMessage[] {
    const messages = this.#outbound.get(keyOf(sessionId, series));
    const found: OutboundMessage[] = [];
    for (let n = from; n <= to && messages !== undefined; n++) {
      const kept = messages.get(n);
      if (kept?.message.resendable) found.push(kept.message);
    }
    return found;
  }

  /** Whether a crash of this kind would leave this very outbound message, byte for byte. */
  holdsMessage(sessionId: SessionID, series: number, msgSeqNum: number, sent: SentMessage): boolean {
    const kept = this.#outbound.get(keyOf(sessionId, series))?.get(msgSeqNum);
    if (kept === undefined || kept.frame >= (sent.durability === 'disk' ? this.#synced : this.#written)) return false;
    return Buffer.compare(kept.message.raw, sent.bytes) === 0;
  }

  /** Whether a crash of this kind would leave a record of the order with this exchange reference. */
  holdsReference(reference: string, durability: 'disk' | 'process'): boolean {
    const frame = this.#references.get(reference);
    return frame !== undefined && frame < (durability === 'disk' ? this.#synced : this.#written);
  }

  get frames(): number {
    return this.#frames.length;
  }

  #forget(frame: number): void {
    for (const record of this.#frames[frame]!.records) {
      if (record.kind === 'outbound') {
        const messages = this.#outbound.get(keyOf(record.sessionId, record.series));
        if (messages?.get(record.msgSeqNum)?.frame === frame) messages.delete(record.msgSeqNum);
      } else if (record.kind === 'order') {
        for (const reference of referencesIn(record.record)) {
          if (this.#references.get(reference) === frame) this.#references.delete(reference);
        }
        for (const key of record.ended ?? []) {
          const kept = this.#ended.get(key);
          if (kept?.at(-1)?.frame === frame) kept.pop();
        }
      }
    }
  }
}

/** Work waiting for a sync is released in the step of its end: a promise would bypass the scheduler. */
export function inStep(begin: (done: () => void, failed: (error: Error) => void) => void): Promise<void> {
  // biome-ignore lint/suspicious/noThenProperty: the commit queue only calls `then`, and here that has to happen at once
  return { then: begin } as unknown as Promise<void>;
}

class SimulatedJournal implements Journal {
  readonly recovered: Journal['recovered'];
  readonly location = 'the simulated disk';
  readonly endedOrders = { find: (key: string) => this.#disk.findEnded(key) };
  readonly #disk: Disk;
  readonly #life: Life;

  constructor(disk: Disk, life: Life, recovered: Journal['recovered']) {
    this.#disk = disk;
    this.#life = life;
    this.recovered = recovered;
  }

  append(records: readonly JournalRecord[], at: EpochMs): void {
    assert(this.#life.alive, 'only a living process appends');
    this.#disk.append(records, at);
  }

  write(): void {
    this.#disk.write();
  }

  syncNow(): boolean {
    return this.#disk.syncNow();
  }

  sync(): Promise<void> {
    return inStep((done, failed) => this.#disk.sync(this.#life, done, failed));
  }

  async loadOutbound(sessionId: SessionID, series: number, from: number, to: number): Promise<OutboundMessage[]> {
    return this.#disk.load(sessionId, series, from, to);
  }

  // biome-ignore lint/correctness/useYield: nothing reads a simulated journal as a message log
  async *entries(): AsyncIterable<JournalEntry> {
    throw new Error('not in the simulation');
  }

  async close(): Promise<void> {}
}
