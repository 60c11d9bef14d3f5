// Connections to PostgreSQL of one journal: those that write and renew the lease are never waited for behind reads. A hundred
// counterparties that ask for resends of a slow database would have its node lose the lease.

import process from 'node:process';
import type { Client, ClientBase, ClientConfig, Pool, PoolClient } from 'pg';
import { CrossgateError } from '../../base/errors.ts';
import { hasPasswordBehindHost, namesSeveralHosts } from '../../base/host-port.ts';
import { connectFailure } from '../../base/socket-failure.ts';

/** Whatever takes a query: a pool, or one connection. */
export type Database = Pick<Pool, 'query'> | Pick<ClientBase, 'query'>;

/** Has the transaction that it is in survive the server's crash, whatever the connection's settings are. */
export const DURABLY = "set_config('synchronous_commit', 'on', true)";

/** A writer that says nothing for so long within a transaction was stopped: the database ends its transaction. */
const SILENT_WRITER_MS = 2_000;

/**
 * Begins a transaction that looks at the lease last: whatever the database's default is, it sees that as it is then. A process that is
 * stopped (SIGSTOP, a paused machine) while the row of the lease is locked would keep every other node from it until it goes on.
 */
export const BEGIN = `begin isolation level read committed; set local idle_in_transaction_session_timeout = ${SILENT_WRITER_MS}`;

/**
 * Whatever the server's defaults are: a lock is waited for as long as for any answer, and a connection that is idle stays. An order
 * would meet the end of one, and a snapshot that is put together within its transaction come to none.
 */
const OF_ALL = '-c lock_timeout=0 -c idle_session_timeout=0 -c idle_in_transaction_session_timeout=0';
/** Likewise an order is recorded when its transaction survives the server's crash, and a write goes on with the lease as it is then. */
const OF_JOURNAL = '-c synchronous_commit=on -c default_transaction_isolation=read\\ committed';
/**
 * A commit is planned once per connection. The server takes arrays of one element for cheaper than a plan made for any number, and
 * would plan each commit anew: two thirds of its time. A plan that is kept must hold for tables that grow: no scan of a whole table.
 */
const OF_WRITER = `${OF_JOURNAL} -c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c jit=off`;

/**
 * Devices on the way to a database, such as firewalls, drop a silent connection after minutes without notice, and the
 * next query waits in vain. TCP keep-alives preserve it, and detect a lost one.
 */
export const KEPT_ALIVE = { keepAlive: true, keepAliveInitialDelayMillis: 30_000 } as const;

const WRITING_MAX = 2;
const READING_MAX = 3;

export interface Pools {
  /** One connection, taken at the start and kept: where the database gives no further one, what writes must not have the last. */
  readonly leasing: Pool;
  readonly writing: Pool;
  /** For the tables that follow the log: where the database gives it no connection, records go on. */
  readonly folding: Pool;
  readonly reading: Pool;
  /** All that are connected. */
  readonly clients: ReadonlySet<ClientBase>;
  /**
   * A connection is one to the database, and stays the same one. Behind a pooler (pgbouncer) it may be another one with each
   * transaction: nothing that is set or prepared holds longer.
   */
  readonly isDirect: boolean;
}

/**
 * `pg` accepts nearly any text as an address and fills gaps with defaults: it would look for a host `base`, or for a
 * database on this machine. @throws Error without the address, which may hold a password anywhere
 */
export function mustBeAddress(url: string): void {
  if (namesSeveralHosts(url)) throw new Error('the address names several hosts, and may name one');
  if (!/^([a-z]+:\/\/|socket:|\/)/i.test(url)) {
    throw new Error('the address is not one like postgresql://user:password@host:port/database');
  }
  const parsed = URL.parse(url);
  if (parsed === null || !hasPasswordBehindHost(parsed)) return;
  throw new Error('special characters of a password in the address have to be written as %xx');
}

