// Frames on their way to one commit: their records as columns of the tables, and the hash that proves them. Leaves what the records
// amount to, sessions and nonces, to live-state.ts, and the statement to commit.ts.

import { createHash } from 'node:crypto';
import type { EpochMs } from '../../base/time.ts';
import type { OutboundMessage, SessionID } from '../../session/mod.ts';
import type { JournalRecord } from '../port.ts';
import { RecordWriter } from '../record-bytes.ts';
import { encodeRecord } from '../record-codec.ts';
import { SessionNames } from '../session-names.ts';
import { executionOf, withoutNul } from './execution.ts';
import type { LiveRows } from './live-state.ts';

/** A batch of this size gets no more frames. */
const BATCH_BYTES_SOFT = 1_048_576;
const FIRST_BYTES = 4_096;
const FRAME_HEAD_BYTES = 20;
const EXECUTION_REPORT = '8';

/** Numbers of a commit, and the hash of the one before. */
export interface CommitStart {
  readonly commit: number;
  readonly firstFrame: number;
  readonly firstEntry: number;
  readonly previousHash: string;
}

interface Frame {
  readonly at: EpochMs;
  readonly records: readonly JournalRecord[];
}

/** Rows of one table, each as its values. */
type Rows = unknown[][];

/** The rows of a batch, by table. */
export interface BatchRows {
  readonly message: Rows;
  readonly event: Rows;
  readonly audit: Rows;
  readonly execution: Rows;
  /** Bytes of the messages, one behind the other. */
  readonly raw: Buffer;
  /** Entries of the first and the last record of each order. */
  readonly orders: ReadonlyMap<string, readonly [first: number, last: number]>;
  /** Whether one of them ended. */
  readonly hasEnded: boolean;
}

export class Batch {
  readonly start: CommitStart;
  /** By reference, for what is lost when they cannot be written. Bytes of messages may be others by now. */
  readonly framesOf: Frame[] = [];
  /** Of the sessions and nonces that the batch changed, once it is sealed. */
  live: LiveRows | null = null;
  startsPart = false;
  readonly #hashing: HashedFrames;
  readonly #message: Rows = [];
  readonly #event: Rows = [];
  readonly #audit: Rows = [];
  readonly #execution: Rows = [];
  readonly #orders = new Map<string, readonly [number, number]>();
  readonly #raws: Buffer[] = [];
  #rawBytes = 0;
  #hasEnded = false;
  #entries = 0;
  #hash: string | null = null;

  constructor(start: CommitStart) {
    this.start = start;
    this.#hashing = new HashedFrames(start);
  }

  get frames(): number {
    return this.framesOf.length;
  }

  get entries(): number {
    return this.#entries;
  }

  /** Orders ended in it. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get lastFrame(): number {
    return this.start.firstFrame + this.frames - 1;
  }

  get bytes(): number {
    return this.#hashing.bytes;
  }

  get isFull(): boolean {
    return this.#hash !== null || this.bytes >= BATCH_BYTES_SOFT;
  }

  /** Seals it: the rows that the database may have already must not change any more. */
  get hash(): string {
    this.#hash ??= this.#hashing.end(this.#entries);
    return this.#hash;
  }

  get rows(): BatchRows {
    return {
      message: this.#message,
      event: this.#event,
      audit: this.#audit,
      execution: this.#execution,
      raw: Buffer.concat(this.#raws, this.#rawBytes),
      orders: this.#orders,
      hasEnded: this.#hasEnded,
    };
  }

  /** Add a frame; the bytes of its messages are copied. */
  add(records: readonly JournalRecord[], at: EpochMs): void {
    const frame = this.start.firstFrame + this.frames;
    this.framesOf.push({ at, records });
    // It leaves no row that it could be proven by.
    if (records.length === 0) return;
    this.#hashing.frame(frame, at, records.length);
    for (const record of records) this.#add(plain(record), frame, at);
  }

  #add(record: JournalRecord, frame: number, at: EpochMs): void {
    const entry = this.start.firstEntry + this.#entries++;
    const raw = this.#hashing.record(record, at);
    switch (record.kind) {
      case 'inbound':
      case 'outbound':
      case 'unsequenced':
        this.#addMessage(record, raw, [entry, frame, at]);
        return;
      case 'audit':
        this.#audit.push([entry, frame, at, record.who, record.action, record.detail]);
        return;
      case 'order': {
        const { key, record: text, ended } = record;
        this.#orders.set(key, [this.#orders.get(key)?.[0] ?? entry, entry]);
        if (ended !== undefined) this.#hasEnded = true;
        const keys = ended === undefined ? null : JSON.stringify(ended);
        this.#event.push([entry, frame, at, 'order', key, text, keys]);
        return;
      }
      default:
        this.#event.push([entry, frame, at, record.kind, ...eventOf(record), null]);
    }
  }

