// Compares the side tables of snapshots of a journal in PostgreSQL with its rows: the rows with messages of each series
// (crossgate_outbound), and the ended orders (crossgate_ended). A row missing there would be skipped in a resend, or a
// ClOrdID accepted twice. inspection.ts reads the rows.

import type { ClientBase } from 'pg';
import { type EndedPlace, findEnded, placesIn } from '../index/ended-blob.ts';
import type { JournalState } from '../journal-state.ts';
import type { JournalRecord } from '../port.ts';
import { readBytes } from './bytes.ts';
import { outboundRemedy } from './index.ts';
import { newestSnapshot, type RowFrame } from './reader.ts';
import { deletedUpTo } from './sealed-parts.ts';

const RANGES_PER_READ = 10_000;
const RANGES = `select block, first_number, last_number from crossgate_outbound
  where journal = $1 and session = $2 and series = $3 and block > $4 and block <= $5 order by block limit ${RANGES_PER_READ}`;
const RUNS = `select block, length(records) as bytes, hashes is not null as noted from crossgate_ended
  where journal = $1 and block <= $2 order by block`;
/** Keys of a run that the table does not lead to its record by. */
const LOST_KEYS = `select count(*)::int as lost from unnest($3::bigint[], $4::smallint[], $5::integer[], $6::integer[]) as keys (print, nth, at, bytes)
  where not exists (
    select 1 from crossgate_ended_key found where found.journal = $1 and found.block = $2 and found.print = keys.print
      and found.nth = keys.nth and found.at = keys.at and found.bytes = keys.bytes
  )`;
/** Of rows that were deleted after their years: those of others are seen when the rows are read. */
const LOST_RUNS = `select count(*)::int as lost from crossgate_ended_key found where journal = $1 and block <= $2
  and not exists (select 1 from crossgate_ended run where run.journal = $1 and run.block = found.block)`;
const KEYS_PER_QUERY = 20_000;

interface Series {
  readonly sessionId: string;
  readonly series: number;
  /** Row, first number and last number of each range, one after the other. */
  readonly ranges: number[];
}

interface Run {
  readonly block: number;
  readonly bytes: number;
  /** Its keys are in crossgate_ended_key. */
  readonly noted: boolean;
}

/** Sees every frame of a journal in order, and says at the end what does not agree. */
export class BesideRows {
  readonly #client: ClientBase;
  readonly #journal: string;
  readonly #state: JournalState;
  readonly #through: number;
  readonly #runs: readonly Run[];
  readonly #series = new Map<string, Series>();
  readonly #damaged = new Set<number>();
  readonly #problems: string[] = [];
  #nextRun = 0;
  /** Keys of orders that ended in rows which the next run has. */
  #ended: string[] = [];

  private constructor(client: ClientBase, journal: string, state: JournalState, through: number, runs: readonly Run[]) {
    this.#client = client;
    this.#journal = journal;
    this.#state = state;
    this.#through = through;
    this.#runs = runs;
  }

  /** Begin with the newest snapshot; null without one: nothing lies beside the rows then. */
  static async begin(client: ClientBase, journal: string): Promise<BesideRows | null> {
    const snapshot = await newestSnapshot(client, journal, journal, []);
    if (snapshot === null) return null;
    const { rows } = await client.query<Omit<Run, 'block'> & { block: string }>(RUNS, [journal, snapshot.block]);
    const runs = rows.map((run) => ({ ...run, block: Number(run.block) }));
    return new BesideRows(client, journal, snapshot.state, snapshot.block, runs);
  }

