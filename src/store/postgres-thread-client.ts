// The connection of a thread that works beside the traffic of a journal in PostgreSQL. What the journal itself writes and reads
// over is postgres-pools.ts's.

import { Client, type ClientConfig } from 'pg';
import { actOver, beginningWith, endClient, PROTOCOL_VIOLATION } from './postgres-pools.ts';

/** A request may take so many times as long as others: some hundred megabytes are read, written or hashed. */
const PATIENCE = 24;
const OPTIONS = '-c lock_timeout=0';

interface ThreadRequest {
  readonly url: string;
  readonly requestTimeoutMs: number;
}

/** Do it over a connection of its own, which is ended behind it. @throws the database's error, and whatever `use` throws */
export async function withThreadClient<T>(
  request: ThreadRequest,
  applicationName: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const client = await connectPatiently(request, {
    application_name: applicationName,
    connectionTimeoutMillis: request.requestTimeoutMs,
    query_timeout: PATIENCE * request.requestTimeoutMs + 500,
  });
  try {
    return await actOver(client, use);
  } finally {
    await endClient(client);
  }
}

/** Whatever the defaults of the database and the role are, a request has its time; not so behind a pooler that refuses that. */
async function connectPatiently({ url, requestTimeoutMs }: ThreadRequest, config: ClientConfig): Promise<Client> {
  try {
    const settings = { ...beginningWith(OPTIONS, url), statement_timeout: PATIENCE * requestTimeoutMs };
    return await connect({ ...config, ...settings });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== PROTOCOL_VIOLATION) throw error;
    return await connect({ ...config, connectionString: url });
  }
}

async function connect(config: ClientConfig): Promise<Client> {
  const client = new Client(config);
  // A connection that breaks fails its query, which is told.
  client.on('error', () => {});
  await client.connect();
  return client;
}
