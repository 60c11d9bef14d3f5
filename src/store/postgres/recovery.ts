// Reads the beginning of a start from a journal in PostgreSQL: the end of its log, sessions, nonces and open orders. It reads no log:
// its time depends on sessions and open orders, never on the age of the journal.

import { CrossgateError } from '../../base/errors.ts';
import { LiveState } from './live-state.ts';
import { type LogEnd, NO_COMMIT } from './log-reader.ts';
import type { Database } from './pools.ts';

const END = `select commit, first_frame + frames - 1 as frame, first_entry + entries - 1 as entry, hash, part.started
  from crossgate_commit left join (
    select (extract(epoch from written_at) * 1000)::float8 as started from crossgate_commit where journal = $1 and starts_part
    order by commit desc limit 1
  ) as part on true
  where journal = $1 order by commit desc limit 1`;
const NEWEST = 'select max(commit) as commit from crossgate_session where journal = $1';
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
  /** When the last part of the log began, by the database's clock; null before the first. */
  readonly partStarted: number | null;
}

/** @throws CrossgateError XG_JOURNAL_CORRUPT if the log ends before what it amounts to, and the database's error */
export async function recover(database: Database, journal: string, where: string): Promise<Recovery> {
  const { end, partStarted } = await endOfLog(database, journal);
  const { rows } = await database.query<{ commit: string | null }>(NEWEST, [journal]);
  const newest = Number(rows[0]?.commit ?? 0);
  if (newest > end.commit) {
    const what = `commit ${newest} is missing, which a row of crossgate_session names`;
    throw new CrossgateError('XG_JOURNAL_CORRUPT', `${where}: ${what}; restore the database from a backup`);
  }
  const live = await LiveState.load(database, journal);
  return { live, orders: await openOrders(database, journal), end, partStarted };
}

async function endOfLog(database: Database, journal: string): Promise<Pick<Recovery, 'end' | 'partStarted'>> {
  type Row = Record<'commit' | 'frame' | 'entry' | 'hash', string> & { started: number | null };
  const [row] = (await database.query<Row>(END, [journal])).rows;
  if (row === undefined) return { end: NO_COMMIT, partStarted: null };
  const { commit, frame, entry, hash, started } = row;
  return {
    end: { commit: Number(commit), frame: Number(frame), entry: Number(entry), hash },
    partStarted: started,
  };
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
