// The connection of a thread beside the traffic of a journal in PostgreSQL, and of inspecting commands. pools.ts has
// the journal's own connections.

import type { Client, ClientConfig } from 'pg';
import { actOver, endClient, PROTOCOL_VIOLATION, settingsOf } from './pools.ts';

/** A request may take so many times as long as others: some hundred megabytes are read, written or hashed. */
const PATIENCE = 24;

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
  const { url, requestTimeoutMs } = request;
  const patience = { connectMs: requestTimeoutMs, answerMs: PATIENCE * requestTimeoutMs };
  const client = await connectPatiently(url, applicationName, patience);
  try {
    return await actOver(client, use);
  } finally {
    await endClient(client);
  }
}

/** Whatever the defaults of the database and the role are, a request has its time; not so behind a pooler that refuses that. */
export async function connectPatiently(
  url: string,
  applicationName: string,
  { connectMs, answerMs }: { readonly connectMs: number; readonly answerMs: number },
): Promise<Client> {
  const config = {
    application_name: applicationName,
    connectionTimeoutMillis: connectMs,
    query_timeout: answerMs + 500,
  };
  try {
    return await connect({ ...config, ...settingsOf(url, answerMs, true, '') });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== PROTOCOL_VIOLATION) throw error;
    return await connect({ ...config, ...settingsOf(url, answerMs, false) });
  }
}

async function connect(config: ClientConfig): Promise<Client> {
  // Read where there is such a journal only: every command comes through this room's door.
  const pg = await import('pg');
  const client = new pg.Client(config);
  // A broken connection fails its query, which is reported.
  client.on('error', () => {});
  try {
    await client.connect();
  } catch (error) {
    await endClient(client);
    throw error;
  }
  return client;
}
