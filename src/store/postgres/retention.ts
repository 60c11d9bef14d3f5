// Deletes the log of a journal in PostgreSQL after its years (rule J4), the oldest part first, a part being what was written from one
// day to the next. Deletes nothing of a present series, no report that is not proven received (rule J1), and nothing that differs from
// its hash. Sessions stay, and orders for ever.

import { setTimeout as pause } from 'node:timers/promises';
import type { ClientBase } from 'pg';
import { formatIso } from '../../base/time.ts';
import type { SessionID } from '../../session/mod.ts';
import type { StoreLog, UpkeepListener } from '../log.ts';
import { sessionsInWords } from '../sessions-in-words.ts';
import { GAP_COUNTS_DAYS_MAX } from '../snapshots/archive.ts';
import { UpkeepTrouble } from '../snapshots/upkeep-trouble.ts';
import { commitHeld, type WriterOf } from './lease.ts';
import { deletedUpTo, type LogEnd, readCommits } from './log-reader.ts';
import { BEGIN, DATABASE_REMEDY, type Pools, reasonOf, withClient } from './pools.ts';

/** Commits deleted by one transaction: it takes milliseconds in which the lease is not renewed. */
const COMMITS_PER_PIECE = 200;
/** Read at once of a part that is proven before it goes: orders wait for so much. */
const BYTES_PER_READ = 262_144;
/** Between two pieces: the disk of the database is for orders first. */
const PAUSE_MS = 50;
const DAY_MS = 86_400_000;

/**
 * The first commit of each part with the time since. Between two of them so much counts at most. One that is later than the next
 * was written by a clock that was ahead.
 */
const PARTS = `with starts as (
    select commit, least(clock_timestamp(), min(written_at) over (order by commit desc)) as at
    from crossgate_commit where journal = $1 and starts_part and deleted_at is null
  ), gaps as (
    select commit, at,
      least(coalesce(lag(at) over (order by commit desc), clock_timestamp()) - at, interval '${GAP_COUNTS_DAYS_MAX} days') as gap
    from starts
  ), aged as (
    select commit, at, extract(epoch from sum(gap) over (order by commit desc))::float8 * 1000 as age from gaps
  )
  select max(commit) - 1 as through, floor(extract(epoch from max(at)) * 1000)::float8 as ended from (
    select commit, at from aged where age >= $2 and commit > $3 + 1 order by commit limit 1
  ) as next`;
const END = `select first_frame + frames - 1 as frame, first_entry + entries - 1 as entry, hash from crossgate_commit
  where journal = $1 and commit = $2`;
const MARK = 'update crossgate_commit set deleted_at = clock_timestamp() where journal = $1 and commit = $2';
const PIECE = `select max(commit) as commit, max(first_entry + entries - 1) as entry from (
    select commit, first_entry, entries from crossgate_commit where journal = $1 and commit < $2
    order by commit limit ${COMMITS_PER_PIECE}) as oldest`;
const LOG_TABLES = [
  ...['crossgate_message', 'crossgate_event', 'crossgate_audit'],
  ...['crossgate_execution', 'crossgate_message_id'],
];

export interface RetentionOptions {
  readonly pools: Pools;
  readonly writer: WriterOf;
  /** For messages. */
  readonly where: string;
  /** How long the log is kept; null for ever. */
  readonly keptMs: number | null;
  /** The first commit that present series need (rule J1). */
  readonly firstNeeded: () => number;
  /** Sessions that need a commit before that one. */
  readonly neededBy: (before: number) => readonly SessionID[];
  /** Record durably that rows are deleted. */
  readonly record: (detail: string) => Promise<void>;
  readonly log: StoreLog | undefined;
  readonly onUpkeep: UpkeepListener | undefined;
}

