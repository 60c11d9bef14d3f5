// A PostgreSQL server for tests: in a container, behind a proxy that keeps its address over a restart and cuts it off.

import { Client } from 'pg';
import type { GenericContainer, StartedTestContainer } from 'testcontainers';
import { FaultProxy } from '../support/network/fault-proxy.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { dockerOf, placeOf } from './container-place.ts';

export const IMAGE = 'postgres:15';
export const PORT = 5432;
const LOGIN = { user: 'test', password: 'test' };
/** A server that is killed has what it wrote, because its machine does not lose power. A benchmark of commits syncs them. */
const WITHOUT_SYNCS = ['-c', 'fsync=off'];
const STARTS_MS = 170_000;

/**
 * Start a container of a server. It has no health check: Docker would run several processes a second for as long as the server lives.
 * @param flags of the server @param prepare what else the container needs
 */
export async function startContainer(
  flags: readonly string[],
  prepare = (container: GenericContainer): GenericContainer => container,
): Promise<StartedTestContainer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const container = new GenericContainer(IMAGE)
    .withEnvironment({
      POSTGRES_USER: LOGIN.user,
      POSTGRES_PASSWORD: LOGIN.password,
      POSTGRES_INITDB_ARGS: '--no-sync',
    })
    .withExposedPorts(PORT)
    .withCommand(['postgres', ...flags])
    // The first server of a new container makes the databases, and listens to no port.
    .withWaitStrategy(Wait.forLogMessage('ready to accept connections', 2))
    .withStartupTimeout(STARTS_MS);
  return await prepare(container)
    .start()
    .catch((cause: unknown) => {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new Error(`${IMAGE} does not start (\`docker pull ${IMAGE}\` gets it): ${why}`, { cause });
    });
}

export class PostgresServer {
  readonly #container: StartedTestContainer;
  /** Where it is now, past the proxy: another place after a restart. */
  readonly target: { host: string; port: number };
  readonly proxy: FaultProxy;
  #databases = 0;

  private constructor(container: StartedTestContainer, target: { host: string; port: number }, proxy: FaultProxy) {
    this.#container = container;
    this.target = target;
    this.proxy = proxy;
  }

  static async start(flags = WITHOUT_SYNCS): Promise<PostgresServer> {
    const container = await startContainer(flags);
    const target = await placeOf(container, PORT);
    return new PostgresServer(container, target, await FaultProxy.open(target));
  }

  /** A new database, or a copy of an unconnected one; its address leads through the proxy. */
  async createDatabase(copied: string | null = null): Promise<string> {
    const name = `crossgate_${++this.#databases}`;
    await this.query(`create database ${name}${copied === null ? '' : ` template ${copied}`}`);
    return urlOf({ host: '127.0.0.1', port: this.proxy.port }, name);
  }

  /** The address of a database past the proxy: that is in this process, and a journal that waits for an answer stops it. */
  past(url: string): string {
    return urlOf(this.target, databaseOf(url));
  }

  /** Ask the server past the proxy. */
  async query(sql: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = await this.#connected(database);
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** One that starts, or recovers after a kill, refuses connections for some time. */
  async #connected(database: string): Promise<Client> {
    for (const until = Date.now() + PATIENCE_MS; ; ) {
      const client = new Client({ connectionString: urlOf(this.target, database) });
      try {
        await client.connect();
        return client;
      } catch (error) {
        const { code = '', message } = error as Error & { code?: string };
        const isStarting = /^(ECONNREFUSED|ECONNRESET|57P03)$/.test(code) || /terminated unexpectedly/.test(message);
        if (!isStarting || Date.now() > until) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** Kill the server and start it again: its place is another one, the proxy's stays. Does not wait until it answers. */
  async restart(): Promise<void> {
    await (await dockerOf(this.#container)).restart({ t: 0 });
    Object.assign(this.target, await placeOf(this.#container, PORT));
  }

  async stop(): Promise<void> {
    await this.proxy.close();
    await this.#container.stop();
  }
}

export function urlOf({ host, port }: { readonly host: string; readonly port: number }, database: string): string {
  return `postgresql://${LOGIN.user}:${LOGIN.password}@${host}:${port}/${database}`;
}

/** The database's name in an address. */
export function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
