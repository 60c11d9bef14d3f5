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

/** Messages kept per session. */
const KEPT = 200;
/** Message types counted one by one; further ones are counted as `other`. */
const TYPES_MAX = 64;

/** Market data is counted, and not kept. */
function notKept({ msgType }: { readonly msgType: string }): string {
  return `MsgType(35)=${msgType}: only its number is kept`;
}

export class RecentMessages {
  /** MsgType(35) → messages, by direction. */
  readonly counts: { readonly in: Map<string, number>; readonly out: Map<string, number> } = {
    in: new Map(),
    out: new Map(),
  };
  private readonly records: MessageRecord[] = [];
  private readonly times: EpochMs[] = [];
  private added = 0;

  /** Take note of what a session records; records without bytes are passed over. */
  add(record: SessionRecord, at: EpochMs): void {
    if (record.kind !== 'inbound' && record.kind !== 'outbound' && record.kind !== 'unsequenced') return;
    const slot = this.added++ % KEPT;
    // Bytes of a record are valid until the next chunk only.
    this.records[slot] = record.kind === 'inbound' ? { ...record, raw: Buffer.from(record.raw) } : record;
    this.times[slot] = at;
    if (record.kind === 'unsequenced') return;
    const counts = record.kind === 'inbound' ? this.counts.in : this.counts.out;
    const known = counts.get(record.msgType);
    if (known !== undefined) counts.set(record.msgType, known + 1);
    else if (counts.size < TYPES_MAX) counts.set(record.msgType, 1);
    else counts.set('other', (counts.get('other') ?? 0) + 1);
  }

  /** Messages with a serial above `after`, the oldest first, at most `limit` of the latest. */
  since(after: number, limit: number): RecentMessage[] {
    const first = Math.max(after + 1, this.added - Math.min(limit, KEPT) + 1, 1);
    const messages: RecentMessage[] = [];
    for (let serial = first; serial <= this.added; serial++) {
      const slot = (serial - 1) % KEPT;
      const record = this.records[slot]!;
      const sequenced = record.kind !== 'unsequenced';
      messages.push({
        serial,
        at: this.times[slot]!,
        direction: sequenced ? (record.kind === 'inbound' ? 'in' : 'out') : record.direction,
        msgSeqNum: sequenced ? record.msgSeqNum : null,
        raw: record.raw,
        note: sequenced ? (record.raw.length > 0 ? '' : notKept(record)) : record.note,
      });
    }
    return messages;
  }

  total(direction: 'in' | 'out'): number {
    let total = 0;
    for (const count of this.counts[direction].values()) total += count;
    return total;
  }
}
