// Writes one row of a journal in PostgreSQL, in one statement that checks the lease's epoch with it, and knows how long that may
// take. Leaves what a row holds to block.ts, and what follows from the answer to journal.ts.

import type { Block } from './block.ts';
import type { WriterOf } from './lease.ts';
import { BEGIN, type Pools, withClient } from './pools.ts';
import { DURABLY } from './side-notes.ts';

/** A row of that size is sent with the time that it takes: at least so much of it reaches a database in a millisecond. */
const LARGE_ROW_BYTES = 4_194_304;
const BYTES_PER_MS_MIN = 4_096;

/**
 * Zero rows of `lease`: fenced off. An existing row is ours: no other process holds this lease. If the row before it is
 * missing and not covered, this is not the database that confirmed it: records after a hole could not be read again.
 */
const WRITE = `with lease as (
    select ${DURABLY} from crossgate_lease where name = $1 and epoch = $2 and holder = $7 for share
  ), before as (
    select $3::bigint = 1
      or exists (select 1 from crossgate_block where journal = $1 and block = $3::bigint - 1)
      or exists (select 1 from crossgate_snapshot where journal = $1 and block >= $3::bigint - 1) as there
  ), written as (
    insert into crossgate_block (journal, block, epoch, first_frame, frames, payload)
    select $1, $3, $2, $4, $5, $6 from lease, before where there
    on conflict (journal, block) do nothing
  )
  select count(*)::int as held, (select there from before) from lease`;

export interface Written {
  /** 0: another node has the journal. */
  readonly held: number;
  /** Whether the row before it is. */
  readonly there: boolean;
}

/** Longest wait for the answer to a row of that size. */
export function rowMsMax(bytes: number, requestTimeoutMs: number): number {
  return bytes < LARGE_ROW_BYTES ? requestTimeoutMs : requestTimeoutMs + Math.ceil(bytes / BYTES_PER_MS_MIN);
}

/** Write it. @throws the database's error */
export async function writeRow(
  { writing, isDirect }: Pools,
  { journal, epoch, holder }: WriterOf,
  { number, firstFrame, frames, payload }: Block,
  requestTimeoutMs: number,
): Promise<Written> {
  const values = [journal, epoch, number, firstFrame, frames, payload, holder];
  // Named: planned once per connection.
  const query = { ...(isDirect ? { name: 'crossgate-write' } : {}), text: WRITE, values };
  const limitMs = rowMsMax(payload.length, requestTimeoutMs);
  if (limitMs === requestTimeoutMs) return (await writing.query<Written>(query)).rows[0]!;
  // Others wait no longer than usual: theirs is another connection.
  return await withClient(writing, false, async (client) => {
    // For this transaction only: behind a pooler, others have the connection next.
    await client.query(BEGIN);
    await client.query(`set local statement_timeout = ${limitMs}`);
    const patient = { ...query, query_timeout: limitMs + 500 };
    const { rows } = await client.query<Written>(patient);
    await client.query('commit');
    return rows[0]!;
  });
}