  #addMessage(
    record: JournalRecord & { kind: 'inbound' | 'outbound' | 'unsequenced' },
    raw: Buffer,
    place: readonly [entry: number, frame: number, at: EpochMs],
  ): void {
    const bytes = [this.#rawBytes + 1, raw.length];
    this.#raws.push(raw);
    this.#rawBytes += raw.length;
    const { sessionId } = record;
    if (record.kind === 'unsequenced') {
      this.#message.push([...place, sessionId, record.direction, null, null, null, null, null, record.note, ...bytes]);
      return;
    }
    const { series, msgSeqNum, msgType } = record;
    const isIn = record.kind === 'inbound';
    const next = isIn ? record.nextTargetMsgSeqNum : null;
    const isResendable = isIn ? null : record.resendable;
    const direction = isIn ? 'in' : 'out';
    this.#message.push([
      ...[...place, sessionId, direction],
      ...[series, msgSeqNum, next, msgType, isResendable, null, ...bytes],
    ]);
    if (isIn || msgType !== EXECUTION_REPORT) return;
    const [entry, , at] = place;
    this.#execution.push([entry, at, sessionId, ...executionOf(raw)]);
  }

  /** How many messages of a series it has that may be asked for again. */
  sent(sessionId: SessionID, series: number): number {
    return this.outbound(sessionId, series, 0, Number.MAX_SAFE_INTEGER).length;
  }

  /** Outbound messages of a series in a range of numbers, for a resend. */
  outbound(sessionId: SessionID, series: number, from: number, to: number): OutboundMessage[] {
    const found: OutboundMessage[] = [];
    for (const [k, row] of this.#message.entries()) {
      const [, , at, session, direction, ofSeries, number, , msgType, resendable] = row;
      if (session !== sessionId || direction !== 'out' || ofSeries !== series || resendable !== true) continue;
      const msgSeqNum = number as number;
      if (msgSeqNum < from || msgSeqNum > to) continue;
      const raw = this.#raws[k]!;
      found.push({ series, msgSeqNum, msgType: msgType as string, resendable: true, raw, at: at as EpochMs });
    }
    return found;
  }
}

/** Canonical bytes of a commit: writer and `store verify` make its hash of them. */
export class HashedFrames {
  readonly #start: CommitStart;
  readonly #writer = new RecordWriter(FIRST_BYTES);
  readonly #names = new SessionNames();

  constructor(start: CommitStart) {
    this.#start = start;
  }

  get bytes(): number {
    return this.#writer.length;
  }

  frame(number: number, at: EpochMs, records: number): void {
    this.#writer.reserve(FRAME_HEAD_BYTES);
    this.#writer.f64(number);
    this.#writer.f64(at);
    this.#writer.u32(records);
  }

  /** A copy of a message's bytes; empty of any other record. */
  record(record: JournalRecord, at: EpochMs): Buffer {
    const writer = this.#writer;
    encodeRecord(writer, this.#names, record, at);
    if (!('raw' in record)) return Buffer.alloc(0);
    return writer.bytes.subarray(writer.length - record.raw.length, writer.length);
  }

  end(entries: number): string {
    const { commit, firstFrame, firstEntry, previousHash } = this.#start;
    const head = `${previousHash}\n${commit}\n${firstFrame}\n${firstEntry}\n${entries}\n`;
    const bytes = this.#writer.bytes.subarray(0, this.#writer.length);
    return createHash('sha256').update(head).update(bytes).digest('hex');
  }
}

/** Without what a record has in memory only, and what no text of the database may hold. */
function plain(record: JournalRecord): JournalRecord {
  const copy: Record<string, unknown> = { ...record };
  if (record.kind === 'outbound') delete copy.repeats;
  for (const [name, value] of Object.entries(copy)) if (typeof value === 'string') copy[name] = withoutNul(value);
  return copy as unknown as JournalRecord;
}

type OtherRecord = Exclude<JournalRecord, { kind: 'inbound' | 'outbound' | 'unsequenced' | 'audit' | 'order' }>;

/** Subject and detail of an event; `recordOf` in log-reader.ts reads them back. */
function eventOf(record: OtherRecord): [subject: string | null, detail: string | null] {
  switch (record.kind) {
    case 'exchangeInput':
      return [null, record.json];
    case 'nonce':
      return [record.credential, record.nonce];
    case 'damageFound':
      return [null, null];
    default: {
      const { kind: _, sessionId, ...rest } = record;
      return [sessionId, JSON.stringify(rest)];
    }
  }
}
