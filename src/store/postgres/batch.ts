// Frames on their way to one commit: their records as rows of the log, and the hash that proves them. Leaves what the records
// amount to, to fold.ts, and the statement to commit.ts.

import { createHash } from 'node:crypto';
import type { EpochMs } from '../../base/time.ts';
import type { OutboundMessage, SessionID } from '../../session/mod.ts';
import type { JournalRecord } from '../port.ts';
import { RecordWriter } from '../record-bytes.ts';
import { encodeRecord } from '../record-codec.ts';
import { SessionNames } from '../session-names.ts';
import type { LiveRows } from './live-state.ts';

/** A batch of this size gets no more frames. */
const BATCH_BYTES_SOFT = 1_048_576;
const FIRST_BYTES = 4_096;
const FRAME_HEAD_BYTES = 20;

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

/** The rows of a batch, by table. Long texts and messages lie in `bytes`: a row says where, counted from one, and how long. */
export interface BatchRows {
  readonly message: Rows;
  readonly event: Rows;
  readonly audit: Rows;
  readonly bytes: Buffer;
}

export class Batch {
  readonly start: CommitStart;
  /** By reference, for what is lost when they cannot be written. Bytes of messages may be others by now. */
  readonly framesOf: Frame[] = [];
  /** Sessions and nonces as they are at its end, if they are written behind it. */
  live: LiveRows | null = null;
  startsPart = false;
  readonly #hashing: HashedFrames;
  readonly #message: Rows = [];
  readonly #event: Rows = [];
  readonly #audit: Rows = [];
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

  /** The end of the log with it. */
  get end(): { readonly commit: number; readonly frame: number; readonly entry: number; readonly hash: string } {
    const { commit, firstFrame, firstEntry } = this.start;
    return { commit, frame: firstFrame + this.frames - 1, entry: firstEntry + this.#entries - 1, hash: this.hash };
  }

  get size(): number {
    return this.#hashing.bytes.length;
  }

  get isFull(): boolean {
    return this.#hash !== null || this.size >= BATCH_BYTES_SOFT;
  }

  /** Seals it: the rows that the database may have already must not change any more. */
  get hash(): string {
    this.#hash ??= this.#hashing.end(this.#entries);
    return this.#hash;
  }

  get rows(): BatchRows {
    return { message: this.#message, event: this.#event, audit: this.#audit, bytes: this.#hashing.bytes };
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
    this.#hashing.record(record, at);
    const place = [entry, frame, at];
    switch (record.kind) {
      case 'inbound':
      case 'outbound':
      case 'unsequenced':
        this.#message.push([...place, ...messageOf(record), ...this.#last(record.raw.length)]);
        return;
      case 'audit':
        this.#audit.push([...place, record.who, record.action, record.detail]);
        return;
      case 'order': {
        const keys = record.ended === undefined ? null : JSON.stringify(record.ended);
        this.#event.push([...place, 'order', record.key, null, keys, ...this.#last(Buffer.byteLength(record.record))]);
        return;
      }
      case 'exchangeInput':
        this.#event.push([...place, record.kind, null, null, null, ...this.#last(Buffer.byteLength(record.json))]);
        return;
      default:
        this.#event.push([...place, record.kind, ...eventOf(record), null, null, null]);
    }
  }

  /** Where the last bytes of the record lie that was added last. */
  #last(length: number): [start: number, length: number] {
    return [this.size - length + 1, length];
  }

  /** How many messages of a series it has that may be asked for again. */
  sent(sessionId: SessionID, series: number): number {
    return this.outbound(sessionId, series, 0, Number.MAX_SAFE_INTEGER).length;
  }

  /** Outbound messages of a series in a range of numbers, for a resend. */
  outbound(sessionId: SessionID, series: number, from: number, to: number): OutboundMessage[] {
    const found: OutboundMessage[] = [];
    for (const row of this.#message) {
      const [, , at, session, direction, ofSeries, number, , msgType, resendable, , start, length] = row;
      if (session !== sessionId || direction !== 'out' || ofSeries !== series || resendable !== true) continue;
      const msgSeqNum = number as number;
      if (msgSeqNum < from || msgSeqNum > to) continue;
      const first = (start as number) - 1;
      const raw = this.#hashing.bytes.subarray(first, first + (length as number));
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

  get bytes(): Buffer {
    return this.#writer.bytes.subarray(0, this.#writer.length);
  }

  frame(number: number, at: EpochMs, records: number): void {
    this.#writer.reserve(FRAME_HEAD_BYTES);
    this.#writer.f64(number);
    this.#writer.f64(at);
    this.#writer.u32(records);
  }

  record(record: JournalRecord, at: EpochMs): void {
    encodeRecord(this.#writer, this.#names, record, at);
  }

  end(entries: number): string {
    const { commit, firstFrame, firstEntry, previousHash } = this.#start;
    const head = `${previousHash}\n${commit}\n${firstFrame}\n${firstEntry}\n${entries}\n`;
    return createHash('sha256').update(head).update(this.bytes).digest('hex');
  }
}

/** PostgreSQL has no text with this character. */
export function withoutNul(text: string): string {
  return text.includes('\0') ? text.replaceAll('\0', '\uFFFD') : text;
}

/** Without what a record has in memory only, and what no text of the database may hold. */
function plain(record: JournalRecord): JournalRecord {
  const fields = record as unknown as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | null = null;
  for (const name in fields) {
    const value = fields[name];
    if (name === 'repeats') copy = { ...(copy ?? fields), repeats: undefined };
    else if (name === 'ended' && value !== undefined) {
      copy = { ...(copy ?? fields), ended: (value as string[]).map(withoutNul) };
    } else if (typeof value === 'string' && value.includes('\0')) {
      copy = { ...(copy ?? fields), [name]: withoutNul(value) };
    }
  }
  return (copy as JournalRecord | null) ?? record;
}

type MessageRecord = JournalRecord & { kind: 'inbound' | 'outbound' | 'unsequenced' };

/** Session, direction, series, number, next number, type, resendable and note of a message. */
function messageOf(record: MessageRecord): unknown[] {
  const { sessionId } = record;
  if (record.kind === 'unsequenced')
    return [sessionId, record.direction, null, null, null, null, null, withoutNul(record.note)];
  const { series, msgSeqNum, msgType } = record;
  if (record.kind === 'inbound')
    return [sessionId, 'in', series, msgSeqNum, record.nextTargetMsgSeqNum, msgType, null, null];
  return [sessionId, 'out', series, msgSeqNum, null, msgType, record.resendable, null];
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
