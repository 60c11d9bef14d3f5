// Connections to PostgreSQL of one journal: those that write and renew the lease are never waited for behind reads. A hundred
// counterparties that ask for resends of a slow database would have its node lose the lease.

import { Pool, type PoolClient } from 'pg';

const WRITING_MAX = 3;
const READING_MAX = 3;

export interface Pools {
  readonly writing: Pool;
  readonly reading: Pool;
}

/** @param requestMs longest wait for an answer, and for a connection */
export function openPools(url: string, requestMs: number): Pools {
  const open = (max: number): Pool => {
    const pool = new Pool({
      connectionString: url,
      max,
      connectionTimeoutMillis: requestMs,
      statement_timeout: requestMs,
      query_timeout: requestMs + 500,
      application_name: 'crossgate',
      // Kept while idle: one that breaks tells that the database stopped.
      idleTimeoutMillis: 0,
      // Whatever the server's default is: an order is recorded when its transaction survives the server's crash.
      options: '-c synchronous_commit=on',
    });
    // An idle connection that breaks is replaced by the next query, which says what is wrong if that fails too.
    pool.on('error', () => {});
    return pool;
  };
  return { writing: open(WRITING_MAX), reading: open(READING_MAX) };
}

/** Do something on one connection. One that breaks meanwhile fails what is asked of it, and ends no process. */
export async function withClient<T>(pool: Pool, isKept: boolean, act: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const ignore = (): void => {};
  client.on('error', ignore);
  try {
    return await act(client);
  } finally {
    // Given back broken, it is thrown away.
    client.release(!isKept);
    if (isKept) client.off('error', ignore);
  }
}

/** End all connections, those in use when they are given back. */
export async function endPools({ writing, reading }: Pools): Promise<void> {
  await Promise.all([writing.end(), reading.end()].map((ended) => ended.catch(() => {})));
}