/** SQLSTATE with which a pooler refuses settings that a connection begins with. */
export const PROTOCOL_VIOLATION = '08P01';

/** @param requestMs longest wait for an answer, and for a connection @throws the database's error */
export async function openPools(url: string, requestMs: number): Promise<Pools> {
  // Read where there is such a journal only: every command comes through this room's door.
  const pg = await import('pg');
  mustBeAddress(url);
  const pools = poolsOf(pg, url, requestMs, true);
  try {
    // By the connection of the lease: it exists when the lease is taken, and the lease's time runs from the query on.
    if (await isSet(pools.leasing, statementTimeoutOf(url) ?? String(requestMs))) return pools;
  } catch (error) {
    await endPools(pools);
    if ((error as { readonly code?: unknown }).code !== PROTOCOL_VIOLATION) throw error;
    return poolsOf(pg, url, requestMs, false);
  }
  await endPools(pools);
  return poolsOf(pg, url, requestMs, false);
}

/** A setting in the address itself (`?statement_timeout=`), which overrides ours; null if absent. */
function statementTimeoutOf(url: string): string | null {
  const asked = Number.parseInt(URL.parse(url)?.searchParams.get('statement_timeout') ?? '', 10);
  // Of 0 nothing is said to the database.
  return asked > 0 ? String(asked) : null;
}

/** True if start-up options of a connection reach the database: a pooler may drop them. */
async function isSet(pool: Pool, statementTimeout: string): Promise<boolean> {
  const { rows } = await pool.query<{ setting: string }>(
    "select setting from pg_settings where name = 'statement_timeout'",
  );
  return rows[0]?.setting === statementTimeout;
}

/**
 * Start-up options of a connection: the operator's own, such as a search_path, from PGOPTIONS or `?options=` of the
 * address, followed by the required ones. `pg` takes those of the address for all, and the server the last of each.
 * Blanks are written as `+`: at any other `pg` rewrites the whole address, and breaks the password.
 */
