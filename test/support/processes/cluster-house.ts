// A cluster for tests: nodes as processes over a real PostgreSQL, each with a way of its own to the database, and a simulated exchange
// in the test's process. Every partition has a credential of its own, and as many sessions as asked for, each with an account.

import { readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { Register } from '../../../src/cluster/nodes/register.ts';
import { type Simulator, startSimulator } from '../../../src/simulator/mod.ts';
import { SharedRows } from '../../../src/store/mod.ts';
import { createSelfSignedCertificate } from '../../../src/transport/mod.ts';
import type { PostgresServer } from '../../store/postgres-server.ts';
import { FaultProxy } from '../network/fault-proxy.ts';
import { freePort } from '../network/free-port.ts';
import { PASSWORD } from './exchange-house.ts';
import { LineProcess } from './line-process.ts';
import { START_FLAGS } from './start-flags.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const START_MS = Number(process.env.CROSSGATE_TEST_PATIENCE_MS ?? 60_000);

export interface ClusterHouseOptions {
  readonly nodes: number;
  readonly partitions: number;
  readonly sessionsPerPartition: number;
  readonly leaseMs: number;
  readonly heartbeatMs: number;
  /** False: partitions move by hand only. */
  readonly rebalances?: boolean;
  /** Keys of `gateway.yaml` besides. */
  readonly gateway?: Readonly<Record<string, unknown>>;
  /** Session files besides, by the name of the session. */
  readonly sessionFiles?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** For secrets of those. */
  readonly environment?: Readonly<Record<string, string>>;
}

export interface ClusterSession {
  readonly name: string;
  readonly account: string;
  readonly partition: string;
}

export class ClusterHouse {
  readonly options: ClusterHouseOptions;
  readonly folder: string;
  readonly url: string;
  readonly simulator: Simulator;
  readonly nodes: readonly NodeProcess[];
  readonly sessions: readonly ClusterSession[];
  readonly register: Register;
  readonly #rows: SharedRows;

  private constructor(parts: {
    options: ClusterHouseOptions;
    folder: string;
    url: string;
    simulator: Simulator;
    nodes: readonly NodeProcess[];
    sessions: readonly ClusterSession[];
  }) {
    this.options = parts.options;
    this.folder = parts.folder;
    this.url = parts.url;
    this.simulator = parts.simulator;
    this.nodes = parts.nodes;
    this.sessions = parts.sessions;
    this.#rows = new SharedRows({ url: () => parts.url, requestTimeoutMs: 10_000 });
    this.register = new Register(this.#rows, 'crossgate');
  }

  /** Prepare all; no node is started. */
  static async create(server: PostgresServer, options: ClusterHouseOptions): Promise<ClusterHouse> {
    const folder = await mkdtemp(join(tmpdir(), 'crossgate-cluster-'));
    const secrets = join(folder, 'secrets');
    for (const name of ['secrets', 'sessions']) await mkdir(join(folder, name), { mode: 0o700 });
    await copyFile(join(ROOT, 'sessions', 'defaults.yaml'), join(folder, 'sessions', 'defaults.yaml'));
    const sessions = sessionsOf(options);
    await writeFile(join(folder, 'world.yaml'), worldOf(sessions));
    const simulator = await startSimulator({
      keysDirectory: secrets,
      worldFile: join(folder, 'world.yaml'),
      liquidity: 'off',
      auctions: { manual: true },
      limits: null,
    });
    const { certificatePem, keyPem } = await createSelfSignedCertificate({ commonName: 'cluster' });
    const files = { 'node.crt': certificatePem, 'node.key': keyPem, password: `${PASSWORD}\n` };
    for (const [name, text] of Object.entries(files)) await writeFile(join(secrets, name), text, { mode: 0o600 });
    await writeConfiguration(folder, sessions, options, simulator.url);
    const database = await server.createDatabase();
    const names = Array.from({ length: options.nodes }, (_, k) => `n${k + 1}`);
    const nodes = await Promise.all(
      names.map((name) => NodeProcess.create(name, folder, server.past(database), options.environment ?? {})),
    );
    return new ClusterHouse({ options, folder, url: server.past(database), simulator, nodes, sessions });
  }

  node(name: string): NodeProcess {
    return this.nodes.find((node) => node.name === name)!;
  }

  /** The node that serves a partition, by the rows; null if none does. */
  async ownerOf(partition: string): Promise<string | null> {
    const { placements } = await this.register.read();
    return placements.find((row) => row.partition === partition)?.owner ?? null;
  }

  /** Every partition is served where it should be. @throws Error if it is not in time */
  async untilServed(isRight: (owners: ReadonlyMap<string, string>) => boolean = () => true): Promise<void> {
    const until = Date.now() + START_MS;
    for (;;) {
      const { placements } = await this.register.read();
      const owners = new Map(
        placements.flatMap(({ partition, owner }) => (owner === null ? [] : [[partition, owner]])),
      );
      const isServed = owners.size === this.options.partitions && placements.every(({ node, owner }) => node === owner);
      if (isServed && isRight(owners)) return;
      if (Date.now() > until) {
        const last = this.nodes.map(({ name, lines }) => `${name}:\n${lines.slice(-15).join('\n')}`);
        throw new Error(`partitions are not served: ${JSON.stringify(placements)}\n${last.join('\n')}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async remove(): Promise<void> {
    for (const node of this.nodes) await node.remove();
    await this.#rows.close();
    await this.simulator.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A node: its process with those of its partitions, on the same ports from one start to the next. */
export class NodeProcess {
  readonly name: string;
  readonly fixPort: number;
  /** Its way to the database. */
  readonly database: FaultProxy;
  readonly #folder: string;
  readonly #url: string;
  readonly #environment: Readonly<Record<string, string>>;
  #child: LineProcess | null = null;

  private constructor(
    name: string,
    folder: string,
    url: string,
    parts: { fixPort: number; database: FaultProxy; environment: Readonly<Record<string, string>> },
  ) {
    this.name = name;
    this.#folder = folder;
    this.fixPort = parts.fixPort;
    this.database = parts.database;
    this.#environment = parts.environment;
    const own = new URL(url);
    own.hostname = '127.0.0.1';
    own.port = String(parts.database.port);
    this.#url = own.href;
  }

  static async create(
    name: string,
    folder: string,
    url: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<NodeProcess> {
    const { hostname, port } = new URL(url);
    const database = await FaultProxy.open({ host: hostname, port: Number(port) });
    return new NodeProcess(name, folder, url, { fixPort: await freePort(), database, environment });
  }

  get state(): string {
    return join(this.#folder, this.name);
  }

  get lines(): readonly string[] {
    return this.#child?.lines ?? [];
  }

  /** A line of its start, such as the address of the bridge; waits for it. */
  async printed(pattern: RegExp): Promise<string> {
    return pattern.exec(await this.#child!.line(pattern, START_MS))![1]!;
  }

  /** Ask its admin API, with the token of a user or the shared one. */
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at any part of it
  async ask(path: string, body?: unknown, token?: string): Promise<{ status: number; body: any }> {
    const { url } = JSON.parse(readFileSync(join(this.state, 'admin.json'), 'utf8'));
    const shared = (): string => readFileSync(join(this.state, 'secrets', 'admin.token'), 'utf8').trim();
    const response = await fetch(new URL(path, url), {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${token ?? shared()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  }

  /** Start it; resolves when it takes connections. */
  async start(): Promise<void> {
    await mkdir(this.state, { recursive: true, mode: 0o700 });
    const flags = [...START_FLAGS, '--title=crossgate-under-test', 'src/cli/main.ts', 'start', '--log', 'json'];
    this.#child = new LineProcess(process.execPath, flags, {
      cwd: ROOT,
      env: {
        CROSSGATE_SESSIONS: join(this.#folder, 'sessions'),
        CROSSGATE_STATE: this.state,
        CROSSGATE_FIX_PORT: String(this.fixPort),
        CROSSGATE_CLUSTER_NODE: this.name,
        CLUSTER_DATABASE: this.#url,
        ...this.#environment,
      },
    });
    await this.#child.line(/joined the cluster/, START_MS);
  }

  /** Processes of its partitions. */
  get workers(): number[] {
    const pid = this.#child?.pid ?? -1;
    try {
      const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
      return text.split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }

  /** To the node and its partitions, as if its machine did it. */
  signal(signal: NodeJS.Signals): void {
    const pids = [this.#child?.pid ?? -1, ...this.workers];
    for (const pid of pids) if (pid > 0) process.kill(pid, signal);
  }

  /** Its machine is gone. */
  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.#child?.ended();
  }

  /** Ctrl-C: the exit code. */
  async stop(): Promise<number | string> {
    return (await this.#child?.kill('SIGINT')) ?? 0;
  }

  async remove(): Promise<void> {
    await this.kill().catch(() => {});
    await this.database.close();
  }
}

function sessionsOf({ partitions, sessionsPerPartition }: ClusterHouseOptions): ClusterSession[] {
  return Array.from({ length: partitions * sessionsPerPartition }, (_, k) => ({
    name: `OMS_${k + 1}`,
    account: `111000000001${String(k + 1).padStart(3, '0')}`,
    partition: `desk-${(k % partitions) + 1}`,
  }));
}

function worldOf(sessions: readonly ClusterSession[]): string {
  const partitions = [...new Set(sessions.map(({ partition }) => partition))];
  return stringify({
    assets: [
      { symbol: 'BTC', indexPrice: '60000' },
      { symbol: 'USDC', precision: 4 },
    ],
    markets: [{ symbol: 'BTCUSDC' }],
    users: partitions.map((name, k) => ({ name, userId: String(30_001 + k), keys: [{ name, kind: 'hmac' }] })),
    accounts: sessions.map(({ partition, account }, k) => ({
      tradingAccountId: account,
      user: partition,
      isPrimaryAccount: k < partitions.length,
      balances: { BTC: '1000', USDC: '1000000000' },
    })),
  });
}

async function writeConfiguration(
  folder: string,
  sessions: readonly ClusterSession[],
  { leaseMs, heartbeatMs, partitions, rebalances = true, gateway: more, sessionFiles = {} }: ClusterHouseOptions,
  exchangeUrl: string,
): Promise<void> {
  const secret = (name: string): string => `file:${join(folder, 'secrets', name)}`;
  const names = Array.from({ length: partitions }, (_, k) => `desk-${k + 1}`);
  const gateway = {
    state: 'state',
    store: { kind: 'postgres', url: 'env:CLUSTER_DATABASE', leaseMs, requestTimeoutMs: Math.floor(leaseMs / 2) },
    cluster: {
      node: 'node',
      host: '127.0.0.1',
      port: 0,
      address: '127.0.0.1',
      heartbeatMs,
      settleMs: 3_000,
      rebalance: rebalances ? 'auto' : 'manual',
      addressGroup: 'site',
      tls: { certificate: secret('node.crt'), key: secret('node.key'), clientAuthority: secret('node.crt') },
    },
    busyPollMicros: 0,
    fix: {
      listen: [{ name: 'plain', host: '127.0.0.1', port: 0 }],
      // All OMSs are here.
      limits: { connectionsPerAddressMax: 1_000 },
    },
    exchange: {
      baseUrl: exchangeUrl,
      environment: 'simulator',
      dialect: 'v2',
      prehash: 'hexdigest',
      rates: { ordersPerSecond: 1_000_000, otherPerSecond: 1_000_000, addressPer10Seconds: 10_000_000 },
      credentials: names.map((name) => ({
        name,
        key: secret(`${name}.json`),
        tradingAccounts: sessions.filter(({ partition }) => partition === name).map(({ account }) => account),
      })),
    },
    simulator: { embedded: false },
    bridge: { enabled: false },
    admin: { port: 0 },
    ...more,
  };
  await writeFile(join(folder, 'sessions', 'gateway.yaml'), stringify(gateway));
  for (const { name, account, partition } of sessions) {
    const session = {
      targetCompID: name,
      password: secret('password'),
      messageRate: { max: 0 },
      // Orders outlive the end of a node here.
      cancelOnDisconnect: { on: 'off' },
      accounts: [{ account, credential: partition }],
      limits: { orderQtyMax: '100000', notionalMax: '100000000000', openOrdersMax: 100_000, priceBandPercent: 'off' },
    };
    await writeFile(join(folder, 'sessions', `${name}.yaml`), stringify(session));
  }
  for (const [name, session] of Object.entries(sessionFiles)) {
    await writeFile(join(folder, 'sessions', `${name}.yaml`), stringify(session));
  }
}
