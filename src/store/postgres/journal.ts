// The journal in PostgreSQL, behind the same port as the embedded one: a batch of frames is one commit. A batch that was
// sent stays as it is until the database has it: an answer that was lost is asked for again with the same rows. Leaves the right
// to write to lease.ts, rows and hash to batch.ts, the statement to commit.ts, the tables that follow the log to fold.ts. Leaves the
// last batches to final-flush.ts, a start to recovery.ts, reading to log-reader.ts and resend.ts, old rows to retention.ts.

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
import { UpkeepTrouble } from '../snapshots/upkeep-trouble.ts';
import { withUnrecorded } from '../unrecorded.ts';
import { Batch, withoutNul } from './batch.ts';
import { type Written, writeCommit } from './commit.ts';
import { EndedLookup } from './ended-lookup.ts';
import { recordLast } from './final-flush.ts';
import { type Folded, Folder, foldLog, TablesLost } from './fold.ts';
import { IdBackfill } from './id-backfill.ts';
import { JournalNotGiven, Lease, type WriterOf } from './lease.ts';
import type { LiveState } from './live-state.ts';
import { deletedUpTo, type LogEnd, readCommits } from './log-reader.ts';
import { forgetLoss, lossObjection, lostCommit, noteLoss } from './lost-commits.ts';
import { DATABASE_REMEDY, endPools, openPools, type Pools, reasonOf, unreadable } from './pools.ts';
import { hasEndedOrders, mustBeConverted, type Recovery, recover } from './recovery.ts';
import { loadSent } from './resend.ts';
import { Retention } from './retention.ts';
import { migrate } from './schema.ts';
import { PostgresKept } from './side-notes.ts';

