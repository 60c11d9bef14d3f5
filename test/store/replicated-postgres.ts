// Two PostgreSQL servers for tests, each in a container: a primary that confirms a commit when its streaming replica has flushed it, and
// that replica. `target` leads to the primary, as the address of a virtual IP or of HAProxy does. It can be restarted, stand still, and
// be killed for the replica to be promoted; the next replica is made from the promoted server.

import { Client } from 'pg';
import type { StartedNetwork, StartedTestContainer } from 'testcontainers';
import { PATIENCE_MS } from '../support/patience.ts';
import { dockerOf, placeOf } from './container-place.ts';
import { databaseOf, IMAGE, PORT, startContainer, urlOf } from './postgres-server.ts';

const LOOK_MS = 100;
/** On a busy machine. */
const ANSWER_MS = 30_000;
/** A server that is killed and started again finds its WAL there, and a replica finds it soon. */
const SETTINGS = [
  'fsync=off',
  'listen_addresses=*',
  'wal_keep_size=1GB',
  'wal_retrieve_retry_interval=200ms',
  // Partitions of a campaign, at eleven connections each.
  'max_connections=300',
];
const FLAGS = SETTINGS.flatMap((setting) => ['-c', setting]);
const ADMITS_REPLICAS = 'echo "host replication all all scram-sha-256" >> "$PGDATA/pg_hba.conf"';
const DATA = '/tmp/replica';
/** Copies the primary once, and follows it until it is promoted. */
const REPLICA = `set -e
  PATH=/usr/lib/postgresql/15/bin:$PATH
  [ -s ${DATA}/PG_VERSION ] || pg_basebackup --dbname="$PRIMARY" -D ${DATA} -R -X stream --checkpoint=fast --no-sync
  exec postgres -D ${DATA} ${FLAGS.join(' ')}`;

interface Server {
  readonly container: StartedTestContainer;
  /** Its name in the network. */
  readonly alias: string;
}

export class ReplicatedPostgres {
  /** Where the primary is now: another place after a restart and a fail-over. */
  readonly target: { host: string; port: number };
  readonly #network: StartedNetwork;
  #primary: Server;
  #replica: Server | null = null;
  #servers = 1;
  #databases = 0;

  private constructor(
    container: StartedTestContainer,
    network: StartedNetwork,
    target: { host: string; port: number },
  ) {
    this.target = target;
    this.#network = network;
    this.#primary = { container, alias: 'database-1' };
  }

  /** Resolves when the replica confirms commits. */
  static async start(): Promise<ReplicatedPostgres> {
    const { Network } = await import('testcontainers');
    const network = await new Network().start();
    const container = await startContainer(FLAGS, (one) =>
      one
        .withCopyContentToContainer([{ content: ADMITS_REPLICAS, target: '/docker-entrypoint-initdb.d/replicas.sh' }])
        .withNetwork(network)
        .withNetworkAliases('database-1'),
    );
    const pair = new ReplicatedPostgres(container, network, await placeOf(container, PORT));
    try {
      await pair.addReplica();
    } catch (error) {
      await pair.stop();
      throw error;
    }
    return pair;
  }

  async createDatabase(): Promise<string> {
    const name = `crossgate_${++this.#databases}`;
    await this.query(`create database ${name}`);
    return this.#url(name);
  }

  /** The address of a database at the present primary. */
  past(url: string): string {
    return this.#url(databaseOf(url));
  }

  /** Ask the primary. */
  async query(sql: string): Promise<Record<string, unknown>[]> {
    return await ask(this.#url('postgres'), sql);
  }

  /** Stop the primary at once, without a checkpoint, and start it again; resolves when it takes writes. */
  async restart(): Promise<void> {
    const container = await dockerOf(this.#primary.container);
    await container.kill({ signal: 'SIGQUIT' });
    await until('the primary to end', async () => !(await container.inspect()).State.Running);
    await container.start();
    await this.#lead(this.#primary);
    await this.#untilItWrites();
  }

  /** Let the primary stand still for that time. Connections stay; nothing is answered. */
  async pause(ms: number): Promise<void> {
    const container = await dockerOf(this.#primary.container);
    await container.pause();
    await wait(ms);
    await container.unpause();
    await this.#untilItWrites();
  }

  /**
   * Kill the primary, which never comes back, and promote the replica after a while. Resolves when that takes writes; it confirms them
   * alone until `addReplica`. @param promoteAfterMs as long as a cluster manager takes to decide
   */
  async failOver(promoteAfterMs: number): Promise<void> {
    const [old, next] = [this.#primary, this.#replica];
    if (next === null) throw new Error('there is no replica to fail over to');
    const container = await dockerOf(old.container);
    await container.kill({ signal: 'SIGKILL' });
    await until('the primary to be dead', async () => !(await container.inspect()).State.Running);
    await wait(promoteAfterMs);
    this.#primary = next;
    this.#replica = null;
    const url = urlOf(await placeOf(next.container, PORT), 'postgres');
    await until('the replica to be promoted', async () => {
      const [server] = await ask(url, 'select pg_is_in_recovery() as follows');
      if (server?.follows === true) await ask(url, 'select pg_promote()');
      // It was copied from a server that waits for a replica.
      await ask(url, 'alter system reset synchronous_standby_names');
      await ask(url, 'select pg_reload_conf()');
      return true;
    });
    await this.#lead(next);
    await this.#untilItWrites();
    await old.container.stop();
  }

  /** Make a replica from the primary, and have the primary wait for it with each commit. */
  async addReplica(): Promise<void> {
    if (this.#replica !== null) return;
    const { GenericContainer, Wait } = await import('testcontainers');
    const alias = `database-${++this.#servers}`;
    const primary = `${urlOf({ host: this.#primary.alias, port: PORT }, 'postgres')}?application_name=${alias}`;
    const container = await new GenericContainer(IMAGE)
      .withEnvironment({ PRIMARY: primary })
      .withUser('postgres')
      .withNetwork(this.#network)
      .withNetworkAliases(alias)
      .withExposedPorts(PORT)
      .withEntrypoint(['bash', '-c', REPLICA])
      .withWaitStrategy(Wait.forLogMessage('started streaming WAL'))
      .withStartupTimeout(PATIENCE_MS)
      .start();
    this.#replica = { container, alias };
    await this.query("alter system set synchronous_standby_names = '*'");
    await this.query('select pg_reload_conf()');
    await until('the replica to confirm commits', async () => {
      const rows = await this.query('select sync_state from pg_stat_replication');
      return rows.some(({ sync_state: state }) => state === 'sync');
    });
  }

  async stop(): Promise<void> {
    for (const server of [this.#replica, this.#primary]) await server?.container.stop();
    await this.#network.stop();
  }

  async #lead({ container }: Server): Promise<void> {
    Object.assign(this.target, await placeOf(container, PORT));
  }

  /** A commit is confirmed: by the replica too, if there is one. */
  async #untilItWrites(): Promise<void> {
    await until('the primary to take writes', async () => {
      await this.query('create table if not exists written (at timestamptz); insert into written values (now())');
      return true;
    });
  }

  #url(database: string): string {
    return urlOf(this.target, database);
  }
}

async function ask(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    return (await client.query(sql)).rows;
  } finally {
    await client.end().catch(() => {});
  }
}

/** An error is a "not yet". @throws Error with the last one if it never holds */
async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  for (let last: unknown; ; await wait(LOOK_MS)) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end) throw new Error(`waited for ${what}`, { cause: last });
  }
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
