// The journal in PostgreSQL, behind the same port as the embedded one: a batch of frames is one row, written in one
// statement that checks the lease's epoch with it. A batch that was sent stays as it is until the database has it: an answer
// that was lost is asked for again with the same row. Leaves the right to write to postgres-lease.ts, the encoding to
// postgres-block.ts, the schema to postgres-schema.ts.

import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { Pool } from 'pg';
import { assert } from '../base/assert.ts';
import { CrossgateError } from '../base/errors.ts';
import type { EpochMs } from '../base/time.ts';
import type { EndedOrders } from '../gateway/mod.ts';
import type { OutboundMessage, SessionID } from '../session/mod.ts';
import { JournalState } from './journal-state.ts';
import type { HealthListener, StoreLog } from './log.ts';
import type { Journal, JournalEntry, JournalRecord, RecoveredJournal } from './port.ts';
import { Block, decodeBlock } from './postgres-block.ts';
import { Lease } from './postgres-lease.ts';
import { migrate } from './postgres-schema.ts';

export interface PostgresJournalOptions {
  /** `postgresql://user:password@host:port/database`: a secret, never logged. */
  readonly url: string;
  /** One database may hold several journals; each has one writer at a time. */
  readonly journal: string;
  /** How long a node that was killed keeps the others out. Default 30,000, at least 300. */
  readonly leaseMs?: number;
  /** Longest wait for the database before a write counts as failed. Default 5,000. */
  readonly requestTimeoutMs?: number;
  readonly log?: StoreLog;
  readonly onHealth?: HealthListener;
  /** Said once when this node may write no more: it has to stop at once. */
  readonly onLost?: (reason: string) => void;
}

const LEASE_MS_DEFAULT = 30_000;
const LEASE_MS_MIN = 300;
const REQUEST_TIMEOUT_MS_DEFAULT = 5_000;
/** Bytes kept here while the database is away or slow; beyond, `append` refuses. */
const KEPT_BYTES_MAX = 67_108_864;
const BLOCKS_PER_READ = 64;

/** Zero rows of `lease`: fenced off. A row that is there already is ours: nobody else has this epoch. */
const WRITE = `with lease as (
    select 1 from crossgate_lease where name = $1 and epoch = $2 for share
  ), written as (
    insert into crossgate_block (journal, block, epoch, first_frame, frames, payload)
    select $1, $3, $2, $4, $5, $6 from lease
    on conflict (journal, block) do nothing
  )
  select count(*)::int as held from lease`;
const READ = `select block, payload from crossgate_block
  where journal = $1 and block > $2 order by block limit ${BLOCKS_PER_READ}`;
const READ_SOME = 'select block, payload from crossgate_block where journal = $1 and block = any($2) order by block';

interface BlockRow {
  readonly block: string;
  readonly payload: Buffer;
}

/** Numbers of one session's series that a block holds. */
interface Range {
  readonly block: number;
  readonly from: number;
  to: number;
}

const keyOf = (sessionId: SessionID, series: number): string => `${series} ${sessionId}`;

/** Open a journal in PostgreSQL: its schema, the right to write it, and what it holds. @throws CrossgateError */
export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const requestMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS_DEFAULT;
  const where = locationOf(options);
  const pool = new Pool({
    connectionString: options.url,
    max: 4,
    connectionTimeoutMillis: requestMs,
    statement_timeout: requestMs,
    query_timeout: requestMs + 500,
    application_name: 'crossgate',
    // Whatever the server's default is: an order is recorded when its transaction survives the server's crash.
    options: '-c synchronous_commit=on',
  });
  // An idle connection that breaks is replaced by the next query, which says what is wrong if that fails too.
  pool.on('error', () => {});
  try {
    await migrate(pool);
    return await PostgresJournal.open(options, pool, where);
  } catch (error) {
    await pool.end().catch(() => {});
    throw failure(where, error);
  }
}

/** Where it lies, for people: without user and password. */
function locationOf({ url, journal }: PostgresJournalOptions): string {
  let place = 'PostgreSQL';
  try {
    const { host, pathname } = new URL(url);
    place = `postgresql://${host}${pathname}`;
  } catch {
    // A connection string of another form is not shown at all: it may hold a password anywhere.
  }
  return `${journal} in ${place}`;
}

function failure(where: string, error: unknown): CrossgateError {
  if (error instanceof CrossgateError) return error;
  // Several addresses of one host fail as one error without a text of its own.
  const reason = error instanceof Error ? error.message || String((error as { code?: unknown }).code) : String(error);
  return new CrossgateError('XG_JOURNAL_WRITE_FAILED', `the journal ${where} cannot be written: ${reason}`, {
    cause: error,
  });
}

