// Writes one commit: a single statement, and so one transaction. It proves the lease, sees that the commit before is there, and
// inserts or updates the rows of every table. Knows how long that may take. Leaves what follows from the answer to journal.ts.

import type { Batch, BatchRows } from './batch.ts';
import { EXECUTION_COLUMNS, EXECUTION_NUMBERS } from './execution.ts';
import type { WriterOf } from './lease.ts';
import type { LiveRows } from './live-state.ts';
import { BEGIN, DURABLY, type Pools, withClient } from './pools.ts';

/** A commit of that size is sent with the time that it takes: at least so much of it reaches a database in a millisecond. */
const LARGE_BYTES = 4_194_304;
const BYTES_PER_MS_MIN = 4_096;

const timestamp = (column: string): string => `timestamptz 'epoch' + ${column} * interval '1 millisecond'`;

/**
 * Zero rows of `lease`: fenced off. An existing commit is ours: no other process holds this lease. If the one before it is missing
 * or another, this is not the database that confirmed it: records after a hole could not be read again.
 */
const HEAD = `lease as (
    select ${DURABLY} from crossgate_lease where name = $1 and epoch = $2 and holder = $3 for share
  ), before as (
    select $4::bigint = 1 or exists (
      select 1 from crossgate_commit where journal = $1 and commit = $4::bigint - 1 and hash = $12) as there
  ), written as (
    insert into crossgate_commit (journal, commit, epoch, first_frame, frames, first_entry, entries, bytes, starts_part, hash)
    select $1, $4, $2, $5, $6, $7, $8, $9, $10, $11 from lease, before where there
    on conflict (journal, commit) do nothing returning 1
  )`;
const HEAD_VALUES = 12;

interface Part {
  readonly name: string;
  /** Columns of its rows, as they are unnested, with their types. */
  readonly columns: Readonly<Record<string, string>>;
  /** @param rows the unnested rows; @param raw the parameter with the bytes of the messages */
  readonly insert: (rows: string, raw: string) => string;
}

const PLACE = { entry: 'bigint', frame: 'bigint', at: 'float8' };
const executionColumns = Object.fromEntries(EXECUTION_COLUMNS.map((column) => [column, 'text']));
const executionValues = EXECUTION_COLUMNS.map((column) =>
  EXECUTION_NUMBERS.has(column) ? `${column}::numeric` : column,
);

const PARTS: readonly Part[] = [
  {
    name: 'message',
    columns: {
      ...{ ...PLACE, session: 'text', direction: 'text', series: 'bigint', number: 'bigint', next: 'bigint' },
      ...{ type: 'text', resendable: 'boolean', note: 'text', start: 'integer', bytes: 'integer' },
    },
    insert: (
      rows,
      raw,
    ) => `insert into crossgate_message select $1, entry, frame, ${timestamp('at')}, session, direction, series,
      number, next, type, resendable, note, substring(${raw}::bytea from start for bytes) from ${rows}`,
  },
  {
    name: 'event',
    columns: { ...PLACE, kind: 'text', subject: 'text', detail: 'text', ended: 'jsonb' },
    insert: (
      rows,
    ) => `insert into crossgate_event select $1, entry, frame, ${timestamp('at')}, kind, subject, detail, ended
      from ${rows} returning entry, at, kind, subject, detail, ended`,
  },
  {
    name: 'orders',
    columns: { first: 'bigint', last: 'bigint' },
    insert: (rows) => `insert into crossgate_order select $1, subject, first, entry, at, ended is not null, detail
      from event join (select first, last from ${rows}) as o on o.last = entry
      on conflict (journal, key) do update
      set entry = excluded.entry, at = excluded.at, is_ended = excluded.is_ended, record = excluded.record`,
  },
  {
    name: 'keys',
    columns: {},
    insert: () => `insert into crossgate_order_key
      select distinct on (id) $1, id, subject from event, jsonb_array_elements_text(ended) as id
      where ended is not null order by id, entry desc
      on conflict (journal, id) do update set key = excluded.key`,
  },
  {
    name: 'audit',
    columns: { ...PLACE, who: 'text', action: 'text', detail: 'text' },
    insert: (rows) =>
      `insert into crossgate_audit select $1, entry, frame, ${timestamp('at')}, who, action, detail from ${rows}`,
  },
  {
    name: 'execution',
    columns: { entry: 'bigint', at: 'float8', session: 'text', ...executionColumns },
    insert: (rows) => `insert into crossgate_execution (journal, entry, at, session, ${EXECUTION_COLUMNS.join(', ')})
      select $1, entry, ${timestamp('at')}, session, ${executionValues.join(', ')} from ${rows}`,
  },
  {
    name: 'session',
    columns: {
      ...{ session: 'text', series: 'bigint', sender: 'bigint', target: 'bigint', proven: 'bigint' },
      ...{ logged_on: 'boolean', counted_at: 'float8', state: 'text' },
    },
    insert: (rows) => `insert into crossgate_session
      select $1, session, $4, series, sender, target, proven, logged_on, ${timestamp('counted_at')}, state from ${rows}
      on conflict (journal, session) do update set commit = excluded.commit, series = excluded.series,
        next_sender_msg_seq_num = excluded.next_sender_msg_seq_num, next_target_msg_seq_num = excluded.next_target_msg_seq_num,
        proven_msg_seq_num = excluded.proven_msg_seq_num, is_logged_on = excluded.is_logged_on, counted_at = excluded.counted_at,
        state = excluded.state`,
  },
  {
    name: 'nonce',
    columns: { credential: 'text', nonce: 'text' },
    insert: (rows) => `insert into crossgate_nonce select $1, credential, nonce from ${rows}
      on conflict (journal, credential) do update set nonce = excluded.nonce`,
  },
];

