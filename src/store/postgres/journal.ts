// The journal in PostgreSQL, behind the same port as the embedded one: a batch of frames is one row. A batch that was
// sent stays as it is until the database has it: an answer that was lost is asked for again with the same row. Leaves the right
// to write to lease.ts, the encoding to block.ts, writing a row to row.ts, the last ones to
// final-flush.ts, reading to reader.ts, resends to outbound-loader.ts, snapshots to
// snapshots.ts, the schema to schema.ts.

import { createHash, randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { assert } from '../../base/assert.ts';
import { CrossgateError } from '../../base/errors.ts';
import { hasPasswordBehindHost } from '../../base/host-port.ts';
import type { EpochMs } from '../../base/time.ts';
import type { EndedOrders } from '../../gateway/mod.ts';
import type { OutboundMessage, SessionID } from '../../session/mod.ts';
import { Witness } from '../embedded/durability-witness.ts';
import type { HealthListener, StoreLog, UpkeepListener } from '../log.ts';
import type { Journal, JournalEntry, JournalRecord, KeptTexts, RecoveredJournal } from '../port.ts';
import type { OnDamage } from '../segments/block-reader.ts';
import type { OutboundRows } from '../snapshots/state-bytes.ts';
import { withUnrecorded } from '../unrecorded.ts';
import { Block } from './block.ts';
import { EndedLookup } from './ended-lookup.ts';
import { recordLast } from './final-flush.ts';
import { RowIndex } from './index.ts';
import { JournalNotGiven, Lease, type WriterOf } from './lease.ts';
import { forgetLoss, lossObjection, lostRow, noteLoss } from './lost-rows.ts';
import { loadFromRows } from './outbound-loader.ts';
import { endPools, openPools, type Pools, reasonOf, unreadable } from './pools.ts';
import { newestSnapshot, type RowRecovery, readRows, recoverRows } from './reader.ts';
import { type Written, writeRow } from './row.ts';
import { migrate } from './schema.ts';
import { PostgresKept } from './side-notes.ts';
import { PostgresSnapshots } from './snapshots.ts';
import { PostgresUpkeep } from './upkeep.ts';

export interface PostgresJournalOptions {
  /** `postgresql://user:password@host:port/database`: a secret, never logged. */
  readonly url: string;
  /** One database may hold several journals; each has one writer at a time. */
  readonly journal: string;
  /** How long a node that was killed keeps the others out. Default 30,000, at least 300. */
  readonly leaseMs?: number;
  /** Longest wait for the database before a write counts as failed. Default 5,000. */
  readonly requestTimeoutMs?: number;
  /** Bytes of rows after which a snapshot is made. Default 64 MiB. */
  readonly snapshotBytes?: number;
  /** Days after which rows that can no longer be requested are deleted; null, the default, keeps all. */
  readonly retentionDays?: number | null;
  /** Time of what is recorded here. Default: the clock. */
  readonly now?: () => EpochMs;
  /** Effect of a damaged row, as with the embedded journal. Default `stop`. */
  readonly onDamage?: OnDamage;
  /** File of this node that notes how far the journal was recorded (durability-witness.ts). Default none. */
  readonly witness?: string;
  readonly log?: StoreLog;
  readonly onHealth?: HealthListener;
  readonly onUpkeep?: UpkeepListener;
  /** Said once when this node may write no more: it has to stop at once. */
  readonly onLost?: (reason: string) => void;
  /** Aborted: the end of another node's lease is waited for no more. */
  readonly stopped?: AbortSignal;
}

const LEASE_MS_DEFAULT = 30_000;
const DAY_MS = 86_400_000;
const LEASE_MS_MIN = 300;
const REQUEST_TIMEOUT_MS_DEFAULT = 5_000;
const SNAPSHOT_BYTES_DEFAULT = 67_108_864;

type Failing = 'records' | 'lease' | 'endedOrders';

/** Parts that a journal is made with and closes. */
interface Parts {
  readonly index: RowIndex;
  readonly kept: KeptTexts;
  readonly lookup: EndedLookup;
}

/** Open a journal in PostgreSQL: its schema, the right to write it, and what it holds. @throws CrossgateError */
export async function openPostgresJournal(options: PostgresJournalOptions): Promise<Journal> {
  const requestMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS_DEFAULT;
  const where = locationOf(options);
  let pools: Pools | null = null;
  try {
    pools = await openPools(options.url, requestMs);
    if (!pools.isDirect) options.log?.('info', `the journal ${where}: the database is reached through a pooler`);
    await migrate(pools.writing);
    return await PostgresJournal.open(options, pools, where);
  } catch (error) {
    if (pools !== null) await endPools(pools);
    throw error instanceof CrossgateError ? error : new JournalNotGiven(failure(where, error));
  }
}

/** Where it lies, for people: without user and password. */
function locationOf({ url, journal }: PostgresJournalOptions): string {
  let place = 'PostgreSQL';
  try {
    const address = new URL(url);
    const { host, pathname } = address;
    // Where the scheme was left out, what stands before the first colon is taken for it, and a password for the path.
    if (host !== '' && !pathname.includes('@') && !hasPasswordBehindHost(address))
      place = `postgresql://${host}${pathname}`;
  } catch {
    // A connection string of another form is not shown at all: it may hold a password anywhere.
  }
  return `${journal} in ${place}`;
}

function failure(where: string, error: unknown): CrossgateError {
  if (error instanceof CrossgateError) return error;
  return new CrossgateError('XG_JOURNAL_WRITE_FAILED', `the journal ${where} cannot be written: ${reasonOf(error)}`, {
    cause: error,
  });
}

export class PostgresJournal implements Journal {
  readonly recovered: RecoveredJournal;
  readonly location: string;
  readonly kept: KeptTexts;
  readonly endedOrders: EndedOrders = { find: (key) => this.#index.findEnded(key) };
  readonly #options: PostgresJournalOptions;
  readonly #pools: Pools;
  readonly #lease: Lease;
  readonly #index: RowIndex;
  readonly #lookup: EndedLookup;
  readonly #witness: Witness;
  /** Not known to be in the database, oldest first. */
  readonly #kept: Block[] = [];
  #nextBlock = 1;
  #nextFrame = 1;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** Why records and renewals of the lease do not reach the database, and ended orders are not found in it. */
  readonly #failures: Record<Failing, string | null> = { records: null, lease: null, endedOrders: null };
  #lostFor: string | null = null;
  #closed = false;
  /** Rows were lost before, of which there is a note. */
  #hasLoss: boolean;
  readonly #snapshots: PostgresSnapshots;
  readonly #upkeep: PostgresUpkeep;

  private constructor(
    options: PostgresJournalOptions,
    pools: Pools,
    location: string,
    lease: Lease,
    recovered: RowRecovery,
    { index, kept, lookup }: Parts,
  ) {
    this.#options = options;
    this.#pools = pools;
    this.#lease = lease;
    this.location = location;
    for (const pool of [pools.leasing, pools.writing]) pool.on('error', () => lease.look());
    // Whatever the database has under this name is the journal of this name.
    const journalId = createHash('sha256').update(options.journal).digest('hex').slice(0, 32);
    this.#witness = new Witness(options.witness ?? null, journalId, recovered.lastFrame);
    const loss = lossObjection(kept, recovered.lastFrame);
    this.#hasLoss = loss !== null;
    const objection = this.#witness.objection ?? loss;
    const found = recovered.state.recovered(lease.epoch === '1', recovered.notes);
    this.recovered = objection === null ? found : { ...found, objection };
    this.#nextBlock = recovered.lastBlock + 1;
    this.#nextFrame = recovered.lastFrame + 1;
    this.#index = index;
    this.#lookup = lookup;
    this.kept = kept;
    for (const text of recovered.notes) options.log?.('warn', text);
    const { url, journal, log, onUpkeep, snapshotBytes = SNAPSHOT_BYTES_DEFAULT } = options;
    const { epoch, holder } = lease;
    const requestTimeoutMs = options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS_DEFAULT;
    this.#snapshots = new PostgresSnapshots(
      { url, journal, where: location, epoch, holder, requestTimeoutMs },
      { everyBytes: snapshotBytes, adopt: (block, rows) => this.#adopt(block, rows), log, onUpkeep },
    );
    const { retentionDays = null } = options;
    const keptMs = retentionDays === null ? null : retentionDays * DAY_MS;
    this.#upkeep = new PostgresUpkeep(
      { url, writer: { journal, epoch, holder }, where: location, keptMs, requestTimeoutMs },
      { record: (detail) => this.#recordDeletion(detail), noted: () => index.noted(), log, onUpkeep },
    );
    if (recovered.snapshotBlock > 0) this.#upkeep.look();
    this.#snapshots.written(recovered.uncoveredBytes, recovered.lastBlock);
  }

  static async open(options: PostgresJournalOptions, pools: Pools, where: string): Promise<PostgresJournal> {
    let journal: PostgresJournal | null = null;
    let lostEarly: string | null = null;
    let lookup: EndedLookup | null = null;
    const lease = await Lease.take({
      pool: pools.leasing,
      name: options.journal,
      holder: `${hostname()} process ${process.pid} (${randomBytes(4).toString('hex')})`,
      leaseMs: Math.max(LEASE_MS_MIN, options.leaseMs ?? LEASE_MS_DEFAULT),
      onHealth: (healthy, reason) => journal?.health('lease', healthy, reason),
      onLost: (reason) => {
        if (journal === null) lostEarly = reason;
        else journal.lost(reason);
      },
      log: (level, text) => options.log?.(level, text),
      ...(options.stopped === undefined ? {} : { stopped: options.stopped }),
    });
    try {
      const { reading, isDirect } = pools;
      const { url, leaseMs = LEASE_MS_DEFAULT, requestTimeoutMs = REQUEST_TIMEOUT_MS_DEFAULT } = options;
      lookup = new EndedLookup({
        url,
        journal: options.journal,
        where,
        requestTimeoutMs,
        isDirect,
        standstillMs: leaseMs / 4,
        onHealth: (healthy, reason) => journal?.health('endedOrders', healthy, reason),
      });
      const index = new RowIndex(reading, options.journal, where, lookup);
      const recovery = await recoverRows(
        reading,
        options.journal,
        where,
        options.onDamage ?? 'stop',
        (records, block) => index.note(records.map(withoutBytes), block),
      );
      await index.begin(recovery);
      const kept = await PostgresKept.open(pools.writing, options.journal, lease);
      journal = new PostgresJournal(options, pools, where, lease, recovery, { index, kept, lookup });
      if (lostEarly !== null)
        throw new CrossgateError('XG_JOURNAL_LOCKED', `the journal ${where}: ${String(lostEarly)}`);
      return journal;
    } catch (error) {
      await lookup?.close();
      await lease.release().catch(() => {});
      throw error;
    }
  }

  #adopt(block: number, outboundRows: OutboundRows): void {
    this.#index.adopt(block, outboundRows);
    this.#upkeep.look();
  }

  /** Durable before a row is gone. */
  async #recordDeletion(detail: string): Promise<void> {
    if (this.#closed) throw this.#fenced();
    const now = this.#options.now ?? Date.now;
    this.append([{ kind: 'audit', who: 'retention', action: 'delete rows', detail }], now());
    await this.sync();
  }

  append(records: readonly JournalRecord[], at: EpochMs): void {
    assert(!this.#closed, 'nothing is appended to a closed journal');
    let block = this.#kept.at(-1);
    if (block === undefined || block.isFull) {
      block = new Block(this.#nextBlock++);
      this.#kept.push(block);
    }
    block.add(records, at, this.#nextFrame++);
    this.#index.note(records, block.number);
  }

  /** Send what waits, without waiting for it: what has to be recorded before it leaves goes through `sync`. */
  write(): void {
    if (this.#lease.isOver) throw this.#fenced();
    // `onHealth` reports its failure, and so does the next call.
    this.sync().catch(() => {});
    const reason = this.#failures.records ?? this.#failures.lease;
    if (reason !== null) throw failure(this.location, reason);
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
      this.#mustBeHeld();
      block.isSealed = true;
      let written: Written;
      try {
        written = await writeRow(this.#pools, this.#writer, block, this.#requestTimeoutMs);
      } catch (error) {
        const told = failure(this.location, error);
        this.health('records', false, reasonOf(error));
        throw told;
      }
      if (written.held === 0) this.#lease.lose('another node writes this journal; this one came too late');
      if (written.held !== 0 && !written.there) {
        await noteLoss(this.kept, block.firstFrame - 1);
        this.#lease.lose(lostRow(block.number - 1));
      }
      // It is recorded, and another node may have read it since and settled it: nothing may follow from it here.
      if (this.#lease.isOver) throw this.#fenced();
      this.#kept.shift();
      this.#witness.durable(block.firstFrame + block.frames - 1, performance.now());
      this.health('records', true, 'the database takes records again');
      if (this.#hasLoss) forgetLoss(this.kept);
      this.#hasLoss = false;
      this.#snapshots.written(block.length, block.number);
    }
  }

  get #writer(): WriterOf {
    const { epoch, holder } = this.#lease;
    return { journal: this.#options.journal, epoch, holder };
  }

  get #requestTimeoutMs(): number {
    return this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS_DEFAULT;
  }

  #mustBeHeld(): void {
    if (this.#lostFor !== null) throw this.#fenced();
  }

  #fenced(): CrossgateError {
    return new CrossgateError('XG_JOURNAL_LOCKED', `the journal ${this.location} may not be written: ${this.#lostFor}`);
  }

  async loadOutbound(sessionId: SessionID, series: number, from: number, to: number): Promise<OutboundMessage[]> {
    const wanted = { sessionId, series, from, to };
    const rows = { pool: this.#pools.reading, journal: this.#options.journal, where: this.location };
    try {
      return await loadFromRows(rows, wanted, await this.#index.rows(sessionId, series, from, to), this.#kept);
    } catch (error) {
      throw unreadable(this.location, error);
    }
  }

  async *entries(): AsyncIterable<JournalEntry> {
    if (this.#kept.length > 0) await this.sync();
    const range = { journal: this.#options.journal, where: this.location, after: 0, lastFrame: 0 };
    for await (const { number, at, records } of readRows(this.#pools.reading, { ...range, onDamage: 'stop' })) {
      for (const record of records) yield { at, frame: number, record };
    }
  }

  async placesOf(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const { journal } = this.#options;
    const places = new Map<string, string>();
    const snapshot = await newestSnapshot(this.#pools.reading, journal, this.location, []);
    for (const key of keys)
      if (snapshot?.state.orders.has(key) === true) places.set(key, `${this.location}, a snapshot`);
    const { block: after, frame: lastFrame } = snapshot ?? { block: 0, frame: 0 };
    const range = { journal, where: this.location, after, lastFrame, onDamage: 'pass' } as const;
    for await (const { block, number, records } of readRows(this.#pools.reading, range)) {
      for (const record of records) {
        if (record.kind !== 'order' || !keys.has(record.key)) continue;
        places.set(record.key, `${this.location}, row ${block}, frame ${number}`);
      }
    }
    return places;
  }

  /** Resolves when no snapshot is being made, and nothing else is done beside the traffic. */
  async snapshotsIdle(): Promise<void> {
    do {
      await this.#snapshots.idle();
      await this.#upkeep.idle();
    } while (this.#snapshots.isBusy);
    await this.#lookup.idle();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#snapshots.close();
      await this.#upkeep.close();
      await recordLast({
        rows: this.#kept,
        requestTimeoutMs: this.#requestTimeoutMs,
        mustBeHeld: () => this.#mustBeHeld(),
        write: () => this.#running ?? this.sync(),
        failedFor: () => {
          const { records } = this.#failures;
          return records === null ? null : this.#inWords('records', records);
        },
      });
      await this.#lease.release();
    } catch (error) {
      const frames = this.#kept.flatMap((block) => [...block.decode()]);
      throw withUnrecorded(failure(this.location, error), frames);
    } finally {
      this.#witness.close();
      this.#lease.stop();
      await this.#lookup.close();
      await endPools(this.#pools);
    }
  }

  /** Let go of everything at once, as a process that is killed would. */
  abandon(): void {
    this.#closed = true;
    this.#lostFor ??= 'it was abandoned';
    void this.#snapshots.close();
    void this.#upkeep.close();
    void this.#lookup.close();
    this.#lease.stop();
    void endPools(this.#pools);
  }

  get #failedFor(): string | null {
    return this.#failures.records ?? this.#failures.lease ?? this.#failures.endedOrders;
  }

  /**
   * State of the database as lease, writes or look-ups report it. If records are refused, a renewed lease does not
   * help.
   */
  health(of: Failing, healthy: boolean, reason: string): void {
    if (healthy && this.#lostFor !== null) return;
    const wasHealthy = this.#failedFor === null;
    if (!healthy) this.#failures[of] ??= reason;
    else this.#failures[of] = null;
    if (healthy !== (this.#failedFor === null) || healthy === wasHealthy) return;
    const text = healthy ? `the journal ${this.location}: ${reason}` : this.#inWords(of, reason);
    this.#options.log?.(healthy ? 'info' : 'warn', text);
    // A listener may want to record it.
    if (!this.#closed) this.#options.onHealth?.(healthy, healthy ? reason : text);
  }

  #inWords(of: Failing, reason: string): string {
    return of === 'records' ? failure(this.location, reason).message : `the journal ${this.location}: ${reason}`;
  }

  /** This node may write no more. */
  lost(reason: string): void {
    if (this.#lostFor !== null) return;
    this.#lostFor = reason;
    this.health('lease', false, reason);
    this.#options.onLost?.(reason);
  }
}

/** The index needs no message: a slice would keep its whole row in memory. */
function withoutBytes(record: JournalRecord): JournalRecord {
  return 'raw' in record ? { ...record, raw: new Uint8Array() } : record;
}