export interface PostgresJournalOptions {
  /** `postgresql://user:password@host:port/database`: a secret, never logged. */
  readonly url: string;
  /** One database may hold several journals; each has one writer at a time. */
  readonly journal: string;
  /** How long a node that was killed keeps the others out. Default 5,000, at least 300. */
  readonly leaseMs?: number;
  /** Longest wait for the database before a write counts as failed. Default 5,000. */
  readonly requestTimeoutMs?: number;
  /** Days after which rows that can no longer be requested are deleted; null, the default, keeps all. */
  readonly retentionDays?: number | null;
  /** Time of what is recorded here. Default: the clock. */
  readonly now?: () => EpochMs;
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

const LEASE_MS_DEFAULT = 5_000;
const DAY_MS = 86_400_000;
const LEASE_MS_MIN = 300;
const REQUEST_TIMEOUT_MS_DEFAULT = 2_000;

/** Records that nothing waits for are sent after this time. */
const WRITE_MS = 5;
/** Records that the tables may lack: a start reads them. */
const BEHIND_MAX = 200_000;

const PLACES = 'select key, entry from crossgate_order where journal = $1 and key = any($2) and not is_ended';

type Failing = 'records' | 'lease' | 'endedOrders';

/** Parts that a journal is made with and closes. */
interface Parts {
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
  readonly endedOrders: EndedOrders = { find: (key) => this.#findEnded(withoutNul(key)) };
  readonly #options: PostgresJournalOptions;
  readonly #pools: Pools;
  readonly #lease: Lease;
  readonly #lookup: EndedLookup;
  readonly #witness: Witness;
  readonly #live: LiveState;
  readonly #retention: Retention;
  readonly #backfill: IdBackfill;
  readonly #folder: Folder;
  #writeTimer: NodeJS.Timeout | null = null;
  /** Not known to be in the database, oldest first. */
  readonly #waiting: Batch[] = [];
  /** Records of orders that the tables do not have as ended yet, by each of their keys. */
  readonly #ended = new Map<string, { readonly record: string; readonly commit: number }>();
  /** The last batch that was begun, or the end of the log. */
  #last: LogEnd;
  /** The end of the log that the database has confirmed. */
  #confirmed: LogEnd;
  #partStarted: number | null;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  /** Why records and renewals of the lease do not reach the database, and ended orders are not found in it. */
  readonly #failures: Record<Failing, string | null> = { records: null, lease: null, endedOrders: null };
  #lostFor: string | null = null;
  #closed = false;
  /** Commits were lost before, of which there is a note. */
  #hasLoss: boolean;

  private constructor(
    options: PostgresJournalOptions,
    pools: Pools,
    location: string,
    lease: Lease,
    { live, orders, end, folded, partStarted }: Recovery,
    { kept, lookup }: Parts,
  ) {
    this.#options = options;
    this.#pools = pools;
    this.#lease = lease;
    this.location = location;
    for (const pool of [pools.leasing, pools.writing]) pool.on('error', () => lease.look());
    // Whatever the database has under this name is the journal of this name.
    const journalId = createHash('sha256').update(options.journal).digest('hex').slice(0, 32);
    this.#witness = new Witness(options.witness ?? null, journalId, end.frame);
    const loss = lossObjection(kept, end.frame);
    this.#hasLoss = loss !== null;
    const objection = this.#witness.objection ?? loss;
    const found = live.state.recovered(lease.epoch === '1', []);
    const recovered = { ...found, orders, nonces: new Map(found.nonces) };
    this.recovered = objection === null ? recovered : { ...recovered, objection };
    this.#live = live;
    this.#last = end;
    this.#confirmed = end;
    this.#partStarted = partStarted;
    this.#lookup = lookup;
    this.kept = kept;
    const { retentionDays = null, log, onUpkeep } = options;
    const trouble = new UpkeepTrouble({ log, onUpkeep });
    this.#folder = new Folder({
      live,
      from: folded,
      confirmed: () => this.#confirmed,
      isAhead: () => this.#waiting.length > 0,
      write: (rows) => this.#fold(rows),
      onFolded: (commit) => this.#forgetEnded(commit),
      onTrouble: (reason) => {
        if (reason === null) trouble.worked('tables');
        else
          trouble.failed(
            'tables',
            `${location}: the tables do not follow the log: ${reasonOf(reason)}. ${DATABASE_REMEDY}`,
          );
      },
    });
    this.#backfill = new IdBackfill({ pools, writer: this.#writer });
    this.#retention = new Retention({
      pools,
      writer: this.#writer,
      where: location,
      keptMs: retentionDays === null ? null : retentionDays * DAY_MS,
      firstNeeded: () => live.state.firstNeededSegment(),
      neededBy: (before) => live.state.needing(before),
      record: (detail) => this.#recordDeletion(detail),
      log,
      onUpkeep,
    });
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
      const found = await recover(reading, options.journal, where);
      await mustBeConverted(reading, options.journal, found.end);
      const recovery = await foldTail(
        pools,
        { journal: options.journal, epoch: lease.epoch, holder: lease.holder },
        found,
      );
      const { url, leaseMs = LEASE_MS_DEFAULT, requestTimeoutMs = REQUEST_TIMEOUT_MS_DEFAULT } = options;
      lookup = new EndedLookup({
        url,
        journal: options.journal,
        where,
        requestTimeoutMs,
        isDirect,
        hasKeys: await hasEndedOrders(reading, options.journal),
        standstillMs: leaseMs / 4,
        onHealth: (healthy, reason) => journal?.health('endedOrders', healthy, reason),
      });
      const kept = await PostgresKept.open(pools.writing, options.journal, lease);
      journal = new PostgresJournal(options, pools, where, lease, recovery, { kept, lookup });
      journal.#retention.look();
      journal.#backfill.look();
      if (lostEarly !== null)
        throw new CrossgateError('XG_JOURNAL_LOCKED', `the journal ${where}: ${String(lostEarly)}`);
      return journal;
    } catch (error) {
      await lookup?.close();
      await lease.release().catch(() => {});
      throw error;
    }
  }

  /** Durable before a row is gone. */
  async #recordDeletion(detail: string): Promise<void> {
    if (this.#closed) throw this.#fenced();
    const now = this.#options.now ?? Date.now;
    this.append([{ kind: 'audit', who: 'retention', action: 'delete rows', detail }], now());
    await this.sync();
    // A start reads what is behind the tables from the log: that must not be deleted.
    await this.#folder.reach(this.#confirmed.commit);
  }

  async #fold(rows: Folded): Promise<boolean> {
    try {
      return await foldLog(this.#pools, this.#writer, rows);
    } catch (error) {
      if (!(error instanceof TablesLost)) throw error;
      this.#lease.lose(error.message);
      return false;
    }
  }

  append(records: readonly JournalRecord[], at: EpochMs): void {
    assert(!this.#closed, 'nothing is appended to a closed journal');
    let batch = this.#waiting.at(-1);
    if (batch === undefined || batch.isFull) batch = this.#beginBatch(batch);
    batch.add(records, at);
    const { commit } = batch.start;
    for (const record of records) {
      this.#live.apply(record, at, commit);
      if (record.kind === 'order') for (const key of record.ended ?? []) this.#noteEnded(key, record.record, commit);
    }
  }

  #beginBatch(before: Batch | undefined): Batch {
    if (before !== undefined) this.#seal(before);
    const { commit, frame, entry, hash } = this.#last;
    const start = { commit: commit + 1, firstFrame: frame + 1, firstEntry: entry + 1, previousHash: hash };
    const batch = new Batch(start);
    this.#waiting.push(batch);
    return batch;
  }

  /** It gets no more frames, and has what they amount to. */
  #seal(batch: Batch): void {
    if (this.#last.commit >= batch.start.commit) return;
    this.#folder.seal(batch);
    const now = (this.#options.now ?? Date.now)();
    batch.startsPart = this.#partStarted === null || Math.abs(now - this.#partStarted) >= DAY_MS;
    if (batch.startsPart) this.#partStarted = now;
    this.#last = batch.end;
  }

  #noteEnded(name: string, record: string, commit: number): void {
    const key = withoutNul(name);
    this.#lookup.add(key);
    this.#ended.set(key, { record: withoutNul(record), commit });
  }

  #findEnded(key: string): string | null {
    return this.#ended.get(key)?.record ?? this.#lookup.find(key);
  }

  /**
   * Send what waits soon, without waiting for it: what has to be recorded before it leaves goes through `sync`. A commit of its
   * own would delay the next report: mostly that takes it along.
   */
  write(): void {
    if (this.#lease.isOver) throw this.#fenced();
    // `onHealth` reports its failure, and so does the next call.
    this.#writeTimer ??= setTimeout(() => {
      this.#writeTimer = null;
      if (!this.#closed) this.sync().catch(() => {});
    }, WRITE_MS).unref();
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
    const newest = this.#waiting.at(-1);
    if (newest === undefined) return;
    this.#seal(newest);
    const last = newest.start.commit;
    if (this.#folder.behind > BEHIND_MAX) {
      await this.#folder.idle();
      if (this.#folder.behind > 2 * BEHIND_MAX) throw failure(this.location, 'the tables do not follow the log');
    }
    for (let batch = this.#waiting[0]; batch !== undefined && batch.start.commit <= last; batch = this.#waiting[0]) {
      this.#mustBeHeld();
      let written: Written;
      try {
        written = await writeCommit(this.#pools, this.#writer, batch, this.#requestTimeoutMs);
      } catch (error) {
        const told = failure(this.location, error);
        this.health('records', false, reasonOf(error));
        throw told;
      }
      if (written.held === 0) this.#lease.lose('another node writes this journal; this one came too late');
      if (written.held !== 0 && !written.there) {
        await noteLoss(this.kept, batch.start.firstFrame - 1);
        this.#lease.lose(lostCommit(batch.start.commit - 1));
      }
      // It is recorded, and another node may have read it since and settled it: nothing may follow from it here.
      if (this.#lease.isOver) throw this.#fenced();
      this.#waiting.shift();
      this.#confirm(batch);
    }
  }

  #confirm(batch: Batch): void {
    this.#confirmed = batch.end;
    this.#folder.confirmed(batch);
    this.#witness.durable(batch.end.frame, performance.now());
    this.health('records', true, 'the database takes records again');
    if (this.#hasLoss) forgetLoss(this.kept);
    this.#hasLoss = false;
    if (batch.startsPart) this.#retention.look();
  }

  #forgetEnded(commit: number): void {
    for (const [key, ended] of this.#ended) if (ended.commit <= commit) this.#ended.delete(key);
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
    const place = { journal: this.#options.journal, where: this.location };
    // Those that wait are looked at before: they may reach the database meanwhile.
    const waiting = this.#waiting.flatMap((batch) => batch.outbound(sessionId, series, from, to));
    // All of them are here: the database may be away.
    if (new Set(waiting.map(({ msgSeqNum }) => msgSeqNum)).size > to - from) return waiting;
    const unconfirmed = this.#waiting.reduce((sum, batch) => sum + batch.sent(sessionId, series), 0);
    const sent = this.#live.sent(sessionId, series) - unconfirmed;
    try {
      const found = await loadSent(this.#pools.reading, place, wanted, { sent, entry: this.#confirmed.entry });
      for (const message of waiting) found.set(message.msgSeqNum, message);
      return [...found.values()].sort((a, b) => a.msgSeqNum - b.msgSeqNum);
    } catch (error) {
      throw unreadable(this.location, error);
    }
  }

  async *entries(): AsyncIterable<JournalEntry> {
    if (this.#waiting.length > 0) await this.sync();
    const { journal } = this.#options;
    const after = await deletedUpTo(this.#pools.reading, journal);
    for await (const { frames, problem } of readCommits(this.#pools.reading, { journal, after })) {
      if (problem !== null) throw new CrossgateError('XG_JOURNAL_CORRUPT', `${this.location}: ${problem}`);
      for (const { number, at, records } of frames) for (const record of records) yield { at, frame: number, record };
    }
  }

  async placesOf(keys: ReadonlySet<string>): Promise<ReadonlyMap<string, string>> {
    const values = [this.#options.journal, [...keys]];
    const { rows } = await this.#pools.reading.query<Record<'key' | 'entry', string>>(PLACES, values);
    return new Map(rows.map(({ key, entry }) => [key, `${this.location}, crossgate_event, entry ${entry}`]));
  }

  /** Resolves when nothing is done beside the traffic. */
  async upkeepIdle(): Promise<void> {
    await this.#retention.idle();
    await this.#backfill.idle();
    await this.#folder.idle();
    await this.#lookup.idle();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    try {
      await this.#retention.close();
      const backfilled = this.#backfill.close();
      await recordLast({
        batches: this.#waiting,
        requestTimeoutMs: this.#requestTimeoutMs,
        mustBeHeld: () => this.#mustBeHeld(),
        write: () => this.#running ?? this.sync(),
        failedFor: () => {
          const { records } = this.#failures;
          return records === null ? null : this.#inWords('records', records);
        },
      });
      await this.#folder.idle();
      await backfilled;
      await this.#lease.release();
    } catch (error) {
      throw withUnrecorded(
        failure(this.location, error),
        this.#waiting.flatMap(({ framesOf }) => framesOf),
      );
    } finally {
      this.#folder.close();
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
    this.#folder.close();
    void this.#retention.close();
    void this.#backfill.close();
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

/** Bring the tables to the end of the log before the first look at them. */
async function foldTail(pools: Pools, writer: WriterOf, recovery: Recovery): Promise<Recovery> {
  const { folded, end, live } = recovery;
  if (folded.commit < end.commit) {
    await foldLog(pools, writer, { from: folded, to: end, live: live.changed() });
  }
  return { ...recovery, folded: end };
}
