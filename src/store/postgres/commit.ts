// Writes one commit: a single statement, and so one transaction. It proves the lease, sees that the commit before is there, and
// inserts the rows of the log. Knows how long that may take. Leaves what the log amounts to, to fold.ts, and what follows from the
// answer to journal.ts.

import type { Batch } from './batch.ts';
import type { WriterOf } from './lease.ts';
import { BEGIN, DURABLY, type Pools, withClient } from './pools.ts';

/** A commit of that size is sent with the time that it takes: at least so much of it reaches a database in a millisecond. */
const LARGE_BYTES = 4_194_304;
const BYTES_PER_MS_MIN = 4_096;

export const timestamp = (column: string): string => `timestamptz 'epoch' + ${column} * interval '1 millisecond'`;

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
/** $13: the bytes of the commit. */
const HEAD_VALUES = 13;

interface Part {
  /** Columns of its rows, as they are unnested, with their types. */
  readonly columns: Readonly<Record<string, string>>;
  /** @param rows the unnested rows */
  readonly insert: (rows: string) => string;
}

const PLACE = { entry: 'bigint', frame: 'bigint', at: 'float8' };
const BYTES = { start: 'integer', length: 'integer' };
const HEAD_COLUMNS = `$1, entry, frame, ${timestamp('at')}`;

const PARTS: readonly Part[] = [
  {
    columns: {
      ...{ ...PLACE, session: 'text', direction: 'text', series: 'bigint', number: 'bigint', next: 'bigint' },
      ...{ type: 'text', resendable: 'boolean', note: 'text', ...BYTES },
    },
    insert: (rows) => `insert into crossgate_message select ${HEAD_COLUMNS}, session, direction, series,
      number, next, type, resendable, note, substring($13::bytea from start for length) from ${rows}`,
  },
  {
    columns: { ...PLACE, kind: 'text', subject: 'text', detail: 'text', ended: 'jsonb', ...BYTES },
    insert: (rows) => `insert into crossgate_event select ${HEAD_COLUMNS}, kind, subject,
      coalesce(detail, convert_from(substring($13::bytea from start for length), 'UTF8')), ended from ${rows}`,
  },
  {
    columns: { ...PLACE, who: 'text', action: 'text', detail: 'text' },
    insert: (rows) => `insert into crossgate_audit select ${HEAD_COLUMNS}, who, action, detail from ${rows}`,
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

/** The statement that has rows for these parts: planned once per connection and kind of commit. */
const STATEMENTS = new Map<number, string>();

function statementOf(mask: number): string {
  const known = STATEMENTS.get(mask);
  if (known !== undefined) return known;
  let next = HEAD_VALUES + 1;
  const parts = PARTS.flatMap(({ columns, insert }, k) => {
    if ((mask & (1 << k)) === 0) return [];
    const arrays = Object.values(columns).map((type) => `$${next++}::${type}[]`);
    return [
      `part_${k} as (${insert(`written, unnest(${arrays.join(', ')}) as rows (${Object.keys(columns).join(', ')})`)})`,
    ];
  });
  // All of them are named: where no row needs the bytes, no type of them would be known.
  const text = `with ${[HEAD, ...parts].join(', ')}
    select count(*)::int as held, (select there from before), $13::bytea is null as none from lease`;
  STATEMENTS.set(mask, text);
  return text;
}

const QUOTED = /["\\]/g;

/** An array as PostgreSQL reads it. `pg` would look at each value several times. */
export function arrayOf(rows: readonly (readonly unknown[])[], column: number): string {
  const values = rows.map((row) => {
    const value = row[column];
    if (value === null || value === undefined) return 'NULL';
    return typeof value === 'string' ? `"${value.replace(QUOTED, '\\$&')}"` : String(value);
  });
  return `{${values.join(',')}}`;
}

/** Write it. @throws the database's error */
export async function writeCommit(
  { writing, isDirect }: Pools,
  { journal, epoch, holder }: WriterOf,
  batch: Batch,
  requestTimeoutMs: number,
): Promise<Written> {
  const { start, frames, entries, size, startsPart, hash, rows } = batch;
  const { commit, firstFrame, firstEntry, previousHash } = start;
  const values: unknown[] = [journal, epoch, holder, commit, firstFrame, frames, firstEntry, entries, size];
  values.push(startsPart, hash, previousHash, rows.bytes);
  let mask = 0;
  for (const [k, table] of [rows.message, rows.event, rows.audit].entries()) {
    if (table.length === 0) continue;
    mask |= 1 << k;
    const width = Object.keys(PARTS[k]!.columns).length;
    for (let column = 0; column < width; column++) values.push(arrayOf(table, column));
  }
  // Named: planned once per connection.
  const query = { ...(isDirect ? { name: `crossgate-commit-${mask}` } : {}), text: statementOf(mask), values };
  const limitMs = commitMsMax(size, requestTimeoutMs);
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
