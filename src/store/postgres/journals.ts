// The journals that one database holds, by their names, and copies of a journal under other names.

import { hostname } from 'node:os';
import process from 'node:process';
import type { ClientBase } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import type { RowsPlace } from './inspection.ts';
import { Lease } from './lease.ts';
import { connectPatiently, endClient, endPools, mustBeAddress, openPools, unreadable } from './pools.ts';
import { migrate } from './schema.ts';

const CONNECT_MS = 10_000;
const ANSWER_MS = 60_000;
const LEASE_MS = 30_000;
/** No session waits for a copy. */
const COPY_MS = 3_600_000;

/** A journal in which something was recorded, and the sessions that it has numbers of. */
export interface KnownJournal {
  readonly name: string;
  readonly sessions: readonly string[];
}

const KNOWN = `select l.name, array(select session from crossgate_session where journal = l.name order by session) as sessions
  from crossgate_lease l where exists (select 1 from crossgate_commit where journal = l.name) order by l.name`;
/** SQLSTATE of a table that is not there. */
const UNDEFINED_TABLE = '42P01';

/** Every journal in which something was recorded. @throws CrossgateError XG_JOURNAL_UNREADABLE */
export async function journalsIn(url: string): Promise<readonly KnownJournal[]> {
  try {
    mustBeAddress(url);
    const client = await connectPatiently(url, 'crossgate reader', { connectMs: CONNECT_MS, answerMs: ANSWER_MS });
    try {
      return (await client.query<KnownJournal>(KNOWN)).rows;
    } finally {
      await endClient(client);
    }
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === UNDEFINED_TABLE) return [];
    throw unreadable('list in PostgreSQL', error);
  }
}

/** Tables with a row for each thing of a journal; the lease is made besides. */
const TABLES = [
  'crossgate_kept',
  'crossgate_commit',
  'crossgate_message',
  'crossgate_event',
  'crossgate_audit',
  'crossgate_session',
  'crossgate_order',
  'crossgate_order_key',
  'crossgate_nonce',
  'crossgate_execution',
  'crossgate_message_id',
  'crossgate_folded',
];
const COLUMNS = `select string_agg(quote_ident(attname), ', ' order by attnum) as columns from pg_attribute
  where attrelid = $1::regclass and attnum > 0 and not attisdropped and attname <> 'journal'`;
/** Free, and behind every epoch of the journal that was copied. */
const FREE = `insert into crossgate_lease (name, epoch, holder, expires_at)
  select $2, epoch, holder, 'epoch' from crossgate_lease where name = $1`;

/**
 * Copy a journal under other names, in one transaction; its gateways must be stopped. The journal itself stays.
 * @throws CrossgateError XG_JOURNAL_LOCKED; XG_USAGE if there is no such journal, or there is one of another name already
 */
export async function copyRows({ url, journal }: RowsPlace, names: readonly string[]): Promise<void> {
  const pools = await openPools(url, COPY_MS);
  try {
    await migrate(pools.writing);
    const known = await pools.reading.query<{ name: string }>('select name from crossgate_lease');
    const taken = new Set(known.rows.map(({ name }) => name));
    if (!taken.has(journal)) throw new CrossgateError('XG_USAGE', `the database holds no journal ${journal}`);
    const there = names.filter((name) => taken.has(name));
    if (there.length > 0) {
      throw new CrossgateError('XG_USAGE', `the database holds ${there.join(', ')} already: nothing was copied`);
    }
    const lease = await Lease.take({
      pool: pools.leasing,
      name: journal,
      holder: `${hostname()} process ${process.pid} (store copy)`,
      leaseMs: LEASE_MS,
      onHealth: () => {},
      onLost: () => {},
      log: () => {},
    });
    const client = await pools.writing.connect();
    try {
      await client.query('begin isolation level repeatable read');
      for (const name of names) await copyOne(client, journal, name);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    } finally {
      client.release();
      await lease.release().catch(() => {});
    }
  } catch (error) {
    throw unreadable(`${journal} in PostgreSQL`, error);
  } finally {
    await endPools(pools);
  }
}

async function copyOne(client: ClientBase, journal: string, name: string): Promise<void> {
  for (const table of TABLES) {
    const { rows } = await client.query<{ columns: string }>(COLUMNS, [table]);
    const { columns } = rows[0]!;
    const copy = `insert into ${table} (journal, ${columns}) select $2, ${columns} from ${table} where journal = $1`;
    await client.query(copy, [journal, name]);
  }
  await client.query(FREE, [journal, name]);
}