export class Retention {
  readonly #options: RetentionOptions;
  readonly #trouble: UpkeepTrouble;
  readonly #told = new Set<string>();
  #running: Promise<void> | null = null;
  #isDue = false;
  #closed = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#trouble = new UpkeepTrouble(options);
  }

  /** There may be something to do: a part has begun, or the journal was opened. */
  look(): void {
    const { keptMs, where } = this.#options;
    this.#isDue = true;
    if (this.#closed || keptMs === null || this.#running !== null) return;
    this.#isDue = false;
    this.#running = withClient(this.#options.pools.reading, true, (client) => this.#deleteOld(client, keptMs))
      .then(() => this.#trouble.worked('retention'))
      .catch((error: unknown) => {
        if (this.#closed) return;
        const until = 'nothing is deleted after its years until it can be: it is tried again tomorrow';
        const text = `the journal ${where} could not be looked after; ${until}. ${DATABASE_REMEDY}: ${reasonOf(error)}`;
        this.#trouble.failed('retention', text);
      })
      .finally(() => {
        this.#running = null;
        if (this.#isDue) this.look();
      });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  /** End it between two steps: all of a step is in the database then, or nothing. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.idle();
  }

  async #deleteOld(client: ClientBase, keptMs: number): Promise<void> {
    const { journal } = this.#options.writer;
    for (;;) {
      const deleted = await deletedUpTo(client, journal);
      // A kill may have left some of the part before.
      await this.#finish(client, deleted.commit);
      const { rows } = await client.query<{ through: string | null; ended: number | null }>(PARTS, [
        journal,
        keptMs,
        deleted.commit,
      ]);
      const [row] = rows;
      if (this.#closed || row === undefined || row.through === null) return;
      if (!(await this.#deletePart(client, deleted, Number(row.through), row.ended ?? 0))) return;
    }
  }

  async #deletePart(client: ClientBase, before: LogEnd, through: number, endedAt: number): Promise<boolean> {
    const { writer, where, keptMs, firstNeeded, neededBy, record, log } = this.#options;
    const { journal } = writer;
    const kept = `${where}: commits ${before.commit + 1} to ${through} are kept beyond their years`;
    const [row] = (await client.query<Record<'frame' | 'entry' | 'hash', string>>(END, [journal, through])).rows;
    if (row === undefined) return this.#keep(`${kept}: some are missing`, true);
    if (firstNeeded() <= through) {
      const sessions = sessionsInWords(neededBy(through + 1));
      const why = `the numbers of ${sessions} that are in use, or have reports not proven received, began in them or before (J1)`;
      return this.#keep(`${kept}: ${why}`, false);
    }
    const { problem, bytes } = await this.#proven(client, before, through);
    if (problem !== null) return this.#keep(`${kept}: ${problem}; see \`crossgate store verify\``, true);
    const days = Math.round((keptMs ?? 0) / DAY_MS);
    const commits = `commits ${before.commit + 1} to ${through} of journal ${journal}, frames up to ${row.frame}`;
    const detail = `${commits}, ${bytes} bytes, the last before ${formatIso(endedAt)}, hash ${row.hash}: ${days} days are over`;
    await record(detail);
    await client.query(BEGIN);
    await client.query(MARK, [journal, through]);
    if (!(await commitHeld(client, writer))) return false;
    log?.('info', `${where}: ${detail}: deleted`);
    return true;
  }

  async #proven(
    client: ClientBase,
    after: LogEnd,
    through: number,
  ): Promise<{ readonly problem: string | null; readonly bytes: number }> {
    const { journal } = this.#options.writer;
    let bytes = 0;
    let last = after.commit;
    for await (const read of readCommits(client, { journal, after, through, bytesPerRead: BYTES_PER_READ })) {
      if (read.problem !== null) return { problem: read.problem, bytes };
      bytes += read.bytes;
      last = read.commit;
      await pause(0);
    }
    return { problem: last === through ? null : `commit ${last + 1} is missing`, bytes };
  }

  /** Delete what lies before the last commit that was marked, and its own rows, piece by piece. */
  async #finish(client: ClientBase, marked: number): Promise<void> {
    const { writer } = this.#options;
    const { journal } = writer;
    for (let isLast = marked === 0; !isLast && !this.#closed; ) {
      const piece = await client.query<{ commit: string | null; entry: string | null }>(PIECE, [journal, marked]);
      const commit = piece.rows[0]?.commit ?? null;
      isLast = commit === null;
      const end = commit === null ? await deletedUpTo(client, journal) : { entry: Number(piece.rows[0]!.entry) };
      await client.query(BEGIN);
      for (const table of LOG_TABLES) {
        await client.query(`delete from ${table} where journal = $1 and entry <= $2`, [journal, end.entry]);
      }
      if (commit !== null)
        await client.query('delete from crossgate_commit where journal = $1 and commit <= $2', [journal, commit]);
      if (!(await commitHeld(client, writer))) return;
      if (!isLast) await pause(PAUSE_MS);
    }
  }

  /** Said once; `isWrong`: it should not be so. */
  #keep(text: string, isWrong: boolean): false {
    if (this.#told.has(text)) return false;
    this.#told.add(text);
    if (isWrong) this.#trouble.failed(text, text);
    else this.#options.log?.('warn', text);
    return false;
  }
}