export interface Written {
  /** 0: another node has the journal. */
  readonly held: number;
  /** Whether the commit before it is. */
  readonly there: boolean;
}

/** Longest wait for the answer to a commit of that size. */
export function commitMsMax(bytes: number, requestTimeoutMs: number): number {
  return bytes < LARGE_BYTES ? requestTimeoutMs : requestTimeoutMs + Math.ceil(bytes / BYTES_PER_MS_MIN);
}

/** Rows by part; those without rows have no part in the statement. */
function rowsOf({ message, event, audit, execution, orders, hasEnded }: BatchRows, live: LiveRows): unknown[][][] {
  const ofOrders = Array.from(orders.values(), (entries) => [...entries]);
  return [message, event, ofOrders, hasEnded ? [[]] : [], audit, execution, live.session, live.nonce];
}

/** The statement that has rows for these parts: planned once per connection and kind of commit. */
const STATEMENTS = new Map<number, string>();

function statementOf(mask: number): string {
  const known = STATEMENTS.get(mask);
  if (known !== undefined) return known;
  let next = HEAD_VALUES + 1;
  const parts = PARTS.filter((_, k) => (mask & (1 << k)) !== 0);
  const raw = mask & 1 ? `$${next++}` : '';
  const texts = parts.map(({ name, columns, insert }) => {
    const types = Object.values(columns);
    const arrays = types.map((type) => `$${next++}::${type}[]`).join(', ');
    const names = Object.keys(columns).join(', ');
    const rows = types.length === 0 ? '' : `written, unnest(${arrays}) as rows (${names})`;
    return `${name} as (${insert(rows, raw)})`;
  });
  const text = `with ${[HEAD, ...texts].join(', ')} select count(*)::int as held, (select there from before) from lease`;
  STATEMENTS.set(mask, text);
  return text;
}

/** Write it. @throws the database's error */
export async function writeCommit(
  { writing, isDirect }: Pools,
  { journal, epoch, holder }: WriterOf,
  batch: Batch,
  requestTimeoutMs: number,
): Promise<Written> {
  const { start, frames, entries, bytes, startsPart, hash, rows, live } = batch;
  const { commit, firstFrame, firstEntry, previousHash } = start;
  const values: unknown[] = [journal, epoch, holder, commit, firstFrame, frames, firstEntry, entries, bytes];
  values.push(startsPart, hash, previousHash);
  let mask = 0;
  const tables = rowsOf(rows, live ?? { session: [], nonce: [] });
  for (const [k, table] of tables.entries()) if (table.length > 0) mask |= 1 << k;
  if (mask & 1) values.push(rows.raw);
  for (const [k, table] of tables.entries()) {
    if (table.length === 0) continue;
    const width = Object.keys(PARTS[k]!.columns).length;
    for (let column = 0; column < width; column++) values.push(table.map((row) => row[column]));
  }
  // Named: planned once per connection.
  const query = { ...(isDirect ? { name: `crossgate-commit-${mask}` } : {}), text: statementOf(mask), values };
  const limitMs = commitMsMax(bytes, requestTimeoutMs);
  if (limitMs === requestTimeoutMs) return (await writing.query<Written>(query)).rows[0]!;
  // Others wait no longer than usual: theirs is another connection.
  return await withClient(writing, false, async (client) => {
    // For this transaction only: behind a pooler, others have the connection next.
    await client.query(BEGIN);
    await client.query(`set local statement_timeout = ${limitMs}`);
    const patient = { ...query, query_timeout: limitMs + 500 };
    const { rows: answer } = await client.query<Written>(patient);
    await client.query('commit');
    return answer[0]!;
  });
}
