// A PostgreSQL server for tests: in a container, behind a proxy that keeps its address over a restart and cuts it off.

import type { StartedPostgreSqlContainer } from '@testcontainers/postgresql';
import { Client } from 'pg';
import { FaultProxy } from '../support/network/fault-proxy.ts';
import { PATIENCE_MS } from '../support/patience.ts';
import { dockerOf, placeOf } from './container-place.ts';

export const IMAGE = 'postgres:15';
const PORT = 5432;
/** Killed it is, but its machine does not lose power: what it wrote is there. */
const WITHOUT_SYNCS = ['postgres', '-c', 'fsync=off'];
/** None: Docker would ask twice a second for as long as the server lives, by three processes each time. */
const NO_HEALTH_CHECK = { test: ['CMD-SHELL', 'true'] as ['CMD-SHELL', string], interval: 3_600_000 };
const STARTS_MS = 170_000;

export class PostgresServer {
  readonly #container: StartedPostgreSqlContainer;
  /** Where it is now, past the proxy: another place after a restart. */
  readonly target: { host: string; port: number };
  readonly proxy: FaultProxy;
  #databases = 0;

  private constructor(
    container: StartedPostgreSqlContainer,
    target: { host: string; port: number },
    proxy: FaultProxy,
  ) {
    this.#container = container;
    this.target = target;
    this.proxy = proxy;
  }

  static async start(): Promise<PostgresServer> {
    const { PostgreSqlContainer } = await import('@testcontainers/postgresql');
    const { Wait } = await import('testcontainers');
    const container = await new PostgreSqlContainer(IMAGE)
      .withEnvironment({ POSTGRES_INITDB_ARGS: '--no-sync' })
      .withCommand(WITHOUT_SYNCS)
      .withHealthCheck(NO_HEALTH_CHECK)
      .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/))
      .withStartupTimeout(STARTS_MS)
      .start()
      .catch((cause: unknown) => {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`${IMAGE} does not start (\`docker pull ${IMAGE}\` gets it): ${why}`, { cause });
      });
    const target = await placeOf(container, PORT);
    const server = new PostgresServer(container, target, await FaultProxy.open(target));
    // The first server of a new container makes the databases, and listens to no port.
    await server.query('select 1');
    return server;
  }

  /** A new database, or a copy of an unconnected one; its address leads through the proxy. */
  async createDatabase(copied: string | null = null): Promise<string> {
    const name = `crossgate_${++this.#databases}`;
    await this.query(`create database ${name}${copied === null ? '' : ` template ${copied}`}`);
    return this.#url(this.proxy.port, '127.0.0.1', name);
  }

  /** The address of a database past the proxy: that is in this process, and a journal that waits for an answer stops it. */
  past(url: string): string {
    return this.#url(this.target.port, this.target.host, databaseOf(url));
  }

  #url(port: number, host: string, database: string): string {
    return `postgresql://${this.#container.getUsername()}:${this.#container.getPassword()}@${host}:${port}/${database}`;
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
      const { host, port } = this.target;
      const client = new Client({ connectionString: this.#url(port, host, database) });
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

/** The database's name in an address. */
export function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}