  async see({ block, damage, records }: RowFrame): Promise<void> {
    if (block > this.#through) return;
    await this.#runsBefore(block);
    if (damage !== null) this.#damaged.add(block);
    for (const record of records) this.#take(record, block);
  }

  #take(record: JournalRecord, block: number): void {
    if (record.kind === 'order' && record.ended !== undefined) this.#ended.push(...record.ended);
    if (record.kind !== 'outbound' || !record.resendable) return;
    const { sessionId, series, msgSeqNum } = record;
    if (series < this.#state.oldestSeries(sessionId)) return;
    const key = `${series} ${sessionId}`;
    let found = this.#series.get(key);
    if (found === undefined) {
      found = { sessionId, series, ranges: [] };
      this.#series.set(key, found);
    }
    const { ranges } = found;
    if (ranges.at(-3) === block) ranges[ranges.length - 1] = Math.max(ranges.at(-1)!, msgSeqNum);
    else ranges.push(block, msgSeqNum, msgSeqNum);
  }

  /** Disagreements, in words, once every frame was read. */
  async problems(): Promise<readonly string[]> {
    await this.#runsBefore(this.#through + 1);
    if (this.#ended.length > 0) this.#missEnded(this.#ended.length);
    const deleted = await deletedUpTo(this.#client, this.#journal);
    const { rows } = await this.#client.query<{ lost: number }>(LOST_RUNS, [this.#journal, deleted.block]);
    if (rows[0]!.lost > 0) this.#missEnded(rows[0]!.lost);
    for (const series of this.#series.values()) {
      const differing = await this.#differing(series);
      // A running gateway forgets series that can no longer be requested.
      if (differing > 0 && !(await this.#isForgotten(series))) this.#missOutbound(series, differing);
    }
    return this.#problems;
  }

  /** Compare the runs that cover rows before this one. */
  async #runsBefore(block: number): Promise<void> {
    for (let run = this.#runs[this.#nextRun]; run !== undefined && run.block < block; run = this.#runs[this.#nextRun]) {
      this.#nextRun++;
      const { block: runBlock, bytes: runBytes } = run;
      const where = { table: 'crossgate_ended', column: 'records', journal: this.#journal } as const;
      const bytes = await readBytes(this.#client, { ...where, block: runBlock, bytes: runBytes });
      if (bytes !== null && run.noted) await this.#compareKeys(runBlock, bytes);
      const missing = this.#ended.filter((key) => bytes === null || findEnded(bytes, key) === null);
      if (missing.length > 0) this.#missEnded(missing.length);
      this.#ended = [];
    }
  }

  /** Whether each key of a run leads to its record. */
  async #compareKeys(block: number, run: Buffer): Promise<void> {
    let lost = 0;
    let keys: EndedPlace[] = [];
    const compare = async (): Promise<void> => {
      const columns = [
        keys.map(({ print }) => print),
        keys.map(({ nth }) => nth),
        keys.map(({ at }) => at),
        keys.map(({ bytes }) => bytes),
      ];
      const values = [this.#journal, block, ...columns];
      lost += (await this.#client.query<{ lost: number }>(LOST_KEYS, values)).rows[0]!.lost;
      keys = [];
    };
    for (const place of placesIn(run)) {
      keys.push(place);
      if (keys.length >= KEYS_PER_QUERY) await compare();
    }
    await compare();
    if (lost === 0) return;
    this.#problems.push(
      `crossgate_ended_key does not lead to ${lost} of the keys of orders that ended, which would not be known; ${outboundRemedy(this.#journal)}`,
    );
  }

  /** How many rows of the journal the table does not lead to as it should. */
  async #differing({ sessionId, series, ranges }: Series): Promise<number> {
    const noted = new Map<number, string>();
    for (let after = 0; ; ) {
      const values = [this.#journal, sessionId, series, after, this.#through];
      const { rows } = await this.#client.query<Record<'block' | 'first_number' | 'last_number', string>>(
        RANGES,
        values,
      );
      for (const row of rows) noted.set(Number(row.block), `${row.first_number} ${row.last_number}`);
      if (rows.length < RANGES_PER_READ) break;
      after = Number(rows.at(-1)!.block);
    }
    let differing = 0;
    for (let k = 0; k < ranges.length; k += 3) {
      const isDamaged = this.#damaged.has(ranges[k]!);
      if (!isDamaged && noted.get(ranges[k]!) !== `${ranges[k + 1]} ${ranges[k + 2]}`) differing++;
    }
    return differing;
  }

  async #isForgotten({ sessionId, series }: Series): Promise<boolean> {
    const newest = await newestSnapshot(this.#client, this.#journal, this.#journal, []);
    return newest !== null && series < newest.state.oldestSeries(sessionId);
  }

  #missOutbound({ sessionId, series, ranges }: Series, differing: number): void {
    const of = `of the ${ranges.length / 3} rows with messages of ${sessionId}, series ${series}`;
    this.#problems.push(
      `crossgate_outbound does not lead to ${differing} ${of}, which a resend would not find; ${outboundRemedy(this.#journal)}`,
    );
  }

  #missEnded(keys: number): void {
    this.#problems.push(
      `crossgate_ended does not have ${keys} of the keys of orders that ended, which would not be known; ${outboundRemedy(this.#journal)}`,
    );
  }
}