export class PostgresJournal implements Journal {
  readonly recovered: RecoveredJournal;
  readonly location: string;
  readonly endedOrders: EndedOrders = { find: (key) => this.#ended.get(key) ?? null };
  readonly #options: PostgresJournalOptions;
  readonly #pool: Pool;
  readonly #lease: Lease;
  readonly #ended = new Map<string, string>();
  readonly #outbound = new Map<string, Range[]>();
  /** Not known to be in the database, oldest first. */
  readonly #kept: Block[] = [];
  #keptBytes = 0;
  #nextBlock = 1;
  #nextFrame = 1;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #failedFor: string | null = null;
  #lostFor: string | null = null;
  #closed = false;

  private constructor(
    options: PostgresJournalOptions,
    pool: Pool,
    location: string,
    lease: Lease,
    recovered: Recovery,
  ) {
    this.#options = options;
    this.#pool = pool;
    this.#lease = lease;
    this.location = location;
    this.recovered = recovered.state.recovered(lease.epoch === '1', []);
    this.#nextBlock = recovered.lastBlock + 1;
    this.#nextFrame = recovered.lastFrame + 1;
    for (const [block, frames] of recovered.blocks) for (const records of frames) this.#note(records, block);
  }

  static async open(options: PostgresJournalOptions, pool: Pool, where: string): Promise<PostgresJournal> {
    let journal: PostgresJournal | null = null;
    let lostEarly: string | null = null;
    const lease = await Lease.take({
      pool,
      name: options.journal,
      holder: `${hostname()} process ${process.pid} (${randomBytes(4).toString('hex')})`,
      leaseMs: Math.max(LEASE_MS_MIN, options.leaseMs ?? LEASE_MS_DEFAULT),
      onHealth: (healthy, reason) => journal?.health(healthy, reason),
      onLost: (reason) => {
        if (journal === null) lostEarly = reason;
        else journal.lost(reason);
      },
      log: (level, text) => options.log?.(level, text),
    });
    try {
      const recovery = await recover(pool, options.journal, where);
      journal = new PostgresJournal(options, pool, where, lease, recovery);
      if (lostEarly !== null)
        throw new CrossgateError('XG_JOURNAL_LOCKED', `the journal ${where}: ${String(lostEarly)}`);
      return journal;
    } catch (error) {
      await lease.release().catch(() => {});
      throw error;
    }
  }

  append(records: readonly JournalRecord[], at: EpochMs): void {
    assert(!this.#closed, 'nothing is appended to a closed journal');
    if (this.#keptBytes > KEPT_BYTES_MAX) {
      throw failure(
        this.location,
        `${KEPT_BYTES_MAX} bytes wait for the database (${this.#failedFor ?? 'it is slow'})`,
      );
    }
    let block = this.#kept.at(-1);
    if (block === undefined || block.isFull) {
      block = new Block(this.#nextBlock++);
      this.#kept.push(block);
    }
    const before = block.length;
    block.add(records, at, this.#nextFrame++);
    this.#keptBytes += block.length - before;
    this.#note(records, block.number);
  }

  /** Send what waits, without waiting for it: what has to be recorded before it leaves goes through `sync`. */
  write(): void {
    if (this.#lostFor !== null) throw this.#fenced();
    if (this.#failedFor !== null) throw failure(this.location, this.#failedFor);
    // Its failure is told by `onHealth`, and by the next call.
    this.sync().catch(() => {});
  }

  sync(): Promise<void> {
    if (this.#running === null) return this.#begin();
    const join = (): Promise<void> => {
      this.#next = null;
      return this.sync();
    };
    this.#next ??= this.#running.then(join, join);
    return this.#next;
  }

  #begin(): Promise<void> {
    const running = this.#flush().finally(() => {
      this.#running = null;
    });
    this.#running = running;
    return running;
  }

  async #flush(): Promise<void> {
    const last = this.#kept.at(-1)?.number ?? 0;
    for (let block = this.#kept[0]; block !== undefined && block.number <= last; block = this.#kept[0]) {
      if (this.#lostFor !== null) throw this.#fenced();
      block.isSealed = true;
      let held: number;
      try {
        // Named: planned once per connection.
        const { rows } = await this.#pool.query<{ held: number }>({
          name: 'crossgate-write',
          text: WRITE,
          values: [
            this.#options.journal,
            this.#lease.epoch,
            block.number,
            block.firstFrame,
            block.frames,
            block.payload,
          ],
        });
        held = rows[0]!.held;
      } catch (error) {
        const told = failure(this.location, error);
        this.health(false, told.message);
        throw told;
      }
      if (held === 0) {
        this.#lease.lose('another node writes this journal; this one came too late');
        throw this.#fenced();
      }
      this.#kept.shift();
      this.#keptBytes -= block.length;
      this.health(true, 'the database takes records again');
    }
  }

  #fenced(): CrossgateError {
    return new CrossgateError('XG_JOURNAL_LOCKED', `the journal ${this.location} may not be written: ${this.#lostFor}`);
  }

  async loadOutbound(sessionId: SessionID, series: number, from: number, to: number): Promise<OutboundMessage[]> {
    const ranges = this.#outbound.get(keyOf(sessionId, series)) ?? [];
    const wanted = ranges.filter((range) => range.from <= to && range.to >= from).map(({ block }) => block);
    // Those that wait are looked at before and after: one may reach the database between the two.
    const waiting = this.#kept.filter(({ number }) => wanted.includes(number));
    const isWaiting = new Set(waiting.map(({ number }) => number));
    const stored = wanted.filter((number) => !isWaiting.has(number));
    const found = new Map<number, OutboundMessage>();
    const take = (records: readonly JournalRecord[], at: EpochMs): void => {
      for (const record of records) {
        if (record.kind !== 'outbound' || !record.resendable) continue;
        const { series: of, msgSeqNum, msgType, resendable } = record;
        if (record.sessionId !== sessionId || of !== series || msgSeqNum < from || msgSeqNum > to) continue;
        found.set(msgSeqNum, { series, msgSeqNum, msgType, resendable, raw: Buffer.from(record.raw), at });
      }
    };
    for (const block of waiting) for (const { records, at } of block.decode()) take(records, at);
    for (let i = 0; i < stored.length; i += BLOCKS_PER_READ) {
      const numbers = stored.slice(i, i + BLOCKS_PER_READ);
      const { rows } = await this.#pool.query<BlockRow>(READ_SOME, [this.#options.journal, numbers]);
      for (const { block, payload } of rows) {
        for (const { records, at } of decodeBlock(payload, `${this.location}, block ${block}`)) take(records, at);
      }
    }
    return [...found.values()].sort((a, b) => a.msgSeqNum - b.msgSeqNum);
  }

  async *entries(): AsyncIterable<JournalEntry> {
    if (this.#kept.length > 0) await this.sync();
    for await (const { number, at, records } of readFrames(this.#pool, this.#options.journal, this.location)) {
      for (const record of records) yield { at, frame: number, record };
    }
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      if (this.#lostFor === null) await this.sync();
      await this.#lease.release();
    } finally {
      this.#lease.stop();
      await this.#pool.end().catch(() => {});
    }
  }

  /** Let go of everything at once, as a process that is killed would. */
  abandon(): void {
    this.#closed = true;
    this.#lostFor ??= 'it was abandoned';
    this.#lease.stop();
    void this.#pool.end().catch(() => {});
  }

  /** What the lease or a write says of the database. */
  health(healthy: boolean, reason: string): void {
    if (healthy === (this.#failedFor === null) || (healthy && this.#lostFor !== null)) return;
    this.#failedFor = healthy ? null : reason;
    this.#options.log?.(healthy ? 'info' : 'warn', `the journal ${this.location}: ${reason}`);
    this.#options.onHealth?.(healthy, reason);
  }

  /** This node may write no more. */
  lost(reason: string): void {
    if (this.#lostFor !== null) return;
    this.#lostFor = reason;
    this.health(false, reason);
    this.#options.onLost?.(reason);
  }

  /** Remember where a frame's messages are, and the orders that ended with it. */
  #note(records: readonly JournalRecord[], block: number): void {
    for (const record of records) {
      if (record.kind === 'outbound' && record.resendable) {
        const key = keyOf(record.sessionId, record.series);
        const ranges = this.#outbound.get(key) ?? [];
        if (ranges.length === 0) this.#outbound.set(key, ranges);
        const last = ranges.at(-1);
        if (last?.block === block) last.to = Math.max(last.to, record.msgSeqNum);
        else ranges.push({ block, from: record.msgSeqNum, to: record.msgSeqNum });
      } else if (record.kind === 'order') {
        for (const key of record.ended ?? []) this.#ended.set(key, record.record);
      }
    }
  }
}

interface Recovery {
  readonly state: JournalState;
  lastBlock: number;
  lastFrame: number;
  /** Block → the records of its frames that the journal keeps an index of. */
  readonly blocks: Map<number, (readonly JournalRecord[])[]>;
}

async function recover(pool: Pool, journal: string, where: string): Promise<Recovery> {
  const recovery: Recovery = { state: new JournalState(), lastBlock: 0, lastFrame: 0, blocks: new Map() };
  for await (const { block, number, at, records } of readFrames(pool, journal, where)) {
    for (const record of records) recovery.state.apply(record, at);
    recovery.lastBlock = block;
    recovery.lastFrame = number;
    const indexed = records.filter(isIndexed).map(withoutBytes);
    if (indexed.length === 0) continue;
    const frames = recovery.blocks.get(block) ?? [];
    frames.push(indexed);
    recovery.blocks.set(block, frames);
  }
  return recovery;
}

function isIndexed(record: JournalRecord): boolean {
  return (record.kind === 'outbound' && record.resendable) || (record.kind === 'order' && record.ended !== undefined);
}

/** The index needs no message: a slice would keep its whole row in memory. */
function withoutBytes(record: JournalRecord): JournalRecord {
  return 'raw' in record ? { ...record, raw: new Uint8Array() } : record;
}

async function* readFrames(
  pool: Pool,
  journal: string,
  where: string,
): AsyncGenerator<{ block: number; number: number; at: EpochMs; records: readonly JournalRecord[] }> {
  for (let after = 0; ; ) {
    const { rows } = await pool.query<BlockRow>(READ, [journal, after]);
    for (const { block, payload } of rows) {
      after = Number(block);
      for (const frame of decodeBlock(payload, `${where}, block ${block}`)) yield { block: after, ...frame };
    }
    if (rows.length < BLOCKS_PER_READ) return;
  }
}
