// The connection of a thread that works beside the traffic of a journal in PostgreSQL. What the journal itself writes and reads
// over is postgres-pools.ts's.

import { Client } from 'pg';
import { endClient } from './postgres-pools.ts';

/** A request may take so many times as long as others: some hundred megabytes are read, written or hashed. */
const PATIENCE = 24;

/** Do it over a connection of its own, which is ended behind it. @throws the database's error, and whatever `use` throws */
export async function withThreadClient<T>(
  { url, requestTimeoutMs }: { readonly url: string; readonly requestTimeoutMs: number },
  applicationName: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: requestTimeoutMs,
    query_timeout: PATIENCE * requestTimeoutMs,
  });
  // A connection that breaks fails its query, which is told.
  client.on('error', () => {});
  await client.connect();
  try {
    return await use(client);
  } finally {
    await endClient(client);
  }
}
