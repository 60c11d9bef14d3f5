// Where a journal in PostgreSQL has the messages that may be asked for again, and the orders that ended: in memory for the rows
// behind the last snapshot, in tables for those before it. Leaves asking for one order to ended-lookup.ts.

import { CrossgateError } from '../../base/errors.ts';
import type { SessionID } from '../../session/mod.ts';
import { findEnded } from '../index/ended-blob.ts';
import type { JournalRecord } from '../port.ts';
import type { OutboundRows } from '../snapshots/state-bytes.ts';
import type { Database } from './bytes.ts';
import { readRun, unnotedRuns } from './ended-run.ts';
import type { RowRecovery } from './reader.ts';

const FIND_OUTBOUND = `select block, first_number, last_number from crossgate_outbound where journal = $1 and session = $2 and series = $3
  and block <= $4 and first_number <= $5 and last_number >= $6 order by block`;

const COUNT_OUTBOUND = `select count(*) as rows from crossgate_outbound where journal = $1 and session = $2 and series = $3
  and block <= $4`;

/** Numbers of one session's series that a row holds: the first and the last of them, and of those between some. */
export interface Range {
  readonly block: number;
  readonly from: number;
  to: number;
}

/** Asks the database for ended orders, one by one. */
interface EndedInDatabase {
  /** There are new runs with noted keys; `all`: or older ones. */
  load(all: boolean): void;
  find(key: string): string | null;
}

const keyOf = (sessionId: SessionID, series: number): string => `${series} ${sessionId}`;

export class RowIndex {
  readonly #database: Database;
  readonly #journal: string;
  readonly #where: string;
  readonly #outbound = new Map<string, Range[]>();
  readonly #ended = new Map<string, { readonly record: string; readonly block: number }>();
  readonly #lookup: EndedInDatabase;
  /** Runs of an earlier program without noted keys, oldest first (ended-blob.ts). */
  #unnoted: { readonly block: number; readonly run: Buffer }[] = [];
  #snapshotBlock = 0;
  /** How many rows the table has of a series, up to that one; null if it is not known. */
  #outboundRows: ReadonlyMap<string, number> | null = null;

  /** @param where for messages: where the journal lies */
  constructor(database: Database, journal: string, where: string, lookup: EndedInDatabase) {
    this.#database = database;
    this.#journal = journal;
    this.#where = where;
    this.#lookup = lookup;
  }