function beginningWith(options: string, url: string): { connectionString: string; options: string } {
  return {
    connectionString: url.replace(/([?&]options=[^&#]*)/g, `$1+${options.replaceAll(' ', '+')}`),
    options: `${process.env.PGOPTIONS ?? ''} ${options}`.trim(),
  };
}

/** Start-up options of each connection of a journal, including its threads; behind a pooler only the address. */
export function settingsOf(url: string, requestMs: number, isDirect: boolean, options = OF_JOURNAL): ClientConfig {
  return isDirect
    ? { ...beginningWith(`${OF_ALL} ${options}`.trim(), url), statement_timeout: requestMs }
    : { connectionString: url };
}

function poolsOf(pg: typeof import('pg'), url: string, requestMs: number, isDirect: boolean): Pools {
  const clients = new Set<ClientBase>();
  const open = (max: number, options = OF_WRITER): Pool => {
    const pool = new pg.Pool({
      max,
      connectionTimeoutMillis: requestMs,
      query_timeout: requestMs + 500,
      application_name: 'crossgate',
      // Kept while idle: its end reveals that the database stopped.
      idleTimeoutMillis: 0,
      ...KEPT_ALIVE,
      ...settingsOf(url, requestMs, isDirect, options),
    });
    // An idle connection that breaks is replaced by the next query, which says what is wrong if that fails too.
    pool.on('error', () => {});
    // They are forgotten once they are gone, which one that is thrown away may take its time to be.
    pool.on('connect', (client) => {
      clients.add(client);
      client.once('end', () => clients.delete(client));
    });
    return pool;
  };
  return {
    leasing: open(1),
    writing: open(WRITING_MAX),
    folding: open(1),
    reading: open(READING_MAX, OF_JOURNAL),
    clients,
    isDirect,
  };
}

/** Do something on one connection. One that breaks meanwhile fails what is asked of it, and ends no process. */
export async function withClient<T>(pool: Pool, isKept: boolean, act: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  const ignore = (): void => {};
  client.on('error', ignore);
  try {
    return await actOver(client, act);
  } finally {
    // Given back broken, it is thrown away.
    client.release(!isKept);
    if (isKept) client.off('error', ignore);
  }
}

/**
 * Do something over a connection. @throws why it broke, where the database had ended it before something was asked of it: of that
 * `pg` says only that nothing can be
 */
export async function actOver<C extends ClientBase, T>(client: C, act: (client: C) => Promise<T>): Promise<T> {
  let broken: Error | null = null;
  const note = (error: Error): void => {
    broken ??= error;
  };
  client.on('error', note);
  try {
    return await act(client);
  } catch (error) {
    throw error instanceof CrossgateError ? error : (broken ?? error);
  } finally {
    client.off('error', note);
  }
}

/** SQLSTATE of a server that takes no writes. */
const READ_ONLY = '25006';
/** TLS error texts for a certificate of an unknown authority. */
const UNKNOWN_AUTHORITY: ReadonlySet<unknown> = new Set([
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]);
/** `pg`'s text for a missing answer, without a code. */
const NO_ANSWER = 'Query read timeout';

/**
 * Reason of a failure from a database or the way to it. Several addresses of one host fail as one error without a text.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { code } = error as { readonly code?: unknown };
  const text = connectFailure(error) || String(code);
  if (text === NO_ANSWER) return `the database gave no answer in time (${text})`;
  if (UNKNOWN_AUTHORITY.has(code)) {
    // Behind it stands an option of Node.js.
    const [what] = text.split(';');
    return `${what}: the address has to name, as \`sslrootcert=FILE\`, the authority that signed the certificate of the database`;
  }
  return code === READ_ONLY ? `${text}: this server is a standby, or was made read-only` : text;
}

/** Advice for failures beside the traffic. */
export const DATABASE_REMEDY = 'See whether the database answers, has room, and lets its user write its tables';

/** The failure of a journal's reader: the database is away, or does not return the data. */
export function unreadable(where: string, error: unknown): unknown {
  if (error instanceof CrossgateError) return error;
  return new CrossgateError('XG_JOURNAL_UNREADABLE', `the journal ${where} cannot be read: ${reasonOf(error)}`, {
    cause: error,
  });
}

/** How long a database has to take its leave: one that is cut off never does. */
const LEAVE_MS = 1_000;

/** Used members of a connection beyond its types. */
interface Destroyable {
  readonly connection?: { readonly stream?: { destroy(): void } };
}

/** End a connection, by force if the database does not answer. */
export async function endClient(client: ClientBase & { end(): Promise<void> }): Promise<void> {
  const timer = setTimeout(() => destroy(client), LEAVE_MS);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

function destroy(client: ClientBase): void {
  (client as Destroyable).connection?.stream?.destroy();
}

/**
 * End all connections, those in use when they are returned, and by force if the database does not answer: an open
 * socket keeps its process alive.
 */
export async function endPools({ leasing, writing, folding, reading, clients }: Pools): Promise<void> {
  const ended = Promise.all([leasing, writing, folding, reading].map((pool) => pool.end().catch(() => {})));
  const gone = Promise.all(Array.from(clients, (client) => new Promise((resolve) => client.once('end', resolve))));
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => {
    timer = setTimeout(resolve, LEAVE_MS);
  });
  await Promise.race([Promise.all([ended, gone]), patience]);
  clearTimeout(timer);
  for (const client of clients) destroy(client);
  await ended;
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
    return await connectOver({ ...config, ...settingsOf(url, answerMs, true, '') });
  } catch (error) {
    if ((error as { readonly code?: unknown }).code !== PROTOCOL_VIOLATION) throw error;
    return await connectOver({ ...config, ...settingsOf(url, answerMs, false) });
  }
}

async function connectOver(config: ClientConfig): Promise<Client> {
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
