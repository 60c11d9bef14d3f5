// Reads the beginning of a start from a journal in PostgreSQL: the end of its log, sessions, nonces and open orders. Of the log it
// reads what those do not have yet, of a fraction of a second: its time never depends on the age of the journal.

import { CrossgateError } from '../../base/errors.ts';
import { LiveState } from './live-state.ts';
import { type LogEnd, logEnd, NO_COMMIT, readCommits } from './log-reader.ts';
import type { Database } from './pools.ts';

const END = `select commit, first_frame + frames - 1 as frame, first_entry + entries - 1 as entry, hash, part.started
  from crossgate_commit left join (
    select (extract(epoch from written_at) * 1000)::float8 as started from crossgate_commit where journal = $1 and starts_part
    order by commit desc limit 1
  ) as part on true
  where journal = $1 order by commit desc limit 1`;
/** A program of version 5 kept sessions with each commit, and knew no crossgate_folded. */
const FOLDED = `select f.commit, c.first_frame + c.frames - 1 as frame, c.first_entry + c.entries - 1 as entry, hash
  from (select greatest((select commit from crossgate_folded where journal = $1),
    (select max(commit) from crossgate_session where journal = $1)) as commit) as f
  left join crossgate_commit c on c.journal = $1 and c.commit = f.commit where f.commit is not null`;
const ORDERS_PER_READ = 1_000;
const ORDERS = `select key, record, first_entry from crossgate_order
  where journal = $1 and not is_ended and (first_entry, key) > ($2, $3) order by first_entry, key limit ${ORDERS_PER_READ}`;
const ANY_KEY = 'select 1 from crossgate_order_key where journal = $1 limit 1';
const BLOCKS = "select to_regclass('crossgate_block') is not null as is_there";
const LAST_BLOCK = 'select coalesce(max(block), 0) as block from crossgate_block where journal = $1';

export interface Recovery {
  readonly live: LiveState;
  /** Open orders, by key, in the order in which they came. */
  readonly orders: Map<string, string>;
  readonly end: LogEnd;
  /** How far the tables are that follow the log: what is behind that was read from the log. */
  readonly folded: LogEnd;
  /** When the last part of the log began, by the database's clock; null before the first. */
  readonly partStarted: number | null;
}

/** @throws CrossgateError XG_JOURNAL_CORRUPT if the log ends before what it amounts to, and the database's error */
export async function recover(database: Database, journal: string, where: string): Promise<Recovery> {
  const corrupt = (what: string): CrossgateError =>
    new CrossgateError('XG_JOURNAL_CORRUPT', `${where}: ${what}; restore the database from a backup`);
  const { end, partStarted } = await endOfLog(database, journal);
  type Row = { [name in keyof LogEnd]: string | null } & { readonly commit: string };
  const [row] = (await database.query<Row>(FOLDED, [journal])).rows;
  if (row !== undefined && row.hash === null) {
    throw corrupt(`commit ${row.commit} is missing, which crossgate_folded names`);
  }
  const folded = row === undefined ? NO_COMMIT : logEnd(row as Row & { readonly hash: string });
  const live = await LiveState.load(database, journal);
  const orders = await openOrders(database, journal);
  for await (const { commit, frames, problem } of readCommits(database, { journal, after: folded })) {
    if (problem !== null) throw corrupt(problem);
    for (const { at, records } of frames) {
      for (const record of records) {
        live.apply(record, at, commit);
        if (record.kind !== 'order') continue;
        if (record.ended === undefined) orders.set(record.key, record.record);
        else orders.delete(record.key);
      }
    }
  }
  return { live, orders, end, folded, partStarted };
}

async function endOfLog(database: Database, journal: string): Promise<Pick<Recovery, 'end' | 'partStarted'>> {
  type Row = Record<'commit' | 'frame' | 'entry' | 'hash', string> & { started: number | null };
  const [row] = (await database.query<Row>(END, [journal])).rows;
  if (row === undefined) return { end: NO_COMMIT, partStarted: null };
  return { end: logEnd(row), partStarted: row.started };
}

export async function openOrders(database: Database, journal: string): Promise<Map<string, string>> {
  const orders = new Map<string, string>();
  for (let after: readonly [number | string, string] = [-1, '']; ; ) {
    type Row = Record<'key' | 'record' | 'first_entry', string>;
    const { rows } = await database.query<Row>(ORDERS, [journal, ...after]);
    for (const { key, record } of rows) orders.set(key, record);
    const last = rows.at(-1);
    if (last === undefined) return orders;
    after = [last.first_entry, last.key];
  }
}

/** Whether an order of the journal has ended. */
export async function hasEndedOrders(database: Database, journal: string): Promise<boolean> {
  return (await database.query(ANY_KEY, [journal])).rowCount === 1;
}

/** The last block that a program before version 5 of the schema wrote; 0 for none. */
export async function lastBlock(database: Database, journal: string): Promise<number> {
  const { rows } = await database.query<{ is_there: boolean }>(BLOCKS);
  if (rows[0]?.is_there !== true) return 0;
  const found = await database.query<{ block: string }>(LAST_BLOCK, [journal]);
  return Number(found.rows[0]!.block);
}

/** @throws CrossgateError XG_CONFIG_INVALID if the journal has blocks that are not converted yet */
export async function mustBeConverted(database: Database, journal: string, end: LogEnd): Promise<void> {
  const block = await lastBlock(database, journal);
  if (block <= end.commit) return;
  throw new CrossgateError(
    'XG_CONFIG_INVALID',
    `the journal ${journal} in PostgreSQL is in blocks of an earlier version: stop its gateways and run \`crossgate store convert\` once`,
  );
}
