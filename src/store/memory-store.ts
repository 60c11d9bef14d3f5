// The journal of a session engine that needs none: numbers live in the machines, messages are kept in memory for resends, as
// many per session as allowed, and all is gone with the process. Leaves crashes and their simulation to memory-journal.ts.

import { assert } from '../base/assert.ts';
import type { EpochMs } from '../base/time.ts';
import type { OutboundMessage, SessionID } from '../session/mod.ts';
import type { Journal, JournalEntry, JournalRecord, RecoveredJournal } from './port.ts';

interface Series {
  series: number;
  messages: Map<number, OutboundMessage>;
}

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
  readonly #sessions = new Map<SessionID, Series>();
  #closed = false;

  constructor(messagesMax: number) {
    this.#messagesMax = messagesMax;
  }

  append(records: readonly JournalRecord[], at: EpochMs): void {
    assert(!this.#closed, 'nothing is appended to a closed journal');
    for (const record of records) {
      if (record.kind !== 'outbound' || !record.resendable) continue;
      const { sessionId, series, msgSeqNum, msgType, resendable, raw } = record;
      const messages = this.#messagesOf(sessionId, series);
      messages.set(msgSeqNum, { series, msgSeqNum, msgType, resendable, raw: Buffer.from(raw), at });
      if (messages.size <= this.#messagesMax) continue;
      const oldest = messages.keys().next().value;
      if (oldest !== undefined) messages.delete(oldest);
    }
  }

  write(): void {}

  sync(): Promise<void> {
    return Promise.resolve();
  }

  async loadOutbound(sessionId: SessionID, series: number, from: number, to: number): Promise<OutboundMessage[]> {
    const kept = this.#sessions.get(sessionId);
    if (kept === undefined || kept.series !== series) return [];
    const found: OutboundMessage[] = [];
    for (let msgSeqNum = from; msgSeqNum <= to; msgSeqNum++) {
      const message = kept.messages.get(msgSeqNum);
      if (message !== undefined) found.push(message);
    }
    return found;
  }

  async *entries(): AsyncIterable<JournalEntry> {}

  async close(): Promise<void> {
    this.#closed = true;
  }

  #messagesOf(sessionId: SessionID, series: number): Map<number, OutboundMessage> {
    const known = this.#sessions.get(sessionId);
    if (known?.series === series) return known.messages;
    const messages = new Map<number, OutboundMessage>();
    this.#sessions.set(sessionId, { series, messages });
    return messages;
  }
}