  /** Begin with what a start found: the last row that the tables cover. @throws the database's error */
  async begin({ snapshotBlock, outboundRows }: Pick<RowRecovery, 'snapshotBlock' | 'outboundRows'>): Promise<void> {
    this.#snapshotBlock = snapshotBlock;
    this.#outboundRows = outboundRows === null ? null : byKey(outboundRows);
    for (const stored of await unnotedRuns(this.#database, this.#journal)) {
      const run = await readRun(this.#database, this.#journal, stored);
      if (run !== null) this.#unnoted.push({ block: stored.block, run });
    }
    if (snapshotBlock > 0) this.#lookup.load(true);
  }

  /** The keys of older runs were noted: let go of those. */
  async noted(): Promise<void> {
    const left = new Set((await unnotedRuns(this.#database, this.#journal)).map(({ block }) => block));
    this.#lookup.load(true);
    this.#unnoted = this.#unnoted.filter(({ block }) => left.has(block));
  }

  /** Remember where a frame's messages are, and the orders that ended with it. */
  note(records: readonly JournalRecord[], block: number): void {
    for (const record of records) {
      if (record.kind === 'outbound' && record.resendable) {
        const key = keyOf(record.sessionId, record.series);
        const ranges = this.#outbound.get(key) ?? [];
        if (ranges.length === 0) this.#outbound.set(key, ranges);
        const last = ranges.at(-1);
        if (last?.block === block) last.to = Math.max(last.to, record.msgSeqNum);
        else ranges.push({ block, from: record.msgSeqNum, to: record.msgSeqNum });
      } else if (record.kind === 'order') {
        for (const key of record.ended ?? []) this.#ended.set(key, { record: record.record, block });
      }
    }
  }

  /** Rows with messages of a series in a range. @throws CrossgateError XG_JOURNAL_CORRUPT, and the database's error */
  async rows(sessionId: SessionID, series: number, from: number, to: number): Promise<Range[]> {
    const ranges = this.#outbound.get(keyOf(sessionId, series)) ?? [];
    // As they are now: the newest row takes more while others are read.
    const recent = ranges.filter((range) => range.from <= to && range.to >= from).map((range) => ({ ...range }));
    if (this.#snapshotBlock === 0) return recent;
    const through = this.#snapshotBlock;
    const expected = this.#outboundRows;
    const values = [this.#journal, sessionId, series, through, to, from];
    const { rows } = await this.#database.query<Record<'block' | 'first_number' | 'last_number', string>>(
      FIND_OUTBOUND,
      values,
    );
    const covered = rows.map((row) => ({
      block: Number(row.block),
      from: Number(row.first_number),
      to: Number(row.last_number),
    }));
    const all = [...covered, ...recent];
    if (expected !== null && !coverEvery(all, from, to)) {
      await this.#mustBeThere(sessionId, series, through, expected.get(keyOf(sessionId, series)) ?? 0);
    }
    return all;
  }

  /** A number in no row is one that is not sent again, such as a Heartbeat's; or what leads to its row is gone. */
  async #mustBeThere(sessionId: SessionID, series: number, through: number, expected: number): Promise<void> {
    const { rows } = await this.#database.query<{ rows: string }>(COUNT_OUTBOUND, [
      this.#journal,
      sessionId,
      series,
      through,
    ]);
    const found = Number(rows[0]?.rows ?? 0);
    if (found >= expected) return;
    const what = `${found} of ${expected} rows of crossgate_outbound are there that lead to messages of ${sessionId} which may be asked for again`;
    throw new CrossgateError('XG_JOURNAL_CORRUPT', `${this.#where}: ${what}; ${outboundRemedy(this.#journal)}`);
  }

  /**
   * The record of an order that ended, by any of its keys: the database is asked where it may have it.
   * @throws CrossgateError XG_JOURNAL_UNREADABLE, XG_JOURNAL_CORRUPT
   */
  findEnded(key: string): string | null {
    const recent = this.#ended.get(key);
    if (recent !== undefined) return recent.record;
    const found = this.#snapshotBlock === 0 ? null : this.#lookup.find(key);
    if (found !== null) return found;
    for (let k = this.#unnoted.length - 1; k >= 0; k--) {
      const text = findEnded(this.#unnoted[k]!.run, key);
      if (text !== null) return text;
    }
    return null;
  }

  /** A snapshot covers the rows up to this one: forget what the database has of them. */
  adopt(block: number, outboundRows: OutboundRows): void {
    this.#lookup.load(false);
    this.#snapshotBlock = block;
    this.#outboundRows = byKey(outboundRows);
    for (const [key, ended] of this.#ended) if (ended.block <= block) this.#ended.delete(key);
    for (const [key, ranges] of this.#outbound) {
      const recent = ranges.filter((range) => range.block > block);
      if (recent.length === 0) this.#outbound.delete(key);
      else this.#outbound.set(key, recent);
    }
  }
}

function byKey(rows: OutboundRows): ReadonlyMap<string, number> {
  return new Map(rows.map(([sessionId, series, count]) => [keyOf(sessionId, series), count]));
}

/** Whether no number from one to another is outside these ranges, which are in order. */
function coverEvery(ranges: readonly Range[], from: number, to: number): boolean {
  let next = from;
  for (const range of ranges) {
    if (range.from > next) return false;
    next = Math.max(next, range.to + 1);
  }
  return next > to;
}

/** Rebuilds crossgate_outbound and crossgate_ended: a start without a snapshot reads every row. */
export function outboundRemedy(journal: string): string {
  return `restore it from a backup of the database, or stop the gateway and delete the rows of journal ${journal} in crossgate_snapshot where is_base is false, and in crossgate_outbound: its next start reads every row of crossgate_block, and notes them again`;
}
