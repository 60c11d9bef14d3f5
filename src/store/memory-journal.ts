// The journal in memory, for tests and simulations: the same port, with crashes that lose what a real one would lose.

import { assert } from '../base/assert.ts';
import { CrossgateError } from '../base/errors.ts';
import type { EpochMs } from '../base/time.ts';
import type { EndedOrders } from '../gateway/mod.ts';
import type { OutboundMessage, SessionID } from '../session/mod.ts';
import { JournalState } from './journal-state.ts';
import type { Journal, JournalEntry, JournalRecord, RecoveredJournal } from './port.ts';

interface StoredFrame {
  readonly at: EpochMs;
  readonly records: readonly JournalRecord[];
}

const FRAMES_MAX_DEFAULT = 1_000_000;

/** Contents that outlive a memory journal: open it again with the same storage to recover. */
export class MemoryStorage {
  readonly frames: StoredFrame[] = [];
  readonly framesMax: number;
  /** Frames handed over by `write`, and made durable by `sync`. */
  written = 0;
  synced = 0;
  opened = 0;

  constructor(framesMax = FRAMES_MAX_DEFAULT) {
    this.framesMax = framesMax;
  }

  /** Lose what a dying process, or a power loss, would lose. The journal that was open on it must not be used again. */
  crash(kind: 'process' | 'power'): void {
    this.frames.length = kind === 'process' ? this.written : this.synced;
    this.written = Math.min(this.written, this.frames.length);
    this.synced = this.written;
  }
}

/** Open a journal that lives in memory. */
export function openMemoryJournal(storage: MemoryStorage = new MemoryStorage()): Journal {
  const state = new JournalState();
  for (const frame of storage.frames) for (const record of frame.records) state.apply(record, frame.at);
  return new MemoryJournal(storage, state.recovered(storage.opened++ === 0, []));
}

class MemoryJournal implements Journal {
  readonly recovered: RecoveredJournal;
  readonly location = 'memory';
  readonly #storage: MemoryStorage;
  readonly endedOrders: EndedOrders = { find: (key) => this.#ended.get(key) ?? null };
  readonly #ended = new Map<string, string>();
  #closed = false;

  constructor(storage: MemoryStorage, recovered: RecoveredJournal) {
    this.#storage = storage;
    this.recovered = recovered;
    for (const { records } of storage.frames) this.#noteEnded(records);
  }

  #noteEnded(records: readonly JournalRecord[]): void {
    for (const record of records) {
      if (record.kind === 'order') for (const key of record.ended ?? []) this.#ended.set(key, record.record);
    }
  }

  append(records: readonly JournalRecord[], at: EpochMs): void {
    assert(!this.#closed, 'nothing is appended to a closed journal');
    if (this.#storage.frames.length >= this.#storage.framesMax) {
      throw new CrossgateError(
        'XG_JOURNAL_WRITE_FAILED',
        `the journal in memory is full: ${this.#storage.framesMax} frames`,
      );
    }
    this.#storage.frames.push({ at, records: records.map(ownRaw) });
    this.#noteEnded(records);
  }

  write(): void {
    this.#storage.written = this.#storage.frames.length;
  }

  async sync(): Promise<void> {
    this.write();
    this.#storage.synced = this.#storage.written;
  }

  async loadOutbound(sessionId: SessionID, series: number, from: number, to: number): Promise<OutboundMessage[]> {
    const found = new Map<number, OutboundMessage>();
    for (const { at, records } of this.#storage.frames) {
      for (const record of records) {
        if (record.kind !== 'outbound' || !record.resendable) continue;
        if (record.sessionId !== sessionId || record.series !== series) continue;
        if (record.msgSeqNum < from || record.msgSeqNum > to) continue;
        const { msgSeqNum, msgType, resendable, raw } = record;
        found.set(msgSeqNum, { series, msgSeqNum, msgType, resendable, raw, at });
      }
    }
    return [...found.values()].sort((a, b) => a.msgSeqNum - b.msgSeqNum);
  }

  async *entries(): AsyncIterable<JournalEntry> {
    this.write();
    for (let frame = 0; frame < this.#storage.written; frame++) {
      const { at, records } = this.#storage.frames[frame]!;
      for (const record of records) yield { at, frame: frame + 1, record };
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    await this.sync();
    this.#closed = true;
  }
}

/** The caller may reuse its buffers after `append`. */
function ownRaw(record: JournalRecord): JournalRecord {
  return 'raw' in record ? { ...record, raw: Buffer.from(record.raw) } : { ...record };
}
